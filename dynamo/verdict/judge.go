package verdict

import (
	"cmp"
	"fmt"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
	"time"
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
func Judge(e Facts) Judgement {
	if e.Unsought != "" {
		return Judgement{Verdict: Unknown, Why: e.Unsought}
	}
	if e.Unjudged {
		return NotYet(WhyFit)
	}
	j := e.verdict()
	j.scanned = e.Scanned
	if j.Verdict.NeedsAbsence() || j.Verdict == Free || j.Verdict == Missing {
		j = e.doubted(j)
	}
	pending, until, why := e.pending()
	if pending && j.Verdict.NeedsAbsence() {
		if why != "" {
			j = j.TakenBack(why)
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
	WhyLock     = "its lock has not been read yet"
	WhyFit      = "whether the layout fits is being looked at"
	WhyTogether = "the account and its lock are still to be read together"
	WhyHolders  = "who else holds it has not been looked at yet"
	whyApart    = "this endpoint has no transactions, and the lock and its accounts were read one after the other"
	// WhyDigests is why nothing is concluded from a lock that keeps a digest.
	WhyDigests = "the constraint has locks that keep digests of unknown values, and accounts without locks: they may belong together"
)

// NotYet is the judgement of what is still to be judged.
func NotYet(why string) Judgement { return Judgement{Verdict: Unknown, Why: why, Unjudged: true} }

// TakenBack is Unknown. It keeps for the sentence how the lock seemed to be.
func (j Judgement) TakenBack(why string) Judgement {
	return Judgement{Verdict: Unknown, Why: why, seemed: j.Verdict, scanned: j.scanned}
}

// JudgeUse is Judge for a value that no lock keeps: InUse, Duplicate, Free or Unknown. What
// nobody holds is always provisional, since nothing keeps a sign-up from taking it meanwhile.
func JudgeUse(e UseFacts) Judgement {
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
func (e Facts) ownerTells() bool { return e.NowhereElse || e.OwnerKnown && e.Fit.OwnerTold() }

// doubted takes a verdict back that rests on nobody claiming the lock, if that is not
// established.
func (e Facts) doubted(j Judgement) Judgement {
	switch {
	case e.Impossible != nil:
		return j
	case e.Digests:
		return j.TakenBack(WhyDigests)
	case j.Verdict == Missing:
		return j
	case e.Holders.Keeps() != "":
		j = j.TakenBack(e.Holders.Keeps())
		j.Asks = e.Holders.Asks
		return j
	case j.Verdict == Free || e.NowhereElse && !j.Provisional:
		return j
	case e.Others == OthersUnknown || e.Others == OthersIndexed:
		return j.TakenBack(e.OthersWhy)
	case len(e.Unsearched) > 0 && !j.Provisional && e.Others >= OthersAbsent:
		j.Provisional = true
		j.Why = "only the table of the accounts was searched for the value; a release searches " + phrase.List(e.Unsearched) + ", too"
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
		j.Provisional, j.AsksTables = true, true
		j.Why = cmp.Or(j.Why, "other tables may put locks into "+e.Lock.Table+", and nobody has said which")
	}
	if j.Unlikely != "" && j.Verdict.NeedsAbsence() {
		j.Provisional = true
		j.Why = cmp.Or(j.Why, "it may belong to a sign-up that is not complete: "+e.Unlikely)
	}
	return j
}

// fitted lowers a verdict to what the layout allows: a guess confirms nothing.
func (e Facts) fitted(j Judgement) Judgement {
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
func (e Facts) limited(j Judgement) Judgement {
	absence := j.Verdict == Free || j.Verdict == Reserved || j.Verdict.Broken() && j.Verdict != Duplicate
	if why := e.Regions.Unproven(); why != "" && absence {
		j.Provisional, j.Why, j.limited, j.regional = true, why, true, e.Regions.Strong == ""
	}
	return j
}

// Doubted returns r with its verdict taken back: another item may hold the value.
func (r *Relation) Doubted(held Holders) *Relation {
	d := *r
	if d.Verdict.NeedsAbsence() && d.Impossible == nil {
		d.Judgement = d.TakenBack(held.Keeps())
		d.Asks = held.Asks
		if len(held.Known) > 0 {
			d.Judgement = Judgement{Verdict: Held, HeldBy: held.Known[0]}
		}
	}
	return &d
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
