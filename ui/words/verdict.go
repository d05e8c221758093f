package words

import (
	"fmt"

	"tallylock/dynamo"
	"tallylock/dynamo/phrase"
	"tallylock/ui/kit"
)

// Verdict is the sign of a verdict. Colour arrives with certainty: what is
// not confirmed keeps its coloured glyph, but its word is quiet and asks.
func Verdict(v dynamo.Verdict, provisional bool) kit.Sign {
	s := kit.Sign{Word: string(v)}
	//exhaustive:enforce
	switch v {
	case dynamo.Held, dynamo.InUse:
		return kit.Sign{Glyph: kit.GlyphHeld, Style: kit.Good, Word: s.Word, Quiet: true}
	case dynamo.Missing:
		s.Glyph, s.Style = kit.GlyphMissing, kit.Warn
	case dynamo.Orphaned:
		s.Glyph, s.Style = kit.GlyphOrphaned, kit.Bad
	case dynamo.Stale:
		s.Glyph, s.Style = kit.GlyphStale, kit.Warn
	case dynamo.Foreign:
		s.Glyph, s.Style = kit.GlyphForeign, kit.Other
	case dynamo.Duplicate:
		s.Glyph, s.Style = kit.GlyphDuplicate, kit.Bad
	case dynamo.Malformed:
		s.Glyph, s.Style = kit.GlyphMalformed, kit.Warn
	case dynamo.Reserved:
		s.Glyph, s.Style, s.Quiet = kit.GlyphReserved, kit.Accent, true
	case dynamo.Free:
		s.Glyph, s.Style = kit.GlyphFree, kit.Accent
	case dynamo.Unknown:
		fallthrough
	default:
		return kit.Sign{Glyph: kit.GlyphUnknown, Style: kit.Muted, Word: "unknown", Quiet: true}
	}
	if provisional && (v.Broken() || v == dynamo.Reserved || v == dynamo.Free) {
		s.Word += "?"
		s.Quiet = true
	}
	return s
}

// ValueVerdict is the sign of a verdict on a value that an account has.
func ValueVerdict(v dynamo.Verdict, provisional bool) kit.Sign {
	s := Verdict(v, provisional)
	if v == dynamo.Held {
		s.Word = v.OfValue()
	}
	return s
}

// JoinRelation draws the line of a relation: none where there is nothing to join.
func JoinRelation(l *kit.Line, r *dynamo.Relation, end int) {
	if r.Verdict == dynamo.Unknown && !r.Lock.Exists || r.Constraint.Lockless() {
		l.To(end)
		return
	}
	Join(l, r.Verdict, end)
}

// Join draws the line from a value to its lock, over the cells up to column end:
// whole where they belong together, broken where the relation is broken.
func Join(l *kit.Line, v dynamo.Verdict, end int) {
	l.Put(kit.Text, " ")
	n := end - l.At
	if n < 2 {
		return
	}
	k := Verdict(v, false).Style
	switch v {
	case dynamo.Held:
		l.Run(kit.Faint, kit.RuleThin, n)
	case dynamo.Duplicate:
		l.Run(k, kit.RuleThin, n)
	case dynamo.Missing:
		l.Run(k, kit.RuleThin, n-3)
		l.Put(k, kit.RuleEnds)
	case dynamo.Stale:
		l.Run(k, kit.RuleDash, n)
	case dynamo.Foreign:
		l.Run(k, kit.RuleThin, n-2)
		l.Put(k, kit.RuleCross)
		l.Run(k, kit.RuleThin, 1)
	case dynamo.Free:
	default: // the lock reaches no account
		l.To(end - 3)
		l.Put(k, kit.RuleStart)
		l.Run(k, kit.RuleThin, end-l.At)
	}
}

// Relation names what is selected: "an orphaned lock".
func Relation(r *dynamo.Relation) string {
	switch r.Verdict {
	case dynamo.Held:
		return "a held lock"
	case dynamo.InUse:
		return "a value in use"
	case dynamo.Missing:
		return "a missing lock"
	case dynamo.Duplicate:
		return "a value held twice"
	case dynamo.Orphaned, dynamo.Unknown:
		return "an " + string(r.Verdict) + " lock"
	case dynamo.Free:
		return "a free value"
	}
	return "a " + string(r.Verdict) + " lock"
}

// NearWords says how many other spellings of a value were tried, and are in use.
func NearWords(a *dynamo.Answer) []kit.Span {
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

// Holds says what the account beside a lock holds.
func Holds(r *dynamo.Relation) (string, kit.Style) {
	switch {
	case len(r.Claimants) > 1:
		return phrase.Count(len(r.Claimants), "account"), kit.Text
	case r.Account != nil:
		return "the same", kit.Muted
	case r.OwnerAccount != nil:
		if v := r.OwnerAccount.Item.At(r.Constraint.Attribute); v.Exists() {
			return v.Display(), kit.Text
		}
		return "no " + r.Constraint.Name, kit.Absent
	}
	return "", kit.Muted
}

// Unsure is why a verdict could not be told, or may not hold; empty where it is sure.
func Unsure(r *dynamo.Relation) string {
	if r.Why == "" || !r.Provisional && r.Verdict != dynamo.Unknown {
		return ""
	}
	return Sentence(r.Why)
}
