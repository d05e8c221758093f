package reading

import (
	"cmp"
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/browse"
	"tallylock/dynamo/client"
	"tallylock/dynamo/schema"
	"tallylock/dynamo/verdict"
	"tallylock/ui/kit"
	"tallylock/ui/say"
	"tallylock/ui/screen"
	"tallylock/ui/task"
)

// Narrowing filters a list by problems and by the text that a person typed. A few rows are filtered
// at once. Of many rows, the first ones are filtered at once, and a task filters the rest.
type Narrowing struct {
	screen.Filter
	OnlyProblems bool

	narrowed
	left   left
	follow func() bool // selects a row that the task has not found yet; nil for none
}

// narrowed connects a Narrowing to its list.
type narrowed struct {
	reading *Reading
	on      Lister
	noun    string    // "accounts" or "locks"
	list    *kit.List // the Lister's list
	by      task.Kind // the kind of the task that filters many rows
}

// left holds the rows that pass the filter.
type left struct {
	of    version
	rows  Rows
	first bool // only the first rows were filtered so far
}

// version identifies filtered rows by their source and the filter.
type version struct {
	filled int // see tableRead.filled; a new reading of the table continues to count
	only   bool
	want   string
}

// atOnce limits the rows that are filtered before the screen answers a key.
const atOnce = 1_000

// Widen shows all rows again.
func (n *Narrowing) Widen() {
	n.reading.Tasks.Drop(n.by)
	*n = Narrowing{narrowed: n.narrowed}
}

// Rows returns the rows to list.
func (n *Narrowing) Rows() Rows {
	if n.left.of.want == "" {
		return n.Unfiltered()
	}
	return n.left.rows
}

// Unfiltered returns the rows before the filter by text.
func (n *Narrowing) Unfiltered() Rows {
	var rows arranged
	if b := n.reading.tableRead; b != nil {
		rows = b.rows[n.on]
	}
	switch {
	case rows.all == nil:
		return none{}
	case n.OnlyProblems:
		return rows.problems
	}
	return rows.all
}

// version returns the version of the current rows and filter.
func (n *Narrowing) version() version {
	v := version{only: n.OnlyProblems, want: n.Want()}
	if n.reading.tableRead != nil {
		v.filled = n.reading.tableRead.filled
	}
	return v
}

// Looking reports whether rows are still to be filtered. The list may then get more rows, or other
// ones.
func (n *Narrowing) Looking() bool {
	return n.left.first || n.left.of.want != "" && n.left.of != n.version()
}

// WhyPart says why the list is incomplete; empty if it is complete.
func (n *Narrowing) WhyPart() string {
	if n.Looking() {
		return "the rest is still being filtered"
	}
	return ""
}

// narrow filters the rows again. Then follow selects the row that was selected before. If the
// filter leaves that row out, narrow selects the first row.
func (n *Narrowing) narrow(follow func() bool) tea.Cmd {
	n.reading.Tasks.Drop(n.by)
	before, now, rows := n.left, n.version(), n.Unfiltered()
	wider := now
	wider.want = before.of.want
	if wider == before.of && wider.want != "" && !before.first && strings.HasPrefix(now.want, wider.want) {
		rows = before.rows // text was added: filter only the earlier result
	}
	n.left, n.follow = left{}, nil
	if now.want != "" {
		found, _ := rows.First(atOnce).Holding(context.Background(), now.want)
		n.left = left{now, found, rows.Len() > atOnce}
	}
	if !follow() {
		n.list.Put(0)
		if n.Looking() {
			n.list.Lost, n.follow = true, follow
		}
	}
	if !n.Looking() {
		return nil
	}
	return n.look(rows)
}

// keep remembers the selected row. The returned function selects that row again, and reports
// whether the list still has it.
func (n *Narrowing) keep() func() bool {
	list, rows := n.on.List()
	name := list.Selected(rows)
	return func() bool {
		_, rows := n.on.List()
		return name != "" && n.list.To(rows, name)
	}
}

