package counters

import (
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/screen"
	"tallylock/ui/session"
	"tallylock/ui/task"
	"tallylock/ui/words"
)

// enoughToRecognise is how many read units it takes to recognise any layout.
const enoughToRecognise = 120

// nothingRead says why no counter of a connection was read.
func nothingRead(c session.Connection) string {
	why, _ := c.WhyUnread()
	return "Nothing was read, since " + why + "."
}

// state stands in place of counters that are not there.
func (s *Screen) state(d *kit.Block) {
	_, busy := s.Tasks.Since(task.Polling)
	at := s.of[s.On]
	switch {
	case !s.Empty():
		screen.NoneFits(s.Session, d, "counter that was read")
	case at.err != nil && s.Offline != nil:
		d.Gap()
		screen.Offline(s.Session, d, s.Empty())
	case at.err != nil:
		screen.Failed(s.Session, d, at.err)
	case at.tables == nil && !s.unasked(s.On) && !busy: // for a key
		screen.Nothing(d, nothingRead(s.Connection()), "", s.Hint(keymap.Reload, "read the counters once"),
			s.Hint(keymap.Pause, "read them again and again"))
	case at.tables == nil:
		d.Gap()
		d.Row(func(l *kit.Line) {
			l.Put(kit.Muted, " Looking for counters in the tables of ")
			l.Put(kit.Text, s.Connection().Name())
			l.Put(kit.Muted, ".")
		})
		screen.Slow(s.Session, d, task.Polling)
	default:
		screen.Nothing(d, "No counters found.", whyNone(s.Connection()), s.Hint(keymap.Tables, "look at the tables"))
	}
}

// whyNone says why no counters were found on a connection, and what to do.
func whyNone(c session.Connection) string {
	why := "No layout that we know of a counter fits a table of this connection."
	switch most := c.AutoReadUnits(); {
	case !c.ReadsUnasked():
		unread, _ := c.WhyUnread()
		why = "The tables were not looked into to recognise any, since " + unread + "."
	case most < enoughToRecognise:
		why = words.ReadUnits(most) + " (auto_read_units) were not enough to recognise a counter."
	}
	return why + " Describe yours under [[layout]] in the config."
}
