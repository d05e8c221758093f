package browse

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
	"tallylock/ui/kit"
	"tallylock/ui/session"
	"tallylock/ui/task"
)

// locks is a screen that lists what a filter leaves of locks, each in a line.
type locks struct {
	Narrowing
	list kit.List
}

func (s *locks) Reset()                       { s.Widen() }
func (s *locks) List() (kit.List, kit.Source) { return s.list, s }
func (s *locks) Keep() func() bool            { return func() bool { return false } }
func (s *locks) Hold() func() {
	s.list.Hold(s)
	return func() { s.list.Follow(s) }
}

func (s *locks) all() []*dynamo.Relation {
	var out []*dynamo.Relation
	for _, g := range s.Locks() {
		out = append(out, g.Relations...)
	}
	return out
}
func (s *locks) Len() int                   { return len(s.all()) }
func (s *locks) Row(n int) (int, int, bool) { return n, n, true }
func (s *locks) Draw(*kit.Line, int, bool)  {}
func (s *locks) Name(n int) string          { return s.all()[n].Value + kit.NameEnds }
func (s *locks) selected() *dynamo.Relation {
	if s.list.Lost {
		return nil
	}
	return s.all()[s.list.Cursor]
}

// pageOf is what reading locks with values brings.
func pageOf(from, to int) page {
	c := &layout.Constraint{Name: "email"}
	rels := make([]*dynamo.Relation, 0, to-from)
	for n := from; n < to; n++ {
		value := fmt.Sprintf("user%05d", n)
		rels = append(rels, &dynamo.Relation{Constraint: c, Value: value, Lock: dynamo.Lock{Key: attr.Key{}}})
	}
	return newPage(dynamo.View{Relations: rels, Locks: []dynamo.LockGroup{{Constraint: c, Relations: rels}}}, false, asRead)
}

// A table that is read again while many rows are still looked through may bring so few that they
// are looked through at once. The cursor stays on its lock then, and not on its line; and as
// long as not all has been looked through that is said.
func TestTheCursorStaysOnItsLockWhileRowsAreLookedThrough(t *testing.T) {
	s := session.New(t.Context(), session.Options{}, func(any) tea.Cmd { return nil })
	t.Cleanup(s.Tasks.Close)
	r := New(s)
	r.pass = &pass{}
	on := &locks{}
	on.Narrowing = Narrow(r, on, &on.list, task.FilteringLocks)
	r.ShowOn(on)
	r.fill(pageOf(0, 1_500))

	on.Open()
	looks := on.Typed(tea.PasteMsg{Content: "user"})
	if !on.Looking() || on.WhyPart() == "" {
		t.Fatal("many rows were looked through at once")
	}
	on.list.Put(20)
	before := on.selected().Value
	r.pass = &pass{filled: r.pass.filled}
	r.fill(pageOf(10, 900)) // ten fewer above it
	run(t, s, looks)
	if got := on.selected(); got == nil || got.Value != before {
		t.Errorf("the cursor was on %s, and is on %v", before, got)
	}
	if on.Looking() || on.Len() != 890 {
		t.Errorf("%d rows are listed, still looking: %t", on.Len(), on.Looking())
	}

	looks = r.fill(pageOf(0, 2_000))
	if !on.Looking() || on.WhyPart() == "" {
		t.Error("rows that were read meanwhile are not listed yet, and nothing says so")
	}
	run(t, s, looks)
	if got := on.selected(); on.Looking() || got == nil || got.Value != before || !strings.HasPrefix(got.Value, "user") {
		t.Errorf("the cursor was on %s, and is on %v", before, got)
	}
}

// run has tasks bring their results home.
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
