package dynamo

import (
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
)

// Fitting is how well a table's layout fits: what was seen of it, and what people have
// decided. It is safe for concurrent use.
type Fitting struct {
	t *Table
	// judging is held by who judges the sample.
	judging chan struct{}

	mu       sync.Mutex
	fits     map[*layout.Constraint]layout.Fit
	accepted map[string]Decision // constraints that a person has accepted, by name
	// decisions are what people have said of the layout.
	decisions []Decision
	// judged: the sample was, and opened is the read units that opening the table took.
	judged bool
	opened float64
}

func newFitting(t *Table) *Fitting { return &Fitting{t: t, judging: make(chan struct{}, 1)} }

// Judged reports whether the sample was judged. No verdict is given before.
func (f *Fitting) Judged() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.judged
}

// spent notes the read units that opening the table took so far.
func (f *Fitting) spent(units float64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.opened = units
}

// units are the read units that opening the table took so far.
func (f *Fitting) units() float64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.opened
}

// Of is how well a constraint of the layout agrees with what was seen of the table.
func (f *Fitting) Of(c *layout.Constraint) layout.Fit {
	f.mu.Lock()
	defer f.mu.Unlock()
	fit := f.fits[c]
	fit.Trusted = f.t.conn.options.TrustLayout
	fit.Accepted = f.accepts(c.Name, fit.Evidence)
	return fit
}

// All lists the fit of all constraints, in the layout's order.
func (f *Fitting) All() []layout.Fit {
	var all []layout.Fit
	for _, c := range f.t.Layout.Constraints() {
		all = append(all, f.Of(c))
	}
	return all
}

// Misfit says why the layout cannot be trusted about a constraint; nil where it can
// be, or where a person answers for it. A nil constraint means all of them.
func (f *Fitting) Misfit(op string, c *layout.Constraint) error {
	for _, con := range f.t.Layout.Constraints() {
		fit := f.Of(con)
		if (c != nil && con != c) || fit.Standing() != layout.Contradicted {
			continue
		}
		e := &client.Error{
			Kind: client.NoLayout, Op: op, Why: "the layout " + f.t.Layout.Name + " does not fit: " + fit.Why(),
			Do: f.t.Correct() + "; if the layout is right and the table is broken, add --trust-layout",
		}
		e.Err = openQuestion{f.Ask(con)}
		switch at := fit.Better.At; {
		case fit.Why() == fit.Kinds.Text:
			e.Do = Sighting{Items: fit.Shape, Attribute: fit.Attribute}.Say(f.t)
		case at != "":
			e.Do = "correct " + at + "; if the layout is right and the table is broken, add --trust-layout"
		}
		return e
	}
	return nil
}

// Trusted reports whether a person answers for the layout, for this run, against what
// speaks against its fit: of a constraint, or, with nil, of any.
func (f *Fitting) Trusted(c *layout.Constraint) bool {
	for _, con := range f.t.Layout.Constraints() {
		if fit := f.Of(con); (c == nil || con == c) && fit.Trusted && (fit.Against() != "" || fit.Rule.Standing != layout.Supported) {
			return true
		}
	}
	return false
}

// Learn judges a constraint again by what was counted since.
func (f *Fitting) Learn(c *layout.Constraint, change func(*layout.Evidence)) layout.Fit {
	f.mu.Lock()
	e := f.fits[c].Evidence
	change(&e)
	if f.fits == nil { // nothing was sampled
		f.fits = map[*layout.Constraint]layout.Fit{}
	}
	f.fits[c] = e.Judge(c.Name)
	f.mu.Unlock()
	return f.Of(c)
}

// LearnAll judges again by a scan of all tables: whether there are accounts at all, and
// whether all kinds of them are known.
func (f *Fitting) LearnAll(s *ClaimScan, rels []*Relation) {
	for c, locks := range s.locks {
		if s.accounts == 0 {
			f.Learn(c, func(e *layout.Evidence) { e.Whole, e.Accounts, e.Values, e.Locked, e.Locks = true, 0, 0, 0, locks })
		}
	}
	f.LearnUnclaimed(s)
	f.LearnSightings(s, slices.Values(rels))
}

