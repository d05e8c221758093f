package dynamo

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"tallylock/dynamo/answers"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/holders"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/remedy"
	"tallylock/dynamo/verdict"
)

// answered holds the answers of people about an open table.
type answered struct {
	mu sync.Mutex
	// entries are the stored entries about the table.
	entries []answers.Entry
	// config holds the config's answers about each constraint.
	config map[*layout.Constraint]*layout.Answers
}

// identity returns the identity of a table. A table that is created again under the same name has
// another identity. It is empty if the endpoint does not tell tables apart.
func (c *Connection) identity(d client.Description) string {
	if d.ID == "" && !d.Created.IsZero() {
		return strings.Join([]string{c.Endpoint(), d.Region, d.Account, d.Created.UTC().Format(time.RFC3339Nano)}, " ")
	}
	return d.ID
}

// said returns the stored entries about a table. It ignores unreadable lines; AnswersUnreadable
// reports them.
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

// AnswersUnreadable returns why stored answers were ignored, and then clears it. It is empty if none were ignored.
func (c *Connection) AnswersUnreadable() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	text := c.unreadable
	c.unreadable = ""
	return text
}

// putAccepted puts the constraints and counters that people have accepted into a recognised layout.
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
			accepted.SetState(layout.Guessed) // takeAnswers checks whether the tables are the same
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

// accepted returns the entry that accepts the constraint or counter with a hash; nil if there is none.
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

// tablesOf returns the table of a constraint's accounts, then the table of its locks if that is another.
func (t *Table) tablesOf(c *layout.Constraint) []answers.Table {
	all := []answers.Table{{Name: t.Name, ID: t.conn.identity(t.Description)}}
	if locks := t.LockTable(c); !c.Lockless() && locks != t.Name {
		all = append(all, answers.Table{Name: locks, ID: t.conn.identity(t.DescriptionOf(locks))})
	}
	return all
}

// NowhereElse reports whether a release by owner needs no search: a person has said that nothing
// outside the layout holds the values of a constraint, and WhyLook has no reason against it.
func (t *Table) NowhereElse(c *layout.Constraint) bool {
	_, _, said := c.Answers.All()
	return said && t.WhyLook(c) == ""
}

// WhyLook returns why a release of a constraint's lock reads all tables, even if a person says that
// nothing outside the layout holds the values. It is empty if that statement counts.
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

// WhyIgnored returns why a NowhereElse entry has no effect. It is empty if the entry has an effect, and
// for any other entry.
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

// openPlace returns a place with an open question: its items hold values of a constraint, or somebody
// was asked about it, and nobody has answered.
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

// SayNowhereElse stores a person's statement that nothing outside the layout holds the values of a
// constraint. The statement counts until the constraint's layout or its tables change.
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

// store adds an entry to the store. lines are the same statement as config lines.
func (t *Table) store(op string, e answers.Entry, lines string) error {
	c := t.conn
	why := ""
	switch {
	case c.options.ConfigAnswers:
		why = `answers = "config": only the config answers on this connection`
	case slices.ContainsFunc(e.Tables, func(t answers.Table) bool { return t.ID == "" }):
		why = "the endpoint gives tables neither a TableId nor a time of creation, so a new table of the same name cannot be told apart"
	case c.answers == nil:
		why = "there is no place to store it"
	}
	if why != "" {
		return &client.Error{
			Kind: client.Usage, Op: op, Why: why, Do: "say it in the config, with these lines",
			Err: &ConfigLines{lines},
		}
	}
	if _, err := c.answers.Add(e); err != nil {
		return c.storeError(op, err)
	}
	return nil
}

// ConfigLines is the cause of an error about an answer that only the config can give. It holds the
// lines to add there.
type ConfigLines struct{ Lines string }

func (c *ConfigLines) Error() string { return "only the config answers" }

// WasAsked reports whether somebody was asked about a place, or the sample has items of that place that
// hold a value of the constraint.
func (t *Table) WasAsked(c *layout.Constraint, p layout.Place) bool {
	open := func(q HeldPlace) bool { return q.Constraint == c && p.Covers(q.Place) }
	return slices.ContainsFunc(t.Questions(), open) ||
		slices.ContainsFunc(t.conn.said(t.Description), func(e answers.Entry) bool {
			return e.Place != nil && e.Constraint == c.Name && p.Covers(*e.Place)
		})
}

// RecordAsked records that a person was asked about a place. Without that record, an answer about a
// place may be a typing mistake. A failure is ignored.
func (t *Table) RecordAsked(c *layout.Constraint, p layout.Place) {
	tables := t.tablesOf(c)
	if t.conn.answers == nil || t.conn.options.ConfigAnswers ||
		slices.ContainsFunc(tables, func(t answers.Table) bool { return t.ID == "" }) {
		return
	}
	_ = t.conn.answers.AddOnce(answers.Entry{Tables: tables, Constraint: c.Name, Place: &p, Answer: layout.Asked})
}

func (c *Connection) storeError(op string, err error) error {
	return &client.Error{
		Kind: client.Failed, Op: op + " in " + c.answers.Path(), Why: err.Error(),
		Remedy: remedy.Of(remedy.MoveAnswers), Err: err,
	}
}

// Answer stores a person's answer about a place that holds values of a constraint. If the question was
// about exactly this place, a * in the place stands for ids only. Otherwise it stands for any word.
func (t *Table) Answer(c *layout.Constraint, place layout.Place, a layout.Answer) error {
	asked := func(p layout.Place) bool {
		return p.Table == place.Table && p.Items == place.Items && p.Attribute == place.Attribute
	}
	open := func(q HeldPlace) bool { return q.Constraint == c && asked(q.Place) }
	place.Exact = slices.ContainsFunc(t.Questions(), open) ||
		slices.ContainsFunc(t.conn.said(t.Description), func(e answers.Entry) bool {
			return e.Place != nil && e.Constraint == c.Name && (e.Answer == layout.Asked || e.Place.Exact) && asked(*e.Place)
		})
	return t.answer(c, place, a)
}

