package words

import (
	"fmt"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/check"
	"tallylock/ui/kit"
)

// KindMeans says what a kind of finding is.
func KindMeans(k check.Kind) string {
	switch k {
	case check.OrphanedLock:
		return "no account uses the lock's value; its owner, if it names one, is gone"
	case check.StaleLock:
		return "the lock's owner exists and holds another value"
	case check.MissingLock:
		return "an account's value has no lock"
	case check.ForeignLock:
		return "the lock names one account, and only another holds the value"
	case check.DuplicateValue:
		return "two accounts or more hold one value"
	case check.UnnormalisedLock:
		return "an account and a lock meet only when case and the like are folded"
	case check.MalformedLock:
		return "the lock's key can only come from a mistake"
	case check.ExpiringAccount:
		return "DynamoDB will delete the account and not its lock, or the reverse"
	case check.CounterBehind:
		return "an id above the counter is in use"
	case check.CounterMissing:
		return "ids exist, and the counter does not"
	case check.CounterNotNumber:
		return "the counter is text, a fraction or a negative number"
	case check.CounterUnsafe:
		return "the counter is above 2^53 − 1"
	case check.CounterOffStep:
		return "the counter is between two of its numbers"
	case check.DriftedKey:
		return "a key disagrees with the attributes that it is made of"
	case check.DuplicateID:
		return "two items carry one minted id"
	}
	return string(k)
}

// Kind is the sign of a kind of finding, with a short word.
func Kind(k check.Kind) kit.Sign {
	switch k {
	case check.OrphanedLock:
		return kit.Sign{Glyph: kit.GlyphOrphaned, Style: kit.Bad, Word: "orphaned"}
	case check.StaleLock:
		return kit.Sign{Glyph: kit.GlyphStale, Style: kit.Warn, Word: "stale"}
	case check.MissingLock, check.CounterMissing:
		return kit.Sign{Glyph: kit.GlyphMissing, Style: kit.Warn, Word: "missing"}
	case check.ForeignLock:
		return kit.Sign{Glyph: kit.GlyphForeign, Style: kit.Other, Word: "foreign"}
	case check.DuplicateValue:
		return kit.Sign{Glyph: kit.GlyphDuplicate, Style: kit.Bad, Word: "duplicate"}
	case check.UnnormalisedLock:
		return kit.Sign{Glyph: kit.GlyphAlike, Style: kit.Warn, Word: "misspelt"}
	case check.MalformedLock:
		return kit.Sign{Glyph: kit.GlyphMalformed, Style: kit.Warn, Word: "malformed"}
	case check.ExpiringAccount:
		return kit.Sign{Glyph: kit.GlyphExpiring, Style: kit.Warn, Word: "expiring"}
	case check.CounterBehind:
		return kit.Sign{Glyph: kit.GlyphBehind, Style: kit.Bad, Word: "behind"}
	case check.CounterNotNumber:
		return kit.Sign{Glyph: kit.GlyphNotNumber, Style: kit.Bad, Word: "not a number"}
	case check.CounterUnsafe:
		return kit.Sign{Glyph: kit.GlyphUnsafe, Style: kit.Warn, Word: "past 2^53"}
	case check.CounterOffStep:
		return kit.Sign{Glyph: kit.GlyphOffStep, Style: kit.Warn, Word: "off step"}
	case check.DriftedKey:
		return kit.Sign{Glyph: kit.GlyphAlike, Style: kit.Warn, Word: "drifted"}
	case check.DuplicateID:
		return kit.Sign{Glyph: kit.GlyphDuplicate, Style: kit.Bad, Word: "same id"}
	}
	return kit.Sign{Glyph: kit.GlyphUnknown, Style: kit.Warn, Word: string(k)}
}

// Finding is the sign of a finding: quiet, and asking, until it is confirmed.
func Finding(f check.Finding) kit.Sign {
	s := Kind(f.Kind)
	if !f.Confirmed {
		s.Word += "?"
		s.Quiet = true
	}
	return s
}

// Subject is what a finding is about: a constraint and a value, an id, or a counter.
func Subject(f check.Finding) (what, value string) {
	switch {
	case f.Kind == check.DriftedKey:
		return f.Attribute, f.Seen.Display()
	case f.ID != "":
		return "id", f.ID
	case f.Counter != "":
		return "counter", f.Counter
	}
	return f.Constraint, f.Value
}

// Account is an account as a list shows it, by its key.
func Account(t *dynamo.Table, key attr.Item) string {
	if k, ok := t.Schema.KeyOf(key); ok {
		return k.Hash.Value.Display()
	}
	return ""
}

// FindingMeans is what a finding means to people.
func FindingMeans(f check.Finding) string {
	_, value := Subject(f)
	switch f.Kind {
	case check.UnnormalisedLock:
		return fmt.Sprintf("nothing keeps \"%s\", and the other spelling is kept for nobody", value)
	case check.ExpiringAccount:
		return "what stays behind of the two is broken: a lock without its account, or an account without its lock"
	case check.CounterBehind:
		return "numbers that are in use will be handed out again"
	case check.CounterMissing:
		return "the next number is the first again, which is in use"
	case check.CounterNotNumber:
		return "the application's next ADD fails"
	case check.CounterUnsafe:
		return "what reads it as a double, as JavaScript does, sees another number"
	case check.CounterOffStep:
		return "its numbers run into those of another series"
	case check.DuplicateValue:
		if f.Relation == nil {
			return "people share what only one may have; who keeps it is for people to decide"
		}
	case check.DriftedKey:
		return fmt.Sprintf("who looks for \"%s\" does not find this item, and who looks for what the key says does", f.Expected)
	case check.DuplicateID:
		return "what is looked up by this id finds one of them"
	}
	if f.Relation == nil {
		return ""
	}
	return Consequence(f.Relation)
}

// Suspect says that there are very many findings like this one.
const Suspect = "very many are like this: look at some before you mend them together"
