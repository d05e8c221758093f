package dynamo

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
)

// Counter is a counter as it was read.
type Counter struct {
	Name      string // what bump takes
	Table     string
	Key       attr.Key
	Attribute string
	// Value is the number as it is stored, up to 38 digits. It is empty where
	// the item or the attribute does not exist, and text where it is no number.
	Value     string
	Exists    bool
	Semantics layout.Semantics
	Next      string // the number handed out next; empty for a tally
	Step      string
	// Shards is of how many items the value is the sum; 0 where it is one item's.
	Shards int
	// HighestID is the highest id in use; empty where it has not been looked for.
	HighestID string
	// IDsChecked: all ids were looked for, and HighestID is empty where none is in use.
	IDsChecked bool
	// Faults are what is wrong; CounterBehind only where its ids were looked for.
	Faults []layout.CounterFault
	ReadAt time.Time
	// Item is the item as it was read, nil where there is none.
	Item   attr.Item
	Layout *layout.Counter
	table  *Table
}

// Open is the table that the counter was read from.
func (c *Counter) Open() *Table { return c.table }

// Unjudged reports whether nothing was found to be wrong with the counter, and nobody has
// looked at the ids that it has handed out: it may be behind them.
func (c *Counter) Unjudged() bool {
	return c.Exists && len(c.Faults) == 0 && c.Semantics != layout.Tally && !c.IDsChecked
}

// TakeIDs takes in the highest id in use, empty where none was found, and whether all ids
// were looked for.
func (c *Counter) TakeIDs(highest string, all bool) {
	if c.IDsChecked = c.IDsChecked || all; highest == "" || len(highest) < len(c.HighestID) ||
		len(highest) == len(c.HighestID) && highest <= c.HighestID {
		return // it is known
	}
	behind := c.Exists && c.Layout.Behind(c.Value, highest)
	if c.HighestID = highest; behind && !slices.Contains(c.Faults, layout.CounterBehind) {
		c.Faults = append([]layout.CounterFault{layout.CounterBehind}, c.Faults...)
	}
}

// counterScan is how many items of a counter table are looked at: such tables
// hold a counter each, or a few hundred.
const counterScan = 1000

// Counters reads the counters of the table, strongly consistent. complete is
// false where the table may hold more than were looked at.
func (t *Table) Counters(ctx context.Context) (counters []Counter, complete bool, err error) {
	return readCounters(ctx, t, t.conn.Reader())
}

func readCounters(ctx context.Context, t *Table, r *client.Reader) (counters []Counter, complete bool, err error) {
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
				Kind: client.Usage,
				Op:   "reading the counters of " + t.Name,
				Why:  err.Error(),
				Do:   t.Correct(),
				Err:  err,
			}
		}
		keys, fixed = append(keys, k), append(fixed, l)
	}
	found, err := r.Get(ctx, t.Name, keys, true)
	if err != nil {
		return nil, false, err
	}
	for n, l := range fixed {
		counters = append(counters, CounterAt(t, l, keys[n], found[keys[n].ID()]))
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
					counters = append(counters, CounterAt(t, l, k, item))
				}
			}
		}
	}
	slices.SortStableFunc(counters, func(a, b Counter) int { return strings.Compare(a.Name, b.Name) })
	return counters, complete, nil
}

// CounterAt is a counter of the table as an item that was read at its key; nil where
// there is none.
func CounterAt(t *Table, l *layout.Counter, k attr.Key, item attr.Item) Counter {
	c := Counter{
		Name: l.NameOf(t.Name, t.Schema, k), Table: t.Name, Key: k, Attribute: l.Attribute,
		Semantics: l.Semantics, Step: l.Step.String(), Item: item, Layout: l, table: t, ReadAt: time.Now(),
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
	t := c.table
	t.RecallAnswers()
	if c.Layout.KeyIsValue(t.Schema) {
		counters, _, err := t.Counters(ctx)
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
			return CounterAt(t, c.Layout, c.Key, nil), nil
		case 1:
			return found[0], nil
		}
		return Counter{}, &client.Error{
			Kind: client.Failed,
			Op:   "reading the counter " + c.Name,
			Why:  fmt.Sprintf("its table has %d items, and the key of its one item is the number", len(found)),
			Do:   "if it is just being replaced, try again; else see which of them is right",
		}
	}
	found, err := t.conn.Reader().Get(ctx, t.Name, []attr.Key{c.Key}, true)
	if err != nil {
		return Counter{}, err
	}
	return CounterAt(t, c.Layout, c.Key, found[c.Key.ID()]), nil
}

// Keeps says in a few words what a table's layout keeps, for the list of
// tables.
func Keeps(t *Table) string {
	locks, owner := 0, false
	for _, c := range t.Layout.Constraints() {
		locks++
		owner = owner || c.Owner != "" || c.OwnedByKey()
	}
	counters := ""
	switch n := len(t.Layout.Counters); {
	case n == 1 && t.Layout.Counters[0].Semantics == layout.Next:
		counters = "1 counter, next"
	case n > 0 && !t.Layout.Counters[0].Fixed(t.Schema) && !t.Layout.Counters[0].KeyIsValue(t.Schema):
		counters = "counters"
	case n > 0:
		counters = phrase.Count(n, "counter")
	}
	switch {
	case locks > 0 && counters != "":
		return "locks, " + counters
	case locks > 0 && owner:
		return "locks with owner"
	case locks > 0:
		return "locks, no owner"
	case counters != "":
		return counters
	}
	return "nothing known"
}
