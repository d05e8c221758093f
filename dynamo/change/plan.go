// Package change is everything that writes: it plans a change, applies the plan, takes it
// back, mends findings, and finds out what became of a change whose answer was lost.
//
// It imports dynamo and all below it, scan for its look, check for findings, and
// change/journal, which knows of each step before the table does. Nothing below imports it.
// Start reading at Plan, then Changer.Apply; kind.go lists what changes there are, and
// release.go is the longest of them: mark, wait, look, delete (docs/truth.md §3b).
package change

import (
	"cmp"
	"crypto/rand"
	"errors"
	"strings"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
)

// Plan is a change before it is made: data, which can be shown, kept and sent.
type Plan struct {
	// ID names the plan and its receipt.
	ID      string    `json:"id"`
	Kind    Kind      `json:"kind"`
	At      time.Time `json:"at"`
	Table   string    `json:"table"`
	TableID string    `json:"table_id,omitempty"`
	// Accounts is the table of the accounts, and Tables are the TableIds of all
	// tables that are written or checked, by name.
	Accounts string            `json:"accounts,omitempty"`
	Tables   map[string]string `json:"tables,omitempty"`
	// Constraint and Value say which lock; Counter which counter; Account which
	// account, by its partition key as people say it.
	Constraint string `json:"constraint,omitempty"`
	Value      string `json:"value,omitempty"`
	Counter    string `json:"counter,omitempty"`
	Account    string `json:"account,omitempty"`
	// Layout is the hash of the layout that it was planned by, of changes of locks; Trusted
	// says that it fits on a person's word alone, given for this run or kept.
	Layout  string `json:"layout,omitempty"`
	Trusted bool   `json:"trusted_layout,omitempty"`
	// Undoes is the receipt that the plan takes back.
	Undoes string `json:"undoes,omitempty"`

	// Title, Sentence and Lines are the plan in words. They are not sanitised.
	Title    string `json:"title"`
	Sentence string `json:"sentence"`
	Lines    []Line `json:"lines"`
	// Button is what pressing it is called: "Release the lock".
	Button string `json:"button"`
	// Done is what is true once it is applied: "the username "alan" is free".
	Done string `json:"done,omitempty"`
	// Collides is what to say of a counter that others move at this moment.
	Collides string `json:"collides,omitempty"`
	// Typed is what has to be typed before the plan may be applied; empty where
	// nothing has to.
	Typed string `json:"typed,omitempty"`

	Steps Steps `json:"steps"`
	// Images are the items that the plan writes or rests on, as they were seen.
	Images []Image `json:"images,omitempty"`
	Price  Price   `json:"price"`
	// Reason is the person's own words, for the journal.
	Reason string `json:"reason,omitempty"`
	// Before and After are a counter's value, or an account's; of an account that is
	// deleted Before is the account, and After is empty.
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
	// First and Last are the numbers that a reservation takes.
	First string `json:"first,omitempty"`
	Last  string `json:"last,omitempty"`
	// Elsewhere are other Regions that may hand out the same numbers of a counter: the
	// plan's conditions hold in one.
	Elsewhere []string `json:"elsewhere,omitempty"`

	// What applying it needs besides; a plan out of the journal has none of it.
	conn    *dynamo.Connection
	table   *dynamo.Table
	account string // that the tables are in
	run     string // the first plan of those that are applied together
	release *release
	bump    *bump
	asked   Asked // by which it can be planned again
	// careful: something has to be typed whatever the table's guard says.
	careful bool
}

// Image is an item as it was seen. Item is nil where there was none.
type Image struct {
	Table string    `json:"table"`
	Key   attr.Item `json:"key"`
	Item  attr.Item `json:"item"`
}

// saw keeps what an item was when it was looked at.
func (p *Plan) saw(table string, key attr.Key, item attr.Item) {
	p.Images = append(p.Images, Image{table, key.Item(), item})
}

// image is what an item was; false where the plan does not know it.
func (p *Plan) image(table string, key attr.Item) (attr.Item, bool) {
	for _, i := range p.Images {
		if i.Table == table && i.Key.Equal(key) {
			return i.Item, true
		}
	}
	return nil, false
}