// look filters many rows in a task.
func (n *Narrowing) look(rows Rows) tea.Cmd {
	of := n.version()
	return task.Start(n.reading.Tasks, n.by, func(ctx context.Context) (Rows, error) {
		return rows.Holding(ctx, of.want)
	}, func(found Rows, err error) tea.Cmd {
		if err != nil { // the program ends
			return nil
		}
		return n.found(left{of: of, rows: found})
	})
}

// found lists the rows that a task has found, and keeps the cursor on its row. If the rows or the filter have changed
// since, it filters again.
func (n *Narrowing) found(l left) tea.Cmd {
	follow := n.follow != nil && n.list.Lost // a person has not moved the cursor since the task began
	hold := n.on.Hold()
	n.left = l
	renewed := n.Renew()
	hold()
	sought := follow && !n.follow()
	if sought && !n.Looking() {
		n.list.Put(0)
	}
	if !sought || !n.Looking() {
		n.follow = nil
	}
	return renewed
}

// Renew implements Lister.
func (n *Narrowing) Renew() tea.Cmd {
	_, busy := n.reading.Tasks.Since(n.by)
	if n.left.of.want == "" || busy || n.left.of == n.version() {
		return nil // a running task calls Renew again when it is done
	}
	rows := n.Unfiltered()
	if rows.Len() > atOnce {
		return n.look(rows)
	}
	found, _ := rows.Holding(context.Background(), n.Want())
	n.left = left{of: n.version(), rows: found}
	return nil
}

// Narrowed implements Lister.
func (n *Narrowing) Narrowed() bool { return n.On() }

// ShowAll shows healthy rows, too. It reports whether only problems were shown.
func (n *Narrowing) ShowAll() (cmd tea.Cmd, were bool) {
	if !n.OnlyProblems {
		return nil, false
	}
	return n.Problems(), true
}

// Problems shows only problems, or all rows again. The cursor stays on its row.
func (n *Narrowing) Problems() tea.Cmd {
	follow := n.keep()
	n.OnlyProblems = !n.OnlyProblems
	return n.narrow(follow)
}

// All implements screen.Filtered.
func (n *Narrowing) All() bool {
	follow := n.keep()
	if !n.Clear() {
		return false
	}
	n.narrow(follow)
	return true
}

// Typed handles a key in the filter's field. The cursor stays on its row, or goes to the first row
// if the filter leaves its row out. A cursor on the first line stays there until all rows are shown
// again.
func (n *Narrowing) Typed(msg tea.Msg) tea.Cmd {
	_, rows := n.on.List()
	follow, first := n.keep(), n.list.Cursor == 0
	if !n.Filter.Typed(msg, n.list, rows) {
		return nil
	}
	switch {
	case n.list.Lost && n.follow != nil:
		follow = n.follow
	case first && n.Typing():
		follow = func() bool { n.list.Put(0); return true }
	}
	return n.narrow(follow)
}

// Rows are the rows of a list, arranged from a view of a table. They never change.
type Rows interface {
	// Len counts the rows, without the headings of groups.
	Len() int
	// First returns the first n rows of each kind.
	First(n int) Rows
	// Problems returns the rows with problems, in their order.
	Problems() Rows
	// Holding returns the rows that contain want, in their order.
	Holding(ctx context.Context, want string) (Rows, error)
}

// arranged holds the rows of a list: all of them, and only those with problems.
type arranged struct{ all, problems Rows }

// none are the rows before the first page.
type none struct{}

func (none) Len() int                                      { return 0 }
func (none) First(int) Rows                                { return none{} }
func (none) Problems() Rows                                { return none{} }
func (none) Holding(context.Context, string) (Rows, error) { return none{}, nil }

