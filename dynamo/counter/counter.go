// Package counter reads counters, and finds the highest ids that they have handed out. Start at Read.
package counter

import (
	"context"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/remedy"

	"golang.org/x/sync/errgroup"
)

// Counter is a counter with the state that the program has read.
type Counter struct {
	Name      string // the name for the bump command
	Table     string
	Key       attr.Key
	Attribute string
	// Value is the stored number, up to 38 digits. It is empty if the item or the attribute does not exist. If
	// the attribute is not a number, Value is its text.
	Value     string
	Exists    bool
	Semantics layout.Semantics
	Next      string // the number handed out next; empty for a tally
	Step      string
	// Shards counts the items that Value sums. It is 0 if the counter is one item.
	Shards int
	// HighestID is the highest id in use, or empty if it is unknown.
	HighestID string
	// IDsChecked is set if all ids were read. Then an empty HighestID means that no id is in use.
	IDsChecked bool
	// Faults lists the counter's faults. It can contain CounterBehind only if the ids were looked up.
	Faults []layout.CounterFault
	ReadAt time.Time
	// Item is the counter's item, or nil if it does not exist.
	Item attr.Item
	// Other explains why the item at Key is not the counter: it lacks the attribute that only counters have. It is
	// empty if there is no such item.
	Other  string
	Layout *layout.Counter
	table  *dynamo.Table
}

// Open returns the table of the counter.
func (c *Counter) Open() *dynamo.Table { return c.table }

// Unjudged reports whether the counter may be behind an id that was not read: it has no known fault, and some
// of its ids were not read.
func (c *Counter) Unjudged() bool {
	return c.Exists && len(c.Faults) == 0 && c.Semantics != layout.Tally && !c.IDsChecked
}

// TakeIDs records the highest id that was found, and the fault CounterBehind if the counter is behind that id.
// highest is empty if no id was found. all is true if all ids were read.
func (c *Counter) TakeIDs(highest string, all bool) {
	if c.IDsChecked = c.IDsChecked || all; highest == "" || len(highest) < len(c.HighestID) ||
		len(highest) == len(c.HighestID) && highest <= c.HighestID {
		return // not higher than the known id
	}
	behind := c.Exists && c.Layout.Behind(c.Value, highest)
	if c.HighestID = highest; behind && !slices.Contains(c.Faults, layout.CounterBehind) {
		c.Faults = append([]layout.CounterFault{layout.CounterBehind}, c.Faults...)
	}
}

// counterScan is the greatest number of items of a table that Read scans for counters. A table of counters
// holds a few hundred at most.
const counterScan = 1000

// Read reads the counters of the table, strongly consistent. complete is false if the table may have further
// counters.
func Read(ctx context.Context, t *dynamo.Table) (counters []Counter, complete bool, err error) {
	return ReadWith(ctx, t, t.Connection().Reader())
}

// ReadWith reads counters as Read does, with the reader r. r counts the read units.
func ReadWith(ctx context.Context, t *dynamo.Table, r *client.Reader) (counters []Counter, complete bool, err error) {
	complete = true
	var keys []attr.Key
	var fixed []*layout.Counter
	family := false
	for _, l := range t.Layout.Counters {
		if !l.Fixed(t.Schema) {
			family = true
			continue
		}
		k, err := l.Key(t.Schema)
		if err != nil {
			return nil, false, &client.Error{
				Kind:   client.Usage,
				Op:     "reading the counters of " + t.Name,
				Why:    err.Error(),
				Remedy: t.Correct(),
				Err:    err,
			}
		}
		keys, fixed = append(keys, k), append(fixed, l)
	}
	found, err := r.Get(ctx, t.Name, keys, true)
	if err != nil {
		return nil, false, err
	}
	for n, l := range fixed {
		counters = append(counters, At(t, l, keys[n], found[keys[n].ID()]))
	}
	if family {
		page, err := r.Scan(ctx, t.Name, client.PageInput{Limit: counterScan, Consistent: true})
		if err != nil {
			return counters, false, err
		}
		complete = page.Last == nil
		for _, item := range page.Items {
			k, _ := t.Schema.KeyOf(item)
			for _, l := range t.Layout.Counters {
				if !l.Fixed(t.Schema) && l.Matches(t.Schema, item) {
					counters = append(counters, At(t, l, k, item))
				}
			}
		}
	}
	slices.SortStableFunc(counters, func(a, b Counter) int { return strings.Compare(a.Name, b.Name) })
	return counters, complete, nil
}

// At returns the counter with the layout l at the key k. item is the item at that key, or nil if there is no
// such item.
func At(t *dynamo.Table, l *layout.Counter, k attr.Key, item attr.Item) Counter {
	c := Counter{
		Name: l.NameOf(t.Name, t.Schema, k), Table: t.Name, Key: k, Attribute: l.Attribute,
		Semantics: l.Semantics, Step: l.Step.String(), Item: item, Layout: l, table: t, ReadAt: time.Now(),
	}
	if item != nil && !l.Is.Holds(item) {
		c.Other = l.Is.Lacks()
		c.Item, item = nil, nil
	}
	v := item.At(l.Attribute)
	if item == nil || !v.Exists() {
		c.Faults = []layout.CounterFault{layout.CounterMissing}
		return c
	}
	c.Exists, c.Value = true, v.Display()
	c.Faults = l.Faults(v)
	if v.Kind == attr.N {
		c.Next, _ = l.NextOf(v.Text)
	}
	return c
}

// Reread reads one counter again, strongly consistent.
func (c *Counter) Reread(ctx context.Context) (Counter, error) {
	return c.rereadWith(ctx, c.table.Connection().Reader())
}

