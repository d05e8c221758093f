package plan

import (
	"context"
	"slices"
	"strings"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/counter"
	"tallylock/dynamo/remedy"
	"tallylock/dynamo/schema"
	"tallylock/dynamo/verdict"
)

// LockRelease has the data to apply a release.
type LockRelease struct {
	Rel *verdict.Relation
	// Marked is set for a release by mark: mark, wait, look, and delete if still marked (docs/truth.md §3b).
	// Otherwise the release is one transaction that rests on the owner (docs/truth.md §3c).
	Marked bool
	// Respelt are the keys of the accounts whose spelling of the value the plan itself mends.
	Respelt []attr.Key
	// DigestChecked is set if a check has found that each account has its lock. Then a lock that keeps a digest
	// belongs to no account.
	DigestChecked bool
	// Begun is set once the mark was sent: no plan sends its mark twice.
	Begun bool
}

// Releases returns the lock that a release deletes, as it was read; nil if the plan is no release.
func (p *Plan) Releases() *schema.Lock {
	if p.Live.Release == nil {
		return nil
	}
	return &p.Live.Release.Rel.Lock
}

// CounterChange has the data to apply a change of a counter.
type CounterChange struct {
	counter counter.Counter
	// Replan plans the same change from the counter's current value; nil if the person did not agree to such a
	// change.
	Replan func(context.Context) (*Plan, error)
}

// Live has the data to apply a plan or to plan it again. It is not stored: Live of a plan from the journal is
// empty.
type Live struct {
	Conn       *dynamo.Connection
	Table      *dynamo.Table
	Account    string         // the AWS account of the tables
	Run        string         // the ID of the first of the plans that are applied together
	Statements string         // Table.Statements at the time of planning
	FileChange string         // the ID of the plan file's change that the plan was made from
	Release    *LockRelease   // nil if the plan is no release
	Counter    *CounterChange // nil if the plan changes no counter
	Request    Request
	MustType   bool // a person has to type Typed regardless of the table's guard
	// Unsure is the error of a plan that rests on a guess, which a person has to accept first; nil if the plan may
	// be applied.
	Unsure error
}

// CheckDenied returns an error if the config denies changes of a table that the plan writes.
func (p *Plan) CheckDenied(conn *dynamo.Connection) error {
	for _, table := range p.Steps.Written() {
		if err := conn.Denied(table); err != nil {
			return err
		}
	}
	return nil
}

// UsesMark reports whether the plan marks a lock, and reads every item before it deletes the lock
// (docs/truth.md §3b).
func (p *Plan) UsesMark() bool { return p.Live.Release != nil && p.Live.Release.Marked }

// MustType reports whether a person has to type Typed regardless of the table's guard. Such a change is made by
// itself.
func (p *Plan) MustType() bool { return p.Live.MustType }

// CheckReady returns an error if a plan cannot be applied.
func (p *Plan) CheckReady() error {
	again := func(why string) error {
		return &client.Error{
			Kind: client.Usage,
			Op:   "applying " + p.String(),
			Why:  why,
			Do:   "plan it again; nothing was sent",
		}
	}
	switch {
	case p.Live.Conn == nil || len(p.Steps) == 0:
		return again("the plan was not made here")
	case p.Live.Unsure != nil:
		return p.Live.Unsure
	case p.Live.Release != nil && p.Live.Release.Begun:
		return again("it was begun before")
	case p.NeedsReason():
		return &client.Error{
			Kind:   client.Usage,
			Op:     "changing " + p.Table,
			Why:    "the config asks for a reason (require_reason)",
			Remedy: remedy.Of(remedy.GiveReason),
		}
	}
	return nil
}

// NeedsReason reports whether the plan has no reason although the config requires one for a table that it
// writes.
func (p *Plan) NeedsReason() bool {
	return strings.TrimSpace(p.Reason) == "" && p.Live.Conn != nil &&
		slices.ContainsFunc(p.Steps.Written(), p.Live.Conn.RequiresReason)
}
