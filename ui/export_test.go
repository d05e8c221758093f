package ui

import "time"

// SetGrace sets how long a dialog that has just opened takes no keys.
func (m Model) SetGrace(d time.Duration) { m.grace = d }

// SetClock sets what the model takes for the time.
func (m Model) SetClock(now func() time.Time) { m.now = now }
