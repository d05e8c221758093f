package dynamo

import (
	"context"
	"maps"
	"slices"
	"time"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
)

// View is what a Browser has read so far. It does not change any more: the next
// page makes a new one.
type View struct {
	// Relations are the rows of the accounts screen: each account's values next
	// to their locks, in the order read, and locks whose account was ruled out or
	// is named by the lock.
	Relations []*Relation
	// Locks are all locks read, by constraint.
	Locks []LockGroup
	// Items are all items read, for tables that no layout fits.
	Items []attr.Item
	// Prefixes counts what the partition keys begin with, most first.
	Prefixes []Prefix

	Accounts  int // accounts among the items
	Scanned   int64
	Expected  int64 // DescribeTable's estimate: say "about"
	Units     float64
	Complete  bool      // the whole table was read
	ReadAt    time.Time // when the last page came
	Confirmed time.Time // when Confirm was done; zero before
	// Unmatched counts locks whose accounts have not been read yet.
	Unmatched int
	// Denied says that the table may not be read as a whole.
	Denied error
}

// LockGroup is the locks of one constraint.
type LockGroup struct {
	Constraint *layout.Constraint
	Relations  []*Relation
}

// Prefix is the beginning of partition keys and how many items have it.
type Prefix struct {
	Text  string
	Items int
}

// Broken counts the relations that are at fault.
func (v View) Broken() int {
	n := 0
	for _, r := range v.Relations {
		if r.Verdict.Broken() {
			n++
		}
	}
	return n
}

// Suspects are the relations whose verdict is provisional: Confirm can settle
// them.
func (v View) Suspects() []*Relation {
	var out []*Relation
	for _, r := range v.Relations {
		if r.Provisional {
			out = append(out, r)
		}
	}
	return out
}

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
	// open: the rows of the last page, fresh, have not been judged yet.
	open  bool
	fresh []*Relation
	// tables still to be read: the accounts' own, then those of the locks.
	tables []string
	view   View              // what grows
	last   View              // what was given out
	locks  map[string]Lock   // locks read, by table and key
	strays map[string]*stray // locks that no account read so far calls for
	order  []string          // of strays
	claims map[string][]*Relation
	prefix map[string]int
	groups map[*layout.Constraint]*[]string // lock ids by constraint, in order
}

// stray is a lock without a claimant, so far.
type stray struct {
	lock Lock
	c    *layout.Constraint
	v    string
	bad  bool
	// asked: the account that it names calls for it, and is yet to be read.
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
		locks: map[string]Lock{}, strays: map[string]*stray{}, claims: map[string][]*Relation{},
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
	return !b.view.Complete && b.t.LookCost().Units <= b.t.conn.AutoReadUnits() && b.dearest <= b.left()
}

// left is how many read units may still be used unasked.
func (b *Browser) left() float64 { return b.t.conn.AutoReadUnits() - b.t.opened - b.r.Units }

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
	complete := len(b.tables) == 0
	if err := b.resolveStrays(ctx, complete); err != nil {
		return b.last, err
	}
	b.fresh, b.open = nil, false
	b.view.Complete = complete
	b.view.ReadAt = time.Now()
	return b.snapshot(), nil
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

// take sorts one item in, and returns the rows that it makes.
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
			b.strays[id] = &stray{lock: lock, c: role.Constraint, v: role.Value, bad: role.Malformed, page: b.pages, at: len(b.view.Relations)}
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
				id := lockID(rel.Lock.Table, claim.Key)
				b.claims[id] = append(b.claims[id], rel)
			}
			rows = append(rows, rel)
		}
		b.view.Relations = append(b.view.Relations, rows...)
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

// prefixOf is what a key begins with, for the people who must tell what a table
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

