// Package answers stores people's statements about tables. A person accepts constraints and counters, and says
// whether items outside the layout hold values. Answers has the statements about one table, and the open
// questions. Store keeps all statements in one file, and identifies tables by their ID. Start at Answers.
package answers

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"tallylock/dynamo/client"
	"tallylock/dynamo/durable"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/remedy"
	"tallylock/dynamo/schema"
)

// Answers has people's statements about an open table, and the places about which people have to answer. It is safe for
// concurrent use.
type Answers struct {
	v        *schema.View
	store    *Store
	identify func(table string) Table
	remedy   func(code remedy.Code, args ...string) remedy.Remedy

	mu sync.Mutex
	// entries are the stored entries about the table.
	entries []Entry
	// config holds the config's answers about each constraint.
	config map[*layout.Constraint]*layout.Answers
	// places holds the places outside the layout whose items hold values.
	places map[placeOf]HeldPlace
}

// New reads the stored answers about the table of v. It sets the state of each constraint and counter that the config
// does not describe. It gives each constraint the answers about items outside the layout. The callback identify returns
// the identity of a table of the layout. The callback remedy returns a remedy whose commands are about the table.
func New(
	v *schema.View, s *Store, identify func(table string) Table,
	remedy func(code remedy.Code, args ...string) remedy.Remedy,
) *Answers {
	a := &Answers{
		v: v, store: s, identify: identify, remedy: remedy, config: map[*layout.Constraint]*layout.Answers{},
		places: map[placeOf]HeldPlace{},
	}
	a.entries = s.About(a.table())
	for _, c := range v.Layout.Rules() {
		a.config[c], c.Answers = c.Answers, new(layout.Answers)
	}
	for _, c := range v.Layout.Rules() {
		if c.State == layout.Described {
			continue
		}
		c.State, c.AlsoIn = layout.Guessed, nil
		if e := a.accepted(a.HashOf(c)); e != nil {
			c.State = layout.Accepted
			if e.AlsoIn != nil {
				c.AlsoIn = append([]string{}, *e.AlsoIn...)
			}
		}
	}
	for _, c := range v.Layout.Counters {
		if c.State == layout.Described {
			continue
		}
		c.State = layout.Guessed
		if a.accepted(a.CounterHash(c)) != nil {
			c.State = layout.Accepted
		}
	}
	a.spread()
	return a
}

// table returns the identity of the table of the accounts.
func (a *Answers) table() Table { return a.identify(a.v.AccountTable) }

// tablesOf returns the table of a constraint's accounts. If the locks are in another table, that table is
// second.
func (a *Answers) tablesOf(c *layout.Constraint) []Table {
	all := []Table{a.table()}
	if locks := a.v.LockTable(c); !c.Lockless() && locks != a.v.AccountTable {
		all = append(all, a.identify(locks))
	}
	return all
}

// HashOf returns the hash of a constraint for its acceptance. It covers the constraint's tables, its account and its
// settings. If any of these change, the acceptance no longer counts.
func (a *Answers) HashOf(c *layout.Constraint) string {
	return hashOf(a.tablesOf(c), config.Only(a.v.Layout, c))
}

// CounterHash returns the hash of a counter for its acceptance. It covers the counter's table, its settings and its
// meaning. If any of these change, the acceptance no longer counts.
func (a *Answers) CounterHash(c *layout.Counter) string {
	return hashOf([]Table{a.table()}, config.OnlyCounter(a.v.Layout, c))
}

func hashOf(tables []Table, of config.Layout) string {
	of.Name = ""
	return config.HashSettings(struct {
		Tables  []Table         `toml:"table"`
		Layouts []config.Layout `toml:"layout"`
	}{tables, []config.Layout{of}})
}

// CounterKey identifies a counter in the store.
func CounterKey(c *layout.Counter) string {
	return strings.TrimSuffix(c.PK.String()+"/"+c.SK.String(), "/") + " " + c.Attribute
}

// Accept stores that a person has accepted a constraint, and returns the layout with the accepted constraint.
// alsoIn lists the other tables whose applications put locks into the constraint's lock table. It is nil if
// nobody has named these tables.
func (a *Answers) Accept(c *layout.Constraint, alsoIn *[]string) (*layout.Layout, error) {
	return a.accept("accepting the constraint "+c.Name, c.State, config.Only(a.v.Layout, c),
		Entry{Tables: a.tablesOf(c), Constraint: c.Name, Hash: a.HashOf(c), AlsoIn: alsoIn})
}

