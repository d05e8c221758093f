package verdict

import (
	"cmp"
	"fmt"
	"time"

	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
)

// Judgement is the verdict on a value and its lock, with the reasons for it.
type Judgement struct {
	Verdict Verdict
	// Provisional: a later reading may change the verdict (docs/truth.md §3).
	Provisional bool
	// Why explains in a few words why the verdict is Unknown or provisional.
	Why string
	// Unjudged: the judgement waits for a reading. Why names the reading.
	Unjudged bool
	// Misfit: the layout does not fit, so no further reading can help.
	Misfit bool
	// Changed: the value or its lock changed while they were read.
	Changed bool
	// Asks is a place whose items hold the value, and a person must say whether these items count. It is
	// nil if there is nothing to ask.
	Asks *Holding
	// AsksTables: a person must say which other tables put locks into the lock's table.
	AsksTables bool
	// Digests: the lock has a digest of an unknown text. Or an account has no lock, and a lock with a
	// digest may be its lock.
	Digests bool
	// Unlikely explains why the lock may belong to an incomplete sign-up. It is empty if nothing points to
	// an incomplete sign-up. To release such a lock, a person must type its value.
	Unlikely string
	// HeldBy is a place with the answer Hold that decides the verdict. No account claims the lock, but the items in this
	// place hold the value. Or the value has no lock, but the place shows that another lock keeps the value in another
	// form. HeldBy is nil if there is no such place.
	HeldBy *Holding
	// ExpiresAlone: only one of the two, lock or account, has a TTL. It will expire without the other.
	ExpiresAlone bool
	// Pending: the lock is reserved. No known account claims it, but the application may still write such
	// an account before Until. Until is zero if the lock does not show when its reservation ends.
	Pending bool
	Until   time.Time
	// seemed is the verdict before takenBack replaced it by Unknown. It is empty if takenBack replaced
	// nothing.
	seemed Verdict
	// limited: because of the table's Regions, no reading can prove the verdict. The field Why says so. regional: the
	// verdict is true only in this Region, and other Regions write the table, too. scanned: only a scan read the items, so
	// the account that the lock names was not read by its key.
	limited, regional, scanned bool
}

// Sure reports whether the verdict is known and final.
func (j Judgement) Sure() bool { return j.Verdict != Unknown && !j.Provisional }

// Seems returns the verdict. If takenBack replaced it by Unknown, Seems returns the earlier verdict.
func (j Judgement) Seems() Verdict { return cmp.Or(j.seemed, j.Verdict) }

// Judge returns the verdict on a value and its lock. No other code decides verdicts. Judge reads nothing:
// find, browse, check and change collect the facts. The weakest evidence decides how sure the verdict is:
// which accounts were read, when they were read, how well the layout fits, and which Regions write the
// table. A caller that learns more calls Judge again.
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

// The values of Facts.Awaits. Each names the reading that a judgement waits for.
const (
	WhyLock     = "its lock has not been read yet"
	WhyFit      = "the layout is still being checked"
	WhyTogether = "the account and its lock must still be read together"
	WhyHolders  = "tallylock has not searched for other holders yet"
)

// NotFollowedUp reports whether the verdict is open because a check followed up only some of the locks and
// accounts. A check of all of them could decide it.
func (j Judgement) NotFollowedUp() bool { return j.Why == whyPart || j.Why == whyForms }

// The values of Judgement.Why that several places use.
const (
	whyApart   = "this endpoint has no transactions, so the lock and its accounts were not read at one moment"
	whyDigests = "some accounts have no lock, " +
		"and a lock with a digest of an unknown value may be theirs"
	whyPart    = "the lock keeps a digest of an unknown value, and the check did not look for the lock of every account"
	whyForms   = "another lock may keep the value in another form, and the check did not follow up that lock"
	whySQL     = "only the lock and the account that it names were read, not the rest of the table"
	whyStopped = "the check stopped before it reached a verdict"
	whyChanged = "the value or its lock changed during the reading; read the table again"
)

// NotYet returns the judgement on a value that still needs a reading. awaits names the reading.
func NotYet(awaits string) Judgement { return Judge(Facts{Awaits: awaits}) }

// takenBack replaces the verdict by Unknown. It keeps the earlier verdict for Seems and Sentence.
func (j Judgement) takenBack(why string) Judgement {
	return Judgement{Verdict: Unknown, Why: why, seemed: j.Verdict, scanned: j.scanned}
}

