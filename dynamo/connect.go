// Package dynamo connects to DynamoDB, and opens tables by their layouts. A Table knows its layout, its
// sample, what people have said of it, and the facts that verdicts rest on; it reads locks and accounts
// together at one moment. Start at Connect, then Table and Table.Facts.
//
// Packages below, which know no open table:
//   - attr, phrase, mistake and remedy: values and keys, and how messages are made
//   - layout and layout/config: the rules of a table, and these rules as TOML
//   - schema: a layout bound to its tables
//   - verdict: what a lock and its value are, by facts
//   - holders: who claims a lock, and what else holds its value
//   - guess: proposals of layouts and counters
//   - answers, client and scan: the file of answers, the connection, and whole tables
//
// Packages above, which ask an open table:
//   - find, browse and counter: one question each
//   - check: the whole table
//   - change: all writes
//   - export, doctor and demo: exports as tables, permissions, and sample tables
package dynamo

import (
	"context"
	"errors"
	"sync"

	"tallylock/dynamo/answers"
	"tallylock/dynamo/client"
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

// openAtOnce is how many tables are opened at the same time. All of them together take
// openAll times what one takes by itself.
const (
	openAtOnce = 8
	openAll    = 4
)

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
