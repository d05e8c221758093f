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

// driftCheck finds derived keys: key attributes that the layout makes of other attributes of
// the same item, and that disagree with them. An item alone shows that, so one pass finds the
// drifted keys, and reading the item again confirms them.
type driftCheck struct {
	run    *run
	report *report
	rules  map[*layout.Derived]*driftRule

	mu    sync.Mutex
	found []drifted
	lost  int // how many more there was no memory for
}

// driftRule counts the items that have one derived key.
type driftRule struct{ compared, drifted atomic.Int64 }

// drifted is an item whose derived key disagreed when the pass read it.
type drifted struct {
	kind *layout.Account
	of   *layout.Derived
	key  attr.Key
	// has is the key's value, and should what its attributes make it.
	has    attr.Value
	should string
}

// begin prepares for a first reading.
func (c *driftCheck) begin() {
	c.rules, c.found, c.lost = map[*layout.Derived]*driftRule{}, nil, 0
	if !c.run.o.wants(DriftedKey) {
		return
	}
	for _, a := range c.kinds() {
		for _, d := range a.Derived {
			c.rules[d] = new(driftRule)
		}
	}
}

// kinds returns the kinds of items that may have derived keys.
func (c *driftCheck) kinds() []*layout.Account {
	return slices.Concat(c.run.t.Layout.Accounts, c.run.t.Layout.Keyed)
}

// derived returns the derived keys of all kinds, in the layout's order.
func (c *driftCheck) derived() (all []*layout.Derived) {
	for _, a := range c.kinds() {
		all = append(all, a.Derived...)
	}
	return all
}

// nth returns the derived key with that index, nil if there is none.
func (c *driftCheck) nth(place *int) *layout.Derived {
	if all := c.derived(); place != nil && *place >= 0 && *place < len(all) {
		return all[*place]
	}
	return nil
}

// wanted reports whether drifted keys are looked for.
func (c *driftCheck) wanted() bool {
	return c.run.o.wants(DriftedKey) &&
		slices.ContainsFunc(c.kinds(), func(a *layout.Account) bool { return len(a.Derived) > 0 })
}

// addKeyed compares the derived keys of an item that is no account.
func (v *visitor) addKeyed() {
	for _, kind := range v.run.t.Layout.Keyed {
		if _, ok := kind.Matches(v.from.schema, &v.row); ok && v.from == v.run.sources[0] {
			v.addDerived(kind)
			return
		}
	}
}

// addDerived compares the derived keys of an account, or of an item of Layout.Keyed.
func (v *visitor) addDerived(a *layout.Account) {
	c := v.run.drift
	if !v.pass.first || len(c.rules) == 0 {
		return
	}
	for _, d := range a.Derived {
		if !v.unjudged.hasDerived(c, d) {
			continue
		}
		has, should, compared, off := d.Drift(&v.row)
		if compared {
			c.rules[d].compared.Add(1)
		}
		if off {
			c.rules[d].drifted.Add(1)
			c.add(drifted{a, d, v.itemKey(), has, should})
		}
	}
}

func (c *driftCheck) add(one drifted) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.found) == int(c.run.o.Memory/8/accountBytes) {
		c.lost++
		return
	}
	one.key, one.should = cloneKey(one.key), strings.Clone(one.should)
	one.has.Text = strings.Clone(one.has.Text)
	c.found = append(c.found, one)
}

// confirm reads the items again, and reports the keys that still disagree.
func (c *driftCheck) confirm(ctx context.Context) error {
	if c.lost > 0 {
		need := int64(len(c.found)+c.lost) * 5 / 4 * accountBytes * 8
		c.report.incomplete(
			"more than %s disagree with their items, and no more were followed up: give the check --memory %s",
			phrase.Count(len(c.found), "key"), size(need),
		)
	}
	slices.SortFunc(c.found, func(x, y drifted) int {
		return strings.Compare(x.key.ID()+x.of.Attribute, y.key.ID()+y.of.Attribute)
	})
	var items [][]drifted // the keys of one item each
	for first := 0; first < len(c.found); {
		end := first + 1
		for end < len(c.found) && c.found[end].key.Equal(c.found[first].key) {
			end++
		}
		items, first = append(items, c.found[first:end]), end
	}
	c.run.progress.enter(stageState{Stage: Confirming, total: len(items)})
	defer c.run.progress.leave()
	for some := range slices.Chunk(items, client.MaxBatch) {
		if err := c.confirmSome(ctx, some); err != nil {
			return err
		}
		c.run.progress.step(len(some))
	}
	c.found = nil
	return nil
}

