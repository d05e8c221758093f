// Package trace checks that requests and answers of the real program are a behaviour of the model. A test records the
// requests, and a Checker takes them in their order. Each request becomes a step of the model. A step that the model
// forbids is an error that names the rule. Quint writes the steps as a test of docs/spec/release.qnt or adopt.qnt.
//
// Start at Checker.
package trace

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"tallylock/internal/model"
)

// MarkAttribute is the attribute that marks a lock. AdoptAttribute is the attribute of locks that a backfill puts.
const (
	MarkAttribute  = "tallylock_release"
	AdoptAttribute = "tallylock_adopt"
)

// Names identifies the items of a table.
type Names struct {
	Table string
	// Account returns the number of an account from its key, and Value the number of a lock's value; false if the key is
	// of another item.
	Account, Value func(key map[string]Attribute) (int, bool)
	// Holds returns the number of the value that an account holds; false if it holds none.
	Holds func(item map[string]Attribute) (int, bool)
	// Attribute is the attribute of accounts that has the value. Number returns the value's number.
	Attribute string
	Number    func(value string) (int, bool)
}

// Checker checks a trace.
type Checker struct {
	Names
	Wait  time.Duration // the time between a mark and its look
	model *model.Model
	state model.State
	// releases has the release of each mark, by its number in the model.
	releases []release
	// runs has the marks of backfills, and owners the account of each lock that a run has put. requests has the requests
	// of backfills and of their undos, by token.
	runs     []string
	owners   map[runLock]int
	requests map[string]*request
	done     map[string]bool // the tokens of executed puts of single locks, and of executed removals of marks
	steps    []model.Step
	start    model.Start
}

// release has the facts about a release that the model does not have.
type release struct {
	mark, token, who string
	marked           time.Duration // the time of the answer
}

// New returns the checker of a trace that begins with the given items.
func New(names Names, accounts, values int, wait time.Duration, start model.Start) *Checker {
	m := &model.Model{
		Accounts: accounts, Values: values, Spread: true, Losses: true, Start: []model.Start{start},
		Properties: []model.Property{
			model.FreesNoLiveValue, model.MakesNoLock, model.MakesNoOrphan, model.OverwritesNothing,
			model.UndoDeletesOnlyItsOwn,
		},
	}
	return &Checker{
		Names: names, Wait: wait, model: m, state: m.Begin()[0], start: start,
		owners: map[runLock]int{}, requests: map[string]*request{}, done: map[string]bool{},
	}
}

// AllowOldWriters lets the application break the gain rule, as writers without locks do.
func (c *Checker) AllowOldWriters() { c.model.Without = append(c.model.Without, model.TheGainRule) }

// Event is a request of a trace, with its answer.
type Event struct {
	At  time.Duration // the time when it was sent and answered
	Who string
	// Arrived is false if the network lost the request. Answered is false if the network lost the answer. Applied is set
	// if DynamoDB executed the request with all its conditions. Busy is set if DynamoDB refused the request without
	// checking its conditions: it was throttled, or conflicted with another request.
	Arrived, Answered, Applied, Busy bool
	Body                             []byte
}

// do takes a step of the model.
func (c *Checker) do(s model.Step) error {
	next, broken, err := c.model.Do(c.state, s)
	if err != nil {
		return fmt.Errorf("step %d, %s: the model forbids it: %w", len(c.steps)+1, s, err)
	}
	c.steps = append(c.steps, s)
	c.state = next
	if broken != "" {
		return fmt.Errorf("step %d, %s: it breaks the property %q", len(c.steps), s, broken)
	}
	return nil
}

// Application takes a transaction of the application that was applied.
func (c *Checker) Application(body []byte) error {
	actions, _, err := actionsOf(body, false)
	if err != nil {
		return err
	}
	var writes []model.Write
	for _, a := range actions {
		w, known := c.write(a)
		if known {
			writes = append(writes, w)
		}
	}
	return c.Writes(writes)
}

// Writes takes a transaction of the application as writes of the model.
func (c *Checker) Writes(writes []model.Write) error {
	if len(writes) == 0 {
		return nil
	}
	return c.do(model.Step{Kind: model.Transaction, Writes: writes})
}