func (t *Table) answer(c *layout.Constraint, place layout.Place, a layout.Answer) error {
	op := "storing the answer about " + place.Attribute + " of " + place.Items
	e := answers.Entry{Tables: t.tablesOf(c), Constraint: c.Name, Place: &place, Answer: a}
	if err := t.store(op, e, placeLines(c, place, a)); err != nil {
		return err
	}
	t.RecallAnswers()
	return nil
}

// placeLines returns an answer about a place as config lines.
func placeLines(c *layout.Constraint, place layout.Place, a layout.Answer) string {
	setting := "holders"
	if a == layout.HoldNot {
		setting = "no_holders"
	}
	exact := ""
	if place.Exact && strings.Contains(place.Items, "*") {
		exact = ", exact = true"
	}
	return fmt.Sprintf("[[layout.account.constraint]] # %s\n%s = [{ table = %q, items = %q, attribute = %q%s }]\n",
		c.Name, setting, place.Table, place.Items, place.Attribute, exact)
}

// RecallAnswers reads the stored answers again: the same table may be open elsewhere too.
func (t *Table) RecallAnswers() {
	t.answered.mu.Lock()
	t.answered.entries = t.conn.said(t.Description)
	t.answered.mu.Unlock()
	t.spread()
}

// Statements reads the config and the stored answers about the table again, and returns a hash of the
// answers. A plan relies on the answers that were stored when it was made. It returns the error of
// CheckConfig, or an error of the kind Usage if the answers cannot be read: somebody may have said that
// other items hold values.
func (t *Table) Statements() (string, error) {
	if err := t.CheckConfig(); err != nil {
		return "", err
	}
	if a := t.conn.answers; a != nil && !t.conn.options.ConfigAnswers {
		if _, _, err := a.All(); err != nil {
			return "", &client.Error{
				Kind: client.Usage, Op: "reading the answers in " + a.Path(), Why: phrase.WithoutPath(err),
				Do: "put the file right, or remove it; nothing was sent", Err: err,
			}
		}
	}
	t.RecallAnswers()
	text, err := json.Marshal(t.Said())
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), err
}

// Said lists the stored answers about the table, oldest first. It leaves out the answers in the config.
func (t *Table) Said() []answers.Entry {
	t.answered.mu.Lock()
	defer t.answered.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(t.answered.entries),
		func(e answers.Entry) bool { return e.Answer == layout.Asked })
}

// Forget takes back an answer or an acceptance, by its ID. The caller has to open the table again.
func (c *Connection) Forget(d client.Description, id string) error {
	op := "taking back " + id
	if !slices.ContainsFunc(c.said(d), func(e answers.Entry) bool { return e.ID == id }) {
		return &client.Error{
			Kind: client.Usage, Op: op, Why: "nothing that was said of " + d.Name + " has this id",
			Remedy: remedy.Remedy{Code: remedy.SeeAnswers, Table: d.Name, Place: c.options.Place},
		}
	}
	if err := c.answers.Forget(id); err != nil {
		return c.storeError(op, err)
	}
	return nil
}

// A HeldPlace is a place outside the layout whose items hold values of a constraint. A sample or the
// last check has seen these items.
type HeldPlace struct {
	Constraint *layout.Constraint
	layout.Place
	N       int      // number of items
	Example attr.Key // key of one of the items
	// Checked is true if the last check has seen the items, with values of locks that no account claims.
	// Otherwise the sample has seen them.
	Checked bool
}

// Places lists the places outside the layout that hold values, by constraint and place.
func (f *Fitting) Places() []HeldPlace {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := slices.Collect(maps.Values(f.places))
	slices.SortFunc(all, func(a, b HeldPlace) int {
		return cmp.Or(strings.Compare(a.Constraint.Name, b.Constraint.Name), strings.Compare(a.Table, b.Table),
			strings.Compare(a.Items, b.Items), strings.Compare(a.Attribute, b.Attribute))
	})
	return all
}

// ID identifies the question whether items of this place hold the values.
func (p HeldPlace) ID() string {
	sum := sha256.Sum256([]byte(strings.Join([]string{p.Constraint.Name, p.Table, p.Items, p.Attribute}, "\x00")))
	return "Q-" + hex.EncodeToString(sum[:4])
}

// Questions lists the places without an answer that hold values in the sample or in the last check.
func (t *Table) Questions() []HeldPlace {
	return slices.DeleteFunc(t.Fit.Places(), func(p HeldPlace) bool {
		return p.Constraint.Answers.Of(p.Place) != layout.NoAnswer
	})
}

// placeOf identifies a HeldPlace.
type placeOf struct {
	c *layout.Constraint
	layout.Place
}

// LearnPlaces adds the places where a search has found values. All readers must be closed.
func (f *Fitting) LearnPlaces(s *holders.Search, checked bool) {
	found := map[placeOf]HeldPlace{}
	s.Each(func(c *layout.Constraint, h *verdict.Holding) {
		at := placeOf{c, h.Place}
		one := found[at]
		if len(found) >= holders.MostHoldings && one.N == 0 {
			return // the remaining places keep their locks, and are asked about later
		}
		found[at] = HeldPlace{c, h.Place, one.N + h.N, h.Key(), checked}
	})
	f.mu.Lock()
	defer f.mu.Unlock()
	maps.Copy(f.places, found)
}
