package tables

import (
	"fmt"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/phrase"
	"tallylock/ui/kit"
	"tallylock/ui/say"
	"tallylock/ui/screen"
	"tallylock/ui/task"
)

// detail draws the selected line below the list: a command, the progress of opening a table, or the
// table's price. For a production connection it draws a banner.
func (s *Screen) detail(d *kit.Block) {
	row, ok := s.selected()
	_, busy := s.Tasks.Since(task.Opening)
	_, connecting := s.Tasks.Since(task.Connecting)
	switch {
	case connecting:
		d.Row(func(l *kit.Line) {
			l.Put(kit.Muted, " connecting   ")
			s.Working(l, task.Connecting, 16)
			l.Put(kit.Key, "   esc")
			l.Put(kit.Muted, " stops")
		})
	case !ok:
	case row.command != nil && row.command.Why != "":
		d.Para(1, kit.Text, say.Sentence(row.command.Why))
	case row.tells() && s.Size.Wide(): // on a narrow screen it goes below the list
		row.command.About(d)
	case row.command != nil:
	case busy && s.opened.same(row):
		d.Row(func(l *kit.Line) {
			l.Put(kit.Muted, " opening ")
			l.Fit(kit.Text, row.table, l.Width-l.At-20)
			l.Put(kit.Text, "   ")
			s.Working(l, task.Opening, 16)
		})
		screen.Slow(s.Session, d, task.Opening)
	case row.on.Production:
		banner(d, row)
	case row.opened == nil:
	case row.opened.Err != nil:
		d.Row(func(l *kit.Line) {
			l.Put(kit.Warn|kit.Bold, " ! ")
			l.Words(kit.Text, say.Explain(row.opened.Err).String(), l.Width-l.At-1)
		})
	case !s.Size.Wide(): // on a wide screen beside draws it
		t, name := row.opened.Table, "unknown"
		if !t.Layout.Empty() {
			name = t.Layout.Name
		}
		d.Row(func(l *kit.Line) {
			l.Put(kit.Muted, " layout ")
			l.Fit(kit.Text, name, 30)
			l.Words(kit.Muted, "   "+row.price(), l.Width-l.At-1)
		})
		said(d, t)
	}
}

// price says what reading the table costs; empty if that is unknown.
func (l line) price() string {
	if l.opened == nil || l.opened.Err != nil {
		return ""
	}
	return fmt.Sprintf("A full read costs about %s RU.", say.Units(dynamo.AccountsCost(l.opened.Table).Units))
}

// banner says how a table of a production connection opens, and what reading it costs.
func banner(d *kit.Block, row line) {
	if d.Ground == kit.Base {
		d.Ground = kit.Production
		defer func() { d.Ground = kit.Base }()
	}
	mode := " opens read-only."
	switch {
	case !row.on.WritesTo(row.table):
	case row.on.GuardOf(row.table) == client.GuardType:
		mode = " opens with writes on: for each change you type the value."
	default:
		mode = " opens with writes on: each change asks first."
	}
	said := kit.Wrap(row.on.Name()+mode+" "+row.price(), d.Width-14)
	if len(said) < 2 {
		said = append(said, "")
	}
	for n, row := range said {
		d.Row(func(l *kit.Line) {
			l.Put(kit.Text, " ")
			if n == 0 {
				l.Put(kit.Heading, "PRODUCTION")
			}
			l.To(13)
			l.Put(kit.Text, row)
		})
	}
}

// said lists people's answers about a table's layout, with their dates.
func said(d *kit.Block, t *dynamo.Table) {
	for n, one := range t.Answers.Said() {
		d.Row(func(l *kit.Line) {
			if n == 0 {
				l.Put(kit.Muted, " said")
			}
			l.To(8)
			text := one.Constraint + one.Counter + ": accepted"
			switch {
			case one.NowhereElse:
				text = one.Constraint + ": nothing else holds its values"
			case one.Place != nil:
				text = one.Place.Items + " items, " + one.Place.Attribute + ": " + string(one.Answer)
			}
			l.Fit(kit.Text, text, l.Width-l.At-len("   2006-01-02")-1)
			l.Put(kit.Muted, "   "+one.Said.Local().Format(time.DateOnly))
		})
	}
}

// beside draws the selected table on a wide screen: its size, its keys, and the layout that opening
// it would use.
func (s *Screen) beside(d *kit.Block) {
	row, _ := s.selected()
	if row.opened == nil || row.opened.Err != nil {
		return
	}
	t := row.opened.Table
	if len(d.Lines) > 0 {
		d.Gap()
	}
	d.Para(1, kit.Strong, t.Name)
	d.Para(1, kit.Text, "About "+phrase.Count(t.Items, "item")+", "+say.Size(t.Bytes)+". A full read costs about "+
		say.ReadUnits(dynamo.AccountsCost(t).Units)+".")
	d.Gap()
	screen.Keys(d, t)
	d.Gap()
	if t.Layout.Empty() {
		d.Head(1, "LAYOUT")
		d.Para(1, kit.Absent, "No layout was recognised.")
		return
	}
	d.Head(1, "LAYOUT "+t.Layout.Name)
	for _, part := range config.Of(t.Layout, t.Name).Parts() {
		describe(d, part)
	}
	said(d, t)
}

// describe draws the settings of a part of a layout.
func describe(d *kit.Block, part config.Part) {
	var set []config.Setting
	var names []string
	for _, one := range part.Settings {
		if one.Set && one.Name != "name" && one.Name != "model" { // the headings show these
			set, names = append(set, one), append(names, one.Name)
		}
	}
	if len(set) == 0 {
		return
	}
	title := part.Kind
	if part.Name != "" && part.Name != part.Kind {
		title += " " + part.Name
	}
	d.Row(func(l *kit.Line) {
		l.To(1)
		l.Fit(kit.Strong, title, l.Width-2)
	})
	d.Branch(names, func(n int) kit.Span {
		return kit.Text.Of(set[n].Text)
	})
}
