package check

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
)

// driftCheck finds keys that are made of other attributes of their item, and disagree
// with them. Each item tells by itself, so that one pass finds them, and a read of the item
// makes sure.
type driftCheck struct {
	*run
	rules map[*layout.Derived]*driftRule

	mu    sync.Mutex
	found []drifted
	lost  int // for which there was no room
}

// driftRule counts the items of one derived key.
type driftRule struct{ compared, drifted atomic.Int64 }

// drifted is an item whose key disagreed when it was met.
type drifted struct {
	kind *layout.Account
	of   *layout.Derived
	key  attr.Key
	// has is the key as it stands, and should what it should be.
	has    attr.Value
	should string
}

// begin begins a first reading.
func (c *driftCheck) begin() {
	c.rules, c.found, c.lost = map[*layout.Derived]*driftRule{}, nil, 0
	if !c.o.wants(DriftedKey) {
		return
	}
	for _, a := range c.kinds() {
		for _, d := range a.Derived {
			c.rules[d] = new(driftRule)
		}
	}
}

// kinds are all that may have such keys.
func (c *driftCheck) kinds() []*layout.Account {
	return slices.Concat(c.t.Layout.Accounts, c.t.Layout.Keyed)
}

// all are the derived keys of all kinds.
func (c *driftCheck) all() (all []*layout.Derived) {
	for _, a := range c.kinds() {
		all = append(all, a.Derived...)
	}
	return all
}

// at is the one of that place; nil where there is none.
func (c *driftCheck) at(place *int) *layout.Derived {
	if all := c.all(); place != nil && *place >= 0 && *place < len(all) {
		return all[*place]
	}
	return nil
}

// wanted reports whether drifted keys are looked for.
func (c *driftCheck) wanted() bool {
	return c.o.wants(DriftedKey) && slices.ContainsFunc(c.kinds(), func(a *layout.Account) bool { return len(a.Derived) > 0 })
}

// keyed takes in the derived keys of an item that is no account.
func (v *visitor) keyed() {
	for _, kind := range v.p.r.t.Layout.Keyed {
		if _, ok := kind.Matches(v.from.schema, &v.row); ok && v.from == v.p.r.sources[0] {
			v.drift(kind)
			return
		}
	}
}

// drift takes in the derived keys of an account.
func (v *visitor) drift(a *layout.Account) {
	c := v.p.r.drift
	if !v.p.first || len(c.rules) == 0 {
		return
	}
	for _, d := range a.Derived {
		if !v.part.hasDerived(c, d) {
			continue
		}
		has, should, compared, off := d.Drift(&v.row)
		if compared {
			c.rules[d].compared.Add(1)
		}
		if off {
			c.rules[d].drifted.Add(1)
			c.take(drifted{a, d, v.now(), has, should})
		}
	}
}

func (c *driftCheck) take(one drifted) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.found) == int(c.o.Memory/8/accountBytes) {
		c.lost++
		return
	}
	one.key, one.should = cloneKey(one.key), strings.Clone(one.should)
	one.has.Text = strings.Clone(one.has.Text)
	c.found = append(c.found, one)
}

// confirm reads the items again, and reports what still disagrees.
func (c *driftCheck) confirm(ctx context.Context) error {
	if c.lost > 0 {
		need := int64(len(c.found)+c.lost) * 5 / 4 * accountBytes * 8
		c.lacks("more than %s disagree with their items, and no more were followed up: give the check --memory %s", phrase.Count(len(c.found), "key"), size(need))
	}
	slices.SortFunc(c.found, func(x, y drifted) int {
		return strings.Compare(x.key.ID()+x.of.Attribute, y.key.ID()+y.of.Attribute)
	})
	c.enter(stage{Stage: Confirming, total: len(c.found)})
	defer c.leave()
	for some := range slices.Chunk(c.found, client.MaxBatch) {
		if err := c.report(ctx, some); err != nil {
			return err
		}
		c.step(len(some))
	}
	c.found = nil
	return nil
}

// kindOf is which of the kinds an item is; nil where it is none.
func (c *driftCheck) kindOf(item attr.Item) *layout.Account {
	for _, kind := range c.kinds() {
		if _, ok := kind.Matches(c.t.Schema, item); ok {
			return kind
		}
	}
	return nil
}

// report reports those of some keys that disagree still.
func (c *driftCheck) report(ctx context.Context, some []drifted) error {
	again := c.o.Confirm != ConfirmNone
	var items map[string]attr.Item
	if again {
		var keys []attr.Key
		for _, one := range some {
			keys = append(keys, one.key)
		}
		var err error
		if items, err = c.consistent.Read(ctx, c.t.Name, keys); err != nil {
			return err
		}
	}
	for _, one := range some {
		if again {
			item, off := items[one.key.ID()], false
			if one.has, one.should, _, off = one.of.Drift(item); !off || c.kindOf(item) != one.kind {
				continue // it was mended since
			}
		}
		c.emit(c.finding(one, again))
	}
	return nil
}

// finding puts a drifted key into words.
func (c *driftCheck) finding(one drifted, sure bool) Finding {
	f := Finding{
		Kind: DriftedKey, Attribute: one.of.Attribute, Seen: one.has, Expected: one.should, Confirmed: sure, Accounts: []attr.Item{one.key.Item()},
		Detail: fmt.Sprintf("The %s of %s is %s; its %s makes that %s.", one.of.Attribute, one.key.Hash.Value.Display(),
			phrase.Quote(one.has.Display()), strings.Join(one.of.Of(), " and "), phrase.Quote(one.should)),
		Evidence: fmt.Sprintf("Item read at %s, strongly consistent.", clock(time.Now())) + notExcludedWords + "an application that writes the key after the attribute, and was between the two.",
	}
	if !sure {
		f.Evidence = "Provisional: met once; nothing was read again."
	}
	switch why := c.suspect(one.of); {
	case why != "":
		f.Confirmed, f.SuspectLayout = false, true
		f.Detail += " Not confirmed: " + why + "."
	case !c.t.Layout.Configured: // the two may only look as if one were made of the other
		f.Confirmed = false
		f.Detail += fmt.Sprintf(" Not confirmed: nearly all items agree with %s, and nobody has said that the key is made so: write the layout into the config.", one.of.Template)
	}
	return f
}

// suspect says that so many keys disagree that the layout may be what is wrong; empty
// where they are few.
func (c *driftCheck) suspect(d *layout.Derived) string {
	all, off := c.rules[d].compared.Load(), c.rules[d].drifted.Load()
	if all < fewLocks || 100*off <= tooMany*all {
		return ""
	}
	return fmt.Sprintf("%s of %s items disagree, and the template %s may be wrong", phrase.Number(off), phrase.Number(all), d.Template)
}
