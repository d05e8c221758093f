package dynamo

import (
	"context"
	"maps"
	"slices"
	"time"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/schema"
	"tallylock/dynamo/verdict"
)

// prober gathers the evidence for a layout's fit. It sorts the sampled items by their roles, and reads the
// locks and accounts that these items refer to.
type prober struct {
	t *Table
	// whole[table] is true if the sample of a table is the whole table. known holds the items that were read, by
	// table and key. A nil item means that there is no item with that key.
	whole map[string]bool
	known map[string]map[string]attr.Item
	// accounts and locks hold the sampled items by their role in the layout.
	accounts map[*layout.Account][]attr.Item
	locks    map[*layout.Constraint][]attr.Item
	items    int
	want     map[string][]attr.Key // keys to read, by table
	left     float64               // remaining read units; the price of want is subtracted
	price    float64               // price of one key, in read units
	now      time.Time
}

// tried is the greatest number of accounts, and of lock owners, that are looked up for each constraint. If the
// samples are the whole tables, there is no limit.
const tried = 24

func (f *Fitting) judge(ctx context.Context, r *client.Reader, samples map[string]*sampler, budget float64) error {
	p := &prober{
		t: f.t, whole: map[string]bool{}, known: map[string]map[string]attr.Item{},
		accounts: map[*layout.Account][]attr.Item{}, locks: map[*layout.Constraint][]attr.Item{},
		want: map[string][]attr.Key{}, left: budget, price: max(0.5, f.t.Sample.own.perItem), now: time.Now(),
	}
	for _, table := range slices.Sorted(maps.Keys(samples)) {
		p.sort(table, samples[table])
	}
	calls, owned := map[*layout.Constraint][]lockCall{}, map[*layout.Constraint]owners{}
	for _, a := range f.t.Layout.Accounts {
		for _, c := range a.Constraints {
			table := f.t.LockTable(c)
			calls[c], owned[c] = p.askCalls(table, p.calls(a, c, p.some(p.accounts[a], table))), p.owners(c)
		}
	}
	if err := p.read(ctx, r, p.want); err != nil {
		return err
	}
	hint := &fitHint{prober: p, samples: samples}
	fits := map[*layout.Constraint]layout.Fit{}
	for _, a := range f.t.Layout.Accounts {
		for _, c := range a.Constraints {
			e := p.evidence(c, calls[c], owned[c])
			if c.State.Sure() && e.Items > 0 && (e.Values-e.Locked >= layout.EnoughBetter || e.Locked == 0) {
				e.Better = hint.better(a, c, e.Locked)
			}
			fits[c] = e.Judge(c.Name)
		}
	}
	f.mu.Lock()
	f.fits = fits
	f.mu.Unlock()
	p.places()
	return nil
}

// sort groups the items of a table's sample by their roles in the layout.
func (p *prober) sort(table string, s *sampler) {
	t := p.t
	schema := t.SchemaOf(table)
	p.whole[table], p.known[table] = s.whole && !t.conn.options.Partial, map[string]attr.Item{}
	maps.Copy(p.known[table], s.looked)
	for _, item := range s.items {
		k, ok := schema.KeyOf(item)
		if !ok {
			continue
		}
		p.items++
		p.known[table][k.ID()] = item
		role := t.Classify(table, item)
		switch {
		case role.Constraint != nil && !role.Malformed:
			p.locks[role.Constraint] = append(p.locks[role.Constraint], item)
		case role.Account != nil && role.Constraint == nil:
			p.accounts[role.Account] = append(p.accounts[role.Account], item)
		}
	}
}

// all reports whether two samples are whole tables: the sample of the given table, and the sample of the
// accounts' table.
func (p *prober) all(table string) bool { return p.whole[table] && p.whole[p.t.Name] }

// some returns the first few of the items, because looking up all of them would be expensive. It returns all
// items if the samples are whole tables, because then a look-up costs nothing.
func (p *prober) some(items []attr.Item, table string) []attr.Item {
	if p.all(table) {
		return items
	}
	return items[:min(len(items), tried)]
}

// knows reports whether the prober knows, for each key, if the item exists.
func (p *prober) knows(table string, keys []attr.Key) bool {
	return p.whole[table] || !slices.ContainsFunc(keys, func(k attr.Key) bool {
		_, known := p.known[table][k.ID()]
		return !known
	})
}

// ask adds keys to want if the budget is enough for all of them. Otherwise it adds no key, and evidence leaves
// out the counts that need these keys. Counting only the keys in the samples would bias the result, because all
// items in the samples exist.
func (p *prober) ask(table string, keys []attr.Key) {
	keys = slices.DeleteFunc(keys, func(k attr.Key) bool { return p.knows(table, []attr.Key{k}) })
	if cost := p.price * float64(len(keys)); len(keys) > 0 && cost <= p.left {
		p.left -= cost
		p.want[table] = append(p.want[table], keys...)
	}
}

