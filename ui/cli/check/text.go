package check

import (
	"fmt"
	"slices"
	"strings"

	"tallylock/dynamo"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/verdict"
	"tallylock/ui/cli/print"
	"tallylock/ui/kit"
	"tallylock/ui/record"
	"tallylock/ui/say"
)

// writeCheck writes the result of a check for people: what was read, the findings by kind, and
// notes.
func writeCheck(p *print.Printer, t *dynamo.Table, found *listing, n counts, s finding.Summary) {
	p.Put(kit.Strong, t.Name)
	if s.LayoutState == layout.Guessed {
		p.Put(kit.Warn, "  guessed layout")
	}
	p.Line(kit.Muted, "  %s, %s, %s, %s, %s", phrase.Count(s.Items, "item"), say.AccountsAndLocks(s),
		say.UsedReadUnits(s.ReadUnits, t.Connection().ReportsUnits()), say.Took(s), say.CheckDone(s))
	listed := found.listed()
	for _, kind := range finding.Kinds() {
		if all := listed[kind]; len(all) > 0 {
			writeKind(p, t, kind, all, n[kind])
		}
	}
	p.End()
	if found.all > mostListed {
		p.Hang(kit.Warn, 0, say.Unlisted(mostListed, found.all))
	}
	if said, good := say.CheckOutcome(s); found.all == 0 && good {
		p.Line(kit.Good, "%s", kit.GlyphYes+" "+said)
	} else if found.all == 0 {
		p.Line(kit.Warn, "%s", "? "+said)
	}
	writeQuestions(p, t, found.asking)
	writeRests(p, found.rests, s)
	for _, line := range say.Checked(s) {
		p.Hang(kit.Muted, 0, line)
	}
	for _, line := range say.NotChecked(s) {
		p.Hang(kit.Warn, 0, line)
	}
	writeBeside(p, s)
}

// writeQuestions lists the open questions of findings, each once, with the commands that answer
// them.
func writeQuestions(p *print.Printer, t *dynamo.Table, findings []finding.Finding) {
	var asks []string
	for _, f := range findings {
		_, con := t.Layout.Constraint(f.Constraint)
		if f.Question == nil || con == nil {
			continue
		}
		ask := ""
		if f.Question.Tables {
			if unsaid := t.CheckSure("", con); unsaid != nil {
				e := say.Explain(unsaid)
				ask = say.Sentence(e.Why + ": " + e.Do)
			}
		} else {
			q := t.Answers.Ask(con, &verdict.Holding{
				Place: layout.Place{Table: f.Question.Table, Items: f.Question.Items, Attribute: f.Question.Attribute},
			})
			ask = q.Ask() + " " + say.Do(q.Offer())
		}
		if ask != "" && !slices.Contains(asks, ask) {
			asks = append(asks, ask)
		}
	}
	if len(asks) > 0 {
		p.Line(kit.Strong, "%s to answer", phrase.Count(len(asks), "question"))
	}
	for _, ask := range asks {
		p.Indented(kit.Text, 2, ask)
	}
}

// writeRests writes the assumptions of confirmed findings, and the changes that could still explain a finding.
func writeRests(p *print.Printer, not []string, s finding.Summary) {
	if len(s.Assumptions)+len(not) == 0 {
		return
	}
	p.Line(kit.Strong, "Assumptions of confirmed findings")
	for _, a := range s.Assumptions {
		p.Indented(kit.Muted, 2, a)
	}
	for _, n := range not {
		p.Indented(kit.Muted, 2, "Not excluded: "+n)
	}
}

// writeKind writes the listed findings of one kind. n counts all findings of the kind.
func writeKind(
	p *print.Printer, t *dynamo.Table, kind finding.Kind, listed []finding.Finding, n record.StatusFindings,
) {
	slices.SortStableFunc(listed, func(a, b finding.Finding) int {
		return strings.Compare(a.Constraint+"\x00"+a.Value+a.Counter, b.Constraint+"\x00"+b.Value+b.Counter)
	})
	p.End()
	sign, all := say.Kind(kind), n.Confirmed+n.Unconfirmed
	p.Put(sign.Style, sign.Glyph+" "+string(kind))
	p.Put(kit.Text, fmt.Sprintf("  %s", phrase.Number(all)))
	if n.Unconfirmed > 0 {
		p.Put(kit.Warn, fmt.Sprintf("  %s not confirmed", phrase.Number(n.Unconfirmed)))
	}
	p.End()
	last := ""
	for _, f := range listed {
		mark := "  "
		if !f.Confirmed {
			mark = "? "
		}
		p.Put(kit.Warn, "  "+mark)
		p.Hang(kit.Text, 4, f.Detail)
		keys := say.FindingKeys(t, f)
		for _, k := range keys[:min(len(keys), mostKeys)] {
			p.Indented(kit.Muted, 6, k.String())
		}
		if n := len(keys) - mostKeys; n > 0 {
			p.Indented(kit.Muted, 6, say.MoreKeys(n))
		}
		if read, _ := f.SplitEvidence(); read != "" && read != last { // the same evidence is written only once
			last = read
			p.Indented(kit.Muted, 6, "evidence: "+read)
		}
	}
	if more := all - len(listed); more > 0 {
		p.Line(kit.Warn, "    and %s more", phrase.Number(more))
	}
}

// mostKeys limits the keys of one finding that the text output lists.
const mostKeys = 20

// writeBeside writes the notes and the locks with a release mark.
func writeBeside(p *print.Printer, s finding.Summary) {
	if s.Known > 0 && s.Found() > 0 {
		p.Line(kit.Muted, "%s left out (listed in the baseline).", phrase.Count(s.Known, "finding"))
	}
	for _, note := range say.Notes(s) {
		p.Hang(kit.Muted, 0, note)
	}
	for _, m := range s.Marks[:min(len(s.Marks), mostKeys)] {
		p.Line(kit.Muted, "  mark: %s %s", m.Constraint, p.Exact(m.Value))
	}
	if n := len(s.Marks) + s.MoreMarks; n > mostKeys {
		p.Line(kit.Muted, "  and %s more", phrase.Number(n-mostKeys))
	}
	if !s.Complete && s.Why != "" {
		p.Hang(kit.Warn, 0, say.Sentence(s.Why))
	}
}
