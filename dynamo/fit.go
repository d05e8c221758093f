package dynamo

import (
	"sync"

	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
)

// Fitting is how well a table's layout fits a sample of the table. It is safe for concurrent use.
type Fitting struct {
	t *Table

	mu   sync.Mutex
	fits map[*layout.Constraint]layout.Fit
	// places are items that hold values besides accounts and locks.
	places map[placeOf]HeldPlace
	// judged: the sample was judged. opened is the read units that opening the table took.
	judged bool
	opened float64
}

func newFitting(t *Table) *Fitting { return &Fitting{t: t} }

// isJudged reports whether the sample was judged. No verdict is given before.
func (f *Fitting) isJudged() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.judged
}

// spent sets the read units that opening the table took so far.
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

// Of returns the fit of a constraint.
func (f *Fitting) Of(c *layout.Constraint) layout.Fit {
	f.mu.Lock()
	defer f.mu.Unlock()
	fit := f.fits[c]
	fit.State = c.State
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

// Learn judges a constraint again after a change of its evidence.
func (f *Fitting) Learn(c *layout.Constraint, change func(*layout.Evidence)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	e := f.fits[c].Evidence
	change(&e)
	if f.fits == nil { // nothing was sampled
		f.fits = map[*layout.Constraint]layout.Fit{}
	}
	f.fits[c] = e.Judge(c.Name)
}

// LearnAll judges again after a scan of all tables: the layout explains nothing if they have no
// account.
func (f *Fitting) LearnAll(s *ClaimScan) {
	for _, c := range f.t.Layout.Constraints() {
		if accounts, locks := s.Counts(c); accounts == 0 {
			f.Learn(c, func(e *layout.Evidence) {
				e.Whole, e.Items, e.Accounts, e.Values, e.Locked, e.Locks = true, max(e.Items, locks), 0, 0, 0, locks
			})
		}
	}
}

// Misfit returns an error if the layout explains nothing of a constraint; else nil. A nil
// constraint means all of them.
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
		if fit.Better.At != "" {
			e.Do = "correct " + fit.Better.At
		}
		return e
	}
	return nil
}