// AcceptCounter stores that a person has accepted the counter c, and returns the layout with the accepted
// counter.
func (a *Answers) AcceptCounter(c *layout.Counter) (*layout.Layout, error) {
	return a.accept("accepting the counter "+c.NameOr(a.v.AccountTable), c.State, config.OnlyCounter(a.v.Layout, c),
		Entry{Tables: []Table{a.table()}, Counter: CounterKey(c), Hash: a.CounterHash(c)})
}

func (a *Answers) accept(op string, state layout.State, only config.Layout, e Entry) (*layout.Layout, error) {
	op += " of " + a.v.AccountTable
	if state == layout.Described {
		return nil, &client.Error{
			Kind: client.Usage, Op: op, Why: "the config already describes this part of the layout", Do: "correct the config",
		}
	}
	e.Layout = string(only.TOML())
	accepted, err := e.accepted()
	if err != nil {
		return nil, err
	}
	only.Name, only.Tables = a.v.AccountTable, []string{a.v.AccountTable}
	for n := range only.Accounts {
		only.Accounts[n].Constraints[0].AlsoIn = e.AlsoIn
	}
	if err := a.add(op, e, string(only.TOML())); err != nil {
		return nil, err
	}
	l := a.v.Layout.Clone()
	l.Put(accepted)
	return l, nil
}

// accepted returns the entry that accepts the constraint or counter with a hash, or nil if there is none.
func (a *Answers) accepted(hash string) *Entry {
	a.mu.Lock()
	defer a.mu.Unlock()
	for n := range a.entries {
		if e := a.entries[n]; e.Accepts() && e.Hash == hash {
			return &e
		}
	}
	return nil
}

// StillAccepted reports whether the constraint or counter with this hash is still accepted. alsoIn lists the
// tables of Entry.AlsoIn at the time when the table was opened. If the entry now lists different tables,
// StillAccepted returns false. Without a file no entry can change, so StillAccepted returns true.
func (a *Answers) StillAccepted(hash string, alsoIn []string) bool {
	e := a.accepted(hash)
	return a.store.nowhere != "" || e != nil && (e.AlsoIn == nil || slices.Equal(*e.AlsoIn, alsoIn))
}

// Said lists the stored answers about the table, oldest first. It leaves out the answers in the config, and the
// records of questions that nobody has answered.
func (a *Answers) Said() []Entry {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(a.entries), func(e Entry) bool { return e.Answer == layout.Asked })
}

// Recall reads the stored answers again, because another process may have the table open and store answers.
func (a *Answers) Recall() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.entries = a.store.About(a.table())
	a.spread()
}

// spread gives each constraint the answers about items outside the layout, from the config and from the store.
func (a *Answers) spread() {
	for _, c := range a.v.Layout.Rules() {
		holders, others, nowhereElse := a.config[c].All()
		for _, e := range a.entries {
			switch {
			case e.Constraint != c.Name:
			case e.NowhereElse:
				nowhereElse = nowhereElse || e.Hash == a.HashOf(c)
			case e.Place == nil || !slices.Equal(e.Tables, a.tablesOf(c)) || e.Answer == layout.Asked:
			case e.Answer == layout.Hold:
				holders = append(holders, layout.Holder{Place: *e.Place})
			default:
				others = append(others, *e.Place)
			}
		}
		c.Answers.Set(holders, others, nowhereElse)
	}
}

// Statement reads the stored answers again, and returns a hash of them. If they cannot be read, it returns an
// error of the kind Usage: the unreadable answers may say that other items hold values.
func (a *Answers) Statement() (string, error) {
	if _, _, err := a.store.All(); err != nil {
		return "", &client.Error{
			Kind: client.Usage, Op: "reading the answers in " + a.store.Path(), Why: phrase.WithoutPath(err),
			Do: "repair the file, or remove it; nothing was sent", Err: err,
		}
	}
	a.Recall()
	text, err := json.Marshal(a.Said())
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), err
}

// Forget removes an answer or an acceptance by its ID. The caller has to open the table again.
func (a *Answers) Forget(id string) error {
	op := "taking back " + id
	if !slices.ContainsFunc(a.store.About(a.table()), func(e Entry) bool { return e.ID == id }) {
		return &client.Error{
			Kind: client.Usage, Op: op, Why: "no answer about " + a.v.AccountTable + " has this id",
			Remedy: a.remedy(remedy.SeeAnswers),
		}
	}
	if why := a.store.WhyReadOnly(); why != "" {
		return readOnly(op, why)
	}
	return a.failed(op, a.store.Forget(id))
}

