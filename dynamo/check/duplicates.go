package check

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/ids"
	"tallylock/dynamo/check/join"
	"tallylock/dynamo/check/progress"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/check/twice"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/verdict"
)

// sharing is a value or an id with the items that have it.
type sharing struct {
	text    string
	con     *layout.Constraint // the constraint of a value; nil for an id
	scope   string             // the scope of the value's accounts, by layout.Account.ScopeOf
	series  *ids.Series        // the series of an id; nil for a value
	guessed bool               // the constraint or counter is only guessed, so its items are read only once
	items   []ids.Item
	more    int // the number of further items, which are not kept
}

// maxIDHolders limits how many items with one id are listed.
const maxIDHolders = 10

// addTo records that an item has the value or the id of s. The item has the given key, and print is the fingerprint of
// the value or the id. If the item does not fit in memory, addTo only counts the item.
func (s sharing) addTo(c *twice.Entries[sharing], print uint64, r *join.Room, from *join.Source, key attr.Key) {
	c.At(print, func(have *sharing) {
		if have.con == nil && have.series == nil {
			s.text, s.scope = strings.Clone(s.text), strings.Clone(s.scope)
			*have = s
		}
		switch {
		case slices.ContainsFunc(have.items, func(h ids.Item) bool { return h.From == from && h.Key.Equal(key) }):
			// the item is known already: it holds the value under two constraints
		case have.series != nil && len(have.items) == maxIDHolders, !r.Take(len(have.items)):
			have.more++
		default:
			have.items = append(have.items, ids.Item{ID: have.text, From: from, Key: key.Clone()})
		}
	})
}

// duplicates judges the values and ids that a pass found in several items. It reads the items of one value or id
// together. It reports the value or id if at least two items still have it.
func (r *run) duplicates(ctx context.Context, c *twice.Entries[sharing]) error {
	var all []*sharing
	for _, s := range c.Each {
		if len(s.items) > 1 {
			all = append(all, s)
		}
	}
	slices.SortFunc(all, func(a, b *sharing) int {
		return cmp.Or(strings.Compare(a.text, b.text), strings.Compare(a.scope, b.scope))
	})
	r.progress.Enter(progress.Phase{Stage: progress.Confirming, Total: len(all)})
	defer r.progress.Leave()
	return forEach(ctx, all, func(ctx context.Context, s *sharing) error {
		defer r.progress.Advance(1)
		return r.duplicate(ctx, s)
	})
}

// duplicate judges one value or one id, and reports it if several items have it.
func (r *run) duplicate(ctx context.Context, s *sharing) error {
	slices.SortFunc(s.items, func(a, b ids.Item) int {
		return strings.Compare(a.From.Name+a.Key.ID(), b.From.Name+b.Key.ID())
	})
	now, rest, read := s.items, s.items[:0:0], verdict.ReadOnce
	evidence := "Provisional: each was read only once, at another time."
	if r.o.Confirm != setting.ConfirmNone && !s.guessed {
		now, rest = s.items[:min(len(s.items), maxItems)], s.items[min(len(s.items), maxItems):]
		var places []client.Address
		for _, one := range now {
			places = append(places, client.Address{Table: one.From.Name, Key: one.Key})
		}
		items, apart, err := r.consistent.Moment(ctx, places)
		if r.report.Conflicting(err, 1) {
			return nil
		}
		if err != nil {
			return err
		}
		now = nil
		for n, item := range items {
			if item != nil && r.stillHas(s, s.items[n], item) {
				now = append(now, s.items[n])
			}
		}
		if len(now) < 2 {
			if len(rest)+s.more > 0 {
				r.report.Unsettled() // the items that were not read again may still share the value
			}
			return nil
		}
		read, evidence = verdict.ReadTogether, fmt.Sprintf("%d items read together %s.", len(now), phrase.Clock(time.Now()))
		if apart {
			read, evidence = verdict.ReadAgain, "Provisional: the items were read one after the other, because this endpoint has no transactions."
		}
	}
	f := finding.Finding{Evidence: evidence}
	if s.series != nil {
		f.Confirmed = verdict.JudgeItems(verdict.ItemFacts{
			Read: read, Several: true, Guessed: !setting.SureIDs(s.series.Counter),
		})
		r.ids.describe(&f, s, now)
	} else {
		f.Confirmed = verdict.Judge(r.values.facts(s.con, len(now), read != verdict.ReadTogether)).Sure()
		r.values.describe(&f, s, len(now), slices.Concat(now, rest))
	}
	r.report.Emit(f)
	return nil
}

// stillHas reports whether an item still has the value or the id that a pass read from the item.
func (r *run) stillHas(s *sharing, h ids.Item, item attr.Item) bool {
	if s.series != nil {
		return r.ids.StillHas(s.series.Counter, h, item)
	}
	return r.values.holds(item, s)
}

func (c *idCheck) describe(f *finding.Finding, s *sharing, items []ids.Item) {
	f.Kind, f.ID = finding.DuplicateID, s.text
	f.Counter = s.series.Counter.NameOf(c.Table.Name, c.Table.Schema, s.series.Key)
	f.Detail = fmt.Sprintf("%d items carry the id %s of the counter %s.", len(items), phrase.Group(s.text), f.Counter)
	if s.more > 0 {
		f.Detail += fmt.Sprintf(" %s more had it when they were read; they are not listed.", phrase.Number(s.more))
	}
	for _, one := range items {
		f.Items = append(f.Items, c.PlaceOf(one))
	}
}

// describe fills in a finding about a duplicate value. The first n of the accounts were read together.
func (c *valueCheck) describe(f *finding.Finding, s *sharing, n int, accounts []ids.Item) {
	f.Kind, f.Constraint, f.Value, f.MoreAccounts = finding.DuplicateValue, s.con.Name, s.text, s.more
	f.Detail = fmt.Sprintf("%d accounts hold the %s %s, and %s.", n, s.con.Name, phrase.Quote(s.text), whyUnkept(s.con)) +
		soDidMore(len(accounts)-n, s.more)
	for _, one := range accounts {
		f.Accounts = append(f.Accounts, one.Key.Item())
	}
}

// soDidMore returns a sentence about further accounts. They held the value in a pass, and were not read again. listed
// counts the further accounts whose keys are in the finding. lost counts those that did not fit in memory.
func soDidMore(listed, lost int) string {
	if listed+lost == 0 {
		return ""
	}
	said := fmt.Sprintf(" %s more held it when they were read.", phrase.Number(listed+lost))
	if lost > 0 {
		said += fmt.Sprintf(" %s of them are not listed, because memory was too small.", phrase.Number(lost))
	}
	return said
}
