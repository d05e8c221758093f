package findings

import (
	"slices"

	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/progress"
	"tallylock/ui/kit"
	"tallylock/ui/say"
)

// A running check lists locks without an account as suspects, until it confirms or drops them. Suspects are
// not findings: no command changes, marks, copies or saves them.

// whySuspect is the reason why commands do nothing for a suspect.
const whySuspect = "the check has not confirmed it yet"

// newSuspect returns the row of a suspect.
func newSuspect(t string, s progress.Suspect) *row {
	f := finding.Finding{
		Kind: s.Kind, Table: t, Constraint: s.Constraint, Value: s.Value, Lock: s.Lock, Detail: say.Suspected(s),
	}
	if s.Table != t {
		f.LockTable = s.Table
	}
	r := newRow(f)
	r.suspect = true
	return r
}

// suspect lists the suspects of a running check in place of the former ones. It leaves out suspects that have become
// findings.
func (r *run) suspect(all []progress.Suspect) {
	r.suspects = nil
	for _, s := range all {
		r.suspects = append(r.suspects, newSuspect(r.table.Name, s))
	}
	r.regroup()
	r.settle(r.all)
}

func sameSuspect(a, b progress.Suspect) bool {
	return a.Constraint == b.Constraint && a.Value == b.Value
}

// subject identifies the lock of a row among all locks of the table.
func (x *row) subject() [2]string { return [2]string{x.f.Constraint, x.f.Value} }

// settle removes the suspects that have become findings. A finding takes over the cursor of its suspect.
func (r *run) settle(found []*row) {
	chosen, before := r.selected(), len(r.suspects)
	for _, x := range found {
		r.suspects = slices.DeleteFunc(r.suspects, func(s *row) bool { return s.subject() == x.subject() })
	}
	if len(r.suspects) == before {
		return
	}
	r.regroup()
	if chosen != nil && chosen.suspect && r.list.Lost {
		r.choose(chosen)
	}
}

// choose selects the finding of a suspect. If the suspect has not become a finding, no row is selected.
func (r *run) choose(suspect *row) {
	for _, x := range r.all {
		if x.subject() == suspect.subject() {
			r.list.To(r.lines(), x.name())
			return
		}
	}
}

// suspectBeneath draws the detail of a suspect.
func (r *run) suspectBeneath(d *kit.Block, x *row) {
	d.Verdict(say.Finding(x.f), x.f.Detail)
	var facts []kit.Fact
	for _, i := range say.FindingItems(r.table, x.f) {
		facts = append(facts, kit.Text.Says("lock", i.Key.String()))
	}
	d.Facts(append(facts, kit.Text.Says("then", say.SuspectLater))...)
}