// kindOf returns the kind of an item, nil if it is none of them.
func (c *driftCheck) kindOf(item attr.Item) *layout.Account {
	for _, kind := range c.kinds() {
		if _, ok := kind.Matches(c.run.t.Schema, item); ok {
			return kind
		}
	}
	return nil
}

// confirmSome is confirm for at most client.MaxBatch items.
func (c *driftCheck) confirmSome(ctx context.Context, some [][]drifted) error {
	again := c.run.o.Confirm != ConfirmNone && c.run.t.Layout.Configured
	var items map[string]attr.Item
	if again {
		var keys []attr.Key
		for _, own := range some {
			keys = append(keys, own[0].key)
		}
		var err error
		if items, err = c.run.consistent.Read(ctx, c.run.t.Name, keys); err != nil {
			return err
		}
	}
	for _, own := range some {
		var still []drifted
		for _, one := range own {
			if again {
				item, off := items[one.key.ID()], false
				if one.has, one.should, _, off = one.of.Drift(item); !off || c.kindOf(item) != one.kind {
					continue // corrected since the pass
				}
			}
			still = append(still, one)
		}
		for len(still) > 0 {
			first := still[0]
			alike := func(one drifted) bool { return one.has.Equal(first.has) && one.should == first.should }
			var attributes []string
			for _, one := range still {
				if alike(one) {
					attributes = append(attributes, one.of.Attribute)
				}
			}
			c.report.emit(c.finding(first, attributes, again))
			still = slices.DeleteFunc(still, alike)
		}
	}
	return nil
}

// finding writes the finding of a drifted key. attributes are all attributes of the item that
// have drifted alike: Auth.js keeps one key in GSI1PK and GSI1SK.
func (c *driftCheck) finding(one drifted, attributes []string, sure bool) Finding {
	is, makes := "is", "that"
	if len(attributes) > 1 {
		is, makes = "are", "them"
	}
	f := Finding{
		Kind: DriftedKey, Attribute: one.of.Attribute, Seen: one.has, Expected: one.should, Confirmed: sure,
		Accounts: []attr.Item{one.key.Item()},
		Detail: fmt.Sprintf("The %s of %s %s %s; its %s makes %s %s.", phrase.List(attributes),
			one.key.Hash.Value.Display(), is, phrase.Quote(one.has.Display()), strings.Join(one.of.Of(), " and "), makes,
			phrase.Quote(one.should)),
		Evidence: fmt.Sprintf("Item read at %s, strongly consistent.", phrase.Clock(time.Now())) + notExcludedWords + "an application that writes the key after the attribute, and was between the two.",
	}
	if len(attributes) > 1 {
		f.Attributes = attributes
	}
	if !sure {
		f.Evidence = "Provisional: met once; nothing was read again."
	}
	switch why := c.suspect(one.of); {
	case why != "":
		f.Confirmed, f.SuspectLayout = false, true
		f.Detail += " Not confirmed: " + why + "."
	case !c.run.t.Layout.Configured: // a guessed template may fit by coincidence
		f.Confirmed = false
		f.Detail += fmt.Sprintf(
			" Not confirmed: nearly all items agree with %s, and nobody has said that the key is made so: write the layout into the config.",
			one.of.Template,
		)
	}
	return f
}

// suspect returns why the layout may be wrong rather than the keys: many of them disagree. It
// returns an empty text if few do.
func (c *driftCheck) suspect(d *layout.Derived) string {
	all, off := c.rules[d].compared.Load(), c.rules[d].drifted.Load()
	if all < fewLocks || 100*off <= tooMany*all {
		return ""
	}
	return fmt.Sprintf("%s of %s items disagree, and the template %s may be wrong", phrase.Number(off), phrase.Number(all),
		d.Template)
}
