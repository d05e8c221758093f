package change

import (
	"slices"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/check"
	"tallylock/dynamo/layout"
)

// RefuseOtherForms refuses to put a lock where another that is found without an account may be
// of the same value: it may keep it in another form (layout.AppendForm), or names the account and
// cannot be read. It refuses to delete that other one, too. Mended together they would take the
// lock from whoever holds the value, and the first would hide what speaks against the second,
// which need not be planned yet.
func RefuseOtherForms(mends []Mend) []Mend {
	var missing []int
	byAccount := map[string][]int{}
	var byForm layout.Forms
	for n, m := range mends {
		if m.Plan == nil || m.Finding.Kind != check.MissingLock {
			continue
		}
		t := m.Plan.live.table
		if _, con := t.Layout.Constraint(m.Finding.Constraint); con != nil && len(m.Finding.Accounts) == 1 {
			missing = append(missing, n)
			byForm.Add(layout.FormOf(con, m.Finding.Value), int32(n))
			if key, ok := t.Schema.KeyOf(m.Finding.Accounts[0]); ok {
				byAccount[key.ID()] = append(byAccount[key.ID()], n)
			}
		}
	}
	if len(missing) == 0 {
		return mends
	}
	t := mends[missing[0]].Plan.live.table
	mends = slices.Clone(mends)
	for at, m := range mends {
		rel := unclaimed(t, m)
		if rel == nil {
			continue
		}
		var others []int
		byForm.Find([]byte(layout.FormOf(rel.Constraint, rel.Value)), func(n int32) { others = append(others, int(n)) })
		for _, key := range t.Match.OwnerKeys(rel) {
			others = append(others, byAccount[key.ID()]...)
		}
		for _, n := range others {
			if !mayBeOneValue(t, rel, mends[n].Finding) {
				continue
			}
			put := refuse(ByHand, "the lock of \"%s\" may keep it in another form: look which the application makes", rel.Value)
			mends[n].Plan, mends[n].Refused = nil, put.Reasons
			if m.Plan != nil {
				free := refuse(ByHand, "it may keep \"%s\" in another form: look which the application makes",
					mends[n].Finding.Value)
				mends[at].Plan, mends[at].Refused = nil, free.Reasons
			}
		}
	}
	return mends
}

// unclaimed returns the lock of a finding that no account claims; nil if the finding is another,
// or the lock is gone.
func unclaimed(t *dynamo.Table, m Mend) *dynamo.Relation {
	kind := m.Finding.Kind
	if kind != check.OrphanedLock && kind != check.StaleLock && kind != check.MalformedLock || m.InOrder() {
		return nil
	}
	if m.Plan != nil && m.Plan.live.release != nil {
		return m.Plan.live.release.rel
	}
	rel, err := (&mender{t: t}).relation(m.Finding)
	if err != nil {
		return nil
	}
	rel.Lock.Owner = m.Finding.Owner
	return rel
}

// mayBeOneValue reports whether a lock may keep the value of which a finding says that it has
// no lock.
func mayBeOneValue(t *dynamo.Table, rel *dynamo.Relation, f check.Finding) bool {
	_, con := t.Layout.Constraint(f.Constraint)
	if !con.SamePlace(t.Name, rel.Constraint) || con.Spelling(f.Value) == rel.Constraint.Spelling(rel.Value) {
		return false
	}
	key, _ := t.Schema.KeyOf(f.Accounts[0])
	named := dynamo.Conceals(rel, f.Value) &&
		slices.ContainsFunc(t.Match.OwnerKeys(rel), func(k attr.Key) bool { return k.Equal(key) })
	return named || layout.SameForm(layout.FormOf(con, f.Value), layout.FormOf(rel.Constraint, rel.Value))
}
