package verdict

import (
	"cmp"
	"fmt"
	"time"

	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
)

// Judgement is the verdict on a value and its lock, with its reasons.
type Judgement struct {
	Verdict Verdict
	// Provisional: the evidence could still be overtaken (docs/truth.md §3).
	Provisional bool
	// Why says in a few words why the verdict is Unknown, or why it is provisional.
	Why string
	// Unjudged: the judgement waits for a further reading. Why names the reading.
	Unjudged bool
	// Misfit: the layout does not fit. No further reading changes that.
	Misfit bool
	// Changed: the value or its lock changed while they were read.
	Changed bool
	// Asks names items that hold the value, if a person has to say whether they count; else nil.
	Asks *Holding
	// AsksTables: a person has to say which other tables put locks into the table of the locks.
	AsksTables bool
	// Digests: the lock keeps a digest of an unknown text, or the account's lock may be one of the locks
	// that keep digests.
	Digests bool
	// Unlikely says why the lock may belong to an incomplete sign-up; empty if nothing suggests that. The
	// lock is then released alone.
	Unlikely string
	// HeldBy names items that are no accounts and that hold the value, as a person says; else nil.
	HeldBy *Holding
	// ExpiresAlone: either the held lock or its account has a TTL, but not both.
	ExpiresAlone bool
	// Pending: no known account claims the lock, but an account may still come until Until. If Until is
	// zero, the lock does not tell how long.
	Pending bool
	Until   time.Time
	// seemed is the verdict before it was taken back to Unknown; empty if it was not taken back.
	seemed Verdict
	// limited: Why is a limit of the table's Regions. regional: the verdict is true in this Region only,
	// and other Regions write the table, too. scanned: only a scan read the items, so nothing looked for
	// the named account.
	limited, regional, scanned bool
}

// Sure reports whether the verdict is known and final.
func (j Judgement) Sure() bool { return j.Verdict != Unknown && !j.Provisional }

// Seems returns the verdict, or the verdict from before it was taken back to Unknown.
func (j Judgement) Seems() Verdict { return cmp.Or(j.seemed, j.Verdict) }

// Judge returns the verdict on a lock and its value. No other code makes verdicts. Judge reads nothing:
// find, browse, check and change bring the evidence. No verdict is stronger than its weakest evidence:
// accounts, time, the layout's fit, Regions. If a caller learns more, it judges the value again with more
// facts.
func Judge(e Facts) Judgement {
	switch {
	case e.Unsought != "":
		return Judgement{Verdict: Unknown, Why: e.Unsought}
	case e.Awaits != "":
		return Judgement{Verdict: Unknown, Why: e.Awaits, Unjudged: true}
	case e.Lockless:
		return e.limited(e.fitted(e.use()))
	}
	j := e.verdict()
	j.scanned = e.Scanned
	j = e.doubted(j)
	pending, until, why := e.pending()
	if pending && j.Verdict.NeedsAbsence() {
		if why != "" {
			j = j.takenBack(why)
		} else {
			j = Judgement{Verdict: Reserved, Provisional: e.Others < OthersAbsent, scanned: j.scanned}
		}
	}
	if e.Scanned {
		j.Provisional = true
	}
	if e.Apart && j.Verdict.Broken() {
		j = j.unsure(whyApart)
	}
	j = e.incomplete(e.limited(e.asked(e.fitted(j))))
	if e.Hasty && j.Verdict != Held && !j.Misfit {
		return NotYet(WhyTogether)
	}
	j.Pending, j.Until = pending, until
	return j
}

// The values of Facts.Awaits: the readings that a judgement waits for.
const (
	WhyLock     = "its lock has not been read yet"
	WhyFit      = "whether the layout fits is being looked at"
	WhyTogether = "the account and its lock are still to be read together"
	WhyHolders  = "who else holds it has not been looked at yet"
)

// NotFollowedUp reports whether the verdict is open because a check followed up only a part of the table.
func (j Judgement) NotFollowedUp() bool { return j.Why == whyPart || j.Why == whyForms }

