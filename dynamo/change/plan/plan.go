// Package plan defines planned changes: their kinds, steps, prices, words and refusals. It also checks a plan that
// was read from the journal. Package planner makes plans, and package change applies them.
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
	// Accounts is the name of the accounts table. Tables maps each table that the plan writes or checks to its
	// identity: the TableId, or the time of creation.
	Accounts string            `json:"accounts,omitempty"`
	Tables   map[string]string `json:"tables,omitempty"`
	// Constraint and Value identify a lock. Counter is the name of a counter. Account is the partition key of
	// an account, as displayed.
	Constraint string `json:"constraint,omitempty"`
	Value      string `json:"value,omitempty"`
	// AccountValue is the value in the account, if the locks of the constraint keep digests; Value is the digest then.
	AccountValue string `json:"account_value,omitempty"`
	Counter      string `json:"counter,omitempty"`
	Account      string `json:"account,omitempty"`
	// Layout is the hash of the layout at planning time. Only plans that change locks have one.
	Layout string `json:"layout,omitempty"`
	// LayoutState is the source of the plan's constraints or counter: the config (layout.Described), a person who
	// accepted them (layout.Accepted), or a guess (layout.Guessed).
	LayoutState layout.State `json:"layout_state,omitempty"`
	// Undoes is the receipt ID of the change that this plan undoes; empty if the plan undoes none.
	Undoes string `json:"undoes,omitempty"`

	Wording
	// Typed is the text that a person has to type before the plan may be applied; empty if none.
	Typed string `json:"typed,omitempty"`

	Steps Steps `json:"steps"`
	// Images are copies of the items that the plan writes or checks, made when the items were read. The copy of a
	// deleted item is whole. Other copies have only the attributes that the plan compares or sets, and the
	// attributes that identify the item.
	Images []Image `json:"images,omitempty"`
	// NoImage is set if the journal keeps no copy of the account that the plan deletes (journal_images = false).
	NoImage bool  `json:"no_image,omitempty"`
	Price   Price `json:"price"`
	// Backfill is set if the plan puts the missing locks of all accounts, or undoes this.
	Backfill *Backfill `json:"backfill,omitempty"`
	// Reason is the person's reason, for the journal.
	Reason string `json:"reason,omitempty"`
	// AskedBy is the name of the person who asked another person to apply the plan; empty if nobody did.
	AskedBy string `json:"asked_by,omitempty"`
	Effect

	Live Live `json:"-"`
}

// Effect is the effect of a change on a value.
type Effect struct {
	// Before and After are the values of a counter or an account before and after the change. If an account is
	// deleted, Before is the account, and After is empty.
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
	// First and Last are the first and the last number that a reservation takes.
	First string `json:"first,omitempty"`
	Last  string `json:"last,omitempty"`
	// Elsewhere lists the other Regions that may hand out the same numbers of a counter. The plan's conditions
	// protect one Region only.
	Elsewhere []string `json:"elsewhere,omitempty"`
}

// Backfill describes a backfill.
type Backfill struct {
	// Mark is the value of schema.AdoptAttribute in the locks of the run.
	Mark string `json:"mark"`
	// Values counts the values that the accounts held at planning time. Duplicates counts the values among them that
	// several accounts held, and Invalid the values that cannot have a lock.
	Values     int64 `json:"values"`
	Duplicates int64 `json:"duplicates"`
	Invalid    int64 `json:"invalid"`
}

// IsBackfill reports whether the kind is a backfill, its undo, or the end of an adoption: abandoned or verified. A plan
// of such a kind has only the first transaction, or none.
func (k Kind) IsBackfill() bool {
	return k == KindBackfill || k == KindUndoBackfill || k == KindAbandon || k == KindAdopt
}

// Image is a copy of an item, made when the item was read. Item is nil if the item did not exist. If the journal
// must not keep a deleted account, the image of the account has only a digest.
type Image struct {
	Table  string    `json:"table"`
	Key    attr.Key  `json:"key"`
	Item   attr.Item `json:"item"`
	Digest string    `json:"digest,omitempty"`
}

// Image returns the plan's copy of an item; false if the plan has no copy of it.
func (p *Plan) Image(table string, key attr.Key) (attr.Item, bool) {
	for _, i := range p.Images {
		if i.Table == table && i.Key.Equal(key) {
			return i.Item, true
		}
	}
	return nil, false
}

// Writes reports whether the plan's change writes an item.
func (p *Plan) Writes(table string, key attr.Key) bool {
	return slices.ContainsFunc(p.Steps.Effect().Writes, func(w client.Write) bool {
		return w.Verb != client.Check && w.Table == table && w.Key.Equal(key)
	})
}

// LockRelease has the data that a release needs to be applied.
type LockRelease struct {
	Rel *verdict.Relation
	// Marked is set if the release works by mark: it marks the lock, waits, reads every item, and deletes the lock
	// if the mark is still there (docs/truth.md §3b). Otherwise the release is one transaction that checks the
	// lock's owner (docs/truth.md §3c).
	Marked bool
	// Respelt lists the keys of accounts that hold the value in another spelling. The plan puts the right lock for
	// these accounts, so they are no reason to keep the wrong lock.
	Respelt []attr.Key
	// DigestChecked is set if a check has found a lock for each account. Then no account can belong to a lock that
	// keeps a digest of an unknown text.
	DigestChecked bool
	// Begun is set when the plan sends its mark. A plan sends its mark only once.
	Begun bool
}

