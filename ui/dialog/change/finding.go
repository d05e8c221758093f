package change

import (
	"context"
	"math/big"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/change"
	"tallylock/dynamo/check"
	"tallylock/dynamo/phrase"
	"tallylock/ui/message"
	"tallylock/ui/session"
)

// AskFindings asks once whether to mend findings. Each is read again first.
func AskFindings(s *session.Session, m message.MendFindings) tea.Cmd {
	o := findingOption(s, m)
	if len(m.Findings) > 1 {
		o = batchOption(s, m)
	}
	return newAsk(s, s.Connection(), findingsID(m.Findings), o).plan()
}

// findingsID identifies findings within a connection.
func findingsID(all []check.Finding) string {
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

// findingOption mends one finding.
func findingOption(s *session.Session, m message.MendFindings) option {
	c, f := changerOf(s), m.Findings[0]
	o := option{
		title: "Mend",
		plan:  func(ctx context.Context, _ string) (*change.Plan, error) { return c.PlanMend(ctx, m.Table, f) },
	}
	switch f.Kind {
	case check.CounterNotNumber:
		o = convertOption(
			f.Seen.Text,
			func(ctx context.Context, to *big.Int) (*change.Plan, error) { return c.PlanMendTo(ctx, m.Table, f, to) },
		)
	case check.MalformedLock: // which is released, and never mended
		o = option{title: "Release a lock", plan: func(ctx context.Context, _ string) (*change.Plan, error) {
			return change.PlanReleaseAt(ctx, m.Table, f.Constraint, f.Lock, false)
		}}
	}
	o.after = func(receipts []change.Receipt, _ error) { m.After(0, receipts[0]) }
	return o
}

// batchOption mends several findings.
func batchOption(s *session.Session, m message.MendFindings) option {
	c := changerOf(s)
	var numbers map[*change.Plan]int // of the findings, by what was planned about them
	return option{
		title: "Mend " + phrase.Count(len(m.Findings), "finding"),
		wording: wording{
			"finding",
			"Mend",
			"mended",
			"Mends %s. Each was read again just now, and is mended only if it still is so.",
		},
		batch: func(ctx context.Context) (*change.Batch, error) {
			mends, err := c.PlanMends(ctx, m.Table, m.Findings...)
			if err != nil {
				return nil, err
			}
			var batch *change.Batch
			batch, numbers = batchOf(mends)
			return batch, nil
		},
		after: func(receipts []change.Receipt, _ error) {
			for _, r := range receipts {
				m.After(numbers[r.Plan], r)
			}
		},
	}
}

// batchOf makes a batch of what can be done about findings, and maps its plans to the
// findings' indexes.
func batchOf(mends []change.Mend) (*change.Batch, map[*change.Plan]int) {
	b, numbers := &change.Batch{}, map[*change.Plan]int{}
	for n, m := range mends {
		p := m.Plan
		if p != nil {
			b.Plans = append(b.Plans, p)
		} else {
			f := m.Finding
			p = &change.Plan{Table: f.Table, Constraint: f.Constraint, Value: f.Value, Counter: f.Counter}
			if f.Counter == "" && f.Constraint == "" {
				p.Constraint, p.Value = "id", f.Number()
			}
			b.Refused = append(b.Refused, change.Receipt{Plan: p, Outcome: change.Refused, Reasons: m.Refused})
		}
		numbers[p] = n
	}
	b.SetPrice()
	return b, numbers
}
