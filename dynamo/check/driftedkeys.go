package check

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/join"
	"tallylock/dynamo/check/progress"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/remedy"
	"tallylock/dynamo/verdict"
)

// driftCheck finds drifted keys. A derived key is a key attribute that the layout composes of other attributes of the
// same item. A drifted key disagrees with those attributes. The item alone shows whether its key has drifted, so one
// pass finds all drifted keys. Reading the items again confirms the findings.
type driftCheck struct {
	run   *run
	rules map[*layout.Derived]*driftRule

	mu    sync.Mutex
	found map[string]*drifted // by item key, actual value and expected value
	lost  int                 // the number of drifted keys that did not fit in memory
}

// driftRule counts, for one derived key, the items that were compared and the items whose key has drifted.
type driftRule struct{ compared, drifted atomic.Int64 }

// drifted is an item with one or more drifted keys. All of these keys have the same actual value and the same expected
// value. For example, Auth.js writes the same key to GSI1PK and GSI1SK.
type drifted struct {
	kind *layout.Account
	of   []*layout.Derived
	key  attr.Key
	// The actual and the expected value of the drifted keys. The expected value is made of the item's other attributes.
	has    attr.Value
	should string
}

// begin drops the results of an earlier try. The check may need several tries for its first pass.
func (c *driftCheck) begin() {
	c.rules, c.found, c.lost = map[*layout.Derived]*driftRule{}, map[string]*drifted{}, 0
	if !c.run.o.Wants(finding.DriftedKey) {
		return
	}
	for _, a := range c.kinds() {
		for _, d := range a.Derived {
			c.rules[d] = new(driftRule)
		}
	}
}

// kinds returns the kinds of items that may have derived keys: accounts and the items of Layout.Keyed.
func (c *driftCheck) kinds() []*layout.Account {
	return slices.Concat(c.run.t.Layout.Accounts, c.run.t.Layout.Keyed)
}

// derived returns the derived keys of all kinds. They are in the layout's order, since SQL names a derived key by its
// index.
func (c *driftCheck) derived() (all []*layout.Derived) {
	for _, a := range c.kinds() {
		all = append(all, a.Derived...)
	}
	return all
}

// nth returns the derived key whose index SQL has written. It returns nil if place is nil or out of range.
func (c *driftCheck) nth(place *int) *layout.Derived {
	if all := c.derived(); place != nil && *place >= 0 && *place < len(all) {
		return all[*place]
	}
	return nil
}

func (c *driftCheck) wanted() bool {
	return c.run.o.Wants(finding.DriftedKey) &&
		slices.ContainsFunc(c.kinds(), func(a *layout.Account) bool { return len(a.Derived) > 0 })
}

// addKeyed looks for drifted keys in the current item, if the item is of a kind in Layout.Keyed.
func (v *visitor) addKeyed() {
	for _, kind := range v.run.t.Layout.Keyed {
		if _, ok := kind.Matches(v.from.Schema, &v.row); ok && v.from == v.run.sources[0] {
			v.addDerived(kind)
			return
		}
	}
}

// addDerived looks for drifted keys in the current item. The item is an account, or of a kind in Layout.Keyed.
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
			c.add(a, d, v.itemKey(), has, should)
		}
	}
}

func (c *driftCheck) add(kind *layout.Account, of *layout.Derived, key attr.Key, has attr.Value, should string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := key.ID() + has.Display() + "\x00" + should
	one := c.found[at]
	if one == nil {
		if len(c.found) == int(c.run.o.Memory/8/join.AccountBytes) {
			c.lost++
			return
		}
		has.Text = strings.Clone(has.Text)
		one = &drifted{kind: kind, key: key.Clone(), has: has, should: strings.Clone(should)}
		c.found[at] = one
	}
	one.of = append(one.of, of)
}

// confirm reads the items with drifted keys again, and reports the keys that still disagree.
func (c *driftCheck) confirm(ctx context.Context) error {
	if c.lost > 0 {
		need := int64(len(c.found)+c.lost) * 5 / 4 * join.AccountBytes * 8
		c.run.report.IncompleteUntil(remedy.Of(remedy.MoreMemory, setting.Advice(need)),
			"more than %s disagree with their items; the rest were not followed up", phrase.Count(len(c.found), "key"))
	}
	c.run.progress.Enter(progress.Phase{Stage: progress.Confirming, Total: len(c.found)})
	defer c.run.progress.Leave()
	for some := range slices.Chunk(slices.Sorted(maps.Keys(c.found)), client.MaxBatch) {
		if err := c.confirmSome(ctx, some); err != nil {
			return err
		}
		c.run.progress.Advance(len(some))
	}
	c.found = nil
	return nil
}

