package ui

import (
	"tallylock/dynamo"
	"tallylock/ui/kit"
	"tallylock/ui/words"
)

// relationBeneath is the detail of a relation in four rows: the sentence, the
// lock, what was read, and what it means to people. Where there is a reason why the
// verdict is not sure it comes first.
func (a *app) relationBeneath(d *kit.Block, r *dynamo.Relation) {
	sign, text, why := words.Verdict(r.Verdict, r.Provisional), r.Sentence(), words.Unsure(r)
	facts := []kit.Fact{{Label: "lock", Said: lockFacts(r)}}
	switch both := text + " " + why; {
	case why == "":
		facts = append(facts, kit.Fact{Label: "read", Said: a.readFacts(r)})
	case len(kit.Wrap(both, d.Width-kit.VerdictColumn(sign)-1)) <= 2:
		text = both
	default:
		facts = append([]kit.Fact{{Label: "why", Said: []kit.Span{kit.Text.Of(why)}}}, facts...)
	}
	d.Verdict(sign, text)
	if so := r.Consequence(); so != "" && r.Verdict != dynamo.Unknown {
		facts = append(facts, kit.Fact{Label: "so", Said: []kit.Span{kit.Text.Of(so)}})
	}
	if facts[0].Label == "why" { // is said whole, whatever has no room then
		for n, row := range kit.Flow(facts[0].Said, d.Width-14, 2) {
			d.FactRow([]string{"why", ""}[min(n, 1)], row)
		}
		facts = facts[1:]
	}
	d.Facts(facts...)
}
