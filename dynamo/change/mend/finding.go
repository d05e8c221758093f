package mend

import (
	"tallylock/dynamo/attr"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/change/planner"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/remedy"
	"tallylock/dynamo/schema"
	"tallylock/dynamo/verdict"
)

// account returns the key of the one account of a finding.
func (m *mender) account(f finding.Finding) (attr.Key, error) {
	if len(f.Accounts) != 1 {
		return attr.Key{}, plan.Refuse(plan.ByHand, "the finding names %d accounts; a repair needs exactly one", len(f.Accounts))
	}
	key, ok := m.t.Schema.KeyOf(f.Accounts[0])
	if !ok {
		return key, badFinding(f)
	}
	return key, nil
}

// place returns the constraint, table and key of a finding's lock. The layout must have the constraint and the
// table.
func (m *mender) place(f finding.Finding) (con *layout.Constraint, table string, key attr.Key, err error) {
	if m.t.Layout.Empty() {
		return nil, "", key, m.t.NoLayout("mending " + f.Table)
	}
	_, con = m.t.Layout.Constraint(f.Constraint)
	if con == nil || (f.LockTable != "" && f.LockTable != m.t.LockTable(con)) {
		return nil, "", key, plan.RefuseFor(remedy.Of(remedy.NameCheckedLayout), plan.ByHand,
			"the layout %s has no constraint \"%s\" with locks in the table of the finding", m.t.Layout.Name, f.Constraint)
	}
	table = m.t.LockTable(con)
	key, ok := m.t.SchemaOf(table).KeyOf(f.Lock)
	if !ok {
		return nil, "", key, badFinding(f)
	}
	return con, table, key, nil
}

// relation returns the lock of a finding. It does not trust the lock's key: the layout parses the key and makes it
// again, and both keys must be equal.
func (m *mender) relation(f finding.Finding) (*verdict.Relation, error) {
	con, table, key, err := m.place(f)
	if err != nil {
		return nil, err
	}
	keys := m.t.SchemaOf(table)
	v, vars, ok := con.ParseLock(keys, key)
	if !ok {
		return nil, badFinding(f)
	}
	again, err := con.LockKey(keys, v, vars)
	if err != nil || !again.Equal(con.FirstForm(key)) || (f.Kind != finding.UnnormalisedLock && !holdsValue(f, v, key)) {
		return nil, badFinding(f)
	}
	return &verdict.Relation{Constraint: con, Value: v, Lock: schema.Lock{Table: table, Key: key}}, nil
}

// holdsValue reports whether a finding is about the value v. JSON cannot store bytes that are no valid text. For
// such a value, holdsValue compares the lock's key, which the finding stores in base64.
func holdsValue(f finding.Finding, v string, key attr.Key) bool {
	return v == f.Value || planner.SameText(f.Value, v) && key.Item().Equal(f.Lock)
}

// badFinding returns the refusal of a finding that does not fit the table.
func badFinding(f finding.Finding) error {
	return plan.Refuse(plan.ByHand, "the finding does not fit the table: the layout's key for \"%s\" differs from the finding's key",
		f.Subject())
}

// relationOf returns the lock and the one account of a finding.
func (m *mender) relationOf(f finding.Finding) (*verdict.Relation, attr.Key, error) {
	rel, err := m.relation(f)
	if err != nil {
		return nil, attr.Key{}, err
	}
	key, err := m.account(f)
	return rel, key, err
}