func (c *Counter) rereadWith(ctx context.Context, r *client.Reader) (Counter, error) {
	t := c.table
	t.Answers.Recall()
	if c.Layout.KeyIsValue(t.Schema) {
		counters, _, err := ReadWith(ctx, t, r)
		if err != nil {
			return Counter{}, err
		}
		var found []Counter
		for _, again := range counters {
			if again.Layout == c.Layout {
				found = append(found, again)
			}
		}
		switch len(found) {
		case 0:
			return At(t, c.Layout, c.Key, nil), nil
		case 1:
			return found[0], nil
		}
		return Counter{}, &client.Error{
			Kind: client.Failed,
			Op:   "reading the counter " + c.Name,
			Why:  fmt.Sprintf("the counter's table has %d items, but must have exactly one item, whose key is the number", len(found)),
			Do:   "if the application is replacing the item now, try again; if not, find out which item is right",
		}
	}
	found, err := r.Get(ctx, t.Name, []attr.Key{c.Key}, true)
	if err != nil {
		return Counter{}, err
	}
	return At(t, c.Layout, c.Key, found[c.Key.ID()]), nil
}

// SumShards replaces the shards of each counter by one counter with their sum. Other counters stay unchanged.
// The sum is only for display, since no item holds it.
func SumShards(counters []Counter) []Counter {
	var out []Counter
	at := map[string]int{}
	for _, c := range counters {
		name, ok := c.shardOf()
		if !ok {
			out = append(out, c)
			continue
		}
		id := c.Table + "\x00" + name + "\x00" + c.Attribute
		n, known := at[id]
		if !known {
			at[id] = len(out)
			c.Name, c.Shards = name, 1
			out = append(out, c)
			continue
		}
		sum := &out[n]
		sum.Shards++
		for _, fault := range c.Faults {
			if !slices.Contains(sum.Faults, fault) {
				sum.Faults = append(slices.Clone(sum.Faults), fault)
			}
		}
		have, ok1 := attr.Integer(sum.Value)
		more, ok2 := attr.Integer(c.Value)
		switch {
		case ok1 && ok2:
			sum.Value = new(big.Int).Add(have, more).String()
		case ok2:
			sum.Value = c.Value // the sum so far is no number, and Faults say so
		}
	}
	return out
}

// shardOf returns the name of the counter that c is a shard of. It returns false if c is no shard.
func (c *Counter) shardOf() (string, bool) {
	if c.Layout == nil || c.Semantics != layout.Tally {
		return "", false
	}
	return c.Layout.ShardOf(c.Table, c.table.Schema, c.Key)
}

// OfKey returns the counter that an item holds in an attribute. key is the item's key, written as "PK" or
// "PK/SK". The item and the attribute have to exist.
func OfKey(ctx context.Context, t *dynamo.Table, key, attribute string) (*layout.Counter, error) {
	op := "looking for the counter " + key
	pk, sk := key, ""
	if t.Schema.RangeName != "" {
		cut := strings.LastIndexByte(key, '/')
		if cut < 0 {
			return nil, &client.Error{
				Kind: client.Usage, Op: op, Why: "the table has a sort key, but the given key has none", Do: "write PK/SK",
			}
		}
		pk, sk = key[:cut], key[cut+1:]
	}
	described := config.Counter{PK: layout.Literal(pk), Attribute: attribute}
	if sk != "" {
		described.SK = layout.Literal(sk)
	}
	l, err := (config.Layout{Name: t.Name, Counters: []config.Counter{described}}).Build()
	if err != nil {
		return nil, &client.Error{Kind: client.Usage, Op: op, Why: err.Error(), Err: err}
	}
	c := l.Counters[0]
	c.State = layout.Guessed
	k, err := c.Key(t.Schema)
	if err != nil {
		return nil, &client.Error{Kind: client.Usage, Op: op, Why: err.Error(), Err: err}
	}
	found, err := t.Connection().Reader().Get(ctx, t.Name, []attr.Key{k}, true)
	if err == nil && !found[k.ID()].At(attribute).Exists() {
		err = &client.Error{
			Kind: client.Usage, Op: op, Why: "no item has this key and the attribute " + attribute,
			Remedy: remedy.Of(remedy.CorrectKey),
		}
	}
	return c, err
}

// tablesAtOnce is the greatest number of tables that ReadAll reads at the same time.
const tablesAtOnce = 8

// ReadAll reads the counters of the given tables. It leaves out tables that cannot be read, and returns their
// errors in errs.
func ReadAll(ctx context.Context, tables []*dynamo.Table) (counters []Counter, complete bool, errs []error) {
	found, whole, failed := make([][]Counter, len(tables)), make([]bool, len(tables)), make([]error, len(tables))
	var g errgroup.Group
	g.SetLimit(tablesAtOnce)
	for n, t := range tables {
		if whole[n] = len(t.Layout.Counters) == 0; !whole[n] {
			g.Go(func() error {
				found[n], whole[n], failed[n] = Read(ctx, t)
				return nil
			})
		}
	}
	_ = g.Wait() // Wait returns nil: failed holds the errors
	errs = slices.DeleteFunc(failed, func(err error) bool { return err == nil })
	return slices.Concat(found...), !slices.Contains(whole, false), errs
}

// On returns the counter with the layout of t. t is the counter's table, opened again. If the layout no longer has
// the counter, On returns c unchanged.
func (c Counter) On(t *dynamo.Table) Counter {
	for _, l := range t.Layout.Counters {
		if l.PK.String() == c.Layout.PK.String() && l.SK.String() == c.Layout.SK.String() && l.Attribute == c.Attribute {
			return At(t, l, c.Key, c.Item)
		}
	}
	return c
}
