package tables

import (
	"strconv"

	"tallylock/dynamo"
	"tallylock/dynamo/phrase"
	"tallylock/ui/kit"
	"tallylock/ui/safe"
	"tallylock/ui/session"
	"tallylock/ui/words"
)

func (t list) Len() int { return len(t.lines) }
func (t list) Row(n int) (int, int, bool) {
	return n, n, t.lines[n].choosable()
}

// shown is a line as it is drawn, with what is known of its table.
type shown struct {
	line
	on     session.Connection
	opened dynamo.Opened
	known  bool // it was opened
	listed bool // its connection's tables are listed
}

// columns are those of the list: a column is a line here, and nothing elsewhere.
var columns = []kit.Column[shown]{
	{Head: "CONNECTION", Cells: 14, Max: 24, Grow: 1, Draw: drawConnection},
	{
		Head:  "TABLE",
		Cells: 16,
		Min:   11,
		Max:   36,
		Grow:  2,
		Draw:  func(l *kit.Line, r shown, w int) { l.Fit(kit.Strong, r.table, w) },
	},
	{Head: "ITEMS, ABOUT", Cells: 12, Gap: 2, Right: true, Draw: drawItems},
	{Head: "SIZE", Cells: 8, Spare: 1, Right: true, Draw: drawSize},
	{Head: "KEEPS", Cells: 21, Min: 15, Grow: 3, Gap: 3, Draw: drawKeeps},
}

// Draw has commands, and what is said where there is no table, begin in place of its name.
func (t list) Draw(l *kit.Line, n int, _ bool) {
	row := t.lines[n]
	if row.gap {
		return
	}
	c := &t.s.of[row.conn]
	r := shown{line: row, on: t.s.Connections[row.conn], listed: c.err == nil}
	switch {
	case row.command != nil:
		t.s.table.Begin(l, r)
		t.drawCommand(l, row)
	case row.table == "":
		t.s.table.Begin(l, r)
		t.instead(l, row)
	default:
		r.opened, r.known = c.opened[row.table]
		t.s.table.Draw(l, r)
	}
}

func drawConnection(l *kit.Line, r shown, w int) {
	if r.command != nil {
		if r.label == 0 {
			l.Put(kit.Muted, "command")
		}
		return
	}
	end := l.At + w
	l.Put(r.on.Style(), kit.ColourBar)
	word, k := r.on.Label(r.label)
	if r.label == 1 {
		word = words.ShortPlace(end-l.At, safe.Text(word))
	}
	l.Fit(k, word, end-l.At)
}

func drawItems(l *kit.Line, r shown, w int) {
	from, end := l.At, l.At+w
	switch {
	case !r.listed:
		l.Words(kit.Absent, "not listed; enter opens it", l.Width-from-1)
	case !r.known:
		l.EndsIn(kit.Faint, "…", from, end)
	case r.opened.Err != nil:
		kind, _, _, _ := words.Explain(r.opened.Err)
		l.EndsIn(kit.Absent, kind, from, end)
	default:
		l.EndsIn(kit.Text, phrase.Group(strconv.FormatInt(r.opened.Table.Items, 10)), from, end)
	}
}

func drawSize(l *kit.Line, r shown, w int) {
	if r.listed && r.known && r.opened.Err == nil {
		l.EndsIn(kit.Muted, words.Size(r.opened.Table.Bytes), l.At, l.At+w)
	}
}

func drawKeeps(l *kit.Line, r shown, w int) {
	switch {
	case !r.listed || !r.known:
	case r.opened.Err != nil:
		_, _, why, _ := words.Explain(r.opened.Err)
		l.Words(kit.Absent, why, w-1)
	case r.opened.Table.Layout.Empty():
		l.Words(kit.Absent, dynamo.Keeps(r.opened.Table), w-1)
	default:
		l.Words(kit.Muted, dynamo.Keeps(r.opened.Table), w-1)
	}
}

// instead says why a connection shows no tables, and what to do.
func (t list) instead(l *kit.Line, row line) {
	switch row.label {
	case 0:
		t.nothing(l, row.conn)
	case 2:
		l.Words(kit.Muted, t.s.of[row.conn].instead(), l.Width-l.At-1)
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
