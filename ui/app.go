// Package ui is the inspector: a Bubble Tea program that shows accounts next to
// their locks, locks, and counters, and asks before it changes anything. Here is
// what holds its screens and dialogs together: which is on top, what keys do
// everywhere, the frame. It imports all of them, and knows no type of AWS. Start
// reading at Run, then at app.update for keys, and app.receive for what screens ask.
package ui

import (
	"context"
	"errors"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"tallylock/dynamo/change"
	"tallylock/keymap"
	"tallylock/ui/message"
	"tallylock/ui/screen/tables"
	"tallylock/ui/session"
)

// app is the program: what keys do everywhere, what screens ask for, and the frame around them.
type app struct {
	*screens

	frame        *frame
	watcher      *watcher
	tables       *tables.Screen // as it was opened last
	another      bool           // the table on its way is not the one that is looked at
	layoutUnseen bool           // the open table's layout is to be looked at first, and was not
	grace        time.Duration
	clicked      click // the last one
	animating    bool
}

func newApp(ctx context.Context, o session.Options) *app {
	a := &app{grace: 250 * time.Millisecond}
	a.screens = newScreens(session.New(ctx, o, func(m any) tea.Cmd { return a.receive(m) }))
	a.watcher = &watcher{screens: a.screens}
	a.frame = &frame{screens: a.screens, watcher: a.watcher, tip: o.Tip}
	return a
}

// start is the first thing to do.
func (a *app) start() tea.Cmd {
	if c := a.Connection(); c.NoJournal != nil && c.Write() {
		a.Complain("The journal cannot be kept, so nothing can be changed: " + a.Keys.Key(keymap.Journal) + " says why.")
	}
	if a.Options.Table == "" {
		return tea.Batch(a.tell(message.Started{}), a.showTables())
	}
	return tea.Batch(a.tell(message.Started{}), a.open(0, a.Options.Table))
}

// Model is the inspector as a Bubble Tea model. Close it when its program has
// ended.
type Model struct{ app *app }

// New makes the model. The context bounds everything that it does.
func New(ctx context.Context, o session.Options) (Model, error) {
	if len(o.Connections) == 0 || o.Connections[0].Connection == nil {
		return Model{}, errors.New("opening the inspector: no connection was given")
	}
	return Model{newApp(ctx, o)}, nil
}

// Init implements tea.Model.
func (m Model) Init() tea.Cmd {
	cmds := []tea.Cmd{m.app.start()}
	if m.app.Options.Theme == session.Auto {
		cmds = append(cmds, tea.RequestBackgroundColor)
	}
	return tea.Batch(append(cmds, m.app.animate())...)
}

// Update implements tea.Model.
func (m Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	cmd := m.app.update(msg)
	return m, tea.Batch(cmd, m.app.animate())
}

// View implements tea.Model.
func (m Model) View() tea.View { return m.app.frame.view() }

// Close ends what is still running and waits for it. It answers the receipts of
// changes whose outcome the screen could not show any more.
func (m Model) Close() []change.Receipt {
	m.app.Tasks.Close()
	if late := m.app.Unseen.Load(); late != nil {
		return *late
	}
	return nil
}

// frames is how often a second it is looked whether there is anything new to draw. That is
// all that a screen at rest costs: twice as often would be one part in a hundred of a core.
const frames = 30

// Run shows the inspector until the person leaves it, which is no error.
func Run(ctx context.Context, o session.Options, more ...tea.ProgramOption) error {
	m, err := New(ctx, o)
	if err != nil {
		return err
	}
	// Signals end the context, and that ends the program: a second handler would
	// wait for ever to tell a loop that has ended already.
	options := []tea.ProgramOption{
		tea.WithContext(ctx),
		tea.WithoutSignalHandler(),
		tea.WithFilter(coalesce()),
		tea.WithFPS(frames),
	}
	if m.app.Options.NoColour {
		options = append(options, tea.WithColorProfile(colorprofile.ASCII))
	}
	_, err = tea.NewProgram(m, append(options, more...)...).Run()
	if late := m.Close(); late != nil {
		return &session.Unseen{Receipts: late}
	}
	if err != nil && (errors.Is(err, tea.ErrInterrupted) || ctx.Err() != nil) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("the screen: %w", err)
	}
	return nil
}

// coalesce drops wheel events that come faster than anybody can read: a flood of
// them would scroll on long after the wheel has stopped.
func coalesce() func(tea.Model, tea.Msg) tea.Msg {
	var last time.Time
	return func(_ tea.Model, msg tea.Msg) tea.Msg {
		if _, wheel := msg.(tea.MouseWheelMsg); wheel {
			now := time.Now()
			if now.Sub(last) < 8*time.Millisecond {
				return nil
			}
			last = now
		}
		return msg
	}
}
