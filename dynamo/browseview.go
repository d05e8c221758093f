package dynamo

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

// View is what a Browser has read so far. It does not change any more: the next
// page makes a new one.
type View struct {
	// Relations are the rows of the accounts screen: each account's values next
	// to their locks, in the order read, and locks whose account was ruled out or
	// is named by the lock.
	Relations []*Relation
	// Layout is what the rows were made by, and Schema that of the table of the accounts.
	// While the table's layout is not known yet the layout is empty, and there are no rows.
	Layout *layout.Layout
	Schema attr.Schema
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

// Provisional are the relations whose verdict is provisional, which Confirm
// judges again.
func (v View) Provisional() []*Relation {
	var out []*Relation
	for _, r := range v.Relations {
		if r != nil && r.Provisional && r.Verdict != Reserved { // only time tells
			out = append(out, r)
		}
	}
	return out
}

// publish makes the View of this moment.
func (b *Browser) publish() View {
	v := b.view
	v.Units = b.r.Units + b.page.first
	v.Unmatched = b.unclaimed.unmatched()
	var out, pairs map[*Relation]*Relation
	v.Relations, out = given(v.Relations)
	v.Relations, pairs = paired(v.Relations)
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
		for _, id := range ids {
			switch s := b.unclaimed.all[id]; {
			case len(b.values.claims[id]) > 0:
				row := b.values.claims[id][0]
				group.Relations = append(group.Relations, cmp.Or(out[row], row))
			case s != nil && s.row != nil:
				group.Relations = append(group.Relations, cmp.Or(pairs[s.row], s.row))
			default:
				if lock := b.locks[id]; lock.Exists {
					value, _, _ := c.ParseLock(b.t.SchemaOf(lock.Table), lock.Key)
					group.Relations = append(group.Relations,
						unsought(&Relation{Constraint: c, Value: value, Lock: lock}, "its account has not been read yet"))
				}
			}
		}
		v.Locks = append(v.Locks, group)
	}
	b.last = v
	return v
}

// given are rows as they are given out, without empty places: what is still to be judged is copied,
// since the row itself will be. What is judged does not change any more.
func given(rows []*Relation) (out []*Relation, of map[*Relation]*Relation) {
	out, of = make([]*Relation, 0, len(rows)), map[*Relation]*Relation{}
	for _, r := range rows {
		if r != nil && r.Unjudged {
			now := *r
			of[r], r = &now, &now
		}
		if r != nil {
			out = append(out, r)
		}
	}
	return out, of
}
