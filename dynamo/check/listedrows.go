package check

import (
	"slices"
	"strings"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

// listedKey takes in a key where locks and accounts do not fit together.
func (l *listing) key(row candidateRow) {
	v := l.visitors[0]
	r := v.p.r
	if v.p.join == nil {
		return
	}
	of := r.rules.named(row.Constraint)
	if of == nil {
		return
	}
	key, ok := of.locks.schema.KeyOf(row.Lock)
	if !ok {
		return
	}
	v.key = r.codec.append(v.key[:0], of.locks, keyText(key.Hash.Value), keyText(key.Range.Value))
	if !v.inPartition() {
		return
	}
	value, _, fits := of.ParseLock(of.locks.schema, key)
	if row.LockExists {
		partition := row.Owner
		if row.Owner != "" {
			partition, _ = of.partition(row.Owner, func() attr.Key { return key })
		}
		e := v.join.next(-1)
		v.entry(e, of, partition)
		if v.soon != nil && row.LockExpires {
			v.expiring(e.Place, -1)
		}
		if c := v.p.candidates[e.Place]; c != nil {
			owner := row.Owner
			if of.OwnedByKey() {
				owner = of.KeyOwner(key)
			}
			c.meet(of, v.key, layout.Role{Constraint: of.Constraint, Value: value, Malformed: !fits || layout.Nonsense(value)}, lockFacts{owner: owner})
		}
	}
	for _, account := range row.Accounts {
		own, ok := r.sources[0].schema.KeyOf(account)
		if !ok {
			continue
		}
		e := v.join.next(1)
		v.entry(e, of, keyText(own.Hash.Value))
		if v.soon != nil && row.AccountExpires {
			v.expiring(e.Place, 1)
		}
		if c := v.p.candidates[e.Place]; c != nil {
			c.claimed(v.p.room, of, v.key, value, holder{hash: own.Hash.Value.Text, sort: own.Range.Value.Text}, 0)
		}
	}
	if c := v.p.candidates[r.seed.Fingerprint(v.key)]; c != nil {
		c.mu.Lock()
		c.listed = true
		c.more += int32(min(row.MoreAccounts, 1<<30))
		c.mu.Unlock()
	}
}

// listedValue takes in a value that several accounts hold, and that no lock keeps.
func (l *listing) value(row candidateRow) {
	v := l.visitors[0]
	filter, collector := v.p.r.values.seen, v.p.values
	con := v.p.r.t.Layout.UnlockedNamed(row.Constraint)
	if con == nil || filter == nil {
		return
	}
	v.key = append(append(append(v.key[:0], con.Name...), 0), row.Value...)
	print := v.p.r.seed.Fingerprint(v.key)
	if v.p.first {
		filter.add(print)
		filter.add(print)
		return
	}
	if collector == nil || !filter.twice[print] {
		return
	}
	for _, a := range v.p.r.t.Layout.Accounts {
		for _, account := range row.Accounts {
			if key, ok := v.from.schema.KeyOf(account); ok && slices.Contains(a.Unlocked, con) {
				collector.collect(v.p.room, a, con, v.key[len(con.Name)+1:], v.key, key)
			}
		}
	}
	if s := collector.values[string(v.key)]; s != nil {
		s.more += row.MoreAccounts
	}
}

// listedDrift takes in a key that is not what it is made of.
func (l *listing) drift(row candidateRow) {
	v := l.visitors[0]
	c := v.p.r.drift
	of := c.at(row.Derived)
	if of == nil || c.rules[of] == nil || !v.p.first {
		return
	}
	for _, kind := range c.kinds() {
		for _, account := range row.Accounts {
			if key, ok := v.from.schema.KeyOf(account); ok && slices.Contains(kind.Derived, of) {
				c.take(drifted{kind, of, key, row.Seen, row.Expected})
			}
		}
	}
}

// openValue notes a value that SQL has not judged where somebody of whom it has may hold
// the same: only a look at all accounts tells.
func (c *valueCheck) openValue(print uint64, value string) {
	if c.o.Candidates == nil || strings.ContainsFunc(value, func(c rune) bool { return c >= 0x80 }) {
		return
	}
	c.seen.add(print)
	c.open = true
}

// named is the rule of a name; nil where there is none.
func (r rules) named(name string) *rule {
	for _, one := range r.all {
		if one.Name == name {
			return one
		}
	}
	return nil
}

// listedID takes in ids of a counter, by the items that carry them.
func (l *listing) id(row candidateRow) {
	v, visitors := l.visitors[0], l.visitors
	r := v.p.r
	if *row.Series < 0 || *row.Series >= len(r.t.Layout.Counters) || v.p.duplicates == nil && !v.p.first {
		return
	}
	counter := r.t.Layout.Counters[*row.Series]
	var own attr.Key
	if !counter.KeyIsValue(r.t.Schema) {
		var ok bool
		if own, ok = r.t.Schema.KeyOf(row.Key); !ok {
			return
		}
	}
	family := !counter.Fixed(r.t.Schema) && !counter.KeyIsValue(r.t.Schema)
	name := seriesName(*row.Series, own)
	if v.p.first {
		v.ids.follow(name, counter, own, family)
	}
	for _, place := range row.Items {
		for _, at := range visitors {
			if at.from.name != place.Table && (place.Table != "" || at != v) {
				continue
			}
			key, ok := at.from.schema.KeyOf(place.Key)
			if !ok {
				continue
			}
			if v.p.duplicates != nil {
				v.p.duplicates.collect(name, row.ID, at.from, key)
				continue
			}
			v.ids.follow(name, counter, own, family).take(row.ID, at.from, key)
			if r.ids.seen != nil && row.Kind == DuplicateID {
				r.ids.seen.add(name, row.ID)
			}
		}
	}
}
