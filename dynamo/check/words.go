package check

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/phrase"
)

// finding puts a verdict into words.
func (j *judging) finding(c *candidate, v verdict) Finding {
	rel := v.rel
	f := Finding{
		Kind: v.kind, Constraint: rel.Constraint.Name, Value: rel.Value, Lock: rel.Lock.Key.Item(), Owner: rel.Lock.Owner,
		Confirmed: v.confirmed, Relation: rel, Detail: rel.Sentence(),
	}
	if rel.Lock.Table != j.t.Name {
		f.LockTable = rel.Lock.Table
	}
	for _, a := range slices.Concat(rel.Claimants, v.unread) {
		f.Accounts = append(f.Accounts, a.Key.Item())
	}
	if v.kind == StaleLock && rel.OwnerAccount != nil {
		f.Accounts = append(f.Accounts, rel.OwnerAccount.Key.Item())
	}
	if v.sentence != "" {
		f.Detail = v.sentence
	}
	if v.other != nil { // the lock of another spelling
		f.Lock, f.Owner = v.other.Lock.Key.Item(), v.other.Lock.Owner
		f.Detail = fmt.Sprintf("%s holds the %s \"%s\", and only \"%s\" has a lock.", rel.Claimants[0].Key.Hash.Value.Display(), rel.Constraint.Name, rel.Value, v.other.Value)
	}
	if met := len(v.unread) + v.more; met > 0 {
		f.MoreAccounts = v.more
		f.Detail += fmt.Sprintf(" So did %s more when each was read.", phrase.Group(fmt.Sprint(met)))
		if v.more > 0 {
			f.Detail += fmt.Sprintf(" For want of memory %s of them are not listed.", phrase.Group(fmt.Sprint(v.more)))
		}
	}
	f.Detail += j.remarks(v, &f)
	f.Evidence = j.evidence(c, v)
	if v.cut || j.o.Confirm == ConfirmNone {
		rel.Lock.Item = nil // what is kept of it is not all
		for n := range rel.Claimants {
			rel.Claimants[n].Item = nil
		}
		if rel.OwnerAccount != nil {
			rel.OwnerAccount.Item = nil
		}
	}
	return f
}

// remarks are what is to be said besides of a finding, each a sentence with a space before.
func (j *judging) remarks(v verdict, f *Finding) string {
	rel := v.rel
	owner := []dynamo.Account{}
	if rel.OwnerAccount != nil {
		owner = append(owner, *rel.OwnerAccount)
	}
	said := j.expiry.past(append(owner, rel.Claimants...))
	about := map[Kind]string{
		OrphanedLock: j.many[rel.Constraint], StaleLock: j.many[rel.Constraint],
		MissingLock: j.bare[rel.Constraint], UnnormalisedLock: j.folds[rel.Constraint],
	}
	if share := about[v.kind]; share != "" {
		f.SuspectLayout = true
		said += " " + sentence(share)
	}
	if v.doubt != "" {
		said += " Not confirmed: " + v.doubt
		if !strings.HasSuffix(v.doubt, "?") {
			said += "."
		}
	}
	return said
}

// Unjudged says of values that changed while they were looked at what is known of
// them, and what to do; empty where there are none.
func (s Summary) Unjudged() string {
	switch s.Unsettled {
	case 0:
		return ""
	case 1:
		return "1 value changed while it was looked at, and was not judged. Check again: what is broken stays as it is, and is found then."
	}
	return phrase.Count(s.Unsettled, "value") + " changed while they were looked at, and were not judged. Check again: what is broken stays as it is, and is found then."
}

// size writes a number of bytes.
func size(bytes int64) string {
	if bytes < 1<<20 {
		return fmt.Sprintf("%d KB", bytes>>10)
	}
	return fmt.Sprintf("%d MB", bytes>>20)
}

// shortened leaves out the middle of what is too long to be read: what it begins
// with tells which it is, and what it ends with what is wrong.
func shortened(s string) string {
	const each = 120
	if len(s) <= 2*each {
		return s
	}
	return strings.ToValidUTF8(s[:each], "") + "…" + strings.ToValidUTF8(s[len(s)-each:], "")
}

// evidence says what a finding rests on, and what that does not exclude.
func (j *judging) evidence(c *candidate, v verdict) string {
	if v.cut {
		return "Provisional: what the first reading met, one item at a time; the second look at the accounts was not finished."
	}
	how := "eventually consistent"
	if j.settled && j.o.Look == Strong {
		how = "strongly consistent"
	}
	count, read := phrase.Group(fmt.Sprint(j.accounts)), fmt.Sprintf("read %s, %s", within(j.began, j.ended), how)
	if from := j.sources[0].export; from != nil && !j.settled {
		read = fmt.Sprintf("of %s read", from)
	}
	none := fmt.Sprintf("No account uses it: all %s %s.", count, read)
	if v.rel != nil && v.rel.Verdict == dynamo.Unknown {
		none = fmt.Sprintf("No account that the layout describes uses it: all %s %s.", count, read)
	}
	if !v.OnAbsence() {
		if j.o.Confirm == ConfirmNone {
			return fmt.Sprintf("Provisional. All %s accounts %s. Nothing was read again.", count, read)
		}
		if len(v.unread)+v.more > 0 {
			return fmt.Sprintf("Lock and %d accounts read together at %s. The others were read one at a time %s.", len(v.rel.Claimants), clock(time.Now()), within(j.began, j.ended))
		}
		return fmt.Sprintf("Lock and accounts read together at %s.", clock(time.Now()))
	}
	first := clock(time.Unix(0, c.first))
	switch {
	case j.o.Confirm == ConfirmNone:
		return fmt.Sprintf("Provisional. No account was seen to use it: all %s %s. Nothing was read again.", count, read)
	case !j.settled && v.confirmed:
		return fmt.Sprintf("Lock and owner read together at %s. %s Rests on locks naming their true holders.", clock(time.Now()), none)
	case !j.settled:
		return fmt.Sprintf("Provisional. %s Lock there at %s. A sign-up since then is not excluded.", none, first)
	}
	said := none + " Lock there at " + first + " before that"
	if n := c.readings - 1; n > 0 {
		said += ", on " + phrase.Count(int(n), "more reading")
	}
	said += fmt.Sprintf(" and at %s after it, in a transaction.", clock(time.Now()))
	if held := j.o.Gate.Held() - j.heldBefore; held > 0 {
		said += fmt.Sprintf(" Nothing was read for %s, while the check was paused.", max(held.Round(time.Second), time.Second))
	}
	slow := "a sign-up that takes longer than " + seconds(j.t.Connection().Settle())
	if j.o.Look == Eventual {
		slow += ", or a replica that is as late"
	}
	return said + notExcludedWords + "given up and taken again between two of these readings of the lock; " + slow + "; writers in other Regions."
}

func clock(t time.Time) string { return t.Format("15:04:05") }

// within says how long something took, in whole seconds, and when it ended.
func within(began, ended time.Time) string {
	took := int(ended.Sub(began)/time.Second) + 1
	return fmt.Sprintf("within %s s, by %s", phrase.Group(fmt.Sprint(took)), clock(ended))
}

// seconds writes a short duration: "1 s", "0.3 s".
func seconds(d time.Duration) string {
	if d < time.Millisecond {
		return d.String()
	}
	return fmt.Sprintf("%g s", d.Seconds())
}

func sentence(s string) string { return strings.ToUpper(s[:1]) + s[1:] + "." }
