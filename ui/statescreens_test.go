package ui_test

import (
	"testing"
	"time"
)

// TestStateScreens draws screens without rows, and screens that cannot read new data.
func TestStateScreens(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		set   func(*testing.T, *setup, *faults)
		walk  func(*terminal, *faults)
		busy  bool // draw the screen during a task
		until []string
	}{
		{name: "offline", walk: func(term *terminal, f *faults) {
			term.see("confirmed")
			f.set(func(f *faults) { f.down = true })
			term.press("n<ctrl+r>")
		}, until: []string{"OFFLINE", "tries again"}},
		{name: "logged-out", walk: func(term *terminal, f *faults) {
			term.see("confirmed")
			f.set(func(f *faults) { f.expired = true })
			term.press("n<ctrl+r>")
		}, until: []string{"LOGGED OUT", "tries again"}},
		{name: "logged-out-at-start", set: func(_ *testing.T, _ *setup, f *faults) { f.expired = true }, until: []string{"! expired", "aws sso login"}},
		{name: "unreachable-at-start", set: func(_ *testing.T, _ *setup, f *faults) { f.down = true }, until: []string{"OFFLINE", "tries again"}},
		{name: "loading", set: func(t *testing.T, s *setup, f *faults) {
			gate := make(chan struct{})
			f.hold = map[string]chan struct{}{"DescribeTable": gate, "Scan": gate}
			t.Cleanup(func() { close(gate) })
			noon := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
			s.clock = func() time.Time { return noon }
		}, busy: true, until: []string{"Reading accounts at"}},
		{name: "empty", set: func(t *testing.T, s *setup, _ *faults) { s.withOddEmpty(t) }, until: []string{"This table is empty"}},
		{name: "no-layout", set: func(t *testing.T, s *setup, _ *faults) { s.withSessions(t) }, until: []string{"! no layout"}},
		{name: "no-such-table", set: func(_ *testing.T, s *setup, _ *faults) { s.options.Table = "acounts" }, until: []string{"! no table"}},
		{name: "no-table", set: func(_ *testing.T, s *setup, _ *faults) { s.options.Table = "" }, until: []string{"locks, no owner", "locks with owner", "counter, next", "layout NextIdTable", "17 B", "12 B", "153 B", "980 B", "288 B"}},
		{name: "first-run", set: func(_ *testing.T, s *setup, _ *faults) { s.options.Tip = true }, until: []string{"confirmed", tip}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := &faults{}
			s := drawn(t, withFaults(f))
			if c.set != nil {
				c.set(t, s, f)
			}
			term := s.run(t)
			term.busy = c.busy
			if c.walk != nil {
				c.walk(term, f)
			}
			term.pictures(c.until...)
		})
	}
}
