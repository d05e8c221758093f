package check

import (
	"fmt"
	"slices"
	"strings"

	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/phrase"
)

// summarise fills in the summary: the counts of the whole table, the findings that are gone, and everything that
// increments do not show.
func (i *increments) summarise(after map[uint64]finding.Kind) {
	r := i.run
	s := &r.report.Summary
	s.Items, s.Accounts, s.Locks = r.count.items, r.count.accounts, 0
	for n, of := range r.rules.All {
		counts := &r.count.rules[n]
		s.Locks += counts.locks
		if of.Guessed() {
			s.AddNotChecked(finding.UncheckedConstraints, "the layout is only a guess", false, of.Name)
			continue
		}
		if of.Misfit {
			s.AddNotChecked(finding.UncheckedConstraints, "the layout's rule does not fit the table", of.State.Sure(), of.Name)
			continue
		}
		s.Checked = append(s.Checked, finding.Checked{
			Constraint: of.Name, State: stateOf(of.State), Locks: &counts.locks, Accounts: &counts.claims,
			Impossible: counts.impossible,
		})
		if !of.First.Owned && of.Owner != "" {
			s.AddNotChecked(finding.UncheckedFindings, "not every "+of.Name+" lock names an account",
				slices.Contains(r.o.Only, finding.ForeignLock), string(finding.ForeignLock))
		}
	}
	r.count.marks.tell(s)
	r.noteImpossible()
	noteReserved(r)
	i.sayNotChecked()
	i.sayUnsettled()
	i.sayGone(after)
	r.report.Note("read %s in %s: the changes from %s until %s. The full export is from %s",
		phrase.Count(i.items(), "change"), phrase.Count(len(i.windows), "window"), phrase.UTC(i.from.At), phrase.UTC(r.at),
		phrase.UTC(i.from.Base))
}

// sayNotChecked lists everything that increments do not show.
func (i *increments) sayNotChecked() {
	r := i.run
	s := &r.report.Summary
	const why = "increments do not show all items with the same value: check a full export"
	for _, con := range r.t.Layout.Unlocked() {
		if r.o.Wants(finding.DuplicateValue) {
			s.AddNotChecked(finding.UncheckedConstraints, why, con.State.Sure(), con.Name)
		}
	}
	for _, of := range r.rules.All {
		if of.Compared() && r.o.Wants(finding.DuplicateValue) {
			s.AddNotChecked(finding.UncheckedFindings, "the values of "+of.Name+" were not compared with each other", true,
				string(finding.DuplicateValue))
		}
	}
	for _, l := range r.t.Layout.Counters {
		if r.o.WantsCounters() {
			s.AddNotChecked(finding.UncheckedCounters, "increments do not show all ids: check a full export", l.State.Sure(),
				r.nameOfCounter(l))
		}
	}
	if r.o.Wants(finding.ExpiringAccount) {
		s.AddNotChecked(finding.UncheckedFindings,
			"a check of increments does not look for expiring accounts: check a full export",
			len(r.o.Only) > 0, string(finding.ExpiringAccount))
	}
	if keys := r.drift.derived(); r.o.Wants(finding.DriftedKey) && len(keys) > 0 {
		var names []string
		for _, d := range keys {
			names = append(names, d.Attribute)
		}
		slices.Sort(names)
		s.AddNotChecked(finding.UncheckedFindings,
			"a check of increments does not compare "+phrase.List(slices.Compact(names))+" with the other attributes of an item: check a full export",
			r.t.Layout.Configured || len(r.o.Only) > 0, string(finding.DriftedKey))
	}
}

// sayUnsettled lists the values that the check cannot judge, because some of their items did not change.
func (i *increments) sayUnsettled() {
	var values []string
	for _, k := range i.run.open {
		if k.Unsettled {
			values = append(values, k.Rule.Name+" "+phrase.Quote(k.Value))
		}
	}
	slices.Sort(values)
	i.run.report.Summary.AddNotChecked(finding.UncheckedValues,
		"the increments do not show all locks and accounts of a value, so the value may be broken: check a full export", true,
		values...)
}

// mostGone is the greatest number of gone findings that the note names.
const mostGone = 10

// sayGone counts and names the findings of the state that are gone.
func (i *increments) sayGone(after map[uint64]finding.Kind) {
	var gone []string
	for place, kind := range i.before {
		// A finding may still exist if its rule no longer fits, if nobody asked for its kind, or if its key is
		// unsettled.
		k := i.run.open[place]
		if after[place] == "" && !k.Rule.Misfit && !k.Unsettled && i.run.o.Wants(kind) {
			gone = append(gone, fmt.Sprintf("%s %s %s", kind, k.Rule.Name, phrase.Quote(k.Value)))
		}
	}
	if len(gone) == 0 {
		return
	}
	i.run.report.Summary.Gone = len(gone)
	slices.Sort(gone)
	names := strings.Join(gone[:min(len(gone), mostGone)], ", ")
	if more := len(gone) - mostGone; more > 0 {
		names += " and " + phrase.Number(more) + " more"
	}
	i.run.report.Note("gone since the state was made: %s (%s)", phrase.Count(len(gone), "finding"), names)
}
