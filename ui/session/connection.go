package session

import (
	"context"
	"os"
	"strings"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/change"
	"tallylock/dynamo/check"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/words"
)

// Embedded is the Region of the demo, which lives and ends with the program.
const Embedded = "embedded"

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

// DefaultRefresh is how often counters are read.
const DefaultRefresh = 2 * time.Second

// Connection is a connection as the inspector shows it.
type Connection struct {
	*dynamo.Connection
	// Changer makes changes; nil makes the connection read-only here. NoJournal is
	// why, where it is that no journal can be kept.
	Changer   *change.Changer
	NoJournal error
	// Production colours the whole header, and Colour the connection's name; empty
	// colours it by what it allows.
	Production bool
	Colour     client.Colour
	// Called is the connection's name before Dial has made it, which is when it is
	// first looked at. The first connection is made already.
	Called string
	Dial   func(context.Context) (*dynamo.Connection, error)
}

// Name is what the connection is called.
func (c Connection) Name() string {
	if c.Connection == nil {
		return c.Called
	}
	return c.Connection.Name()
}

// Where is the place for people; empty while nobody has connected.
func (c Connection) Where() string {
	if c.Connection == nil {
		return ""
	}
	return c.Connection.Where()
}

// writes reports whether changes can be made here.
func (c Connection) writes() bool {
	return c.Connection != nil && c.Write() && c.Changer != nil
}

// WhyReadOnly says why nothing is written here; empty where changes can be made.
func (c Connection) WhyReadOnly() string {
	switch {
	case c.NoJournal != nil:
		_, _, why, _ := words.Explain(c.NoJournal)
		return "the journal cannot be kept: " + why
	case !c.writes():
		return "this connection is read-only; start with --write"
	}
	return ""
}

// WritesTo reports whether changes of a table can be made here.
func (c Connection) WritesTo(table string) bool {
	return c.writes() && c.GuardOf(table) != client.GuardDeny
}

// Connected is the connection, made if it was not yet.
func (c Connection) Connected(ctx context.Context) (*dynamo.Connection, error) {
	if c.Connection != nil {
		return c.Connection, nil
	}
	return c.Dial(ctx)
}

// Style is that of the connection's name.
func (c Connection) Style() kit.Style {
	switch c.Colour {
	case "green":
		return kit.Good
	case "yellow":
		return kit.Warn
	case "red":
		return kit.Bad
	case "violet":
		return kit.Other
	case "blue":
		return kit.Accent
	}
	switch {
	case c.Production:
		return kit.Bad
	case c.writes() && c.Region() != Embedded:
		return kit.Warn
	}
	return kit.Good
}

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
	// Refresh is how often counters are read; zero takes the default.
	Refresh time.Duration
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

// Label is the three lines that say what a connection is.
func (c Connection) Label(n int) (string, kit.Style) {
	switch n {
	case 0:
		return c.Name(), kit.Heading
	case 1:
		return c.Where(), kit.Muted
	case 2:
		switch {
		case c.Production:
			return "PRODUCTION", kit.Bad | kit.Bold
		case c.Connection == nil:
			return "", kit.Muted
		case c.WritesTo(""):
			return "write", kit.Muted
		}
		return "read-only", kit.Muted
	}
	return "", kit.Muted
}
