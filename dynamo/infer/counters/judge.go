package counters

import (
	"fmt"
	"math/big"
	"slices"

	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
)

// judge finds what a group's number means, and why.
func (s *countSheet) judge(g *countGroup, vars []keyVariable) {
	words := nameWords(g.attribute)
	e := s.seriesOf(g, vars)
	if e != nil && e.met > 0 {
		for n, p := range e.places {
			g.ids = append(g.ids, s.idsConfig(p, e.scopes[n]))
			if most := p.padding(); most != "" && (g.most == "" || len(most) < len(g.most)) {
				g.most = most // the next id would be out of order, or refused
			}
		}
	}
	said := append(slices.Clone(words), g.keyWords()...)
	child, counted := s.counted(g, vars)
	plain := g.entities && namingOf(g.attribute, s.known) != telling && !anyOf(words, edges) && !anyOf(words, counts)
	switch {
	case plain && counted:
		g.semantics, g.because = layout.Tally, "there are as many items "+phrase.Quote(child)
	case slices.Contains(said, "next"), slices.Contains(said, "nextid"):
		g.semantics, g.because, g.sure = layout.Next, "it is called next", true
	case slices.Contains(words, "last"), slices.Contains(words, "lastid"), slices.Contains(words, "highest"), slices.Contains(words, "latest"):
		g.semantics, g.because, g.sure = layout.Last, "it is called "+words[0], true
	case e != nil && e.last > 0 && e.last >= e.next:
		g.semantics, g.because = layout.Last, g.example(e, 0)
	case e != nil && e.next > 0 && s.t.Whole:
		g.semantics, g.because = layout.Next, g.example(e, 1)
	case counted:
		g.semantics, g.because = layout.Tally, "there are as many items "+phrase.Quote(child)
	case anyOf(words, events), slices.ContainsFunc(vars, func(v keyVariable) bool { return v.name == shardName }):
		g.semantics, g.because = layout.Tally, "what it counts has no ids"
	case e != nil && e.met > 0:
		g.semantics, g.because = layout.Last, "ids stand beside it, and it is neither the highest nor one more"
	case g.rows[0].countsByKey():
		g.semantics, g.because = layout.Tally, "its key says that it counts"
	case anyOf(words, tallying) && s.withoutIDs():
		g.semantics, g.because = layout.Tally, "no items with numbers for ids were seen"
	default:
		g.semantics, g.because = layout.Last, "nothing says otherwise"
	}
	if g.semantics == layout.Tally {
		g.ids, g.most = nil, ""
	}
}

// tallying are words of what counts items.
var tallying = wordSet("count counts cnt total totals tally tallies")

// withoutIDs reports whether the table has items enough to tell that none has a number
// for its id.
func (s *countSheet) withoutIDs() bool {
	others := 0
	for _, r := range s.rows {
		if !r.counter {
			others++
		}
	}
	return others >= 10 && len(s.places()) == 0
}

// keyWords are the words of the parts of a group's keys that name a counter.
func (g *countGroup) keyWords() []string {
	var out []string
	for _, p := range g.rows[0].parts {
		if p.word && saysCounter(nameWords(p.text)) {
			out = append(out, nameWords(p.text)...)
		}
	}
	return out
}

// example says of one counter how it stands to its ids: more is 0 for the last, 1 for the
// next.
func (g *countGroup) example(e *idEvidence, more int64) string {
	for n, h := range e.highest {
		v := g.rows[n].number(g.attribute)
		if h == nil || v == nil || new(big.Int).Sub(v, h).Cmp(big.NewInt(more)) != 0 {
			continue
		}
		if more == 0 {
			return fmt.Sprintf("%s is the highest id seen", phrase.Group(v.String()))
		}
		return fmt.Sprintf("%s is the highest id seen and one more", phrase.Group(v.String()))
	}
	return ""
}
