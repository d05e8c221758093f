// Package sql writes the first reading of a check as SQL, for an engine that can read exports: Athena, Trino or DuckDB.
// It builds one tree of statements from the layout, and prints the tree in three dialects. The statements find
// candidates; package check then confirms them. All engines compare bytes in the same way, but they differ in the lower
// case and the white space of texts outside ASCII. So SQL judges only ASCII values of a constraint with such
// normalisers. Items that SQL cannot judge go to the check.
//
// Start at Statements, which returns the statements as values, or at Write, which writes them as a script. A runner
// sends the texts in order and stops at the first error. It keeps the rows of the statement of kind Result:
// candidates.Open reads them, one JSON object a line, or as CSV with the header "candidate". If a statement fails or
// the run is cancelled, the runner sends the statements of kind Drop at the end. It sets Check.Run so that its tables
// have names of their own, and Check.Into so that Athena puts their files into a folder of the run. Statement.Exports
// lists the exports that a statement reads. Trino compresses the tables with ZSTD if the session property
// compression_codec of the catalog says so.
package sql

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

// Check has everything that the SQL of one check depends on.
type Check struct {
	Layout *layout.Layout
	// Hash is the hash of the layout. Each candidate contains it.
	Hash string
	// Tables are the tables of the check. The first one has the accounts.
	Tables []Table
	// Mark is the name of the attribute with a release mark.
	Mark string
	// Next returns the command that checks the result in a file. If Next is nil, the SQL does not mention a
	// command.
	Next func(file string) string
	// Run is the suffix of the tables that the statements create, so that checks of different layouts, tables
	// or exports do not overwrite each other's tables. It may have letters a to z, digits and _. If it is
	// empty, the suffix is Job.
	Run string
	// Into is the folder in S3 in which Athena puts the tables and a large result. If it is empty, Athena puts
	// them with the workgroup's results. Other engines do not need it.
	Into string
	made string // a fingerprint of the SQL
}

// Table is one table of the check.
type Table struct {
	Name, ID string
	Schema   attr.Schema
	// Expiry is the name of the TTL attribute. It is empty if the table has none.
	Expiry string
	// Location is the place of the export: a directory, or an address in S3. If Location is empty, the person who
	// runs the SQL must fill in the place.
	Location string
	// Manifest has the facts from the export's manifests. It is nil if the manifests were not read.
	Manifest *Manifest
}

// Manifest has the time of an export, the number of its items, and the size of the table in bytes. The files of the
// export are compressed, and so smaller. Bytes is 0 if the manifest has no size.
type Manifest struct {
	At    time.Time
	Items int64
	Bytes int64
}

// Folder returns the folder with the export's files. files returns a pattern that matches these files.
func (t Table) Folder() string {
	if t.Location == "" {
		return "s3://BUCKET/PREFIX/AWSDynamoDB/EXPORT-OF-" + t.Name + "/data/"
	}
	at := strings.TrimSuffix(t.Location, "/")
	if !strings.HasSuffix(at, "/data") {
		at += "/data"
	}
	return at + "/"
}

func (t Table) files() string { return noPattern.Replace(t.Folder()) + "*.json.gz" }

// noPattern escapes the characters of a folder's name that are special in a pattern.
var noPattern = strings.NewReplacer("[", "[[]", "*", "[*]", "?", "[?]")

// Notes lists the constraints and counters that SQL cannot judge, with the reasons.
func (c *Check) Notes() []string {
	var notes []string
	for n, con := range c.constraints() {
		if why := c.unjudged(n); why != "" {
			notes = append(
				notes,
				fmt.Sprintf("SQL cannot judge the constraint %s: %s. All its accounts and locks are listed as unjudged.", con.Name,
					why),
			)
		}
	}
	for n := range c.Layout.Counters {
		if why := c.unjudgedIDs(n); why != "" {
			notes = append(
				notes,
				fmt.Sprintf("SQL cannot judge the ids of the counter %s: %s. All items with these ids are listed as unjudged.",
					c.Layout.Counters[n].NameOf(c.Tables[0].Name, c.Tables[0].Schema, attr.Key{}), why),
			)
		}
	}
	return notes
}

func (c *Check) constraints() []*layout.Constraint { return c.Layout.Constraints() }

// lockTable returns the index of the table with the constraint's locks.
func (c *Check) lockTable(con *layout.Constraint) int {
	return c.table(con.LockTable(c.Tables[0].Name))
}

func (c *Check) table(name string) int {
	return slices.IndexFunc(c.Tables, func(t Table) bool { return t.Name == name })
}