func (c *driftCheck) kindOf(item attr.Item) *layout.Account {
	for _, kind := range c.kinds() {
		if _, ok := kind.Matches(c.run.t.Schema, item); ok {
			return kind
		}
	}
	return nil
}

// confirmSome confirms as many entries of found as one request can read.
func (c *driftCheck) confirmSome(ctx context.Context, some []string) error {
	again := c.run.o.Confirm != setting.ConfirmNone && c.run.t.Layout.Configured
	var items map[string]attr.Item
	if again {
		keys := map[string]attr.Key{}
		for _, at := range some {
			keys[c.found[at].key.ID()] = c.found[at].key
		}
		var err error
		if items, err = c.run.consistent.Read(ctx, c.run.t.Name, slices.Collect(maps.Values(keys))); err != nil {
			return err
		}
	}
	for _, at := range some {
		one := c.found[at]
		if !again {
			c.run.report.Emit(c.finding(one, verdict.ReadOnce))
			continue
		}
		item := items[one.key.ID()]
		if c.kindOf(item) != one.kind {
			continue
		}
		for len(one.of) > 0 {
			now := &drifted{kind: one.kind, key: one.key} // drifted keys with the same actual and expected value
			one.of = slices.DeleteFunc(one.of, func(of *layout.Derived) bool {
				has, should, _, off := of.Drift(item)
				if off && (now.of == nil || has.Equal(now.has) && should == now.should) {
					now.of, now.has, now.should = append(now.of, of), has, should
					return true
				}
				return !off // the key was corrected after the pass
			})
			if now.of != nil {
				c.run.report.Emit(c.finding(now, verdict.ReadAgain))
			}
		}
	}
	return nil
}

func (c *driftCheck) finding(one *drifted, read verdict.ItemsRead) finding.Finding {
	var attributes []string
	for _, of := range one.of {
		attributes = append(attributes, of.Attribute)
	}
	of := one.of[0]
	is := "is"
	if len(attributes) > 1 {
		is = "are"
	}
	f := finding.Finding{
		Kind: finding.DriftedKey, Attribute: of.Attribute, Seen: one.has, Expected: one.should,
		Accounts: []attr.Item{one.key.Item()}, Layout: config.HashOfKey(c.run.t.Layout, one.kind, of),
		Detail: fmt.Sprintf("The %s of %s %s %s, but the value made from its %s is %s.", phrase.List(attributes),
			one.key.Hash.Value.Display(), is, phrase.Quote(one.has.Display()), strings.Join(of.Of(), " and "),
			phrase.Quote(one.should)),
		Evidence: fmt.Sprintf("Item read at %s, strongly consistent.", phrase.Clock(time.Now())) + finding.NotExcluded + "an application that had written the attribute, and not yet the key.",
	}
	if len(attributes) > 1 {
		f.Attributes = attributes
	}
	if read == verdict.ReadOnce {
		f.Evidence = "Provisional: read only once."
	}
	why, guessed := c.suspect(of), !c.run.t.Layout.Configured // a guessed template may fit the sample by coincidence
	f.SuspectLayout = why != ""
	f.Confirmed = verdict.JudgeItems(verdict.ItemFacts{Read: read, Guessed: guessed, Suspect: f.SuspectLayout})
	switch {
	case f.SuspectLayout:
		f.Detail += " Not confirmed: " + why + "."
	case guessed:
		f.Detail += fmt.Sprintf(
			" Not confirmed: nearly all items agree with %s, but the layout is only a guess: write it into the config.",
			of.Template,
		)
	}
	return f
}

// suspect returns a reason to doubt the layout if many keys disagree: then the layout is probably wrong, not the keys.
// Otherwise the text is empty.
func (c *driftCheck) suspect(d *layout.Derived) string {
	all, off := c.rules[d].compared.Load(), c.rules[d].drifted.Load()
	if all < fewLocks || 100*off <= tooMany*all {
		return ""
	}
	return fmt.Sprintf("%s of %s items disagree, so the template %s may be wrong", phrase.Number(off), phrase.Number(all),
		d.Template)
}