func readOnly(op, why string) error {
	return &client.Error{Kind: client.ReadOnly, Op: op, Why: why, Do: "nothing was stored"}
}

// NowhereElse reports whether a release by owner needs no search of the tables. Two things are necessary: a
// person has said that no item outside the layout holds the values of the constraint, and WhySearch finds nothing
// that weakens this statement.
func (a *Answers) NowhereElse(c *layout.Constraint) bool {
	_, _, said := c.Answers.All()
	return said && a.WhySearch(c) == ""
}

// WhySearch returns why a release of a constraint's lock must search all tables, even if a person says that no
// item outside the layout holds the values. It is empty if that statement is enough.
func (a *Answers) WhySearch(c *layout.Constraint) string {
	holders, _, _ := c.Answers.All()
	switch {
	case c.Lockless():
		return c.Name + " has no locks"
	case !c.State.Sure():
		return "the layout of " + c.Name + " is only guessed"
	case c.Owner == "" && !c.OwnedByKey():
		return "the locks of " + c.Name + " name no account"
	case len(holders) > 0:
		return fmt.Sprintf("a person has said that %s items hold values in attribute %s", holders[0].Items, holders[0].Attribute)
	case c.Moves:
		return "accounts may get a value without a lock (moves)"
	case c.MultiTransaction:
		return "a sign-up takes several transactions (two_steps)"
	case c.Reserved.For > 0:
		return "a lock may exist before its account (reserved_for)"
	}
	if open, ok := a.openPlace(c); ok {
		return fmt.Sprintf("unknown whether the attribute %s of the items %s holds these values", open.Attribute, open.Items)
	}
	return ""
}

// WhyIgnored returns why a NowhereElse entry has no effect. It is empty if the entry has an effect, or if the
// entry is of another kind.
func (a *Answers) WhyIgnored(e Entry) string {
	if !e.NowhereElse {
		return ""
	}
	for _, c := range a.v.Layout.Rules() {
		if a.HashOf(c) == e.Hash {
			return a.WhySearch(c)
		}
	}
	return "the layout of " + e.Constraint + " has changed since this answer"
}

// SayNowhereElse stores a person's statement that no item outside the layout holds the values of a constraint.
// The statement counts until the constraint's layout or its tables change.
func (a *Answers) SayNowhereElse(c *layout.Constraint) error {
	op := "storing that no other item holds values of " + c.Name
	if why := a.WhySearch(c); why != "" {
		return &client.Error{Kind: client.Usage, Op: op, Why: why, Do: "nothing was stored"}
	}
	e := Entry{Tables: a.tablesOf(c), Constraint: c.Name, Hash: a.HashOf(c), NowhereElse: true}
	return a.add(op, e, fmt.Sprintf("[[layout.account.constraint]] # %s\nnowhere_else = true\n", c.Name))
}

// add adds an entry to the store. lines make the same statement in the config. If the entry cannot be stored,
// the error shows these lines.
func (a *Answers) add(op string, e Entry, lines string) error {
	why := a.store.nowhere
	if why == "" && !e.identified() {
		why = "the endpoint gives tables neither a TableId nor a time of creation, so tallylock cannot recognise a new table of the same name"
	}
	if why != "" {
		return &client.Error{
			Kind: client.Usage, Op: op, Why: why, Do: "put these lines into the config",
			Err: &ConfigLines{lines},
		}
	}
	if why := a.store.WhyReadOnly(); why != "" {
		return readOnly(op, why)
	}
	_, err := a.store.Add(e)
	if err == nil && !e.Accepts() { // after an acceptance the table is opened again
		a.Recall()
	}
	return a.failed(op, err)
}

// ConfigLines is the cause of an error about an answer that cannot be stored. It holds the config lines with
// the same answer.
type ConfigLines struct{ Lines string }

func (c *ConfigLines) Error() string { return "the answer can only be in the config" }

// failed explains an error of writing the store. It returns nil if err is nil.
func (a *Answers) failed(op string, err error) error {
	if err == nil {
		return nil
	}
	e := &client.Error{Kind: client.Failed, Op: op + " in " + a.store.Path(), Why: err.Error(), Err: err}
	if errors.Is(err, durable.ErrHeld) {
		e.Do = "wait until that process has finished; if it hangs, end it"
	} else {
		e.Remedy = remedy.Of(remedy.MoveAnswers)
	}
	return e
}
