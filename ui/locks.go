package ui

import (
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/phrase"
	"tallylock/ui/kit"
	"tallylock/ui/relation"
	"tallylock/ui/screen"
)

// locksScreen shows locks by what their keys begin with, each with the account
// beside it.
type locksScreen struct {
	app          *app
	list         kit.List
	onlyProblems bool
	folded       map[string]bool
}

func (s *locksScreen) reset() {
	s.list, s.onlyProblems, s.folded = kit.List{}, false, map[string]bool{}
}

func (s *locksScreen) rows(width int) lockList {
	b := s.app.browse
	if b == nil {
		return lockList{}
	}
	shown := b.rows.locks
	if s.onlyProblems {
		shown = b.rows.problemLocks
	}
	return lockList{groups: shown, folded: s.folded, cols: lockColumnsOf(width), marks: &s.app.Marks, whole: b.view.Complete}
}

func (s *locksScreen) selected() *dynamo.Relation {
	rows := s.rows(80)
	if !s.list.Lost && s.list.Cursor < rows.Len() {
		return rows.relation(s.list.Cursor)
	}
	return nil
}

func (s *locksScreen) Content() screen.Content {
	a := s.app
	rows := s.rows(a.ListWidth())
	rel := s.selected()
	at, of := 0, 0
	for _, g := range rows.groups {
		of += len(g.rels)
	}
	at = s.place(rows)
	c := screen.Content{List: &s.list, Rows: rows, Depth: 4, Old: a.isOld()}
	c.Cover = a.coverageOf(at, of, s.onlyProblems)
	c.Heads = func(l *kit.Line) {
		cols := lockColumnsOf(l.Width)
		kit.Heads(l, kit.Cell{Column: 2, Text: "LOCK"}, kit.Cell{Column: cols.account, Text: "ACCOUNT"}, kit.Cell{Column: cols.holds, Text: "HOLDS"}, kit.Cell{Column: cols.verdict, Text: "VERDICT"})
	}
	c.Beside = func(d *kit.Block) { s.detail(d, rel, true) }
	c.Beneath = func(d *kit.Block) { s.detail(d, rel, false) }
	c.Hints = s.hints()
	if state := a.browseState(s.onlyProblems, of); state.write != nil {
		c.Instead = state.write
		if a.browse == nil && a.Offline != nil { // it says all there is to say
			c.Beneath = nil
		}
		if !state.heads {
			c.Heads = nil
		}
		c.Beside = nil
	}
	return c
}

// place is the number of the selected lock among all locks, from 1.
func (s *locksScreen) place(rows lockList) int {
	n, before := s.list.Cursor, 0
	if s.list.Lost {
		return 0
	}
	for _, g := range rows.groups {
		lines := rows.lines(g)
		if n < lines {
			return before + max(n, 1)
		}
		n -= lines
		before += len(g.rels)
	}
	return before
}

func (s *locksScreen) detail(d *kit.Block, rel *dynamo.Relation, wide bool) {
	a := s.app
	switch {
	case a.Offline != nil:
		screen.Offline(a.Session, d, a.unread())
	case a.browse != nil && a.browse.awaited():
		a.readingDetail(d)
	case s.list.Lost:
		s.list.Gone(d)
	case rel == nil:
		s.groupDetail(d)
	case wide:
		relation.Beside(d, a.Table.Layout, rel)
		slices.Concat(s.about(rel), a.changes(rel)).YouCan(a.Session, d, 1)
	default:
		relation.Beneath(d, rel, a.browse.view.ReadAt)
	}
}

// groupDetail says what the locks of a group are.
func (s *locksScreen) groupDetail(d *kit.Block) {
	rows := s.rows(80)
	if s.list.Cursor >= rows.Len() {
		return
	}
	g, _ := rows.at(s.list.Cursor)
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
		l.To(3)
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

// fold folds the group of the cursor, or opens it.
func (s *locksScreen) fold() tea.Cmd {
	rows := s.rows(80)
	if s.list.Cursor >= rows.Len() {
		return nil
	}
	g, place := rows.at(s.list.Cursor)
	s.list.Put(s.list.Cursor - place - 1)
	s.folded[g.prefix] = !s.folded[g.prefix]
	return nil
}

// find puts the cursor on a lock.
func (s *locksScreen) find(rel *dynamo.Relation) bool {
	if rel == nil || rel.Lock.Key.Hash.Name == "" {
		return false
	}
	line := 0
	for _, g := range s.rows(80).groups {
		line++
		for n, r := range g.rels {
			if r.Lock.Table == rel.Lock.Table && r.Lock.Key.Equal(rel.Lock.Key) {
				if s.folded[g.prefix] {
					s.folded[g.prefix] = false
				}
				s.list.Put(line + n)
				return true
			}
		}
		if !s.folded[g.prefix] {
			line += len(g.rels)
		}
	}
	return false
}

// groupAt are the locks of the group whose head is selected; nil where none is.
func (s *locksScreen) groupAt() []*dynamo.Relation {
	rows := s.rows(80)
	if g, i := rows.at(s.list.Cursor); i < 0 && !s.list.Lost {
		return g.rels
	}
	return nil
}