// Reasons for an unknown or a provisional verdict.
const (
	whyApart   = "this endpoint has no transactions, and the lock and its accounts were read one after the other"
	whyDigests = "the constraint has locks that keep digests of unknown values, and accounts without locks: " +
		"they may belong together"
	whyPart    = "the lock keeps a digest of an unknown value, and whether each account has its lock was not followed up for all"
	whyForms   = "a lock that keeps it in another form may be among those that were not followed up"
	whySQL     = "no item of the table was read for it but its lock and the account that the lock names"
	whyStopped = "the check was stopped before it was"
	whyChanged = "it changed while it was read; read the table again"
)

// NotYet returns the judgement on a value that waits for a reading.
func NotYet(awaits string) Judgement { return Judge(Facts{Awaits: awaits}) }

// takenBack changes the verdict to Unknown. It keeps the earlier verdict for the sentence.
func (j Judgement) takenBack(why string) Judgement {
	return Judgement{Verdict: Unknown, Why: why, seemed: j.Verdict, scanned: j.scanned}
}

// unsure makes the judgement provisional. An earlier reason stays.
func (j Judgement) unsure(why string) Judgement {
	j.Provisional, j.Why = true, cmp.Or(j.Why, why)
	return j
}

// use returns the verdict on a value of a constraint without locks: InUse, Duplicate, Free or Unknown. A
// free value is always provisional, since no lock refuses a sign-up in progress.
func (e Facts) use() Judgement {
	switch {
	case e.Changed:
		return Judgement{Verdict: Unknown, Why: whyChanged, Changed: true}
	case e.Busy:
		return Judgement{Verdict: Unknown, Why: "the application keeps writing to the accounts that may hold it"}
	case e.Sharing > 1 && e.Scanned:
		return Judgement{
			Verdict: Duplicate, Provisional: true, Why: "the accounts were read one after the other, with the table",
		}
	case e.Sharing > 1 && e.Apart:
		return Judgement{
			Verdict:     Duplicate,
			Provisional: true,
			Why:         "this endpoint has no transactions, and the accounts were read one after the other",
		}
	case e.Sharing > 1:
		return Judgement{Verdict: Duplicate}
	case e.Sharing == 1 && e.Others < OthersAbsent:
		return Judgement{Verdict: InUse, Why: "whether a further account holds it was not read"}
	case e.Sharing == 1:
		return Judgement{Verdict: InUse}
	case e.Others >= OthersAbsent:
		return Judgement{
			Verdict:     Free,
			Provisional: true,
			Why:         "all accounts were read once: a sign-up under way is not excluded",
		}
	case e.Others == OthersIndexed:
		return Judgement{Verdict: Free, Provisional: true, Why: "the index " + e.Index + " lists nobody, and may lag"}
	}
	return Judgement{Verdict: Unknown, Why: e.OthersWhy}
}

// pending reports whether an account may still come for the lock, and until when. If the lock does not
// tell, why says so.
func (e Facts) pending() (is bool, until time.Time, why string) {
	if e.Reserved.For == 0 || !e.Lock.Exists || len(e.Claimants) > 0 || e.Impossible != nil {
		return false, until, ""
	}
	until, err := e.Reserved.Until(e.Lock.Since, e.Now)
	switch {
	case err != nil:
		return true, time.Time{}, "whether it is reserved still is not known: " + err.Error()
	case e.Now.Before(until):
		return true, until, ""
	}
	return false, time.Time{}, ""
}

