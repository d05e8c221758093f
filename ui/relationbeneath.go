package ui

import "tallylock/dynamo"

// relationBeneath is the detail of a relation in four rows: the sentence, the
// lock, what was read, and what it means to people. Where there is a reason why the
// verdict is not sure it comes first.
func (a *app) relationBeneath(d *doc, r *dynamo.Relation) {
	sign, words, why := verdictSign(r.Verdict, r.Provisional), r.Sentence(), unsure(r)
	facts := []fact{{"lock", lockFacts(r)}}
	switch both := words + " " + why; {
	case why == "":
		facts = append(facts, fact{"read", a.readFacts(r)})
	case len(wrap(both, d.width-verdictColumn(sign)-1)) <= 2:
		words = both
	default:
		facts = append([]fact{{"why", []span{{asText, why}}}}, facts...)
	}
	d.verdict(sign, words)
	if so := r.Consequence(); so != "" && r.Verdict != dynamo.Unknown {
		facts = append(facts, fact{"so", []span{{asText, so}}})
	}
	if facts[0].label == "why" { // is said whole, whatever has no room then
		for n, row := range flow(facts[0].said, d.width-14, 2) {
			d.factRow([]string{"why", ""}[min(n, 1)], row)
		}
		facts = facts[1:]
	}
	d.facts(facts...)
}

// unsure is why a verdict could not be told, or may not hold; empty where it is sure.
func unsure(r *dynamo.Relation) string {
	if r.Why == "" || !r.Provisional && r.Verdict != dynamo.Unknown {
		return ""
	}
	return sentence(r.Why)
}

// verdictColumn is where the sentence of a verdict begins.
func verdictColumn(s sign) int { return max(13, 1+2+cells(s.word)+2) }

// verdict writes a sign and its sentence, over two rows where it is long.
func (d *doc) verdict(s sign, words string) {
	col := verdictColumn(s)
	rows := wrap(words, d.width-col-1)
	if !d.whole {
		rows = atMost(2, rows)
	}
	if d.height < 3 {
		rows = []string{words}
	}
	for n, row := range rows {
		d.row(func(l *line) {
			if n == 0 {
				l.to(1)
				s.draw(l)
			}
			l.to(col)
			l.words(asStrong, row, l.width-l.at-1)
		})
	}
}
