package say

import (
	"fmt"
	"strings"
	"time"

	"tallylock/dynamo/adopt"
	"tallylock/dynamo/check/progress"
	"tallylock/dynamo/phrase"
)

// AdoptRefusal says why an adoption or one of its phases is refused, and the next step. The function command writes a
// command of this adoption with more flags, such as --survey.
func AdoptRefusal(r *adopt.Refusal, command func(flags ...string) string) (why, do string) {
	name, at := r.Constraint, ""
	if r.Shared != "" {
		name = r.Shared
	}
	if r.At != "" {
		at = " (" + r.At + ")"
	}
	switch r.Code {
	case adopt.Unknown:
		do = "the layout of " + r.Table + " has no constraints with locks; describe one under [[layout]] in the config"
		if len(r.Names) > 0 {
			do = "use one of: " + strings.Join(r.Names, ", ") + ", or describe another constraint under [[layout]] in the config"
		}
		return "the layout of " + r.Table + " has no constraint " + phrase.Quote(name) + r.Meant, do
	case adopt.Lockless:
		return "the layout describes the " + name + " as unique without locks (unique = true)",
			"describe its locks with pk, sk and owner instead" + at
	case adopt.Ownerless:
		return "an adopted lock must name its account, but the layout has no owner for the locks of the " + name,
			"add owner = \"ATTRIBUTE\" to the constraint" + at
	case adopt.KeyedByAccount:
		return "the keys of the " + name + " locks contain the account's id, so two accounts can hold one value",
			"describe locks whose key has only the value, and an owner attribute" + at
	case adopt.SeveralForms:
		return "the " + name + " locks have several forms of keys (\"also\")",
			"keep one form of key in the layout, and remove \"also\"" + at
	case adopt.Moves:
		return "the layout says that the application moves " + name + " values without putting the lock (moves = true)",
			"change the application, and remove \"moves\" from the layout" + at
	case adopt.TwoSteps:
		return "the layout says that a sign-up takes several transactions (two_steps = true), but adoption needs one transaction",
			"change the application to the printed transactions, and remove \"two_steps\" from the layout" + at
	case adopt.Lapses:
		return "the layout says that " + name + " locks may expire before their accounts (lapses = true), so they keep nothing unique",
			"if locks stay as long as their accounts, remove \"lapses\" from the layout" + at
	}
	return adoptRefusal(r, name, at, command)
}

// adoptRefusal handles the other refusals of AdoptRefusal.
func adoptRefusal(r *adopt.Refusal, name, at string, command func(flags ...string) string) (why, do string) {
	switch r.Code {
	case adopt.SeveralTables:
		return "accounts of " + phrase.List(r.Tables) + " have locks in the same table (also_in), but an adoption reads the accounts of only one table",
			"give the constraint a lock key or a lock table of its own" + at
	case adopt.OtherHolders:
		return "other items than accounts hold values of the " + name + " (holders), but adoption puts locks only for accounts",
			"describe these items as accounts in the layout" + at
	case adopt.AmbiguousOwner:
		return "accounts of several kinds (" + phrase.List(r.Kinds) + ") share the keys of the " + name +
				" locks, and the owner of a lock does not tell the kind: two accounts with the same id could take each other's lock",
			"set owner_form for each kind" + at + ", such as owner_form = \"ACCT#{id}\" and owner_form = \"ORG#{id}\", with different texts before {id}"
	case adopt.SeveralRegions:
		return r.Why, "adopt it where only one Region writes, and name this Region in the layout (written_in)"
	case adopt.OtherOwnerForm:
		return fmt.Sprintf("the lock %s names its account in another form than the layout says", r.Lock),
			"describe the form with owner_form, such as owner_form = \"USER#{id}\"" + at
	case adopt.Unsurveyed:
		return "there is no complete survey yet", "run: " + command("--survey")
	case adopt.LayoutChanged:
		return "the layout of the constraint has changed since the survey", "begin again: " + command("--survey")
	case adopt.Unverified:
		why = "nobody has verified yet that the application's writers put the lock"
		if r.Writers != nil {
			why = "there are too few new or changed accounts to verify that the application's writers put the lock"
		}
		return why, beforeBackfill(r.Writers, r.Constraint, command)
	case adopt.WithoutLock:
		if r.Count == 0 {
			why = "the last check found an account that is newer than the verified writers and has no lock, so the application still has an old writer"
			return why, beforeBackfill(r.Writers, r.Constraint, command)
		}
		why = fmt.Sprintf("of %s, %s without a lock, so the application still has an old writer",
			phrase.Count(r.Of, "judged account"), Plural(r.Count, "was created or changed", "were created or changed"))
		return why, beforeBackfill(r.Writers, r.Constraint, command)
	case adopt.Unconfirmed:
		return "some operations of the application could not be verified, and nobody has confirmed them",
			beforeBackfill(r.Writers, r.Constraint, command)
	case adopt.NoBackfill:
		return "no backfill has reached its end", "run: " + command("--backfill", "--write")
	case adopt.Running:
		return "another process runs a phase of this adoption", "wait until it ends, or stop it"
	case adopt.NotBegun:
		return "this adoption has not begun", "run: " + command("--survey")
	}
	return writersRefusal(r, name, at)
}

