package main

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"

	"tallylock/dynamo"
	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/demo"
	"tallylock/ui"
	"tallylock/ui/session"
)

// running is the inspector with the demo, on a terminal in memory.
type running struct {
	term *vt.SafeEmulator
	stop func() error
}

// start starts the inspector, with sign-ups and orders if traffic is set.
func start(ctx context.Context, dir string, theme session.Theme, width, height int, traffic bool) (*running, error) {
	d, err := demo.New(ctx)
	if err != nil {
		return nil, err
	}
	conn, err := dynamo.Connect(ctx, d.Options())
	if err != nil {
		return nil, err
	}
	journal, err := journal.Open(filepath.Join(dir, "journal.jsonl"))
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	if traffic {
		go d.Traffic(ctx)
	}
	term := vt.NewSafeEmulator(width, height)
	// Without a tty, a line ends in a line feed without a carriage return.
	if _, err := term.Write([]byte("\x1b[20h")); err != nil {
		cancel()
		return nil, err
	}
	done := make(chan error, 1)
	go func() {
		done <- ui.Run(ctx, session.Options{
			Connections: []session.Connection{{Connection: conn, Changer: &change.Changer{Journal: journal, Who: "sam"}}},
			Table:       demo.Table, Theme: theme,
		}, tea.WithInput(term), tea.WithOutput(term), tea.WithoutSignals(), tea.WithWindowSize(width, height),
			tea.WithColorProfile(colorprofile.TrueColor), tea.WithEnvironment([]string{"TERM=xterm-256color"}))
	}()
	return &running{term, func() error {
		term.SendText("q")
		err := <-done
		cancel()
		return err
	}}, nil
}

// until waits until the screen matches an expression, and calls back every 100 ms.
func (r *running) until(ctx context.Context, text string, meanwhile func(time.Duration)) error {
	const every, ticks = 20 * time.Millisecond, 5
	wanted := regexp.MustCompile(text)
	tick := time.NewTicker(every)
	defer tick.Stop()
	for n := 1; ; n++ {
		if wanted.MatchString(ansi.Strip(r.term.Render())) {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%q never showed:\n%s", text, ansi.Strip(r.term.Render()))
		case <-tick.C:
			if n%ticks == 0 && meanwhile != nil {
				meanwhile(every * ticks)
			}
		}
	}
}
