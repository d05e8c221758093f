package verdict

import (
	"fmt"
	"slices"

	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
)

// Regions is what the Regions that a table is written in allow: the last writer wins
// between them, a condition and a mark mean nothing in another, and what is written
// there is seen late. The tables that a layout keeps locks and ids in count with it.
// This is the one place that decides what follows from that.
type Regions struct {
	// Here is the Region of the tables, Others are those that hold replicas.
	Here   string
	Others []string
	// WrittenIn is the only one that is written, as the layout says; empty where it
	// does not.
	WrittenIn string
	// Strong names a table that is strongly consistent over its Regions (MRSC). Such
	// a table has no transactions (Developer Guide, "Global tables: multi-Region
	// strong consistency").
	Strong string
}

// several reports whether another Region than this one may write.
func (r Regions) several() bool { return len(r.Others) > 0 && r.WrittenIn != r.Here }

// Unproven says why it is not proven that something is not there: that nobody holds a
// value, or that a lock is missing. It is empty where that can be proven.
func (r Regions) Unproven() string {
	switch {
	case r.Strong != "":
		return r.noTransactions() + ": lock and account cannot be read at one moment"
	case !r.several():
		return ""
	case r.WrittenIn != "":
		return fmt.Sprintf("it is so in %s, and the layout says that %s is written: look there", r.Here, r.WrittenIn)
	}
	return fmt.Sprintf("it is so in %s only: %s can write the table, too, and what is written there is seen late", r.Here,
		phrase.List(r.Others))
}

// Refuses says why changes with these actions are not made; empty where they may be.
func (r Regions) Refuses(verbs ...client.Verb) string {
	switch {
	case r.Strong != "":
		return r.noTransactions() + ", and nothing is written without one"
	case !r.several() || !slices.Contains(verbs, client.Delete):
		return ""
	case r.WrittenIn != "":
		return fmt.Sprintf("nothing is deleted in %s: the layout says that only %s is written (written_in); connect there",
			r.Here, r.WrittenIn)
	}
	return fmt.Sprintf(
		"nothing is deleted here: %s can write the table, too, so a sign-up there may not be visible in %s. If only one Region is written, say so in the layout: written_in = \"%s\"",
		phrase.List(r.Others), r.Here, r.Here,
	)
}

func (r Regions) noTransactions() string {
	return "the table " + r.Strong + " has no transactions (multi-Region strong consistency)"
}

// String names the Regions in a word or two for a header; empty where there is one.
func (r Regions) String() string {
	switch {
	case r.Strong != "":
		return fmt.Sprintf("%d REGIONS · MRSC", len(r.Others)+1)
	case len(r.Others) == 0:
		return ""
	case r.WrittenIn != "":
		return "WRITTEN IN " + r.WrittenIn
	}
	return fmt.Sprintf("%d REGIONS", len(r.Others)+1)
}
