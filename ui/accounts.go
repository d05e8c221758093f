package ui

import (
	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/message"
	"tallylock/ui/relation"
	"tallylock/ui/safe"
	"tallylock/ui/screen"
	"tallylock/ui/task"
	"tallylock/ui/words"
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
	c.Hints = s.hints(rel)
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
		screen.YouCan(a.Session, a.top(), d, 1, a.relationCan(rel)...)
	case rel != nil:
		relation.Beneath(d, rel, a.browse.view.ReadAt)
	}
	if row, ok := s.item(); ok && a.Offline == nil {
		if wide {
			d.Head(1, "ITEM")
			relation.Item(d, row.item, row.key, nil)
			d.Gap()
			screen.YouCan(a.Session, a.top(), d, 1, a.relationCan(nil)...)
			return
		}
		d.Fact("item", kit.Text.Of(row.key.String()))
		d.Fact("has", kit.Text.Of(phrase.Count(len(row.item), "attribute")), kit.Muted.Of(", "+phrase.Count(row.item.Size(), "byte")))
	}
}

func (s *accountsScreen) hints(rel *dynamo.Relation) []kit.Hint {
	a := s.app
	if a.Offline != nil {
		return []kit.Hint{a.Hint(keymap.Open, "try now"), a.Hint(keymap.Copy, "copy")}
	}
	if a.browse == nil || !a.browse.read {
		if _, busy := a.Tasks.Since(task.Paging); busy {
			return []kit.Hint{a.Hint(keymap.Back, "cancel")}
		}
		return []kit.Hint{a.Hint(keymap.Reload, "try again"), a.Hint(keymap.Counters, "counters")}
	}
	h := []kit.Hint{}
	if a.Table == nil {
		return a.openingHints()
	}
	if s.rows(80).Len() == 0 {
		return a.emptyHints(s.onlyProblems)
	}
	if !s.raw() {
		h = append(h, a.Hint(keymap.Find, "find"))
	}
	if (rel != nil || len(a.Marks.Order) > 0) && s.Why(keymap.Release) == "" {
		h = append(h, a.Hint(keymap.Release, a.ReleaseHint()))
	} else if rel != nil && s.Why(keymap.Mend) == "" {
		h = append(h, a.Hint(keymap.Mend, a.MendWord(rel)))
	}
	h = append(h, a.Hint(keymap.Open, "open"), a.Hint(keymap.Copy, "copy"))
	if a.browse.rows.broken > 0 && !s.raw() {
		h = append(h, a.Hint(keymap.NextProblem, "next problem"))
	}
	if _, busy := a.Tasks.Since(task.Paging); busy {
		h = append(h, a.Hint(keymap.Stop, "stop reading"))
	} else if !a.browse.view.Complete {
		h = append(h, a.Hint(keymap.Pause, "read on"))
	}
	if rel != nil && a.Size.Wide() {
		h = append(h, a.Hint(keymap.OnlyProblems, onlyHint(s.onlyProblems)), a.Hint(keymap.Sort, "sort"))
		if s.Why(keymap.ChangeValue) == "" {
			h = append(h, a.Hint(keymap.ChangeValue, "change value"))
		}
	}
	return h
}

// emptyHints are for a list without rows.
func (a *app) emptyHints(onlyProblems bool) []kit.Hint {
	var h []kit.Hint
	if onlyProblems {
		h = append(h, a.Hint(keymap.OnlyProblems, "show all"))
	}
	if len(a.Table.Layout.Accounts) > 0 && a.browse.view.Scanned > 0 {
		h = append(h, a.Hint(keymap.Find, "find"))
	}
	if _, busy := a.Tasks.Since(task.Paging); busy {
		h = append(h, a.Hint(keymap.Stop, "stop reading"))
	} else if !a.browse.view.Complete {
		h = append(h, a.Hint(keymap.Pause, "read on"))
	}
	return append(h, a.Hint(keymap.Reload, "read again"))
}

func (s *accountsScreen) About() string {
	if rel := s.selected(); rel != nil {
		return "accounts, " + words.Relation(rel)
	}
	return "accounts"
}

func (s *accountsScreen) Why(action keymap.Action) string {
	rel := s.selected()
	if s.app.Table == nil && s.app.browse != nil {
		switch action {
		case keymap.Copy, keymap.CopyItem, keymap.Reload, keymap.Stop, keymap.Pause:
		default:
			return s.app.noTable()
		}
	}
	switch action {
	case keymap.OnlyProblems, keymap.NextProblem, keymap.PreviousProblem:
		if s.raw() {
			return "no layout tells what is a problem here"
		}
		return ""
	case keymap.Release:
		if len(s.app.Marks.Order) > 0 {
			return s.app.WhyReleases()
		}
	case keymap.Open, keymap.Copy, keymap.CopyItem:
		if _, ok := s.item(); ok {
			return ""
		}
	}
	return s.app.whyRelation(action, rel)
}

func (s *accountsScreen) Act(action keymap.Action) tea.Cmd {
	if row, ok := s.item(); ok {
		switch action {
		case keymap.Open:
			return s.app.openItem(s.app.Table.Name, row.key)
		case keymap.Copy:
			return s.app.Copy("the key", row.key.Hash.Value.Display())
		case keymap.CopyItem:
			return s.app.CopyJSON("the item", row.item)
		}
	}
	switch action {
	case keymap.OnlyProblems:
		keep := s.selected()
		s.onlyProblems = !s.onlyProblems
		s.list.Put(0)
		s.to(keep)
		return nil
	case keymap.Sort:
		return s.app.nextOrder()
	case keymap.OtherSide:
		return s.app.showLock(s.selected())
	case keymap.Release:
		if len(s.app.Marks.Order) > 0 {
			return s.app.Send(message.Release{})
		}
	}
	return s.app.actRelation(action, s.selected())
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
