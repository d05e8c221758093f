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
	// OwnerOdd is why nobody knows whom the lock names, although it names somebody; empty otherwise.
	OwnerOdd string
	// Unsought is why nobody has looked for the accounts yet; empty where somebody has.
	Unsought string
	// Impossible is why no lock can be made of the value; nil where one can.
	Impossible error
	// Malformed: the lock's key has the constraint's prefix and does not fit its template.
	Malformed bool
	// Unlike says what the claimant of a value without a lock has, or lacks, otherwise than
	// all accounts that were looked at and have theirs: "with deletedAt".
	Unlike string
	// Others says what is known of all other accounts, and OthersWhy why that is not more.
	Others    Others
	OthersWhy string
	// Changed: what was read at two times does not fit together. Busy: others kept writing
	// to lock and accounts, and they could not be read together.
	Changed, Busy bool
	// Apart: lock and accounts could not be read at one moment. Scanned: they were met by
	// a scan only, one after the other.
	Apart, Scanned bool
	// Doubt is why it is not established that nobody holds the value, after everything was
	// searched for it, or as far as it was; Asks is what a person has to decide, where that would tell.
	Doubt string
	Asks  *Sighting
	// Unsearched are tables of the layout that were not searched for the value.
	Unsearched []string
	// Reserved says how long a lock may precede its account, and Now is the time that what
	// the lock says of itself is compared with.
	Reserved layout.Reservation
	Now      time.Time
	// Fit is the layout's, for this constraint, and Regions what its tables' Regions allow.
	// Unjudged: the fit is not known yet.
	Fit      layout.Fit
	Unjudged bool
	Regions  Regions
	// ClaimantFit is that of the first claimant's own constraint, where that is another one
	// with the same locks; nil where it is not.
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
	// Asks is what holds the value, where a person has to say what that is; nil otherwise.
	Asks *Sighting
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
	if j.Verdict.needsAbsence() || j.Verdict == Free {
		j = e.doubted(j)
	}
	pending, until, why := e.pending()
	if pending && j.Verdict.needsAbsence() {
		if why != "" {
			j = j.takenBack(why, nil)
		} else {
			j = Judgement{Verdict: Reserved, Provisional: e.Others < OthersAbsent, scanned: j.scanned}
		}
	}
	if e.Scanned || e.Apart && j.Verdict.Broken() {
		j.Provisional = true
	}
	j = e.limited(e.fitted(j))
	j.Pending, j.Until = pending, until
	return j
}

// What a judgement waits for.
const (
	whyLock     = "its lock has not been read yet"
	whyFit      = "whether the layout fits is being looked at"
	whyTogether = "the account and its lock are still to be read together"
	whyHolders  = "who else holds it has not been looked at yet"
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
	lock, absent := e.Lock.Exists, e.Others >= OthersAbsent
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
func (e Evidence) ownerTells() bool { return e.OwnerKnown && e.Fit.OwnerTold() }

// needsAbsence reports whether the verdict rests on nobody calling for the lock.
func (v Verdict) needsAbsence() bool { return v == Orphaned || v == Stale || v == Malformed }

// doubted takes a verdict back that rests on nobody calling for the lock, where that is
// not established.
func (e Evidence) doubted(j Judgement) Judgement {
	switch {
	case e.Impossible != nil:
		return j
	case e.Doubt != "":
		return j.takenBack(e.Doubt, e.Asks)
	case j.Verdict == Free:
		return j
	case e.Others == OthersUnknown || e.Others == OthersIndexed:
		return j.takenBack(e.OthersWhy, nil)
	case len(e.Unsearched) > 0 && !j.Provisional && e.Others >= OthersAbsent:
		j.Provisional = true
		j.Why = "only the table of the accounts was searched for the value; a release searches " + phrase.List(e.Unsearched) + ", too"
	}
	return j
}

// takenBack is Unknown, and keeps what was odd about the lock for the sentence.
func (j Judgement) takenBack(why string, asks *Sighting) Judgement {
	return Judgement{Verdict: Unknown, Why: why, Asks: asks, seemed: j.Verdict, scanned: j.scanned}
}

// Doubted is a relation of which it turned out that somebody may hold its value: what rests on
// nobody doing so is taken back.
func (r *Relation) Doubted(why string, asks *Sighting) *Relation {
	d := *r
	if d.Verdict.needsAbsence() && d.Impossible() == nil {
		d.Judgement = d.takenBack(why, asks)
	}
	return &d
}

// fitted lowers a verdict to what the layout's fit allows.
func (e Evidence) fitted(j Judgement) Judgement {
	strong := j.Verdict.Broken() || j.Verdict == Free || j.Verdict == Reserved
	switch e.Fit.Standing() {
	case layout.Contradicted:
		return Judgement{Verdict: Unknown, Why: "the layout does not fit: " + e.Fit.Why(), Misfit: true, scanned: j.scanned}
	case layout.Thin:
		if strong {
			j.Provisional = true
			if j.Why == "" {
				j.Why = "whether the layout fits is not sure: " + e.Fit.Why()
			}
		}
	}
	if fit := e.Fit; j.Verdict == Missing && e.Unlike != "" && !fit.Trusted && !fit.Accepted {
		j.Provisional = true
		if j.Why == "" {
			j.Why = "no account " + e.Unlike + " was read that has its lock: the application may give such accounts none"
		}
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
