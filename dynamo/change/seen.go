package change

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
)

// SeenItem is an item that a change rests on, as it was seen: which it is, whether it was
// there, and a digest of the attributes that the change compares. Their values may be
// nobody's business who is handed the file.
type SeenItem struct {
	Table  string    `json:"table"`
	Key    attr.Item `json:"key"`
	There  bool      `json:"there"`
	Digest string    `json:"digest,omitempty"`
}

// seen are the items that the plan's conditions are about, each once. A release rests on
// its lock alone, by which way it ever goes: who claims it is looked for again.
func seen(p *Plan) (all []SeenItem) {
	for _, s := range p.Steps {
		for _, w := range s.Writes {
			one := seenBy(p, w)
			if !slices.ContainsFunc(all, one.same) {
				all = append(all, one)
			}
			if p.Kind == KindRelease {
				return all
			}
		}
	}
	return all
}

func (s SeenItem) same(other SeenItem) bool { return s.Table == other.Table && s.Key.Equal(other.Key) }

// alias is what stands for a name or a value in an expression.
var alias = regexp.MustCompile(`[#:][a-z]+[0-9]*`)

// seenBy is the item of an action. The mark of a release says nothing of it.
func seenBy(p *Plan, w client.Write) SeenItem {
	s := SeenItem{Table: w.Table, Key: w.KeyIn(p.table.SchemaOf(w.Table)), There: !strings.Contains(w.Condition, "attribute_not_exists(#pk)")}
	var terms []string
	for term := range strings.SplitSeq(w.Condition, " AND ") {
		if !strings.Contains(term, " = :") {
			continue
		}
		term = alias.ReplaceAllStringFunc(term, func(a string) string {
			if name, ok := w.Names[a]; ok {
				return name
			}
			value, _ := w.Values[a].MarshalJSON() // a value that was read always can be
			return string(value)
		})
		if !strings.HasPrefix(term, dynamo.MarkAttribute+" = ") {
			terms = append(terms, term)
		}
	}
	if len(terms) > 0 {
		slices.Sort(terms)
		sum := sha256.Sum256([]byte(strings.Join(terms, "\n")))
		s.Digest = hex.EncodeToString(sum[:16])
	}
	return s
}

// Still compares what a change rests on now with what was seen when it was written down. A
// counter that others count on is shown with both numbers, as its own command goes on when
// it moves; anything else that differs is a *Refusal: whoever planned it saw something
// else.
func (was PlannedChange) Still(p *Plan) error {
	switch {
	case p.Kind != was.Kind:
		return refusal(Changed, "what was asked for would be another change by now: %s", p)
	case p.bump != nil && p.bump.again != nil:
		if n, whole := attr.Integer(was.Before); !whole || n.String() != p.Before {
			then := "another number"
			if whole {
				then = phrase.Group(n.String())
			}
			p.Lines = append(p.Lines, Line{LabelSince, fmt.Sprintf("it said %s when this was planned, and says %s now", then, phrase.Group(p.Before))})
		}
		return nil
	}
	for _, now := range seen(p) {
		n := slices.IndexFunc(was.Seen, now.same)
		if n < 0 || was.Seen[n].There != now.There || was.Seen[n].Digest != now.Digest {
			key, _ := p.table.SchemaOf(now.Table).KeyOf(now.Key)
			return refusal(Changed, "%s of %s is no longer as it was when this was planned: look at it, and plan the change again", key, now.Table)
		}
	}
	return nil
}

// SameLayout refuses a change that was planned by another layout than the table's.
func (was PlannedChange) SameLayout(t *dynamo.Table) error {
	return (&Plan{Layout: was.Layout}).sameLayout(t, "applying the plan of "+string(was.Kind))
}

// Uncounted answers a *Refusal where numbers are asked for of a counter that has moved since:
// the file may have been applied already, and where nobody is asked nobody sees both numbers.
func (was PlannedChange) Uncounted(p *Plan) error {
	n, whole := attr.Integer(was.Before)
	if p.Kind != KindBump && p.Kind != KindReserve || whole && n.String() == p.Before {
		return nil
	}
	return refusal(Changed, "the counter no longer says what it did when this was planned, as if it had been applied already: without --yes both numbers are shown")
}
