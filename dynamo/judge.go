package dynamo

import (
	"cmp"
	"fmt"
	"time"

	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
)

// Evidence is everything that a verdict may rest on: what was read of a value, its lock
// and its accounts, how it was read, and how far the layout may be believed.
type Evidence struct {
	Value string
	Lock  Lock
	// Claimants are the accounts that claim the lock, and Owner is the account that
	// the lock names; nil where it does not exist or was not read.
	Claimants []Account
	Owner     *Account
	// OwnerKnown: the lock names an account, and the keys that it could have can be made.
	// NamesClaimant: that account is the first claimant. OwnerUnreadable: it has a value
	// that cannot be read as the layout has it, and may be this one.
	OwnerKnown, NamesClaimant, OwnerUnreadable bool
	// Lapses: locks may expire while their accounts stay.
	Lapses bool
	// OwnerOdd says why the account that the lock names is unknown; empty if it is known.
	OwnerOdd string
	// Unsought is why nobody has looked for the accounts yet; empty where somebody has.
	Unsought string
	// Impossible is why no lock can be made of the value; nil where one can.
	Impossible error
	// Malformed: the lock's key has the constraint's prefix and does not fit its template.
	Malformed bool
	// Others says what is known of all other accounts, and OthersWhy why that is not more.
	Others    Others
	OthersWhy string
	// Changed: what was read at two times does not fit together. Busy: others kept writing
	// to lock and accounts, and they could not be read together.
	Changed, Busy bool
	// Apart: lock and accounts could not be read at one moment. Scanned: they were met by
	// a scan only, one after the other.
	Apart, Scanned bool
	// Holders are what else holds the value, of the items that were read.
	Holders OtherHolders
	// Unlikely says why the lock may belong to a sign-up that is not complete; empty if nothing
	// says so.
	Unlikely string
	// Digests: the constraint has unclaimed locks that keep digests, and accounts without locks.
	Digests bool
	// TablesUnsaid: nobody has said which other tables put locks into the table of the locks.
	TablesUnsaid bool
	// NowhereElse: a person has said that nothing outside the layout holds the values, and other
	// locks name accounts that exist.
	NowhereElse bool
	// Unsearched are tables of the layout that were not searched for the value.
	Unsearched []string
	// Reserved says how long a lock may precede its account, and Now is the time that what
	// the lock says of itself is compared with.
	Reserved layout.Reservation
	Now      time.Time
	// Fit is the constraint's, and Regions what its tables' Regions allow. Unjudged: the fit is
	// not known yet.
	Fit      layout.Fit
	Unjudged bool
	Regions  Regions
	// ClaimantFit is the fit of the first claimant's own constraint if that is another one with
	// the same locks; else nil.
	ClaimantFit *layout.Fit
}

// Others is what is known of the accounts that are not among the claimants.
type Others int

