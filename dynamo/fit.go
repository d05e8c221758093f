package dynamo

import (
	"sync"

	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
)

// Fitting is how well a table's layout fits: what was seen of it, and what people have
// decided. It is safe for concurrent use.
type Fitting struct {
	t *Table

	mu   sync.Mutex
	fits map[*layout.Constraint]layout.Fit
	// judged: the sample was, and opened is the read units that opening the table took.
	judged bool
	opened float64
}

func newFitting(t *Table) *Fitting {
	return &Fitting{t: t}
}

// isJudged reports whether the sample was judged. No verdict is given before.
func (f *Fitting) isJudged() bool {
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
			Do: f.t.Correct(),
		}
		e.Err = openQuestion{f.Ask(con)}
		switch at := fit.Better.At; {
		case fit.Why() == fit.Kinds.Text:
			e.Do = Sighting{Items: fit.Shape, Attribute: fit.Attribute}.Say(f.t)
		case at != "":
			e.Do = "correct " + at
		}
		return e
	}
	return nil
}

// OwnerSupported reports whether it may be relied on that the relation's lock names the
// account that holds its value.
func (f *Fitting) OwnerSupported(rel *Relation) bool {
	return f.Of(rel.Constraint).OwnerSupported(lockID(rel.Lock.Table, rel.Lock.Key))
}
