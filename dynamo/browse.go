package dynamo

import (
	"context"
	"time"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
)

// browsePage is how many items a page has. It covers the screen of a large
// terminal, and costs few read units.
const browsePage = 300

// Browser reads a table page by page and relates accounts to locks. It must not
// be used by two goroutines at once; its Views may.
type Browser struct {
	t     *Table
	r     *client.Reader
	start attr.Item
	// cursors are those of the table that is read.
	cursors client.Cursors
	pages   int
	dearest float64 // page, in read units, with the locks that were read for it
	// open: the rows of the last page, fresh, have not been judged yet; unlocked are those of
	// values that no locks keep.
	open            bool
	fresh, unlocked []*Relation
	// tables still to be read: the accounts' own, then those of the locks.
	tables    []string
	view      View                      // what grows
	last      View                      // what was given out
	locks     map[string]Lock           // locks read, by table and key
	unclaimed map[string]*unclaimedLock // locks that no account read so far claims
	order     []string                  // of unclaimed
	claims    map[string][]*Relation    // by Subject
	prefix    map[string]int
	groups    map[*layout.Constraint]*[]string // lock ids by constraint, in order
}

// unclaimedLock is a lock without a claimant, so far.
type unclaimedLock struct {
	lock Lock
	c    *layout.Constraint
	v    string
	bad  bool
	// asked: the account that it names claims it, and is yet to be read.
	asked bool
	page  int       // that it was read on
	at    int       // how many rows there were before it
	row   *Relation // once it is judged
	shown bool
}

// Browse starts to read the table from its beginning.
func (t *Table) Browse() *Browser {
	b := &Browser{
		t: t, r: t.conn.Reader(), tables: []string{t.Name},
		locks: map[string]Lock{}, unclaimed: map[string]*unclaimedLock{}, claims: map[string][]*Relation{},
		prefix: map[string]int{}, groups: map[*layout.Constraint]*[]string{},
	}
	for _, name := range t.Layout.LockTables(t.Name) {
		if name != t.Name {
			b.tables = append(b.tables, name)
		}
		b.view.Expected += t.locks[name].Items
	}
	b.view.Expected = max(b.view.Expected, t.Items)
	return b
}

// ReadOn reports whether the rest of the table should be read unasked: it is small
// enough to be read whole within AutoReadUnits, with what opening it has taken.
func (b *Browser) ReadOn() bool {
	return !b.view.Complete && LookCost(b.t).Units <= b.t.conn.AutoReadUnits() && b.dearest <= b.left()
}

// left is how many read units may still be used unasked.
func (b *Browser) left() float64 { return b.t.conn.AutoReadUnits() - b.t.Fit.units() - b.r.Units }

// Next reads on by a page, and returns all that is known then. After an error it
// takes up what the page before left open, before it reads another.
func (b *Browser) Next(ctx context.Context) (View, error) {
	if b.view.Complete {
		return b.last, nil
	}
	before := b.r.Units
	defer func() { b.dearest = max(b.dearest, b.r.Units-before) }()
	if !b.open {
		if err := b.page(ctx); err != nil {
			if client.KindOf(err) == client.Denied {
				b.last.Denied = err
			}
			return b.last, err
		}
	}
	if err := b.match(ctx, b.fresh); err != nil {
		return b.last, err
	}
	if err := b.judgeUnlocked(ctx, b.unlocked); err != nil {
		return b.last, err
	}
	complete := len(b.tables) == 0
	if err := b.judgeUnclaimed(ctx, complete); err != nil {
		return b.last, err
	}
	b.fresh, b.unlocked, b.open = nil, nil, false
	b.view.Complete = complete
	b.view.ReadAt = time.Now()
	return b.publish(), nil
}

// page reads a page and sorts its items in.
func (b *Browser) page(ctx context.Context) error {
	table := b.tables[0]
	page, err := b.r.Scan(ctx, table, client.PageInput{Limit: browsePage, Start: b.start, Consistent: true})
	if err == nil {
		err = b.cursors.Next("the table "+table, page.Last)
	}
	if err != nil {
		return err
	}
	b.pages++
	b.open = true
	b.start = page.Last
	if page.Last == nil {
		b.tables, b.cursors = b.tables[1:], client.Cursors{}
	}
	for _, item := range page.Items {
		b.fresh = append(b.fresh, b.take(table, item)...)
	}
	b.view.Scanned += int64(len(page.Items))
	return nil
}

// take sorts one item in, and returns the rows that it makes of values that locks keep.
func (b *Browser) take(table string, item attr.Item) []*Relation {
	schema := b.t.SchemaOf(table)
	key, ok := schema.KeyOf(item)
	if !ok {
		return nil
	}
	if table == b.t.Name {
		b.view.Items = append(b.view.Items, item)
		b.prefix[prefixOf(key)]++
	}
	role := b.t.Layout.Classify(b.t.Name, table, schema, item)
	switch {
	case role.Constraint != nil:
		lock := lockOf(role.Constraint, table, key, item)
		id := lockID(table, key)
		b.locks[id] = lock
		b.group(role.Constraint, id)
		if len(b.claims[id]) == 0 {
			b.unclaimed[id] = &unclaimedLock{lock: lock, c: role.Constraint, v: role.Value, bad: role.Malformed, page: b.pages, at: len(b.view.Relations)}
			b.order = append(b.order, id)
		}
	case role.Account != nil:
		b.view.Accounts++
		a := &Account{Model: role.Account.Model, ID: role.ID, Key: key, Item: item}
		var rows []*Relation
		for _, claim := range role.Account.Claims(b.t.Name, b.t.SchemaOf, item) {
			rel := &Relation{Constraint: claim.Constraint, Value: claim.Value, Account: a, Claimants: []Account{*a}, err: claim.Err}
			if claim.Err == nil {
				rel.Lock = Lock{Table: claim.Constraint.LockTable(b.t.Name), Key: claim.Key}
				id := rel.Subject()
				b.claims[id] = append(b.claims[id], rel)
			}
			rows = append(rows, rel)
		}
		unlocked := b.takeUnlocked(role.Account, a)
		b.unlocked = append(b.unlocked, unlocked...)
		b.view.Relations = append(append(b.view.Relations, rows...), unlocked...)
		return rows
	}
	return nil
}

func (b *Browser) group(c *layout.Constraint, id string) {
	if b.groups[c] == nil {
		b.groups[c] = &[]string{}
	}
	*b.groups[c] = append(*b.groups[c], id)
}

func lockID(table string, k attr.Key) string { return table + "\x00" + k.ID() }

// prefixOf is what a key begins with, for people who need to know what a table
// holds: up to the first separator.
func prefixOf(k attr.Key) string {
	if k.Hash.Value.Kind != attr.S {
		return "a key of type " + string(k.Hash.Value.Kind)
	}
	for n, c := range k.Hash.Value.Text {
		if c == '#' || c == ':' || c == '/' || c == '|' {
			rest := k.Hash.Value.Text[n+1:]
			for m, c := range rest {
				if c == '#' && n+1+m < 24 {
					return k.Hash.Value.Text[:n+1+m+1]
				}
			}
			return k.Hash.Value.Text[:n+1]
		}
	}
	return "no prefix"
}
