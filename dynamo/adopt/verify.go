package adopt

import (
	"context"
	"slices"
	"time"

	"tallylock/dynamo/check"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/progress"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
)

// verifyKinds are the findings that disprove a rule. An unnormalised-value is a missing lock, too.
var verifyKinds = []finding.Kind{
	finding.MissingLock, finding.DuplicateValue, finding.ForeignLock, finding.UnnormalisedLock,
}

// VerifyOptions returns the options of the check that verifies a rule. Adopted locks name their accounts, so reading
// each suspicious lock together with its accounts is enough.
func VerifyOptions(o setting.Options) setting.Options {
	o.Only, o.Confirm = verifyKinds, setting.ConfirmReads
	return o
}

// Verify checks the rule, after a wait: an eventually consistent read misses writes of the last moments. It calls found
// for each finding about the rule, and each with the progress. Both may be nil.
//
// If the rule holds, Verified.Since is the end of the check, and not its start. The application's writers make no
// problem: they are verified. So a problem that exists at the end of the check has existed since its start, and a check
// finds each problem that exists from its start to its end. A problem at the start may have disappeared before it was
// read.
func Verify(
	ctx context.Context, r *Rule, s *State, o setting.Options, found func(finding.Finding), each func(progress.State),
) (*Verified, error) {
	v, newest := &Verified{}, time.Time{}
	settle := r.Table.Connection().Settle()
	if each != nil {
		each(progress.State{Stage: progress.Waiting, Until: time.Now().Add(settle)})
	}
	if err := client.Pause(ctx, settle); err != nil {
		v.Why, v.Repeat = "stopped before the check", PhaseVerify
		return v, r.Table.Connection().Explain("waiting before the check", err)
	}
	sum, err := check.Run(ctx, r.Table, VerifyOptions(o), func(f finding.Finding) {
		if !r.concerns(f.Constraint) {
			return
		}
		switch f.Kind {
		case finding.MissingLock, finding.UnnormalisedLock:
			v.Missing++
		case finding.ForeignLock:
			v.Foreign++
		default:
			v.Duplicates++
		}
		newest = later(newest, createdOf(f))
		if found != nil {
			found(f)
		}
	}, each)
	now := time.Now().UTC().Truncate(time.Millisecond)
	v.Unsettled, v.ReadUnits, v.Seconds = int64(sum.Unsettled), sum.ReadUnits, sum.Seconds
	if v.Why = sum.Why; err != nil && v.Why == "" {
		v.Why = err.Error()
	}
	for _, c := range r.Shared {
		v.add(c, sum)
	}
	if v.Repeat = v.repeat(s, newest); v.Repeat == "" {
		v.Since = &now
	}
	return v, err
}

// concerns reports whether a constraint belongs to the rule.
func (r *Rule) concerns(constraint string) bool {
	return slices.ContainsFunc(r.Shared, func(c *layout.Constraint) bool { return c.Name == constraint })
}

// add adds what the summary of the check says of one constraint. A constraint that was not checked makes the result
// incomplete.
func (v *Verified) add(c *layout.Constraint, sum finding.Summary) {
	n := slices.IndexFunc(sum.Checked, func(one finding.Checked) bool { return one.Constraint == c.Name })
	if n >= 0 {
		v.Unfit += sum.Checked[n].Impossible
		return
	}
	if v.Why != "" {
		return
	}
	v.Why = "the constraint " + c.Name + " was not checked"
	for _, left := range sum.NotChecked {
		if left.What == finding.UncheckedConstraints && slices.Contains(left.Names, c.Name) {
			v.Why += ": " + left.Why
		}
	}
}

// repeat returns the phase to repeat; "" if the rule holds. newest is the time of the newest account with a problem, as
// far as the account has a date. An account that is newer than the verified writers came from an old writer.
func (v *Verified) repeat(s *State, newest time.Time) Phase {
	old := s.Writers != nil && !s.Writers.Since.IsZero() && newest.After(s.Writers.Since)
	switch {
	case v.Duplicates+v.Missing > 0 && old:
		return PhaseWriters
	case v.Duplicates+v.Foreign+v.Unfit > 0:
		return PhaseSurvey
	case v.Missing > 0:
		return PhaseBackfill
	case v.Why != "" || v.Unsettled > 0:
		return PhaseVerify
	}
	return ""
}

// createdOf returns the creation time of the newest account in a finding, as far as a date in the account shows it.
func createdOf(f finding.Finding) (newest time.Time) {
	if f.Relation == nil {
		return newest
	}
	for _, a := range f.Relation.Claimants {
		at, _ := createdAt(a.ID, a.Item, time.Now())
		newest = later(newest, at)
	}
	return newest
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
