// Package session holds the state that all screens share, in parts with a type each: connections
// and tabs, the window, tasks, messages, outages and recent changes. It also says why something
// cannot be written. It knows no screen. Start reading at Session.
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

// Session is the state that all screens share. Code that needs only a part of it takes that part.
type Session struct {
	Options Options
	// Program handles a message of package message.
	Program func(message any) tea.Cmd

	Place
	Window
	Work
	Messages
	Outages
	Changes

	Denied map[Denial]bool // permissions that DynamoDB denied
	Marks  Marks
	Asked  kit.History // the values that a person searched for, until the program ends
}

// New begins a session. ctx bounds all its tasks. program handles the messages that screens and
// dialogs send.
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

// Restyle rebuilds the styles for a dark or a light background.
func (s *Session) Restyle(dark bool) {
	d := s.Colours
	if s.Options.NoColour {
		d = kit.NoColour
	}
	s.Styles = kit.NewStyles(kit.Look{Dark: dark, Colours: d, ASCII: s.Options.ASCII, Theme: s.Options.Look})
}

// Send hands a message to the program, which handles it at once.
func (s *Session) Send(message any) tea.Cmd { return s.Program(message) }

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
	// Look holds the settings for colours besides Theme.
	Look kit.Theme
	// ASCII draws with plain characters only. Filled sets it if the locale is not UTF-8. NoColour
	// draws without colour. Filled sets it if the environment variable NO_COLOR has any value.
	ASCII, NoColour bool
	// Tip shows a line that says what to try first. It is set for the demo's tables.
	Tip bool
	// Refresh is the least time between two reads of the counters. PollUnits is the limit of read
	// units a minute for these reads on one connection: many counters are read less often. Zero
	// takes the default, for each of the two.
	Refresh   time.Duration
	PollUnits float64
	// Check holds the settings for checks of the findings screen.
	Check setting.Options
	// Config is the file that layouts can be written into; empty if there is none.
	Config ConfigFile
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
	if os.Getenv("NO_COLOR") != "" { // the library ignores some values
		o.NoColour = true
	}
	o.ASCII = o.ASCII || PlainLocale()
	return o
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

// minRefresh prevents a config that reads the counters without a pause.
const minRefresh = 200 * time.Millisecond

// Interval is the time between two reads, in the config file's form: "2s".
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

// ConfigFile is the user's config file, for writing a layout into it.
type ConfigFile struct {
	Path string
	// Write appends a layout to the file, with a note behind each line for which note returns one.
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

// DefaultRefresh is the default for the least time between two reads of the counters.
const DefaultRefresh = 2 * time.Second

// DefaultPollUnits is the default limit of read units a minute for polling on one connection. At
// one unit a counter, 8 counters are read every 4 s and 308 every 154 s. 20,000 read units last 2 h
// 46 min.
const DefaultPollUnits = 120

// WriteFile writes a file that only the user can read, since it contains values of a table. It
// replaces an existing file only if replace is set, and always as a whole.
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
	f, err := os.CreateTemp(filepath.Dir(path), ".tallylock-*") // CreateTemp uses mode 0600
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

// Writable checks that WriteFile could replace a file now, and leaves nothing behind.
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

// Work holds the running tasks, and the clock.
type Work struct {
	Now   func() time.Time
	Tasks *task.Tasks
}

// Beat is the time between two frames of an animation. A wait shorter than unseen shows no
// animation.
const (
	Beat   = 80 * time.Millisecond
	unseen = 200 * time.Millisecond
)

// Trying returns the running task that retries the endpoint.
func (w *Work) Trying() task.Kind {
	for _, e := range [3]task.Kind{task.Opening, task.Polling, task.Paging} {
		if _, busy := w.Tasks.Since(e); busy {
			return e
		}
	}
	return task.Paging
}

// Phase returns the frame of an animation that began at since; −1 while the wait is too short for
// an animation.
func (w *Work) Phase(since time.Time) int {
	waited := w.Now().Sub(since)
	if waited < unseen {
		return -1
	}
	return int(waited / Beat)
}

// Working draws a short rule. While a task runs, a bright stretch slides along it.
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

// Unseen is the error of changes that ended after the screen had closed.
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
