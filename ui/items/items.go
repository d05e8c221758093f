// Package items lists plain items: the items of a query, and the items of a table whose layout has no accounts. Start
// reading at List.
package items

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/phrase"
	"tallylock/ui/dialog/save"
	"tallylock/ui/kit"
	"tallylock/ui/record"
	"tallylock/ui/say"
	"tallylock/ui/screen"
	"tallylock/ui/session"
)

// Row is one item with its key.
type Row struct {
	Item attr.Item
	Key  attr.Key
}

// Rows returns items with their keys. It leaves out items without a key of the schema.
func Rows(items []attr.Item, schema attr.Schema) []Row {
	out := make([]Row, 0, len(items))
	for _, item := range items {
		if k, ok := schema.KeyOf(item); ok {
			out = append(out, Row{item, k})
		}
	}
	return out
}

// Save asks for a file for items of a table. of describes the items.
func Save(s *session.Session, table *dynamo.Table, of func() string, rows func() []Row) tea.Cmd {
	return save.Ask(s, save.List("Save the items", filepath.Base(table.Name)+"-items.jsonl", func() save.Listed {
		rows := rows()
		return save.Listed{What: phrase.Count(len(rows), "item"), Of: of(), List: func() record.List {
			items := make([]attr.Item, len(rows))
			for n, row := range rows {
				items[n] = row.Item
			}
			return record.Items(table.Schema, items)
		}}
	}))
}

// List is a list of plain items.
type List struct {
	Rows  []Row
	Table *Table
}

// Table draws the rows of a List. Its zero value is ready for use.
type Table struct {
	kit.Table[Row]
	keys   int   // the width of the keys that the columns were made for
	fitted []Row // the rows that the width was computed from
}

// mostFitted is the number of rows that the width of the keys is computed from.
const mostFitted = 200

// Fit makes the key column wide enough for the keys of the rows. The attributes get the rest.
func (t *Table) Fit(rows []Row) {
	rows = rows[:min(len(rows), mostFitted)]
	if len(rows) > 0 && len(rows) == len(t.fitted) && &rows[0] == &t.fitted[0] {
		return
	}
	keys := leastKey
	t.fitted = rows
	for _, row := range rows {
		keys = max(keys, min(kit.ValueWidth(row.Key.String()), mostKey))
	}
	if t.keys != keys {
		t.keys, t.Table = keys, kit.Table[Row]{Columns: columns(keys)}
	}
}

// leastKey and mostKey limit the width of the keys.
const leastKey, mostKey = 16, 60

// columns returns the columns of the list. To add a column, add it here. keys is the width of the keys.
func columns(keys int) []kit.Column[Row] {
	return []kit.Column[Row]{
		{Head: "KEY", Cells: keys, Draw: drawKey},
		{Head: "ATTRIBUTES", Cells: 12, Grow: 1, Gap: 2, Spare: 1, Draw: drawAttributes},
	}
}

// Len implements kit.Source.
func (s List) Len() int { return len(s.Rows) }

// Row implements kit.Source.
func (s List) Row(n int) (int, int, bool) { return n, n, true }

// Name implements kit.Named.
func (s List) Name(n int) string { return s.Rows[n].Key.ID() }

// Draw implements kit.Source.
func (s List) Draw(l *kit.Line, n int, _ bool) { s.Table.Draw(l, s.Rows[n]) }

func drawKey(l *kit.Line, row Row, w int) {
	l.Middle(kit.Strong, row.Key.String(), min(w, l.Width-l.At-1))
}

// drawAttributes draws the attributes like JSON: the scalars first, then the others.
func drawAttributes(l *kit.Line, row Row, _ int) {
	for n, name := range row.names() {
		if l.At >= l.Width-8 {
			l.Put(kit.Muted, " …")
			return
		}
		if n > 0 {
			l.Put(kit.Text, "  ")
		}
		l.Fit(kit.Muted, name, 18)
		l.Put(kit.Muted, ": ")
		v := row.Item[name]
		room := min(l.Width-l.At-2, 30)
		if v.Kind == attr.N {
			if text := say.FitNumber(v.Text, room); kit.Width(text) <= room {
				l.Put(kit.Text, text)
			}
			continue
		}
		var text strings.Builder
		writeJSON(&text, v)
		l.Fit(kit.Text, text.String(), room)
	}
}

// names returns the names of the attributes that are not the key: those with a scalar value first.
func (r Row) names() []string {
	out := slices.DeleteFunc(r.Item.Names(), func(name string) bool {
		return name == r.Key.Hash.Name || name == r.Key.Range.Name
	})
	slices.SortStableFunc(out, func(a, b string) int { return cmp.Compare(depth(r.Item[a]), depth(r.Item[b])) })
	return out
}

// depth returns 1 for a list, a map or a set, and 0 for any other value.
func depth(v attr.Value) int {
	if v.Scalar() || v.Kind == attr.BOOL || v.Kind == attr.NULL {
		return 0
	}
	return 1
}

// mostJSON limits the length of the JSON of a value, in bytes. No line of a screen shows more.
const mostJSON = 400

// writeJSON writes a value as plain JSON, without DynamoDB's types. The result may contain control characters.
func writeJSON(out *strings.Builder, v attr.Value) {
	list := v.List
	switch v.Kind {
	case attr.S:
		out.WriteString(`"` + v.Text + `"`)
		return
	case attr.M:
		out.WriteString("{")
		for n, name := range attr.Item(v.Map).Names() {
			if out.Len() > mostJSON {
				return
			}
			if n > 0 {
				out.WriteString(", ")
			}
			out.WriteString(name + ": ")
			writeJSON(out, v.Map[name])
		}
		out.WriteString("}")
		return
	case attr.L, attr.SS, attr.BS, attr.NS:
		for _, text := range v.Set {
			list = append(list, attr.Value{Kind: v.Kind[:1], Text: text})
		}
	default:
		out.WriteString(v.Display())
		return
	}
	out.WriteString("[")
	for n, one := range list {
		if out.Len() > mostJSON {
			return
		}
		if n > 0 {
			out.WriteString(", ")
		}
		writeJSON(out, one)
	}
	out.WriteString("]")
}

// Holds reports whether a name or a value of the item contains want, which is in lower case.
func (r Row) Holds(want string) bool {
	for name, v := range r.Item {
		if screen.Holds(want, name, v.Display()) {
			return true
		}
	}
	return false
}

// Below draws the item below the list. part says how much of the item was read; empty if all of it.
func (r Row) Below(d *kit.Block, part string) {
	d.Fact("item", kit.Text.Of(r.Key.String()))
	d.Fact("has", kit.Text.Of(phrase.Count(len(r.Item), "attribute")),
		kit.Muted.Of(", "+phrase.Count(r.Item.Size(), "byte")+part))
}

// Beside draws the item beside the list.
func (r Row) Beside(d *kit.Block, part string) {
	d.Head(1, "ITEM"+strings.ToUpper(part))
	screen.DrawItem(d, r.Item, r.Key, nil)
	d.Gap()
}

// Selected describes an item for copying. name is the text for the item, for example "the item".
func (r Row) Selected(name string) screen.Selected {
	return screen.Selected{
		Cell:  screen.Form{Hint: "copy", Words: "the key's value", Text: screen.Plain(r.Key.Hash.Value.Display())},
		Whole: screen.JSON(name, r.Item),
		Key:   func() (attr.Key, string) { return r.Key, "" },
	}
}