// AdoptUnfit says why a value cannot have a lock.
func AdoptUnfit(u adopt.Unfit) string {
	switch u.Code {
	case adopt.Empty:
		return "the value is empty"
	case adopt.WrongType:
		return "the value is not text, a number or bytes"
	case adopt.Nonsense:
		return "the value can only come from a mistake of the application"
	case adopt.NoOwner:
		return "the layout cannot name this account as the owner of a lock"
	}
	return u.Why
}

// BeforeSurvey says in a sentence what a survey will cost.
func BeforeSurvey(r *adopt.Rule, c progress.Cost, export bool) string {
	said := "Surveying the " + r.Constraint.Name + " of " + r.Table.Name
	switch {
	case export:
		return said + " by an export: no read units. The survey writes nothing."
	case c.Uncounted:
		return said + ": the price is unknown, because the endpoint does not report the size of the table (DynamoDB counts every six hours). The survey writes nothing."
	}
	said += fmt.Sprintf(": about %s; about %s to read every item once, and %s to read the items again if a value may have two holders",
		phrase.Count(c.Items, "item"), ReadUnits(rounded(c.First)), Estimate(c.Again))
	if c.Time > 0 {
		said += fmt.Sprintf("; at most about %s at %s a second", Roughly(c.Time), ReadUnits(rounded(c.Pace)))
	}
	return said + ". The survey writes nothing."
}

// AdoptPhase describes the state of a phase in a few words.
func AdoptPhase(s *adopt.State, phase adopt.Phase, now time.Time) string {
	switch phase {
	case adopt.PhaseSurvey:
		return adoptSurvey(s, now)
	case adopt.PhaseWriters:
		return adoptWriters(s, now)
	case adopt.PhaseBackfill:
		return adoptBackfill(s)
	}
	return adoptVerify(s, now)
}

func adoptSurvey(s *adopt.State, now time.Time) string {
	switch {
	case s.LayoutChanged:
		return "to repeat: the layout has changed"
	case s.Survey == nil:
		return "not done"
	case !s.Survey.Complete():
		return "incomplete: " + s.Survey.Why
	}
	said := fmt.Sprintf("done %s: %s, %s to put", adoptTime(s.SurveyAt, now),
		phrase.Count(s.Survey.Values, "value"), phrase.Count(s.Survey.ToWrite, "lock"))
	if n := s.Survey.Problems(); n > 0 {
		said += ", " + phrase.Count(n, "problem")
	}
	return said
}

