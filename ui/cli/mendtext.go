package cli

import (
	"fmt"
	"strings"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/change"
	"tallylock/dynamo/check"
	"tallylock/ui/kit"
	"tallylock/ui/words"
)

// inOrder is what became of a finding that needs no mending any more.
const inOrder change.Outcome = "in order"

// skipped is what became of a finding that waits for a person's answer.
const skipped change.Outcome = "skipped"

// mended is the JSON of what became of a finding. Its names are a contract.
type mended struct {
	Finding    check.Kind `json:"finding"`
	Table      string     `json:"table"`
	Constraint string     `json:"constraint,omitempty"`
	Value      *string    `json:"value,omitempty"`
	Lock       attr.Item  `json:"lock,omitempty"`
	Counter    string     `json:"counter,omitempty"`
	ID         string     `json:"id,omitempty"`
	outcome
	Plan *change.Plan `json:"plan,omitempty"` // of a dry run
}

// mendSummary is the JSON of what became of all findings.
type mendSummary struct {
	Findings int `json:"findings"`
	Mended   int `json:"mended"`
	Planned  int `json:"planned,omitempty"` // of a dry run
	InOrder  int `json:"in_order"`
	Refused  int `json:"refused"`
	Skipped  int `json:"skipped"` // they wait for an answer
	Unknown  int `json:"unknown"`
	NotDone  int `json:"not_done"`
	// What was used.
	ReadUnits  float64 `json:"read_units"`
	WriteUnits float64 `json:"write_units"`
}

// mendEnd is the JSON of the last line, mendedAll that of all in one piece.
type mendEnd struct {
	Summary mendSummary `json:"summary"`
}

type mendedAll struct {
	Findings []mended `json:"findings"`
	mendEnd
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
		{s.Unknown, "not known"},
		{s.NotDone, "not done"},
	} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.what))
		}
	}
	if left := s.Findings - s.Mended - s.Planned - s.InOrder - s.Refused - s.Skipped - s.Unknown - s.NotDone; left > 0 &&
		s.Findings != left {
		parts = append(parts, fmt.Sprintf("%d not looked at", left))
	}
	return strings.Join(parts, ", ")
}

// conclude writes what became of all of them.
func (m *mending) conclude() error {
	if m.to == toStdout {
		return nil
	}
	switch m.flags.output {
	case asLines:
		return m.print(mendEnd{m.sum})
	case asJSON:
		if m.results == nil {
			m.results = []mended{}
		}
		return m.print(mendedAll{m.results, mendEnd{m.sum}})
	}
	p := m.printer()
	p.line(kit.Strong, "%s", m.sum)
	used := words.ReadUnits(m.sum.ReadUnits)
	if m.sum.WriteUnits > 0 {
		used += ", " + words.WriteUnits(m.sum.WriteUnits)
	}
	p.line(kit.Muted, "Used %s.", used)
	if len(m.unsaid) > 0 {
		p.line(kit.Strong, "Your decision is needed first")
	}
	for _, unsure := range m.unsaid {
		p.indented(kit.Text, 2, unsureText(unsure))
	}
	if len(m.questions) > 0 {
		p.line(kit.Strong, "%s to answer first", words.Plural(len(m.questions), "question", "questions"))
		for _, q := range m.questions {
			p.indented(kit.Text, 2, q.Text+" "+q.Offer())
		}
	}
	if m.sum.Planned > 0 {
		p.line(kit.Muted, "Mending them takes %s more.", m.price)
	}
	return nil
}

// writeResult writes what became of one finding.
func (m *mending) writeResult(f check.Finding, answer mended) error {
	if m.to == toStdout {
		return nil
	}
	answer.Finding = f.Kind
	answer.Table = f.Table
	answer.Constraint = f.Constraint
	answer.Value = f.Kept()
	answer.Lock = f.Lock
	answer.Counter = f.Counter
	answer.ID = f.ID
	switch m.flags.output {
	case asLines:
		return m.print(answer)
	case asJSON:
		m.results = append(m.results, answer)
		return nil
	}
	p := m.printer()
	p.sign(became(answer.Outcome), len("? not known "))
	p.put(kit.Text, string(f.Kind)+" ")
	p.put(kit.Strong, f.Subject())
	p.end()
	if answer.Plan != nil {
		p.indented(kit.Muted, 12, answer.Plan.Sentence)
		if has := answer.Plan.Line(change.LabelHas); has != "" {
			p.indented(kit.Muted, 12, "The lock has "+has+".")
		}
	}
	for _, r := range answer.Reasons {
		text := r.Text
		if r.Asks != nil { // the commands come at the end, once
			text = r.Asks.Text
		}
		p.indented(kit.Muted, 12, text)
	}
	return nil
}

// became is the sign of what became of a finding.
func became(o change.Outcome) kit.Sign {
	switch o {
	case change.Applied:
		return kit.Sign{Glyph: kit.GlyphYes, Style: kit.Good, Word: "mended"}
	case inOrder:
		return kit.Sign{Glyph: kit.GlyphHeld, Style: kit.Good, Word: "in order"}
	case change.Planned:
		return kit.Sign{Glyph: kit.GlyphFree, Style: kit.Accent, Word: "planned"}
	case change.Unknown:
		return kit.Sign{Glyph: kit.GlyphUnknown, Style: kit.Warn, Word: "not known"}
	case skipped:
		return kit.Sign{Glyph: kit.GlyphUnknown, Style: kit.Warn, Word: "skipped"}
	}
	return kit.Sign{Glyph: kit.GlyphNo, Style: kit.Bad, Word: "left"}
}
