package change

import (
	"context"
	"math/big"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/change"
	"tallylock/dynamo/change/mend"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/change/planner"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/phrase"
	"tallylock/ui/session"
)

// AskFindings asks once whether to mend findings. Each finding is read again first.
func AskFindings(s *session.Session, m Findings) tea.Cmd {
	again := func(t *dynamo.Table) tea.Cmd {
		m.Table = t
		return AskFindings(s, m)
	}
	return whenSure(s, dynamo.UnacceptedOf(mend.UnsureFindings(m.Table, m.All...)), again, func() tea.Cmd {
		o := findingOption(s, m)
		if len(m.All) > 1 {
			o = batchOption(s, m)
		}
		return newAsk(s, s.Connection(), findingsID(m.All), o).replan()
	})
}

// Findings are findings of a table, to be mended.
type Findings struct {
	Table *dynamo.Table
	All   []finding.Finding
	// After receives the receipt of each finding, by the index of the finding.
	After func(n int, r change.Receipt)
}

// findingsID identifies findings within a connection.
func findingsID(all []finding.Finding) string {
	var out strings.Builder
	for _, f := range all {
		out.WriteString(f.Same() + "\x01")
	}
	return out.String()
}

// changerOf returns the changer that plans repairs, also for a read-only connection.
func changerOf(s *session.Session) *change.Changer {
	if c := s.Connection().Changer; c != nil {
		return c
	}
	return &change.Changer{}
}

// findingOption returns the option that mends one finding.
func findingOption(s *session.Session, m Findings) option {
	c, f := changerOf(s), m.All[0]
	o := option{
		title: "Mend", room: markedRoom,
		plan: func(ctx context.Context, _ string) (*plan.Plan, error) { return c.PlanMend(ctx, m.Table, f, nil) },
	}
	switch f.Kind {
	case finding.CounterNotNumber:
		o = convertOption(
			f.Seen.Text,
			func(ctx context.Context, to *big.Int) (*plan.Plan, error) { return c.PlanMend(ctx, m.Table, f, to) },
		)
	case finding.MalformedLock: // a malformed lock is released, never mended
		o = option{title: "Release a lock", room: markedRoom, plan: func(ctx context.Context, _ string) (*plan.Plan, error) {
			return planner.ReleaseAt(ctx, m.Table, f.Constraint, f.Lock, false)
		}}
	}
	o.after = func(receipts []change.Receipt, _ error) { m.After(0, receipts[0]) }
	return o
}

// batchOption returns the option that mends several findings.
func batchOption(s *session.Session, m Findings) option {
	c := changerOf(s)
	var numbers map[*finding.Finding]int // maps the finding in a plan's request to the finding's index
	return option{
		title: "Mend " + phrase.Count(len(m.All), "finding"), room: batchRoom(len(m.All)),
		wording: wording{
			thing: "finding", verb: "Mend", done: "mended",
			says: "Mends %s. tallylock has just read their items again. It repairs a finding only if its items " +
				"still have the fault.",
		},
		batch: func(ctx context.Context) (*change.Batch, error) {
			mends, err := c.PlanMends(ctx, m.Table, m.All...)
			if err != nil {
				return nil, err
			}
			var batch *change.Batch
			batch, numbers = batchOf(mends)
			return batch, nil
		},
		after: func(receipts []change.Receipt, _ error) {
			for _, r := range receipts {
				m.After(numbers[r.Plan.Live.Request.Finding], r)
			}
		},
	}
}

// batchOf makes a batch of the planned and the refused repairs. It also maps the finding in each
// plan's request to the finding's index. The plan itself cannot be the key of that map, because a
// receipt may have a new plan, with another mark.
func batchOf(mends []mend.Mend) (*change.Batch, map[*finding.Finding]int) {
	b, numbers := &change.Batch{}, map[*finding.Finding]int{}
	for n, m := range mends {
		p := m.Plan
		if p != nil {
			b.Plans = append(b.Plans, p)
		} else {
			f := m.Finding
			p = &plan.Plan{Table: f.Table, Constraint: f.Constraint, Value: f.Value, Counter: f.Counter}
			if f.Counter == "" && f.Constraint == "" {
				p.Constraint, p.Value = "id", f.Number()
			}
			p.Live.Request.Finding = &f
			b.Refused = append(b.Refused, change.NotMade(p, &plan.Refusal{Reasons: m.Refused}))
		}
		numbers[p.Live.Request.Finding] = n
	}
	b.SetPrice()
	return b, numbers
}
