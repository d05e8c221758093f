package say

import (
	"cmp"
	"fmt"
	"strings"

	"tallylock/dynamo/client"
	"tallylock/dynamo/find"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/verdict"
	"tallylock/ui/kit"
)

// Verdict returns the sign for a verdict. If the verdict is provisional, only its glyph has a
// colour, and its word is muted and has a question mark.
func Verdict(v verdict.Verdict, provisional bool) kit.Sign {
	s := kit.Sign{Word: string(v)}
	//exhaustive:enforce
	switch v {
	case verdict.Held, verdict.InUse:
		return kit.Sign{Glyph: kit.GlyphHeld, Style: kit.Good, Word: s.Word, Quiet: true}
	case verdict.Missing:
		s.Glyph, s.Style = kit.GlyphMissing, kit.Warn
	case verdict.Orphaned:
		s.Glyph, s.Style = kit.GlyphOrphaned, kit.Bad
	case verdict.Stale:
		s.Glyph, s.Style = kit.GlyphStale, kit.Warn
	case verdict.Foreign:
		s.Glyph, s.Style = kit.GlyphForeign, kit.Other
	case verdict.Duplicate:
		s.Glyph, s.Style = kit.GlyphDuplicate, kit.Bad
	case verdict.Malformed:
		s.Glyph, s.Style = kit.GlyphMalformed, kit.Warn
	case verdict.Reserved:
		s.Glyph, s.Style, s.Quiet = kit.GlyphReserved, kit.Accent, true
	case verdict.Free:
		s.Glyph, s.Style = kit.GlyphFree, kit.Accent
	case verdict.Unknown:
		fallthrough
	default:
		return kit.Sign{Glyph: kit.GlyphUnknown, Style: kit.Muted, Word: "unknown", Quiet: true}
	}
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
func Relation(r *verdict.Relation) string {
	switch r.Verdict {
	case verdict.Held:
		return "a held lock"
	case verdict.InUse:
		return "a value in use"
	case verdict.Missing:
		return "a missing lock"
	case verdict.Duplicate:
		return "a value held twice"
	case verdict.Orphaned, verdict.Unknown:
		return "an " + string(r.Verdict) + " lock"
	case verdict.Free:
		return "a free value"
	}
	return "a " + string(r.Verdict) + " lock"
}

// NearWords says how many other spellings of a value were tried, and how many are in use.
func NearWords(a *find.Answer) []kit.Span {
	s := []kit.Span{kit.Muted.Of("LOOKS LIKE IT "), kit.Faint.Of(kit.RuleThin + kit.RuleThin + " ")}
	tried := Plural(a.Tried, "spelling", "spellings") + " tried, "
	switch n := len(a.Near); {
	case a.Tried == 0:
		return append(s, kit.Muted.Of("no other spelling to try"))
	case n == 0:
		return append(s, kit.Muted.Of(tried+"none is in use"))
	case n == 1:
		return append(s, kit.Muted.Of(tried+"1 is in use; it does not stop \""+a.Query+"\""))
	case n == 2:
		return append(s, kit.Muted.Of(tried+"2 are in use; neither stops \""+a.Query+"\""))
	default:
		return append(s, kit.Muted.Of(fmt.Sprintf("%s%d are in use; none of them stops \"%s\"", tried, n, a.Query)))
	}
}

// Unsure explains why a verdict is unknown or provisional. It is empty if the verdict is sure.
func Unsure(r *verdict.Relation) string {
	if r.Why == "" || !r.Provisional && r.Verdict != verdict.Unknown {
		return ""
	}
	return Sentence(r.Why)
}

// Consequence says what a verdict means for people who sign up.
func Consequence(r *verdict.Relation) string {
	v := phrase.Quote(r.Value)
	switch {
	case r.Constraint.Lockless():
		return cmp.Or(locklessConsequence(r), r.Why)
	case r.Impossible != nil:
		return r.Impossible.Error()
	case r.Lock.Mark != "":
		return "a release of it was begun and not finished; the marker that is left is harmless, and a new release takes it over"
	}
	//exhaustive:enforce
	switch r.Verdict {
	case verdict.Held:
		return "a sign-up as " + v + ` is rightly told "already in use"`
	case verdict.Orphaned, verdict.Malformed:
		return "a sign-up as " + v + ` is told "already in use"`
	case verdict.Stale:
		return "a sign-up as " + v + ` is told "already in use", though nobody uses it`
	case verdict.Foreign:
		name := "an account"
		if a := r.Holder(); a != nil {
			name = a.Key.Hash.Value.Display()
		}
		return name + " cannot free or change what it holds"
	case verdict.Duplicate:
		return shared(r.ClaimantCount(), r.Constraint.Name)
	case verdict.Missing:
		if r.Spelt != nil {
			return "somebody else can sign up as " + v + "; its lock is there in another spelling, " + r.Spelt.Lock.Key.String()
		}
		return "somebody else can sign up as " + v
	case verdict.Reserved:
		return "until then only the sign-up in progress can take it; any other is told \"already in use\""
	case verdict.Free:
		return "anybody can sign up as " + v
	case verdict.InUse, verdict.Unknown:
	}
	return r.Why
}

// locklessConsequence is Consequence for a constraint without locks. It is empty if there is none.
func locklessConsequence(r *verdict.Relation) string {
	switch r.Verdict {
	case verdict.Duplicate:
		return shared(r.ClaimantCount(), r.Constraint.Name)
	case verdict.InUse:
		return "the application alone decides whether a second account may take it"
	case verdict.Free:
		return "anybody can sign up as " + phrase.Quote(r.Value)
	}
	return ""
}

// Evidence describes a verdict in a sentence, with the reads behind it: which keys, how, and when.
func Evidence(a *find.Answer, r *verdict.Relation) string {
	text := r.Sentence()
	if r.Why != "" {
		text += " " + Sentence(r.Why)
	}
	var reads []string
	for _, read := range readsOf(a, r) {
		reads = append(reads, fmt.Sprintf("%s %s: %s (%s)", Clock(read.At), read.What, read.Found, read.How))
	}
	if len(reads) > 0 {
		text += " Read: " + strings.Join(reads, "; ") + "."
	}
	return text
}

// readsOf returns the reads behind a relation's verdict. It leaves out the reads of other locks
// that the typed word might have meant.
func readsOf(a *find.Answer, r *verdict.Relation) []client.Read {
	others := map[string]bool{}
	for _, other := range a.Locks {
		if other != r {
			others[other.Lock.Key.String()] = true
		}
	}
	var reads []client.Read
	for _, read := range r.Reads {
		if !others[read.What] {
			reads = append(reads, read)
		}
	}
	return reads
}