// read reads the wanted keys. If permission to read a table is denied, its keys stay unknown.
func (p *prober) read(ctx context.Context, r *client.Reader, want map[string][]attr.Key) error {
	found, err := r.GetTables(ctx, want, false)
	switch {
	case client.KindOf(err) != client.Denied:
	case len(want) == 1:
		return nil
	default:
		for _, table := range slices.Sorted(maps.Keys(want)) {
			if err := p.read(ctx, r, map[string][]attr.Key{table: want[table]}); err != nil {
				return err
			}
		}
		return nil
	}
	if err != nil {
		return err
	}
	for table, keys := range want {
		if p.known[table] == nil {
			p.known[table] = map[string]attr.Item{}
		}
		for _, k := range keys {
			if item := found[table][k.ID()]; item != nil || !p.t.conn.options.Partial {
				p.known[table][k.ID()] = item
			}
		}
	}
	return nil
}

// A lockCall is a lock that an account needs for one of its values. The lock's key may have several forms.
type lockCall struct {
	by    *schema.Account
	id    string // id of the key in its first form
	forms []attr.Key
}

// askCalls asks for the locks of the calls, and returns these calls. If the budget is not enough for all calls,
// askCalls keeps only the first calls. It does not prefer calls whose locks are in the sample: all these locks exist,
// so they would bias the result.
func (p *prober) askCalls(table string, calls []lockCall) []lockCall {
	if len(calls) > 0 && !p.whole[table] {
		most := int(p.left / (p.price * float64(len(calls[0].forms))))
		calls = calls[:min(len(calls), max(1, most))]
	}
	var keys []attr.Key
	for _, call := range calls {
		keys = append(keys, call.forms...)
	}
	p.ask(table, keys)
	return calls
}

// calls lists the locks that accounts need for their values.
func (p *prober) calls(a *layout.Account, c *layout.Constraint, accounts []attr.Item) (all []lockCall) {
	t, table := p.t, p.t.LockTable(c)
	for _, item := range accounts {
		id, _ := a.Matches(t.Schema, item)
		own, _ := t.Schema.KeyOf(item)
		for _, claim := range a.AppendClaimsOf(nil, c, t.Name, t.SchemaOf, item) {
			// A key with the account's own partition key is a part of the account, and not a lock.
			if claim.Err != nil || (table == t.Name && a.IDInPartition() && claim.Key.Hash.Value.Equal(own.Hash.Value)) {
				continue
			}
			all = append(all, lockCall{&schema.Account{ID: id, Key: own}, claim.Key.ID(), claim.Keys()})
		}
	}
	return all
}

// hits has the existing locks of the calls, and counts. It leaves out calls whose lock was not read.
type hits struct {
	locks          map[string]attr.Item // existing locks, by the id of their key in its first form
	values, claims int                  // number of different locks among the calls, and number of calls
	met            int                  // number of locks that name any account
	metRight       int                  // number of locks that name the account of their call
	holders        map[string]string    // id of the call's account, for each lock that names no other account
}

func (p *prober) hits(c *layout.Constraint, calls []lockCall) hits {
	table := p.t.LockTable(c)
	h, different := hits{locks: map[string]attr.Item{}, holders: map[string]string{}}, map[string]bool{}
	for _, call := range calls {
		if !p.knows(table, call.forms) {
			continue
		}
		h.claims++
		different[call.id] = true
		for _, k := range call.forms {
			item := p.known[table][k.ID()]
			if item == nil || !c.Is.Holds(item) {
				continue
			}
			h.locks[call.id] = item
			lock := schema.LockOf(c, table, k, item)
			right := lock.Owner == "" || p.t.Names(c, lock, call.by)
			if right {
				h.holders[call.id] = call.by.Key.ID()
			}
			if lock.Owner != "" {
				h.met++
				if right {
					h.metRight++
				}
			}
		}
	}
	h.values = len(different)
	return h
}

// mostHeld is the greatest number of a constraint's locks that are compared to find shared traits.
const mostHeld = 100

// held returns locks that accounts hold: one lock for each account, and at most mostHeld locks.
func (h hits) held() (locks []attr.Item) {
	known := map[string]bool{}
	for _, id := range slices.Sorted(maps.Keys(h.holders)) {
		if account := h.holders[id]; !known[account] && len(locks) < mostHeld {
			known[account] = true
			locks = append(locks, h.locks[id])
		}
	}
	return locks
}

// owners are the sampled locks of a constraint that name an account. For each lock, keys has the possible keys
// of that account.
type owners struct {
	locks   []schema.Lock
	keys    [][]attr.Key
	unnamed int // number of locks without an owner, or with an owner whose kind or key is unclear
}

