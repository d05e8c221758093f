package check

import (
	"tallylock/dynamo/attr"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/join"
	"tallylock/dynamo/schema"
	"tallylock/dynamo/verdict"
)

// judged holds a candidate's lock and accounts as they were read last, and the facts for the verdict.
type judged struct {
	rel   *verdict.Relation
	facts verdict.Facts
	// unread are the accounts of a duplicate that a pass has met and that were not read again.
	// moreAccounts counts the other accounts: their keys were not kept.
	unread       []schema.Account
	moreAccounts int
}

// conclude judges the lock by its facts.
func (v *judged) conclude() { v.rel.Conclude(v.facts) }

// scanned returns a candidate's lock and accounts as a pass has read them, one item at a time. owner
// is the account that the lock names, or nil if the pass has not met it.
func (j *judging) scanned(c *join.Candidate, owner *schema.Account) judged {
	rel := c.Relation(j.run.codec)
	if rel.Claimants = c.Accounts(j.run.sources[0]); len(rel.Claimants) > 0 {
		rel.Account = &rel.Claimants[0]
	}
	v := judged{rel: rel, facts: j.run.t.Facts(rel, owner, verdict.OthersAbsent), moreAccounts: int(c.MoreHolders)}
	v.facts.Scanned, v.facts.Now = true, asOf(j.run)
	return v
}

// judge judges a candidate by its lock and accounts as they were read last.
func (j *judging) judge(c *join.Candidate, v *judged) {
	v.facts.Changed = v.facts.Changed || c.Changed(v.rel)
	_, v.facts.ExpiresAlone = j.run.expiry.mismatch(v.rel)
	v.conclude()
}

// judgeAgain judges the candidates of one value again, with the facts of the second reading. It
// judges existing locks first: a value is never surer than the lock that keeps it in another spelling.
func (j *judging) judgeAgain(all []judged) {
	for _, exists := range []bool{true, false} {
		for n := range all {
			v := &all[n]
			guessed := j.run.rules.ByConstraint[v.rel.Constraint].Guessed() // a guess confirms nothing
			if v.rel.Lock.Exists != exists || finding.KindOf(v.rel) == "" || guessed {
				continue
			}
			j.addFacts(v)
			v.conclude()
		}
	}
	for _, v := range all {
		if v.rel.Spelt != nil && v.rel.Verdict == verdict.Held { // another item holds the value of the lock
			v.rel.Spelt.Spelt, v.rel.Spelt = nil, nil
		}
	}
}

// addFacts adds the facts of the second reading about a lock without an account, or about an
// account without a lock.
func (j *judging) addFacts(v *judged) {
	e, rel, other := &v.facts, v.rel, v.rel.Spelt
	part := !j.run.partition.All()
	switch {
	case len(rel.Claimants) == 0:
		var own []attr.Key
		if other == nil {
			e.Digests, e.Part = j.digests[rel.Constraint] && e.UnknownText, part
		} else {
			own = append(own, other.Claimants[0].Key)
		}
		e.FromSQL = j.run.o.Candidates != nil && !j.followUp.settled
		e.Holders = j.followUp.search.Of(rel).Holders(own...)
	case other != nil && !rel.Lock.Exists:
		e.OtherSpelling = &other.Judgement
	case rel.Verdict == verdict.Missing:
		e.Digests, e.Part = j.digests[rel.Constraint], part
		if lock, place := j.followUp.search.OtherForm(rel); place != nil {
			e.OtherForm, e.OtherLock = place, lock.Lock.Key
		}
	}
}
