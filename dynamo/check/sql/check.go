// Package sql writes the first reading of a check as SQL, for exports that an engine such as Athena or
// DuckDB can read. It makes one tree of statements from the layout, and prints it in two dialects. The
// statements find candidates, not findings: package check confirms the candidates. SQL judges only ASCII,
// since engines differ in everything else. It passes on the items that it does not judge. Start at Write.
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

// Check is a check's first reading, to be written as SQL.
type Check struct {
	Layout *layout.Layout
	// Hash is the layout's hash, which candidates carry.
	Hash string
	// Tables are the tables that a check reads. The first has the accounts.
	Tables []Table
	// Mark is the attribute with the mark of a release.
	Mark string
	// Next returns the command that checks the result in a file. Nil omits the command from the SQL.
	Next func(file string) string
	// made is a fingerprint of the SQL. run is a fingerprint of the SQL and the exports that it reads. The
	// names of the created tables end with run.
	made, run string
}

// Table is a table that a check reads.
type Table struct {
	Name, ID string
	Schema   attr.Schema
	// Expiry is the TTL attribute; empty if the table has none.
	Expiry string
	// Location is the place of the table's export, a directory or an address in S3. If it is empty, people
	// fill it in.
	Location string
	// Manifest has the facts of the export's manifests; nil if nobody has read them.
	Manifest *Manifest
}

// Manifest has the facts of an export's manifests.
type Manifest struct {
	At    time.Time
	Items int64
}

// folder returns the folder with the files of the export. files returns a pattern for these files.
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

// noPattern escapes a folder's name for use in a pattern.
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

// Notes returns the constraints and counters that SQL does not judge, and why.
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

// unjudged returns why SQL does not judge a constraint; empty if it does. SQL judges either all constraints
// whose locks have the same keys, or none of them.
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

// unjudgedIDs returns why SQL does not judge the ids of a counter; empty if it does. SQL judges either all
// places of the counter's ids, or none: two items in different places may have the same id.
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

// dropsOf returns the statements that drop the check's tables if they exist.
func dropsOf(c *Check) []string {
	var all []string
	for _, s := range c.statements() {
		if s.table != "" {
			all = append(all, "DROP TABLE IF EXISTS "+c.called(s.table))
		}
	}
	return all
}

// Made returns a fingerprint of the SQL of this layout and these tables, without the locations of the
// exports. Candidates carry it, and a check refuses candidates with another fingerprint.
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

// named returns the check with the suffix of its tables' names. Because of the suffix, the statements of
// another layout, table or export do not find these tables.
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

// called returns the full name of a table that the statements create. It returns any other name unchanged.
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
