package say

import (
	"fmt"
	"math"

	"tallylock/dynamo/check/warehouse"
	"tallylock/dynamo/client"
)

// BeforeSQL says what a run of SQL scans and makes, and what that costs if the engine has a price for a TB.
func BeforeSQL(s warehouse.Scan, place string, priced bool, price float64) string {
	text := fmt.Sprintf("The SQL runs on %s. ", place)
	if s.Unknown {
		text += "The size of the exports is unknown: the manifests do not have it. "
	} else {
		text += fmt.Sprintf("The size of the exported tables is %s. Their compressed files are smaller. ", Size(s.Bytes))
	}
	text += Plural(s.Exports, "statement reads", "statements read") + " the exports. " +
		Plural(s.Tables, "statement reads", "statements read") + " only smaller tables that the SQL makes. " +
		"These tables hold keys and values until the run deletes them. A bucket with versioning keeps deleted files."
	switch {
	case !priced:
		return text
	case s.Unknown:
		return text + fmt.Sprintf(" Athena charges $%s for each TB that it scans.", dollars(price))
	}
	return text + fmt.Sprintf(
		" At $%s a TB, reading the exports costs at most about $%s. The tables of the SQL cost extra: Athena reads them several times.",
		dollars(price), dollars(float64(s.Billed)/1e12*price),
	)
}

// dollars writes a price: "5", "0.06", or "0.01" for less.
func dollars(amount float64) string {
	if amount == math.Trunc(amount) {
		return fmt.Sprintf("%.0f", amount)
	}
	return fmt.Sprintf("%.2f", max(amount, 0.01))
}

// LeftOfSQL says what a run of SQL could not remove. failed is the error of the run itself: the same reason is not said
// twice.
func LeftOfSQL(left warehouse.Left, place string, failed error) string {
	text := "Still on " + place + ", with keys and values of the table: " + left.String()
	if client.KindOf(failed) != client.KindOf(left.Err) {
		text += ". The reason: " + Explain(left.Err).Why
	}
	return text + ". Remove them by hand, or run the same check after a day: it removes them."
}

// SQLProgress is the progress line of a run of SQL.
func SQLProgress(s warehouse.State) string {
	return fmt.Sprintf("running SQL: statement %d of %d, %s · %s scanned", s.Number, s.Of, s.Name, Size(s.Scanned))
}
