package check

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/join"
	"tallylock/dynamo/check/report"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/remedy"
	"tallylock/dynamo/schema"
	"tallylock/dynamo/verdict"
)

func (j *judging) finding(c *join.Candidate, kind finding.Kind, v *judged) finding.Finding {
	rel := v.rel
	f := finding.Finding{
		Kind: kind, Constraint: rel.Constraint.Name, Value: rel.Value, Lock: rel.Lock.Key.Item(), Owner: rel.Lock.Owner,
		Digests: rel.Digests, Confirmed: rel.Sure(), Relation: rel, Detail: rel.Sentence(),
	}
	if rel.Lock.Table != j.run.t.Name {
		f.LockTable = rel.Lock.Table
	}
	for _, a := range slices.Concat(rel.Claimants, v.unread) {
		f.Accounts = append(f.Accounts, a.Key.Item())
	}
	if kind == finding.StaleLock && rel.OwnerAccount != nil {
		f.Accounts = append(f.Accounts, rel.OwnerAccount.Key.Item())
	}
	if kind == finding.ExpiringAccount {
		f.Detail, _ = j.run.expiry.mismatch(rel)
	}
	if other := rel.Variant; other != nil { // the existing lock has another spelling
		f.Lock, f.Owner = other.Lock.Key.Item(), other.Lock.Owner
		f.Detail = fmt.Sprintf("%s holds the %s \"%s\", but only \"%s\" has a lock.",
			rel.Claimants[0].Key.Hash.Value.Display(), rel.Constraint.Name, rel.Value, other.Value)
	}
	f.MoreAccounts = v.moreAccounts
	f.Detail += soDidMore(len(v.unread), v.moreAccounts)
	switch {
	case rel.Asks != nil:
		j.run.t.Answers.RecordAsked(rel.Constraint, rel.Asks.Place)
		f.Question = &finding.Question{
			Table: rel.Asks.Table, Constraint: rel.Constraint.Name, Items: rel.Asks.Items, Attribute: rel.Asks.Attribute,
		}
	case rel.AsksTables:
		f.Question = &finding.Question{Tables: true}
	}
	f.Detail += j.remarks(rel, &f)
	f.Evidence = j.evidence(c, kind, v)
	if v.facts.Stopped || j.run.o.Confirm == setting.ConfirmNone {
		rel.Lock.Item = nil // not the whole item: a candidate keeps only some attributes
		for n := range rel.Claimants {
			rel.Claimants[n].Item = nil
		}
		if rel.OwnerAccount != nil { // a copy, because several locks may name this account
			owner := *rel.OwnerAccount
			owner.Item, rel.OwnerAccount = nil, &owner
		}
	}
	return f
}

// remarks returns further sentences for a finding. Each begins with a space.
func (j *judging) remarks(rel *verdict.Relation, f *finding.Finding) string {
	owner := []schema.Account{}
	if rel.OwnerAccount != nil {
		owner = append(owner, *rel.OwnerAccount)
	}
	said := j.run.expiry.pastTTL(append(owner, rel.Claimants...))
	for _, key := range rel.Lock.Further {
		said += fmt.Sprintf(" The value has another lock, too: %s.", key)
	}
	kind := f.Kind
	if kind == finding.StaleLock {
		kind = finding.OrphanedLock
	}
	if share := j.many[kindOf{kind, rel.Constraint}]; share != "" {
		f.SuspectLayout = true
		said += " " + report.Sentence(share)
	}
	if !rel.Sure() && rel.Why != "" {
		why := rel.Why
		if rel.NotFollowedUp() {
			why = j.run.o.With(remedy.Of(remedy.CheckAgain), why)
		}
		said += " Not confirmed: " + why
		if !strings.HasSuffix(why, "?") {
			said += "."
		}
	}
	return said
}

// together returns words for the reading of a lock and its accounts.
func (v *judged) together() string {
	if v.rel.Apart {
		return "one after the other"
	}
	return "together"
}