// verdict returns the verdict for a layout that is right and a table that is complete.
func (e Facts) verdict() Judgement {
	lock, absent := e.Lock.Exists, e.Others >= OthersAbsent || e.NowhereElse
	switch {
	case e.Impossible != nil:
		return Judgement{Verdict: Malformed, Why: e.Impossible.Error()}
	case e.Changed, e.Handed:
		return Judgement{Verdict: Unknown, Why: whyChanged, Changed: e.Changed || len(e.Claimants) > 0}
	case e.Busy:
		return Judgement{
			Verdict: Unknown,
			Why:     "the application kept writing to its lock or its accounts while they were read together: ask again",
		}
	case len(e.Claimants) > 1:
		return Judgement{Verdict: Duplicate}
	case len(e.Claimants) == 1 && !lock && e.Lapses:
		return Judgement{Verdict: InUse, Why: "its lock has lapsed, as the layout allows (lapses): others can take the value"}
	case len(e.Claimants) == 1 && !lock:
		return Judgement{Verdict: Missing}
	case len(e.Claimants) == 1 && e.OwnerKnown && !e.NamesClaimant:
		return Judgement{Verdict: Foreign}
	case len(e.Claimants) == 1:
		return Judgement{Verdict: Held, ExpiresAlone: e.ExpiresAlone}
	case len(e.Holders.Known) > 0 && lock:
		return Judgement{Verdict: Held, HeldBy: e.Holders.Known[0]}
	case len(e.Holders.Known) > 0:
		return Judgement{Verdict: InUse, HeldBy: e.Holders.Known[0]}
	case !lock && e.Others >= OthersIndexed:
		return Judgement{Verdict: Free, Provisional: e.Others == OthersIndexed} // an index lags
	case !lock:
		return Judgement{Verdict: Unknown, Why: e.OthersWhy}
	case e.OwnerOdd != "":
		return Judgement{Verdict: Unknown, Why: e.OwnerOdd}
	case e.OwnerKnown && e.Owner != nil && e.OwnerUnreadable:
		return Judgement{
			Verdict: Unknown,
			Why:     "the account that it names cannot be read as the layout has it, and may hold it",
		}
	case e.OwnerKnown && e.Owner != nil:
		return Judgement{Verdict: Stale, Provisional: !absent || !e.ownerTells() && e.Others < OthersSettled}
	case !absent && !e.OwnerKnown:
		return Judgement{Verdict: Unknown, Why: e.OthersWhy}
	case e.Malformed || layout.Nonsense(e.Value):
		return Judgement{Verdict: Malformed, Provisional: e.Others < OthersSettled}
	}
	// If the lock names an owner, the lock and the missing owner were read together, so the verdict is
	// certain. Otherwise the accounts were read one at a time, and none claimed the lock.
	return Judgement{Verdict: Orphaned, Provisional: !absent || !e.ownerTells() && e.Others < OthersSettled}
}

// ownerTells reports whether only the account that the lock names can be its holder.
func (e Facts) ownerTells() bool { return e.NowhereElse || e.OwnerKnown && e.Fit.OwnerTold() }

// doubted takes back a verdict that rests on an unproven absence, or makes it provisional. If no account
// claims a lock, an item that holds its value comes before every other reason: a person can say whether the
// item counts.
func (e Facts) doubted(j Judgement) Judgement {
	undecided := j.Verdict == Unknown && !j.Changed && e.Lock.Exists && len(e.Claimants) == 0
	switch {
	case !undecided && !j.Verdict.NeedsAbsence() && j.Verdict != Free && j.Verdict != Missing, e.Impossible != nil:
		return j
	case j.Verdict == Missing && e.OtherSpelling != nil:
		return e.misspelt(j)
	case j.Verdict == Missing:
		return e.otherForm(j)
	case len(e.Holders.Known) > 0: // the lock is busy
		return Judgement{Verdict: Held, HeldBy: e.Holders.Known[0], Provisional: true, scanned: j.scanned}
	case e.Holders.Keeps() != "":
		j = j.takenBack(e.Holders.Keeps())
		j.Asks, j.Digests = e.Holders.Asks, e.Digests || e.UnknownText && e.Part
		return j
	case e.Digests:
		return j.digest(whyDigests)
	case e.UnknownText && e.Part:
		return j.digest(whyPart)
	case undecided, j.Verdict == Free, e.NowhereElse && !j.Provisional:
		return j
	case e.Others == OthersUnknown || e.Others == OthersIndexed:
		return j.takenBack(e.OthersWhy)
	case len(e.Unsearched) > 0 && !j.Provisional && e.Others >= OthersAbsent:
		return j.unsure("only the table of the accounts was searched for the value; a release searches " +
			phrase.List(e.Unsearched) + ", too")
	}
	return j
}

// digest takes a verdict back because a lock keeps a digest of an unknown text.
func (j Judgement) digest(why string) Judgement {
	j = j.takenBack(why)
	j.Digests = true
	return j
}

