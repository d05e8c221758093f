package dynamo

import (
	"strconv"
	"strings"
	"sync"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/guess"
	"tallylock/dynamo/holders"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/remedy"
)

// Fitting holds the fit of a table's layout to a sample of the table. It is safe for concurrent use.
type Fitting struct {
	t *Table

	mu   sync.Mutex
	fits map[*layout.Constraint]layout.Fit
	// judged is set once the sample was judged. opened counts the read units that opening the table took.
	judged bool
	opened float64
}

func newFitting(t *Table) *Fitting {
	return &Fitting{t: t, fits: map[*layout.Constraint]layout.Fit{}}
}

// isJudged reports whether the sample was judged. Until then every verdict is unknown.
func (f *Fitting) isJudged() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.judged
}

// spent sets the read units that opening the table has taken so far.
func (f *Fitting) spent(units float64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.opened = units
}

// Units returns the read units that opening the table has taken so far.
func (f *Fitting) Units() float64 {
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

// Learn changes the evidence of a constraint, and judges the constraint again.
func (f *Fitting) Learn(c *layout.Constraint, change func(*layout.Evidence)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	e := f.fits[c].Evidence
	change(&e)
	f.fits[c] = e.Judge(c.Name)
}

// LearnAll judges constraints again after a search of all tables. A constraint for which the search found no
// accounts is probably described wrongly. LearnAll records that the whole table was read, and that no lock of
// this constraint has an account.
func (f *Fitting) LearnAll(s *holders.Search) {
	for _, c := range f.t.Layout.Constraints() {
		if accounts, locks := s.Counts(c); accounts == 0 {
			f.Learn(c, func(e *layout.Evidence) {
				e.Whole, e.Items, e.Accounts, e.Values, e.Locked, e.Locks = true, max(e.Items, locks), 0, 0, 0, locks
			})
		}
	}
}

// Misfit returns an error if the evidence contradicts the layout of a constraint, and otherwise nil. If c is
// nil, Misfit looks at all constraints.
func (f *Fitting) Misfit(op string, c *layout.Constraint) error {
	for _, con := range f.t.Layout.Constraints() {
		fit := f.Of(con)
		if (c != nil && con != c) || fit.Standing() != layout.Contradicted {
			continue
		}
		e := &client.Error{
			Kind: client.NoLayout, Op: op, Why: "the layout " + f.t.Layout.Name + " does not fit: " + fit.Why(),
			Remedy: f.t.Correct(),
		}
		if fit.Better.At != "" {
			e.Remedy = remedy.Of(remedy.Text, "correct "+fit.Better.At)
		}
		return e
	}
	return nil
}

// fitHint finds better config lines for described constraints.
type fitHint struct {
	*prober
	samples map[string]*sampler
	// seen is the layout that the samples alone suggest. It is nil until recognise sets it.
	seen *layout.Layout
}

// better looks for settings that fit better than the settings of the described constraint c. a is the kind of account
// of c, and locked is the number of sampled values that have a lock under c. better tries the suggested constraints
// with the same lock table as c, and with the same attribute or the same partition key of the lock. Such a constraint
// is better if at least layout.EnoughBetter more values have a lock under it. If none is better, the result is empty.
// better reads nothing.
func (h *fitHint) better(a *layout.Account, c *layout.Constraint, locked int) (best layout.Alternative) {
	if h.seen == nil {
		h.recognise()
	}
	name := h.t.Name
	for _, kind := range h.seen.Accounts {
		items := h.strangersOf(kind, a)
		for _, con := range kind.Constraints {
			if con.Attribute != c.Attribute && con.PK.String() != c.PK.String() || con.LockTable(name) != c.LockTable(name) {
				continue
			}
			found := h.hits(con, h.calls(kind, con, h.some(items, c.LockTable(name))))
			if n := len(found.locks); n >= locked+layout.EnoughBetter && n > best.Fits {
				best = otherLine(a, kind, c, con)
				best.Fits, best.Of = n, found.values
			}
		}
	}
	return best
}

func (h *fitHint) recognise() {
	h.seen = &layout.Layout{}
	var others []guess.Sample
	for name, s := range h.samples {
		if name != h.t.Name {
			others = append(others, asSample(s.d, s))
		}
	}
	accounts := guess.Accounts(asSample(h.t.Description, h.t.Sample.own), others...)
	if l, err := (config.Layout{Name: h.t.Name, Accounts: accounts}).Build(); err == nil { // otherwise seen stays empty
		h.seen = l
	}
}

// strangersOf lists the sampled items that match kind, a recognised kind of account. It skips an item if the
// layout describes that item as an account of a kind other than a.
func (h *fitHint) strangersOf(kind, a *layout.Account) (items []attr.Item) {
	for _, item := range h.t.Sample.own.items {
		if of := h.t.Layout.KindOf(h.t.Schema, item); of == nil || of == a {
			if _, ok := kind.Matches(h.t.Schema, item); ok {
				items = append(items, item)
			}
		}
	}
	return items
}

// otherLine compares c, a described constraint of the kind of account a, with con, a recognised constraint of kind. It
// returns the recognised lines that differ from the described lines.
func otherLine(a, kind *layout.Account, c, con *layout.Constraint) (other layout.Alternative) {
	var lines []string
	differ := func(from layout.Origin, setting, is, seen string) {
		if is == seen {
			return
		}
		if len(lines) == 0 {
			other.At = from.Of(setting)
		}
		lines = append(lines, setting+" = "+seen)
	}
	quoted := func(t layout.Template) string { return strconv.Quote(t.String()) }
	differ(a.Origin, "pk", quoted(a.PK), quoted(kind.PK))
	differ(a.Origin, "sk", quoted(a.SK), quoted(kind.SK))
	if kind.Is.Attribute != "" {
		differ(a.Origin, "is", a.Is.Attribute+": "+a.Is.Value, kind.Is.Attribute+": "+kind.Is.Value)
	}
	differ(c.Origin, "attribute", strconv.Quote(c.Attribute), strconv.Quote(con.Attribute))
	differ(c.Origin, "pk", quoted(c.PK), quoted(con.PK))
	differ(c.Origin, "sk", quoted(c.SK), quoted(con.SK))
	differ(c.Origin, "normalise", steps(c), steps(con))
	other.Line = strings.Join(lines, " with ")
	return other
}

func steps(c *layout.Constraint) string {
	var names []string
	for _, step := range c.Normalise {
		names = append(names, strconv.Quote(string(step)))
	}
	return "[" + strings.Join(names, ", ") + "]"
}