// unjudged explains why SQL cannot judge constraint n. It is empty if SQL can judge the constraint. If
// several constraints have the same lock keys, SQL judges all of them or none.
func (c *Check) unjudged(n int) string {
	all := c.constraints()
	for _, con := range all {
		if !con.SharesKeys(c.Tables[0].Name, all[n]) {
			continue
		}
		s := c.Tables[c.lockTable(con)].Schema
		switch {
		case con.KeyedByAccount():
			return "SQL does not compare values if the keys of their locks contain the account's id"
		case len(con.Also) > 0:
			return "SQL does not read locks of two forms"
		case !con.OwnerForm.Empty():
			return "SQL does not read owner_form"
		case con.Lapses:
			return "SQL does not know that locks may expire"
		}
		if step := unequal(con); step != "" {
			return fmt.Sprintf("SQL has no equivalent of the normaliser %s", step)
		}
		if why := unreadable(con.PK, con.SK); why != "" {
			return why
		}
		if s.HashKind != attr.S || s.RangeName != "" && s.RangeKind != attr.S {
			return "the keys of its locks are not text"
		}
	}
	return ""
}

// judged lists the constraints that SQL judges, by their places in the layout.
func (c *Check) judged() (all []int) {
	for n := range c.constraints() {
		if c.unjudged(n) == "" {
			all = append(all, n)
		}
	}
	return all
}

// unjudgedIDs explains why SQL cannot judge the ids of counter n. It is empty if SQL can judge the ids.
// Items in different places may have the same id, so SQL judges all places of a counter's ids or none.
func (c *Check) unjudgedIDs(n int) string {
	counter := c.Layout.Counters[n]
	s := c.Tables[0].Schema
	if counter.Fixed(s) || counter.KeyIsValue(s) {
		return ""
	}
	if why := unreadable(counter.PK, counter.SK); why != "" {
		return why
	}
	if s.HashKind != attr.S || s.RangeName != "" && s.RangeKind != attr.S {
		return "the counter's key is not text"
	}
	for _, ids := range counter.IDs {
		if why := unreadable(ids.PK, ids.SK); why != "" {
			return why
		}
	}
	return ""
}

func (c *Check) statements() []statement {
	all := []statement{c.items()}
	if len(c.judged()) > 0 {
		all = append(all, c.claims(), pairing{c}.suspects(), pairing{c}.keys())
	}
	candidates := append([]statement{answer{c}.candidates()}, answer{c}.counterTables()...)
	result, rows := &query{}, from{inner: &query{}, as: "c"}
	for _, one := range candidates {
		rows.inner.union = append(rows.inner.union,
			&query{columns: []as{{"candidate", col("candidate")}}, from: from{table: one.table}})
	}
	result.union = slices.Clone(rows.inner.union)
	if len(candidates) == 1 {
		rows = from{table: candidatesTable}
	}
	result.union = append(result.union, &query{
		columns: []as{
			{"candidate", c.row(field{"rows", of("words", of("many", col("*")))}, field{"made", str(jsonText(c.made))})},
		},
		from: rows,
	})
	return append(append(all, candidates...),
		statement{about: "The result, with the number of its rows at the end.", query: result})
}

// The names of the tables that the statements create. called adds the suffix.
const (
	itemsTable      = "tallylock_items"
	callsTable      = "tallylock_calls"
	suspectsTable   = "tallylock_suspects"
	keysTable       = "tallylock_keys"
	candidatesTable = "tallylock_candidates"
	countersTable   = "tallylock_counters_" // a number follows
)

// Made returns a fingerprint of the SQL for this layout and these tables. The locations of the exports do
// not matter. The result of the SQL contains the fingerprint. A check refuses a result whose fingerprint
// differs.
func (c *Check) Made() string {
	plain := *c
	plain.made, plain.Run, plain.Into, plain.Tables = "", "", "", slices.Clone(c.Tables)
	for n := range plain.Tables {
		plain.Tables[n].Location, plain.Tables[n].Manifest = "", nil
	}
	var b strings.Builder
	for _, d := range dialects() { // a result does not show which dialect made it
		for _, s := range list(d, &plain) {
			b.WriteString(s.Text)
		}
	}
	return shortHash(b.String())
}

// named returns a copy of the check with made and Run set.
func (c *Check) named() *Check {
	of := *c
	of.made = c.Made()
	if of.Run == "" {
		of.Run = of.Job()
	}
	return &of
}

// Task returns a fingerprint of the SQL and of the tables. The checks of later exports have the same task.
func (c *Check) Task() string {
	said := c.made
	if said == "" {
		said = c.Made()
	}
	for _, t := range c.Tables {
		said += fmt.Sprintf("|%s|%s", t.Name, t.ID)
	}
	return shortHash(said)
}

// Job returns a fingerprint of the SQL and of the exports. Two runs of the same check of the same exports
// have the same job.
func (c *Check) Job() string {
	said := c.Task()
	for _, t := range c.Tables {
		said += "|" + t.Location
		if t.Manifest != nil {
			said += fmt.Sprintf("|%s|%d", t.Manifest.At, t.Manifest.Items)
		}
	}
	return shortHash(said)
}

// called returns the name of a created table with its suffix. Any other name stays unchanged.
func (c *Check) called(table string) string {
	if c.Run == "" || !strings.HasPrefix(table, tablePrefix) {
		return table
	}
	return table + "_" + c.Run
}

const tablePrefix = "tallylock_"

func shortHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:6])
}