// evidence describes the readings of the items behind a finding, and the changes between these readings that the check
// may have missed.
func (j *judging) evidence(c *join.Candidate, kind finding.Kind, v *judged) string {
	if v.facts.Stopped {
		return "Provisional: only the first reading found this, and it read one item at a time." +
			" The second look at the accounts did not finish."
	}
	if j.run.rules.ByConstraint[v.rel.Constraint].Guessed() {
		return fmt.Sprintf("Read once, with a guessed layout, by %s.", phrase.Clock(time.Now()))
	}
	accounts, all := j.accountsRead()
	none := "No account uses the value: " + all + "."
	if v.rel.Verdict == verdict.Unknown {
		none = "The layout describes no account that uses the value: " + all + "."
	}
	if !kind.OnAbsence() {
		if j.run.o.Confirm == setting.ConfirmNone {
			return "Provisional. " + accounts + " Nothing was read again."
		}
		if len(v.unread)+v.moreAccounts > 0 {
			return fmt.Sprintf("The lock and %d accounts were read %s at %s. The other accounts were read one at a time %s.",
				len(v.rel.Claimants), v.together(), phrase.Clock(time.Now()), within(j.followUp.began, j.followUp.ended))
		}
		return fmt.Sprintf("Lock and accounts read %s at %s.", v.together(), phrase.Clock(time.Now()))
	}
	first := phrase.Clock(time.Unix(0, c.FirstRead))
	switch {
	case j.run.o.Confirm == setting.ConfirmNone:
		return "Provisional. No reading found an account that uses the value: " + all + ". Nothing was read again."
	case !j.followUp.settled && v.rel.Sure():
		return fmt.Sprintf("The lock and its owner were read together at %s. %s This assumes that locks name their true holders.",
			phrase.Clock(time.Now()), none)
	case !j.followUp.settled:
		return fmt.Sprintf("Provisional. %s The lock existed at %s. Somebody may have signed up since then.", none, first)
	}
	said := none + " The lock existed before that, at " + first
	if n := c.Readings - 1; n > 0 {
		said += ", in " + phrase.Count(int(n), "more reading")
	}
	said += fmt.Sprintf(", and after that, at %s", phrase.Clock(time.Now()))
	if !v.rel.Apart {
		said += ", in a transaction"
	}
	said += "."
	if held := j.run.o.Gate.Held() - j.followUp.heldBefore; held > 0 {
		said += fmt.Sprintf(" Nothing was read for %s, while the check was paused.",
			max(held.Round(time.Second), time.Second))
	}
	slow := "a sign-up that takes longer than " + report.Seconds(j.run.t.Connection().Settle())
	if j.run.o.Look == setting.Eventual {
		slow += ", or a replica that lags as much"
	}
	return said + finding.NotExcluded + "the value was given up and taken again between two of these readings of the lock; " + slow + "; writers in other Regions."
}

// accountsRead returns words for the reading of all accounts: as a sentence, and as a part of a sentence.
func (j *judging) accountsRead() (sentence, part string) {
	if j.run.o.Candidates != nil && !j.followUp.settled {
		return "SQL compared all accounts of the export.", "SQL compared all accounts of the export"
	}
	how := "eventually consistent"
	if j.followUp.settled && j.run.o.Look == setting.Strong {
		how = "strongly consistent"
	}
	count := phrase.Group(fmt.Sprint(j.followUp.accounts))
	read := fmt.Sprintf("were read %s, %s", within(j.followUp.began, j.followUp.ended), how)
	if from := j.run.sources[0].Export; from != nil && !j.followUp.settled {
		read = fmt.Sprintf("of %s were read", from)
	}
	return fmt.Sprintf("All %s accounts %s.", count, read), fmt.Sprintf("all %s %s", count, read)
}

// within returns words for the duration of a reading, in whole seconds, and for its end.
func within(began, ended time.Time) string {
	took := int(ended.Sub(began)/time.Second) + 1
	return fmt.Sprintf("within %s s, by %s", phrase.Group(fmt.Sprint(took)), phrase.Clock(ended))
}
