package ui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"tallylock/keymap"
)

// visit reads the counters where they may be read unasked; else a key begins it.
func (s *countersScreen) visit() tea.Cmd {
	if c := s.app.connection(); c.Connection != nil && !c.ReadsUnasked() {
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
	_, busy := s.app.flights.busy(polling)
	return s.tables == nil && s.paused && !busy
}

// state stands in place of counters that are not there.
func (s *countersScreen) state(d *doc) {
	a := s.app
	switch {
	case s.err != nil && a.offline != nil:
		d.gap()
		a.offlineDetail(d)
	case s.err != nil:
		a.errorState(d, s.err)
	case s.unread():
		d.gap()
		d.gap()
		d.para(4, asBold, "Nothing was read, since auto_read_units is 0.")
		d.gap()
		a.advice(d, keymap.Reload, "read the counters once")
		a.advice(d, keymap.Pause, fmt.Sprintf("read them every %g s", a.opts.Refresh.Seconds()))
	case s.tables == nil:
		d.gap()
		d.row(func(l *line) {
			l.put(asMuted, " Looking for counters in the tables of ")
			l.put(asText, a.connection().Name())
			l.put(asMuted, ".")
		})
	default:
		d.gap()
		d.gap()
		d.para(4, asBold, "No counters found.")
		d.gap()
		why := "No layout that we know of a counter fits a table of this connection."
		switch most := a.connection().AutoReadUnits(); {
		case !a.connection().ReadsUnasked():
			why = "The tables were not looked into to recognise any, since auto_read_units is 0."
		case most < enoughToRecognise:
			why = "What auto_read_units lets be read of the tables, " + units(most) + " read units, shows none."
		}
		d.para(4, asText, why+" Describe yours under [[layout]] in the config.")
		d.gap()
		a.advice(d, keymap.Tables, "look at the tables")
	}
}
