package check

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/join"
	"tallylock/dynamo/check/progress"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/check/state"
	"tallylock/dynamo/client"
	"tallylock/dynamo/export"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/remedy"
)

// KeepState checks an export as Run does, and returns the state of the table at the time of the export. Increments
// continues from that state. The state is nil if the check is incomplete.
func KeepState(
	ctx context.Context, t *dynamo.Table, o setting.Options, found func(finding.Finding), each func(progress.State),
) (finding.Summary, *state.State, error) {
	o.Fill()
	if err := RefusesState(t, o); err != nil {
		sum, err := refused(ctx, t, o, found, each, err)
		return sum, nil, err
	}
	r := newRun(t, o)
	r.keeps = true
	sum, err := r.do(ctx, found, each, r.whole)
	if err != nil || !sum.Complete {
		return sum, nil, err
	}
	return sum, r.state(), nil
}

// refused returns the summary of a check that refuses to begin, as Run does.
func refused(
	ctx context.Context, t *dynamo.Table, o setting.Options, found func(finding.Finding), each func(progress.State),
	err error,
) (finding.Summary, error) {
	return newRun(t, o).do(ctx, found, each, func(context.Context) error { return err })
}

// RefusesState returns the error with which KeepState would refuse to begin, or nil. It reads no item.
func RefusesState(t *dynamo.Table, o setting.Options) error {
	o.Fill()
	refuse := func(why string, do remedy.Remedy) error {
		return &client.Error{Kind: client.Usage, Op: "keeping the state of a check of " + t.Name, Why: why, Remedy: do}
	}
	switch {
	case o.Candidates != nil || o.Export == nil:
		return refuse("a check of a live table is no snapshot, because it reads the items one after the other",
			remedy.Of(remedy.StateOfExport))
	case o.Confirm != setting.ConfirmNone:
		return refuse("the check would also read the table, which is newer than the export",
			remedy.Of(remedy.StateUnconfirmed))
	case !o.WantsLocks() || len(t.Layout.Constraints()) == 0:
		return refuse("the check compares no locks with accounts", remedy.Of(remedy.Text, "check all locks"))
	}
	r := newRun(t, o)
	if r.rules.Guessed() {
		return refuse("the layout is only guessed", remedy.Of(remedy.DescribeLayout))
	}
	var first time.Time
	for _, from := range r.sources {
		e, err := export.Of(o.Export, t, from.Name, len(r.sources) > 1)
		switch {
		case err != nil:
			return err
		case e.At.IsZero() || e.ID == "":
			return refuse(fmt.Sprintf("%s does not state its time and its table, because its summary is missing", e),
				remedy.Of(remedy.Text, "name the folder with all manifests of the export"))
		case !first.IsZero() && !first.Equal(e.At):
			return refuse(fmt.Sprintf("the exports have different times: %s %s, %s %s", t.Name, phrase.UTC(first),
				from.Name, phrase.UTC(e.At)), remedy.Of(remedy.Text, "export all tables of the layout as of the same time"))
		}
		first = e.At
	}
	return nil
}

// follow makes a pass collect the locks and accounts of all leftover keys, for the state.
func (r *run) follow(p *pass) {
	p.open, p.openOwners, p.openRoom = map[uint64]*join.Open{}, map[string][]*join.Open{}, join.NewRoom(r.o.Memory)
	for place, c := range p.candidates {
		k := new(join.Open)
		p.open[place] = k
		if c.Lock != nil && c.Lock.OwnerPartition != "" {
			k.OwnersOf, k.Whole = c.Lock.OwnerPartition, true
			p.openOwners[k.OwnersOf] = append(p.openOwners[k.OwnersOf], k)
		}
	}
	r.open = p.open
}

// formsOf returns the encoded keys of all forms of an open key.
func (r *run) formsOf(k *join.Open) (forms []string) {
	from, _ := r.codec.Key(k.Key)
	for _, key := range r.rules.AppendForms(nil, from, r.codec, k.Key) {
		forms = append(forms, string(r.codec.Append(nil, from, join.KeyText(key.Hash.Value), join.KeyText(key.Range.Value))))
	}
	return forms
}

// state returns the state after a complete check of an export. The check has read all items, so a lock that was not
// found is absent.
func (r *run) state() *state.State {
	at := r.sources[0].Export.At.UTC()
	s := r.newState(at, at, 0, func(from *join.Source) string { return from.Export.ID })
	s.Items = r.report.Summary.Items
	for _, k := range r.open {
		if len(k.Sums) == 0 {
			continue // locks and claims match, and only the TTL differs
		}
		for _, form := range r.formsOf(k) {
			if k.Locks[form] == nil {
				k.SetLock(form, join.AbsentLock)
			}
		}
	}
	s.Keys = r.stateKeys()
	return s
}

// newState returns a state with the counts of the run. id returns the id of a table.
func (r *run) newState(base, at time.Time, windows int, id func(*join.Source) string) *state.State {
	s := &state.State{
		Table: r.t.Name, Layout: config.Hash(r.t.Layout), Base: base, At: at, Windows: windows,
		Items: r.count.items, Accounts: r.count.accounts,
	}
	r.count.marks.keep(s)
	for _, from := range r.sources {
		s.Tables = append(s.Tables, state.Table{Name: from.Name, ID: id(from), Schema: from.Schema})
	}
	for _, of := range r.rules.All {
		n := r.count.rules[of.Number]
		s.Rules = append(s.Rules, state.Rule{
			Constraint: of.Name, Owned: of.First.Owned, Guessed: of.Guessed(),
			Locks: n.locks, Named: n.owned, Claims: n.claims, Unfolded: n.unfolded, Impossible: n.impossible,
		})
	}
	return s
}