// owners lists the owners of a constraint's sampled locks, and asks for the owners' items.
func (p *prober) owners(c *layout.Constraint) (of owners) {
	t, table := p.t, p.t.LockTable(c)
	if c.Owner == "" && !c.OwnedByKey() {
		return of
	}
	var ask []attr.Key
	for _, con := range t.Layout.Constraints() {
		if !t.SharesKeys(con, c) {
			continue
		}
		for _, item := range p.locks[con] {
			key, _ := t.SchemaOf(table).KeyOf(item)
			lock := schema.LockOf(c, table, key, item)
			keys := t.OwnerKeys(c, lock)
			_, known := c.OwnerForm.ID(lock.Owner)
			switch {
			case !known && lock.Owner != "": // the owner does not have the form of owner_form
			case len(keys) == 0 || len(t.OwnerKinds(c, lock)) != 1:
				of.unnamed++
			case p.all(table) || len(of.locks) < tried:
				of.locks, of.keys = append(of.locks, lock), append(of.keys, keys)
				ask = append(ask, keys...)
			}
		}
	}
	p.ask(t.Name, ask)
	return of
}

// evidence counts the facts for and against one constraint. The result is empty if some of the locks could not
// be read; if the endpoint has only some items, evidence leaves these locks out. If some of the owners could not
// be read, it has no counts of owners.
func (p *prober) evidence(c *layout.Constraint, calls []lockCall, owned owners) layout.Evidence {
	t, table := p.t, p.t.LockTable(c)
	unread := func(call lockCall) bool { return !p.knows(table, call.forms) }
	if t.conn.options.Partial && slices.ContainsFunc(calls, unread) {
		calls = slices.DeleteFunc(slices.Clone(calls), unread)
		if len(calls) == 0 {
			return layout.Evidence{Unnamed: owned.unnamed}
		}
	}
	if slices.ContainsFunc(calls, unread) {
		return layout.Evidence{}
	}
	h := p.hits(c, calls)
	e := layout.Evidence{
		Whole: p.all(table), Items: p.items, Lapses: c.Lapses, Held: &layout.LockTraits{}, Unnamed: owned.unnamed,
		Values: h.values, Claims: h.claims, Locked: len(h.locks), Met: h.met, MetRight: h.metRight,
	}
	for con, locks := range p.locks {
		if t.SharesKeys(con, c) {
			for _, item := range locks {
				if p.reserved(con.Reserved, item) {
					e.Reserved++
				} else {
					e.Locks++
				}
			}
		}
	}
	for _, kind := range t.KindsOf(c) {
		e.Accounts += len(p.accounts[kind])
		e.Kinds++
		e.Clustered = e.Clustered || kind.PK.Constant()
	}
	for _, item := range h.locks {
		e.Held.Add(maps.All(item), func(name string) bool { return t.PlainAttribute(c, table, name) })
	}
	e.HeldLocks = h.held()
	if !p.knows(t.Name, slices.Concat(owned.keys...)) {
		return e
	}
	for n, lock := range owned.locks {
		p.owner(c, lock, owned.keys[n], &e)
	}
	return e
}

// owner adds a lock that names an account to the evidence. The lock supports the constraint if that account
// exists and claims the lock.
func (p *prober) owner(c *layout.Constraint, lock schema.Lock, keys []attr.Key, e *layout.Evidence) {
	found := p.known[p.t.Name]
	right := slices.ContainsFunc(keys, func(k attr.Key) bool { return p.t.Claims(found[k.ID()], lock) })
	if !right && p.reserved(c.Reserved, lock.Item) {
		return
	}
	if e.Named++; right {
		e.Right++
	}
	if !slices.ContainsFunc(keys, func(k attr.Key) bool { return found[k.ID()] != nil }) {
		e.Gone = append(e.Gone, schema.LockID(lock.Table, lock.Key))
	}
}

// reserved reports whether a lock's account may still be created. In that case a missing account is no evidence
// against the layout.
func (p *prober) reserved(r layout.Reservation, lock attr.Item) bool {
	return r.Runs(r.Said(lock), p.now)
}

// places looks for items outside the layout that hold the values of sampled locks. It searches only the items
// that were read. The program later asks a person about such items.
func (p *prober) places() {
	t := p.t
	var rels []*verdict.Relation
	for c, locks := range p.locks {
		table := t.LockTable(c)
		for _, item := range locks {
			key, _ := t.SchemaOf(table).KeyOf(item)
			if v, _, ok := c.ParseLock(t.SchemaOf(table), key); ok {
				rels = append(rels, &verdict.Relation{Constraint: c, Value: v, Lock: schema.LockOf(c, table, key, item)})
			}
		}
	}
	s := t.Search(rels...)
	r := s.Reader()
	for table, items := range p.known {
		for _, item := range items {
			if item != nil {
				r.See(table, item)
			}
		}
	}
	r.Close()
	t.Answers.LearnPlaces(s, false)
}
