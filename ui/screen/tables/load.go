package tables

import (
	"context"
	"slices"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/ui/kit"
	"tallylock/ui/screen"
	"tallylock/ui/task"
)

// catalogue holds the tables of one connection. names is nil until the connection is listed.
type catalogue struct {
	names  []string
	opened map[string]dynamo.Opened
	err    error
}

// catalogues holds the tables of all connections.
type catalogues []catalogue

// failed reports whether listing the tables failed for some connection.
func (all catalogues) failed() bool {
	return slices.ContainsFunc(all, func(c catalogue) bool { return c.err != nil })
}

// unlisted reports whether listing the tables failed for every connection.
func (all catalogues) unlisted() bool {
	return !slices.ContainsFunc(all, func(c catalogue) bool { return c.err == nil })
}

// listing reports whether some connection is still being listed.
func (all catalogues) listing() bool {
	return slices.ContainsFunc(all, func(c catalogue) bool { return c.names == nil && c.err == nil })
}

// recent is the greatest age of a list of tables that is shown again.
const recent = 5 * time.Minute

// show shows an empty field. It lists the tables, unless an earlier list is recent and complete. offers returns the
// commands that can be typed now.
func (s *Screen) show(offers func() []screen.Typed) tea.Cmd {
	_, busy := s.Tasks.Since(task.Listing)
	whole := (busy || s.done && !s.of.failed()) && len(s.of) == len(s.Connections)
	s.offers, s.again = offers, !s.began.IsZero()
	s.put("")
	if whole && s.Now().Sub(s.began) <= recent {
		return nil
	}
	return s.listTables()
}

// listTables lists the tables of all connections: first their names, then the layout of each.
func (s *Screen) listTables() tea.Cmd {
	s.of, s.began, s.done = make(catalogues, len(s.Connections)), s.Now(), false
	s.look()
	conns := slices.Clone(s.Connections) // listed sets the session's own connections in the meantime
	var mu sync.Mutex
	var waiting []func() // all results that are not on the screen yet, since a report may be dropped
	take := func() {
		mu.Lock()
		all := waiting
		waiting = nil
		mu.Unlock()
		for _, happened := range all {
			happened()
		}
	}
	return task.Stream(s.Tasks, task.Listing, func(ctx context.Context, more func(struct{})) (struct{}, error) {
		report := func(happened func()) {
			mu.Lock()
			waiting = append(waiting, happened)
			mu.Unlock()
			more(struct{}{})
		}
		var wg sync.WaitGroup
		for n, c := range conns {
			wg.Go(func() {
				var names []string
				conn, err := c.Connected(ctx)
				if err == nil {
					names, err = conn.TableNames(ctx)
				}
				report(func() { s.listed(n, conn, names, err) })
				if err == nil {
					_, _ = conn.OpenAll(ctx, func(o dynamo.Opened) { report(func() { s.of[n].opened[o.Name] = o }) })
				}
			})
		}
		wg.Wait()
		return struct{}{}, ctx.Err()
	}, func(struct{}) { take() }, func(_ struct{}, err error) tea.Cmd {
		take()
		s.done = err == nil
		return nil
	})
}

// listed takes the names of a connection's tables, or the error of listing them.
func (s *Screen) listed(n int, conn *dynamo.Connection, names []string, err error) {
	s.of[n] = catalogue{names: names, opened: map[string]dynamo.Opened{}, err: err}
	s.look()
	s.stay()
	if s.Connections[n].Connection == nil {
		s.Connections[n].Connection = conn
	}
}

// stay keeps the cursor on the line that the person moved to, or else on the preferred or the first line, while
// connections are still being listed.
func (s *Screen) stay() {
	is := s.kept.same
	if !s.kept.choosable() {
		is = s.preferred
	}
	s.cursor = kit.List{Height: s.cursor.Height, Cursor: max(slices.IndexFunc(s.lines().lines, is), 0)}
}

// Refresh implements screen.Refresher: the commands may offer other arguments now.
func (s *Screen) Refresh() tea.Cmd {
	s.look()
	s.stay()
	return nil
}

// ShowTablesOf implements screen.TablesOf.
func (s *Screen) ShowTablesOf(on int, table string) tea.Cmd {
	s.put(connectionWord + " " + s.Connections[on].Name())
	s.kept = line{conn: on, table: table}
	return s.listTables()
}

// lookAgain lists the tables again, and reads new samples.
func (s *Screen) lookAgain() tea.Cmd {
	for _, c := range s.Connections {
		if c.Connection != nil {
			c.Resample()
		}
	}
	s.again = false
	return s.listTables()
}
