package say

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"tallylock/dynamo/check/progress"
	"tallylock/dynamo/phrase"
	"tallylock/ui/kit"
)

// Units writes a number of read or write units, with one decimal: half units exist.
func Units(u float64) string {
	whole, frac, _ := strings.Cut(strconv.FormatFloat(u, 'f', 1, 64), ".")
	out := phrase.Group(whole)
	if frac != "0" {
		out += "." + frac
	}
	return out
}

// ReadUnits writes a number of read units: "1 read unit", "13.5 read units".
func ReadUnits(u float64) string { return unitsOf(u, "read") }

// UsedReadUnits writes how many read units were used. If the endpoint does not report them, the cost
// is unknown.
func UsedReadUnits(u float64, reported bool) string {
	if !reported {
		return "price unknown"
	}
	return ReadUnits(u)
}

// WriteUnits writes a number of write units: "2 write units".
func WriteUnits(u float64) string { return unitsOf(u, "write") }

// Paid writes the units that a change has used. A write uses at least one unit, so 0 means that the
// endpoint does not report them.
func Paid(write, read float64) string {
	switch {
	case write == 0:
		return "price unknown: the endpoint does not report it"
	case read == 0:
		return WriteUnits(write)
	}
	return WriteUnits(write) + ", " + ReadUnits(read)
}

func unitsOf(u float64, what string) string {
	n := Units(u)
	if n == "1" {
		return "1 " + what + " unit"
	}
	return n + " " + what + " units"
}

// rounded rounds an estimate to whole units, from 10 up.
func rounded(units float64) float64 {
	if units >= 10 {
		return float64(int64(units + 0.5))
	}
	return units
}

// Estimate writes an estimated number of units.
func Estimate(units float64) string { return Units(rounded(units)) }

// Price writes an estimated price: "about 20 read units".
func Price(units float64) string { return "about " + ReadUnits(rounded(units)) }

// CheckCost describes the cost of a check: "about 20 read units: …".
func CheckCost(c progress.Cost) string {
	return fmt.Sprintf("%s: %s to read every item once, %s for a second look if something is broken",
		Price(c.Units()), Estimate(c.First), Estimate(c.Again))
}

// CheckPrice lists the estimated cost and duration of a check.
func CheckPrice(c progress.Cost) []kit.Fact {
	if c.Uncounted {
		return []kit.Fact{kit.Text.Says("costs", "unknown: the endpoint does not report the size of the table yet. "+
			"The screen shows the units used, and you can stop the check.")}
	}
	takes := "depends on the endpoint, which does not report capacity"
	if c.Time > 0 {
		takes = fmt.Sprintf("about %s, at %s read units a second; the application keeps the rest of the capacity",
			Roughly(c.Time), Estimate(c.Pace)) + wait(c)
	}
	return []kit.Fact{
		kit.Text.Says("items", "about "+phrase.Number(c.Items)),
		kit.Text.Says("costs", CheckCost(c)),
		kit.Text.Says("takes", takes),
	}
}

// wait says how long a check waits before its second reading. It is empty if that is less than a second.
func wait(c progress.Cost) string {
	if c.Wait < time.Second {
		return ""
	}
	return fmt.Sprintf("; a wait of %s if something is broken", Roughly(c.Wait))
}

// BeforeCheck says in a sentence what a check will cost. export is true if the check reads an export, and only a sample
// of the table.
func BeforeCheck(table string, c progress.Cost, export bool) string {
	if c.Uncounted {
		return fmt.Sprintf(
			"Checking %s: the price is unknown, because the endpoint does not report the size of the table (DynamoDB counts every six hours).",
			table,
		)
	}
	said := fmt.Sprintf("Checking %s: about %s; %s", table, phrase.Count(c.Items, "item"), CheckCost(c))
	switch {
	case export && c.Units() == 0:
		said = fmt.Sprintf("Checking %s from an export: no read units", table)
	case export:
		said = fmt.Sprintf(
			"Checking %s from an export: %s (%s to try its layout, %s for a second look if something is broken)",
			table, Price(c.Units()), Estimate(c.First), Estimate(c.Again),
		)
	}
	if c.Time > 0 && c.Units() > 0 {
		said += fmt.Sprintf("; about %s at %s a second", Roughly(c.Time), ReadUnits(rounded(c.Pace))) + wait(c)
	}
	said += "."
	if c.Disk > 0 {
		said += " It writes about " + Size(c.Disk) + " of temporary files to " + c.Temp + "."
	}
	switch {
	case c.Each > 0:
		said += fmt.Sprintf(
			" Each broken value costs about %s more. If very many are broken, each can cost more.",
			ReadUnits(c.Each),
		)
	case c.Beyond != "":
		said += " Not counted: " + c.Beyond + "."
	}
	return said
}
