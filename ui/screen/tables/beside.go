package tables

import (
	"slices"
	"strings"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
	"tallylock/ui/kit"
	"tallylock/ui/words"
)

// beside is the selected table on a wide screen: what it is, its keys, and the layout by
// which it would be opened.
func (s *Screen) beside(d *kit.Block) {
	row, ok := s.selected()
	if !ok || row.command != nil {
		return
	}
	o, known := s.of[row.conn].opened[row.table]
	if !known || o.Err != nil {
		return
	}
	t := o.Table
	if len(d.Lines) > 0 {
		d.Gap()
	}
	d.Para(1, kit.Strong, t.Name)
	d.Para(
		1,
		kit.Text,
		"About "+phrase.Count(int(t.Items),
			"item")+", "+words.Size(t.Bytes)+". A full read costs about "+words.ReadUnits(dynamo.AccountsCost(t).Units)+".",
	)
	d.Gap()
	Keys(d, t)
	d.Gap()
	if t.Layout.Empty() {
		d.Head(1, "LAYOUT")
		d.Para(1, kit.Absent, "None was recognised.")
		return
	}
	d.Head(1, "LAYOUT "+t.Layout.Name)
	for _, part := range t.Layout.Config(t.Name).Parts() {
		describe(d, part)
	}
	said(d, t)
}

// Keys lists the keys of a table and of its indexes.
func Keys(d *kit.Block, t *dynamo.Table) {
	d.Head(1, "KEYS")
	keys := append([]attr.Index{{Name: "table", Schema: t.Schema}}, t.Sorted...)
	var names []string
	for _, k := range keys {
		names = append(names, k.Name)
	}
	for name := range t.Indexes {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names[len(keys):])
	d.Branch(names, func(n int) kit.Span {
		if n < len(keys) {
			return kit.Text.Of(schema(keys[n].Schema))
		}
		return kit.Text.Of(t.Indexes[names[n]])
	})
}

// schema is a key's attributes.
func schema(s attr.Schema) string {
	return strings.TrimSuffix(s.HashName+" / "+s.RangeName, " / ")
}

// describe writes the settings of a part of a layout.
func describe(d *kit.Block, part layout.Part) {
	var set []layout.Setting
	var names []string
	for _, one := range part.Settings {
		if one.Set && one.Name != "name" && one.Name != "model" { // which stand above
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