// write returns the write of an action of the application.
func (c *Checker) write(a Action) (model.Write, bool) {
	if a.TableName != c.Table || a.Verb == "ConditionCheck" {
		return model.Write{}, false
	}
	if value, isLock := c.Value(a.Key); isLock {
		w := model.Write{Item: model.LockItem(value)}
		if a.Verb == "Put" {
			w.Version = model.Lock{}.Version()
		}
		return w, true
	}
	account, isAccount := c.Account(a.Key)
	if !isAccount {
		return model.Write{}, false
	}
	w := model.Write{Item: account}
	value, holds := c.Holds(a.Item)
	if a.Verb == "Update" {
		value, holds = c.Number(a.Set[c.Attribute])
	}
	if holds && a.Verb != "Delete" {
		w.Version = model.Holds(value)
	}
	return w, true
}

// Tool takes a transaction of the tool.
func (c *Checker) Tool(e Event) error {
	actions, token, err := Actions(e.Body)
	if err != nil || len(actions) == 0 || actions[0].TableName != c.Table {
		return err
	}
	for _, a := range actions {
		if _, isAccount := c.Account(a.Key); isAccount && a.Verb != "ConditionCheck" {
			return fmt.Errorf("step %d: %w: %s", len(c.steps)+1, LocksOnly, e.Body)
		}
	}
	a := actions[0]
	value, isLock := c.Value(a.Key)
	switch {
	case a.Verb == "Put" && a.Item[AdoptAttribute].text() != "":
		return c.backfill(e, actions, token)
	case a.Verb == "Put":
		return c.put(e, actions, token)
	case a.Verb == "Delete" && a.Equal[AdoptAttribute] != "":
		return c.undo(e, actions, token)
	case !isLock, e.Busy:
		return nil // it changes no lock of the model
	case a.Verb == "Update" && a.Set[MarkAttribute] != "":
		return c.mark(e, a, value, token)
	case a.Verb == "Update":
		return c.unmark(e, a, token)
	default:
		return c.delete(e, a)
	}
}

// LocksOnly is the rule that these protocols write no account.
const LocksOnly model.Rule = "the tool writes no account"

// fate returns the fate of a request.
func (e Event) fate() model.Answer {
	switch {
	case e.Answered:
		return model.Answered
	case e.Arrived:
		return model.LostAfter
	}
	return model.LostSent
}

// tokenIsKnown is the time for which DynamoDB knows the token of an executed request.
const tokenIsKnown = 10 * time.Minute

// MarkExists is the rule that a mark does not create a lock.
const MarkExists model.Rule = "a mark requires that the lock exists"

// mark takes the request that marks a lock: for the first time, or once more with the same token.
func (c *Checker) mark(e Event, a Action, value int, token string) error {
	if len(a.Exists) == 0 {
		return MarkExists
	}
	mark := a.Set[MarkAttribute]
	n := c.number(mark)
	if n >= 0 && c.releases[n].token == token {
		lock, exists := c.state.LockOf(value).Lock()
		late := e.Arrived && e.At >= c.releases[n].marked+tokenIsKnown && c.state.Releases[n].Done
		if late && exists && lock.Mark != c.state.Releases[n].Mark {
			return ErrForgotten
		}
		if err := c.do(model.Step{Kind: model.MarkAgain, Process: n, Answer: e.fate()}); err != nil {
			return err
		}
		return c.compare(e, model.Unmarking, n, true)
	}
	number := c.state.Marks + 1
	if n >= 0 {
		number = n + 1 // another request writes the same mark
	}
	seen := model.Lock{}
	if old := a.Equal[MarkAttribute]; old != "" {
		seen.Mark = c.number(old) + 1
	}
	c.releases = append(c.releases, release{mark: mark, token: token, who: e.Who, marked: e.At})
	c.state.Releases = append(slices.Clone(c.state.Releases), model.Release{})
	n = len(c.releases) - 1
	for _, s := range []model.Step{
		{
			Kind: model.Plan, Process: n, Value: value,
			Writes: []model.Write{{Item: model.LockItem(value), Version: seen.Version()}},
		},
		{Kind: model.Mark, Process: n, Number: number, Answer: e.fate()},
	} {
		if err := c.do(s); err != nil {
			return err
		}
	}
	return c.compare(e, model.Waiting, n, false)
}

