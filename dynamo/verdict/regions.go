package verdict

import (
	"fmt"
	"slices"

	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
)

// Regions says what is safe if a table has replicas in other Regions. Between Regions, the last writer wins, conditions
// and release marks do not protect items, and writes become visible late. Regions covers all tables of a layout, also
// the tables of locks and ids. Only this type decides which reads and changes replicas make unsafe.
type Regions struct {
	// Here is the Region of the tables. Others are the Regions of their replicas.
	Here   string
	Others []string
	// WrittenIn is the only Region in which the application writes. It is empty if the layout names no such
	// Region.
	WrittenIn string
	// Strong is the name of a table with strong consistency across Regions (MRSC). Such a table has no
	// transactions (Developer Guide, "Global tables: multi-Region strong consistency").
	Strong string
}

// several reports whether other Regions may write the tables.
func (r Regions) several() bool { return len(r.Others) > 0 && r.WrittenIn != r.Here }

// Unproven explains why no reading can prove an absence, such as "no account holds the value". It is empty
// if a reading can prove it.
func (r Regions) Unproven() string {
	switch {
	case r.Strong != "":
		return r.noTransactions() + ", so lock and account cannot be read at one moment"
	case !r.several():
		return ""
	case r.WrittenIn != "":
		return fmt.Sprintf("this is true in %s, but the application writes only in %s (written_in): look there", r.Here,
			r.WrittenIn)
	}
	return fmt.Sprintf("this is true in %s only: %s can write the table, too, and those writes arrive late", r.Here,
		phrase.List(r.Others))
}

// Refuses explains why the program must refuse a change with these verbs. It is empty if the change is
// allowed.
func (r Regions) Refuses(verbs ...client.Verb) string {
	switch {
	case r.Strong != "":
		return r.noTransactions() + ", and tallylock writes only in transactions"
	case !r.several() || !slices.Contains(verbs, client.Delete):
		return ""
	case r.WrittenIn != "":
		return fmt.Sprintf("tallylock deletes nothing in %s: the application writes only in %s (written_in); connect there",
			r.Here, r.WrittenIn)
	}
	return fmt.Sprintf(
		"tallylock deletes nothing here: %s can write the table, too, so a sign-up there may not be visible in %s. "+
			"If the application writes only here, say so in the layout: written_in = \"%s\"",
		phrase.List(r.Others), r.Here, r.Here,
	)
}

func (r Regions) noTransactions() string {
	return "the table " + r.Strong + " has no transactions (multi-Region strong consistency)"
}

// String describes the Regions in a word or two, for a header. It is empty if there is only one Region.
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
