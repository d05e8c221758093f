package mend

import (
	"context"
	"errors"
	"fmt"
	"math/big"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/change/planner"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/client"
	"tallylock/dynamo/find"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/verdict"
)

// Mend is the repair of a finding: a plan, or the reasons why there is none.
type Mend struct {
	Finding finding.Finding
	Plan    *plan.Plan
	// Refused lists the reasons why the finding cannot be mended. If nothing is left to mend, the only reason has
	// the code InOrder.
	Refused []plan.Reason
}

// InOrder reports whether nothing is left to mend.
func (m Mend) InOrder() bool { return len(m.Refused) > 0 && m.Refused[0].Code == plan.InOrder }

// All plans the repairs of a check's findings. A finding may be old, so All reads its items again, and makes the lock
// keys from the layout. All does not scan for claimants: Changer.ApplyAll does this, in one scan for all locks. All
// refuses malformed locks and duplicates. It also refuses changes that a person must confirm by typing: plan such
// changes with One.
func All(ctx context.Context, t *dynamo.Table, findings ...finding.Finding) ([]Mend, error) {
	m := mender{t: t}
	var all []Mend
	for _, f := range findings {
		p, err := m.plan(ctx, f)
		if err == nil && p.Live.MustType {
			err = plan.Refuse(plan.ByHand, "this repair asks you to type \"%s\": repair this finding separately", p.Typed)
		}
		refused, ok := errors.AsType[*plan.Refusal](err)
		switch {
		case ok:
			all = append(all, Mend{Finding: f, Refused: refused.Reasons})
		case err != nil:
			return all, fmt.Errorf("mending %s of %s: %w", f.Kind, f.Subject(), err)
		default:
			all = append(all, Mend{Finding: f, Plan: p})
		}
	}
	return all, nil
}

// One plans the repair of one finding. The parameter to is the new number for a counter whose value is not a whole
// number; if to is nil, One derives the number from the counter's value. One returns a *plan.Refusal if the finding
// cannot be mended. The refusal's code is InOrder if nothing is left to mend.
func One(ctx context.Context, t *dynamo.Table, f finding.Finding, to *big.Int) (*plan.Plan, error) {
	return (&mender{t: t, single: true, to: to}).plan(ctx, f)
}

// mender plans the repairs of one table.
type mender struct {
	t      *dynamo.Table
	single bool
	to     *big.Int // the new number for a counter that holds no number
	ttl    planner.TTLAttributes
}

// rereadOptions returns the options to read the items of findings again. If several findings are mended, no read may
// cover a whole table.
func (m *mender) rereadOptions() find.RereadOptions { return find.RereadOptions{PointsOnly: !m.single} }

// SameTable returns an error unless the finding has the name and the TableId of the table. The name is not enough: a
// new table may have replaced the old one under the same name.
func SameTable(t *dynamo.Table, f finding.Finding) error {
	why := ""
	switch {
	case f.Table == t.Name && f.TableID == t.ID:
		return nil
	case f.Table == t.Name && f.TableID == "":
		why = "the finding has no table_id, so it may belong to another table of the same name"
	case f.Table == t.Name && t.ID == "":
		why = "the finding belongs to another table of the same name: the finding has a table_id, but this table has none"
	case f.Table == t.Name:
		why = fmt.Sprintf("the finding belongs to another table of the same name: the finding has the table_id %s, but this table has %s", f.TableID,
			t.ID)
	default:
		why = "the finding belongs to another table: " + f.Table
	}
	return &client.Error{
		Kind: client.Usage,
		Op:   "mending " + t.Name,
		Why:  why,
		Do:   "check " + t.Name + " again, and mend the new findings; nothing was sent",
	}
}

func (m *mender) plan(ctx context.Context, f finding.Finding) (*plan.Plan, error) {
	if err := SameTable(m.t, f); err != nil {
		return nil, err
	}
	if now := config.HashOf(m.t.Layout, f.Constraint); f.Kind.OfLocks() && f.Layout != "" && !m.t.Layout.Empty() &&
		f.Layout != now {
		return nil, plan.Refuse(plan.ByHand, "the finding was made with the layout %s, but the table now has the layout %s: check again",
			f.Layout, now)
	}
	if err := m.checkDigests(f); err != nil {
		return nil, err
	}
	if err := m.checkQuestion(f); err != nil {
		return nil, err
	}
	repair := findingRepairs[f.Kind].plan
	if repair == nil {
		return nil, plan.Refuse(plan.ByHand, "no repair is known for findings of the kind %q", f.Kind)
	}
	p, err := repair(m, ctx, f)
	if err == nil {
		p.Live.Request = plan.Request{Finding: &f}
		if m.to != nil {
			p.Live.Request.To = m.to.String()
		}
	}
	return p, err
}