// Fitting returns the rows that fit. It returns early if the context ends.
func Fitting[T any](ctx context.Context, rows []T, fits func(T) bool) ([]T, error) {
	var out []T
	for n, row := range rows {
		if n%atOnce == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if fits(row) {
			out = append(out, row)
		}
	}
	return out, nil
}

// Holds reports whether the texts in a value's row contain want.
func Holds(r *verdict.Relation, want string) bool {
	if screen.Holds(want, r.Value, r.Shown(), r.Constraint.Name, r.Lock.Owner, say.Verdict(r.Verdict, false).Word) ||
		holdsKey(r.Lock.Key, want) {
		return true
	}
	for _, a := range [2]*schema.Account{r.Account, r.OwnerAccount} {
		if a != nil && holdsKey(a.Key, want) {
			return true
		}
	}
	return false
}

func holdsKey(k attr.Key, want string) bool {
	return screen.Holds(want, k.Hash.Value.Display(), k.Range.Value.Display())
}

// Lister is a screen that lists the rows.
type Lister interface {
	// Reset prepares the screen for another table.
	Reset()
	// Hold remembers the selected row before rows are read again. follow selects it again.
	Hold() (follow func())
	// Renew filters the rows that were read since the last filtering.
	Renew() tea.Cmd
	// List returns the current list, and its rows.
	List() (kit.List, kit.Source)
	// ShowAll lists all rows again if only problems are listed, and reports whether that was so.
	ShowAll() (cmd tea.Cmd, were bool)
	// Narrowed reports whether typed text filters the rows.
	Narrowed() bool
	// Arrange returns the function that makes the rows from a view, in the current order. The
	// function runs on another goroutine. sorted means that the rows are in the order of their keys.
	Arrange() func(v *browse.View, sorted bool) Rows
}

// listers are the screens that list the rows of a Reading.
type listers []Lister

// reset prepares the screens for another table.
func (all listers) reset() {
	for _, l := range all {
		l.Reset()
	}
}

// sought returns the addresses of the lock and the accounts of each selected row, and of the row below, which
// takes its place if a change removes it. lost reports whether some list has no selected row.
func (all listers) sought(table string) (at []client.Address, lost bool) {
	for _, l := range all {
		list, rows := l.List()
		values, ok := rows.(Values)
		if lost = lost || list.Lost; list.Lost || !ok {
			continue
		}
		for n := list.Cursor; n <= list.Cursor+1; n++ {
			at = append(at, addresses(table, values.Relation(n))...)
		}
	}
	return at, lost
}

// addresses returns the addresses of a relation's lock and of its account, or of the account that its lock names.
func addresses(table string, r *verdict.Relation) (at []client.Address) {
	if r == nil {
		return nil
	}
	if !r.Constraint.Lockless() && r.Lock.Key.Hash.Name != "" {
		at = append(at, client.Address{Table: r.Lock.Table, Key: r.Lock.Key})
	}
	if a := cmp.Or(r.Account, r.OwnerAccount); a != nil {
		at = append(at, client.Address{Table: table, Key: a.Key})
	}
	return at
}

// paging returns the function that makes a page from a view. The function runs on another
// goroutine.
func (all listers) paging(sorted bool) func(browse.View) page {
	arrange := map[Lister]func(*browse.View, bool) Rows{}
	for _, l := range all {
		arrange[l] = l.Arrange()
	}
	return func(v browse.View) page {
		p := page{view: v, rows: map[Lister]arranged{}, counts: count(&v)}
		for l, rows := range arrange {
			all := rows(&v, sorted)
			p.rows[l] = arranged{all, all.Problems()}
		}
		return p
	}
}

// ShowAll lists healthy rows again on all screens. It reports whether one of them listed only problems.
func (r *Reading) ShowAll() (cmd tea.Cmd, were bool) {
	var cmds []tea.Cmd
	for _, l := range r.lists {
		all, only := l.ShowAll()
		cmds, were = append(cmds, all), were || only
	}
	return tea.Batch(cmds...), were
}
