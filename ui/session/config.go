package session

import (
	"fmt"
	"time"
)

// Config is the [ui] section of the config file. What it does not say is zero.
type Config struct {
	Theme   ThemeName `toml:"theme"`
	ASCII   bool      `toml:"ascii"`
	Refresh Interval  `toml:"refresh"`
}

// Options are the inspector's options as far as the section says them.
func (c Config) Options() Options {
	return Options{Theme: c.Theme.Theme, ASCII: c.ASCII, Refresh: c.Refresh.Duration}
}

// ThemeName is a Theme that the config file names.
type ThemeName struct{ Theme }

// UnmarshalText implements encoding.TextUnmarshaler.
func (t *ThemeName) UnmarshalText(text []byte) error {
	switch name := Theme(text); name {
	case Auto, Dark, Light:
		t.Theme = name
		return nil
	}
	return fmt.Errorf("there is no theme %q: use auto, dark or light", text)
}

// minRefresh keeps the counters from being read without a pause.
const minRefresh = 200 * time.Millisecond

// Interval is a time between two readings, as the config file writes it: "2s".
type Interval struct{ time.Duration }

// UnmarshalText implements encoding.TextUnmarshaler.
func (i *Interval) UnmarshalText(text []byte) error {
	d, err := time.ParseDuration(string(text))
	if err != nil || d < minRefresh {
		return fmt.Errorf("%q is no time of at least %s: write it as 2s", text, minRefresh)
	}
	i.Duration = d
	return nil
}
