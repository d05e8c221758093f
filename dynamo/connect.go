// Package dynamo connects to DynamoDB, and opens tables by their layouts. A Table knows its layout, its sample,
// people's answers about it, and the facts for verdicts. The package reads locks together with their accounts
// at one moment. Start at Connect, then Table and Table.Facts.
//
// These packages do not use Table:
//   - attr, phrase, mistake and remedy: values, keys, and the parts of messages
//   - durable: files that several processes write
//   - layout and layout/config: the rules of a table, and these rules as TOML
//   - schema: a layout bound to its tables
//   - verdict: the verdicts on locks and values, by facts
//   - holders: the accounts that claim a lock, and other items that hold its value
//   - guess: proposals of layouts and counters
//   - answers: people's answers about a table, and the open questions
//   - idtime: the time in an id
//   - client, scan and doctor: the connection, whole tables, and checks of permissions
//   - embedded: a small DynamoDB in the process
//
// These packages use Table:
//   - find, browse and counter: one question each
//   - check: the whole table
//   - change: all writes
//   - explain and adopt: the known past of a value, and the adoption of a unique rule
//   - export and demo: tables from exports, and sample tables
package dynamo

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"tallylock/dynamo/answers"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/mistake"
)

// Options are the settings of a Connection: its destination, and the layouts for its tables.
type Options struct {
	client.Options
	// Layouts are the config's layouts. Layout names the layout or preset for all tables. If Layout is empty,
	// each table gets the layout that fits it.
	Layouts []config.Layout
	Layout  string
	// ReadLayouts reads the config's layouts again. If it is nil, Layouts never change.
	ReadLayouts func() ([]config.Layout, error)
	// Partial is set if the endpoint has only some items of each table. Then a missing item is no evidence against
	// a layout.
	Partial bool
	// Asked is set if a person has named the table. Then a sample of the table may be read even if
	// AutoReadUnits is 0.
	Asked bool
	// Answers is the path of the file with people's answers about tables. If the path is empty, no answers are
	// stored. If ConfigAnswers is set, that file is ignored, and only the answers in the config count.
	Answers       string
	ConfigAnswers bool
	// AnswersReadOnly says why nobody can store an answer through this connection; empty if people can. The stored
	// answers count.
	AnswersReadOnly string
	// Place has the command-line arguments that select this connection in a ui command. The commands in remedies
	// contain these arguments.
	Place []string
}

// Connection is a client with the layouts of its tables. It is safe for
// concurrent use.
type Connection struct {
	*client.Client
	options Options
	// Answers stores people's answers about the tables.
	Answers *answers.Store
	others  otherSamples

	mu      sync.Mutex
	sampled map[string]sampled
}

// Connect makes a connection. It sends no request, except to find credentials. If the options name an unknown
// layout, it returns an error of the kind client.Usage.
func Connect(ctx context.Context, o Options) (*Connection, error) {
	if err := o.checkLayout(); err != nil {
		return nil, err
	}
	c, err := client.Connect(ctx, o.Options)
	if err != nil {
		return nil, err
	}
	conn := &Connection{Client: c, options: o, Answers: o.store()}
	conn.readLockTables()
	return conn, nil
}

// readLockTables allows a connection with Options.Tables to read also the lock tables of these tables, by the current
// layouts. People accept layouts and change the config while the connection is open.
func (c *Connection) readLockTables() {
	if c.options.Tables != nil {
		c.ReadBeside(c.options.lockTables(c.options.Tables, c.Answers))
	}
}

// store opens the answers.
func (o Options) store() *answers.Store {
	store := answers.Open(o.Answers)
	switch {
	case o.ConfigAnswers:
		store = answers.Nowhere(`answers = "config" allows only the config's answers on this connection`)
	case o.Answers == "":
		store = answers.Nowhere("there is no file for answers")
	}
	if o.AnswersReadOnly != "" {
		store.SetReadOnly(o.AnswersReadOnly)
	}
	return store
}

// Share returns a connection for one of several people. It has the layouts, the answers, the credentials and the
// network of c, and a budget of its own. It may also read the lock tables that the config's layouts name for the
// person's tables. An accepted layout adds no lock tables, because people must not give themselves access to tables.
// answersReadOnly says why the person cannot store answers; empty if the person can.
func (c *Connection) Share(s client.Share, answersReadOnly string) *Connection {
	if s.Tables != nil {
		s.Beside = append(s.Beside, c.LockTables(s.Tables)...)
	}
	o := c.options
	o.AnswersReadOnly = cmp.Or(answersReadOnly, o.AnswersReadOnly)
	return &Connection{Client: c.Client.Share(s), options: o, Answers: o.store()}
}

// LockTables lists the lock tables that the config's layouts name for tables. It uses the config from the time of
// Connect.
func (c *Connection) LockTables(of []string) []string {
	o := c.options
	o.ReadLayouts = nil
	return o.lockTables(of, nil)
}

// lockTables lists the lock tables of these tables: those of the described layouts, and those of the layouts that
// people accepted in store. If store is nil, only the described layouts count.
func (o Options) lockTables(of []string, store *answers.Store) (locks []string) {
	layouts := slices.Clone(o.Layouts)
	if o.ReadLayouts != nil {
		if fresh, err := o.ReadLayouts(); err == nil {
			layouts = slices.Clone(fresh)
		}
	}
	if store != nil {
		accepted, _, _ := store.All() // without answers, only described layouts count
		for _, e := range accepted {
			if l, err := e.Config(); e.Accepts() && err == nil {
				l.Name, l.Tables = "", []string{e.Tables[0].Name}
				layouts = append(layouts, l)
			}
		}
	}
	for _, l := range layouts {
		all := l.Name != "" && l.Name == o.Layout
		named := func(table string) bool { // of may have the name or the ARN of a table
			return slices.ContainsFunc(of, func(name string) bool { return name == table || client.BareName(name) == table })
		}
		if !all && !slices.ContainsFunc(l.Tables, named) {
			continue
		}
		for _, a := range l.Accounts {
			for _, constraint := range a.Constraints {
				if constraint.Table != "" {
					locks = append(locks, constraint.Table)
				}
			}
		}
	}
	return locks
}

// identity returns the identity of a table. A table that was deleted and created again under the same name gets
// a different ID. The ID is empty if the endpoint gives neither an ID nor a time of creation.
func (c *Connection) identity(d client.Description) answers.Table {
	id := d.ID
	if id == "" && !d.Created.IsZero() {
		id = strings.Join([]string{c.Endpoint(), d.Region, d.Account, d.Created.UTC().Format(time.RFC3339Nano)}, " ")
	}
	return answers.Table{Name: d.Name, ID: id}
}

// Place returns the command-line arguments that select this connection in a ui command.
func (c *Connection) Place() []string { return c.options.Place }

// OpenAll opens at most openAtOnce tables at the same time. All tables together may use openAll times the read
// units of one table.
const (
	openAtOnce = 8
	openAll    = 4
)

// meant adds a hint to err, the error for a missing table called name. The hint is the existing table name that
// a person probably wanted to type. Without permission to list tables, meant returns err unchanged.
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
