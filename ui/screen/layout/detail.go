package layout

import (
	"slices"
	"strings"

	"tallylock/dynamo/layout"
	"tallylock/ui/kit"
)

// detail draws the row in full. all is set beside the list, where there is room for everything.
func (r row) detail(d *kit.Block, all bool) {
	if len(r.title) == 0 {
		return
	}
	last := len(r.title) - 1
	d.Row(func(l *kit.Line) {
		for _, s := range r.title[:last] {
			l.Put(s.Style, s.Text)
		}
		l.Fit(r.title[last].Style, r.title[last].Text, l.Width-l.At-1)
	})
	facts := r.facts
	if r.setting.Set && (all || d.Whole) {
		facts = slices.Insert(slices.Clone(facts), 0, kit.Strong.Says("value", r.setting.Text))
	}
	d.Facts(facts...)
}

// written draws the layout as TOML below the lines, if all of it fits.
func (s *Screen) written(d *kit.Block) {
	lines := strings.Split(strings.TrimSpace(string(s.config.TOML())), "\n")
	if len(lines)+2 > d.Height {
		return
	}
	d.Gap()
	d.Head(2, "AS TOML, FOR THE CONFIG")
	for _, text := range lines {
		d.Words(4, kit.Text, text)
	}
}

// meanings explain the settings, by the kind of their part and their name.
var meanings = map[string]string{
	"account.pk":              "The account's partition key; {id} stands where its id does.",
	"account.sk":              "The account's sort key; {pk} repeats the partition key.",
	"constraint.attribute":    "Where the account holds the value: a name, or a path as contact.email.",
	"constraint.pk":           "The lock's partition key; {v} stands where the value does.",
	"constraint.sk":           "The lock's sort key; {pk} repeats the partition key.",
	"constraint.owner":        "The lock's attribute that names the account, by its id or its partition key.",
	"constraint.table":        "The locks' table, where it is not the accounts' own.",
	"constraint.index":        "An index on the attribute. It finds holders sooner, and never proves that there are none.",
	"constraint.unique":       "No locks keep the values, and no two accounts may hold one: true.",
	"constraint.nowhere_else": "Nothing outside the layout holds the values: true. Then a release by owner reads only the owner's account.",
	"counter.semantics":       "last: the last number handed out. next: the next one. tally: how many there are.",
	"constraint.normalise": "What the application does to a value before it locks it, in its order: " +
		strings.Join(layout.Normalisers(), ", ") + ".",
}

// meaning explains a setting; empty if its name says enough.
func meaning(kind, setting string) string {
	if setting == "is" {
		return "An attribute and its value that only these items have: type = user."
	}
	return meanings[kind+"."+setting]
}
