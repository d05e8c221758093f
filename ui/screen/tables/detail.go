package tables

import (
	"fmt"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/client"
	"tallylock/ui/kit"
	"tallylock/ui/screen"
	"tallylock/ui/session"
	"tallylock/ui/task"
	"tallylock/ui/words"
)

// detail is the banner of a production connection, and what opening costs.
func (s *Screen) detail(d *kit.Block) {
	row, ok := s.selected()
	if !ok {
		return
	}
	if row.command != nil {
		switch c := row.command; {
		case c.Why != "":
			d.Para(1, kit.Text, words.Sentence(c.Why))
		case c.About != nil && s.Size.Wide(): // else below the list
			c.About(d)
		}
		return
	}
	if awaits(s, row) {
		d.Row(func(l *kit.Line) {
			l.Put(kit.Muted, " opening ")
			l.Fit(kit.Text, row.table, l.Width-l.At-20)
			l.Put(kit.Text, "   ")
			s.Working(l, task.Opening, 16)
		})
		screen.Slow(s.Session, d, task.Opening)
		return
	}
	c := s.Connections[row.conn]
	o, known := s.of[row.conn].opened[row.table]
	price := ""
	if known && o.Err == nil {
		price = fmt.Sprintf("A full read costs about %s RU.", words.Units(dynamo.AccountsCost(o.Table).Units))
	}
	if c.Production {
		banner(d, c, row.table, price)
		return
	}
	switch {
	case known && o.Err != nil:
		_, _, why, do := words.Explain(o.Err)
		d.Row(func(l *kit.Line) {
			l.Put(kit.Warn|kit.Bold, " ! ")
			l.Words(kit.Text, words.Sentence(why)+" "+words.Sentence(do), l.Width-l.At-1)
		})
	case known && s.Size.Wide(): // beside says it
	case known:
		layoutName := o.Table.Layout.Name
		if o.Table.Layout.Empty() {
			layoutName = "none that we know"
		}
		d.Row(func(l *kit.Line) {
			l.Put(kit.Muted, " layout ")
			l.Fit(kit.Text, layoutName, 30)
			l.Words(kit.Muted, "   "+price, l.Width-l.At-1)
		})
		said(d, o.Table)
	}
}

// awaits reports whether a table was chosen, and is on its way.
func awaits(s *Screen, row line) bool {
	_, busy := s.Tasks.Since(task.Opening)
	return busy && s.opened.conn == row.conn && s.opened.table == row.table
}

// banner says how a table of a production connection opens, and what reading it costs.
func banner(d *kit.Block, c session.Connection, table, price string) {
	if d.Ground == kit.Base {
		d.Ground = kit.Production
		defer func() { d.Ground = kit.Base }()
	}
	mode := " opens read-only."
	switch {
	case !c.WritesTo(table):
	case c.GuardOf(table) == client.GuardType:
		mode = " opens with writes on: each change asks for the value to be typed."
	default:
		mode = " opens with writes on: each change asks first."
	}
	said := kit.Wrap(c.Name()+mode+" "+price, d.Width-14)
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

// said is what people have said of a table's layout, and when.
func said(d *kit.Block, t *dynamo.Table) {
	for n, one := range t.Said() {
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
