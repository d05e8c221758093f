package say

import (
	"fmt"
	"slices"
	"strings"

	"tallylock/dynamo"
	"tallylock/dynamo/client"
	"tallylock/dynamo/find"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/verdict"
	"tallylock/ui/kit"
)

// WhatWasRead summarises reads: "read 3 keys, 12 spellings, the whole table".
func WhatWasRead(reads []client.Read) string {
	keys, table := map[string]bool{}, ""
	var others []string
	indexes := 0
	for _, r := range reads {
		switch {
		case r.How == "not read":
		case r.Whole:
			table = "the whole table"
		case r.What == "every account":
			table = "a part of the table"
		case r.How == "index":
			indexes++
		case r.How == "eventual":
			others = append(others, r.What)
		default:
			keys[r.What] = true
		}
	}
	said := []string{phrase.Count(len(keys), "key")}
	if indexes > 0 {
		said = append(said, Plural(indexes, "index", "indexes"))
	}
	if said = append(said, others...); table != "" {
		said = append(said, table)
	}
	return "read " + strings.Join(said, ", ")
}

// NearWords says how many other spellings of a value were tried, and how many are in use.
func NearWords(a *find.Answer) []kit.Span {
	s := []kit.Span{kit.Muted.Of("LOOKS LIKE IT "), kit.Faint.Of(kit.RuleThin + kit.RuleThin + " ")}
	tried := phrase.Count(a.Tried, "spelling") + " tried, "
	switch n := len(a.Near); {
	case a.Tried == 0:
		return append(s, kit.Muted.Of("no other spelling to try"))
	case n == 0:
		return append(s, kit.Muted.Of(tried+"none is in use"))
	case n == 1:
		return append(s, kit.Muted.Of(tried+"1 is in use; it does not block \""+a.Query+"\""))
	case n == 2:
		return append(s, kit.Muted.Of(tried+"2 are in use; neither blocks \""+a.Query+"\""))
	default:
		return append(s, kit.Muted.Of(fmt.Sprintf("%s%d are in use; none of them blocks \"%s\"", tried, n, a.Query)))
	}
}

// OtherReadings names the readings of a query that found nothing, with their verdicts. It is empty if there are none.
func OtherReadings(a *find.Answer, nothing []*verdict.Relation) string {
	var each []string
	for _, v := range []verdict.Verdict{verdict.Free, verdict.Unknown} {
		var names []string
		for _, r := range nothing {
			if r.Verdict == v && !slices.Contains(names, r.Constraint.Name) {
				names = append(names, r.Constraint.Name)
			}
		}
		if len(names) > 0 {
			each = append(each, fmt.Sprintf("%s: %s", strings.Join(names, ", "), v))
		}
	}
	if !slices.ContainsFunc(a.Accounts, func(h find.Holder) bool { return h.ByID }) {
		each = append(each, "account id: none")
	}
	if len(each) == 0 {
		return ""
	}
	return "also looked up as " + strings.Join(each, " · ")
}

// Evidence describes a verdict in a sentence, with the reads behind it: which keys, how, and when.
func Evidence(a *find.Answer, r *verdict.Relation) string {
	text := r.Sentence()
	if r.Why != "" {
		text += " " + Sentence(r.Why)
	}
	var reads []string
	for _, read := range readsOf(a, r) {
		reads = append(reads, fmt.Sprintf("%s %s: %s (%s)", phrase.Clock(read.At), read.What, read.Found, read.How))
	}
	if len(reads) > 0 {
		text += " Read: " + strings.Join(reads, "; ") + "."
	}
	return text
}

// readsOf returns the reads behind a relation's verdict. It leaves out the reads of other locks
// that the typed word might have meant.
func readsOf(a *find.Answer, r *verdict.Relation) []client.Read {
	others := map[string]bool{}
	for _, other := range a.Locks {
		if other != r {
			others[other.Lock.Key.String()] = true
		}
	}
	var reads []client.Read
	for _, read := range r.Reads {
		if !others[read.What] {
			reads = append(reads, read)
		}
	}
	return reads
}

// SharedReading says that several values shared one reading of the whole table, and what it cost.
func SharedReading(values int, units float64, reported bool) string {
	return fmt.Sprintf("The whole table was read once for %s: %s.", phrase.Count(values, "value"),
		UsedReadUnits(units, reported))
}

// NowhereKept explains why no table has a place for a value: no lock and no account can hold it.
func NowhereKept(t *dynamo.Table) string {
	if t == nil || t.Layout.Empty() || len(t.Layout.Constraints()) == 0 {
		return "The layout of this table has no unique values."
	}
	return "No account holds it: it is too long for a key of this table."
}
