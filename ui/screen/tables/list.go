package tables

import (
	"strconv"

	"tallylock/dynamo"
	"tallylock/dynamo/phrase"
	"tallylock/ui/kit"
	"tallylock/ui/safe"
	"tallylock/ui/words"
)

func (t list) Len() int { return len(t.lines) }
func (t list) Row(n int) (int, int, bool) {
	return n, n, t.lines[n].choosable()
}

func (t list) Draw(l *kit.Line, n int, _ bool) {
	row := t.lines[n]
	switch {
	case row.gap:
		return
	case row.command != nil:
		t.drawCommand(l, row)
		return
	}
	a := t.s.Session
	c := a.Connections[row.conn]
	l.Put(c.Style(), kit.ColourBar)
	cols := columnsOf(l.Width)
	word, k := c.Label(row.label)
	room := cols.table - 1 - l.At
	if row.label == 1 {
		word = words.ShortPlace(room, safe.Text(word))
	}
	l.Fit(k, word, room)
	l.To(cols.table)
	if row.table == "" {
		switch row.label {
		case 0:
			t.nothing(l, row.conn)
		case 2:
			l.Words(kit.Muted, t.s.of[row.conn].instead(), l.Width-l.At-1)
		}
		return
	}
	l.Fit(kit.Strong, row.table, cols.items-cols.table-14)
	o, known := t.s.of[row.conn].opened[row.table]
	l.To(cols.items - 12)
	switch {
	case t.s.of[row.conn].err != nil:
		l.To(cols.items - 7)
		l.Words(kit.Absent, "not listed; enter opens it by its name", l.Width-l.At-1)
	case !known:
		l.EndsIn(kit.Faint, "…", cols.items-12, cols.items)
	case o.Err != nil:
		kind, _, why, _ := words.Explain(o.Err)
		l.EndsIn(kit.Absent, kind, cols.items-12, cols.items)
		l.To(cols.keeps)
		l.Words(kit.Absent, why, l.Width-l.At-1)
	default:
		l.EndsIn(kit.Text, phrase.Group(strconv.FormatInt(o.Table.Items, 10)), cols.items-12, cols.items)
		if cols.size > 0 {
			l.EndsIn(kit.Muted, words.Size(o.Table.Bytes), cols.items+1, cols.size)
		}
		l.To(cols.keeps)
		keeps := dynamo.Keeps(o.Table)
		look := kit.Muted
		if o.Table.Layout.Empty() {
			look = kit.Absent
		}
		l.Words(look, keeps, l.Width-l.At-1)
	}
}

// nothing says why a connection shows no tables.
func (t list) nothing(l *kit.Line, conn int) {
	c := t.s.of[conn]
	switch {
	case c.err != nil:
		kind, _, why, _ := words.Explain(c.err)
		l.Put(kit.Warn, kind+": ")
		l.Words(kit.Text, why, l.Width-l.At-1)
	case c.names == nil:
		l.Put(kit.Muted, "asking for its tables")
	default:
		l.Put(kit.Absent, "no tables in "+t.s.Connections[conn].Where())
	}
}

type columns struct{ table, items, size, keeps int }

func columnsOf(width int) columns {
	c := columns{table: 17, items: 47, size: 56, keeps: 59}
	switch {
	case width < 70: // no sizes
		c = columns{table: 17, items: width - 18, keeps: width - 16}
	case width < 76:
		c = columns{table: 17, items: 40, size: 49, keeps: 52}
	}
	if extra := width - 80; extra > 0 {
		grow := min(extra/2, 30)
		c.table += grow / 3
		c.items, c.size, c.keeps = c.items+grow, c.size+grow, c.keeps+grow
	}
	return c
}
