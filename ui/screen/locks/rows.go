package locks

import (
	"context"
	"slices"
	"strings"

	"tallylock/dynamo"
	"tallylock/ui/browse"
)

// group is a group of locks: those of one constraint.
type group struct {
	prefix    string
	relations []*dynamo.Relation
	total     int
	// judged and broken are how many of all were.
	judged, broken int
}

// groups are the locks that are listed.
type groups []group

// Arrange implements browse.Lister.
func (s *Screen) Arrange() func(*dynamo.View, bool) browse.Arranged {
	return func(v *dynamo.View, sorted bool) browse.Arranged {
		return browse.Arranged{All: groupsOf(v.Locks, false, sorted), Problems: groupsOf(v.Locks, true, sorted)}
	}
}

// Len implements browse.Rows.
func (all groups) Len() int {
	n := 0
	for _, g := range all {
		n += len(g.relations)
	}
	return n
}

// First implements browse.Rows.
func (all groups) First(n int) browse.Rows {
	out := slices.Clone(all)
	for i, g := range out {
		out[i].relations = g.relations[:min(n, len(g.relations))]
		n -= len(out[i].relations)
	}
	return out
}

// Holding implements browse.Rows.
func (all groups) Holding(ctx context.Context, want string) (browse.Rows, error) {
	var out groups
	for _, g := range all {
		var fit []*dynamo.Relation
		if err := browse.Each(ctx, g.relations, func(r *dynamo.Relation) {
			if browse.Holds(r, want) {
				fit = append(fit, r)
			}
		}); err != nil {
			return nil, err
		}
		if g.relations = fit; len(fit) > 0 {
			out = append(out, g)
		}
	}
	return out, nil
}

// groupsOf groups locks by what their keys begin with.
func groupsOf(locks []dynamo.LockGroup, onlyProblems, sorted bool) groups {
	var out groups
	for _, g := range locks {
		row := group{prefix: g.Constraint.PK.Prefix(), relations: g.Relations, total: len(g.Relations)}
		for _, r := range g.Relations {
			if r.Verdict != dynamo.Unknown {
				row.judged++
			}
			if r.Verdict.Broken() {
				row.broken++
			}
		}
		if onlyProblems {
			row.relations = nil
			for _, r := range g.Relations {
				if r.Verdict.Broken() {
					row.relations = append(row.relations, r)
				}
			}
			if len(row.relations) == 0 {
				continue
			}
		}
		if sorted {
			row.relations = slices.Clone(row.relations)
			slices.SortStableFunc(row.relations, func(a, b *dynamo.Relation) int { return strings.Compare(a.Value, b.Value) })
		}
		if row.prefix == "" {
			row.prefix = g.Constraint.Name
		}
		out = append(out, row)
	}
	return out
}
