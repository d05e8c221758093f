package dynamo

import (
	"context"
	"fmt"
	"hash/maphash"
	"maps"
	"slices"
	"sync"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

// Census takes in every item of an account table and tells, in the end, who calls
// for the suspected locks, and whether anything speaks against concluding from
// it. It is safe for concurrent use.
type Census struct {
	t        *Table
	mu       sync.Mutex
	suspects map[string]*suspect   // by lock
	folded   map[string][]*suspect // by value, as Fold has it
	joins    map[*layout.Constraint]*join
}

// suspect is one lock that is asked about.
type suspect struct {
	rel       *Relation
	claimants []Account
	doubt     string
	// strangers are items that no layout of ours takes for accounts, and that hold
	// the value under the constraint's attribute: the first of each shape. mention is
	// one that holds it under any other.
	strangers map[string]attr.Key
	mention   *attr.Key
	// kin are locks of values that differ from this one only in spelling, each with
	// an account that calls for it.
	kin []Claimant
}

// mostKin is how many spellings of one value are told apart.
const mostKin = 100

// met takes in a lock of another spelling.
func (s *suspect) met(lock Lock, account attr.Key) {
	switch {
	case slices.ContainsFunc(s.kin, func(k Claimant) bool { return k.Lock.Table == lock.Table && k.Lock.Key.Equal(lock.Key) }):
	case len(s.kin) < mostKin:
		s.kin = append(s.kin, Claimant{lock, account})
	case s.doubt == "":
		s.doubt = fmt.Sprintf("accounts hold it in more than %d other spellings", mostKin)
	}
}

// Claimant is a lock and an account that calls for it.
type Claimant struct {
	Lock    Lock
	Account attr.Key
}

// Census begins to ask about locks.
func (t *Table) Census(rels ...*Relation) *Census {
	c := &Census{t: t, suspects: map[string]*suspect{}, folded: map[string][]*suspect{}, joins: map[*layout.Constraint]*join{}}
	for _, rel := range rels {
		s := &suspect{rel: rel}
		c.suspects[lockID(rel.Lock.Table, rel.Lock.Key)] = s
		c.folded[layout.Fold(rel.Value)] = append(c.folded[layout.Fold(rel.Value)], s)
		if c.joins[rel.Constraint] == nil {
			c.joins[rel.Constraint] = newJoin()
		}
	}
	return c
}

// Counted says how many locks of a constraint there are, and how many of them
// some account calls for, where that has been counted already. The census need
// then see no more than the items that may say something of the suspects.
func (c *Census) Counted(con *layout.Constraint, locks, called int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if j := c.joins[con]; j != nil {
		j.counted, j.all, j.called = true, locks, called
	}
}

// See takes in one item of the account table.
func (c *Census) See(item attr.Item) {
	t := c.t
	role := t.Layout.Classify(t.Name, t.Name, t.Schema, item)
	key, ok := t.Schema.KeyOf(item)
	if !ok {
		return
	}
	switch {
	case role.Constraint != nil:
		c.mu.Lock()
		defer c.mu.Unlock()
		if j := c.joins[role.Constraint]; j != nil {
			j.lock(lockID(t.Name, key))
		}
	case role.Account != nil:
		c.account(role.Account, Account{Model: role.Account.Model, ID: role.ID, Key: key, Item: item})
	case role.Counter == nil:
		mentions := c.mentions(item)
		c.mu.Lock()
		defer c.mu.Unlock()
		for name, suspects := range mentions {
			for _, s := range suspects {
				if name == s.rel.Constraint.Attribute {
					s.strange(key)
				} else if s.mention == nil {
					s.mention = &key
				}
			}
		}
		c.stranger(key, item)
	}
}

// mentions are the suspects whose values an item holds, by the attribute.
func (c *Census) mentions(item attr.Item) map[string][]*suspect {
	var found map[string][]*suspect
	note := func(name string, v attr.Value) {
		for _, text := range layout.Texts(v) {
			if suspects := c.folded[layout.Fold(text)]; len(suspects) > 0 {
				if found == nil {
					found = map[string][]*suspect{}
				}
				found[name] = append(found[name], suspects...)
			}
		}
	}
	for name, v := range item {
		if !c.t.Schema.IsKey(name) {
			note(name, v)
		}
	}
	for con := range c.joins {
		if _, whole := item[con.Attribute]; !whole {
			note(con.Attribute, item.At(con.Attribute)) // a path
		}
	}
	return found
}

func (c *Census) account(kind *layout.Account, a Account) {
	claims := kind.Claims(c.t.Name, c.t.SchemaOf, a.Item)
	mentions := c.mentions(a.Item)
	unreadable := unreadable(kind, a.Item, claims)
	kin := make([][]*suspect, len(claims))
	for n, claim := range claims {
		kin[n] = c.folded[layout.Fold(claim.Raw)]
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for n, claim := range claims {
		if claim.Err != nil {
			continue
		}
		table := claim.Constraint.LockTable(c.t.Name)
		id := lockID(table, claim.Key)
		own := c.suspects[id]
		if own != nil {
			own.claimants = append(own.claimants, a)
		}
		for _, j := range c.joins {
			j.call(id)
		}
		for _, s := range kin[n] {
			if s != own && s.rel.Constraint == claim.Constraint && layout.FoldKey(s.rel.Lock.Key) == layout.FoldKey(claim.Key) {
				s.met(Lock{Table: table, Key: claim.Key}, a.Key)
			}
		}
	}
	if unreadable {
		for _, s := range c.suspects {
			if s.doubt == "" && obscure(kind, a.Item, s.rel, claims) {
				s.doubt = fmt.Sprintf("%s cannot be read as an account, and may hold it", a.Key)
			}
		}
	}
	for name, suspects := range mentions {
		for _, s := range suspects {
			attribute := s.rel.Constraint.Attribute
			switch {
			case name == attribute:
			case s.doubt == "" && !c.t.Layout.Configured && len(layout.Texts(a.Item.At(attribute))) == 0:
				s.doubt = fmt.Sprintf("%s has no %s, and holds it as its %s", a.Key, attribute, name)
			case s.mention == nil:
				s.mention = &a.Key
			}
		}
	}
}

// Claimants are the accounts seen that call for the relation's lock.
func (c *Census) Claimants(rel *Relation) []Account {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.suspects[lockID(rel.Lock.Table, rel.Lock.Key)]; s != nil {
		return s.claimants
	}
	return nil
}

// SeenDoubt says why nothing may be concluded from nobody calling for the lock, by
// what was taken in alone; it is empty where nothing speaks against it.
func (c *Census) SeenDoubt(rel *Relation) string {
	s := c.suspect(rel)
	switch {
	case s == nil:
		return ""
	case s.doubt != "":
		return s.doubt
	}
	return c.misfit(s)
}

func (c *Census) suspect(rel *Relation) *suspect {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.suspects[lockID(rel.Lock.Table, rel.Lock.Key)]
}

// Doubt is SeenDoubt, and reads the locks of values that differ in spelling only,
// but for those of the accounts that are settled.
func (c *Census) Doubt(ctx context.Context, rel *Relation, settled ...attr.Key) (string, error) {
	return c.doubt(ctx, c.t.conn.reading(), rel, settled)
}

func (c *Census) doubt(ctx context.Context, r *reading, rel *Relation, settled []attr.Key) (string, error) {
	s := c.suspect(rel)
	if doubt := c.SeenDoubt(rel); s == nil || doubt != "" {
		return doubt, nil
	}
	for _, k := range s.kin {
		if slices.ContainsFunc(settled, k.Account.Equal) {
			continue
		}
		found, err := r.get(ctx, k.Lock.Table, []attr.Key{k.Lock.Key}, true)
		if err != nil {
			return "", err
		}
		if len(found) == 0 {
			return fmt.Sprintf("%s holds it in another spelling and has no lock of its own: the application may fold spellings that the layout keeps apart", k.Account), nil
		}
	}
	return "", nil
}

// describe is what to do about a layout that does not fit.
const describe = "describe the table under [[layout]] in the config"

// misfit says why the layout itself is not to be trusted with this lock. One that
// a person described is.
func (c *Census) misfit(s *suspect) string {
	j := c.joins[s.rel.Constraint]
	if c.t.Layout.Configured {
		return ""
	}
	locks, called := j.sums()
	switch {
	case s.rel.Lock.Table != c.t.Name:
	case locks >= fewLocks && 10*called < locks:
		return fmt.Sprintf("the accounts call for %d of the %d %s locks that were looked at: the layout %s hardly fits; %s", called, locks, s.rel.Constraint.Name, c.t.Layout.Name, describe)
	case called == 0 && s.mention != nil:
		return fmt.Sprintf("%s mentions it, and no account calls for any %s lock: the layout %s may not fit; %s", s.mention, s.rel.Constraint.Name, c.t.Layout.Name, describe)
	}
	// An audit row or an order may repeat what a deleted account held. Only where
	// it is not sure what accounts look like may it be an account itself.
	for _, shape := range slices.Sorted(maps.Keys(s.strangers)) {
		who := s.strangers[shape]
		if called == 0 || c.guessed(s.rel.Constraint) {
			return fmt.Sprintf("%s holds it, and whether it is an account is not sure: the layout %s was guessed from a few items; %s", who, c.t.Layout.Name, describe)
		}
		if alone, shared := j.strangers(shape); alone > 1 && alone > shared {
			return fmt.Sprintf("%s holds it, and items like it seem to be accounts that the layout %s does not know: %d of them hold values that have a lock and no other account; %s", who, c.t.Layout.Name, alone, describe)
		}
	}
	return ""
}

// TooMany says why several locks of a constraint are not released at once: where
// many of them belong to nobody, it is rather the layout that is wrong. It is empty
// where they are few, and for a layout that a person described.
func (c *Census) TooMany(con *layout.Constraint) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	j := c.joins[con]
	if j == nil || c.t.Layout.Configured {
		return ""
	}
	locks, called := j.sums()
	if locks < fewLocks || 5*(locks-called) <= locks {
		return ""
	}
	return fmt.Sprintf("no account calls for %d of the %d %s locks that were looked at, so it may be the layout %s that is wrong; release them one by one, or %s", locks-called, locks, con.Name, c.t.Layout.Name, describe)
}

func (c *Census) guessed(con *layout.Constraint) bool {
	for _, a := range c.t.Layout.Accounts {
		for _, own := range a.Constraints {
			if own == con {
				return a.Guessed
			}
		}
	}
	return true
}

// fewLocks is how many locks a constraint must have before a share of them says
// anything about the layout.
const fewLocks = 20

// join counts how many locks are called for, in memory that does not grow with
// the table: of the locks and the calls it keeps those whose hash is small.
type join struct {
	seed  maphash.Seed
	limit uint64
	locks map[uint64]bool
	calls map[uint64]bool
	// counted: the sums are known.
	counted     bool
	all, called int
	others      map[string]map[uint64]bool // calls of strangers, by their shape
}

// joinSize is how many hashes a join keeps on each side.
const joinSize = 1 << 13

func newJoin() *join {
	return &join{seed: maphash.MakeSeed(), limit: ^uint64(0), locks: map[uint64]bool{}, calls: map[uint64]bool{}, others: map[string]map[uint64]bool{}}
}

func (j *join) lock(id string) { j.add(j.locks, id) }
func (j *join) call(id string) { j.add(j.calls, id) }

func (j *join) add(side map[uint64]bool, id string) {
	h := maphash.String(j.seed, id)
	if h > j.limit {
		return
	}
	side[h] = true
	for len(side) > joinSize {
		j.limit /= 2
		for _, side := range append([]map[uint64]bool{j.locks, j.calls}, slices.Collect(maps.Values(j.others))...) {
			maps.DeleteFunc(side, func(h uint64, _ bool) bool { return h > j.limit })
		}
	}
}

// sums counts the locks kept, and those among them that are called for.
func (j *join) sums() (locks, called int) {
	if j.counted {
		return j.all, j.called
	}
	for h := range j.locks {
		if j.calls[h] {
			called++
		}
	}
	return len(j.locks), called
}

// unreadable reports whether something of an account's protected values cannot be
// read as the layout has it.
func unreadable(kind *layout.Account, item attr.Item, claims []layout.Claim) bool {
	for _, claim := range claims {
		if claim.Err != nil {
			return true
		}
	}
	for _, con := range kind.Constraints {
		if len(layout.Unread(item.At(con.Attribute))) > 0 {
			return true
		}
	}
	return false
}

// obscure reports whether an account's value of the relation's constraint cannot
// be read as the layout has it, and may be the one that the lock keeps.
func obscure(kind *layout.Account, item attr.Item, rel *Relation, claims []layout.Claim) bool {
	for _, con := range kind.Constraints {
		if con != rel.Constraint {
			continue
		}
		hashed := false
		for _, step := range con.Normalise {
			hashed = hashed || step == layout.SHA256
		}
		for _, text := range layout.Unread(item.At(con.Attribute)) {
			if hashed || layout.Normalise(con.Normalise, text) == rel.Value || layout.Fold(text) == layout.Fold(rel.Value) {
				return true
			}
		}
	}
	for _, claim := range claims {
		if claim.Constraint == rel.Constraint && claim.Err != nil && (claim.Value == rel.Value || claim.Raw == rel.Value) {
			return true
		}
	}
	return false
}