// unsure makes the judgement provisional. If it already has a reason, the reason stays.
func (j Judgement) unsure(why string) Judgement {
	j.Provisional, j.Why = true, cmp.Or(j.Why, why)
	return j
}

// use judges a value of a constraint without locks: InUse, Duplicate, Free or Unknown. Free is always
// provisional, since no lock stops a sign-up in progress.
func (e Facts) use() Judgement {
	switch {
	case e.Changed:
		return Judgement{Verdict: Unknown, Why: whyChanged, Changed: true}
	case e.Busy:
		return Judgement{Verdict: Unknown, Why: "the application keeps writing to accounts that may hold the value"}
	case e.Sharing > 1 && e.Scanned:
		return Judgement{
			Verdict: Duplicate, Provisional: true, Why: "the accounts were not read at one moment, but one by one",
		}
	case e.Sharing > 1 && e.Apart:
		return Judgement{
			Verdict:     Duplicate,
			Provisional: true,
			Why:         "this endpoint has no transactions, so the accounts were not read at one moment",
		}
	case e.Sharing > 1:
		return Judgement{Verdict: Duplicate}
	case e.Sharing == 1 && e.Others < OthersAbsent:
		return Judgement{Verdict: InUse, Why: "other accounts were not read, and may hold the value, too"}
	case e.Sharing == 1:
		return Judgement{Verdict: InUse}
	case e.Others >= OthersAbsent:
		return Judgement{
			Verdict:     Free,
			Provisional: true,
			Why:         "all accounts were read once: a sign-up may be in progress",
		}
	case e.Others == OthersIndexed:
		return Judgement{
			Verdict: Free, Provisional: true, Why: "the index " + e.Index + " lists no account, but the index may lag",
		}
	}
	return Judgement{Verdict: Unknown, Why: e.OthersWhy}
}

// pending reports whether a lock is reserved: its account may still be written. until is the end of the
// reservation. If the end is unknown, why explains the reason.
func (e Facts) pending() (is bool, until time.Time, why string) {
	if e.Reserved.For == 0 || !e.Lock.Exists || len(e.Claimants) > 0 || e.Impossible != nil {
		return false, until, ""
	}
	until, err := e.Reserved.Until(e.Lock.Since, e.Now)
	switch {
	case err != nil:
		return true, time.Time{}, "the lock may still be reserved: " + err.Error()
	case e.Now.Before(until):
		return true, until, ""
	}
	return false, time.Time{}, ""
}

// verdict judges the value as if the layout were right and the tables complete. Later steps lower the
// verdict.
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
			Why:     "the application kept writing to the lock or its accounts during the reading: ask again",
		}
	case len(e.Claimants) > 1:
		return Judgement{Verdict: Duplicate}
	case len(e.Claimants) == 1 && !lock && e.Lapses && e.Other == "":
		return Judgement{Verdict: InUse, Why: "its lock has expired, as the layout allows (lapses): others can take the value"}
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
	case e.Other != "":
		return Judgement{Verdict: Unknown, Why: e.Lock.Key.String() + ": " + e.Other}
	case !lock && e.Others >= OthersIndexed:
		return Judgement{Verdict: Free, Provisional: e.Others == OthersIndexed} // the index may lag
	case !lock:
		return Judgement{Verdict: Unknown, Why: e.OthersWhy}
	case e.OwnerOdd != "":
		return Judgement{Verdict: Unknown, Why: e.OwnerOdd}
	case e.OwnerKnown && e.Owner != nil && e.OwnerUnreadable:
		return Judgement{
			Verdict: Unknown,
			Why:     "the account named in the lock does not match the layout, and may hold the value",
		}
	case e.OwnerKnown && e.Owner != nil:
		return Judgement{Verdict: Stale, Provisional: !absent || !e.ownerTells() && e.Others < OthersSettled}
	case !absent && !e.OwnerKnown:
		return Judgement{Verdict: Unknown, Why: e.OthersWhy}
	case e.Malformed || layout.Nonsense(e.Value):
		return Judgement{Verdict: Malformed, Provisional: e.Others < OthersSettled}
	}
	// The verdict is certain if two conditions are true. First, every account that could hold the value was read
	// (absent). Second, either only the named account could hold it (ownerTells), or all accounts were read
	// again after the settle time.
	return Judgement{Verdict: Orphaned, Provisional: !absent || !e.ownerTells() && e.Others < OthersSettled}
}

