package dynamo

import (
	"cmp"
	"fmt"
	"maps"
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
	// strong names a table that is strongly consistent over its Regions (MRSC). Such
	// a table has no transactions (Developer Guide, "Global tables: multi-Region
	// strong consistency").
	strong string
}

// Regions says what the table's Regions allow, by the descriptions of its tables and by the items that
// were read: an item of a global table of 2017 names the Region that changed it.
func (t *Table) Regions() Regions {
	r := Regions{Here: cmp.Or(t.Region, t.conn.Region()), WrittenIn: t.Layout.WrittenIn}
	several := false
	for _, name := range slices.Sorted(maps.Keys(t.locks)) {
		d, said := t.locks[name], t.conn.UpdateRegions(name)
		several = several || len(said) > 0
		for _, other := range slices.Concat(d.Replicas, said) {
			if other != r.Here && other != client.AnotherRegion && !slices.Contains(r.Others, other) {
				r.Others = append(r.Others, other)
			}
			several = several || other == client.AnotherRegion
		}
		if d.Strong && r.strong == "" {
			r.strong = name
		}
	}
	if several && len(r.Others) == 0 {
		r.Others = []string{client.AnotherRegion}
	}
	slices.Sort(r.Others)
	return r
}

// several reports whether another Region than this one may write.
func (r Regions) several() bool { return len(r.Others) > 0 && r.WrittenIn != r.Here }

// Unproven says why it is not proven that something is not there: that nobody holds a
// value, or that a lock is missing. It is empty where that can be proven.
func (r Regions) Unproven() string {
	switch {
	case r.strong != "":
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
	case r.strong != "":
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
	return "the table " + r.strong + " has no transactions (multi-Region strong consistency)"
}

// String names the Regions in a word or two for a header; empty where there is one.
func (r Regions) String() string {
	switch {
	case r.strong != "":
		return fmt.Sprintf("%d REGIONS · MRSC", len(r.Others)+1)
	case len(r.Others) == 0:
		return ""
	case r.WrittenIn != "":
		return "WRITTEN IN " + r.WrittenIn
	}
	return fmt.Sprintf("%d REGIONS", len(r.Others)+1)
}

// checkWrittenIn refuses a Region of the layout that the table has no part in.
func checkWrittenIn(t *Table) error {
	r := t.Regions()
	if r.WrittenIn == "" || len(r.Others) == 0 || r.WrittenIn == r.Here ||
		slices.Contains(r.Others, r.WrittenIn) || slices.Contains(r.Others, client.AnotherRegion) {
		return nil
	}
	return &client.Error{
		Kind: client.Usage, Op: "opening " + t.Name,
		Why: fmt.Sprintf("the layout %s says written_in = %q, and the table is in %s", t.Layout.Name, r.WrittenIn,
			phrase.List(append([]string{r.Here}, r.Others...))),
		Do: t.Correct(),
	}
}
