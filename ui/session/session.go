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
	"tallylock/ui/kit"
	"tallylock/ui/say"
	"tallylock/ui/task"
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
		word := say.OutcomeWord(r)
		if r.ID != "" {
			word = fmt.Sprintf("%s (receipt %s, in the journal)", word, r.ID)
		}
		each = append(each, word)
	}
	return "a change was under way when the screen closed: " + strings.Join(each, "; ")
}