// What may be known of other accounts, from the least.
const (
	OthersUnknown Others = iota // some were not read, and nothing says that they will be
	OthersUnread                // some have not been read yet
	OthersIndexed               // an index lists none that claims the lock; it may lag
	OthersAbsent                // each was read once, and none claims the lock
	OthersSettled               // each was read again after the settle time, and none does (docs/truth.md §3a)
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
	// Asks is what holds the value, if a person has to say whether it counts; else nil.
	Asks *Holding
	// AsksTables: a person has to say which other tables put locks into the table of the locks.
	AsksTables bool
	// Unlikely says why the lock may belong to a sign-up that is not complete: then it is released
	// alone. It is empty if nothing says so.
	Unlikely string
	// HeldBy is an item that holds the value, as a person says, and no account; else nil.
	HeldBy *Holding
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

// Judge says what a lock and its value are. It is the only place that does, and it reads
// nothing: find, browse, check and change bring the evidence. No verdict is stronger than
// the weakest of what it rests on: accounts, time, the layout's fit, Regions.
func Judge(e Evidence) Judgement {
	if e.Unsought != "" {
		return Judgement{Verdict: Unknown, Why: e.Unsought}
	}
	if e.Unjudged {
		return notYet(whyFit)
	}
	j := e.verdict()
	j.scanned = e.Scanned
	if j.Verdict.needsAbsence() || j.Verdict == Free || j.Verdict == Missing {
		j = e.doubted(j)
	}
	pending, until, why := e.pending()
	if pending && j.Verdict.needsAbsence() {
		if why != "" {
			j = j.takenBack(why)
		} else {
			j = Judgement{Verdict: Reserved, Provisional: e.Others < OthersAbsent, scanned: j.scanned}
		}
	}
	if apart := e.Apart && j.Verdict.Broken(); e.Scanned || apart {
		j.Provisional = true
		if apart {
			j.Why = cmp.Or(j.Why, whyApart)
		}
	}
	j = e.limited(e.asked(e.fitted(j)))
	j.Pending, j.Until = pending, until
	return j
}

// What a judgement waits for.
const (
	whyLock     = "its lock has not been read yet"
	whyFit      = "whether the layout fits is being looked at"
	whyTogether = "the account and its lock are still to be read together"
	whyHolders  = "who else holds it has not been looked at yet"
	whyApart    = "this endpoint has no transactions, and the lock and its accounts were read one after the other"
	// whyDigests is why nothing is concluded from a lock that keeps a digest.
	whyDigests = "the constraint has locks that keep digests of unknown values, and accounts without locks: they may belong together"
)

// notYet is the judgement of what is still to be judged.
func notYet(why string) Judgement { return Judgement{Verdict: Unknown, Why: why, Unjudged: true} }

// pending reports whether an account may still come for the lock, and until when. Where
// the lock does not tell, why says so.
func (e Evidence) pending() (is bool, until time.Time, why string) {
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
func (e Evidence) verdict() Judgement {
	lock, absent := e.Lock.Exists, e.Others >= OthersAbsent || e.NowhereElse
	switch {
	case e.Impossible != nil:
		return Judgement{Verdict: Malformed, Why: e.Impossible.Error()}
	case e.Changed:
		return Judgement{Verdict: Unknown, Why: "it changed while it was read; read the table again"}
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
		return Judgement{Verdict: Held}
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
func (e Evidence) ownerTells() bool { return e.NowhereElse || e.OwnerKnown && e.Fit.OwnerTold() }

// needsAbsence reports whether the verdict rests on nobody calling for the lock.
func (v Verdict) needsAbsence() bool { return v == Orphaned || v == Stale || v == Malformed }

// doubted takes a verdict back that rests on nobody claiming the lock, if that is not
// established.
func (e Evidence) doubted(j Judgement) Judgement {
	switch {
	case e.Impossible != nil:
		return j
	case e.Digests:
		return j.takenBack(whyDigests)
	case j.Verdict == Missing:
		return j
	case e.Holders.Keeps() != "":
		j = j.takenBack(e.Holders.Keeps())
		j.Asks = e.Holders.Asks
		return j
	case j.Verdict == Free || e.NowhereElse && !j.Provisional:
		return j
	case e.Others == OthersUnknown || e.Others == OthersIndexed:
		return j.takenBack(e.OthersWhy)
	case len(e.Unsearched) > 0 && !j.Provisional && e.Others >= OthersAbsent:
		j.Provisional = true
		j.Why = "only the table of the accounts was searched for the value; a release searches " + phrase.List(e.Unsearched) + ", too"
	}
	return j
}

// asked makes a verdict provisional that a person's answer could still change.
func (e Evidence) asked(j Judgement) Judgement {
	if len(e.Claimants) == 0 {
		j.Unlikely = e.Unlikely
	}
	switch {
	case !j.Verdict.Broken() || j.Verdict == Duplicate:
		return j
	case e.TablesUnsaid:
		j.Provisional, j.AsksTables = true, true
		j.Why = cmp.Or(j.Why, "other tables may put locks into "+e.Lock.Table+", and nobody has said which")
	}
	if j.Unlikely != "" && j.Verdict.needsAbsence() {
		j.Provisional = true
		j.Why = cmp.Or(j.Why, "it may belong to a sign-up that is not complete: "+e.Unlikely)
	}
	return j
}

// takenBack is Unknown. It keeps for the sentence how the lock seemed to be.
func (j Judgement) takenBack(why string) Judgement {
	return Judgement{Verdict: Unknown, Why: why, seemed: j.Verdict, scanned: j.scanned}
}

// Doubted returns r with its verdict taken back: another item may hold the value.
func (r *Relation) Doubted(held OtherHolders) *Relation {
	d := *r
	if d.Verdict.needsAbsence() && d.Impossible == nil {
		d.Judgement = d.takenBack(held.Keeps())
		d.Asks = held.Asks
		if len(held.Known) > 0 {
			d.Judgement = Judgement{Verdict: Held, HeldBy: held.Known[0]}
		}
	}
	return &d
}

// fitted lowers a verdict to what the layout allows: a guess confirms nothing.
func (e Evidence) fitted(j Judgement) Judgement {
	switch e.Fit.Standing() {
	case layout.Contradicted:
		return Judgement{Verdict: Unknown, Why: "the layout does not fit: " + e.Fit.Why(), Misfit: true, scanned: j.scanned}
	case layout.Thin:
		if j.Verdict.Broken() || j.Verdict == Free || j.Verdict == Reserved || j.Verdict == InUse {
			j.Provisional = true
			j.Why = cmp.Or(j.Why, e.Fit.Why())
		}
	case layout.Supported:
	}
	for _, fit := range []*layout.Fit{&e.Fit, e.ClaimantFit} {
		if fit != nil && j.Verdict == Foreign && !fit.OwnerTold() {
			j.Provisional = true
			j.Why = cmp.Or(j.Why,
				fmt.Sprintf("whether locks name their accounts is not sure: %d of %d do", fit.MetRight, fit.Met))
		}
	}
	return j
}

// limited makes a verdict provisional that rests on something not being there, where the
// table's Regions do not let that be proven.
func (e Evidence) limited(j Judgement) Judgement {
	absence := j.Verdict == Free || j.Verdict == Reserved || j.Verdict.Broken() && j.Verdict != Duplicate
	if why := e.Regions.Unproven(); why != "" && absence {
		j.Provisional, j.Why, j.limited, j.regional = true, why, true, e.Regions.strong == ""
	}
	return j
}

// conclude judges a relation by its evidence.
func (r *Relation) conclude(e Evidence) {
	r.Judgement, r.OwnerAccount = Judge(e), nil
	if e.Owner != nil && (r.Account == nil || !e.Owner.Key.Equal(r.Account.Key)) {
		r.OwnerAccount = e.Owner
	}
}

// unsought judges a relation whose accounts nobody has looked for.
func unsought(r *Relation, why string) *Relation {
	r.conclude(Evidence{Value: r.Value, Lock: r.Lock, Unsought: why})
	return r
}

// UseEvidence is what the verdict on a value rests on that no lock keeps unique.
type UseEvidence struct {
	// Accounts is how many were read at one moment that hold the value. Apart: the endpoint
	// has no transactions, and they were read one after the other. Scanned: they were met with
	// the table, each at a time of its own.
	Accounts       int
	Apart, Scanned bool
	// Others says what is known of all other accounts, OthersWhy why that is not more, and
	// Index which index has answered, where one has.
	Others    Others
	OthersWhy string
	Index     string
	Regions   Regions
}

// JudgeUse is Judge for a value that no lock keeps: InUse, Duplicate, Free or Unknown. What
// nobody holds is always provisional, since nothing keeps a sign-up from taking it meanwhile.
func JudgeUse(e UseEvidence) Judgement {
	var j Judgement
	switch {
	case e.Accounts > 1:
		j = Judgement{Verdict: Duplicate, Provisional: e.Apart || e.Scanned}
		switch {
		case e.Scanned:
			j.Why = "the accounts were read one after the other, with the table"
		case e.Apart:
			j.Why = "this endpoint has no transactions, and the accounts were read one after the other"
		}
	case e.Accounts == 1:
		j = Judgement{Verdict: InUse}
		if e.Others < OthersAbsent {
			j.Why = "whether a further account holds it was not read"
		}
	case e.Others >= OthersAbsent:
		j = Judgement{
			Verdict:     Free,
			Provisional: true,
			Why:         "all accounts were read once: a sign-up under way is not excluded",
		}
	case e.Others == OthersIndexed:
		j = Judgement{Verdict: Free, Provisional: true, Why: "the index " + e.Index + " lists nobody, and may lag"}
	default:
		j = Judgement{Verdict: Unknown, Why: e.OthersWhy}
	}
	if where := e.Regions.Unproven(); j.Verdict == Free && where != "" {
		j.Why = where
	}
	return j
}
