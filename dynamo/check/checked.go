package check

import (
	"context"
	"slices"
	"strings"

	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/join"
	"tallylock/dynamo/layout"
)

// sayChecked lists in the summary the constraints, keys, counters and tables that were checked, and
// those that were not.
func (r *run) sayChecked() {
	s := &r.report.Summary
	for _, of := range r.rules.All {
		name := of.Constraint.Name
		switch counts := r.count.rules[of.Number]; {
		case !r.o.WantsLocks():
			s.AddNotChecked(finding.UncheckedConstraints, r.o.LeftOut(), false, name)
		case of.Misfit:
			s.AddNotChecked(finding.UncheckedConstraints, "the layout's rule does not fit the table", of.State.Sure(), name)
		default:
			s.Checked = append(s.Checked, finding.Checked{
				Constraint: name, State: stateOf(of.State), Locks: &counts.locks, Accounts: &counts.claims,
				Impossible: counts.impossible,
			})
			if r.values.failed && r.values.taken[of.Constraint] != nil {
				s.AddNotChecked(finding.UncheckedFindings, "the values of "+name+" were not compared with each other", true,
					string(finding.DuplicateValue))
			}
		}
	}
	for _, con := range r.t.Layout.Unlocked() {
		if !r.o.Wants(finding.DuplicateValue) {
			s.AddNotChecked(finding.UncheckedConstraints, r.o.LeftOut(), false, con.Name)
			continue
		}
		if r.values.failed && r.values.followed(con) {
			s.AddNotChecked(finding.UncheckedConstraints, "its values were not compared with each other", true, con.Name)
			continue
		}
		values := r.values.taken[con].Load()
		s.Checked = append(s.Checked, finding.Checked{Constraint: con.Name, State: stateOf(con.State), Accounts: &values})
	}
	for _, d := range r.drift.derived() {
		if of := r.drift.rules[d]; of != nil {
			state, items := layout.Guessed, of.compared.Load()
			if r.t.Layout.Configured {
				state = layout.Described
			}
			s.Checked = append(s.Checked, finding.Checked{Key: d.Attribute, State: state, Accounts: &items})
		}
	}
	for _, l := range r.t.Layout.Counters {
		r.sayCounter(l)
	}
	r.sayAsked()
	if s.LayoutState == layout.Guessed {
		s.AddNotChecked(finding.UncheckedTables, "not searched for locks or ids of "+r.t.Name, false,
			r.t.Sample.Unlooked...)
	}
}

// saySuggested lists constraints and counters as not checked if the sample suggests them but the config does not
// describe them.
func (r *run) saySuggested() {
	if len(r.o.Only) > 0 {
		return
	}
	constraints, counters := r.t.Sample.Suggested()
	const why = "suggested by the sample, but not described in the config"
	r.report.Summary.AddNotChecked(finding.UncheckedConstraints, why, false, constraints...)
	r.report.Summary.AddNotChecked(finding.UncheckedCounters, why, false, counters...)
}

// saySuspicious lists undescribed items as not checked if they look like counters or locks.
func (r *run) saySuspicious(ctx context.Context) error {
	read := r.consistent.Read
	if r.o.ExportOnly() {
		read = nil
	}
	counters, locks, err := r.shapes.Suspicious(ctx, r.t, read)
	s := &r.report.Summary
	s.AddNotChecked(finding.UncheckedItems, "items that look like counters, but are not described", false, counters...)
	s.AddNotChecked(finding.UncheckedItems, "items that look like locks, but are not described", false, locks...)
	return err
}

// sayCounter lists a counter as checked or as not checked.
func (r *run) sayCounter(l *layout.Counter) {
	s, name := &r.report.Summary, r.nameOfCounter(l)
	switch why := r.ids.Uncompared; {
	case !r.o.WantsCounters():
		s.AddNotChecked(finding.UncheckedCounters, r.o.LeftOut(), false, name)
	case why != "":
		s.AddNotChecked(finding.UncheckedCounters, why, l.State.Sure(), name)
	case len(l.IDs) == 0 && l.Semantics != layout.Tally && l.Resets == "":
		asked := slices.Contains(r.o.Only, finding.CounterBehind) || slices.Contains(r.o.Only, finding.CounterMissing)
		s.AddNotChecked(finding.UncheckedCounters, "no known ids to compare with", asked, name)
		if l.State.Sure() { // the number was checked, but not against ids
			s.Checked = append(s.Checked, finding.Checked{Counter: name, State: stateOf(l.State)})
		}
	default:
		c := finding.Checked{Counter: name, State: stateOf(l.State)}
		for n := range l.IDs {
			c.IDs = append(c.IDs, r.placeOfIDs(&l.IDs[n]))
		}
		s.Checked = append(s.Checked, c)
	}
}

// sayAsked lists each kind of findings that a person requested but the check could not look for. The reason is that the
// layout cannot have such findings, or that the TTL attributes are unknown. In a check of all kinds, only an unknown
// TTL attribute is a reason.
func (r *run) sayAsked() {
	rules := r.t.Layout.Rules()
	ids := slices.ContainsFunc(r.sources, func(from *join.Source) bool { return len(r.idFields[from]) > 0 })
	for _, kind := range r.o.Only {
		why := ""
		switch {
		case kind == finding.DuplicateValue && len(rules) == 0,
			kind.OfLocks() && kind != finding.DuplicateValue && len(r.rules.All) == 0:
			why = "the layout has no locks"
		case kind == finding.DriftedKey && len(r.drift.derived()) == 0:
			why = "the layout has no derived keys"
		case kind.Rests() == finding.OnCounters && len(r.t.Layout.Counters) == 0:
			why = "the layout has no counters"
		case kind == finding.DuplicateID && !ids:
			why = "the layout does not say where ids are"
		case kind == finding.ExpiringAccount:
			why = r.expiry.unknown
		}
		if why != "" {
			r.report.Summary.AddNotChecked(finding.UncheckedFindings, why, true, string(kind))
		}
	}
	if why := r.expiry.unknown; why != "" && len(r.o.Only) == 0 && len(r.rules.All) > 0 {
		r.report.Summary.AddNotChecked(finding.UncheckedFindings, why, false, string(finding.ExpiringAccount))
	}
}

func stateOf(s layout.State) layout.State {
	if s == "" {
		return layout.Guessed
	}
	return s
}

// nameOfCounter returns the name that the layout gives a counter. Without a name, a single counter is called after its
// table, and a family of counters after the templates of its key.
func (r *run) nameOfCounter(l *layout.Counter) string {
	switch {
	case l.Name != "":
		return l.Name
	case l.KeyIsValue(r.t.Schema) || l.Fixed(r.t.Schema):
		return r.t.Name
	}
	name := l.PK.String()
	if sk := l.SK.String(); sk != "" && sk != name && sk != "{pk}" {
		name += " / " + sk
	}
	return name
}

// placeOfIDs names the place of a counter's ids: the attribute, or the templates of the key. It adds the name of the
// table if the ids are not in the accounts' table.
func (r *run) placeOfIDs(ids *layout.IDs) string {
	place := ids.Attribute
	if place == "" {
		place = strings.TrimSuffix(ids.PK.String()+" / "+ids.SK.String(), " / ")
	}
	if table := ids.TableOf(r.t.Name); table != r.t.Name {
		place += " of " + table
	}
	return place
}