// checkDigests returns a *plan.Refusal if a finding is not confirmed and the locks keep digests of values. A lock
// without an account and an account without a lock may then belong together. A finding that is mended alone is not
// refused.
func (m *mender) checkDigests(f finding.Finding) error {
	_, con := m.t.Layout.Constraint(f.Constraint)
	digest := f.Kind.OnAbsence() && con != nil && con.KeepsDigest(f.Value)
	if con == nil || f.Confirmed || m.single || !digest && !f.Digests {
		return nil
	}
	return plan.Refuse(plan.ByHand, "the lock keeps a digest, and the finding is not confirmed: release the lock by its value")
}

// checkQuestion returns a *plan.Refusal if a finding waits for a person's answer, or if a person has answered that
// other items hold its value. In both cases the lock stays, and nothing has to be read or marked.
func (m *mender) checkQuestion(f finding.Finding) error {
	_, con := m.t.Layout.Constraint(f.Constraint)
	if con == nil || f.Question == nil || f.Question.Tables {
		return nil // the planners themselves ask questions about tables
	}
	h := &verdict.Holding{
		Place: layout.Place{Table: f.Question.Table, Items: f.Question.Items, Attribute: f.Question.Attribute},
	}
	switch con.Answers.Of(h.Place) {
	case layout.NoAnswer:
		return planner.AskedRefusal(m.t.Answers.Ask(con, h))
	case layout.Hold:
		return plan.Refuse(plan.Held, "%s: the lock of the %s \"%s\" stays", h, con.Name, f.Value)
	}
	return nil
}

// missing plans to put a lock that an account claims. The account's current value determines the lock's key.
func (m *mender) missing(ctx context.Context, f finding.Finding) (*plan.Plan, error) {
	key, err := m.account(f)
	if err != nil {
		return nil, err
	}
	kind, a, err := find.AccountAt(ctx, m.t, key)
	if err != nil {
		return nil, err
	}
	if a == nil {
		return nil, plan.Refuse(plan.InOrder, "the account %s is gone", key)
	}
	for _, rel := range m.t.Relations(kind, a) {
		if rel.Constraint.Name != f.Constraint || !holdsValue(f, rel.Value, rel.Lock.Key) {
			continue
		}
		p, err := planner.PutMissing(ctx, m.t, rel, &m.ttl, m.rereadOptions())
		return plan.AsInOrder(p, err, plan.Changed)
	}
	return nil, plan.Refuse(plan.InOrder, "%s no longer holds the %s \"%s\"", key, f.Constraint, f.Value)
}

// malformed refuses to mend a lock that can only come from a mistake. If the lock still exists and is malformed, the
// refusal has a remedy.
func (m *mender) malformed(ctx context.Context, f finding.Finding) (*plan.Plan, error) {
	_, table, key, err := m.place(f)
	if err != nil {
		return nil, err
	}
	items, err := m.t.SnapshotReader().Read(ctx, table, []attr.Key{key})
	if err != nil {
		return nil, err
	}
	item := items[key.ID()]
	if item == nil {
		return nil, plan.Refuse(plan.InOrder, "there is no lock %s", key)
	}
	rel, err := m.t.LockAt(f.Constraint, table, item)
	if err != nil || !rel.Malformed {
		return nil, badFinding(f)
	}
	do, err := dynamo.ReleaseRemedy(m.t, rel)
	if err != nil {
		return nil, err
	}
	return nil, plan.RefuseFor(do, plan.ByHand,
		"mend never changes a malformed lock: repair the program that wrote this lock, and release the lock with")
}

// UnsureFindings returns an error if a finding is about a guessed constraint or counter. A person has to accept the
// guess before the finding is mended.
func UnsureFindings(t *dynamo.Table, findings ...finding.Finding) error {
	for _, f := range findings {
		if _, c := t.Layout.Constraint(f.Constraint); c != nil {
			if err := t.CheckSure("mending "+t.Name, c); err != nil {
				return err
			}
		}
		key, ok := t.Schema.KeyOf(f.Key)
		for _, c := range t.Layout.Counters {
			if !ok || f.Counter == "" || c.NameOf(t.Name, t.Schema, key) != f.Counter || c.Attribute != f.Attribute {
				continue
			}
			if err := t.CheckSureCounter("mending "+t.Name, c); err != nil {
				return err
			}
		}
	}
	return nil
}
