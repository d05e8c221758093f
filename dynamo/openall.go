package dynamo

import (
	"context"

	"golang.org/x/sync/errgroup"
)

// Opened is a table of a connection, or the error that opening it returned.
type Opened struct {
	Name  string
	Table *Table // valid only if Err is nil
	Err   error
}

// sampled is a table that OpenAll has opened. said is the hash of people's answers at that time.
type sampled struct {
	table *Table
	said  string
}

// Resample makes the next OpenAll read new samples of all tables.
func (c *Connection) Resample() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sampled = nil
}

// openSampled opens a table for OpenAll. If OpenAll has opened the table before, openSampled returns that open
// table, without reading items. But it opens the table again if another table has taken its name, or if the
// answers or the config have changed.
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

// OpenAll opens every table of the connection, several at the same time. The result has the order of the table
// names. If a table cannot be opened, its Opened has the error. A table that OpenAll has opened before costs no
// read units. The callback named each gets a table as soon as the table is open, from any goroutine. This
// callback may be nil. OpenAll returns an error only if the connection cannot list its tables.
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
