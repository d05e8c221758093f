// Package locks is the screen that lists the open table's locks, grouped by the prefix of
// their keys, each with its account beside it. Package reading decides what is read, and when.
// The screen sends messages to the program. Start reading at Screen, and at Commands for its actions.
package locks

import (
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/phrase"
	"tallylock/dynamo/verdict"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/message"
	"tallylock/ui/reading"
	"tallylock/ui/relation"
	"tallylock/ui/say"
	"tallylock/ui/screen"
	"tallylock/ui/session"
	"tallylock/ui/task"
)

// Tab is the tab of locks.
var Tab = &session.Tab{Name: "locks", Action: keymap.Locks, Table: true, Lists: true}

// Screen shows locks, grouped by the prefix of their keys, each with its account
// beside it.
type Screen struct {
	*session.Session
	reading.Narrowing
	reading *reading.Reading
	list    kit.List
	folded  map[string]bool
	table   kit.Table[line]
}

// New returns the screen. It lists the rows of a Reading.
func New(s *session.Session, reading *reading.Reading) *Screen {
	l := &Screen{Session: s, reading: reading, folded: map[string]bool{}, table: kit.Table[line]{Columns: columns}}
	l.Narrowing = reading.ShowOn(l, Tab.Name, &l.list, task.FilteringLocks)
	return l
}

// Reset implements reading.Lister.
func (s *Screen) Reset() {
	s.list, s.folded = kit.List{}, map[string]bool{}
	s.Widen()
}

// List implements reading.Lister.
func (s *Screen) List() (kit.List, kit.Source) { return s.list, s.rows() }

// Hold implements reading.Lister.
func (s *Screen) Hold() func() {
	s.list.Hold(s.rows())
	return func() { s.list.Follow(s.rows()) }
}

// Info implements screen.Tab.
func (s *Screen) Info() *session.Tab { return Tab }

// Receive implements screen.Tab. After a change, the cursor follows the lock of the changed value.
func (s *Screen) Receive(event any) tea.Cmd {
	if m, ok := event.(message.Changed); ok {
		relation.Follow(&s.list, s.Table, s.selected(), m.Made)
	}
	return nil
}

func (s *Screen) rows() lockList {
	if !s.reading.Begun() {
		return lockList{}
	}
	shown, _ := s.Rows().(groups)
	groups := kit.GroupsOf(shown, func(g group) kit.Group {
		return kit.Group{Rows: len(g.relations), Folded: s.folded[g.prefix]}
	})
	return lockList{Grouped: groups, table: &s.table, marks: &s.Marks, whole: s.reading.View().Complete}
}

func (s *Screen) selected() *verdict.Relation {
	if s.list.Lost {
		return nil
	}
	return s.rows().Relation(s.list.Cursor)
}

// Content implements screen.Screen.
func (s *Screen) Content() screen.Content {
	rows := s.rows()
	rel := s.selected()
	at, of := rows.Number(s.list.Cursor)
	if s.list.Lost {
		at = 0
	}
	c := screen.Content{List: &s.list, Rows: rows, Depth: 4, Old: s.reading.Old(), Blurred: s.Typing()}
	c.Top = s.Heading(s.Session, "letters of a lock, a value or an account")
	c.Cover = reading.Coverage(&s.Narrowing, at, of, "")
	c.Heads = s.table.Heads
	c.Beside = func(d *kit.Block) { s.detail(d, rel, true) }
	c.Beneath = func(d *kit.Block) { s.detail(d, rel, false) }
	c.Hints = reading.Hints(&s.Narrowing, rows.Len(), s.Commands)
	reading.Instead(&s.Narrowing, &c, of)
	return c
}

func (s *Screen) detail(d *kit.Block, rel *verdict.Relation, wide bool) {
	switch {
	case reading.Awaiting(s.reading, d):
	case s.list.Lost:
		s.list.Gone(d)
	case rel == nil:
		s.groupDetail(d)
	case wide:
		relation.DrawBeside(d, s.Table.Layout, rel)
		at := s.row()
		slices.Concat(s.about(at), relation.WideChanges(s.Session, at)).YouCan(s.Session, d, 1)
	default:
		relation.DrawBelow(d, rel, s.reading.View().ReadAt)
	}
}