// LearnUnclaimed judges again by a scan of all tables how many locks no account calls for,
// at least. All readers have to be closed.
func (f *Fitting) LearnUnclaimed(s *ClaimScan) {
	for _, c := range f.t.Layout.Constraints() {
		locks, calls := 0, 0
		for own, n := range s.locks {
			if own.SamePlace(f.t.Name, c) {
				locks += n
			}
		}
		for own, n := range s.calls {
			if own.SamePlace(f.t.Name, c) {
				calls += n
			}
		}
		if locks > calls {
			f.Learn(c, func(e *layout.Evidence) { e.Unclaimed, e.UnclaimedOf = locks-calls, locks })
		}
	}
}

// OwnerSupported reports whether it may be relied on that the relation's lock names the
// account that holds its value.
func (f *Fitting) OwnerSupported(rel *Relation) bool {
	return f.Of(rel.Constraint).OwnerSupported(lockID(rel.Lock.Table, rel.Lock.Key))
}

// LearnSightings judges again whether all kinds of accounts are known, by the items that a
// scan has found to hold the values of locks that no account calls for.
func (f *Fitting) LearnSightings(s *ClaimScan, rels iter.Seq[*Relation]) {
	type holder struct{ shape, attribute string }
	counts, now := map[*layout.Constraint]map[holder]int{}, time.Now()
	for rel := range rels {
		if len(s.Claimants(rel)) > 0 || rel.Reserved(now) {
			continue
		}
		for _, h := range s.Sightings(rel) {
			if h.As != HoldsUndecided || h.lock {
				continue
			}
			if counts[rel.Constraint] == nil {
				counts[rel.Constraint] = map[holder]int{}
			}
			counts[rel.Constraint][holder{h.Items, h.Attribute}]++
		}
	}
	for c, of := range counts {
		most := slices.MaxFunc(slices.Collect(maps.Keys(of)), func(a, b holder) int {
			if n := of[a] - of[b]; n != 0 {
				return n
			}
			return strings.Compare(b.shape+b.attribute, a.shape+a.attribute)
		})
		f.Learn(c, func(e *layout.Evidence) { e.Held, e.Shape, e.Attribute = of[most], most.shape, most.attribute })
	}
}

// LearnShapes judges again by a scan of whole tables whether items of another shape may be
// the accounts. All readers have to be closed.
func (f *Fitting) LearnShapes(s *ClaimScan) {
	if s.Empty() {
		return
	}
	for _, kind := range f.t.Layout.Accounts {
		for _, c := range kind.Constraints {
			f.Learn(c, func(e *layout.Evidence) { e.Rivals = s.shapes.rivals(f.t, kind, c) })
		}
	}
}

// SayRival is how a person says what the items are that may be the accounts of a
// constraint; empty where nobody has to.
func (f *Fitting) SayRival(c *layout.Constraint) string {
	fit := f.Of(c)
	r := fit.Rival()
	if r == nil || fit.Standing() != layout.Thin {
		return ""
	}
	return "If they only repeat values of accounts: " + f.t.Command([]string{"layout", "--copy", r.Items + " " + r.Attribute}) + ". If they are the accounts: correct the layout in the config."
}

// Ask is the question what the items are; nil where somebody has said it.
func (h Sighting) Ask(t *Table) *Question {
	if h.As != HoldsUndecided {
		return nil
	}
	return &Question{Text: h.String(), Items: h.Items, Attribute: h.Attribute, Lock: h.lock, table: t}
}

// AskOf is the question that keeps a relation's verdict unknown; nil where none does.
func (f *Fitting) AskOf(r *Relation) *Question {
	switch {
	case r.Verdict != Unknown, !slices.Contains(f.t.Layout.Constraints(), r.Constraint):
	case r.Misfit:
		return f.Ask(r.Constraint)
	case r.Asks != nil:
		return r.Asks.Ask(f.t)
	}
	return nil
}
