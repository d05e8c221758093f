package dynamo

import (
	"context"
	"slices"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/infer"
	"tallylock/dynamo/infer/counters"
	"tallylock/dynamo/layout"
)

// Suggested returns the names of constraints and counters that the sample suggests, and that the
// table's described layout lacks and does not ignore. It reads nothing.
func (s *Sample) Suggested(ctx context.Context) (constraints, counted []string, err error) {
	t := s.t
	if s.own == nil || !t.Layout.Configured {
		return nil, nil, nil
	}
	own := asSample(t.Description, s.own)
	accounts, err := infer.Accounts(ctx, own, nil, nil)
	if err != nil {
		return nil, nil, err
	}
	rules := t.Layout.Rules()
	for _, a := range append(accounts, infer.Unlocked(own)...) {
		for _, c := range a.Constraints {
			known := slices.ContainsFunc(rules, func(r *layout.Constraint) bool {
				return r.Attribute == c.Attribute || c.PK != "" && r.PK.String() == c.PK && r.SK.String() == c.SK
			})
			if name := c.Name; !known && !layout.Ignores(t.Layout, name) && !slices.Contains(constraints, name) {
				constraints = append(constraints, name)
			}
		}
	}
	for _, c := range counters.Of(own) {
		name := c.Name
		if name == "" {
			name = t.Name
		}
		if !s.knows(c.Counter) && !layout.Ignores(t.Layout, name) {
			counted = append(counted, name)
		}
	}
	return constraints, counted, nil
}

// CountersWith recognises counters among the sampled items and others.
func (s *Sample) CountersWith(others []attr.Item) []counters.Counter {
	if len(others) == 0 || s.own == nil {
		return nil
	}
	all := asSample(s.t.Description, s.own)
	all.Items = slices.Concat(all.Items, others)
	return counters.Of(all)
}

// knows reports whether the layout takes every sampled item of a counter for one.
func (s *Sample) knows(c *layout.Counter) bool {
	for _, item := range s.own.items {
		if c.Matches(s.t.Schema, item) && s.t.Layout.Classify(s.t.Name, s.t.Name, s.t.Schema, item) == (layout.Role{}) {
			return false
		}
	}
	return true
}
