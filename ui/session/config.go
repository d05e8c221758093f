package session

import (
	"fmt"
	"os"
	"strings"
	"time"

	"tallylock/dynamo/check"
	"tallylock/dynamo/layout"
	"tallylock/keymap"
	"tallylock/ui/kit"
)

// Options say what the inspector opens, and how it looks.
type Options struct {
	// Connections are those to choose from, one at least; the first is opened, and
	// has to be connected.
	Connections []Connection
	// Table is opened at once; empty begins with the list of tables.
	Table string
	// Keys are the bindings; nil takes the defaults.
	Keys  *keymap.Map
	Theme Theme
	// Look is what is otherwise about the theme's colours.
	Look kit.Theme
	// ASCII draws with plain characters only; it is set, too, where the locale is none of
	// UTF-8. NoColour draws without colour; it
	// is set, too, by any value of the environment variable NO_COLOR.
	ASCII, NoColour bool
	// Tip shows a line that says what to try first: the demo's tables are on show.
	Tip bool
	// Refresh is how long counters are shown at least before they are read again; zero takes the
	// default. PollUnits is how many read units a minute that may take on a connection: many counters
	// are read less often. Zero takes the default.
	Refresh   time.Duration
	PollUnits float64
	// Check says how the findings screen checks a table.
	Check check.Options
	// Config is the file that layouts may be written into; none where it cannot.
	Config ConfigFile
}

// Filled is the options with the defaults in place of what is not set.
func (o Options) Filled() Options {
	if o.Keys == nil {
		o.Keys = keymap.Default()
	}
	if o.Theme == "" {
		o.Theme = Auto
	}
	if o.Refresh <= 0 {
		o.Refresh = DefaultRefresh
	}
	if o.PollUnits <= 0 {
		o.PollUnits = DefaultPollUnits
	}
	if os.Getenv("NO_COLOR") != "" { // the library minds only some of its values
		o.NoColour = true
	}
	o.ASCII = o.ASCII || PlainLocale()
	return o
}

// PlainLocale reports whether the locale names an encoding other than UTF-8, as C and
// de_DE.ISO-8859-1 do; the first of these variables that is set decides, as POSIX has it.
func PlainLocale() bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if locale := strings.ToLower(os.Getenv(name)); locale != "" {
			return !strings.Contains(locale, "utf-8") && !strings.Contains(locale, "utf8")
		}
	}
	return false
}

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
		return fmt.Errorf("%q is not a time of at least %s: write it as 2s", text, minRefresh)
	}
	i.Duration = d
	return nil
}

// ConfigFile is the user's config, as far as a layout can be written into it.
type ConfigFile struct {
	Path string
	// Write puts a layout behind what stands there, with a note behind each line that it
	// has one for.
	Write func(l layout.Config, note func(section, setting string) string) error
}

// Theme says on what background the screen is drawn.
type Theme string

// The themes. Auto asks the terminal, and takes dark where it does not answer.
const (
	Auto  Theme = "auto"
	Dark  Theme = "dark"
	Light Theme = "light"
)

// DefaultRefresh is how long counters are shown at least before they are read again.
const DefaultRefresh = 2 * time.Second

// DefaultPollUnits is how many read units a minute polling may take on a connection. At one unit a
// counter, 8 counters are read every 4 s and 308 every 154 s. 20,000 read units last 2 h 46 min.
const DefaultPollUnits = 120
