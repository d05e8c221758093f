package reading

import (
	"context"
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/browse"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/schema"
	"tallylock/dynamo/verdict"
	"tallylock/ui/kit"
	"tallylock/ui/session"
	"tallylock/ui/task"
)

// values implements Rows with plain values.
type values []*verdict.Relation

func (v values) Len() int         { return len(v) }
func (v values) First(n int) Rows { return v[:min(n, len(v))] }
func (v values) Problems() Rows   { return values(nil) }
func (v values) Holding(ctx context.Context, want string) (Rows, error) {
	out, err := Fitting(ctx, v, func(r *verdict.Relation) bool { return Holds(r, want) })
	return values(out), err
}

// lister is a screen that lists the filtered values, one in each line.
type lister struct {
	Narrowing
	list kit.List
}

func (s *lister) Reset()                       { s.Widen() }
func (s *lister) List() (kit.List, kit.Source) { return s.list, s }
func (s *lister) Hold() func() {
	s.list.Hold(s)
	return func() { s.list.Follow(s) }
}

func (s *lister) Arrange() func(*browse.View, bool) Rows {
	return func(v *browse.View, _ bool) Rows { return values(v.Relations) }
}

func (s *lister) listed() values {
	out, _ := s.Rows().(values)
	return out
}
func (s *lister) Len() int                   { return len(s.listed()) }
func (s *lister) Row(n int) (int, int, bool) { return n, n, true }
func (s *lister) Draw(*kit.Line, int, bool)  {}
func (s *lister) Name(n int) string          { return s.listed()[n].Value + kit.NameEnds }
func (s *lister) selected() *verdict.Relation {
	if s.list.Lost {
		return nil
	}
	return s.listed()[s.list.Cursor]
}

// viewOf returns the view after reading locks with these values.
func viewOf(from, to int) browse.View {
	c := &layout.Constraint{Name: "email"}
	rels := make([]*verdict.Relation, 0, to-from)
	for n := from; n < to; n++ {
		value := fmt.Sprintf("user%05d", n)
		rels = append(rels, &verdict.Relation{Constraint: c, Value: value, Lock: schema.Lock{Key: attr.Key{}}})
	}
	return browse.View{Relations: rels}
}

// A table is read again while many rows are still being filtered. If the new reading has only a few rows, they are
// filtered at once. The cursor stays on its lock, not on its line. The list says that it is incomplete until all rows
// are filtered.
func TestTheCursorStaysOnItsLockWhileRowsAreLookedThrough(t *testing.T) {
	s := session.New(t.Context(), session.Options{}, func(any) tea.Cmd { return nil })
	t.Cleanup(s.Tasks.Close)
	r := New(s, nil)
	r.tableRead = &tableRead{}
	on := &lister{}
	on.Narrowing = r.ShowOn(on, "locks", &on.list, task.FilteringLocks)
	paged := r.lists.paging(false)
	r.fill(paged(viewOf(0, 1_500)))

	on.Open()
	looks := on.Typed(tea.PasteMsg{Content: "user"})
	if !on.Looking() || on.WhyPart() == "" {
		t.Fatal("many rows were looked through at once")
	}
	on.list.Put(20)
	before := on.selected().Value
	r.tableRead = &tableRead{filled: r.tableRead.filled}
	r.fill(paged(viewOf(10, 900))) // the lock is now ten lines higher
	run(t, s, looks)
	if got := on.selected(); got == nil || got.Value != before {
		t.Errorf("the cursor was on %s, and is on %v", before, got)
	}
	if on.Looking() || on.Len() != 890 {
		t.Errorf("%d rows are listed, still looking: %t", on.Len(), on.Looking())
	}

	looks = r.fill(paged(viewOf(0, 2_000)))
	if !on.Looking() || on.WhyPart() == "" {
		t.Error("rows that were read meanwhile are not listed yet, and nothing says so")
	}
	run(t, s, looks)
	if got := on.selected(); on.Looking() || got == nil || got.Value != before || !strings.HasPrefix(got.Value, "user") {
		t.Errorf("the cursor was on %s, and is on %v", before, got)
	}
}

// run runs tasks, and delivers their results.
func run(t *testing.T, s *session.Session, cmd tea.Cmd) {
	t.Helper()
	if cmd == nil {
		t.Fatal("nothing is under way")
	}
	switch msg := cmd().(type) {
	case tea.BatchMsg:
		for _, one := range msg {
			if one != nil {
				run(t, s, one)
			}
		}
	case task.Done:
		if s.Tasks.Finish(msg) {
			msg.Apply()
		}
	}
}
