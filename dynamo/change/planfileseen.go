package change

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
)

// SeenItem is an item that a change rests on, as it was seen: its key, whether it existed,
// and a digest of the attributes that the change compares. The values themselves may be
// confidential.
type SeenItem struct {
	Table  string    `json:"table"`
	Key    attr.Item `json:"key"`
	There  bool      `json:"there"`
	Digest string    `json:"digest,omitempty"`
}

// seenItems are the items that the plan's conditions are about, each once. A release rests on
// its lock alone, however it is done: who claims it is looked for again.
func seenItems(p *Plan) (all []SeenItem) {
	for _, s := range p.Steps {
		for _, w := range s.Writes {
			one := seenItemOf(w)
			if !slices.ContainsFunc(all, one.isOf) {
				all = append(all, one)
			}
			if p.Kind == KindRelease {
				return all
			}
		}
	}
	return all
}

func (s SeenItem) isOf(other SeenItem) bool { return s.Table == other.Table && s.Key.Equal(other.Key) }

// seenItemOf is the item of an action. Its digest leaves out the mark of a release.
func seenItemOf(w client.Write) SeenItem {
	s := SeenItem{
		Table: w.Table,
		Key:   w.Key.Item(),
		There: !w.Absent,
	}
	var terms []string
	for _, t := range w.If {
		if t.Value.Exists() && t.Attribute() != dynamo.MarkAttribute {
			value, _ := t.Value.MarshalJSON() // a value that was read always can be
			terms = append(terms, t.Attribute()+" = "+string(value))
		}
	}
	if len(terms) > 0 {
		slices.Sort(terms)
		sum := sha256.Sum256([]byte(strings.Join(terms, "\n")))
		s.Digest = hex.EncodeToString(sum[:16])
	}
	return s
}

// CheckSeen compares the items that a change rests on now with those seen when it was
// planned, and returns a *Refusal if they differ. Of a counter that may move meanwhile, it
// adds both numbers to the plan instead.
func (was PlannedChange) CheckSeen(p *Plan) error {
	switch {
	case p.Kind != was.Kind:
		return refuse(Changed, "what was asked for would be another change by now: %s", p)
	case p.live.bump != nil && p.live.bump.replan != nil:
		if n, whole := attr.Integer(was.Before); !whole || n.String() != p.Before {
			then := "another number"
			if whole {
				then = phrase.Group(n.String())
			}
			p.Lines = append(p.Lines,
				Line{LabelSince, fmt.Sprintf("it said %s when this was planned, and says %s now", then, phrase.Group(p.Before))})
		}
		return nil
	}
	for _, now := range seenItems(p) {
		n := slices.IndexFunc(was.Seen, now.isOf)
		if n < 0 || was.Seen[n].There != now.There || was.Seen[n].Digest != now.Digest {
			key, _ := p.live.table.SchemaOf(now.Table).KeyOf(now.Key)
			return refuse(Changed,
				"%s of %s is no longer as it was when this was planned: look at it, and plan the change again", key, now.Table)
		}
	}
	return nil
}

// CheckLayout returns an error if the change was planned with another layout than the table's.
func (was PlannedChange) CheckLayout(t *dynamo.Table) error {
	constraint := was.Request.Constraint
	switch {
	case was.Request.Receipt != "":
		return nil // the undo is planned by the receipt
	case was.Request.Finding != nil:
		constraint = was.Request.Finding.Constraint
	}
	return (&Plan{Layout: was.Layout, Constraint: constraint}).checkLayout(t, "applying the plan of "+string(was.Kind))
}

// CheckCounter returns a *Refusal if a bump or reservation is of a counter that has moved
// since: the file may have been applied already, and without a prompt nobody sees both
// numbers.
func (was PlannedChange) CheckCounter(p *Plan) error {
	n, whole := attr.Integer(was.Before)
	if p.Kind != KindBump && p.Kind != KindReserve || whole && n.String() == p.Before {
		return nil
	}
	return refuse(Changed,
		"the counter no longer says what it did when this was planned, as if it had been applied already: without --yes both numbers are shown")
}
