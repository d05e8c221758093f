package reading

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/browse"
	"tallylock/dynamo/schema"
	"tallylock/dynamo/verdict"
	"tallylock/ui/kit"
	"tallylock/ui/message"
	"tallylock/ui/screen"
	"tallylock/ui/task"
	"tallylock/ui/words"
)

// Narrowing is what a list leaves out of what was read: what is no problem, and what does not
// hold the letters that somebody typed. Few rows are looked through at once. Of many those that
// come first are listed at once, and the rest is looked through by a task.
type Narrowing struct {
	screen.Filter
	OnlyProblems bool

	narrowed
	left   left
	follow func() bool // selects the row that the task has yet to find; nil: none
}

// narrowed is the list that a Narrowing is of.
type narrowed struct {
	reading *Reading
	on      Lister
	list    *kit.List // the Lister's own
	by      task.Kind // the task that looks through many rows
}

// left is what letters leave of rows.
type left struct {
	of    version
	rows  Rows
	first bool // only those that come first were looked through
}

// version tells which rows were looked through, and for what.
type version struct {
	filled int // as that of the pass, which goes on where the table is read again
	only   bool
	want   string
}

// atOnce is how many rows are looked through before a key is answered.
const atOnce = 1_000

// Widen leaves all rows again.
func (n *Narrowing) Widen() {
	n.reading.Tasks.Drop(n.by)
	*n = Narrowing{narrowed: n.narrowed}
}

// Rows are those to list.
func (n *Narrowing) Rows() Rows {
	if n.left.of.want == "" {
		return n.all()
	}
	return n.left.rows
}

// all are the rows before letters leave any out.
func (n *Narrowing) all() Rows {
	var rows Arranged
	if b := n.reading.pass; b != nil {
		rows = b.rows[n.on]
	}
	switch {
	case rows.All == nil:
		return none{}
	case n.OnlyProblems:
		return rows.Problems
	}
	return rows.All
}

// version is that of the rows now.
func (n *Narrowing) version() version {
	v := version{only: n.OnlyProblems, want: n.Want()}
	if n.reading.pass != nil {
		v.filled = n.reading.pass.filled
	}
	return v
}

// Looking reports whether rows are still to be looked through: more may be listed, or others.
func (n *Narrowing) Looking() bool {
	return n.left.first || n.left.of.want != "" && n.left.of != n.version()
}

// WhyPart says why not all rows are listed that hold the letters; empty where they are.
func (n *Narrowing) WhyPart() string {
	if n.Looking() {
		return "the rest is still being looked through"
	}
	return ""
}

// narrow lists what is left now, and has follow select a row again. Where it is left out, the
// first one is selected: it is the person who left it out.
func (n *Narrowing) narrow(follow func() bool) tea.Cmd {
	n.reading.Tasks.Drop(n.by)
	before, now, rows := n.left, n.version(), n.all()
	wider := now
	wider.want = before.of.want
	if wider == before.of && wider.want != "" && !before.first && strings.HasPrefix(now.want, wider.want) {
		rows = before.rows // letters were added
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

// keep remembers what is selected before rows are left out, or listed again. What it returns
// selects it again, and reports whether it is listed.
func (n *Narrowing) keep() func() bool {
	list, rows := n.on.List()
	name := list.Selected(rows)
	return func() bool {
		_, rows := n.on.List()
		return name != "" && n.list.To(rows, name)
	}
}

// look looks through many rows.
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

// found lists what a task has found. What is listed already stays where it is, also where
// fewer rows that were read meanwhile are looked through at once.
func (n *Narrowing) found(l left) tea.Cmd {
	follow := n.follow != nil && n.list.Lost // nobody has moved the cursor since
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
	return tea.Batch(renewed, n.reading.Send(message.ReadAhead{}))
}

// Renew implements Lister.
func (n *Narrowing) Renew() tea.Cmd {
	_, busy := n.reading.Tasks.Since(n.by)
	if n.left.of.want == "" || busy || n.left.of == n.version() {
		return nil // a task that is under way looks again when it is done
	}
	rows := n.all()
	if rows.Len() > atOnce {
		return n.look(rows)
	}
	found, _ := rows.Holding(context.Background(), n.Want())
	n.left = left{of: n.version(), rows: found}
	return nil
}

// Narrowed implements Lister.
func (n *Narrowing) Narrowed() bool { return n.On() }

// ShowAll ends showing only problems, and reports whether they were.
func (n *Narrowing) ShowAll() (cmd tea.Cmd, were bool) {
	if !n.OnlyProblems {
		return nil, false
	}
	return n.Problems(), true
}

// Problems leaves only problems, or shows all again. The cursor stays on its row.
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

// Typed takes a key of the filter's field in. The cursor stays on its row, or goes to the first;
// at the first it stays there, whichever that is, until all rows are shown again.
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
	return tea.Batch(n.narrow(follow), n.reading.Send(message.ReadAhead{}))
}

// Rows are the rows of a list, made of what is known of a table. Once made they stay as they
// are.
type Rows interface {
	// Len is how many there are; heads of groups are none.
	Len() int
	// First are the first n of each kind.
	First(n int) Rows
	// Holding are those that hold the letters, in their order.
	Holding(ctx context.Context, want string) (Rows, error)
}

// Arranged are the rows of a list: all of them, and those that are problems.
type Arranged struct{ All, Problems Rows }

// none are the rows before any have been read.
type none struct{}

func (none) Len() int                                      { return 0 }
func (none) First(int) Rows                                { return none{} }
func (none) Holding(context.Context, string) (Rows, error) { return none{}, nil }

// Each does something with each of many rows, until the context ends.
func Each[T any](ctx context.Context, rows []T, do func(T)) error {
	for n, row := range rows {
		if n%atOnce == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		do(row)
	}
	return nil
}

// Holds reports whether what a row says of a value holds the letters.
func Holds(r *verdict.Relation, want string) bool {
	if screen.Holds(want, r.Value, r.Constraint.Name, r.Lock.Owner, words.Verdict(r.Verdict, false).Word) ||
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

// Lister is a screen that lists what is read.
type Lister interface {
	// Reset begins anew, for another table.
	Reset()
	// Hold remembers what is selected before rows are read again, and follow selects it again.
	Hold() (follow func())
	// Renew looks for the letters among what was read meanwhile.
	Renew() tea.Cmd
	// List is the list as it is now, and its rows.
	List() (kit.List, kit.Source)
	// Narrowed reports whether letters that somebody typed leave rows out.
	Narrowed() bool
	// Arrange is what makes its rows of what is known, in their order now, off the screen's own
	// goroutine; in the order of their keys if they are sorted.
	Arrange() func(v *browse.View, sorted bool) Arranged
}

// listers are the screens that list what a Reading reads.
type listers []Lister

// reset has the screens begin anew, for another table.
func (all listers) reset() {
	for _, l := range all {
		l.Reset()
	}
}

// paging is what makes a page of what is known, off the screen's own goroutine.
func (all listers) paging(sorted bool) func(browse.View) page {
	arrange := map[Lister]func(*browse.View, bool) Arranged{}
	for _, l := range all {
		arrange[l] = l.Arrange()
	}
	return func(v browse.View) page {
		p := page{view: v, rows: map[Lister]Arranged{}, counts: count(&v)}
		for l, rows := range arrange {
			p.rows[l] = rows(&v, sorted)
		}
		return p
	}
}
