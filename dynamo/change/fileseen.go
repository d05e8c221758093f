package change

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/schema"
)

// SeenItem describes an item that a change depends on, as it was when it was read: its key, whether it existed, and a
// digest of the attributes that the change compares. SeenItem does not store the values themselves, since they may be
// confidential.
type SeenItem struct {
	Table  string    `json:"table"`
	Key    attr.Item `json:"key"`
	There  bool      `json:"there"`
	Digest string    `json:"digest,omitempty"`
}

// seenItems returns the items that the plan has conditions on, each once. For a release it returns only the lock,
// since the next plan searches for claimants again.
func seenItems(p *plan.Plan) (all []SeenItem) {
	for _, s := range p.Steps {
		for _, w := range s.Writes {
			one := seenItemOf(w)
			if !slices.ContainsFunc(all, one.isOf) {
				all = append(all, one)
			}
			if p.Kind == plan.KindRelease {
				return all
			}
		}
	}
	return all
}

func (s SeenItem) isOf(other SeenItem) bool { return s.Table == other.Table && s.Key.Equal(other.Key) }

// seenItemOf describes the item of an action. Its digest omits the mark of a release.
func seenItemOf(w client.Write) SeenItem {
	s := SeenItem{
		Table: w.Table,
		Key:   w.Key.Item(),
		There: !w.Absent,
	}
	var terms []string
	for _, t := range w.If {
		if t.Value.Exists() && t.Attribute() != schema.MarkAttribute {
			value, _ := t.Value.MarshalJSON() // a value from DynamoDB can always be encoded
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

// CheckSeen compares the items that p depends on with the items in the plan file. It returns a *plan.Refusal if
// they differ, or if the change was applied before. Otherwise p gets the ID of the planned change, so that the
// change is made only once.
func (was PlannedChange) CheckSeen(p *plan.Plan) error {
	switch {
	case was.before != nil:
		return was.before
	case p.Kind != was.Kind:
		return plan.Refuse(plan.Changed, "the same request would now make a different change: %s", p)
	case p.Live.Counter != nil && p.Live.Counter.Replan != nil:
		if n, whole := attr.Integer(was.Before); !whole || n.String() != p.Before {
			return plan.Refuse(plan.Changed, "the counter %s moved from %s to %s after the change was planned: plan the change again", p.Counter,
				phrase.Group(was.Before), phrase.Group(p.Before))
		}
		p.Live.Counter.Replan = nil // the change may start only from the number in the plan file
	}
	for _, now := range seenItems(p) {
		n := slices.IndexFunc(was.Seen, now.isOf)
		if n < 0 || was.Seen[n].There != now.There || was.Seen[n].Digest != now.Digest {
			key, _ := p.Live.Table.SchemaOf(now.Table).KeyOf(now.Key)
			return plan.Refuse(plan.Changed,
				"%s of %s was changed after this plan: look at the item, and plan the change again", key, now.Table)
		}
	}
	if p.Live.FileChange = was.ID; p.Undoes == "" { // an undo keeps the run of the change that it undoes
		p.Live.Run = was.ID
	}
	return nil
}

// FindApplied searches the journal for changes of the file that were applied, or may have been. From then on
// these changes are refused.
func (f *PlanFile) FindApplied(j *journal.Journal) error {
	all, err := j.Records()
	if err != nil {
		return err
	}
	before := map[string]error{}
	for _, r := range all {
		if err := appliedBefore(r); r.Change != "" && err != nil {
			before[r.Change] = err
		}
	}
	for n, c := range f.Changes {
		f.Changes[n].before = before[c.ID]
	}
	return nil
}

// appliedBefore returns a *plan.Refusal if a change in the journal was applied, or may have been.
func appliedBefore(r *journal.Record) error {
	switch {
	case r.Outcome == journal.Applied:
		return plan.Refuse(plan.AppliedBefore, "the plan was applied before: %s; to make the change once more, plan the change again",
			r.Receipt)
	case r.Open || r.Outcome == journal.Unknown:
		return plan.Refuse(plan.AppliedBefore, "the plan was sent before, and its outcome is unknown: resolve %s first", r.Receipt)
	}
	return nil
}

// checkNotApplied returns a *plan.Refusal if somebody has applied a plan file's change since the change was planned
// here. The plan's conditions do not detect this for a counter: the counter may be back at the same number.
func (c *Changer) checkNotApplied(p *plan.Plan) error {
	if p.Live.FileChange == "" {
		return nil
	}
	all, err := c.Journal.Records()
	for _, r := range all {
		if before := appliedBefore(r); before != nil && r.Change == p.Live.FileChange {
			return before
		}
	}
	return err
}

// CheckLayout returns an error if the change was planned with another layout than the table has now.
func (was PlannedChange) CheckLayout(t *dynamo.Table) error {
	constraint := was.Request.Constraint
	switch {
	case was.Request.Receipt != "":
		return nil // an undo is planned from the receipt
	case was.Request.Finding != nil:
		constraint = was.Request.Finding.Constraint
	}
	planned := &plan.Plan{Layout: was.Layout, Constraint: constraint}
	return planned.CheckLayout(t, "applying the plan of "+string(was.Kind))
}
