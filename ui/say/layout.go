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
		return "the preset " + preset + ", named in --layout or the config"
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

// settings explains the settings of a layout. A key is the kind of layout part and the name of the setting.
var settings = map[string]string{
	"account.pk":              "The account's partition key, with {id} in place of its id.",
	"account.sk":              "The account's sort key; {pk} repeats the partition key.",
	"constraint.attribute":    "The account's attribute with the value: a name, or a path such as contact.email.",
	"constraint.pk":           "The lock's partition key, with {v} in place of the value.",
	"constraint.sk":           "The lock's sort key; {pk} repeats the partition key.",
	"constraint.owner":        "The lock's attribute that names the account, by its id or its partition key.",
	"constraint.table":        "The locks' table, if they have one of their own.",
	"constraint.index":        "An index on the attribute. It finds holders faster, but never proves that a value has no holder.",
	"constraint.unique":       "true: the values have no locks, but no two accounts may hold the same value.",
	"constraint.nowhere_else": "true: nothing outside the layout holds the values. A release by owner then reads only the owner's account.",
	"counter.semantics":       "last: the last number handed out. next: the next one. tally: the number of items.",
	"constraint.normalise": "The steps that change a value before it becomes part of a key, in order. Possible: " +
		strings.Join(layout.Normalisers(), ", ") + ".",
}

// Setting explains a setting of a layout. The result is empty if the setting's name says enough. kind is the kind of
// layout part that has the setting.
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
