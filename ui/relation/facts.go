package relation

import (
	"time"

	"tallylock/dynamo"
	"tallylock/ui/kit"
	"tallylock/ui/words"
)

// noLock says why there is no lock to show; empty if there is one. keyed: there is its key.
func noLock(r *dynamo.Relation) (why string, keyed bool) {
	switch {
	case r.Constraint.Lockless():
		return "none by design: the layout says unique = true for " + r.Constraint.Name, false
	case r.Lock.Key.Hash.Name == "":
		return "none can be made of this value: " + r.Why, false
	case r.Lock.Unread:
		return "not read yet", true
	case !r.Lock.Exists:
		return "does not exist", true
	}
	return "", true
}

// lockFacts describes the lock's key, and what else is in it.
func lockFacts(r *dynamo.Relation) []kit.Span {
	why, keyed := noLock(r)
	if !keyed {
		return []kit.Span{kit.Muted.Of(why)}
	}
	key, path := kit.Text.Of(r.Lock.Key.String()), kit.Faint.Of(" "+kit.GlyphPath+" ")
	switch {
	case why != "":
		return []kit.Span{key, kit.Muted.Of("   " + why)}
	case r.Lock.Mark != "":
		return []kit.Span{key, kit.Warn.Of("   has the marker of an unfinished release")}
	case r.Constraint.OwnedByKey():
		return []kit.Span{key, path, kit.Text.Of(r.Lock.Owner)}
	case r.Lock.Owner != "":
		return []kit.Span{key, path, kit.Text.Of(r.Constraint.Owner + " = " + r.Lock.Owner)}
	case len(r.Lock.Attributes()) == 0:
		return []kit.Span{key, kit.Muted.Of("   no owner, no other attribute")}
	}
	return []kit.Span{key, kit.Muted.Of("   names no owner; " + r.Lock.About(time.Now()))}
}

// readFacts summarises what the verdict rests on.
func readFacts(r *dynamo.Relation, read time.Time) []kit.Span {
	whole := 0
	for _, read := range r.Reads {
		if read.Whole {
			whole++
		}
	}
	if len(r.Reads) == 0 {
		s := []kit.Span{kit.Text.Of("with the account, consistent")}
		if r.Account == nil {
			s[0].Text = "with the table, consistent"
		}
		if !read.IsZero() {
			s = append(s, kit.Muted.Of("   "+words.Clock(read)))
		}
		return s
	}
	last := r.Reads[len(r.Reads)-1]
	together := "the lock and its account in one transaction"
	if r.Constraint.Lockless() {
		together = "its accounts in one transaction"
	}
	at := kit.Muted.Of("   " + words.Clock(last.At))
	switch {
	case whole == 1 && r.Limited() != "":
		return []kit.Span{kit.Text.Of("the whole table once; no second look would prove more"), at}
	case whole > 1:
		return []kit.Span{kit.Text.Of("the whole table twice, then the lock again"), at}
	case whole == 1 && r.Provisional:
		return []kit.Span{kit.Text.Of("the whole table once; a second look is to come"), at}
	case whole == 1:
		return []kit.Span{kit.Text.Of("the whole table, and the lock together with its owner"), at}
	case last.How == "transaction":
		return []kit.Span{kit.Text.Of(together), at}
	}
	return []kit.Span{kit.Text.Of(last.What + ": " + last.Found + ", " + last.How), at}
}
