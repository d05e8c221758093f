package change

import (
	"slices"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/check"
	"tallylock/dynamo/layout"
)

// RefuseOtherForms refuses to put a lock and to delete another together if both may be of one
// value: the other may keep it in another form (layout.AppendForm), or names the account and
// cannot be read.
// Mended together they would take the lock from whoever holds the value, and the first would
// hide what speaks against the second.
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
	mends = slices.Clone(mends)
	for at, m := range mends {
		if m.Plan == nil || m.Plan.live.release == nil || m.Finding.Kind == check.UnnormalisedLock {
			continue
		}
		t, rel := m.Plan.live.table, m.Plan.live.release.rel
		var others []int
		byForm.Find([]byte(layout.FormOf(rel.Constraint, rel.Value)), func(n int32) { others = append(others, int(n)) })
		for _, key := range t.Match.OwnerKeys(rel) {
			others = append(others, byAccount[key.ID()]...)
		}
		for _, n := range others {
			if mayBeOneValue(t, rel, mends[n].Finding) {
				value := mends[n].Finding.Value
				put := refuse(ByHand, "the lock of \"%s\" may keep it in another form: look which the application makes", rel.Value)
				free := refuse(ByHand, "it may keep \"%s\" in another form: look which the application makes", value)
				mends[n].Plan, mends[n].Refused = nil, put.Reasons
				mends[at].Plan, mends[at].Refused = nil, free.Reasons
			}
		}
	}
	return mends
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
