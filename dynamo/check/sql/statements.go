package sql

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Statement is one statement of the SQL. A runner sends Text, which ends without a semicolon.
type Statement struct {
	// Number is the statement's place in the order, from 1. Name is short and unique, such as "items".
	Number int
	Name   string
	Kind   Kind
	// About is a sentence about the effect of the statement.
	About, Text string
	// Table is the table that the statement creates or drops. It is empty for the result.
	Table string
	// Exports lists the folders of the exports whose files the statement reads, or makes readable.
	Exports []string
	// Place is the folder in which the statement puts files. It is empty if the engine chooses the folder. If the result
	// has a place, the statement returns no rows. It writes them to files below this folder, compressed with gzip, one row
	// a line.
	Place string
}

// Kind is the kind of a statement.
type Kind string

// The kinds of statements.
const (
	Drop   Kind = "drop"   // drops a table, or clears the result of an earlier run
	Lines  Kind = "lines"  // makes a table over the files of an export, and reads nothing
	Create Kind = "create" // creates a table from a query
	Result Kind = "result" // returns the result
)

// File returns the name of the statement's file.
func (s Statement) File() string { return fmt.Sprintf("%02d-%s.sql", s.Number, s.Name) }

// Statements returns the statements of the check in dialect d, in the order in which they run: they drop
// the tables of a failed run, create tables, return the result, and drop the tables. If the SQL is above the
// limits of the engine, the error is a *TooLargeError.
func Statements(d *Dialect, c *Check) ([]Statement, error) {
	c = c.named()
	all := list(d, c)
	return all, d.within(c, all)
}

// list is Statements for a check whose fingerprints are set.
func list(d *Dialect, c *Check) (all []Statement) {
	p := printer{d, c}
	add := func(s Statement) {
		s.Number = len(all) + 1
		all = append(all, s)
	}
	made := c.statements()
	drop := func(prefix, about string) {
		for _, s := range made {
			if s.table != "" {
				add(p.drop(prefix, s.name(), s.table, about))
			}
		}
		for n := range c.Tables {
			if d.lines != nil {
				add(p.drop(prefix, fmt.Sprintf("lines-%d", n+1), linesTable(n+1), about))
			}
		}
	}
	drop("drop-old-", "A failed run may have left this table.")
	if d.clear != "" {
		add(Statement{Name: "clear", Kind: Drop, Text: d.clear, About: "A failed run may have left its result."})
	}
	for n, t := range c.Tables {
		if d.lines != nil {
			name := c.called(linesTable(n + 1))
			add(Statement{
				Name: fmt.Sprintf("lines-%d", n+1), Kind: Lines, Table: name, Text: d.lines(name, t),
				About: "The lines of the export of " + comment(t.Name) + ".", Exports: []string{t.Folder()},
			})
		}
	}
	for _, s := range made {
		add(p.statement(s))
	}
	drop("drop-", "The table is no longer needed.")
	return all
}

// Marker returns a statement that creates a table of one row, with this name and the suffix of the other tables. A
// long run shows with markers that it still runs.
func Marker(d *Dialect, c *Check, name string) Statement {
	p := printer{d, c}
	table := c.called(tablePrefix + name)
	s := Statement{Number: 1, Name: name, Kind: Create, Table: table, Place: p.placeOf(table), About: "A marker of a run."}
	s.Text = d.table(table, s.Place) + " AS\nSELECT 1 AS one"
	return s
}

// linesTable returns the name of the table with the lines of export n.
func linesTable(n int) string { return fmt.Sprintf("%slines_%d", tablePrefix, n) }

func (p printer) drop(prefix, name, table, about string) Statement {
	table = p.c.called(table)
	return Statement{
		Name: prefix + name, Kind: Drop, Table: table, Text: "DROP TABLE IF EXISTS " + table, About: about,
	}
}

// name returns the name of the statement, without the prefix of tables.
func (s statement) name() string {
	if s.table == "" {
		return "result"
	}
	return strings.TrimPrefix(s.table, tablePrefix)
}

