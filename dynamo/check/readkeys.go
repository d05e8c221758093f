package check

import (
	"slices"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/scan"
)

// keyRoles tells locks and accounts by their keys alone, if the layout's keys are plain. It
// agrees with Layout.Classify, or does not tell.
type keyRoles struct {
	hash, sort int // columns of the key's attributes; sort is −1 if the table has none
	locks      []plainLock
	accounts   []plainAccount
	fixed      []string // the partition keys of counters
}

type plainLock struct {
	layout.Plain
	rule    *rule
	account *layout.Account
}

type plainAccount struct {
	layout.Plain
	account *layout.Account
}

// keyRolesOf returns nil if keys alone do not tell, or if ids have to be read.
func keyRolesOf(t *dynamo.Table, from *source, ruleOf map[*layout.Constraint]*rule) *keyRoles {
	p := &keyRoles{hash: from.column(from.schema.HashName), sort: from.column(from.schema.RangeName)}
	if len(from.ids) > 0 {
		return nil
	}
	for _, a := range t.Layout.Accounts {
		for _, con := range a.Constraints {
			if con.LockTable(t.Name) != from.name {
				continue
			}
			plain, ok := con.Plain(from.schema)
			if !ok || con.Is.Attribute != "" || len(con.Also) > 0 || ruleOf[con].plain < 0 {
				return nil
			}
			p.locks = append(p.locks, plainLock{plain, ruleOf[con], a})
		}
	}
	for _, counter := range t.Layout.Counters {
		if !counter.Fixed(from.schema) {
			continue // accounts are told before counters of a family
		}
		k, err := counter.Key(from.schema)
		if err != nil {
			return nil
		}
		p.fixed = append(p.fixed, k.Hash.Value.Text)
	}
	if from.name != t.Name {
		return p
	}
	for _, a := range t.Layout.Accounts {
		plain, ok := a.Plain(from.schema)
		if !ok || a.Is.Attribute != "" {
			return nil
		}
		p.accounts = append(p.accounts, plainAccount{plain, a})
	}
	return p
}

// byKeyAlone takes in the item if its key alone tells that it is a lock or an account, as
// nearly every item's does.
func (v *visitor) byKeyAlone(row scan.Row) bool {
	plain := v.from.keyRoles
	if plain == nil || !v.pass.comparesLocks() {
		return false
	}
	hash, sort := &row[plain.hash], ""
	if hash.Kind != attr.S {
		return false
	}
	if plain.sort >= 0 {
		sort = row[plain.sort].Text
	}
	for n := range plain.locks {
		l := &plain.locks[n]
		if value, ok := l.Read(hash.Text, sort); ok {
			v.key = v.run.codec.appendValue(v.key[:0], l.rule.plain, value)
			v.addLock(l.rule,
				layout.Role{Account: l.account, Constraint: l.rule.Constraint, Value: value, Malformed: layout.Nonsense(value)},
				v.key)
			return true
		}
	}
	if slices.Contains(plain.fixed, hash.Text) {
		return false
	}
	for n := range plain.accounts {
		a := &plain.accounts[n]
		if _, ok := a.Read(hash.Text, sort); ok {
			v.addAccount(a.account, hash.Text)
			return true
		}
	}
	return false
}
