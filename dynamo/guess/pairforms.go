package guess

import (
	"cmp"
	"slices"
	"strings"

	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
)

// Form is another form of a rule's lock keys.
type Form struct {
	config.LockKey
	Hits int // the sampled values that have a lock of this form, and none of the first form
}

// Limits of the search for other forms. Only formedRules rules get other forms. otherForms looks at only formsSought
// accounts without a lock.
const (
	formedRules = 3
	formsSought = 8
)

// otherForms finds other forms of the rule's lock keys. It searches for items that may be the locks of values without a
// lock. At least half of these values must have an item of the form.
func (s *Search) otherForms(r *rule) (all []Form) {
	missing := r.unlocked(s)
	tried := map[string]bool{r.place(): true}
	for _, m := range spread(missing, formsSought) {
		for _, e := range r.table.entries {
			if e == m.account.e || r.isLock(e) || findRun(e.hash, m.value) < 0 && findRun(e.sort, m.value) < 0 {
				continue
			}
			for _, p := range m.account.forms(r.kind, e, found{text: m.value, name: layout.ValueVariable}, r.path) {
				if tried[p.place()] {
					continue
				}
				tried[p.place()] = true
				if f := (Form{config.LockKey{PK: templateOf(p.pk), SK: templateOf(p.sk)}, 0}); r.countForm(s, &f, missing) {
					all = append(all, f)
				}
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Form) int {
		return cmp.Or(cmp.Compare(b.Hits, a.Hits), strings.Compare(a.PK+"\x00"+a.SK, b.PK+"\x00"+b.SK))
	})
	return all
}

// claimed is a value without a lock, with its account.
type claimed struct {
	account account
	value   string
}

// unlocked lists the values of the rule's accounts whose lock is missing.
func (r *rule) unlocked(s *Search) (all []claimed) {
	for n, e := range r.kind.entries {
		for _, claim := range r.account.AppendClaimsOf(nil, r.constraint, s.own.Name, s.schemaOf, e.item) {
			if claim.Err != nil {
				continue
			}
			if lock, known := r.table.has(claim.Key.ID()); known && lock == nil {
				all = append(all, claimed{account{e, r.kind.vars[n], r.kind.names}, claim.Value})
			}
		}
	}
	return all
}

// countForm counts the missing values that have a lock of the form f, in f.Hits. It reports whether the form may be
// another form of the rule's keys.
func (r *rule) countForm(s *Search, f *Form, missing []claimed) bool {
	with := *r
	with.config.Also = []config.LockKey{f.LockKey}
	if !with.build() {
		return false
	}
	l := &layout.Layout{Accounts: []*layout.Account{with.account}}
	for _, m := range missing {
		if l.Classify(s.own.Name, s.own.Name, s.own.Schema, m.account.e.item).Account != with.account {
			return false // the keys of accounts have this form, too
		}
		for _, claim := range with.account.AppendClaimsOf(nil, with.constraint, s.own.Name, s.schemaOf, m.account.e.item) {
			if claim.Value != m.value {
				continue
			}
			for _, k := range claim.Keys() {
				if lock, _ := r.table.has(k.ID()); lock != nil && lock != m.account.e {
					f.Hits++
				}
			}
		}
	}
	return f.Hits > 0 && 2*f.Hits >= len(missing)
}