// compare compares an answer with the model. If the request was applied, the phase of the release must be the parameter
// success. A request that was sent again may be refused although it was applied before: DynamoDB forgets its token
// after ten minutes.
func (c *Checker) compare(e Event, success model.Phase, n int, again bool) error {
	got := c.state.Releases[n].Phase == success
	if forgotten := again && got && !e.Applied; e.Answered && got != e.Applied && !forgotten {
		return fmt.Errorf("step %d, %s: the answer differs from the model: applied %v", len(c.steps),
			c.steps[len(c.steps)-1], e.Applied)
	}
	return nil
}

// number returns the index of the release that has written a mark; -1 if there is none.
func (c *Checker) number(mark string) int {
	return slices.IndexFunc(c.releases, func(r release) bool { return r.mark == mark })
}

// MarkIsKnown is the rule that the tool removes its own marks only.
const MarkIsKnown model.Rule = "a mark is removed only by a request that names a written mark"

// unmark takes the request that removes a mark.
func (c *Checker) unmark(e Event, a Action, token string) error {
	n := c.number(a.Equal[MarkAttribute])
	if n < 0 {
		return MarkIsKnown
	}
	if err := c.endLook(n); err != nil {
		return err
	}
	value := c.state.Releases[n].Value
	before := c.state.LockOf(value)
	if err := c.do(model.Step{Kind: model.Unmark, Process: n, Answer: e.fate()}); err != nil {
		return err
	}
	executed := before != c.state.LockOf(value)
	if e.Answered && executed != e.Applied && !c.done[token] {
		return c.differs(e)
	}
	c.done[token] = c.done[token] || executed
	return nil
}

// delete takes the request that deletes a lock.
func (c *Checker) delete(e Event, a Action) error {
	n := c.number(a.Equal[MarkAttribute])
	if n < 0 || len(a.Exists) == 0 {
		return fmt.Errorf("step %d, %s: the model forbids it: %w", len(c.steps)+1, model.Delete, model.MarkIsAnswered)
	}
	if err := c.endLook(n); err != nil {
		return err
	}
	again := c.state.Releases[n].Done
	if err := c.do(model.Step{Kind: model.Delete, Process: n, Answer: e.fate()}); err != nil {
		return err
	}
	return c.compare(e, model.Over, n, again)
}

// endLook ends a look that has read all accounts.
func (c *Checker) endLook(n int) error {
	if r := c.state.Releases[n]; r.Phase != model.Looking || int(r.Look.Read) != 1<<c.model.Accounts-1 {
		return nil
	}
	return c.do(model.Step{Kind: model.EndLook, Process: n})
}

// put takes a request that puts a missing lock, with a check of its claimant.
func (c *Checker) put(e Event, actions []Action, token string) error {
	claims, beyond, err := c.claims(actions)
	if err != nil || e.Busy || !e.Arrived || beyond || len(claims) != 1 || c.done[token] {
		return err // the token of an executed request is known, so it is not executed again
	}
	w := claims[0]
	c.state.PutBack = model.PutBack{Read: true, Account: w.Item, Value: int(w.Version) - 1}
	if err := c.do(model.Step{Kind: model.Put, Account: w.Item, Value: int(w.Version) - 1}); err != nil {
		return err
	}
	if c.done[token] = c.state.PutBack.Put; e.Answered && c.state.PutBack.Put != e.Applied {
		return c.differs(e)
	}
	return nil
}

// differs returns the error for an answer that differs from the model.
func (c *Checker) differs(e Event) error {
	return fmt.Errorf("step %d, %s: the answer differs from the model: applied %v", len(c.steps), c.steps[len(c.steps)-1],
		e.Applied)
}

// claims returns the claims of the locks that a request puts: the accounts with their values. beyond is set if the
// request also puts locks that the model does not have.
func (c *Checker) claims(actions []Action) (claims []model.Write, beyond bool, err error) {
	for _, a := range actions {
		value, isLock := c.Value(a.Key)
		if a.Verb != "Put" || !isLock {
			beyond = beyond || a.Verb == "Put"
			continue
		}
		if len(a.Absent) == 0 {
			return nil, false, PutIsConditional
		}
		if _, marked := a.Item[MarkAttribute]; marked {
			return nil, false, PutHasNoMark
		}
		claimant := -1
		for _, check := range actions {
			account, isAccount := c.Account(check.Key)
			held, holds := c.Number(check.Equal[c.Attribute])
			if check.Verb == "ConditionCheck" && isAccount && holds && held == value {
				claimant = account
			}
		}
		if claimant < 0 {
			return nil, false, fmt.Errorf("step %d, %s: the model forbids it: %w", len(c.steps)+1, model.Put, model.ChecksClaimant)
		}
		claims = append(claims, model.Write{Item: claimant, Version: model.Holds(value)})
	}
	return claims, beyond, nil
}

