package ui

import (
	"strings"

	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/phrase"
)

// outcomeSign is the sign of what became of a change.
func outcomeSign(r *journal.Record) sign {
	switch {
	case r.Open, r.Outcome == change.Unknown:
		return sign{glyphUnknown, asWarn, "not known", false}
	case r.Undone != "":
		return sign{glyphUndone, asMuted, "undone", true}
	case r.Outcome == change.Applied:
		return sign{glyphYes, asGood, "applied", true}
	}
	return sign{glyphNo, asBad, string(r.Outcome), false}
}

// drawWhat writes what a change does and to what, up to a column; the table
// stands elsewhere.
func drawWhat(l *line, r *journal.Record, end int) {
	what := strings.TrimSuffix(r.What, " of "+r.Table)
	if r.Undoes != "" {
		l.words(asMuted, "undo: ", end-l.at)
	}
	does, to := what, ""
	if n := strings.IndexAny(what, " \""); n >= 0 {
		does, to = what[:n+1], what[n+1:]
	}
	if n := strings.Index(to, " \""); n >= 0 { // the constraint's name
		does, to = does+to[:n+1], to[n+1:]
	}
	if w := cellsShown(does + to); w > end-l.at {
		if n := strings.LastIndex(to, ", "); n > 0 && strings.Contains(to[n:], " → ") { // a number is never cut
			to = to[:n]
		} else if first, _, more := strings.Cut(does, " "); more { // the value tells more
			does = first + " "
		}
	}
	l.words(asMuted, does, end-l.at)
	l.fit(asStrong, to, end-l.at)
}

// became says in a sentence what became of a change of the journal. p is its plan,
// nil while it has not been read.
func became(r *journal.Record, p *change.Plan) string {
	switch {
	case r.Open:
		return "It was sent, and it is not known what became of it."
	case r.Outcome == change.Applied && p != nil:
		words := sentence(done(p, change.Receipt{After: p.After, First: p.First, Last: p.Last}))
		if r.Undone != "" {
			words += " It was taken back."
		}
		return words
	case r.Outcome == change.Applied:
		return sentence(r.What)
	case len(r.Reasons) > 0:
		return sentence(r.Reasons[0].Text)
	case r.Error != "":
		return sentence(r.Error)
	}
	return "Nothing was written."
}

// done is what is true once a change is applied. A bump may have been planned
// anew: what it came to stands in its receipt.
func done(p *change.Plan, r change.Receipt) string {
	switch {
	case p.Kind == change.KindReserve:
		return p.Reserved(r.First, r.Last)
	case p.Done != "":
		return p.Done
	}
	return p.Counter + " is at " + phrase.Group(r.After)
}
