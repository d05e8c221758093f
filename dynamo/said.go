package dynamo

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"tallylock/dynamo/answers"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
)

// answered is what people have said of an open table.
type answered struct {
	mu sync.Mutex
	// entries are those of the store that are about the table.
	entries []answers.Entry
	// config are the answers of the config, of each constraint.
	config map[*layout.Constraint]*layout.Answers
}

// identity identifies a table: one of the same name that was created later has another identity.
// It is empty if the endpoint does not tell tables apart.
func (c *Connection) identity(d client.Description) string {
	if d.ID == "" && !d.Created.IsZero() {
		return strings.Join([]string{c.Endpoint(), d.Region, d.Account, d.Created.UTC().Format(time.RFC3339Nano)}, " ")
	}
	return d.ID
}

// said returns the entries of the store about a table. Lines that cannot be read are ignored;
// AnswersUnreadable says so.
func (c *Connection) said(d client.Description) []answers.Entry {
	if c.answers == nil || c.options.ConfigAnswers {
		return nil
	}
	all, unreadable, err := c.answers.All()
	switch {
	case err != nil:
		c.noteUnreadable(fmt.Sprintf("The answers in %s cannot be read, so they are ignored: %v.", c.answers.Path(), err))
	case unreadable > 0:
		c.noteUnreadable(fmt.Sprintf("%d of the answers in %s cannot be read, so they are ignored.", unreadable,
			c.answers.Path()))
	}
	own := c.identity(d)
	return slices.DeleteFunc(all, func(e answers.Entry) bool {
		return own == "" || e.Tables[0] != answers.Table{Name: d.Name, ID: own}
	})
}

func (c *Connection) noteUnreadable(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.unreadableSaid {
		c.unreadableSaid, c.unreadable = true, text
	}
}

// AnswersUnreadable returns once why stored answers were ignored; empty if none were.
func (c *Connection) AnswersUnreadable() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	text := c.unreadable
	c.unreadable = ""
	return text
}

// putAccepted puts what people have accepted of the table into a layout that was recognised.
func (t *Table) putAccepted(l *layout.Layout) {
	for _, e := range t.conn.said(t.Description) {
		if !e.Accepts() {
			continue
		}
		config, err := e.Config()
		if err != nil {
			continue // the store has checked it
		}
		if accepted, err := config.Build(); err == nil {
			accepted.SetState(layout.Guessed) // takeAnswers tells whether the tables are the same
			if accepted.Name = ""; l.Empty() {
				accepted.Name = t.Name
			}
			l.Put(accepted)
		}
	}
}

// takeAnswers gives each constraint and counter its state, and the answers about other items.
func (t *Table) takeAnswers() {
	t.answered = &answered{config: map[*layout.Constraint]*layout.Answers{}}
	for _, c := range t.Layout.Rules() {
		t.answered.config[c], c.Answers = c.Answers, new(layout.Answers)
	}
	t.answered.entries = t.conn.said(t.Description)
	for _, c := range t.Layout.Rules() {
		if c.State == layout.Described {
			continue
		}
		c.State, c.AlsoIn = layout.Guessed, nil
		if e := t.answered.accepted(t.HashOf(c)); e != nil {
			c.State = layout.Accepted
			if e.AlsoIn != nil {
				c.AlsoIn = append([]string{}, *e.AlsoIn...)
			}
		}
	}
	for _, c := range t.Layout.Counters {
		if c.State == layout.Described {
			continue
		}
		c.State = layout.Guessed
		if t.answered.accepted(t.CounterHash(c)) != nil {
			c.State = layout.Accepted
		}
	}
	t.spread()
}

// accepted returns the entry that accepts what has a hash; nil if none does.
func (a *answered) accepted(hash string) *answers.Entry {
	for n := range a.entries {
		if a.entries[n].Accepts() && a.entries[n].Hash == hash {
			return &a.entries[n]
		}
	}
	return nil
}

