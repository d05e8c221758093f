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
		screen.Nothing(d, "No change fits.", "")
		if s.look.On() {
			d.Keys(4, s.Hint(keymap.Back, "show all again"))
		}
		if s.onlyProblems {
			d.Keys(4, s.Hint(keymap.OnlyProblems, "show what was applied, too"))
		}
	case s.Connection().NoJournal != nil:
		screen.Failed(s.Session, d, s.WhyNoJournal())
	default:
		screen.Nothing(d, "Nothing was changed from here yet.", "")
		d.Para(4, kit.Text, "Every change is written down before it is sent, in:")
		d.Para(4, kit.Muted, s.Journal().Path())
		d.Gap()
		s.begins(d)
	}
}

// begins says where changes are made, and by which keys.
func (s *Screen) begins(d *kit.Block) {
	d.Para(4, kit.Text, "Changes are made on:")
	mend := s.Hint(keymap.Mend, "mend")
	for _, from := range []struct {
		tab   kit.Hint
		makes []kit.Hint
	}{
		{s.Hint(keymap.Accounts, "accounts"), []kit.Hint{mend, s.Hint(keymap.ChangeValue, "change a value"), s.Hint(keymap.DeleteAccount, "delete")}},
		{s.Hint(keymap.Locks, "locks"), []kit.Hint{s.Hint(keymap.Release, "release"), mend}},
		{s.Hint(keymap.Counters, "counters"), []kit.Hint{s.Hint(keymap.Bump, "bump"), mend}},
		{s.Hint(keymap.Findings, "findings"), []kit.Hint{mend, s.Hint(keymap.Mark, "mark to mend several")}},
	} {
		d.Row(func(l *kit.Line) {
			l.To(4)
			l.Put(kit.Key, from.tab.Key)
			l.Put(kit.Text, " "+from.tab.Words)
			l.To(18)
			kit.WriteHints(l, kit.WithKeys(from.makes))
		})
	}
}
