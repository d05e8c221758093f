package write

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"tallylock/dynamo/answers"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/mend"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
	"tallylock/ui/cli/app"
	"tallylock/ui/kit"
	"tallylock/ui/say"
)

// Mended is the JSON of the outcome of a finding. Its names are a contract.
type Mended struct {
	Finding    finding.Kind `json:"finding"`
	Table      string       `json:"table"`
	Constraint string       `json:"constraint,omitempty"`
	Value      *string      `json:"value,omitempty"`
	Lock       attr.Item    `json:"lock,omitempty"`
	Counter    string       `json:"counter,omitempty"`
	ID         string       `json:"id,omitempty"`
	Result
	Plan *plan.Plan `json:"plan,omitempty"` // set in a dry run
}

// mendSummary is the JSON of the outcomes of all findings.
type mendSummary struct {
	Findings int `json:"findings"`
	Mended   int `json:"mended"`
	Planned  int `json:"planned,omitempty"` // set in a dry run
	InOrder  int `json:"in_order"`
	Refused  int `json:"refused"`
	Skipped  int `json:"skipped"` // findings that wait for an answer
	Unknown  int `json:"unknown"`
	NotDone  int `json:"not_done"`
	// ReadUnits and WriteUnits are the units that the run has used.
	ReadUnits  float64 `json:"read_units"`
	WriteUnits float64 `json:"write_units"`
}

// MendEnd is the last line of jsonl.
type MendEnd struct {
	Summary mendSummary `json:"summary"`
}

// MendedAll is the whole output of json.
type MendedAll struct {
	Findings []Mended `json:"findings"`
	MendEnd
}

func (s mendSummary) String() string {
	parts := []string{fmt.Sprintf("%d of %d mended", s.Mended, s.Findings)}
	if s.Planned > 0 {
		parts = []string{fmt.Sprintf("%d of %d planned; nothing was written", s.Planned, s.Findings)}
	}
	for _, p := range []struct {
		n    int
		what string
	}{
		{s.InOrder, "in order already"},
		{s.Refused, "refused"},
		{s.Skipped, "skipped"},
		{s.Unknown, "unknown"},
		{s.NotDone, "not done"},
	} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.what))
		}
	}
	if left := s.Findings - s.Mended - s.Planned - s.InOrder - s.Refused - s.Skipped - s.Unknown - s.NotDone; left > 0 &&
		s.Findings != left {
		parts = append(parts, fmt.Sprintf("%d not read", left))
	}
	return strings.Join(parts, ", ")
}

// conclude writes the summary of the run.
func (m *mending) conclude() {
	switch {
	case m.to == toStdout:
		return
	case m.Flags.Output == app.JSONLines:
		m.Print(MendEnd{m.sum})
		return
	case m.Flags.Output == app.JSON:
		m.Print(MendedAll{append([]Mended{}, m.results...), MendEnd{m.sum}})
		return
	}
	p := m.Printer()
	p.Line(kit.Strong, "%s", m.sum)
	for _, line := range m.leftOut {
		p.Indented(kit.Muted, 0, "The new locks lack "+line+".")
	}
	p.Line(kit.Muted, "%s.", m.used())
	if len(m.unsaid) > 0 {
		p.Line(kit.Strong, "Your decision is needed first")
	}
	for _, unsure := range m.unsaid {
		p.Indented(kit.Text, 2, unsureText(unsure))
	}
	if len(m.questions) > 0 {
		p.Line(kit.Strong, "Answer %s first", phrase.Count(len(m.questions), "question"))
		for _, q := range m.questions {
			p.Indented(kit.Text, 2, q.Text+" "+say.Do(q.Offer()))
		}
	}
	if m.sum.Planned > 0 {
		p.Line(kit.Muted, "The planned changes cost %s more.", m.price)
	}
}

// used says how many units the run has used, if the endpoint reports them. A change uses at least
// one unit.
func (m *mending) used() string {
	used := "Used " + say.ReadUnits(m.sum.ReadUnits)
	switch {
	case m.unpriced:
		return "The price is unknown, because the endpoint does not report units"
	case m.sum.WriteUnits > 0:
		used += ", " + say.WriteUnits(m.sum.WriteUnits)
	case m.sum.Mended > 0:
		used += "; the endpoint does not report write units"
	}
	return used
}

