// Package ui is the inspector: a Bubble Tea program that shows accounts with
// their locks, locks with their accounts, and counters. It asks before it changes
// anything. This package holds the screens and dialogs together: it keeps the stack
// of screens, handles the keys that work everywhere, and draws the frame. It imports
// all screens and dialogs, and no AWS package. Start reading at Run. app.update
// handles keys, and app.receive handles the requests of screens.
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
	"tallylock/ui/session"
)

// app is the program: it handles keys and the requests of screens, and draws the frame around the screens.
type app struct {
	*screens

	frame        *frame
	watcher      *watcher
	layoutUnseen bool // the person has not seen the open table's layout yet, but should
	grace        time.Duration
	clicked      click // the last click on a row
	animating    bool
	ending       bool // the program ends as soon as no change is running
}

func newApp(ctx context.Context, o session.Options) *app {
	a := &app{grace: 250 * time.Millisecond}
	a.screens = newScreens(session.New(ctx, o, func(m any) tea.Cmd { return a.receive(m) }), a)
	a.watcher = &watcher{screens: a.screens}
	a.frame = &frame{screens: a.screens, watcher: a.watcher, tip: o.Tip}
	return a
}

// start opens the table of the options, or else shows the choice of tables.
func (a *app) start() tea.Cmd {
	if c := a.Connection(); c.NoJournal != nil && c.Write() {
		a.Complain("Changes are off, because the journal cannot be written: " + a.Keys.Key(keymap.Journal) + " shows why.")
	}
	if a.Options.Table == "" {
		return tea.Batch(a.tell(message.Started{}), a.showTables())
	}
	return tea.Batch(a.tell(message.Started{}), a.open(0, a.Options.Table, a.Tab))
}

// Model is the inspector as a Bubble Tea model. Close it after its program has
// ended.
type Model struct{ app *app }

// New returns a model. Its tasks end with the context, except a change in a session of a server: see Finish.
func New(ctx context.Context, o session.Options) (Model, error) {
	if len(o.Connections) == 0 || o.Connections[0].Connection == nil {
		return Model{}, errors.New("opening the inspector: no connection was given")
	}
	if err := o.CheckGuest(); err != nil {
		return Model{}, err
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
	if m.app.ending && !m.app.changing() {
		return m, tea.Quit
	}
	return m, tea.Batch(cmd, m.app.readAhead(false), m.app.animate())
}

// View implements tea.Model.
func (m Model) View() tea.View { return m.app.frame.view() }

// Close cancels the running tasks and waits for them. It returns the receipts of
// changes that ended too late for the screen to show their outcome.
func (m Model) Close() []change.Receipt {
	m.app.Tasks.Close()
	if late := m.app.Unreported.Load(); late != nil {
		return *late
	}
	return nil
}

// Finish is Close for a session of a server that was closed or cut. A running change ends first. If ctx ends before the
// change does, the change is stopped. A stopped release removes its mark. Finish returns the receipts of the changes
// that ended too late for the screen.
func (m Model) Finish(ctx context.Context) []change.Receipt {
	defer context.AfterFunc(ctx, m.app.Tasks.Halt)()
	return m.Close()
}

// frames is the rate, per second, at which Bubble Tea checks for something new to draw. An idle screen costs nothing
// else: 24 checks per second take 0.4 percent of a core of a small virtual machine, and 60 take one percent.
const frames = 24

// Run shows the inspector until a person quits it. It returns nil then.
func Run(ctx context.Context, o session.Options, more ...tea.ProgramOption) error {
	p, err := NewProgram(ctx, o, more...)
	if err != nil {
		return err
	}
	return p.Run()
}

// Program is the inspector with its Bubble Tea program.
type Program struct {
	*tea.Program
	model Model
	ctx   context.Context //nolint:containedctx // the lifetime of the program
}

// NewProgram returns the inspector. It ends with the context.
func NewProgram(ctx context.Context, o session.Options, more ...tea.ProgramOption) (*Program, error) {
	m, err := New(ctx, o)
	if err != nil {
		return nil, err
	}
	// Signals end the context, and the context ends the program. Bubble Tea's own signal handler
	// would wait forever to send a message to a loop that has ended already.
	options := []tea.ProgramOption{
		tea.WithContext(ctx),
		tea.WithoutSignalHandler(),
		tea.WithFilter(coalesce()),
		tea.WithFPS(frames),
	}
	if m.app.Options.NoColour {
		options = append(options, tea.WithColorProfile(colorprofile.ASCII))
	}
	return &Program{tea.NewProgram(m, append(options, more...)...), m, ctx}, nil
}

// Run shows the inspector until a person quits it, or until End. It returns nil then.
func (p *Program) Run() error {
	_, err := p.Program.Run()
	if late := p.model.Finish(p.ctx); late != nil {
		return &session.Unreported{Receipts: late}
	}
	if err != nil && (errors.Is(err, tea.ErrInterrupted) || p.ctx.Err() != nil) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("the screen: %w", err)
	}
	return nil
}

// End ends the inspector from outside. A running change ends first, and Run returns its receipts. After a call of End,
// keys have no effect.
func (p *Program) End() { p.Send(ending{}) }

// ending is the message of End.
type ending struct{}

// coalesce drops wheel events that follow each other within 8 ms. Otherwise many events would continue to scroll long
// after the wheel has stopped.
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
