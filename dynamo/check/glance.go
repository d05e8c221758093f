package check

import (
	"slices"

	"tallylock/dynamo/layout"
)

// glance tells locks and accounts by their keys alone, where the layout's keys
// are plain. It says what Classify says, or nothing.
type glance struct {
	hash, sort int // columns of the keys; sort is −1 where the table has none
	locks      []glanceLock
	accounts   []glanceAccount
	fixed      []string // the partition keys of counters
}

type glanceLock struct {
	layout.Plain
	rule *rule
	role layout.Role
}

type glanceAccount struct {
	layout.Plain
	role layout.Role
}

// glance is nil where keys alone do not tell, or where there are ids to be read.
func (c *checker) glance(from *source) *glance {
	l, t := c.t.Layout, c.t
	g := &glance{hash: slices.Index(from.names, from.schema.HashName), sort: -1}
	if from.schema.RangeName != "" {
		g.sort = slices.Index(from.names, from.schema.RangeName)
	}
	if len(from.ids) > 0 {
		return nil
	}
	for _, a := range l.Accounts {
		for _, con := range a.Constraints {
			if con.LockTable(t.Name) != from.name {
				continue
			}
			p, ok := con.Plain(from.schema)
			if !ok || con.Is.Attribute != "" {
				return nil
			}
			g.locks = append(g.locks, glanceLock{p, c.ruleOf[con], layout.Role{Account: a, Constraint: con}})
		}
	}
	for _, counter := range l.Counters {
		if !counter.Fixed(from.schema) {
			continue // a family's comes after accounts
		}
		k, err := counter.Key(from.schema)
		if err != nil {
			return nil
		}
		g.fixed = append(g.fixed, k.Hash.Value.Text)
	}
	if from.name != t.Name {
		return g
	}
	for _, a := range l.Accounts {
		p, ok := a.Plain(from.schema)
		if !ok || a.Is.Attribute != "" {
			return nil
		}
		g.accounts = append(g.accounts, glanceAccount{p, layout.Role{Account: a}})
	}
	return g
}

// role is what an item with this key is; nothing where a glance does not tell.
func (g *glance) role(hash, sort string) (layout.Role, *rule) {
	for n := range g.locks {
		l := &g.locks[n]
		if v, ok := l.Read(hash, sort); ok {
			role := l.role
			role.Value, role.Malformed = v, layout.Nonsense(v)
			return role, l.rule
		}
	}
	if slices.Contains(g.fixed, hash) {
		return layout.Role{}, nil
	}
	for n := range g.accounts {
		a := &g.accounts[n]
		if id, ok := a.Read(hash, sort); ok {
			role := a.role
			role.ID = id
			return role, nil
		}
	}
	return layout.Role{}, nil
}
