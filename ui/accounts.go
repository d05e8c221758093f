package ui

import (
	"tallylock/dynamo"
	"tallylock/dynamo/phrase"
	"tallylock/ui/kit"
	"tallylock/ui/relation"
	"tallylock/ui/safe"
	"tallylock/ui/screen"
)

// accountsScreen shows accounts next to their locks.
type accountsScreen struct {
	app          *app
	list         kit.List
	onlyProblems bool
}

func (s *accountsScreen) reset() { s.list, s.onlyProblems = kit.List{}, false }

// rows are the relations to show, or the raw items of a table that keeps no
// accounts.
func (s *accountsScreen) rows(width int) kit.Source {
	b := s.app.browse
	if b == nil {
		return relationList{}
	}
	if s.raw() {
		return rawList{rows: b.rows.items, key: min(max(width/3, 24), 60), width: width}
	}
	shown := b.rows.accounts
	if s.onlyProblems {
		shown = b.rows.problems
	}
	return relationList{rows: shown, cols: accountColumnsOf(width, s.nameWidth()), marks: &s.app.Marks}
}

// raw reports whether there is nothing but items to show.
func (s *accountsScreen) raw() bool {
	l := s.app.openLayout()
	return l != nil && len(l.Accounts) == 0
}

// nameWidth is the room that the constraints' names need.
func (s *accountsScreen) nameWidth() int {
	w := 8
	if l := s.app.openLayout(); l != nil {
		for _, c := range l.Rules() {
			w = max(w, min(kit.Width(safe.Text(c.Name)), 12))
		}
	}
	return w
}

func (s *accountsScreen) selected() *dynamo.Relation {
	if s.list.Lost {
		return nil
	}
	return s.relation(s.list.Cursor)
}

// relation is the value in line n; nil where there is none.
func (s *accountsScreen) relation(n int) *dynamo.Relation {
	if rows, ok := s.rows(80).(relationList); ok && n >= 0 && n < len(rows.rows) {
		return rows.rows[n].rel
	}
	return nil
}

func (s *accountsScreen) item() (itemRow, bool) {
	if rows, ok := s.rows(80).(rawList); ok && !s.list.Lost && s.list.Cursor < len(rows.rows) {
		return rows.rows[s.list.Cursor], true
	}
	return itemRow{}, false
}

func (s *accountsScreen) Content() screen.Content {
	a := s.app
	width := a.ListWidth()
	c := screen.Content{List: &s.list, Rows: s.rows(width), Depth: 4, Old: a.isOld()}
	rel := s.selected()
	c.Cover = a.coverageOf(s.list.Number(), c.Rows.Len(), s.onlyProblems)
	c.Beside = func(d *kit.Block) { s.detail(d, rel, true) }
	c.Beneath = func(d *kit.Block) { s.detail(d, rel, false) }
	c.Hints = s.hints()
	if s.raw() {
		c.Above = a.noAccounts
		c.Heads = func(l *kit.Line) {
			l.To(2)
			l.Put(kit.Muted, "KEY")
			l.To(2 + c.Rows.(rawList).key + 2)
			l.Put(kit.Muted, "ATTRIBUTES")
		}
	} else {
		c.Heads = func(l *kit.Line) {
			cols := accountColumnsOf(l.Width, s.nameWidth())
			kit.Heads(l, kit.Cell{Column: cols.account, Text: "ACCOUNT"}, kit.Cell{Column: cols.constraint, Text: "VALUE"})
			if cols.lock < cols.verdict {
				kit.Heads(l, kit.Cell{Column: cols.lock, Text: "LOCK"})
			}
			kit.Heads(l, kit.Cell{Column: cols.verdict, Text: "VERDICT"})
		}
	}
	if state := a.browseState(s.onlyProblems, c.Rows.Len()); state.write != nil {
		c.Instead = state.write
		if a.browse == nil && a.Offline != nil { // it says all there is to say
			c.Beneath = nil
		}
		if !state.heads {
			c.Heads, c.Above = nil, nil
		}
		c.Beside = nil
	}
	return c
}

// detail shows what is selected.
func (s *accountsScreen) detail(d *kit.Block, rel *dynamo.Relation, wide bool) {
	a := s.app
	switch {
	case a.Offline != nil:
		screen.Offline(a.Session, d, a.unread())
	case a.opening != "" && a.browse == nil || a.browse != nil && a.browse.awaited():
		a.readingDetail(d)
	case s.list.Lost:
		s.list.Gone(d)
	case rel != nil && wide:
		relation.Beside(d, a.openLayout(), rel)
		s.youCan(d)
	case rel != nil:
		relation.Beneath(d, rel, a.browse.view.ReadAt)
	}
	if row, ok := s.item(); ok && a.Offline == nil {
		if wide {
			d.Head(1, "ITEM")
			relation.Item(d, row.item, row.key, nil)
			d.Gap()
			s.youCan(d)
			return
		}
		d.Fact("item", kit.Text.Of(row.key.String()))
		d.Fact("has", kit.Text.Of(phrase.Count(len(row.item), "attribute")), kit.Muted.Of(", "+phrase.Count(row.item.Size(), "byte")))
	}
}

// to puts the cursor on a value, where it is shown.
func (s *accountsScreen) to(keep *dynamo.Relation) {
	rows, _ := s.rows(80).(relationList)
	for n, row := range rows.rows {
		if sameRelation(row.rel, keep) {
			s.list.Put(n)
			return
		}
	}
}