func adoptWriters(s *adopt.State, now time.Time) string {
	w := s.Writers
	switch {
	case w == nil:
		return "not verified"
	case w.Without > 0:
		return fmt.Sprintf("%s of %s made or changed without their lock", phrase.Number(w.Without), phrase.Count(w.Judged, "account"))
	case s.OldWriter():
		return "to repeat: an account without a lock is newer than the verification of the writers, " + adoptTime(s.WritersAt, now)
	case w.TooFew():
		return fmt.Sprintf("too few: %s and %s changed since %s; needed: %d new or %[4]d changed",
			phrase.Count(w.Made, "new account"), phrase.Number(w.Changed), adoptTime(w.Since, now), adopt.EnoughAccounts)
	}
	said := fmt.Sprintf("verified %s: %s since %s", adoptTime(s.WritersAt, now), phrase.Count(w.Judged, "account"), adoptTime(w.Since, now))
	if w.Index != "" {
		said += " in " + partitionOf(w.Index, w.Partition)
	}
	if names := Operations(w.NotVerified); names != "" && w.Confirmed {
		return said + "; confirmed by a person: " + names
	} else if names != "" {
		return said + "; not verified: " + names
	}
	return said
}

// Operations lists operations of an application.
func Operations(all []adopt.Operation) string {
	words := map[adopt.Operation]string{
		adopt.SignUp: "sign-ups", adopt.Change: "changes of the value", adopt.Delete: "deletions",
	}
	var names []string
	for _, one := range all {
		names = append(names, words[one])
	}
	return phrase.List(names)
}

func adoptBackfill(s *adopt.State) string {
	if len(s.Backfills) == 0 {
		if s.Survey.Complete() && s.Survey.ToWrite == 0 {
			return "not needed: no lock is missing"
		}
		return "not begun"
	}
	if b := s.StoppedUndo(); b != nil {
		return "undo stopped (" + b.Receipt + "): run the undo again"
	}
	b := s.Backfills[len(s.Backfills)-1]
	said := ""
	if b.Skipped > 0 {
		said += ", " + phrase.Count(b.Skipped, "value") + " skipped"
	}
	if b.Duplicates > 0 {
		said += ", " + phrase.Count(b.Duplicates, "duplicate")
	}
	if b.Invalid > 0 {
		said += ", " + phrase.Count(b.Invalid, "unfit value")
	}
	switch {
	case b.Undone:
		return "undone (" + b.Receipt + ")"
	case b.Done && !s.Backfilled():
		return "to repeat: after the run " + b.Receipt + ", a backfill was undone, the layout changed or the adoption ended"
	case b.Done:
		return "done: " + phrase.Count(b.Put, "lock") + " put" + said + " (" + b.Receipt + ")"
	}
	return fmt.Sprintf("stopped: %s of about %s put%s (%s)", phrase.Number(b.Put), phrase.Count(b.Total, "lock"), said, b.Receipt)
}

func adoptVerify(s *adopt.State, now time.Time) string {
	v := s.Verified
	switch {
	case v == nil:
		return "not done"
	case v.Since != nil:
		return "the rule holds since " + phrase.UTC(*v.Since)
	case v.Why != "":
		return "incomplete: " + v.Why
	}
	return "failed " + adoptTime(s.VerifiedAt, now) + ": repeat the phase " + string(v.Repeat)
}

// adoptTime writes the time of a phase: the time of day today, and otherwise the date.
func adoptTime(t, now time.Time) string {
	t, now = t.Local(), now.Local()
	if t.Format(time.DateOnly) == now.Format(time.DateOnly) {
		return phrase.Clock(t)
	}
	return t.Format(time.DateOnly)
}

// AdoptProblems lists the kinds of problems in the order in which they are shown.
func AdoptProblems() []adopt.ProblemKind {
	return []adopt.ProblemKind{adopt.DuplicateValue, adopt.ForeignLock, adopt.UnfitValue}
}

// AdoptProblem is the heading of the problems of one kind.
func AdoptProblem(kind adopt.ProblemKind, n int64) string {
	switch kind {
	case adopt.DuplicateValue:
		return Plural(int(n), "value has several accounts", "values have several accounts")
	case adopt.ForeignLock:
		return Plural(int(n), "lock does not name the account that holds the value", "locks do not name the account that holds the value")
	}
	return Plural(int(n), "value cannot have a lock", "values cannot have a lock")
}

