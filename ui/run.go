// Package ui is the inspector: a Bubble Tea program that shows accounts next to
// their locks, locks, and counters, and asks before it changes anything. It
// knows no type of AWS.
package ui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"tallylock/dynamo"
	"tallylock/dynamo/change"
	"tallylock/dynamo/check"
	"tallylock/dynamo/client"
	"tallylock/keymap"
	"tallylock/ui/kit"
)

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

// writesTo reports whether changes of a table can be made here.
func (c Connection) writesTo(table string) bool {
	return c.writes() && c.GuardOf(table) != client.GuardDeny
}

// dialled is the connection, made if it was not yet.
func (c Connection) dialled(ctx context.Context) (*dynamo.Connection, error) {
	if c.Connection != nil {
		return c.Connection, nil
	}
	return c.Dial(ctx)
}

// colour is that of the connection's name.
func (c Connection) colour() kit.Style {
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
	case c.writes() && c.Region() != embedded:
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
	// ASCII draws with plain characters only. NoColour draws without colour; it
	// is set, too, by any value of the environment variable NO_COLOR.
	ASCII, NoColour bool
	// Refresh is how often counters are read; zero takes the default.
	Refresh time.Duration
	// Check says how the findings screen checks a table.
	Check check.Options
}

func (o Options) filled() Options {
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
	return o
}

// Model is the inspector as a Bubble Tea model. Close it when its program has
// ended.
type Model struct{ *app }

// New makes the model. The context bounds everything that it does.
func New(ctx context.Context, o Options) (Model, error) {
	if len(o.Connections) == 0 || o.Connections[0].Connection == nil {
		return Model{}, errors.New("opening the inspector: no connection was given")
	}
	return Model{newApp(ctx, o)}, nil
}

// Init implements tea.Model.
func (m Model) Init() tea.Cmd {
	cmds := []tea.Cmd{m.begin()}
	if m.opts.Theme == Auto {
		cmds = append(cmds, tea.RequestBackgroundColor)
	}
	return tea.Batch(append(cmds, m.animate())...)
}

// Update implements tea.Model.
func (m Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	cmd := m.update(msg)
	return m, tea.Batch(cmd, m.animate())
}

// View implements tea.Model.
func (m Model) View() tea.View { return m.view() }

// Close ends what is still running and waits for it. It answers the receipts of
// changes whose outcome the screen could not show any more.
func (m Model) Close() []change.Receipt {
	m.tasks.Close()
	if late := m.unseen.Load(); late != nil {
		return *late
	}
	return nil
}

// Unseen is the error of changes that ended after the screen was gone.
type Unseen struct{ Receipts []change.Receipt }

func (u *Unseen) Error() string {
	var each []string
	for _, r := range u.Receipts {
		word := string(r.Outcome)
		if stopped(r) {
			word = "stopped"
		}
		each = append(each, fmt.Sprintf("%s (receipt %s, in the journal)", word, r.ID))
	}
	return "a change was under way when the screen closed: " + strings.Join(each, "; ")
}

// Run shows the inspector until the person leaves it, which is no error.
func Run(ctx context.Context, o Options, more ...tea.ProgramOption) error {
	m, err := New(ctx, o)
	if err != nil {
		return err
	}
	// Signals end the context, and that ends the program: a second handler would
	// wait for ever to tell a loop that has ended already.
	options := []tea.ProgramOption{tea.WithContext(ctx), tea.WithoutSignalHandler(), tea.WithFilter(coalesce())}
	if m.opts.NoColour {
		options = append(options, tea.WithColorProfile(colorprofile.ASCII))
	}
	_, err = tea.NewProgram(m, append(options, more...)...).Run()
	if late := m.Close(); late != nil {
		return &Unseen{late}
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