// match gives fresh rows their locks: those read already, the others by key. It
// judges them, and again whoever shares a lock with them.
func (b *Browser) match(ctx context.Context, fresh []*Relation) error {
	want := map[string][]attr.Key{}
	for _, rel := range fresh {
		if rel.err != nil {
			rel.conclude(b.t.evidence(rel, nil, OthersAbsent))
			continue
		}
		if _, ok := b.locks[lockID(rel.Lock.Table, rel.Lock.Key)]; !ok {
			want[rel.Lock.Table] = append(want[rel.Lock.Table], rel.Lock.Key)
		}
	}
	found, err := b.r.GetTables(ctx, want)
	if err != nil {
		return err
	}
	for _, rel := range fresh {
		if rel.err != nil {
			continue
		}
		id := lockID(rel.Lock.Table, rel.Lock.Key)
		if shown := b.strays[id]; shown != nil && shown.shown {
			b.adopt(shown.row, rel)
		}
		delete(b.strays, id)
		var item attr.Item
		if lock, ok := b.locks[id]; ok {
			item = lock.Item
		} else {
			item = found[rel.Lock.Table][rel.Lock.Key.ID()]
		}
		if shared := b.claims[id]; len(shared) > 1 {
			if err := b.duplicate(ctx, shared); err != nil {
				return err
			}
			continue
		}
		if err := b.t.relate(ctx, b.r, rel, item); err != nil {
			return err
		}
		if len(rel.Claimants) == 0 {
			// The account let go of the value since its page was read.
			rel.Claimants = nil
			rel.conclude(b.t.changed(rel))
		}
	}
	return nil
}

// duplicate judges rows that call for one lock, all read together.
func (b *Browser) duplicate(ctx context.Context, rows []*Relation) error {
	var keys []attr.Key
	for _, row := range rows {
		if !slices.ContainsFunc(keys, row.Account.Key.Equal) {
			keys = append(keys, row.Account.Key)
		}
	}
	now := *rows[0]
	owner, err := b.t.snapshot(ctx, b.r, &now, keys)
	if err != nil {
		return err
	}
	now.conclude(b.t.evidence(&now, owner, OthersAbsent))
	read := client.Read{At: time.Now(), Table: now.Lock.Table, What: now.Lock.Key.String() + " and " + phrase.Count(len(keys), "account"), Found: lockFound(now.Lock), How: "transaction"}
	for _, row := range rows {
		fresh := *row
		fresh.Lock, fresh.Claimants, fresh.Judgement = now.Lock, now.Claimants, now.Judgement
		fresh.Reads = []client.Read{read}
		if !slices.ContainsFunc(now.Claimants, func(c Account) bool { return c.Key.Equal(row.Account.Key) }) {
			fresh.conclude(b.t.changed(&fresh))
		}
		b.replace(row, &fresh)
	}
	return nil
}

// adopt puts a fresh row where a lock stood that was taken for nobody's.
func (b *Browser) adopt(nobodys, rel *Relation) {
	n := slices.Index(b.view.Relations, rel)
	if n < 0 {
		return
	}
	b.view.Relations = slices.Delete(slices.Clone(b.view.Relations), n, n+1)
	for _, s := range b.strays {
		if s.page == b.pages && s.at > n {
			s.at--
		}
	}
	b.replace(nobodys, rel)
}

// replace swaps a row that earlier Views share for a new one.
func (b *Browser) replace(old, fresh *Relation) {
	b.view.Relations = slices.Clone(b.view.Relations)
	if n := slices.Index(b.view.Relations, old); n >= 0 {
		b.view.Relations[n] = fresh
	}
	id := lockID(old.Lock.Table, old.Lock.Key)
	if n := slices.Index(b.claims[id], old); n >= 0 {
		b.claims[id] = slices.Clone(b.claims[id])
		b.claims[id][n] = fresh
	}
}

// snapshot makes the View of this moment.
func (b *Browser) snapshot() View {
	v := b.view
	v.Units = b.r.Units
	v.Unmatched = 0
	for _, s := range b.strays {
		if s.row == nil {
			v.Unmatched++
		}
	}
	for _, text := range slices.Sorted(maps.Keys(b.prefix)) {
		v.Prefixes = append(v.Prefixes, Prefix{text, b.prefix[text]})
	}
	slices.SortStableFunc(v.Prefixes, func(a, b Prefix) int { return b.Items - a.Items })
	for _, c := range b.t.Layout.Constraints() {
		group := LockGroup{Constraint: c}
		ids := b.groups[c]
		if ids == nil {
			continue
		}
		for _, id := range *ids {
			switch s := b.strays[id]; {
			case len(b.claims[id]) > 0:
				group.Relations = append(group.Relations, b.claims[id][0])
			case s != nil && s.row != nil:
				group.Relations = append(group.Relations, s.row)
			default:
				if lock := b.locks[id]; lock.Exists {
					value, _, _ := c.ParseLock(b.t.SchemaOf(lock.Table), lock.Key)
					group.Relations = append(group.Relations, &Relation{Constraint: c, Value: value, Lock: lock, Judgement: Judgement{Verdict: Unknown, Why: "its account has not been read yet"}})
				}
			}
		}
		v.Locks = append(v.Locks, group)
	}
	b.last = v
	return v
}
