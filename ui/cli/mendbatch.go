package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"tallylock/dynamo"
	"tallylock/dynamo/change"
	"tallylock/dynamo/check"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
	"tallylock/ui/words"
)

// verifyChunk is how many findings are read again before the progress says so.
const verifyChunk = 50

// mendTable mends findings of one table.
func (m *mending) mendTable(ctx context.Context, r ready, findings []check.Finding) (err error) {
	table := m.tables[findings[0].Table]
	bar := newProgress(m.invocation)
	defer bar.clear()
	var mends []change.Mend
	for some := range slices.Chunk(findings, verifyChunk) {
		bar.showStage(
			"verify",
			fmt.Sprintf("verifying %s, %s done · ctrl+c cancels", phrase.Count(len(findings), "finding"),
				phrase.Group(fmt.Sprint(len(mends)))),
		)
		planned, err := m.plan(ctx, r, table, some)
		if err != nil {
			return err
		}
		mends = append(mends, planned...)
	}
	var plans []*change.Plan
	var of []check.Finding
	for _, mend := range mends {
		if mend.Plan == nil {
			bar.clear()
			if err := m.notMended(mend); err != nil {
				return err
			}
			continue
		}
		mend.Plan.Reason = m.reason
		plans, of = append(plans, mend.Plan), append(of, mend.Finding)
	}
	if m.dryRun {
		m.sum.Planned += len(plans)
		for n, p := range plans {
			planned := mended{outcome: outcome{Outcome: change.Planned, Reasons: []change.Reason{}}, Plan: p}
			if err := m.writeResult(of[n], planned); err != nil {
				return err
			}
		}
		m.price = m.price.Plus(change.PriceOf(plans))
		return m.hand(ctx, r.conn, plans)
	}
	bar.clear()
	if err := m.confirmMends(ctx, r, plans); err != nil {
		return err
	}
	receipts := r.changer.ApplyAll(ctx, plans, bar.show)
	bar.clear()
	for n, receipt := range receipts {
		if e := m.addReceipt(of[n], receipt); e != nil && err == nil {
			err = e
		}
	}
	return err
}

// plan plans findings: a file of one is a change like any other.
func (m *mending) plan(ctx context.Context, r ready, t *dynamo.Table, findings []check.Finding) ([]change.Mend, error) {
	if m.sum.Findings > 1 {
		mends, err := r.changer.PlanMends(ctx, t, findings...)
		m.compare(mends)
		return mends, err
	}
	p, err := m.planOne(ctx, r, t, findings[0])
	if refused, ok := errors.AsType[*change.Refusal](err); ok {
		return []change.Mend{{Finding: findings[0], Refused: refused.Reasons}}, nil
	}
	return []change.Mend{{Finding: findings[0], Plan: p}}, err
}

// notMended reports a finding that is not mended.
func (m *mending) notMended(mend change.Mend) error {
	answer := mended{outcome: outcome{Outcome: change.Refused, Reasons: slices.Clone(mend.Refused)}}
	for n, why := range answer.Reasons {
		answer.Reasons[n].Text = cmp.Or(why.Text, words.ByHand(mend.Finding))
	}
	switch q := asked(mend.Refused); {
	case mend.InOrder():
		m.sum.InOrder++
		answer.Outcome = inOrder
	case q != nil:
		m.sum.Skipped++
		answer.Outcome = skipped
		if !slices.ContainsFunc(m.questions, func(one *dynamo.Question) bool {
			return one.Constraint == q.Constraint && one.Place == q.Place
		}) {
			m.questions = append(m.questions, q)
		}
	default:
		m.refused(mend.Finding)
	}
	return m.writeResult(mend.Finding, answer)
}

// asked is the question that a finding waits for; nil if it waits for none.
func asked(reasons []change.Reason) *dynamo.Question {
	for _, r := range reasons {
		if r.Asks != nil {
			return r.Asks
		}
	}
	return nil
}

// refused counts a finding that was refused.
func (m *mending) refused(f check.Finding) {
	m.sum.Refused++
	if f.Confirmed {
		m.confirmed++
	}
}

// addReceipt reports what became of a change. It answers an error where nothing more
// can be done.
func (m *mending) addReceipt(f check.Finding, r change.Receipt) error {
	m.sum.WriteUnits += r.WriteUnits
	switch {
	case r.Outcome == change.Applied:
		m.sum.Mended++
	case r.Outcome == change.Unknown:
		m.sum.Unknown++
	case asked(r.Reasons) != nil:
		m.sum.Skipped++
	case r.Err == nil:
		m.refused(f)
	default:
		m.sum.NotDone++
	}
	if err := m.writeResult(f, mended{outcome: outcomeOf(r)}); err != nil {
		return err
	}
	if client.KindOf(r.Err) == client.Conflict {
		m.busy = r.Err
		return nil
	}
	return r.Err
}