// ProblemWhy describes a problem in a few words.
func ProblemWhy(p adopt.Problem) string {
	switch {
	case p.Kind == adopt.UnfitValue && p.Unfit != nil:
		return AdoptUnfit(*p.Unfit)
	case p.LockExists && p.Owner == "":
		return "the lock names no account"
	case p.LockExists:
		return "the lock names " + p.Owner
	}
	return phrase.Count(len(p.Accounts)+p.MoreAccounts, "account")
}

// HolderSince says since when an account exists, and by which attribute.
func HolderSince(h adopt.Holder) string {
	if h.Since == nil {
		return "no date"
	}
	return "since " + phrase.UTC(*h.Since) + " (" + h.By + ")"
}

// HolderHolds lists the other values of an account.
func HolderHolds(h adopt.Holder) string {
	var all []string
	for _, held := range h.Holds {
		all = append(all, held.Constraint+" "+phrase.Quote(held.Value))
	}
	return strings.Join(all, ", ")
}

// SurveyFigures describes the backfill that a survey expects. rate is the limit of write units a second.
func SurveyFigures(r *adopt.Rule, s *adopt.Surveyed, rate float64) (lines []string) {
	said := fmt.Sprintf("%s to put: about %s", Plural(int(s.ToWrite), "lock", "locks"), WriteUnits(s.WriteUnits))
	if rate > 0 && s.ToWrite > 0 {
		said += fmt.Sprintf(", about %s at %s a second", Roughly(time.Duration(s.WriteUnits/rate*float64(time.Second))), WriteUnits(rate))
	}
	lines = append(lines, said+".")
	if s.Expiring > 0 {
		lines = append(lines, Plural(int(s.Expiring), "account expires, but its lock stays", "accounts expire, but their locks stay")+
			": the application must release the locks of expired accounts, or you release them after a check.")
	}
	if r.TTLUnknown != nil {
		lines = append(lines, "Unknown whether accounts expire: the TTL of the tables could not be read.")
	}
	return lines
}

// RuleHolds says since when a rule holds.
func RuleHolds(r *adopt.Rule, v *adopt.Verified) string {
	return fmt.Sprintf("The rule holds since %s: each %s of %s has one account and its lock, as long as all writers use the transactions.",
		phrase.UTC(*v.Since), r.Constraint.Name, r.Table.Name)
}

// RuleUnproven says why a check did not prove a rule.
func RuleUnproven(r *adopt.Rule, v *adopt.Verified) string {
	var all []string
	for _, one := range []struct {
		n         int64
		one, many string
	}{
		{v.Missing, "lock is missing", "locks are missing"},
		{v.Duplicates, "value has several accounts", "values have several accounts"},
		{v.Foreign, "lock names another account or none", "locks name another account or none"},
		{v.Unfit, "value cannot have a lock", "values cannot have a lock"},
		{v.Unsettled, "value changed during the check", "values changed during the check"},
	} {
		if one.n > 0 {
			all = append(all, Plural(int(one.n), one.one, one.many))
		}
	}
	why := strings.Join(all, ", ")
	if v.Why != "" {
		why = strings.TrimPrefix(why+"; the check is incomplete: "+v.Why, "; ")
	}
	said := "The rule of the " + r.Constraint.Name + " is not proven: " + strings.TrimSuffix(why, ".") + "."
	switch {
	case v.Newer > 0:
		said += " " + Plural(int(v.Newer), "account is newer than the verified writers", "accounts are newer than the verified writers") +
			", so an old writer is still in use. Change it first."
	case v.MaybeNewer > 0:
		said += " " + Plural(int(v.MaybeNewer), "account may be newer than the verified writers", "accounts may be newer than the verified writers") +
			": only an unconfirmed date says so. If an account is newer, an old writer is still in use."
	}
	for _, line := range repairs(v.Duplicates, v.Foreign, v.Unfit) {
		said += " " + line
	}
	return said + " Repeat the phase " + string(v.Repeat) + "."
}

// UnfitAccount names the account of a value that cannot have a lock, and says why the value cannot.
func UnfitAccount(p adopt.Problem, key string) string {
	return phrase.Quote(p.Value) + " of " + key + ": " + ProblemWhy(p)
}
