package dynamo

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// FindOptions say how far a question may go.
type FindOptions struct {
	// Scan allows the whole table to be read, whatever it costs.
	Scan bool
	// Near looks for spellings that people mix up with the query, too.
	Near bool
	// Scope gives the variables, besides the value, that keys of locks are made of:
	// the tenant of TENANT#{tenant}#EMAIL#{v}.
	Scope map[string]string
}

// Answer is what Find found.
type Answer struct {
	Query string
	Table string
	At    time.Time
	Took  time.Duration
	// Complete: every verdict could be told.
	Complete  bool
	ReadUnits float64
	// Locks has one relation for each constraint that could be blocking the
	// query: each reading of the word.
	Locks []*Relation
	// Accounts are those found by the query as an id, or as claimants, each with
	// all its values.
	Accounts []Holder
	// Near are look-alikes that are in use; Tried is how many were looked for.
	Near  []NearMiss
	Tried int
	Reads []Read
	// Whole is what reading the whole table would cost, where that would tell
	// more.
	Whole *Estimate
	// ScanDenied: the whole table may not be read.
	ScanDenied bool
}

// Holder is an account and its values.
type Holder struct {
	Account
	ByID   bool // found by the query as its id
	Values []*Relation
}

// Find tells who holds a value or an id, by point reads, and by a read of the
// whole table where that alone can tell and costs no more than AutoReadUnits.
func (t *Table) Find(ctx context.Context, query string, o FindOptions) (*Answer, error) {
	op := fmt.Sprintf("finding %q", query)
	if len(t.Layout.Accounts) == 0 {
		return nil, t.NoLayout(op)
	}
	if query == "" {
		return nil, &Error{Kind: Usage, Op: "finding", Why: "there is nothing to look for", Do: "give an e-mail, a handle or an account id"}
	}
	if err := t.scopes(op, o.Scope); err != nil {
		return nil, err
	}
	f := &finding{t: t, scope: o.Scope, r: t.conn.reading(), claimants: map[string]map[string]Account{}, byID: map[string]bool{}, query: query}
	start := time.Now()
	f.begin()
	if err := f.points(ctx); err != nil {
		return nil, err
	}
	if err := f.hinted(ctx); err != nil {
		return nil, err
	}
	if f.undetermined() {
		if err := f.whole(ctx, o.Scan); err != nil {
			return nil, err
		}
	}
	if err := f.settle(ctx); err != nil {
		return nil, err
	}
	a := &Answer{Query: query, Table: t.Name, At: start, Complete: true, Locks: f.relations()}
	for _, r := range a.Locks {
		if r.Verdict == Unknown {
			a.Complete = false
			cost := t.LookCost()
			a.Whole = &cost
		}
	}
	if err := f.holders(ctx, a); err != nil {
		return nil, err
	}
	if o.Near {
		if err := f.near(ctx, a); err != nil {
			return nil, err
		}
	}
	a.Reads, a.ReadUnits, a.Took, a.ScanDenied = f.r.reads, f.r.units, time.Since(start), f.denied
	return a, nil
}

// relations lists the candidates worth showing: not those of which no lock can
// be made, and a spelling that the layout would normalise only where a lock of it
// exists.
func (f *finding) relations() []*Relation {
	var out []*Relation
	for _, c := range f.candidates {
		if c.rel.err != nil || (c.verbatim && !c.rel.Lock.Exists) {
			continue
		}
		out = append(out, c.rel)
	}
	for _, s := range f.scoped {
		if !slices.ContainsFunc(out, func(r *Relation) bool { return r.Constraint == s.Constraint && r.Value == s.Value }) {
			s.Verdict, s.Why = Unknown, "the layout keeps these locks by more than the value ("+s.Constraint.PK.String()+"), and no account tells the rest"
			s.err = nil
			out = append(out, s)
		}
	}
	return out
}

// holders gives each account found all its values with their locks.
func (f *finding) holders(ctx context.Context, a *Answer) error {
	for _, account := range f.accounts {
		id := account.Key.ID()
		claims := f.byID[id]
		for _, rel := range a.Locks {
			if slices.ContainsFunc(rel.Claimants, func(c Account) bool { return c.Key.ID() == id }) {
				claims = true
			}
		}
		if !claims {
			continue
		}
		values, err := f.t.values(ctx, f.r, account, a.Locks, f.called)
		if err != nil {
			return err
		}
		a.Accounts = append(a.Accounts, Holder{Account: account, ByID: f.byID[id], Values: values})
	}
	slices.SortFunc(a.Accounts, func(x, y Holder) int { return strings.Compare(x.Key.ID(), y.Key.ID()) })
	return nil
}