// openKeys are the open keys of a run for its state. An Open needs less memory than a state.Key, so each state.Key
// exists only while it is written.
type openKeys struct {
	run  *run
	open []*join.Open
}

// Len returns the number of keys.
func (o openKeys) Len() int { return len(o.open) }

// All yields the keys in order.
func (o openKeys) All() iter.Seq[*state.Key] {
	return func(yield func(*state.Key) bool) {
		for _, k := range o.open {
			if one := o.run.stateKey(k); !yield(&one) {
				return
			}
		}
	}
}

// stateKeys returns the run's open keys, sorted.
func (r *run) stateKeys() state.Keys {
	open := slices.DeleteFunc(slices.Collect(maps.Values(r.open)), func(k *join.Open) bool { return len(k.Sums) == 0 })
	slices.SortFunc(open, func(a, b *join.Open) int { return cmp.Compare(a.Key, b.Key) })
	return openKeys{r, open}
}

// stateKey writes an open key for a state.
func (r *run) stateKey(k *join.Open) state.Key {
	from, key := r.codec.Key(k.Key)
	place := key.Item()
	one := state.Key{
		Table: from.Name, Lock: place, Constraint: k.Rule.Name, Value: state.Text(k.Value),
		OwnersOf: state.Text(k.OwnersOf), Whole: k.Whole,
	}
	for _, owner := range slices.Sorted(maps.Keys(k.Sums)) {
		one.Sums = append(one.Sums, state.Sum{Owner: state.Text(owner), Count: k.Sums[owner]})
	}
	for _, own := range slices.Sorted(maps.Keys(k.Locks)) {
		l := k.Locks[own]
		lock := state.Lock{Key: place, Exists: l.Exists}
		if own != k.Key {
			_, key := r.codec.Key(own)
			lock.Key = key.Item()
		}
		if l.Exists {
			lock.Constraint, lock.Value, lock.Malformed, lock.Since = l.Rule.Name, state.Text(l.Value), l.Malformed, l.Since
			lock.Owner, lock.Mark = state.Text(l.Owner), state.Text(l.Mark)
		}
		one.Locks = append(one.Locks, lock)
	}
	for _, at := range sortedKeys(k.Holders) {
		h := k.Holders[at]
		one.Accounts = append(one.Accounts, state.Account{
			Key: r.t.Schema.KeyFrom(h.Hash, h.Sort).Item(), Constraint: h.Of.Name,
		})
	}
	for _, owner := range k.Former {
		one.Former = append(one.Former, state.Text(owner))
	}
	for _, at := range sortedKeys(k.Owners) {
		one.Owners = append(one.Owners, state.Owner{Item: k.Owners[at].Item, Exists: k.Owners[at].Exists})
	}
	return one
}

func sortedKeys[V any](m map[[2]string]V) [][2]string {
	return slices.SortedFunc(maps.Keys(m), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) })
}

// openKey reads an open key from a state. It returns an error if the key does not fit the layout.
func (r *run) openKey(one *state.Key) (*join.Open, error) {
	from := r.source(one.Table)
	rule := r.rules.Named(one.Constraint)
	key, fits := from.Schema.KeyOf(one.Lock)
	if rule == nil || rule.LocksIn != from || !fits {
		return nil, fmt.Errorf("the key %v is no lock of %s", one.Lock, one.Constraint)
	}
	encode := func(key attr.Key) string {
		return string(r.codec.Append(nil, from, join.KeyText(key.Hash.Value), join.KeyText(key.Range.Value)))
	}
	k := new(join.Open)
	k.Rule, k.Key, k.Value = rule, encode(key), string(one.Value)
	k.OwnersOf, k.Whole = string(one.OwnersOf), one.Whole
	for _, sum := range one.Sums {
		k.Add(string(sum.Owner), sum.Count)
	}
	for _, l := range one.Locks {
		key, _ := from.Schema.KeyOf(l.Key)
		lock := join.AbsentLock
		if l.Exists {
			lock = &join.OpenLock{
				Exists: true, Rule: r.rules.Named(l.Constraint), Value: string(l.Value), Malformed: l.Malformed,
			}
			lock.Owner, lock.Mark, lock.Since = string(l.Owner), string(l.Mark), l.Since
			if lock.Rule.First.Owned && lock.Owner != "" {
				lock.Partition, _ = lock.Rule.OwnerPartition(lock.Owner, func() attr.Key { return key })
			}
		}
		k.SetLock(encode(key), lock)
	}
	for _, a := range one.Accounts {
		key, _ := r.t.Schema.KeyOf(a.Key)
		k.SetHolder(join.Holder{Hash: key.Hash.Value.Text, Sort: key.Range.Value.Text, Of: r.rules.Named(a.Constraint)})
	}
	for _, owner := range one.Former {
		k.Former = append(k.Former, string(owner))
	}
	for _, o := range one.Owners {
		key, _ := r.t.Schema.KeyOf(o.Item)
		at := [2]string{join.KeyText(key.Hash.Value), join.KeyText(key.Range.Value)}
		k.SetOwner(at, join.OpenOwner{Item: o.Item, Exists: o.Exists})
	}
	return k, nil
}

// source returns the source of the table with this name or ARN. It returns nil if there is none.
func (r *run) source(name string) *join.Source {
	for _, from := range r.sources {
		if sameName(from.Name, name) {
			return from
		}
	}
	return nil
}

// sameName reports whether two texts are names or ARNs of one table. A person may name a table by its ARN, and the
// table's exports by its name.
func sameName(a, b string) bool { return client.BareName(a) == client.BareName(b) }
