package verdict

import (
	"cmp"
	"fmt"
	"time"

	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
)

// Judgement is what evidence amounts to.
type Judgement struct {
	Verdict Verdict
	// Provisional: the evidence could still be overtaken (docs/truth.md §3).
	Provisional bool
	// Why says in a few words what is not known, where the verdict is Unknown, or
	// what a provisional one still needs.
	Why string
	// Unjudged: nothing is concluded yet, and will be: Why says what is awaited.
	Unjudged bool
	// Misfit: the layout does not fit, which no further reading changes.
	Misfit bool
	// Changed: the value or its lock changed while they were read.
	Changed bool
	// Asks is what holds the value, if a person has to say whether it counts; else nil.
	Asks *Holding
	// AsksTables: a person has to say which other tables put locks into the table of the locks.
	AsksTables bool
	// Digests: the lock keeps a digest of an unknown text, or such a lock may be that of the account.
	Digests bool
	// Unlikely says why the lock may belong to a sign-up that is not complete: then it is released
	// alone. It is empty if nothing says so.
	Unlikely string
	// HeldBy is an item that holds the value, as a person says, and no account; else nil.
	HeldBy *Holding
	// ExpiresAlone: of a held lock and its account only one has a TTL.
	ExpiresAlone bool
	// Pending: no account is known to call for the lock, and one may still come until Until,
	// or, where that is zero, for a time that the lock does not tell.
	Pending bool
	Until   time.Time
	// seemed is what it was before that was taken back to Unknown; empty where nothing was.
	seemed Verdict
	// limited: Why is what the table's Regions do not allow; regional: the verdict holds in
	// this Region, and others write, too; scanned: the named account was not looked for.
	limited, regional, scanned bool
}

// Sure reports whether the verdict is known, and nothing can overtake it.
func (j Judgement) Sure() bool { return j.Verdict != Unknown && !j.Provisional }

// Seems is the verdict, or what it was before it was taken back to Unknown.
func (j Judgement) Seems() Verdict { return cmp.Or(j.seemed, j.Verdict) }

// Judge says what a lock and its value are. It is the only place that does, and it reads
// nothing: find, browse, check and change bring the evidence. No verdict is stronger than
// the weakest of what it rests on: accounts, time, the layout's fit, Regions. If more becomes
// known, the value is judged again with more facts.
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

// What a judgement waits for.
const (
	WhyLock     = "its lock has not been read yet"
	WhyFit      = "whether the layout fits is being looked at"
	WhyTogether = "the account and its lock are still to be read together"
	WhyHolders  = "who else holds it has not been looked at yet"
)

// NotFollowedUp reports whether Why is that a check followed up a part of the table only.
func (j Judgement) NotFollowedUp() bool { return j.Why == whyPart || j.Why == whyForms }

// Why a verdict is unknown, or not sure.
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

// NotYet is the judgement on a value that is judged after something is read.
func NotYet(awaits string) Judgement { return Judge(Facts{Awaits: awaits}) }

// takenBack is Unknown. It keeps for the sentence how the lock seemed to be.
func (j Judgement) takenBack(why string) Judgement {
	return Judgement{Verdict: Unknown, Why: why, seemed: j.Verdict, scanned: j.scanned}
}

// unsure is a provisional judgement. An earlier reason stays.
func (j Judgement) unsure(why string) Judgement {
	j.Provisional, j.Why = true, cmp.Or(j.Why, why)
	return j
}

// use is the verdict on a value that no lock keeps: InUse, Duplicate, Free or Unknown. A free
// value is always provisional, since no lock refuses a sign-up in progress.
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

// pending reports whether an account may still come for the lock, and until when. Where
// the lock does not tell, why says so.
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

// verdict is what the evidence says if the layout is right and the table is all there is.
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
	// A named owner that is gone was read together with the lock: that much is certain.
	// Without a name, or where locks do not name their holders, nobody was found, one
	// account at a time.
	return Judgement{Verdict: Orphaned, Provisional: !absent || !e.ownerTells() && e.Others < OthersSettled}
}

// ownerTells reports whether the account that the lock names would be its holder.
func (e Facts) ownerTells() bool { return e.NowhereElse || e.OwnerKnown && e.Fit.OwnerTold() }

// doubted takes back, or makes provisional, a verdict that rests on an absence which is not
// established. If no account claims a lock, an item that holds its value comes before every other
// reason: a person can say whether the item counts.
func (e Facts) doubted(j Judgement) Judgement {
	undecided := j.Verdict == Unknown && !j.Changed && e.Lock.Exists && len(e.Claimants) == 0
	switch {
	case !undecided && !j.Verdict.NeedsAbsence() && j.Verdict != Free && j.Verdict != Missing, e.Impossible != nil:
		return j
	case j.Verdict == Missing && e.OtherSpelling != nil:
		return e.misspelt(j)
	case j.Verdict == Missing:
		return e.otherForm(j)
	case len(e.Holders.Known) > 0: // of a lock that others kept writing to
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

// digest takes a verdict back: a lock keeps a digest of an unknown text.
func (j Judgement) digest(why string) Judgement {
	j = j.takenBack(why)
	j.Digests = true
	return j
}

// misspelt is the judgement on an account's value whose lock exists in another spelling alone.
// It is no surer than that nobody holds the other spelling.
func (e Facts) misspelt(j Judgement) Judgement {
	if other := e.OtherSpelling; !other.Sure() {
		j = j.unsure(other.Why)
		j.Asks = other.Asks
	}
	return j
}

// otherForm judges a missing lock, given an unclaimed lock that may be another form of it, or locks
// that keep digests. A person's answer about the other form decides even if there are digests.
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

// asked makes a verdict provisional that a person's answer could still change.
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

// fitted lowers a verdict to what the layout allows: a guess confirms nothing.
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

// limited makes a verdict provisional that rests on something not being there, where the
// table's Regions do not let that be proven.
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

// Conclude judges a relation by its evidence.
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
