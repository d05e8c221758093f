// Package sql writes the first reading of a check as SQL, for exports that an engine such as
// Athena or DuckDB can read: one tree of statements made from the layout, printed in two
// dialects. The statements find candidates, never findings: package check confirms them. SQL
// judges only ASCII, since engines differ in everything else, and passes on the items that it
// does not judge. Start at Write.
package sql

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

// Check is the reading to be written as SQL.
type Check struct {
	Layout *layout.Layout
	// Hash is the layout's hash, which candidates carry.
	Hash string
	// Tables are the tables that a check reads, the accounts' first.
	Tables []Table
	// Mark is the attribute with the mark of a release.
	Mark string
	// Next is what checks the result, which is in a file; nil if the SQL is not to say it.
	Next func(file string) string
	// made is a fingerprint of the SQL, and run of the SQL and the exports that it reads,
	// which the names of the tables it creates end with.
	made, run string
}

// Table is a table that a check reads.
type Table struct {
	Name, ID string
	Schema   attr.Schema
	// Expiry is the TTL attribute; empty if the table has none.
	Expiry string
	// Location is where its export is, a directory or an address in S3; empty if people are
	// to fill that in.
	Location string
	// Manifest is what the export's manifests say; nil if nobody has read them.
	Manifest *Manifest
}

// Manifest is what an export's manifests say.
type Manifest struct {
	At    time.Time
	Items int64
}

// folder is the folder with the files of the export, and files are a pattern for those.
func (t Table) folder() string {
	if t.Location == "" {
		return "s3://BUCKET/PREFIX/AWSDynamoDB/EXPORT-OF-" + t.Name + "/data/"
	}
	at := strings.TrimSuffix(t.Location, "/")
	if !strings.HasSuffix(at, "/data") {
		at += "/data"
	}
	return at + "/"
}

func (t Table) files() string { return noPattern.Replace(t.folder()) + "*.json.gz" }

// noPattern escapes the name of a folder where names are patterns.
var noPattern = strings.NewReplacer("[", "[[]", "*", "[*]", "?", "[?]")