// Releases returns the copy of the lock that a release deletes, made when the lock was read; nil if the plan is no
// release.
func (p *Plan) Releases() *schema.Lock {
	if p.Live.Release == nil {
		return nil
	}
	return &p.Live.Release.Rel.Lock
}

// CounterChange has the data that a change of a counter needs to be applied.
type CounterChange struct {
	Counter counter.Counter
	// Replan plans the same change from the counter's current value. It is nil if the person agreed only to the
	// shown numbers.
	Replan func(context.Context) (*Plan, error)
}

// Live has the data to apply a plan, or to plan it again. The journal does not store it: in a plan from the
// journal, Live is empty.
type Live struct {
	Conn       *dynamo.Connection
	Table      *dynamo.Table
	Account    string         // the AWS account of the tables
	Run        string         // the ID of the run: the ID of its first plan
	Statements string         // the result of Table.Statements at planning time
	FileChange string         // the ID of the planned change in a plan file; empty if none
	Release    *LockRelease   // nil if the plan is no release
	Counter    *CounterChange // nil if the plan changes no counter
	Request    Request
	// MustType is set if the change itself requires a person to type Typed, even if the table's guard does not.
	// Such a change is not applied together with others.
	MustType bool
	// Unsure is the error of a plan that depends on a guessed layout: a person has to accept the guess first. It is
	// nil if the plan may be applied.
	Unsure error
}

// HasValue reports whether the plan is about a value. A value of bytes may be invalid UTF-8. JSON cannot store such
// bytes: a plan from the journal has U+FFFD in place of each of them.
func (p *Plan) HasValue(v string) bool { return p.Value == v || p.Value == string([]rune(v)) }

// CheckDenied returns an error if the config denies changes of a table that the plan writes.
func (p *Plan) CheckDenied(conn *dynamo.Connection) error {
	for _, table := range p.Steps.Written() {
		if err := conn.Denied(table); err != nil {
			return err
		}
	}
	return nil
}

// UsesMark reports whether the plan marks a lock, then reads every item, and only then deletes the lock
// (docs/truth.md §3b).
func (p *Plan) UsesMark() bool { return p.Live.Release != nil && p.Live.Release.Marked }

// CheckReady returns an error if a plan cannot be applied.
func (p *Plan) CheckReady() error {
	again := func(why string) error {
		return &client.Error{
			Kind: client.Usage,
			Op:   "applying " + p.String(),
			Why:  why,
			Do:   "plan the change again; nothing was sent",
		}
	}
	switch {
	case p.Live.Conn == nil || len(p.Steps) == 0:
		return again("the plan comes from another program")
	case p.Live.Unsure != nil:
		return p.Live.Unsure
	case p.Live.Release != nil && p.Live.Release.Begun:
		return again("the plan has already begun")
	case p.NeedsReason():
		return &client.Error{
			Kind:   client.Usage,
			Op:     "changing " + p.Table,
			Why:    "the config requires a reason (require_reason)",
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

// Request is a person's request for a change. It has enough data to plan the change again, and no request to
// DynamoDB. Each kind of change sets its own fields.
type Request struct {
	// Constraint and Value identify a lock, or the value of an account.
	Constraint string    `json:"constraint,omitempty"`
	Value      string    `json:"value,omitempty"`
	Lock       attr.Item `json:"lock,omitempty"` // the key of the lock
	// Reserved allows the release of a reserved lock: a sign-up may still claim it.
	Reserved bool      `json:"reserved,omitempty"`
	Account  attr.Item `json:"account,omitempty"` // the key of the account
	// Counter is the name of a counter, Key its key, and Attribute the attribute that holds its number.
	Counter   string    `json:"counter,omitempty"`
	Key       attr.Item `json:"key,omitempty"`
	Attribute string    `json:"attribute,omitempty"`
	// By is the count of numbers that a bumped counter hands out. To is the new number of a counter, or the new
	// value of an account.
	By string `json:"by,omitempty"`
	To string `json:"to,omitempty"`
	// Receipt is the receipt ID of a change to undo. Finding is a finding to mend.
	Receipt string           `json:"receipt,omitempty"`
	Finding *finding.Finding `json:"finding,omitempty"`
}

// IsEmpty reports whether the request names no item, change or finding.
func (r Request) IsEmpty() bool {
	return r.Lock == nil && r.Account == nil && r.Counter == "" && r.Receipt == "" && r.Finding == nil
}

// CanJoin reports whether one plan file can hold both requests.
func (r Request) CanJoin(other Request) bool {
	if r.Finding != nil || other.Finding != nil {
		return r.Finding != nil && other.Finding != nil
	}
	return r.Lock != nil && other.Lock != nil
}
