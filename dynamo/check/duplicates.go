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
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/remedy"
	"tallylock/dynamo/verdict"
)

// sharing is a value or an id, with its items. A sharing is small, because there may be very many.
type sharing struct {
	text    string
	con     *layout.Constraint // the constraint of a value; nil for an id
	space   *layout.Constraint // by valueCheck.space
	scope   string             // the scope of the value's accounts, by layout.Account.ScopeOf
	series  *ids.Series        // the series of an id; nil for a value
	guessed bool               // the constraint or counter is only guessed, so its items are read only once
	items   []holding
	more    int // the number of further items, which are not kept
}

// holding is an item that has a value or an id.
type holding struct {
	from       *join.Source
	hash, sort string // the texts of the item's key
}

func (h holding) item(id string) ids.Item {
	return ids.Item{ID: id, From: h.from, Key: h.from.Schema.KeyFrom(h.hash, h.sort)}
}

// is reports whether both are the same value or the same id.
func (s *sharing) is(other *sharing) bool {
	if s.text != other.text || s.scope != other.scope || s.space != other.space {
		return false
	}
	return s.series == other.series || s.series != nil && other.series != nil && s.series.Same(other.series)
}

// constraint returns the constraint's name; empty for an id.
func (s *sharing) constraint() string {
	if s.con == nil {
		return ""
	}
	return s.con.Name
}

// maxIDHolders is the greatest number of listed items with one id.
const maxIDHolders = 10

// addSharing records that the current item has the value or the id of s, whose fingerprint is print. An account that
// holds a value under two constraints counts once.
func (v *visitor) addSharing(to *twice.Entries[sharing], s *sharing, print uint64, key attr.Key) {
	for n := range v.shared {
		if v.shared[n].is(s) {
			return
		}
	}
	v.shared = append(v.shared, *s)
	s.addTo(to, print, v.pass.room, v.from, key)
}

// addTo records that an item has the value or the id of s. The item has the given key. If the item does not fit in
// memory, addTo only counts the item. In a check of SQL's candidates, a row and a visitor may both add the same item,
// so addTo first looks for the item. It looks at no more than maxItems items, because rows list few.
func (s *sharing) addTo(c *twice.Entries[sharing], print uint64, r *join.Room, from *join.Source, key attr.Key) {
	one := holding{from, key.Hash.Value.Text, key.Range.Value.Text}
	s.at(c, print, func(have *sharing) {
		switch {
		case slices.Contains(have.items[:min(len(have.items), maxItems)], one):
		case have.series != nil && len(have.items) == maxIDHolders, !r.Take(len(have.items)):
			have.more++
		default:
			one.hash, one.sort = strings.Clone(one.hash), strings.Clone(one.sort)
			have.items = append(have.items, one)
		}
	})
}

// at calls take with the entry of the value or the id of s. If two values have the same fingerprint, the entry of the
// second one is at the next fingerprint that is free.
func (s *sharing) at(c *twice.Entries[sharing], print uint64, take func(*sharing)) {
	size := setting.SizeOfShared(len(s.text) + len(s.scope))
	for found := false; !found; print++ {
		if !c.AtSized(print, size, func(have *sharing) {
			if have.con == nil && have.series == nil {
				*have = *s
				have.text, have.scope = strings.Clone(s.text), strings.Clone(s.scope)
			}
			if found = have.is(s); found {
				if s.con != nil && s.con.Name < have.con.Name {
					have.con = s.con // so that every check names the same constraint
				}
				take(have)
			}
		}) {
			return
		}
	}
}

// findTwice finds the values and ids that occurred twice in the first pass.
func (r *run) findTwice(ctx context.Context) error {
	if r.values.prints == nil && r.ids.prints == nil {
		return nil
	}
	r.progress.Enter(progress.Phase{Stage: progress.Comparing})
	defer r.progress.Leave()
	for _, of := range []struct {
		what   string
		prints *twice.Prints
	}{{"value", r.values.prints}, {"id", r.ids.prints}} {
		if of.prints == nil {
			continue
		}
		err := of.prints.Find(ctx)
		if err != nil && ctx.Err() != nil {
			return progress.Stopped(ctx)
		}
		if err != nil {
			if of.prints == r.values.prints {
				r.values.failed = true
			} else {
				r.report.Summary.AddNotChecked(finding.UncheckedFindings, "the ids were not compared with each other", true,
					string(finding.DuplicateID))
			}
			r.report.IncompleteUntil(remedy.Of(remedy.OtherTemp), "the %ss were not compared with each other: writing temporary files to %s failed: %s",
				of.what, twice.TempDir(r.o.Temp), phrase.WithoutPath(err))
		} else if kept, more := of.prints.Found(); more > 0 {
			r.report.IncompleteUntil(remedy.Of(remedy.RepairAndCheck), "%s occurred at least twice in the first reading; the check followed up %s of them",
				phrase.Count(int64(kept)+more, of.what), phrase.Number(kept))
		}
	}
	return nil
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
	var all []ids.Item
	for _, one := range s.items {
		all = append(all, one.item(s.text))
	}
	slices.SortFunc(all, func(a, b ids.Item) int {
		return strings.Compare(a.From.Name+a.Key.ID(), b.From.Name+b.Key.ID())
	})
	now, rest, read := all, all[:0:0], verdict.ReadOnce
	evidence := "Provisional: each item was read only once, at different times."
	if r.o.Confirm != setting.ConfirmNone && !s.guessed {
		now, rest = all[:min(len(all), maxItems)], all[min(len(all), maxItems):]
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
			if item != nil && r.stillHas(s, all[n], item) {
				now = append(now, all[n])
			}
		}
		if len(now) < 2 {
			if len(rest)+s.more > 0 { // the items that were not read again may still share the value
				r.report.UnsettledValue(s.constraint(), s.text)
			}
			return nil
		}
		read, evidence = verdict.ReadTogether, fmt.Sprintf("%d items read together at %s.", len(now), phrase.Clock(time.Now()))
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
	f.Kind, f.ID, f.MoreItems = finding.DuplicateID, s.text, s.more
	f.Layout = config.HashOfCounter(s.series.Counter)
	f.Counter = s.series.Counter.NameOf(c.Table.Name, c.Table.Schema, s.series.Key)
	f.Detail = fmt.Sprintf("%d items carry the id %s of the counter %s.", len(items), phrase.Group(s.text), f.Counter)
	if s.more > 0 {
		f.Detail += fmt.Sprintf(" %s more had this id when they were read; they are not listed.", phrase.Number(s.more))
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
	said := fmt.Sprintf(" %s more held the value when they were read.", phrase.Number(listed+lost))
	if lost > 0 {
		said += fmt.Sprintf(" %s of them are not listed, because memory was too small.", phrase.Number(lost))
	}
	return said
}
