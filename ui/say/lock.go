package say

import (
	"strings"
	"time"

	"tallylock/dynamo/phrase"
	"tallylock/dynamo/verdict"
	"tallylock/ui/kit"
)

// Holder returns the id of the account that has the value, or that the lock names. If there is none,
// it says why.
func Holder(r *verdict.Relation) (string, kit.Style) {
	switch {
	case r.Account != nil:
		return r.Account.Key.Hash.Value.Display(), kit.Strong
	case r.OwnerAccount != nil:
		return r.OwnerAccount.Key.Hash.Value.Display(), kit.Strong
	case r.Verdict == verdict.Unknown:
		return "not known", kit.Absent
	case r.Verdict == verdict.Reserved:
		return "none yet", kit.Absent
	case r.Lock.Owner != "":
		return "owner gone", kit.Absent
	}
	return "no account", kit.Absent
}

// LockHolder is Holder for a list of locks, which are read before their accounts.
func LockHolder(r *verdict.Relation) (string, kit.Style) {
	if r.Verdict == verdict.Unknown {
		return "not read", kit.Absent
	}
	return Holder(r)
}

// DrawLock draws the lock's key. It is muted if the lock is in order.
func DrawLock(l *kit.Line, r *verdict.Relation, w int) {
	switch {
	case r.Constraint.Lockless():
		l.Words(kit.Muted, Lockless, w)
	case r.Lock.Unread:
		l.Words(kit.Faint, "…", w)
	case !r.Lock.Exists:
		l.Words(kit.Absent, "no lock", w)
	case r.Verdict.Broken():
		l.Fit(kit.Text, r.Lock.Key.Hash.Value.Display(), w)
	default:
		l.Fit(kit.Muted, r.Lock.Key.Hash.Value.Display(), w)
	}
}

// Lockless says that a value has no lock, and needs none.
const Lockless = "none by design"

// NoLock says why there is no lock to show; empty if there is one. keyed reports whether the lock's
// key is known.
func NoLock(r *verdict.Relation) (why string, keyed bool) {
	switch {
	case r.Constraint.Lockless():
		return Lockless + ": the layout says unique = true for " + r.Constraint.Name, false
	case r.Lock.Key.Hash.Name == "":
		return "impossible for this value: " + r.Why, false
	case r.Lock.Unread:
		return "not read yet", true
	case r.Lock.Other != nil:
		return "another item has this key", true
	case !r.Lock.Exists:
		return "does not exist", true
	}
	return "", true
}

// Lock describes a lock in one line of a command: its key, its owner, its other attributes and its age.
func Lock(r *verdict.Relation, now time.Time) string {
	if r.Lock.Other != nil {
		return "none (another item has the key " + r.Lock.Key.String() + ")"
	}
	if !r.Lock.Exists {
		return "none (" + r.Lock.Key.String() + ")"
	}
	text := r.Lock.Key.String() + ", names no owner"
	if r.Lock.Owner != "" {
		text = r.Lock.Key.String() + ", names " + r.Lock.Owner
	}
	if about := r.Lock.About(now); about != "" {
		text += "; " + about
	}
	return text
}

// FurtherLocks names the further locks of a value, in other forms of the key. It is empty if there are none.
func FurtherLocks(r *verdict.Relation) string {
	var keys []string
	for _, k := range r.Lock.Further {
		keys = append(keys, k.String())
	}
	return strings.Join(keys, ", ")
}

// LockFact describes a lock in one row of a screen: its key, and its owner or other attributes.
func LockFact(r *verdict.Relation) []kit.Span {
	why, keyed := NoLock(r)
	if !keyed {
		return []kit.Span{kit.Muted.Of(why)}
	}
	key, path := kit.Text.Of(r.Lock.Key.String()), kit.Faint.Of(" "+kit.GlyphPath+" ")
	switch {
	case why != "":
		return []kit.Span{key, kit.Muted.Of("   " + why)}
	case r.Lock.Mark != "":
		return []kit.Span{key, kit.Warn.Of("   has the mark of an unfinished release")}
	case r.Constraint.OwnedByKey():
		return []kit.Span{key, path, kit.Text.Of(r.Lock.Owner)}
	case r.Lock.Owner != "":
		return []kit.Span{key, path, kit.Text.Of(r.Constraint.Owner + " = " + r.Lock.Owner)}
	case len(r.Lock.Attributes()) == 0:
		return []kit.Span{key, kit.Muted.Of("   no owner, no other attribute")}
	}
	return []kit.Span{key, kit.Muted.Of("   names no owner; " + r.Lock.About(time.Now()))}
}

// ReadFact summarises the reads behind the verdict. read is when the table was read.
func ReadFact(r *verdict.Relation, read time.Time) []kit.Span {
	if len(r.Reads) == 0 {
		said := []kit.Span{kit.Text.Of("with the account, consistent")}
		if r.Account == nil {
			said[0].Text = "with the table, consistent"
		}
		if !read.IsZero() {
			said = append(said, kit.Muted.Of("   "+phrase.Clock(read)))
		}
		return said
	}
	whole := 0
	for _, read := range r.Reads {
		if read.Whole {
			whole++
		}
	}
	last := r.Reads[len(r.Reads)-1]
	said := last.What + ": " + last.Found + ", " + last.How
	switch {
	case whole == 1 && r.Limited() != "":
		said = "the whole table once; a second look would not prove more"
	case whole > 1:
		said = "the whole table twice, then the lock again"
	case whole == 1 && r.Provisional:
		said = "the whole table once; a second look follows"
	case whole == 1:
		said = "the whole table, and the lock together with its owner"
	case last.How == "transaction" && r.Constraint.Lockless():
		said = "its accounts in one transaction"
	case last.How == "transaction":
		said = "the lock and its account in one transaction"
	}
	return []kit.Span{kit.Text.Of(said), kit.Muted.Of("   " + phrase.Clock(last.At))}
}

