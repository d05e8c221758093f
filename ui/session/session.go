// Package session is what all screens share, each a type of its own: where one is, the
// window, what runs, messages, outages, changes made from here, and why something cannot be
// written. It draws nothing but a message, and knows no screen. Start reading at Session.
package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/change"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/layout/config"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/task"
	"tallylock/ui/words"
)

// Session is what all screens share. What needs only a part of it asks for that part.
type Session struct {
	Options Options
	// Program acts on a message of package message.
	Program func(message any) tea.Cmd

	Place
	Window
	Work
	Messages
	Outages
	Changes

	Denied map[Denial]bool // permissions that turned out to be missing
	Marks  Marks
	Asked  kit.History // the values that were looked for; kept for as long as the program runs
}

// New begins a session. The context bounds all that runs in it; program acts on what screens
// and dialogs ask for.
func New(ctx context.Context, o Options, program func(message any) tea.Cmd) *Session {
	o = o.Filled()
	s := &Session{Options: o, Program: program, Denied: map[Denial]bool{}}
	s.Connections = slices.Clone(o.Connections)
	for n, c := range s.Connections {
		if c.Dial != nil {
			s.Connections[n].Dial = dialOnce(c.Dial)
		}
	}
	s.Keys = o.Keys
	s.Now = time.Now
	s.Tasks = task.New(ctx, func() time.Time { return s.Now() })
	s.Messages.work, s.Outages.work = &s.Work, &s.Work
	s.Restyle(o.Theme != Light)
	return s
}

// Restyle makes the styles anew, for a dark or a light background.
func (s *Session) Restyle(dark bool) {
	d := s.Colours
	if s.Options.NoColour {
		d = kit.NoColour
	}
	s.Styles = kit.NewStyles(kit.Look{Dark: dark, Colours: d, ASCII: s.Options.ASCII, Theme: s.Options.Look})
}

// Send hands a message to the program, which acts on it at once.
func (s *Session) Send(message any) tea.Cmd { return s.Program(message) }

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
	Check setting.Options
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
	Write func(l config.Layout, note func(section, setting string) string) error
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

// WriteFile writes a file that nobody else may read: values of a table are in it. One that
// is there is replaced only where that is asked for, and always as a whole.
func WriteFile(path string, data []byte, replace bool) (err error) {
	old, missing := os.Lstat(path)
	switch {
	case !replace:
		taken, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return err
		}
		taken.Close()
	case missing == nil && !old.Mode().IsRegular():
		return &fs.PathError{Op: "replace", Path: path, Err: fmt.Errorf("it is no ordinary file")}
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".tallylock-*") // 0600
	if err == nil {
		_, err = f.Write(data)
		if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
			err = os.Rename(f.Name(), path)
		}
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}
	if err != nil && !replace {
		err = errors.Join(err, os.Remove(path))
	}
	return err
}

// Writable makes sure that WriteFile could replace a file now, and leaves nothing behind.
func Writable(path string) error {
	if old, err := os.Lstat(path); err == nil && !old.Mode().IsRegular() {
		return &fs.PathError{Op: "replace", Path: path, Err: fmt.Errorf("it is no ordinary file")}
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".tallylock-*")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// Work is what runs besides the keys, and the clock that it goes by.
type Work struct {
	Now   func() time.Time
	Tasks *task.Tasks
}

// The beat of what moves while something is awaited, and how long a wait may be
// before it has to show life.
const (
	Beat   = 80 * time.Millisecond
	unseen = 200 * time.Millisecond
)

// Trying is the task that tries to reach the endpoint again.
func (w *Work) Trying() task.Kind {
	for _, e := range [3]task.Kind{task.Opening, task.Polling, task.Paging} {
		if _, busy := w.Tasks.Since(e); busy {
			return e
		}
	}
	return task.Paging
}

// Phase is where the sliding stretch stands; −1 while a wait is too short to
// show anything.
func (w *Work) Phase(since time.Time) int {
	waited := w.Now().Sub(since)
	if waited < unseen {
		return -1
	}
	return int(waited / Beat)
}

// Working draws a short rule on which a stretch slides while a task is under
// way.
func (w *Work) Working(l *kit.Line, e task.Kind, width int) {
	since, busy := w.Tasks.Since(e)
	phase := -1
	if busy {
		phase = w.Phase(since)
	}
	if phase < 0 {
		l.Run(kit.Faint, kit.RuleThin, width)
		return
	}
	for n := range width {
		if kit.Slides(n, phase, width) {
			l.Run(kit.Accent, kit.RuleHeavy, 1)
		} else {
			l.Run(kit.Faint, kit.RuleThin, 1)
		}
	}
}

// Unseen is the error of changes that ended after the screen was gone.
type Unseen struct{ Receipts []change.Receipt }

func (u *Unseen) Error() string {
	var each []string
	for _, r := range u.Receipts {
		word := string(r.Outcome)
		if words.Stopped(r) {
			word = "stopped"
		}
		if r.ID != "" {
			word = fmt.Sprintf("%s (receipt %s, in the journal)", word, r.ID)
		}
		each = append(each, word)
	}
	return "a change was under way when the screen closed: " + strings.Join(each, "; ")
}
