package counters

import (
	"fmt"

	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/screen"
	"tallylock/ui/task"
	"tallylock/ui/words"
)

// enoughToRecognise is how many read units it takes to recognise any layout.
const enoughToRecognise = 120

// unread reports whether the counters wait for a key to be read.
func (s *Screen) unread() bool {
	_, busy := s.Tasks.Since(task.Polling)
	return s.tables == nil && s.paused && !busy
}

// state stands in place of counters that are not there.
func (s *Screen) state(d *kit.Block) {
	a := s.Session
	switch {
	case s.err != nil && a.Offline != nil:
		d.Gap()
		screen.Offline(s.Session, d, s.Empty())
	case s.err != nil:
		screen.Failed(s.Session, d, s.err)
	case s.unread():
		d.Gap()
		d.Gap()
		d.Para(4, kit.Heading, "Nothing was read, since auto_read_units is 0.")
		d.Gap()
		a.Advice(d, keymap.Reload, "read the counters once")
		a.Advice(d, keymap.Pause, fmt.Sprintf("read them every %g s", a.Options.Refresh.Seconds()))
	case s.tables == nil:
		d.Gap()
		d.Row(func(l *kit.Line) {
			l.Put(kit.Muted, " Looking for counters in the tables of ")
			l.Put(kit.Text, a.Connection().Name())
			l.Put(kit.Muted, ".")
		})
	default:
		d.Gap()
		d.Gap()
		d.Para(4, kit.Heading, "No counters found.")
		d.Gap()
		why := "No layout that we know of a counter fits a table of this connection."
		switch most := a.Connection().AutoReadUnits(); {
		case !a.Connection().ReadsUnasked():
			why = "The tables were not looked into to recognise any, since auto_read_units is 0."
		case most < enoughToRecognise:
			why = "What auto_read_units lets be read of the tables, " + words.Units(most) + " read units, shows none."
		}
		d.Para(4, kit.Text, why+" Describe yours under [[layout]] in the config.")
		d.Gap()
		a.Advice(d, keymap.Tables, "look at the tables")
	}
}
