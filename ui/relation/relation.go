// Package relation draws a value with its account and its lock, for every screen that has one,
// and has the commands for it: repairs, changes, marks for a release. Start reading at DrawBelow
// and Repairs, for lists of values at RowCommands.
package relation

import (
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
	"tallylock/ui/kit"
	"tallylock/ui/words"
)

// DrawBelow draws the detail of a relation in four rows, below a list: the sentence, the
// lock, what was read, and what it means to people. If the verdict is not sure, the reason
// comes first.
func DrawBelow(d *kit.Block, r *dynamo.Relation, read time.Time) {
	sign, text, why := words.Verdict(r.Verdict, r.Provisional), r.Sentence(), words.Unsure(r)
	facts := []kit.Fact{{Label: "lock", Said: lockFacts(r)}}
	if len(r.Claimants) > 1 {
		facts = append([]kit.Fact{{Label: "accounts", Said: []kit.Span{kit.Text.Of(holders(r))}}}, facts...)
	}
	switch both := text + " " + why; {
	case why == "":
		facts = append(facts, kit.Fact{Label: "read", Said: readFacts(r, read)})
	case len(kit.Wrap(both, d.Width-kit.VerdictColumn(sign)-1)) <= 2:
		text = both
	default:
		facts = append([]kit.Fact{{Label: "why", Said: []kit.Span{kit.Text.Of(why)}}}, facts...)
	}
	d.Verdict(sign, text)
	if so := words.Consequence(r); so != "" && r.Verdict != dynamo.Unknown {
		facts = append(facts, kit.Fact{Label: "so", Said: []kit.Span{kit.Text.Of(so)}})
	}
	if facts[0].Label == "why" { // is said whole, whatever has no room then
		for n, row := range kit.Flow(facts[0].Said, d.Width-14, 2) {
			d.FactRow([]string{"why", ""}[min(n, 1)], row)
		}
		facts = facts[1:]
	}
	d.Facts(facts...)
}

// holders names the accounts that hold a value.
func holders(r *dynamo.Relation) string {
	var names []string
	for _, a := range r.Claimants {
		names = append(names, a.Key.Hash.Value.Display())
	}
	return phrase.List(names)
}

// DrawBeside draws the detail with the items, beside a list on a wide screen. by is the
// layout of the table.
func DrawBeside(d *kit.Block, by *layout.Layout, r *dynamo.Relation) {
	d.Sign(words.Verdict(r.Verdict, r.Provisional))
	d.Para(1, kit.Strong, r.Sentence())
	if why := words.Unsure(r); why != "" {
		d.Para(1, kit.Text, why)
	}
	d.Gap()
	d.Head(1, "LOCK")
	Lock(d, r)
	d.Gap()
	switch {
	case r.OwnerAccount != nil:
		d.Head(1, "THE OWNER IT NAMES")
		Account(d, by, r.OwnerAccount)
		d.Gap()
	case len(r.Claimants) > 1:
		for n := range r.Claimants[:min(len(r.Claimants), 3)] {
			d.Head(1, "ACCOUNT")
			Account(d, by, &r.Claimants[n])
			d.Gap()
		}
	case r.Account != nil:
		d.Head(1, "ACCOUNT")
		Account(d, by, r.Account)
		d.Gap()
	}
	if len(r.Reads) > 0 {
		d.Head(1, "WHAT WAS READ")
		Reads(d, r.Reads)
		d.Gap()
	}
	if so := words.Consequence(r); so != "" && so != r.Why {
		d.Head(1, "SO")
		d.Para(1, kit.Text, words.Sentence(so))
		d.Gap()
	}
}

// Name names whose value it is, or says why nobody's.
func Name(r *dynamo.Relation) (string, kit.Style) {
	switch {
	case r.Account != nil:
		return r.Account.Key.Hash.Value.Display(), kit.Strong
	case r.OwnerAccount != nil:
		return r.OwnerAccount.Key.Hash.Value.Display(), kit.Strong
	case r.Verdict == dynamo.Unknown:
		return "not known", kit.Absent
	case r.Verdict == dynamo.Reserved:
		return "none yet", kit.Absent
	case r.Lock.Owner != "":
		return "owner gone", kit.Absent
	}
	return "no account", kit.Absent
}

// LockKey draws the lock's key, muted if all is well.
func LockKey(l *kit.Line, r *dynamo.Relation, w int) {
	if r.Constraint.Lockless() {
		l.Words(kit.Muted, "none by design", w)
		return
	}
	if r.Lock.Unread {
		l.Words(kit.Faint, "…", w)
		return
	}
	if !r.Lock.Exists {
		l.Words(kit.Absent, "no lock", w)
		return
	}
	k := kit.Text
	if r.Verdict == dynamo.Held || !r.Verdict.Broken() {
		k = kit.Muted
	}
	l.Fit(k, r.Lock.Key.Hash.Value.Display(), w)
}
