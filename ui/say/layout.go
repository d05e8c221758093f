package say

import (
	"strings"

	"tallylock/dynamo"
	"tallylock/dynamo/layout"
)

// Origin says where the layout of a table comes from.
func Origin(t *dynamo.Table) string {
	preset := t.Layout.Preset
	switch {
	case t.Layout.Empty():
		return "not recognised"
	case t.Layout.Configured:
		return "from the config"
	case t.Layout.State() == layout.Accepted:
		return "accepted"
	case preset != "" && preset == t.Connection().LayoutNamed():
		return "the preset " + preset + ", as named"
	case preset != "":
		return "recognised as " + preset
	}
	return "recognised"
}

// LineNotes returns the note for each line of a table's layout: the evidence for it.
func LineNotes(t *dynamo.Table) func(section, setting string) string {
	notes := map[[2]string]string{}
	for _, line := range dynamo.LinesOf(t) {
		notes[[2]string{line.Section, line.Setting}] = strings.TrimSpace(map[bool]string{true: "? "}[line.Unsure] + line.Text)
	}
	return func(section, setting string) string { return notes[[2]string{section, setting}] }
}

// settings explains the settings of a layout, by the kind of their part and their name.
var settings = map[string]string{
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

// Setting explains a setting of a layout; empty if its name says enough. kind is the kind of its part.
func Setting(kind, setting string) string {
	if setting == "is" {
		return "An attribute and its value that only these items have: type = user."
	}
	return settings[kind+"."+setting]
}

// Keys joins a partition key and a sort key, or their patterns: "ORDER#* / META". sort is empty if there is none.
func Keys(hash, sort string) string { return strings.TrimSuffix(hash+" / "+sort, " / ") }

// Pattern writes the pattern of an item's keys as Keys does: "ORDER#* / META" for "ORDER#*/META".
func Pattern(keys string) string { return strings.Replace(keys, "/", " / ", 1) }