// spread gives each constraint the answers about other items.
func (t *Table) spread() {
	t.answered.mu.Lock()
	defer t.answered.mu.Unlock()
	for _, c := range t.Layout.Rules() {
		holders, others, nowhereElse := t.answered.config[c].All()
		for _, e := range t.answered.entries {
			switch {
			case e.Constraint != c.Name:
			case e.NowhereElse:
				nowhereElse = nowhereElse || e.Hash == t.HashOf(c)
			case e.Place == nil || !slices.Equal(e.Tables, t.tablesOf(c)) || e.Answer == layout.Asked:
			case e.Answer == layout.Hold:
				holders = append(holders, layout.Holder{Place: *e.Place})
			default:
				others = append(others, *e.Place)
			}
		}
		c.Answers.Set(holders, others, nowhereElse)
	}
}

// tablesOf are the tables of a constraint: that of its accounts, then that of its locks.
func (t *Table) tablesOf(c *layout.Constraint) []answers.Table {
	all := []answers.Table{{Name: t.Name, ID: t.conn.identity(t.Description)}}
	if locks := t.LockTable(c); !c.Lockless() && locks != t.Name {
		all = append(all, answers.Table{Name: locks, ID: t.conn.identity(t.DescriptionOf(locks))})
	}
	return all
}

// NowhereElse reports whether a release by owner needs no look: a person has said that nothing
// outside the layout holds the values of a constraint, and nothing speaks against it.
func (t *Table) NowhereElse(c *layout.Constraint) bool {
	_, _, said := c.Answers.All()
	return said && t.WhyLook(c) == ""
}

// WhyLook returns why a release of a constraint's lock reads all tables, even if a person says that
// nothing outside the layout holds the values. It is empty if that would count.
func (t *Table) WhyLook(c *layout.Constraint) string {
	holders, _, _ := c.Answers.All()
	switch {
	case c.Lockless():
		return c.Name + " has no locks"
	case !c.State.Sure():
		return "the layout of " + c.Name + " is only guessed"
	case c.Owner == "" && !c.OwnedByKey():
		return "its locks name no account"
	case len(holders) > 0:
		return fmt.Sprintf("%s items hold the values in %s, as a person says", holders[0].Items, holders[0].Attribute)
	case c.Moves:
		return "accounts may gain a value without putting its lock (moves)"
	case c.TwoSteps:
		return "a sign-up takes several transactions (two_steps)"
	case c.Reserved.For > 0:
		return "a lock may precede its account (reserved_for)"
	}
	if open, ok := t.openPlace(c); ok {
		return fmt.Sprintf("nobody has said whether %s items hold the values in %s", open.Items, open.Attribute)
	}
	return ""
}

// WhyIgnored returns why an entry that nothing else holds the values of a constraint has no effect;
// empty if it has one, and for any other entry.
func (t *Table) WhyIgnored(e answers.Entry) string {
	if !e.NowhereElse {
		return ""
	}
	for _, c := range t.Layout.Rules() {
		if t.HashOf(c) == e.Hash {
			return t.WhyLook(c)
		}
	}
	return "the layout of " + e.Constraint + " has changed since"
}

// openPlace returns a place whose items hold values of a constraint, or about which somebody was
// asked, if nobody has answered.
func (t *Table) openPlace(c *layout.Constraint) (layout.Place, bool) {
	for _, q := range t.Questions() {
		if q.Constraint == c {
			return q.Place, true
		}
	}
	tables := t.tablesOf(c)
	t.answered.mu.Lock()
	defer t.answered.mu.Unlock()
	for _, e := range t.answered.entries {
		if e.Answer == layout.Asked && e.Constraint == c.Name && slices.Equal(e.Tables, tables) &&
			c.Answers.Of(*e.Place) == layout.NoAnswer {
			return *e.Place, true
		}
	}
	return layout.Place{}, false
}

// SayNowhereElse stores that nothing outside the layout holds the values of a constraint. It counts
// as long as the layout of the constraint and its tables stay the same.
func (t *Table) SayNowhereElse(c *layout.Constraint) error {
	op := "storing that nothing else holds values of " + c.Name
	if why := t.WhyLook(c); why != "" {
		return &client.Error{Kind: client.Usage, Op: op, Why: why, Do: "nothing was stored"}
	}
	e := answers.Entry{Tables: t.tablesOf(c), Constraint: c.Name, Hash: t.HashOf(c), NowhereElse: true}
	lines := fmt.Sprintf("[[layout.account.constraint]] # %s\nnowhere_else = true\n", c.Name)
	if err := t.store(op, e, lines); err != nil {
		return err
	}
	t.RecallAnswers()
	return nil
}
