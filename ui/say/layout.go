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