// groupDetail draws the detail of a selected heading: how many locks its group has, and how many are broken.
func (s *Screen) groupDetail(d *kit.Block) {
	rows := s.rows()
	if s.list.Cursor >= rows.Len() {
		return
	}
	g, _ := rows.Of(s.list.Cursor)
	d.Row(func(l *kit.Line) {
		l.Put(kit.Text, " ")
		l.Put(kit.Heading, phrase.Count(g.total, "lock"))
		l.Put(kit.Text, " begin with ")
		l.Fit(kit.Strong, g.prefix, l.Width-l.At-10)
		if !rows.whole {
			l.Put(kit.Muted, ", so far")
		}
	})
	d.Row(func(l *kit.Line) {
		l.To(1)
		judged := "them"
		if g.judged < g.total {
			judged = "the " + phrase.Group(strconv.Itoa(g.judged)) + " that were judged"
		}
		switch {
		case g.judged == 0:
			l.Put(kit.Muted, "none of them was judged")
		case g.broken == 0:
			l.Put(kit.Muted, "none of "+judged+" is broken")
		default:
			l.Put(kit.Bad, phrase.Count(g.broken, "problem")+" among "+judged)
		}
		if left := g.total - g.judged; left > 0 && g.judged > 0 {
			l.Put(kit.Muted, "; "+phrase.Group(strconv.Itoa(left))+" are not judged yet")
		}
	})
}

// fold folds the group at the cursor, or unfolds it.
func (s *Screen) fold() tea.Cmd {
	kit.Fold(&s.list, s.rows().Grouped, s.folded, func(g group) string { return g.prefix })
	return nil
}

// Show implements screen.Targeted.
func (s *Screen) Show(target any) (fits, found bool) {
	m, fits := target.(screen.Lock)
	return fits, fits && s.show(m.Relation)
}

// show selects the lock of a relation. It reports whether that lock was read.
func (s *Screen) show(rel *verdict.Relation) bool {
	s.Widen()
	if rel.Lock.Key.Hash.Name == "" {
		return false
	}
	for n, g := range s.rows().All {
		for i, r := range g.relations {
			if r.Lock.Table == rel.Lock.Table && r.Lock.Key.Equal(rel.Lock.Key) {
				s.folded[g.prefix] = false
				s.list.Put(s.rows().Line(n, i))
				return true
			}
		}
	}
	return false
}

// Commands implements screen.Screen.
func (s *Screen) Commands() screen.Commands {
	at := s.row()
	only := reading.Only(&s.Narrowing, nil)
	only.Words = only.Full
	order := "sorted by prefix, then as read"
	if s.reading.Small() {
		order = "sorted by key"
	}
	return slices.Concat(
		reading.Refused(s.reading, s.rows().Len()),
		screen.Commands{{Action: keymap.Find, Words: "find"}},
		s.about(at),
		screen.Commands{
			{Action: keymap.Fold, Words: "fold", Full: "fold a group", Run: s.fold},
			only,
			reading.Filtering(&s.Narrowing, s.rows().Len()),
			{Action: keymap.NextProblem, Words: "next problem"},
			{Action: keymap.PreviousProblem},
			{Action: keymap.Sort, Why: screen.WhyIf(true, order)},
			relation.SaveCommand(s.Session, s.shown()),
		},
		reading.Commands(s.reading),
		relation.WideChanges(s.Session, at),
	)
}

// row returns the selected lock with its list. If a heading is selected, it returns the heading's group.
func (s *Screen) row() relation.Row {
	rows := s.rows()
	at := relation.Row{Relation: s.selected(), OfLock: true, List: &s.list, Lines: rows}
	if g, i := rows.Of(s.list.Cursor); i < 0 && !s.list.Lost {
		at.None, at.Group, at.WhyPart = "select a lock", g.relations, s.WhyPart()
	}
	return at
}

// shown returns all locks that pass the filter, including those in folded groups.
func (s *Screen) shown() relation.Shown {
	return relation.Shown{
		Noun: "lock", SoFar: s.reading.SoFar, WhyPart: s.WhyPart,
		Count: func() int {
			_, all := s.rows().Number(-1)
			return all
		},
		Rows: func() []*verdict.Relation {
			var out []*verdict.Relation
			for _, g := range s.rows().All {
				out = append(out, g.relations...)
			}
			return out
		},
	}
}

// about returns the commands for the selected lock. For a selected heading, it adds the command that folds
// the group.
func (s *Screen) about(at relation.Row) screen.Commands {
	out := append(relation.RowCommands(s.Session, at), screen.Copies(s.Session, relation.Selected(s.Session, at))...)
	if at.Relation == nil {
		return append(screen.Commands{{Action: keymap.Open, Full: "open or fold the group", Run: s.fold}}, out...)
	}
	return out
}

// About implements screen.Screen.
func (s *Screen) About() string {
	if rel := s.selected(); rel != nil {
		return "locks, " + say.Relation(rel)
	}
	return "locks"
}