// on makes the plan one of a table: its name is given, and what it touches is
// checked against what was seen. Every planner ends with it.
func (p *Plan) on(t *dynamo.Table) (*Plan, error) {
	if t.KeptBroken != nil { // what a layout cannot be guessed to say, as moves, is in the one that cannot be read
		return nil, t.KeptBroken
	}
	p.conn, p.table, p.account = t.Connection(), t, t.Description.Account
	if p.At.IsZero() {
		p.At = time.Now()
	}
	p.ID, p.Accounts, p.TableID = newID(p.At), t.Name, t.DescriptionOf(p.Table).ID
	if err := p.fits(t); err != nil {
		return nil, err
	}
	p.run, p.careful = p.ID, p.Typed != ""
	p.Tables = map[string]string{}
	for _, s := range p.Steps {
		if n := len(s.Writes); n > client.MaxActions {
			return nil, tooMany(n)
		}
		for _, w := range s.Writes {
			if len(w.Condition) > maxExpression || len(w.Update) > maxExpression || operators(w.Condition) > maxOperators {
				return nil, refusal(TooMany, "%s has more attributes than one condition can compare: that it is unchanged could not be told", keyText(w, w.Key))
			}
			p.Tables[w.Table] = t.DescriptionOf(w.Table).ID
			if _, seen := p.image(w.Table, w.KeyIn(t.SchemaOf(w.Table))); !seen || w.Condition == "" {
				return nil, &client.Error{
					Kind: client.Failed,
					Op:   "planning to write " + w.Table,
					Why:  "the plan does not say what it rests on",
					Do:   "nothing was sent; please report it",
				}
			}
			if w.Verb != client.Check && p.conn.GuardOf(w.Table) == client.GuardType && p.Typed == "" {
				p.Typed = p.Subject()
			}
		}
	}
	if err := p.denied(p.conn); err != nil {
		return nil, err
	}
	if why := t.Regions().Refuses(p.Steps.verbs()...); why != "" {
		return nil, refusal(Regions, "%s", why)
	}
	return p, nil
}

// fits refuses a plan about locks where the layout does not fit them, and notes which
// layout it was made by.
func (p *Plan) fits(t *dynamo.Table) error {
	if p.Counter != "" {
		return nil
	}
	var con *layout.Constraint // nil, of an account with all its locks: each has to fit
	if p.Constraint != "" {
		_, con = t.Layout.Constraint(p.Constraint)
	}
	if err := t.Fit.Misfit("", con); err != nil {
		return misfit(err)
	}
	p.Layout, p.Trusted = t.Layout.Hash(), vouched(t, con)
	return nil
}

// misfit is the refusal of a change whose layout does not fit.
func misfit(err error) *Refusal {
	e, ok := errors.AsType[*client.Error](err)
	if !ok {
		return refusal(Misfit, "%s", err)
	}
	r := refusal(Misfit, "%s; %s", e.Why, e.Do)
	r.Reasons[0].Asks = dynamo.QuestionOf(e)
	return r
}

// sameLayout refuses to go on with a change that was planned by another layout than the
// table's.
func (p *Plan) sameLayout(t *dynamo.Table, op string) error {
	if p.Layout == "" || p.Layout == t.Layout.Hash() {
		return nil
	}
	return &client.Error{
		Kind: client.Usage, Op: op, Why: "it was made by another layout (" + p.Layout + ") than " + t.Name + " has now (" + t.Layout.Hash() + ")",
		Do: "use the layout that it was made by, with --layout or in the config; nothing was sent",
	}
}

// denied is the error of a plan that writes a table which the config keeps from all
// changes.
func (p *Plan) denied(conn *dynamo.Connection) error {
	for _, table := range p.Steps.Written() {
		if err := conn.Denied(table); err != nil {
			return err
		}
	}
	return nil
}

// marks reports whether the plan marks a lock, and looks at everything before it deletes
// it (docs/truth.md §3b).
func (p *Plan) marks() bool { return p.release != nil && p.release.marked }

// Careful reports whether something has to be typed whatever a guard says: such a
// change is made by itself.
func (p *Plan) Careful() bool { return p.careful }

// The most bytes of an expression, and the most operators and functions in it
// (Developer Guide, "Service, account and table quotas").
const (
	maxExpression = 4096
	maxOperators  = 300
)

// operators counts those of a condition: one in each term, and one between two.
func operators(condition string) int { return 2*strings.Count(condition, " AND ") + 1 }

func tooMany(actions int) *Refusal {
	return refusal(TooMany, "it takes %d actions, and a transaction has at most %d: nothing was sent", actions, client.MaxActions)
}

// accounts is the table of the accounts, which an older journal does not name.
func (p *Plan) accounts() string { return cmp.Or(p.Accounts, p.Table) }

// newID makes the name of a receipt: when, and 40 bits against chance, for a
// batch makes thousands in a second and the journal tells them apart by name.
func newID(now time.Time) string {
	return "R-" + now.UTC().Format("20060102-150405") + "-" + strings.ToLower(rand.Text()[:8])
}