// misspelt judges the value of an account whose lock exists only in another spelling. The result is only as
// sure as the judgement on the lock in the other spelling.
func (e Facts) misspelt(j Judgement) Judgement {
	if other := e.OtherSpelling; !other.Sure() {
		j = j.unsure(other.Why)
		j.Asks = other.Asks
	}
	return j
}

// otherForm judges a missing lock if an unclaimed lock may be another form of it, or if locks keep digests.
// A person's answer about the other form decides even if there are digests.
func (e Facts) otherForm(j Judgement) Judgement {
	place := e.OtherForm
	if place != nil && place.Answer == layout.Hold {
		return Judgement{Verdict: Held, HeldBy: place}
	}
	switch {
	case e.Digests:
		j = j.digest(whyDigests)
	case e.Part:
		j = j.unsure(whyForms)
	}
	if place != nil && place.Answer != layout.HoldNot {
		if j.Verdict == Missing {
			j = j.unsure(fmt.Sprintf("%s may keep it in another form", e.OtherLock))
		}
		j.Asks = place
	}
	return j
}

// asked makes a verdict provisional if a person's answer could still change it.
func (e Facts) asked(j Judgement) Judgement {
	if len(e.Claimants) == 0 {
		j.Unlikely = e.Unlikely
	}
	switch {
	case !j.Verdict.Broken() || j.Verdict == Duplicate:
		return j
	case e.TablesUnsaid:
		j = j.unsure("other tables may put locks into " + e.Lock.Table + ", and nobody has said which")
		j.AsksTables = true
	}
	if j.Unlikely != "" && j.Verdict.NeedsAbsence() {
		j = j.unsure("it may belong to a sign-up that is not complete: " + e.Unlikely)
	}
	return j
}

// fitted lowers a verdict if the layout fits badly or is only a guess: a guess confirms nothing.
func (e Facts) fitted(j Judgement) Judgement {
	switch e.Fit.Standing() {
	case layout.Contradicted:
		return Judgement{Verdict: Unknown, Why: "the layout does not fit: " + e.Fit.Why(), Misfit: true, scanned: j.scanned}
	case layout.Thin:
		if j.Verdict.Broken() || j.Verdict == Free || j.Verdict == Reserved || j.Verdict == InUse || j.ExpiresAlone {
			j = j.unsure(e.Fit.Why())
		}
	case layout.Supported:
	}
	for _, fit := range []*layout.Fit{&e.Fit, e.ClaimantFit} {
		if fit != nil && j.Verdict == Foreign && !fit.OwnerTold() {
			j = j.unsure(fmt.Sprintf("whether locks name their accounts is not sure: %d of %d do", fit.MetRight, fit.Met))
		}
	}
	return j
}

// limited makes a verdict provisional if it rests on an absence that the table's Regions do not let anybody
// prove.
func (e Facts) limited(j Judgement) Judgement {
	absence := j.Verdict == Free || j.Verdict == Reserved || j.Verdict.Broken() && j.Verdict != Duplicate
	if why := e.Regions.Unproven(); why != "" && absence {
		j.Provisional, j.Why, j.limited, j.regional = true, why, true, e.Regions.Strong == ""
	}
	return j
}

// incomplete makes a verdict provisional if the reading was not complete.
func (e Facts) incomplete(j Judgement) Judgement {
	if j.Verdict.NeedsAbsence() {
		if e.FromSQL {
			j = j.unsure(whySQL)
		}
		if j.Provisional {
			j = j.unsure(e.OthersWhy)
		}
	}
	if e.Stopped && !j.Misfit && !j.Changed {
		j.Provisional, j.Why = true, whyStopped
	}
	return j
}

// Conclude judges the relation by the facts, and keeps the account that the lock names.
func (r *Relation) Conclude(e Facts) {
	r.Judgement, r.OwnerAccount = Judge(e), nil
	if e.Owner != nil && (r.Account == nil || !e.Owner.Key.Equal(r.Account.Key)) {
		r.OwnerAccount = e.Owner
	}
}

// Unsought judges a relation whose accounts nobody has looked for.
func Unsought(r *Relation, why string) *Relation {
	r.Conclude(Facts{Value: r.Value, Lock: r.Lock, Unsought: why})
	return r
}
