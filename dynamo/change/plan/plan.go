// Package plan defines the kinds of change: their steps, conditions, prices, words and refusals. It only plans;
// package change applies a Plan.
//
// Start reading at Plan, and at kind.go, which lists the kinds of change. The planner of each kind is in a file
// named after the items that it changes: release.go, lock*.go, counter*.go, account*.go, and undo.go.
package plan

import (
	"crypto/rand"
	"strings"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
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

// addImage records an item as it was read.
func addImage(p *Plan, table string, key attr.Key, item attr.Item) {
	p.Images = append(p.Images, Image{Table: table, Key: key, Item: item})
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

// bind completes the plan for a table. It gives the plan an ID. It checks that the plan has an image of each
// item it writes, that the layout fits the table, and that guards and Regions allow the plan. Every planner
// ends with bind.
func bind(p *Plan, t *dynamo.Table) (*Plan, error) {
	p.Live.Conn, p.Live.Table, p.Live.Account = t.Connection(), t, t.Description.Account
	if p.At.IsZero() {
		p.At = time.Now()
	}
	p.ID, p.Accounts, p.TableID = newID(p.At), t.Name, t.DescriptionOf(p.Table).ID
	if err := checkFit(p, t); err != nil {
		return nil, err
	}
	said, err := t.Statements()
	if err != nil {
		return nil, err
	}
	p.Live.Run, p.Live.MustType, p.Live.Statements = p.ID, p.Typed != "", said
	p.Tables = map[string]string{}
	for _, s := range p.Steps {
		if n := len(s.Writes); n > client.MaxActions {
			return nil, refuseTooMany(n)
		}
		for _, w := range s.Writes {
			if TooLong(w) {
				return nil, Refuse(TooMany,
					"%s has more attributes than one condition can compare: that it is unchanged could not be told", w.Key)
			}
			p.Tables[w.Table] = t.DescriptionOf(w.Table).Identity()
			if _, seen := p.Image(w.Table, w.Key); !seen {
				return nil, &client.Error{
					Kind: client.Failed,
					Op:   "planning to write " + w.Table,
					Why:  "the plan does not say what it rests on",
					Do:   "nothing was sent; please report it",
				}
			}
			if w.Verb != client.Check && p.Live.Conn.GuardOf(w.Table) == client.GuardType && p.Typed == "" {
				p.Typed = p.Subject()
			}
		}
	}
	if err := p.CheckDenied(p.Live.Conn); err != nil {
		return nil, err
	}
	if why := t.Regions().Refuses(p.Steps.Verbs()...); why != "" {
		return nil, Refuse(Regions, "%s", why)
	}
	p.NoImage = p.Kind == KindDeleteAccount && !p.Live.Conn.KeepsImages()
	p.ReduceImages(t)
	return p, nil
}

func refuseTooMany(actions int) *Refusal {
	return Refuse(TooMany, "it takes %d actions, and a transaction has at most %d: nothing was sent", actions,
		client.MaxActions)
}

// newID returns the ID of a receipt. It has the time and 40 random bits, since one run can make thousands of
// receipts in a second.
func newID(now time.Time) string {
	return "R-" + now.UTC().Format("20060102-150405") + "-" + strings.ToLower(rand.Text()[:8])
}
