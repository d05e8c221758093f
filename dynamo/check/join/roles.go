package join

import (
	"slices"
	"strings"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/scan"
)

// KeyRoles recognises locks and accounts by their keys alone, which is fast. It never contradicts Layout.Classify. It
// exists only if two conditions hold. The layout's keys are plain, and no attribute is needed to tell the locks of two
// constraints apart.
type KeyRoles struct {
	Hash, Sort int // the columns of the key; Sort is −1 if the table has no sort key
	Locks      []plainLock
	Accounts   []plainAccount
	Fixed      []string // the partition keys of counters with a fixed key
}

type plainLock struct {
	layout.Plain
	Rule    *Rule
	Account *layout.Account
}

type plainAccount struct {
	layout.Plain
	Account *layout.Account
}

// Classify returns the role of a row if the key alone shows that the row is a lock or an account. Otherwise the role is
// empty. of is the rule of a lock.
func (p *KeyRoles) Classify(row scan.Row) (role layout.Role, of *Rule) {
	hash, sort := &row[p.Hash], ""
	if hash.Kind != attr.S {
		return layout.Role{}, nil
	}
	if p.Sort >= 0 {
		sort = row[p.Sort].Text
	}
	for n := range p.Locks {
		l := &p.Locks[n]
		if value, ok := l.Read(hash.Text, sort); ok {
			return layout.Role{
				Account: l.Account, Constraint: l.Rule.Constraint, Value: value, Malformed: layout.Nonsense(value),
			}, l.Rule
		}
	}
	if slices.Contains(p.Fixed, hash.Text) {
		return layout.Role{}, nil
	}
	for n := range p.Accounts {
		a := &p.Accounts[n]
		if id, ok := a.Read(hash.Text, sort); ok {
			return layout.Role{Account: a.Account, ID: id}, nil
		}
	}
	return layout.Role{}, nil
}

// KeyRolesOf returns the key roles of a table. It returns nil if keys alone do not show the roles.
func KeyRolesOf(t *dynamo.Table, from *Source, ruleOf map[*layout.Constraint]*Rule) *KeyRoles {
	p := &KeyRoles{Hash: from.Column(from.Schema.HashName), Sort: from.Column(from.Schema.RangeName)}
	for _, a := range t.Layout.Accounts {
		for _, con := range a.Constraints {
			if t.LockTable(con) != from.Name {
				continue
			}
			plain, ok := con.Plain(from.Schema)
			if !ok || con.Is.Attribute != "" || len(con.Also) > 0 || ruleOf[con].PlainIndex < 0 {
				return nil
			}
			for _, l := range p.Locks { // Layout.Classify needs the owner to tell these locks apart
				if l.Rule.Constraint.Owner != "" &&
					(strings.HasPrefix(l.Prefix, plain.Prefix) || strings.HasPrefix(plain.Prefix, l.Prefix)) {
					return nil
				}
			}
			p.Locks = append(p.Locks, plainLock{plain, ruleOf[con], a})
		}
	}
	for _, counter := range t.Layout.Counters {
		if !counter.Fixed(from.Schema) {
			continue // the layout recognises accounts before counters of a family
		}
		k, err := counter.Key(from.Schema)
		if err != nil {
			return nil
		}
		p.Fixed = append(p.Fixed, k.Hash.Value.Text)
	}
	if from.Name != t.Name {
		return p
	}
	for _, a := range t.Layout.Accounts {
		plain, ok := a.Plain(from.Schema)
		if !ok || a.Is.Attribute != "" {
			return nil
		}
		p.Accounts = append(p.Accounts, plainAccount{plain, a})
	}
	return p
}
