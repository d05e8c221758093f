// Package sql writes the first reading of a check as SQL, for tables that lie as exports
// where an engine can read them: from a layout one tree of statements, printed in two
// dialects. What they find are candidates and never findings: package check makes sure of
// them. It judges ASCII alone, since engines differ in everything else, and hands what it
// does not judge on as it is. It imports attr and layout. Start at Write.
package sql

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

// Check is what is to be written as SQL.
type Check struct {
	Layout *layout.Layout
	// Hash is the layout's fingerprint: candidates carry it.
	Hash string
	// Tables are those that a check reads, that of the accounts first.
	Tables []Table
	// Mark is the attribute by which a release marks locks.
	Mark string
	// made is what the SQL was made of, and run that with the exports that it reads: the
	// names of the tables that it makes end so.
	made, run string
}

// Table is one of the tables.
type Table struct {
	Name, ID string
	Schema   attr.Schema
	// Expiry is the attribute by which items expire; empty where none do.
	Expiry string
	// Location is where its export lies: a directory or an address of S3; empty where
	// that is to be filled in.
	Location string
	// Manifest is what that export says of itself; nil where nobody has read it.
	Manifest *Manifest
}

// Manifest is what an export says of itself.
type Manifest struct {
	At    time.Time
	Items int64
}

// folder is where the files of the export lie, and files are those.
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

// noPattern has the name of a folder stand for itself where names are patterns.
var noPattern = strings.NewReplacer("[", "[[]", "*", "[*]", "?", "[?]")

// Write writes the check in a dialect.
func Write(w io.Writer, d *Dialect, c *Check) error {
	c = c.named()
	p := printer{d, c}
	var b strings.Builder
	fmt.Fprintf(&b, "-- The check of %s as SQL for %s: it finds candidates in an export, and no more.\n", comment(c.Tables[0].Name), d.Name)
	for _, text := range d.usage {
		fmt.Fprintf(&b, "-- %s\n", text)
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

// comment is a text in one line.
func comment(s string) string { return strings.Join(strings.Fields(s), " ") }

// Notes are what the SQL does not judge, and why.
func (c *Check) Notes() []string {
	var notes []string
	for n, con := range c.constraints() {
		if why := c.unjudged(n); why != "" {
			notes = append(notes, fmt.Sprintf("Nothing of %s is judged by SQL: %s. All of its accounts and locks come out as unjudged.", con.Name, why))
		}
	}
	for n := range c.Layout.Counters {
		if why := c.unjudgedIDs(n); why != "" {
			notes = append(notes, fmt.Sprintf("No ids of the counter %s are judged by SQL: %s. All items that have them come out as unjudged.", c.Layout.Counters[n].NameOf(c.Tables[0].Name, c.Tables[0].Schema, attr.Key{}), why))
		}
	}
	return notes
}

func (c *Check) constraints() []*layout.Constraint { return c.Layout.Constraints() }

// lockTable is in which of the tables a constraint's locks are.
func (c *Check) lockTable(con *layout.Constraint) int {
	return c.table(con.LockTable(c.Tables[0].Name))
}

func (c *Check) table(name string) int {
	return slices.IndexFunc(c.Tables, func(t Table) bool { return t.Name == name })
}

// unjudged is why nothing of a constraint is judged by SQL; empty where it is. Locks with
// the keys of another's are judged with that one or not at all.
func (c *Check) unjudged(n int) string {
	all := c.constraints()
	for _, con := range all {
		if !con.SamePlace(c.Tables[0].Name, all[n]) {
			continue
		}
		s := c.Tables[c.lockTable(con)].Schema
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

// unjudgedIDs is the same of the ids of a counter: of all its places, since two items may
// carry one id in two of them.
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

// statements are all, in their order.
func (c *Check) statements() []statement {
	all := []statement{c.items()}
	if len(c.constraints()) > 0 {
		all = append(all, pairing{c}.calls(), pairing{c}.suspects(), pairing{c}.keys())
	}
	return append(all, answer{c}.candidates(), statement{
		about: "The answer, and last how many rows it has.",
		query: &query{union: []*query{
			{columns: []as{{"candidate", col("candidate")}}, from: from{table: candidatesTable}},
			{columns: []as{{"candidate", c.row(field{"rows", of("words", of("many", col("*")))}, field{"made", str(jsonText(c.made))})}}, from: from{table: candidatesTable}},
		}},
	})
}

// The tables that the statements make.
const (
	itemsTable      = "tallylock_items"
	callsTable      = "tallylock_calls"
	suspectsTable   = "tallylock_suspects"
	keysTable       = "tallylock_keys"
	candidatesTable = "tallylock_candidates"
)

// dropsOf takes the tables away, where they are.
func dropsOf(c *Check) []string {
	var all []string
	for _, s := range c.statements() {
		if s.table != "" {
			all = append(all, "DROP TABLE IF EXISTS "+c.called(s.table))
		}
	}
	return all
}
