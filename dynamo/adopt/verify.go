package adopt

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"tallylock/dynamo/check"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/progress"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
)

// verifyKinds are the findings that disprove a rule. An UnnormalisedLock counts as a missing lock.
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
// If the rule holds, Verified.Since is the end of the check, and not its start. The application's writers were
// verified, so they cause no problems. So a problem that exists at the end of the check has existed since its start,
// and a check finds each problem that exists from its start to its end. A problem at the start may have disappeared
// before it was read.
func Verify(
	ctx context.Context, r *Rule, s *State, o setting.Options, found func(finding.Finding), each func(progress.State),
) (*Verified, error) {
	v := &Verified{Begun: time.Now().UTC()}
	settle := r.Table.Connection().Settle()
	if each != nil {
		each(progress.State{Stage: progress.Waiting, Until: time.Now().Add(settle)})
	}
	if err := client.Pause(ctx, settle); err != nil {
		v.Why, v.Repeat = "stopped before the check", PhaseVerify
		return v, r.Table.Connection().Explain("waiting before the check", err)
	}
	unfit, seen, o := &unfitAccounts{r: r}, int64(0), VerifyOptions(o)
	o.Accounts = unfit.begin
	doubts := &Verified{} // findings that no second reading has confirmed
	var unowned atomic.Bool
	o.Unowned = func(constraint string) {
		if r.concerns(constraint) {
			unowned.Store(true)
		}
	}
	sum, err := check.Run(ctx, r.Table, o, func(f finding.Finding) {
		switch {
		case !r.concerns(f.Constraint):
			return
		case r.unfit(f):
			seen++
			return
		}
		if f.Confirmed {
			v.count(r, s.Writers, f)
		} else {
			doubts.count(r, s.Writers, f)
		}
		if found != nil {
			found(f)
		}
	}, each)
	if err == nil { // without the second readings, a correct sign-up may look like a problem
		v.add(doubts)
	}
	now := time.Now().UTC().Truncate(time.Millisecond) // the end of the check
	v.Unsettled, v.ReadUnits, v.Seconds = int64(sum.Unsettled), sum.ReadUnits, sum.Seconds
	reader, failed := r.Table.Connection().Reader(), error(nil)
	if v.UnfitValues, v.Unfit, failed = unfit.read(ctx, reader); err == nil {
		err = failed
	}
	v.Unfit, v.ReadUnits = max(v.Unfit, seen), v.ReadUnits+reader.Units
	if owners := comparedOwners(sum); err == nil && (unowned.Load() || !owners) {
		err = v.surveyForeign(ctx, r, o, !owners, each)
	}
	if v.Why = sum.Why; err != nil && v.Why == "" {
		v.Why = err.Error()
	}
	for _, c := range r.Shared {
		v.require(c, sum)
	}
	if v.Repeat = v.repeat(); v.Repeat == "" {
		v.Since = &now
	}
	return v, err
}

// comparedOwners reports whether the check has compared the owners of all locks with the accounts.
func comparedOwners(sum finding.Summary) bool {
	return !slices.ContainsFunc(sum.NotChecked, func(n finding.NotChecked) bool {
		return n.What == finding.UncheckedFindings && slices.Contains(n.Names, string(finding.ForeignLock))
	})
}

// surveyForeign counts the locks that name no account although an account holds the value. Such a lock keeps the value
// unique, so a check does not report it. But the printed transactions refuse to change or delete it. If the check has
// compared no owners, the caller sets the parameter all. Then surveyForeign also counts the locks that name another
// account.
func (v *Verified) surveyForeign(
	ctx context.Context, r *Rule, o setting.Options, all bool, each func(progress.State),
) error {
	s, err := Survey(ctx, r, o, func(p Problem) {
		if p.Kind == ForeignLock && (all || p.Owner == "") {
			v.Foreign++
		}
	}, each)
	v.ReadUnits, v.Seconds = v.ReadUnits+s.ReadUnits, v.Seconds+s.Seconds
	return err
}

// count counts a finding about the rule.
func (v *Verified) count(r *Rule, w *Writers, f finding.Finding) {
	switch f.Kind {
	case finding.MissingLock, finding.UnnormalisedLock:
		v.Missing++
	case finding.ForeignLock:
		v.Foreign++
		return
	default:
		v.Duplicates++
	}
	v.addAges(r, w, f, time.Now())
}

// add adds the counts of further findings.
func (v *Verified) add(of *Verified) {
	v.Missing += of.Missing
	v.Duplicates += of.Duplicates
	v.Foreign += of.Foreign
	v.Newer += of.Newer
	v.MaybeNewer += of.MaybeNewer
}

// concerns reports whether a constraint belongs to the rule.
func (r *Rule) concerns(constraint string) bool {
	return slices.ContainsFunc(r.Shared, func(c *layout.Constraint) bool { return c.Name == constraint })
}

// require makes the result incomplete if the check left out a constraint.
func (v *Verified) require(c *layout.Constraint, sum finding.Summary) {
	checked := slices.ContainsFunc(sum.Checked, func(one finding.Checked) bool { return one.Constraint == c.Name })
	if checked || v.Why != "" {
		return
	}
	v.Why = "the constraint " + c.Name + " was not checked"
	for _, left := range sum.NotChecked {
		if left.What == finding.UncheckedConstraints && slices.Contains(left.Names, c.Name) {
			v.Why += ": " + left.Why
		}
	}
}

// repeat returns the phase to repeat; "" if the rule holds. An account that is newer than the verified writers came
// from an old writer. People have to repair the problems that a survey lists: a backfill cannot.
func (v *Verified) repeat() Phase {
	switch {
	case v.Newer > 0:
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
