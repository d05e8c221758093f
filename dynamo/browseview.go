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
		if r.confirmable() {
			out = append(out, r)
		}
	}
	return out
}

// confirmable reports whether a second look may make the verdict sure: of a reserved lock only time tells.
func (r *Relation) confirmable() bool { return r.Provisional && r.Verdict != Reserved }

// publish makes the View of this moment.
func (b *Browser) publish() View {
	v := b.view
	v.Units = b.r.Units + b.page.first
	v.Unmatched = b.unclaimed.unmatched()
	for _, r := range b.rows {
		if r.rel != nil {
			v.Relations = append(v.Relations, r.rel)
		}
	}
	var pairs map[*Relation]*Relation
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
				group.Relations = append(group.Relations, b.values.claims[id][0].rel)
			case s != nil && s.row.rel != nil:
				group.Relations = append(group.Relations, cmp.Or(pairs[s.row.rel], s.row.rel))
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
