package check

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/check/sql"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
)

// valueCheck finds values that two accounts hold under a constraint whose locks do not show that
// (LockKeys.Compared). Nothing cancels out there: the first pass runs all values through a filter,
// and the next one collects the holders of those that may have come twice.
type valueCheck struct {
	run    *run
	report *report
	taken  map[*layout.Constraint]*atomic.Int64 // values of the first pass
	filter *valueFilter                         // nil if not wanted, or if no constraint is compared
	// compared are the constraints of each kind of account that are.
	compared map[*layout.Account][]*layout.Constraint
	// unresolved: SQL has not judged all values, and only reading all accounts tells who
	// holds them.
	unresolved bool
}

// begin prepares for a first reading.
func (c *valueCheck) begin() {
	c.compared, c.taken = map[*layout.Account][]*layout.Constraint{}, map[*layout.Constraint]*atomic.Int64{}
	for _, a := range c.run.t.Layout.Accounts {
		c.compared[a] = a.AllCompared()
		for _, con := range c.compared[a] {
			c.taken[con] = new(atomic.Int64)
		}
	}
	if c.filter = nil; c.wants(c.followed) {
		c.filter = newValueFilter(c.run.sources[0].items(c.run.t), c.run.o.Memory)
	}
}

// wanted reports whether such values are looked for.
func (c *valueCheck) wanted() bool { return c.wants(func(*layout.Constraint) bool { return true }) }

// guessed reports whether values of a guessed constraint are looked for.
func (c *valueCheck) guessed() bool {
	return c.wants(func(con *layout.Constraint) bool { return !c.followed(con) })
}

// wants reports whether values are compared of a constraint that is as asked.
func (c *valueCheck) wants(is func(*layout.Constraint) bool) bool {
	return c.run.o.wants(DuplicateValue) && slices.ContainsFunc(c.run.t.Layout.Accounts,
		func(a *layout.Account) bool { return slices.ContainsFunc(a.AllCompared(), is) })
}

// twice reports whether two accounts may hold the same value.
func (c *valueCheck) twice() bool { return c.filter != nil && len(c.filter.twice) > 0 }

// sum notes if there may be more such values than are followed up.
func (c *valueCheck) sum() {
	if c.filter == nil || c.filter.lost == 0 {
		return
	}
	need := int64(len(c.filter.twice)+c.filter.lost) * 5 / 4 * sameValueBytes * valuesPart
	c.report.incomplete(
		"more than %s may be held by two accounts, and no more were followed up: give the check --memory %s",
		phrase.Count(len(c.filter.twice), "value"), size(need),
	)
}

// valueCollector collects the holders of values that may have come twice.
type valueCollector struct {
	mu     sync.Mutex
	values map[string]*sameValue // by constraint and value
}

// sameValue is a value with the accounts that hold it, and how many more there was no memory
// for.
type sameValue struct {
	con   *layout.Constraint
	value string
	scope string // layout.Constraint.ScopeOf the accounts
	keys  []attr.Key
	more  int
}

// followed reports whether values of a constraint are followed up, instead of kept from one reading:
// a person answers for it, or for another one with locks in the same place.
func (c *valueCheck) followed(con *layout.Constraint) bool {
	if of := c.run.rules.byConstraint[con]; of != nil {
		return !of.guessed()
	}
	return con.State.Sure() || c.run.o.Candidates != nil
}

// sure reports whether a person answers for all constraints whose values must differ from those of
// con.
func (c *valueCheck) sure(con *layout.Constraint) bool {
	return con.State.Sure() && !slices.ContainsFunc(c.run.rules.all, func(of *rule) bool {
		return c.space(of.Constraint) == c.space(con) && !of.State.Sure()
	})
}

// space returns the constraint that stands for all whose values must differ from those of con:
// the first one with locks in the same place.
func (c *valueCheck) space(con *layout.Constraint) *layout.Constraint {
	if of := c.run.rules.byConstraint[con]; of != nil {
		return of.first.Constraint
	}
	return con
}

// appendKey appends a value of a constraint in a scope, encoded.
func (c *valueCheck) appendKey(b []byte, con *layout.Constraint, value, scope string) []byte {
	return append(append(append(append(append(b, c.space(con).Name...), 0), scope...), 0), value...)
}

func (t *valueCollector) add(r *room, con *layout.Constraint, value, scope string, at []byte, key attr.Key) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.values[string(at)]
	if s == nil {
		s = &sameValue{con: con, value: strings.Clone(value), scope: strings.Clone(scope)}
		t.values[string(at)] = s
	}
	if slices.ContainsFunc(s.keys, key.Equal) {
		return // it holds the value under two constraints
	}
	if !r.take(len(s.keys)) {
		s.more++
		return
	}
	s.keys = append(s.keys, cloneKey(key))
}