// Holders names the accounts that hold a value.
func Holders(r *verdict.Relation) string {
	var names []string
	for _, a := range r.Claimants {
		names = append(names, a.Key.Hash.Value.Display())
	}
	if r.MoreClaimants > 0 {
		names = append(names, phrase.Number(r.MoreClaimants)+" more")
	}
	return phrase.List(names)
}

// WhyNoLock says why there is no lock to go to; empty if there is one.
func WhyNoLock(r *verdict.Relation) string {
	switch {
	case r.Constraint.Lockless():
		return NoLocks(r)
	case !r.Lock.Exists:
		return "no lock keeps \"" + r.Shown() + "\""
	}
	return ""
}

// WhyNoAccount says why there is no account to go to; empty if there is one.
func WhyNoAccount(r *verdict.Relation) string {
	switch {
	case r.Constraint.Lockless():
		return NoLocks(r)
	case r.Account == nil && r.OwnerAccount == nil:
		return NoAccount(r)
	}
	return ""
}

// NoItem says that a row has no item.
const NoItem = "no account and no lock exists"

// NoLocks says that the constraint of r has no locks by design.
func NoLocks(r *verdict.Relation) string { return "no locks keep the " + r.Constraint.Name + " unique" }

// NoAccount says why a relation shows no account: no account holds the value, or the holder is
// unknown.
func NoAccount(r *verdict.Relation) string {
	switch r.Verdict {
	case verdict.Unknown:
		return "the holder of \"" + r.Shown() + "\" is unknown"
	case verdict.Reserved:
		return "no account holds \"" + r.Shown() + "\" yet"
	}
	return "no account holds \"" + r.Shown() + "\""
}

// NotJudged says that a relation has no verdict yet, so no change can rely on one.
func NotJudged(r *verdict.Relation) string { return "not judged yet: " + r.Why }

// WhoHolds names who holds a value, with the verb.
func WhoHolds(r *verdict.Relation) string {
	switch {
	case len(r.Claimants) > 1:
		return phrase.Count(r.ClaimantCount(), "account") + " hold"
	case len(r.Claimants) == 1:
		return r.Claimants[0].Key.Hash.Value.Display() + " holds"
	}
	return "an account holds"
}

// JoinRelation draws the line between a value and its lock, up to column end. It draws none if
// there is no lock to join.
func JoinRelation(l *kit.Line, r *verdict.Relation, end int) {
	if r.Verdict == verdict.Unknown && !r.Lock.Exists || r.Constraint.Lockless() {
		l.To(end)
		return
	}
	Join(l, r.Verdict, end)
}

// Join draws the line between a value and its lock, up to column end. The line is whole if they
// belong together, and broken if they do not.
func Join(l *kit.Line, v verdict.Verdict, end int) {
	l.Put(kit.Text, " ")
	n := end - l.At
	if n < 2 {
		return
	}
	k := Verdict(v, false).Style
	switch v {
	case verdict.Held:
		l.Run(kit.Faint, kit.RuleThin, n)
	case verdict.Duplicate:
		l.Run(k, kit.RuleThin, n)
	case verdict.Missing:
		l.Run(k, kit.RuleThin, n-3)
		l.Put(k, kit.RuleEnds)
	case verdict.Stale:
		l.Run(k, kit.RuleDash, n)
	case verdict.Foreign:
		l.Run(k, kit.RuleThin, n-2)
		l.Put(k, kit.RuleCross)
		l.Run(k, kit.RuleThin, 1)
	case verdict.Free:
	default: // the lock belongs to no account
		l.To(end - 3)
		l.Put(k, kit.RuleStart)
		l.Run(k, kit.RuleThin, end-l.At)
	}
}

// Holds says what the account beside a lock holds.
func Holds(r *verdict.Relation) (string, kit.Style) {
	switch {
	case len(r.Claimants) > 1:
		return phrase.Count(r.ClaimantCount(), "account"), kit.Text
	case r.Account != nil:
		return "the same", kit.Muted
	case r.OwnerAccount != nil:
		if v := r.OwnerAccount.Item.At(r.Constraint.Attribute); v.Exists() {
			return v.Display(), kit.Text
		}
		return "no " + r.Constraint.Name, kit.Absent
	}
	return "", kit.Muted
}

// JoinAccount draws the line that joins a lock to its account. If the lock reaches no account, the line ends
// after the lock.
func JoinAccount(l *kit.Line, v verdict.Verdict, end int) {
	switch v {
	case verdict.Orphaned, verdict.Malformed, verdict.Reserved, verdict.Unknown:
		k := Verdict(v, false).Style
		l.Put(kit.Text, " ")
		l.Run(k, kit.RuleThin, min(2, end-l.At-1))
		l.Put(k, kit.RuleEnds)
	default:
		Join(l, v, end)
	}
}