// ownerTells reports whether only the account that the lock names can hold the lock's value.
func (e Facts) ownerTells() bool { return e.NowhereElse || e.OwnerKnown && e.Fit.OwnerTold() }

// doubted lowers a verdict that needs the absence of an account, if this absence is unproven. Another item
// may hold the value of a lock without an account. Such an item is the first reason: a person can say
// whether it counts.
func (e Facts) doubted(j Judgement) Judgement {
	undecided := j.Verdict == Unknown && !j.Changed && e.Lock.Exists && len(e.Claimants) == 0
	switch {
	case !undecided && !j.Verdict.NeedsAbsence() && j.Verdict != Free && j.Verdict != Missing, e.Impossible != nil:
		return j
	case j.Verdict == Missing && e.OtherSpelling != nil:
		return e.misspelt(j)
	case j.Verdict == Missing:
		return e.otherForm(j)
	case len(e.Holders.Known) > 0: // the item needs the lock
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
		return j.unsure("only the accounts' table was searched for the value; a release also searches " +
			phrase.List(e.Unsearched))
	}
	return j
}

// digest replaces the verdict by Unknown because a lock has a digest of an unknown text.
func (j Judgement) digest(why string) Judgement {
	j = j.takenBack(why)
	j.Digests = true
	return j
}

// misspelt judges a missing lock if an unclaimed lock with another spelling of the value exists. The
// verdict is only as sure as the judgement on that lock.
func (e Facts) misspelt(j Judgement) Judgement {
	if other := e.OtherSpelling; !other.Sure() {
		j = j.unsure(other.Why)
		j.Asks = other.Asks
	}
	return j
}

// otherForm judges a missing lock if an unclaimed lock may be another form of it, or if locks have digests.
// A person's answer about the other form decides, even if locks have digests.
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
			j = j.unsure(fmt.Sprintf("the lock %s may keep the value in another form", e.OtherLock))
		}
		j.Asks = place
	}
	return j
}

// asked makes a verdict provisional if a person's answer may change it.
func (e Facts) asked(j Judgement) Judgement {
	if len(e.Claimants) == 0 {
		j.Unlikely = e.Unlikely
	}
	switch {
	case !j.Verdict.Broken() || j.Verdict == Duplicate:
		return j
	case e.TablesUnsaid:
		j = j.unsure("accounts of other tables may have locks in " + e.Lock.Table + ", and no person has named these tables yet")
		j.AsksTables = true
	}
	if j.Unlikely != "" && j.Verdict.NeedsAbsence() {
		j = j.unsure("the lock may belong to an unfinished sign-up: " + e.Unlikely)
	}
	return j
}

// fitted lowers a verdict if the layout is only a guess or does not fit.
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
			j = j.unsure(fmt.Sprintf("only %d of %d locks name the right account, so the owner is uncertain",
				fit.MetRight, fit.Met))
		}
	}
	return j
}

// limited makes a verdict provisional if the verdict relies on an absence, and the table's Regions make a
// proof of the absence impossible.
func (e Facts) limited(j Judgement) Judgement {
	absence := j.Verdict == Free || j.Verdict == Reserved || j.Verdict.Broken() && j.Verdict != Duplicate
	if why := e.Regions.Unproven(); why != "" && absence {
		j.Provisional, j.Why, j.limited, j.regional = true, why, true, e.Regions.Strong == ""
	}
	return j
}

// incomplete makes a verdict provisional if the program did not read every item that the verdict depends
// on.
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

// Conclude judges the relation by the facts. It sets OwnerAccount to the account that the lock names.
func (r *Relation) Conclude(e Facts) {
	r.Judgement, r.OwnerAccount = Judge(e), nil
	if e.Owner != nil && (r.Account == nil || !e.Owner.Key.Equal(r.Account.Key)) {
		r.OwnerAccount = e.Owner
	}
}

// Unsought judges a relation without a search for its accounts. why is the reason for not searching.
func Unsought(r *Relation, why string) *Relation {
	r.Conclude(Facts{Value: r.Value, Lock: r.Lock, Unsought: why})
	return r
}