// Write writes the check in a dialect.
func Write(w io.Writer, d *Dialect, c *Check) error {
	c = c.named()
	p := printer{d, c}
	var b strings.Builder
	fmt.Fprintf(&b, "-- The check of %s as SQL for %s: it finds candidates in an export, and no more.\n",
		comment(c.Tables[0].Name), d.Name)
	for _, text := range d.usage {
		fmt.Fprintf(&b, "-- %s\n", text)
	}
	if c.Next != nil {
		fmt.Fprintf(&b, "-- %s%s\n", d.give, c.Next(d.result))
	}
	for _, t := range c.Tables {
		if t.Location == "" {
			fmt.Fprintf(&b, "-- Fill in where the export of %s lies: %s\n", comment(t.Name), comment(t.folder()))
		}
	}
	for _, note := range c.Notes() {
		fmt.Fprintf(&b, "-- %s\n", comment(note))
	}
	b.WriteString("\n-- Before: what a run that failed has left.\n")
	for _, text := range d.before(c) {
		b.WriteString("\n" + text + ";\n")
	}
	for _, s := range c.statements() {
		fmt.Fprintf(&b, "\n-- %s\n%s;\n", s.about, p.statement(s))
	}
	b.WriteString("\n-- Afterwards.\n")
	for _, text := range d.after(c) {
		b.WriteString(text + ";\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// comment puts a text into one line.
func comment(s string) string { return strings.Join(strings.Fields(s), " ") }

// Notes returns what the SQL does not judge, and why.
func (c *Check) Notes() []string {
	var notes []string
	for n, con := range c.constraints() {
		if why := c.unjudged(n); why != "" {
			notes = append(
				notes,
				fmt.Sprintf("Nothing of %s is judged by SQL: %s. All of its accounts and locks come out as unjudged.", con.Name,
					why),
			)
		}
	}
	for n := range c.Layout.Counters {
		if why := c.unjudgedIDs(n); why != "" {
			notes = append(
				notes,
				fmt.Sprintf("No ids of the counter %s are judged by SQL: %s. All items that have them come out as unjudged.",
					c.Layout.Counters[n].NameOf(c.Tables[0].Name, c.Tables[0].Schema, attr.Key{}), why),
			)
		}
	}
	return notes
}

func (c *Check) constraints() []*layout.Constraint { return c.Layout.Constraints() }

// lockTable returns the index of the table with a constraint's locks.
func (c *Check) lockTable(con *layout.Constraint) int {
	return c.table(con.LockTable(c.Tables[0].Name))
}

func (c *Check) table(name string) int {
	return slices.IndexFunc(c.Tables, func(t Table) bool { return t.Name == name })
}

// unjudged returns why SQL judges nothing of a constraint; empty if it does. Constraints
// whose locks have the same keys are judged together or not at all.
func (c *Check) unjudged(n int) string {
	all := c.constraints()
	for _, con := range all {
		if !con.SamePlace(c.Tables[0].Name, all[n]) {
			continue
		}
		s := c.Tables[c.lockTable(con)].Schema
		switch {
		case con.KeyedByAccount():
			return "SQL does not compare the values of accounts whose ids are in their locks' keys"
		case len(con.Also) > 0:
			return "SQL does not read locks of two forms"
		case !con.OwnerForm.Empty():
			return "SQL does not read owner_form"
		case con.Lapses:
			return "SQL does not know that locks may lapse"
		}
		if step := unequal(con); step != "" {
			return fmt.Sprintf("SQL has no equal of the normaliser %s", step)
		}
		if why := unreadable(con.PK, con.SK); why != "" {
			return why
		}
		if s.HashKind != attr.S || s.RangeName != "" && s.RangeKind != attr.S {
			return "the keys of its locks are no texts"
		}
	}
	return ""
}

// judgesAny reports whether SQL judges any constraint.
func (c *Check) judgesAny() bool {
	for n := range c.constraints() {
		if c.unjudged(n) == "" {
			return true
		}
	}
	return false
}

// unjudgedIDs returns why SQL judges no ids of a counter; empty if it does. All places of its
// ids are judged together or not at all: two items may have one id in two of them.
func (c *Check) unjudgedIDs(n int) string {
	counter := c.Layout.Counters[n]
	s := c.Tables[0].Schema
	for _, ids := range counter.IDs {
		if manyGroups(ids.Text) {
			return ids.Text.String() + " has more variables than SQL takes out of a text"
		}
	}
	if counter.Fixed(s) || counter.KeyIsValue(s) {
		return ""
	}
	if why := unreadable(counter.PK, counter.SK); why != "" {
		return why
	}
	if s.HashKind != attr.S || s.RangeName != "" && s.RangeKind != attr.S {
		return "the counter's key is no text"
	}
	for _, ids := range counter.IDs {
		if why := unreadable(ids.PK, ids.SK); why != "" {
			return why
		}
	}
	return ""
}

// statements returns all statements in order.
func (c *Check) statements() []statement {
	all := []statement{c.items()}
	if c.judgesAny() {
		all = append(all, pairing{c}.claims(), pairing{c}.suspects(), pairing{c}.keys())
	}
	return append(all, answer{c}.candidates(), statement{
		about: "The answer, and last how many rows it has.",
		query: &query{union: []*query{
			{columns: []as{{"candidate", col("candidate")}}, from: from{table: candidatesTable}},
			{
				columns: []as{
					{"candidate", c.row(field{"rows", of("words", of("many", col("*")))}, field{"made", str(jsonText(c.made))})},
				},
				from: from{table: candidatesTable},
			},
		}},
	})
}

// The tables that the statements create.
const (
	itemsTable      = "tallylock_items"
	callsTable      = "tallylock_calls"
	suspectsTable   = "tallylock_suspects"
	keysTable       = "tallylock_keys"
	candidatesTable = "tallylock_candidates"
)

// dropsOf drops the tables if they exist.
func dropsOf(c *Check) []string {
	var all []string
	for _, s := range c.statements() {
		if s.table != "" {
			all = append(all, "DROP TABLE IF EXISTS "+c.called(s.table))
		}
	}
	return all
}

// Made returns a fingerprint of the SQL of this layout and these tables. Candidates carry it,
// and a check refuses those of another. The locations of the exports do not matter.
func (c *Check) Made() string {
	plain := *c
	plain.made, plain.run, plain.Tables = "", "", slices.Clone(c.Tables)
	for n := range plain.Tables {
		plain.Tables[n].Location, plain.Tables[n].Manifest = "", nil
	}
	var b strings.Builder
	for _, name := range Dialects() { // candidates do not say which dialect found them
		d := ByName(name)
		for _, text := range d.before(&plain) {
			b.WriteString(text)
		}
		for _, s := range plain.statements() {
			b.WriteString(printer{d, &plain}.statement(s))
		}
	}
	return shortHash(b.String())
}

// named returns the check with the suffix of its tables' names, so that the statements of
// another layout, table or export find none of them.
func (c *Check) named() *Check {
	of := *c
	of.made = c.Made()
	said := of.made
	for _, t := range c.Tables {
		said += fmt.Sprintf("|%s|%s|%s", t.Name, t.ID, t.Location)
		if t.Manifest != nil {
			said += fmt.Sprintf("|%s|%d", t.Manifest.At, t.Manifest.Items)
		}
	}
	of.run = shortHash(said)
	return &of
}

// called returns the full name of a table that the statements create, and any other name as
// it is.
func (c *Check) called(table string) string {
	if c.run == "" || !strings.HasPrefix(table, tablePrefix) {
		return table
	}
	return table + "_" + c.run
}

const tablePrefix = "tallylock_"

func shortHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:6])
}
