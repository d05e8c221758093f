package words

import (
	"slices"
	"strings"

	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
	"tallylock/ui/kit"
)

// Outcome is the sign of what became of a change.
func Outcome(r *journal.Record) kit.Sign {
	switch {
	case r.Open, r.Outcome == change.Unknown:
		return kit.Sign{Glyph: kit.GlyphUnknown, Style: kit.Warn, Word: "not known"}
	case r.Undone != "":
		return kit.Sign{Glyph: kit.GlyphUndone, Style: kit.Muted, Word: "undone", Quiet: true}
	case r.Outcome == change.Applied:
		return kit.Sign{Glyph: kit.GlyphYes, Style: kit.Good, Word: "applied", Quiet: true}
	case halted(r):
		return kit.Sign{Glyph: kit.GlyphNo, Style: kit.Muted, Word: "stopped", Quiet: true}
	}
	return kit.Sign{Glyph: kit.GlyphNo, Style: kit.Bad, Word: string(r.Outcome)}
}

// halted reports whether a change of the journal was not made because somebody stopped it.
func halted(r *journal.Record) bool {
	return r.Outcome == change.Refused &&
		slices.ContainsFunc(r.Reasons, func(why journal.Reason) bool { return why.Code == change.Cancelled })
}

// Result is the sign of what became of a change, and what is true now.
func Result(r change.Receipt) (s kit.Sign, now string) {
	switch {
	case r.Outcome == change.Applied:
		return kit.Sign{Glyph: kit.GlyphYes, Style: kit.Good, Word: "Applied"}, Done(r.Plan, r)
	case r.Outcome == change.Unknown:
		return kit.Sign{Glyph: kit.GlyphUnknown, Style: kit.Warn, Word: "Not known"}, "the answer was lost"
	}
	s, now = kit.Sign{Glyph: kit.GlyphNo, Style: kit.Bad, Word: "Refused"}, "nothing was written"
	if r.Err != nil {
		kind := string(client.KindOf(r.Err))
		s.Word = strings.ToUpper(kind[:1]) + kind[1:]
	}
	if Stopped(r) {
		s.Word = "Stopped"
	}
	if r.Unmarked || slices.ContainsFunc(r.Reasons, MarkLeft) {
		now = "the lock stays"
	}
	return s, now
}

// Stopped reports whether a change was not made because somebody stopped it.
func Stopped(r change.Receipt) bool {
	return r.Outcome == change.Refused && r.Err != nil && client.KindOf(r.Err) == client.Cancelled
}

// Became says in a sentence what became of a change of the journal. p is its plan,
// nil while it has not been read.
func Became(r *journal.Record, p *change.Plan) string {
	switch {
	case r.Open:
		return "It was sent, and it is not known what became of it."
	case r.Outcome == change.Applied && p != nil:
		words := Sentence(Done(p, change.Receipt{Effect: p.Effect}))
		if r.Undone != "" {
			words += " It was taken back."
		}
		return words
	case r.Outcome == change.Applied:
		return Sentence(r.What)
	case len(r.Reasons) > 0:
		return Sentence(r.Reasons[0].Text)
	case r.Error != "":
		return Sentence(r.Error)
	}
	return "Nothing was written."
}

// Done is what is true once a change is applied. A bump may have been planned
// anew: what it came to stands in its receipt.
func Done(p *change.Plan, r change.Receipt) string {
	switch {
	case p.Kind == change.KindReserve:
		return p.Reserved(r.First, r.Last)
	case p.Done != "":
		return p.Done
	}
	return p.Counter + " is at " + phrase.Group(r.After)
}

// By is the person's own part of a name that STS gave.
func By(who string) string {
	if strings.HasPrefix(who, "arn:") {
		return who[strings.LastIndexByte(who, '/')+1:]
	}
	return who
}

// WhyNot are the reasons that a change was refused for, or that it was resolved by,
// and other receipts that belong to it.
func WhyNot(r *journal.Record) []string {
	var out []string
	for _, reason := range r.Reasons {
		out = append(out, Sentence(reason.Text))
	}
	if r.Error != "" && !halted(r) { // which its reason says
		out = append(out, Sentence(r.Error))
	}
	if r.Undoes != "" {
		out = append(out, "It takes "+r.Undoes+" back.")
	}
	if r.Undone != "" {
		out = append(out, "It was taken back by "+r.Undone+".")
	}
	return out
}

// OpenChanges says that changes are open.
func OpenChanges(n int) string {
	if n == 1 {
		return "One change is open: it is not known what became of it."
	}
	return phrase.Count(n, "change") + " are open: it is not known what became of them."
}
