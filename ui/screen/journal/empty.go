package journal

import (
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/screen"
)

// state stands in place of changes that are not there.
func (s *Screen) state(d *kit.Block) {
	switch {
	case s.Journal() == nil:
		screen.Failed(s.Session, d, s.WhyNoJournal())
	case !s.receipts.read && s.receipts.err != nil:
		screen.Failed(s.Session, d, s.receipts.err)
	case !s.receipts.read:
		d.Gap()
		d.Row(func(l *kit.Line) {
			l.Put(kit.Muted, " Reading the journal ")
			l.Words(kit.Text, s.Journal().Path(), l.Width-l.At-1)
		})
	case len(s.receipts.rows) > 0:
		d.Gap()
		d.Gap()
		d.Para(4, kit.Heading, "No change fits.")
		d.Gap()
		if s.look.On() {
			s.Advice(d, keymap.Back, "show all again")
		}
		if s.onlyProblems {
			s.Advice(d, keymap.OnlyProblems, "show what was applied, too")
		}
	case s.Connection().NoJournal != nil:
		screen.Failed(s.Session, d, s.WhyNoJournal())
	default:
		d.Gap()
		d.Gap()
		d.Para(4, kit.Heading, "Nothing was changed from here yet.")
		d.Gap()
		d.Para(4, kit.Text, "Every change is written down before it is sent, in:")
		d.Para(4, kit.Muted, s.Journal().Path())
		d.Gap()
		s.Advice(d, keymap.Accounts, "accounts and their locks")
		s.Advice(d, keymap.Counters, "counters")
	}
}
