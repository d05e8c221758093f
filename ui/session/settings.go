package session

import (
	"fmt"
	"os"
	"strings"
	"time"

	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout/config"
	"tallylock/keymap"
	"tallylock/ui/kit"
)

// Options say what the inspector opens, and how it looks.
type Options struct {
	// Connections are the connections to choose from, at least one. The first one is opened, so it
	// has to be connected already.
	Connections []Connection
	// Table is opened at once. If it is empty, the list of tables comes first.
	Table string
	// Keys are the key bindings; nil for the defaults.
	Keys  *keymap.Map
	Theme Theme
	// Look has the colours that a person has changed. Theme is only the background.
	Look kit.Theme
	// ASCII draws with plain characters only. Filled sets it if the locale is not UTF-8. NoColour
	// draws without colour. Filled sets it if the environment variable NO_COLOR has any value.
	ASCII, NoColour bool
	// Tip shows a line that says what to try first. It is set for the demo's tables.
	Tip bool
	// Refresh is the least time between two reads of the counters. PollUnits is the limit of read
	// units a minute for these reads on one connection: many counters are read less often. If
	// a setting is zero, its default applies.
	Refresh   time.Duration
	PollUnits float64
	// AWS are the files with the AWS profiles.
	AWS client.AWSFiles
	// Check holds the settings for checks of the findings screen.
	Check setting.Options
	// Config is the file that layouts can be written into; empty if there is none.
	Config ConfigFile
	// Guest is the person of an SSH session; nil at a terminal of the person's own.
	Guest *Guest
}

// Filled returns the options with the defaults for unset fields.
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
	if o.Guest != nil { // the environment is the server's
		return o
	}
	if os.Getenv("NO_COLOR") != "" { // the library ignores some values
		o.NoColour = true
	}
	o.ASCII = o.ASCII || PlainLocale()
	return o
}

// CheckGuest returns an error if a guest would have more rights than the guest's role allows.
func (o Options) CheckGuest() error {
	for _, c := range o.Connections {
		if err := o.Guest.check(c.Connection); err != nil {
			return err
		}
		if o.Guest != nil && (c.With != nil || o.Config.Write != nil) {
			return &client.Error{
				Kind: client.Usage, Op: "opening the inspector for " + o.Guest.Name,
				Why: "the session could choose other connections, or write the config of the server",
				Do:  "leave With and Config empty",
			}
		}
	}
	return nil
}

// PlainLocale reports whether the locale names an encoding other than UTF-8, as C and
// de_DE.ISO-8859-1 do. The first variable that is set decides, as in POSIX.
func PlainLocale() bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if locale := strings.ToLower(os.Getenv(name)); locale != "" {
			return !strings.Contains(locale, "utf-8") && !strings.Contains(locale, "utf8")
		}
	}
	return false
}

// Config is the [ui] section of the config file. Unset settings are zero.
type Config struct {
	Theme   ThemeName `toml:"theme"`
	ASCII   bool      `toml:"ascii"`
	Refresh Interval  `toml:"refresh"`
}

// Options returns the inspector's options with the settings of the section.
func (c Config) Options() Options {
	return Options{Theme: c.Theme.Theme, ASCII: c.ASCII, Refresh: c.Refresh.Duration}
}

// ThemeName is a Theme in the config file.
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

// Interval is the time between two reads, in the config file's form: "2s".
type Interval struct{ time.Duration }

// UnmarshalText implements encoding.TextUnmarshaler.
func (i *Interval) UnmarshalText(text []byte) error {
	d, err := time.ParseDuration(string(text))
	if err != nil || d < minRefresh {
		return fmt.Errorf("%q is not a time of at least %s: write it as 2s or 1m", text, minRefresh)
	}
	i.Duration = d
	return nil
}

// ConfigFile is the user's config file, for writing a layout into it.
type ConfigFile struct {
	Path string
	// Write appends a layout to the file. If note returns a text for a line, Write puts the text behind the line.
	Write func(l config.Layout, note func(section, setting string) string) error
}

// Theme is the background that the screen is drawn for.
type Theme string

// The themes. Auto asks the terminal for its background, and takes dark if there is no answer.
const (
	Auto  Theme = "auto"
	Dark  Theme = "dark"
	Light Theme = "light"
)

// minRefresh prevents a config that reads the counters without a pause.
const minRefresh = 200 * time.Millisecond

// DefaultRefresh is the default for the least time between two reads of the counters.
const DefaultRefresh = 2 * time.Second

// DefaultPollUnits is the default limit of read units a minute for polling on one connection. At
// one unit a counter, 8 counters are read every 4 s and 308 every 154 s. 20,000 read units last 2 h
// 46 min.
const DefaultPollUnits = 120