// writeResult writes the outcome of one finding.
func (m *mending) writeResult(f finding.Finding, answer Mended) {
	if m.to == toStdout {
		return
	}
	answer.Finding = f.Kind
	answer.Table = f.Table
	answer.Constraint = f.Constraint
	answer.Value = f.KeptValue()
	answer.Lock = f.Lock
	answer.Counter = f.Counter
	answer.ID = f.ID
	switch m.Flags.Output {
	case app.JSONLines:
		m.Print(answer)
		return
	case app.JSON:
		m.results = append(m.results, answer)
		return
	}
	p := m.Printer()
	p.Sign(say.MendedLine(answer.Outcome), mendedSign)
	p.Put(kit.Text, string(f.Kind)+" ")
	p.Put(kit.Strong, f.Subject())
	p.End()
	if answer.Plan != nil {
		p.Indented(kit.Muted, mendedSign, answer.Plan.Sentence)
		if has := answer.Plan.Line(plan.LabelHas); has != "" {
			p.Indented(kit.Muted, mendedSign, "The lock has "+has+".")
		}
	}
	for _, r := range answer.Reasons {
		text := r.Text
		if r.Asks != nil { // the commands are printed once, at the end
			text = r.Asks.Text
		}
		p.Indented(kit.Muted, mendedSign, text)
	}
}

// mendedSign is the width of the column with the outcomes of findings.
const mendedSign = 12

// skip reports a finding that needs an accepted layout or an answer about other tables.
func (m *mending) skip(f finding.Finding, why error) {
	m.sum.Skipped++
	text := unsureText(why)
	if e, ok := errors.AsType[*client.Error](why); ok && m.Flags.Output == app.Text {
		text = e.Why // the commands are printed once, at the end
	}
	m.writeResult(f, Mended{Result: Result{
		Outcome: say.Skipped, Reasons: []plan.Reason{{Code: plan.Asked, Text: text}},
	}})
}

// notMended reports a finding that is not repaired.
func (m *mending) notMended(one mend.Mend) {
	answer := Mended{Result: Result{Outcome: journal.Refused, Reasons: say.Reasons(one.Refused)}}
	for n, why := range answer.Reasons {
		answer.Reasons[n].Text = cmp.Or(why.Text, say.ByHand(one.Finding))
	}
	switch q := asked(one.Refused); {
	case one.InOrder():
		m.sum.InOrder++
		answer.Outcome = say.InOrder
	case q != nil:
		m.sum.Skipped++
		answer.Outcome = say.Skipped
		if !slices.ContainsFunc(m.questions, func(one *answers.Question) bool {
			return one.Constraint == q.Constraint && one.Place == q.Place
		}) {
			m.questions = append(m.questions, q)
		}
	default:
		m.refused(one.Finding)
	}
	m.writeResult(one.Finding, answer)
}

// noteLeftOut records the attributes that other locks have, but the new lock lacks.
func (m *mending) noteLeftOut(p *plan.Plan) {
	if line := p.Line(plan.LabelLeftOut); line != "" && !slices.Contains(m.leftOut, line) {
		m.leftOut = append(m.leftOut, line)
	}
}

// asked returns the open question that prevents a repair. It returns nil if there is none.
func asked(reasons []plan.Reason) *answers.Question {
	for _, r := range reasons {
		if r.Asks != nil {
			return r.Asks
		}
	}
	return nil
}

// refused counts a finding that was refused.
func (m *mending) refused(f finding.Finding) {
	m.sum.Refused++
	if f.Confirmed {
		m.confirmed++
	}
}

// addReceipt reports the outcome of a change. It returns an error if no further change can succeed.
func (m *mending) addReceipt(f finding.Finding, r change.Receipt) error {
	m.sum.WriteUnits += r.WriteUnits
	switch {
	case r.Outcome == journal.Applied:
		m.sum.Mended++
		m.noteLeftOut(r.Plan)
	case r.Outcome == journal.Unknown:
		m.sum.Unknown++
	case asked(r.Reasons) != nil:
		m.sum.Skipped++
	case r.Err == nil:
		m.refused(f)
	default:
		m.sum.NotDone++
	}
	m.writeResult(f, Mended{Result: m.resultOf(r)})
	if client.KindOf(r.Err) == client.Conflict {
		m.busy = r.Err
		return nil
	}
	return r.Err
}
