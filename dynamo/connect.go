// Package dynamo is what a DynamoDB table holds, in the words of its domain: accounts,
// the locks that keep their values, and counters; how they relate, and what proves it.
// It opens tables, finds values, browses and judges; client reads for it, and layout
// says which items are what. It imports those, attr and phrase; not scan, check or change.
// Start at Connect and Open, then Relation (what is shown) and judge.go (what is so).
package dynamo

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"tallylock/dynamo/answers"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/mistake"
)

// Options say which tables a Connection reaches, and by which layouts it reads them.
type Options struct {
	client.Options
	// Layouts are the config's own. Layout names the one to use, or a preset; empty:
	// the one that fits.
	Layouts []config.Layout
	Layout  string
	// ReadLayouts reads Layouts again. If it is nil, they never change.
	ReadLayouts func() ([]config.Layout, error)
	// Asked: a person has named the table, so that reading a sample of it is not unasked
	// even where AutoReadUnits allows nothing.
	Asked bool
	// Answers is the file of what people have said of tables; empty: nothing is stored.
	// ConfigAnswers: only the config answers.
	Answers       string
	ConfigAnswers bool
	// Place is how a command of ui names this connection: remedies carry it.
	Place []string
}

// Connection is a client with the layouts that its tables are read by. It is safe for
// concurrent use.
type Connection struct {
	*client.Client
	options Options
	answers *answers.Store // nil if there is no place for one
	others  otherSamples

	mu      sync.Mutex
	sampled map[string]sampled
	// unreadable says why stored answers are ignored, until somebody has taken it.
	unreadable     string
	unreadableSaid bool
}

// described returns the layout that the config has by now for a table, and a hash of it; nil and empty if
// the config has none.
func (c *Connection) described(name string) (_ *layout.Layout, hash string, err error) {
	all := c.options.Layouts
	if c.options.ReadLayouts != nil {
		if all, err = c.options.ReadLayouts(); err != nil {
			return nil, "", err
		}
	}
	for _, cfg := range all {
		if cfg.Name == c.options.Layout || (c.options.Layout == "" && slices.Contains(cfg.Tables, name)) {
			l, err := cfg.Build()
			if err != nil {
				return nil, "", err
			}
			return l, describedHash(l), nil
		}
	}
	return nil, "", nil
}

// describedHash is a hash of all that a layout says, the answers included. Its name, its tables and what
// it ignores change nothing.
func describedHash(l *layout.Layout) string {
	c := config.Of(l)
	c.Name, c.Tables, c.Ignore = "", nil, nil
	return config.HashSettings(c)
}

// Connect makes a connection. It sends nothing but what finding credentials takes. The
// name of a layout that does not exist is an error (client.Usage).
func Connect(ctx context.Context, o Options) (*Connection, error) {
	if err := o.checkLayout(); err != nil {
		return nil, err
	}
	c, err := client.Connect(ctx, o.Options)
	if err != nil {
		return nil, err
	}
	conn := &Connection{Client: c, options: o}
	if o.Answers != "" {
		conn.answers = answers.Open(o.Answers)
	}
	return conn, nil
}

// Place is how a command of ui names this connection.
func (c *Connection) Place() []string { return c.options.Place }

// LayoutNamed is the layout or preset that somebody has named for all tables; empty where
// each table's is found.
func (c *Connection) LayoutNamed() string { return c.options.Layout }

// checkLayout refuses the name of a layout that there is none of.
func (o Options) checkLayout() error {
	if o.Layout == "" || slices.ContainsFunc(o.Layouts, func(c config.Layout) bool { return c.Name == o.Layout }) {
		return nil
	}
	presets, err := config.Presets()
	if err != nil {
		return err
	}
	var names []string
	for _, p := range presets {
		if p.Name == o.Layout {
			return nil
		}
		names = append(names, p.Name)
	}
	return &client.Error{
		Kind: client.Usage,
		Op:   "choosing the layout " + o.Layout,
		Why:  "there is neither a layout nor a preset of that name" + mistake.Meant(o.Layout, names...),
		Do:   "use one of: " + strings.Join(names, ", "),
	}
}

// Opened is a table of a connection, or why it could not be opened.
type Opened struct {
	Name  string
	Table *Table // nil where Err is not
	Err   error
}

// openAtOnce is how many tables are opened at the same time. All of them together take
// openAll times what one takes by itself.
const (
	openAtOnce = 8
	openAll    = 4
)

// sampled is a table that OpenAll has opened, by what people had said of it then.
type sampled struct {
	table *Table
	said  string
}

// Resample has OpenAll sample each table again.
func (c *Connection) Resample() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sampled = nil
}

// openSampled opens a table for OpenAll. The sample of a table serves for the whole session, unless
// the table was created again, or people or the config say something new of it.
func (c *Connection) openSampled(ctx context.Context, name string, budget float64) (*Table, error) {
	c.mu.Lock()
	before := c.sampled[name]
	c.mu.Unlock()
	if t := before.table; t != nil {
		d, err := c.Describe(ctx, name)
		if err != nil {
			return t, err
		}
		said, err := t.Statements()
		if err == nil && said == before.said && c.identity(d) == c.identity(t.Description) {
			return t, nil
		}
	}
	t, err := c.open(ctx, name, budget, false)
	if err != nil || t.Sample.unread != nil {
		return t, err
	}
	if said, err := t.Statements(); err == nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.sampled == nil {
			c.sampled = map[string]sampled{}
		}
		c.sampled[name] = sampled{t, said}
	}
	return t, nil
}

// OpenAll opens every table of the connection, in the order of their names. A table that it has
// opened before costs no read units.
// each is called as soon as one is open, from any goroutine; it may be nil. Only
// a connection that cannot list its tables is an error.
func (c *Connection) OpenAll(ctx context.Context, each func(Opened)) ([]Opened, error) {
	names, err := c.TableNames(ctx)
	if err != nil {
		return nil, err
	}
	all := make([]Opened, len(names))
	budget := min(OpenUnits, c.sampleUnits()*openAll/float64(max(len(names), 1)))
	var g errgroup.Group
	g.SetLimit(openAtOnce)
	for n, name := range names {
		g.Go(func() error {
			t, err := c.openSampled(ctx, name, budget)
			all[n] = Opened{Name: name, Table: t, Err: err}
			if each != nil {
				each(all[n])
			}
			return nil
		})
	}
	return all, g.Wait()
}

// meant asks for the table that was meant by one that there is not, if tables may be listed.
func (c *Connection) meant(ctx context.Context, name string, err error) error {
	known, ok := errors.AsType[*client.Error](err)
	names, unlisted := c.TableNames(ctx)
	if !ok || unlisted != nil {
		return err
	}
	asks := *known
	asks.Why += mistake.Meant(name, names...)
	return &asks
}
