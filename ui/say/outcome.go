package say

import (
	"fmt"
	"slices"
	"strings"

	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
	"tallylock/ui/kit"
)

// sign returns the sign for an outcome. Each subject has its own words for some outcomes.
func sign(o journal.Outcome) kit.Sign {
	switch o {
	case journal.Applied:
		return kit.Sign{Glyph: kit.GlyphYes, Style: kit.Good, Word: "applied", Quiet: true}
	case journal.Unknown:
		return kit.Sign{Glyph: kit.GlyphUnknown, Style: kit.Warn, Word: "not known"}
	case journal.Planned:
		return kit.Sign{Glyph: kit.GlyphFree, Style: kit.Accent, Word: "planned"}
	case InOrder:
		return kit.Sign{Glyph: kit.GlyphYes, Style: kit.Good, Word: "in order", Quiet: true}
	case Skipped:
		return kit.Sign{Glyph: kit.GlyphUnknown, Style: kit.Warn, Word: "skipped"}
	}
	return kit.Sign{Glyph: kit.GlyphNo, Style: kit.Bad, Word: "refused"}
}

// Outcome returns the sign for the outcome of a change in the journal.
func Outcome(r *journal.Record) kit.Sign {
	switch {
	case r.Open:
		return sign(journal.Unknown)
	case r.Undone != "" && r.Outcome != journal.Unknown:
		return kit.Sign{Glyph: kit.GlyphUndone, Style: kit.Muted, Word: "undone", Quiet: true}
	case halted(r):
		return kit.Sign{Glyph: kit.GlyphNo, Style: kit.Muted, Word: "stopped", Quiet: true}
	}
	return sign(r.Outcome)
}

// halted reports whether a change in the journal was stopped by a person.
func halted(r *journal.Record) bool {
	return r.Outcome == journal.Refused &&
		slices.ContainsFunc(r.Reasons, func(why journal.Reason) bool { return why.Code == plan.Cancelled })
}

// These are outcomes of a finding that a mend leaves as it is.
const (
	InOrder journal.Outcome = "in order" // the finding needs no repair any more
	Skipped journal.Outcome = "skipped"  // the finding waits for a person's answer
)

// Mended returns the sign for the outcome of mending a finding, on a screen.
func Mended(r change.Receipt) kit.Sign {
	s := sign(r.Outcome)
	switch {
	case r.Outcome == journal.Applied:
		s.Word = "mended"
	case NothingToDo(r):
		return sign(InOrder)
	}
	return s
}

// MendedWhy describes the outcome of mending a finding in a sentence.
func MendedWhy(r change.Receipt) string {
	if why := WhyReceipt(r); len(why) > 0 {
		return why[0]
	}
	switch {
	case r.Outcome != journal.Applied:
		return ""
	case r.Plan.Counter != "": // the counter's name is the first word, and must keep its case
		return Done(r.Plan, r) + "." + named(r)
	}
	return Sentence(Done(r.Plan, r)) + named(r)
}

// MendedLine returns the sign for the outcome of mending a finding, in a line of a command.
func MendedLine(o journal.Outcome) kit.Sign {
	s := sign(o)
	switch o {
	case journal.Applied:
		s.Word = "mended"
	case journal.Refused:
		s.Word = "left"
	case InOrder:
		s.Glyph = kit.GlyphHeld
	}
	s.Quiet = false
	return s
}

// Result returns the sign for the outcome of a change, and the state of the table after it.
func Result(r change.Receipt) (s kit.Sign, now string) {
	s, now = sign(r.Outcome), "nothing was written"
	switch {
	case r.Outcome == journal.Applied:
		now = Done(r.Plan, r)
	case r.Outcome == journal.Unknown:
		now = "the answer was lost"
	case r.Unmarked:
		now = "the lock stays"
	case !r.Marked.IsZero() || slices.ContainsFunc(r.Reasons, AboutMark):
		now = "the lock was not deleted"
	}
	switch {
	case Stopped(r):
		s.Word = "stopped"
	case r.Outcome == journal.Refused && r.Err != nil:
		s.Word = string(client.KindOf(r.Err))
	}
	return loud(s), now
}

// loud returns a sign for a title.
func loud(s kit.Sign) kit.Sign {
	s.Word, s.Quiet = strings.ToUpper(s.Word[:1])+s.Word[1:], false
	return s
}

// ResultOfAll returns the sign for the outcomes of several changes, and how many were applied: "2 of 3 locks
// released". thing and done are the words for a subject and for a change that was applied.
func ResultOfAll(all []change.Receipt, thing, done string) (s kit.Sign, now string) {
	count := map[journal.Outcome]int{}
	for _, r := range all {
		count[r.Outcome]++
	}
	s, _ = Result(all[0])
	switch made := count[journal.Applied]; {
	case made == len(all):
	case count[journal.Unknown] > 0:
		s = loud(sign(journal.Unknown))
	case made > 0:
		s = kit.Sign{Glyph: kit.GlyphYes, Style: kit.Warn, Word: "Applied in part"}
	case !Stopped(all[0]):
		s.Word = "Refused"
	}
	return s, fmt.Sprintf("%d of %s %s", count[journal.Applied], phrase.Count(len(all), thing), done)
}

// NotPlanned returns the sign for a change that could not be planned. r is its receipt.
func NotPlanned(r change.Receipt) (s kit.Sign, now string) {
	now = "nothing was sent"
	switch {
	case r.Err != nil:
		return kit.Sign{Glyph: "!", Style: kit.Warn, Word: Explain(r.Err).Kind}, now
	case NothingToDo(r):
		return loud(sign(InOrder)), now
	}
	return loud(sign(journal.Refused)), now
}

// Resolved returns the sign for an open change after a person chose what to do, and its outcome.
func Resolved(r change.Receipt, did change.Action) (s kit.Sign, now string) {
	s = kit.Sign{Glyph: kit.GlyphYes, Style: kit.Good, Word: "Resolved"}
	switch {
	case StaysOpen(r, did):
		return kit.Sign{Glyph: kit.GlyphUnknown, Style: kit.Warn, Word: "Still open"}, "its outcome is unknown"
	case r.Outcome == journal.Unknown:
		return s, "closed as unknown"
	}
	return s, "it is " + string(r.Outcome)
}

// ResolvedLine is Resolved for a line of a command.
func ResolvedLine(r change.Receipt, did change.Action) kit.Span {
	switch {
	case StaysOpen(r, did):
		return kit.Warn.Of("stays open")
	case r.Outcome == journal.Unknown:
		return kit.Warn.Of("closed as unknown")
	}
	return kit.Strong.Of("closed as " + string(r.Outcome))
}

// StaysOpen reports whether a change is still open after a person chose what to do.
func StaysOpen(r change.Receipt, did change.Action) bool {
	return r.Err != nil || r.Outcome == journal.Unknown && did != change.GiveUp
}

// Stopped reports whether a person stopped the change.
func Stopped(r change.Receipt) bool {
	return r.Outcome == journal.Refused && r.Err != nil && client.KindOf(r.Err) == client.Cancelled
}

// OutcomeWord returns the outcome of a change in a word.
func OutcomeWord(r change.Receipt) string {
	if Stopped(r) {
		return "stopped"
	}
	return string(r.Outcome)
}

// NothingToDo reports whether the change was refused because there was nothing to repair.
func NothingToDo(r change.Receipt) bool {
	return r.Outcome == journal.Refused && len(r.Reasons) > 0 && r.Reasons[0].Code == plan.InOrder
}
