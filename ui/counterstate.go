package ui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/screen"
	"tallylock/ui/task"
	"tallylock/ui/words"
)

// visit reads the counters where they may be read unasked; else a key begins it.
func (s *countersScreen) visit() tea.Cmd {
	if c := s.app.Connection(); c.Connection != nil && !c.ReadsUnasked() {
		s.paused = s.paused || s.tables == nil
		if s.paused {
			return nil
		}
	}
	return s.poll()
}

// enoughToRecognise is how many read units it takes to recognise any layout.
const enoughToRecognise = 120

// unread reports whether the counters wait for a key to be read.
func (s *countersScreen) unread() bool {
	_, busy := s.app.Tasks.Since(task.Polling)
	return s.tables == nil && s.paused && !busy
}

// state stands in place of counters that are not there.
func (s *countersScreen) state(d *kit.Block) {
	a := s.app
	switch {
	case s.err != nil && a.Offline != nil:
		d.Gap()
		screen.Offline(a.Session, d, a.unread())
	case s.err != nil:
		screen.Failed(a.Session, d, s.err)
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
