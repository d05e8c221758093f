// Package plan defines what a planned change is: its kind, steps, price, words and refusals. It also checks a plan
// that was read from the journal. Package planner makes plans, and package change applies them.
//
// Start reading at Plan, and at kind.go, which lists the kinds of change.
package plan

import (
	"context"
	"slices"
	"strings"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/client"
	"tallylock/dynamo/counter"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/remedy"
	"tallylock/dynamo/schema"
	"tallylock/dynamo/verdict"
)

// Plan is a planned change. It is plain data that can be shown, stored and sent.
type Plan struct {
	// ID identifies the plan and its receipt.
	ID      string    `json:"id"`
	Kind    Kind      `json:"kind"`
	At      time.Time `json:"at"`
	Table   string    `json:"table"`
	TableID string    `json:"table_id,omitempty"`
	// Accounts is the name of the table of the accounts. Tables maps the name of each table that is written or
	// checked to its identity: the TableId, or the time of creation.
	Accounts string            `json:"accounts,omitempty"`
	Tables   map[string]string `json:"tables,omitempty"`
	// Constraint and Value identify a lock. Counter is the name of a counter. Account is the partition key of
	// an account, as displayed.
	Constraint string `json:"constraint,omitempty"`
	Value      string `json:"value,omitempty"`
	Counter    string `json:"counter,omitempty"`
	Account    string `json:"account,omitempty"`
	// Layout is the hash of the layout that the plan was made with; only for changes of locks.
	Layout string `json:"layout,omitempty"`
	// LayoutState is the state of the constraints or the counter that the plan rests on: layout.Described,
	// layout.Accepted or layout.Guessed.
	LayoutState layout.State `json:"layout_state,omitempty"`
	// Undoes is the receipt of the change that the plan undoes.
	Undoes string `json:"undoes,omitempty"`

	Wording
	// Typed is the text that a person has to type before the plan may be applied; empty if none.
	Typed string `json:"typed,omitempty"`

	Steps Steps `json:"steps"`
	// Images are the items that the plan writes or rests on, as they were read. A deleted item is whole. Other
	// items have only the attributes that the plan compares or sets.
	Images []Image `json:"images,omitempty"`
	// NoImage is set if the journal does not keep the account that the plan deletes (journal_images).
	NoImage bool  `json:"no_image,omitempty"`
	Price   Price `json:"price"`
	// Reason is the person's reason, for the journal.
	Reason string `json:"reason,omitempty"`
	Effect

	Live Live `json:"-"`
}

// Effect is the effect of a change on a value.
type Effect struct {
	// Before and After are the value of a counter or of an account. If an account is deleted, Before is the
	// account, and After is empty.
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
	// First and Last are the first and the last number that a reservation takes.
	First string `json:"first,omitempty"`
	Last  string `json:"last,omitempty"`
	// Elsewhere lists the other Regions that may hand out the same numbers of a counter: the plan's conditions
	// hold in one Region only.
	Elsewhere []string `json:"elsewhere,omitempty"`
}

// Image is an item as it was read. Item is nil if the item did not exist. If the journal does not keep a
// deleted account, its image has a digest only.
type Image struct {
	Table  string    `json:"table"`
	Key    attr.Key  `json:"key"`
	Item   attr.Item `json:"item"`
	Digest string    `json:"digest,omitempty"`
}

// Image returns an item as it was read; false if the plan does not have the item.
func (p *Plan) Image(table string, key attr.Key) (attr.Item, bool) {
	for _, i := range p.Images {
		if i.Table == table && i.Key.Equal(key) {
			return i.Item, true
		}
	}
	return nil, false
}

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
	Counter counter.Counter
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
	// MustType is set if a person has to type Typed regardless of the table's guard. Such a change is made by
	// itself.
	MustType bool
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

// Request is the request of a person. It has enough data to plan the change again, and nothing of the requests
// to DynamoDB. The kind of change determines which fields are set.
type Request struct {
	// Constraint and Value identify a lock, or the value of an account.
	Constraint string    `json:"constraint,omitempty"`
	Value      string    `json:"value,omitempty"`
	Lock       attr.Item `json:"lock,omitempty"` // its key
	// Reserved allows a release although the lock's account may still come.
	Reserved bool      `json:"reserved,omitempty"`
	Account  attr.Item `json:"account,omitempty"` // its key
	// Counter is the name of a counter, Key its key, and Attribute the attribute that holds its number.
	Counter   string    `json:"counter,omitempty"`
	Key       attr.Item `json:"key,omitempty"`
	Attribute string    `json:"attribute,omitempty"`
	// By is the count of numbers that a counter advances. To is the counter's new number, or an account's new
	// value.
	By string `json:"by,omitempty"`
	To string `json:"to,omitempty"`
	// Receipt identifies a change to undo. Finding is a finding to mend.
	Receipt string           `json:"receipt,omitempty"`
	Finding *finding.Finding `json:"finding,omitempty"`
}

// IsEmpty reports whether the request names no item, change or finding.
func (r Request) IsEmpty() bool {
	return r.Lock == nil && r.Account == nil && r.Counter == "" && r.Receipt == "" && r.Finding == nil
}

// CanJoin reports whether two requests can be applied together.
func (r Request) CanJoin(other Request) bool {
	if r.Finding != nil || other.Finding != nil {
		return r.Finding != nil && other.Finding != nil
	}
	return r.Lock != nil && other.Lock != nil
}