// PutIsConditional is the rule that a put overwrites no lock.
const PutIsConditional model.Rule = "a lock is put only if there is none"

// PutHasNoMark is the rule that no release's mark is put back.
const PutHasNoMark model.Rule = "a lock is put without a mark"

// Page takes a page of an operator's look. strong is set if the Scan was strongly consistent. items has the items of
// the page, and last is set if it is the last page.
func (c *Checker) Page(at time.Duration, who string, strong bool, items []map[string]Attribute, last bool) error {
	for n := range c.state.Releases {
		phase := c.state.Releases[n].Phase
		if c.releases[n].who != who || phase != model.Waiting && phase != model.Looking {
			continue
		}
		if phase == model.Waiting && at >= c.releases[n].marked+c.Wait {
			if err := c.do(model.Step{Kind: model.Settle, Process: n}); err != nil {
				return err
			}
		}
		kind := model.Read
		if !strong {
			kind = model.ReadEventual
		}
		seen := map[int]bool{}
		for _, i := range items {
			account, isAccount := c.Account(i)
			if !isAccount {
				continue
			}
			seen[account] = true
			version := model.Version(0)
			if value, holds := c.Holds(i); holds {
				version = model.Holds(value)
			}
			if err := c.read(kind, n, account, version); err != nil {
				return err
			}
		}
		for account := range c.model.Accounts {
			if last && !seen[account] && c.state.Releases[n].Look.Read>>account&1 == 0 {
				if err := c.read(kind, n, account, 0); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// read takes one account of a page. The account may have the visible version, or a later version, which then becomes
// visible.
func (c *Checker) read(kind model.Kind, n, account int, shown model.Version) error {
	i := c.state.Items[account]
	at := slices.Index(i.Versions[i.Visible:], shown)
	if at < 0 {
		return fmt.Errorf("step %d: the look shows a version of account %d that no strong read can show", len(c.steps), account)
	}
	for range at {
		if err := c.do(model.Step{Kind: model.Reveal, Number: account}); err != nil {
			return err
		}
	}
	return c.do(model.Step{Kind: kind, Process: n, Account: account})
}

// ErrForgotten says that DynamoDB has forgotten the token of a request although its release still waits for the answer.
// The model has no such step, so the rest of the trace cannot be checked.
var ErrForgotten = errors.New("the token of a request is forgotten before its answer")

// Late takes a copy of a request that arrived again. changed is set if it changed an item. It returns ErrForgotten if
// the trace ends here.
func (c *Checker) Late(body []byte, changed bool) error {
	actions, token, err := Actions(body)
	if err != nil || !changed || len(actions) == 0 || actions[0].TableName != c.Table {
		return err
	}
	a := actions[0]
	if r := c.requests[token]; r != nil {
		return c.copied(Event{Arrived: true, Applied: true}, r)
	}
	if a.Item[AdoptAttribute].text() != "" || a.Equal[AdoptAttribute] != "" {
		// The trace has left out the first sending of this request, because of a lock that is not in the model.
		return c.Tool(Event{Arrived: true, Answered: true, Applied: true, Body: body})
	}
	kind, mark := model.Delete, a.Equal[MarkAttribute]
	switch {
	case a.Set[MarkAttribute] != "":
		kind, mark = model.Mark, a.Set[MarkAttribute]
	case a.Verb == "Update":
		kind = model.Unmark
	}
	for at, r := range c.state.Late {
		if r.Kind == kind && r.Mark == c.number(mark)+1 {
			if release := c.state.Releases[r.Mark-1]; release.Done && release.Pending(kind) {
				return ErrForgotten
			}
			c.done[token] = c.done[token] || kind == model.Unmark
			return c.do(model.Step{Kind: model.LateCopy, Number: at})
		}
	}
	return fmt.Errorf("step %d: a copy of a request that was answered changed an item: %s", len(c.steps)+1, body)
}

// Steps returns the number of steps so far.
func (c *Checker) Steps() int { return len(c.steps) }

// String returns the steps so far.
func (c *Checker) String() string {
	v := model.Violation{Steps: c.steps}
	return v.String()
}
