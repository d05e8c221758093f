package ui

import "tallylock/dynamo"

// sign is how a verdict, a finding or an outcome is shown: a glyph, a word and a
// colour, never a colour alone.
type sign struct {
	glyph string
	look  look
	word  string
	// quiet signs have a muted word: what is healthy, and what is not sure.
	quiet bool
}

// verdictSign is the sign of a verdict. Colour arrives with certainty: what is
// not confirmed keeps its coloured glyph, but its word is quiet and asks.
func verdictSign(v dynamo.Verdict, provisional bool) sign {
	s := sign{word: string(v)}
	switch v {
	case dynamo.Held, dynamo.InUse:
		return sign{glyphHeld, asGood, s.word, true}
	case dynamo.Missing:
		s.glyph, s.look = glyphMissing, asWarn
	case dynamo.Orphaned:
		s.glyph, s.look = glyphOrphaned, asBad
	case dynamo.Stale:
		s.glyph, s.look = glyphStale, asWarn
	case dynamo.Foreign:
		s.glyph, s.look = glyphForeign, asOther
	case dynamo.Duplicate:
		s.glyph, s.look = glyphDuplicate, asBad
	case dynamo.Malformed:
		s.glyph, s.look = glyphMalformed, asWarn
	case dynamo.Free:
		return sign{glyphFree, asAccent, s.word, false}
	default:
		return sign{glyphUnknown, asMuted, "unknown", true}
	}
	if provisional && v.Broken() {
		s.word += "?"
		s.quiet = true
	}
	return s
}

// draw writes the sign: glyph, space, word.
func (s sign) draw(l *line) {
	k := s.look
	word := s.look
	if s.quiet {
		word = asMuted
	} else if k != asAccent {
		k |= bold
		word |= bold
	}
	l.put(k, s.glyph)
	l.put(word, " ")
	l.put(word, s.word)
}

// joinOf draws the line of a relation: none where there is nothing to join.
func joinOf(l *line, r *dynamo.Relation, end int) {
	if r.Verdict == dynamo.Unknown && !r.Lock.Exists {
		l.to(end)
		return
	}
	join(l, r.Verdict, end)
}

// join draws the line from a value to its lock, over the cells up to column end:
// whole where they belong together, broken where the relation is broken.
func join(l *line, v dynamo.Verdict, end int) {
	l.put(asText, " ")
	n := end - l.at
	if n < 2 {
		return
	}
	k := verdictSign(v, false).look
	switch v {
	case dynamo.Held:
		l.run(asFaint, ruleThin, n)
	case dynamo.Duplicate:
		l.run(k, ruleThin, n)
	case dynamo.Missing:
		l.run(k, ruleThin, n-3)
		l.put(k, ruleEnds)
	case dynamo.Stale:
		l.run(k, ruleDash, n)
	case dynamo.Foreign:
		l.run(k, ruleThin, n-2)
		l.put(k, ruleCross)
		l.run(k, ruleThin, 1)
	case dynamo.Free:
	default: // the lock reaches no account
		l.to(end - 3)
		l.put(k, ruleStart)
		l.run(k, ruleThin, end-l.at)
	}
}