func (p printer) statement(s statement) Statement {
	made := Statement{Name: s.name(), Kind: Result, About: s.about}
	exports := map[int]bool{}
	s.query.addExports(exports)
	for n := range exports {
		made.Exports = append(made.Exports, p.c.Tables[n-1].Folder())
	}
	slices.Sort(made.Exports)
	if s.table == "" {
		if p.c.large() {
			made.Place = p.placeOf(p.c.called(tablePrefix + made.Name))
		}
		made.Text = p.answer(p.query(s.query), made.Place)
		return made
	}
	made.Kind, made.Table = Create, p.c.called(s.table)
	made.Place = p.placeOf(made.Table)
	made.Text = p.table(made.Table, made.Place) + " AS\n" + p.query(s.query)
	return made
}

// placeOf returns the folder below Check.Into for a table or for the result. It is empty if the engine chooses.
func (p printer) placeOf(name string) string {
	if !p.needsPlace || p.c.Into == "" {
		return ""
	}
	return strings.TrimSuffix(p.c.Into, "/") + "/" + name + "/"
}

// manyItems is the least number of items for which a result may be large.
const manyItems = 10_000_000

// large reports whether the result may have very many rows: SQL lists all items of a constraint that it does
// not judge, or the exports have many items, or their number of items is unknown.
func (c *Check) large() bool {
	items := int64(0)
	for _, t := range c.Tables {
		if t.Manifest == nil {
			return true
		}
		items += t.Manifest.Items
	}
	return items >= manyItems || len(c.Notes()) > 0
}

// addExports adds the exports that the query reads.
func (q *query) addExports(exports map[int]bool) {
	if q == nil {
		return
	}
	for _, one := range q.union {
		one.addExports(exports)
	}
	if q.from.lines > 0 {
		exports[q.from.lines] = true
	}
	q.from.inner.addExports(exports)
	for _, j := range q.from.joins {
		j.query.addExports(exports)
	}
}

// Write writes the SQL of the check in dialect d as one script.
func Write(w io.Writer, d *Dialect, c *Check) error {
	c = c.named()
	statements, err := Statements(d, c)
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, text := range c.intro(d) {
		fmt.Fprintf(&b, "-- %s\n", text)
	}
	about := ""
	for _, s := range statements {
		if s.About != about {
			fmt.Fprintf(&b, "\n-- %s\n", s.About)
		}
		about = s.About
		b.WriteString(s.Text + ";\n")
	}
	_, err = io.WriteString(w, b.String())
	return err
}

// WriteFiles writes the SQL of the check in dialect d as numbered files, one for each statement. The folder dir
// must be missing or empty. If anything fails, there are no files.
func WriteFiles(dir string, d *Dialect, c *Check) error {
	c = c.named()
	statements, err := Statements(d, c)
	if err != nil {
		return err
	}
	dir = filepath.Clean(dir)
	made, err := os.MkdirTemp(filepath.Dir(dir), filepath.Base(dir)+"-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(made) }()
	for n, s := range statements {
		text := "-- " + s.About + "\n" + s.Text + ";\n"
		if n == 0 {
			text = "-- " + strings.Join(c.intro(d), "\n-- ") + "\n\n" + text
		}
		if err := os.WriteFile(filepath.Join(made, s.File()), []byte(text), 0o600); err != nil {
			return err
		}
	}
	if err := os.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.Rename(made, dir)
}

// intro returns the first comments of a script.
func (c *Check) intro(d *Dialect) []string {
	all := []string{fmt.Sprintf("The check of %s as SQL for %s. It only finds candidates in an export.",
		c.Tables[0].Name, d.Name)}
	all = append(all, d.usage...)
	give := d.give
	if d.needsPlace && c.Into != "" && c.large() {
		give = "The last UNLOAD writes the result into several files. Copy and unpack them into one file (gunzip -c * > " +
			d.result + "), and give this file to: "
	}
	if c.Next != nil {
		all = append(all, give+c.Next(d.result))
	}
	for _, t := range c.Tables {
		if t.Location == "" {
			all = append(all, fmt.Sprintf("Fill in the place of the export of %s: %s", t.Name, t.Folder()))
		}
	}
	all = append(all, c.Notes()...)
	for n := range all {
		all[n] = comment(all[n])
	}
	return all
}

// comment joins the lines of a text. A second line would be outside the SQL comment, so the engine would
// run it.
func comment(s string) string { return strings.Join(strings.Fields(s), " ") }
