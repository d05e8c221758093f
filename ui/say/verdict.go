package say

import (
	"cmp"
	"slices"
	"strings"

	"tallylock/dynamo/phrase"
	"tallylock/dynamo/verdict"
	"tallylock/ui/kit"
)

// verdictWords has the texts about a verdict. In so and cause, {value} and {constraint} stand for texts of a relation.
type verdictWords struct {
	glyph string
	style kit.Style
	quiet bool   // the word is muted
	name  string // the name of a relation with this verdict
	so    string // the effect on people; empty if it depends on more than the verdict
	cause string // the usual cause; empty if there is none
}

// verdicts has the texts about all verdicts. Together with Consequence, no other place has such texts.
var verdicts = map[verdict.Verdict]verdictWords{
	verdict.Held: {
		glyph: kit.GlyphHeld, style: kit.Good, quiet: true, name: "a held lock",
		so: `a sign-up as {value} gets "already in use", which is correct`,
	},
	verdict.Missing: {
		glyph: kit.GlyphMissing, style: kit.Warn, name: "a missing lock",
		so:    "somebody else can sign up as {value}",
		cause: "Most often an import or a restore wrote the account without its lock, or the deletion of another account deleted the lock.",
	},
	verdict.Orphaned: {
		glyph: kit.GlyphOrphaned, style: kit.Bad, name: "an orphaned lock",
		so:    `a sign-up as {value} gets "already in use"`,
		cause: "Most often something deleted an account, or changed its {constraint}, and ignored the lock: a clean-up job, a restore, an expiry date.",
	},
	verdict.Stale: {
		glyph: kit.GlyphStale, style: kit.Warn, name: "a stale lock",
		so:    `a sign-up as {value} gets "already in use", although nobody uses it`,
		cause: "Most often two requests changed the {constraint} at once, or a program put the new lock and left the old one.",
	},
	verdict.Foreign: {glyph: kit.GlyphForeign, style: kit.Other, name: "a foreign lock"},
	verdict.Duplicate: {
		glyph: kit.GlyphDuplicate, style: kit.Bad, name: "a value held twice",
		cause: "Most often something wrote one of the accounts without checking the lock: an import, a merge, an overwriting put.",
	},
	verdict.Malformed: {
		glyph: kit.GlyphMalformed, style: kit.Warn, name: "a malformed lock",
		so: `a sign-up as {value} gets "already in use"`,
	},
	verdict.Reserved: {
		glyph: kit.GlyphReserved, style: kit.Accent, quiet: true, name: "a reserved lock",
		so:    `until then only the sign-up in progress can take it; any other gets "already in use"`,
		cause: "A sign-up locks its {constraint} first and writes the account later. An unfinished sign-up leaves the lock behind.",
	},
	verdict.Free: {
		glyph: kit.GlyphFree, style: kit.Accent, name: "a free value",
		so: "anybody can sign up as {value}",
	},
	verdict.InUse:   {glyph: kit.GlyphHeld, style: kit.Good, quiet: true, name: "a value in use"},
	verdict.Unknown: {glyph: kit.GlyphUnknown, style: kit.Muted, quiet: true, name: "an unknown lock"},
}

// Verdict returns the sign for a verdict. If a problem, a reservation or a free value is provisional, only the glyph
// has a colour, and the word is muted and has a question mark.
func Verdict(v verdict.Verdict, provisional bool) kit.Sign {
	of, known := verdicts[v]
	if !known {
		return Verdict(verdict.Unknown, false)
	}
	s := kit.Sign{Glyph: of.glyph, Style: of.style, Word: string(v), Quiet: of.quiet}
	if provisional && (v.Broken() || v == verdict.Reserved || v == verdict.Free) {
		s.Word += "?"
		s.Quiet = true
	}
	return s
}

// ValueVerdict returns the sign for the verdict on an account's value.
func ValueVerdict(v verdict.Verdict, provisional bool) kit.Sign {
	s := Verdict(v, provisional)
	if v == verdict.Held {
		s.Word = v.OfValue()
	}
	return s
}

// Relation names a relation by its verdict: "an orphaned lock".
func Relation(r *verdict.Relation) string { return verdicts[r.Verdict].name }

// Unsure explains why a verdict is unknown or provisional. It is empty if the verdict is sure.
func Unsure(r *verdict.Relation) string {
	if r.Why == "" || !r.Provisional && r.Verdict != verdict.Unknown {
		return ""
	}
	return Sentence(r.Why)
}

// Consequence says what a verdict means for people who sign up.
func Consequence(r *verdict.Relation) string {
	lockless := r.Constraint.Lockless()
	switch {
	case !lockless && r.Impossible != nil:
		return r.Impossible.Error()
	case !lockless && r.Lock.Mark != "":
		return "a release of this lock did not finish; its mark is harmless, and a new release replaces the mark"
	case lockless && r.Verdict == verdict.InUse:
		return "only the application decides whether a second account may take it"
	case r.Lock.Other != nil && (r.Verdict == verdict.Missing || r.Verdict == verdict.Unknown):
		return insert(verdicts[verdict.Orphaned].so, r) + ": another item has the lock's key"
	case r.Verdict == verdict.Duplicate:
		return shared(r.ClaimantCount(), r.Constraint.Name)
	case lockless && r.Verdict != verdict.Free:
		return r.Why
	case r.Verdict == verdict.Foreign:
		name := "an account"
		if a := r.Holder(); a != nil {
			name = a.Key.Hash.Value.Display()
		}
		return name + " cannot release or change its value"
	}
	so := cmp.Or(insert(verdicts[r.Verdict].so, r), r.Why)
	if r.Verdict == verdict.Missing && r.Variant != nil {
		so += "; its lock exists in another spelling, " + r.Variant.Lock.Key.String()
	}
	return so
}

// Consequences says in sentences what a verdict means for people who sign up, and why the verdict is as it is.
func Consequences(r *verdict.Relation) (lines []string) {
	for _, so := range slices.Compact([]string{Consequence(r), r.Why}) {
		if so != "" {
			lines = append(lines, Sentence(so))
		}
	}
	return lines
}

// Cause names the usual cause of a verdict. It is empty if there is none.
func Cause(r *verdict.Relation) string { return insert(verdicts[r.Verdict].cause, r) }

// insert replaces {value} and {constraint} by the value and the constraint of a relation.
func insert(text string, r *verdict.Relation) string {
	return strings.NewReplacer("{value}", phrase.Quote(r.Shown()), "{constraint}", r.Constraint.Name).Replace(text)
}
