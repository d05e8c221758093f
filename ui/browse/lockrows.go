package browse

import (
	"slices"
	"strings"

	"tallylock/dynamo"
)

// LockGroup is a group of locks: those of one constraint.
type LockGroup struct {
	Prefix    string
	Relations []*dynamo.Relation
	Total     int
	// Judged and Broken are how many of all were.
	Judged, Broken int
}

// lockGroups groups locks by what their keys begin with.
func lockGroups(groups []dynamo.LockGroup, onlyProblems, sorted bool) []LockGroup {
	var out []LockGroup
	for _, g := range groups {
		row := LockGroup{Prefix: g.Constraint.PK.Prefix(), Relations: g.Relations, Total: len(g.Relations)}
		for _, r := range g.Relations {
			if r.Verdict != dynamo.Unknown {
				row.Judged++
			}
			if r.Verdict.Broken() {
				row.Broken++
			}
		}
		if onlyProblems {
			row.Relations = nil
			for _, r := range g.Relations {
				if r.Verdict.Broken() {
					row.Relations = append(row.Relations, r)
				}
			}
			if len(row.Relations) == 0 {
				continue
			}
		}
		if sorted {
			row.Relations = slices.Clone(row.Relations)
			slices.SortStableFunc(row.Relations, func(a, b *dynamo.Relation) int { return strings.Compare(a.Value, b.Value) })
		}
		if row.Prefix == "" {
			row.Prefix = g.Constraint.Name
		}
		out = append(out, row)
	}
	return out
}