// addValues takes in the values of an account that are compared.
func (v *visitor) addValues(a *layout.Account) {
	c, collector := v.run.values, v.pass.values
	if !v.pass.first && collector == nil {
		return
	}
	for _, con := range c.compared[a] {
		if !v.unjudged.hasValues(v.run, con) {
			continue
		}
		scope, ok := a.ScopeOf(con, v.from.schema, &v.row)
		if !ok {
			continue
		}
		v.texts = con.AppendValues(v.texts[:0], &v.row)
		if v.pass.first {
			v.run.values.taken[con].Add(int64(len(v.texts)))
		}
		for _, value := range v.texts {
			v.key = c.appendKey(v.key[:0], con, value, scope)
			print := v.run.seed.Fingerprint(v.key)
			switch {
			case !c.followed(con):
				if g := v.pass.guess; g != nil {
					g.addValue(v.pass.room, print, sameValue{con: con, value: value, scope: scope}, v.itemKey())
				}
			case c.filter == nil:
			case v.pass.first:
				c.filter.add(print)
				if sql.JudgesValues(con) {
					c.addUnjudged(print, value)
				}
			case c.filter.twice[print]:
				collector.add(v.pass.room, con, value, scope, v.key, v.itemKey())
			}
		}
	}
}

// addUnjudged has a value followed up that SQL has not judged and that accounts which it has
// judged may hold, too.
func (c *valueCheck) addUnjudged(print uint64, value string) {
	if c.run.o.Candidates == nil || strings.ContainsFunc(value, func(c rune) bool { return c >= 0x80 }) {
		return
	}
	c.filter.add(print)
	c.unresolved = true
}

// duplicates reads the accounts of each value together, and reports the values that several
// hold.
func (c *valueCheck) duplicates(ctx context.Context, t *valueCollector) error {
	var all []*sameValue
	for _, at := range slices.Sorted(maps.Keys(t.values)) {
		if len(t.values[at].keys) > 1 {
			all = append(all, t.values[at])
		}
	}
	c.run.progress.enter(stageState{Stage: Confirming, total: len(all)})
	defer c.run.progress.leave()
	return forEach(ctx, all, func(ctx context.Context, s *sameValue) error {
		defer c.run.progress.step(1)
		return c.duplicate(ctx, s)
	})
}

// duplicate reports a value that several accounts hold.
func (c *valueCheck) duplicate(ctx context.Context, s *sameValue) error {
	slices.SortFunc(s.keys, func(a, b attr.Key) int { return strings.Compare(a.ID(), b.ID()) })
	now, rest := s.keys, s.keys[:0:0]
	sure, evidence := false, "Provisional: each account was read once, at another time; nothing was read again."
	if c.run.o.Confirm != ConfirmNone {
		now, rest = s.keys[:min(len(s.keys), maxItems)], s.keys[min(len(s.keys), maxItems):]
		holding, apart, err := c.holding(ctx, s, now)
		if c.report.conflicting(err, 1) {
			return nil
		}
		if err != nil {
			return err
		}
		if now = holding; len(now) < 2 {
			if len(rest)+s.more > 0 {
				c.report.unsettled(1) // the others were not read again
			}
			return nil
		}
		sure = !apart && c.sure(s.con)
		if evidence = fmt.Sprintf("%d accounts read together %s.", len(now), phrase.Clock(time.Now())); apart {
			evidence = "Provisional: the accounts were read one after the other, since this endpoint has no transactions."
		}
	}
	f := Finding{
		Kind: DuplicateValue, Constraint: s.con.Name, Value: s.value, Confirmed: sure, MoreAccounts: s.more,
		Evidence: evidence,
		Detail:   fmt.Sprintf("%d accounts hold the %s %s, and %s.", len(now), s.con.Name, phrase.Quote(s.value), s.why()),
	}
	for _, key := range slices.Concat(now, rest) {
		f.Accounts = append(f.Accounts, key.Item())
	}
	if met := len(rest) + s.more; met > 0 {
		f.Detail += fmt.Sprintf(" So did %s more when each was read.", phrase.Number(met))
		if s.more > 0 {
			f.Detail += fmt.Sprintf(" For want of memory %s of them are not listed.", phrase.Number(s.more))
		}
	}
	c.report.emit(f)
	return nil
}

// why says why the locks of the constraint do not keep the value unique.
func (s *sameValue) why() string {
	switch {
	case s.con.KeyedByAccount():
		return "the keys of its locks contain the account's id, so that they keep nothing unique"
	case !s.con.Lockless():
		return "one of its two locks is of another form"
	case len(s.con.Within) > 0:
		return "no locks keep it unique in its " + phrase.List(s.con.Within)
	}
	return "no locks keep it unique"
}

// holding reads accounts together, and returns those that hold the value at that moment.
// apart: the endpoint could not read them at one moment.
func (c *valueCheck) holding(
	ctx context.Context, s *sameValue, keys []attr.Key,
) (holding []attr.Key, apart bool, err error) {
	var places []client.Address
	for _, key := range keys {
		places = append(places, client.Address{Table: c.run.t.Name, Key: key})
	}
	items, apart, err := c.run.consistent.Moment(ctx, places)
	if err != nil {
		return nil, apart, err
	}
	for n, item := range items {
		if item != nil && c.holds(item, s) {
			holding = append(holding, keys[n])
		}
	}
	return holding, apart, nil
}

// holds reports whether an item is an account that holds the value.
func (c *valueCheck) holds(item attr.Item, s *sameValue) bool {
	kind := c.run.t.Layout.KindOf(c.run.t.Schema, item)
	return slices.ContainsFunc(c.compared[kind], func(con *layout.Constraint) bool {
		if c.space(con) != c.space(s.con) {
			return false
		}
		scope, ok := kind.ScopeOf(con, c.run.t.Schema, item)
		return ok && scope == s.scope && slices.Contains(con.AppendValues(nil, item), s.value)
	})
}
