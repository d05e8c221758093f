// Package candidates reads the result of the SQL that package sql writes: a file with candidates for
// findings, items that SQL does not judge, and counts. Start at Open.
package candidates

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/remedy"
)

// File is a file with the result of the SQL of package sql, run on an export. It replaces the first pass of a
// check. Most rows are candidates for findings. Other rows are items that SQL does not judge, or counts.
type File struct {
	// File is the file's path, and Table the table of the accounts. File is empty if this program ran the SQL.
	File, Table string
	// Made is the fingerprint of the SQL. Counts are the rows with counts, except rows about a counter of the
	// layout.
	Made   string
	Counts []Row
	// Unjudged counts the items with a part that SQL has not judged.
	Unjudged   map[Part]int64
	id, layout string
	// file stays open, so that every pass reads the same file. size is the file's size when it was opened.
	file *os.File
	size int64
}

// Part is a part of the items of a table. Word is the word for the part in Row.Unjudged.
type Part struct{ Table, Word string }

// Some words of Row.Unjudged.
const (
	WholeItem = "*"
	IDs       = "ids"
	// IDsBeside is like IDs, but SQL has judged ids of other items of the same counter. So one of those items may have
	// the same id.
	IDsBeside = "ids-beside"
)

// Row is a row of the file: an unconfirmed finding, an item, or counts.
type Row struct {
	finding.Finding
	MoreAccounts   int  `json:"more_accounts"`
	LockExists     bool `json:"lock_exists"`
	LockExpires    bool `json:"lock_expires"`
	AccountExpires bool `json:"account_expires"`
	// OwnerAccount is the key of the account that an unclaimed lock names.
	OwnerAccount attr.Item `json:"owner_account"`
	// Derived is the index of the derived key that the row is about; nil for other rows.
	Derived  *int  `json:"derived"`
	Compared int64 `json:"compared"`
	Drifted  int64 `json:"drifted"`
	// Unlocked is set if the row is about a constraint without locks.
	Unlocked bool `json:"unlocked"`
	// Again is set in all but one of the rows that have the same key.
	Again bool `json:"again"`
	// Series is the index of the layout's counter that the row is about; nil for other rows.
	Series *int `json:"series"`
	// Unjudged names the parts of Item that SQL has not judged. Item is an item of the table Of.
	Unjudged string    `json:"unjudged"`
	Of       string    `json:"of"`
	OfID     string    `json:"of_id"` // the id of the table Of, since an earlier table may have had that name
	Item     attr.Item `json:"item"`
	// Counted is the kind of things that the row counts; empty if the row has no counts.
	Counted string `json:"counted"`
	Rows    *int   `json:"rows"`
	Made    string `json:"made"` // fingerprint of the SQL
	Count   int64  `json:"count"`
	// Exported is the number of the export's items in its manifests, and ExportedAt is the time of the export.
	// Both are nil if the manifests were not read.
	Exported   *int64     `json:"exported"`
	ExportedAt *time.Time `json:"exported_at"`
	Strange    int64      `json:"strange"`
	Accounted  int64      `json:"accounted"`
	Expiring   int64      `json:"expiring"`
	Locks      int64      `json:"locks"`
	Owned      int64      `json:"owned"`
	Calls      int64      `json:"calls"`
	Odd        int64      `json:"odd"`
}

// Open opens a file of candidates and reads it once to its end. It refuses a file that is
// incomplete, or about several tables or layouts.
func Open(path string) (*File, error) {
	c := &File{File: path}
	if err := c.open(); err != nil {
		return nil, c.Refuse(err)
	}
	return c.check()
}

// Of is Open for a file that this program wrote. The file stays open.
func Of(file *os.File) (*File, error) {
	c := &File{file: file}
	info, err := file.Stat()
	if err != nil {
		return nil, c.Refuse(err)
	}
	c.size = info.Size()
	return c.check()
}

// check reads the file once to its end.
func (c *File) check() (*File, error) {
	c.Unjudged = map[Part]int64{}
	err := c.Each(func(row Row) error {
		if c.Table == "" {
			c.Table, c.id, c.layout = row.Table, row.TableID, row.Layout
		}
		if row.Table != c.Table || row.TableID != c.id || row.Layout != c.layout {
			return fmt.Errorf("the file has rows of two tables (%s, %s) or of two layouts", c.Table, row.Table)
		}
		if row.Counted != "" && row.Series == nil {
			c.Counts = append(c.Counts, row)
		}
		for word := range strings.FieldsSeq(row.Unjudged) {
			c.Unjudged[Part{row.Of, word}]++
		}
		return nil
	})
	if err != nil {
		return nil, c.Refuse(err)
	}
	return c, nil
}

// open opens the file. It has to be a regular file, since it is read several times.
func (c *File) open() error {
	info, err := os.Stat(c.File)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return errors.New(
			"this is a pipe, a device or a folder, but candidates are read several times: write the candidates into a file first",
		)
	}
	if c.file, err = os.Open(c.File); err != nil {
		return err
	}
	c.size = info.Size()
	return nil
}

// Refuse returns the error of a file that cannot be used because of err. It returns a *client.Error
// unchanged.
func (c *File) Refuse(err error) error {
	if known, ok := errors.AsType[*client.Error](err); ok {
		return known
	}
	if c.File == "" {
		return &client.Error{
			Kind: client.Failed, Op: c.reading(), Why: err.Error(), Err: err,
			Do: "run the check again; while its SQL runs, do not change the layout or the tables of the run",
		}
	}
	return &client.Error{
		Kind:   client.Usage,
		Op:     c.reading(),
		Why:    err.Error(),
		Remedy: remedy.Of(remedy.NameSQLResult),
		Err:    err,
	}
}

func (c *File) reading() string {
	if c.File == "" {
		return "reading the result of the SQL"
	}
	return "reading the candidates in " + c.File
}

// Fit returns an error if the candidates belong to another table or layout.
func (c *File) Fit(t *dynamo.Table) error {
	switch {
	case c.Table != t.Name:
		return c.Refuse(fmt.Errorf("the candidates are from the table %s, not from %s", c.Table, t.Name))
	case c.id != "" && t.ID != "" && c.id != t.ID:
		return c.Refuse(anotherOfThatName(t.Name, c.id, t.ID))
	case c.layout != config.Hash(t.Layout):
		return c.Refuse(fmt.Errorf("the candidates do not fit the present layout of %s", t.Name))
	}
	return nil
}

// anotherOfThatName returns the error of candidates that belong to an earlier table of the same name. That
// table was deleted, and created again, after the SQL was printed.
func anotherOfThatName(name, was, is string) error {
	if was == "" {
		was = "none"
	}
	return fmt.Errorf("the candidates are from a different table that was also called %s: their table had the id %s, today's table has %s", name, was, is)
}

// Each calls visit with every row except the one that states the number of rows. It refuses a file if the
// stated number is wrong, since the file may be incomplete.
func (c *File) Each(visit func(Row) error) error {
	rows, said := 0, -1
	err := c.eachLine(func(row Row) error {
		if row.Rows == nil {
			rows++
			return visit(row)
		}
		if said >= 0 {
			return errors.New("the file has two row counts, so it contains several results")
		}
		said, c.Made = *row.Rows, row.Made
		return nil
	})
	switch {
	case err != nil:
		return err
	case said < 0:
		return errors.New("the file has no row count at its end: the file is cut off, or not a result of the SQL")
	case said != rows:
		return fmt.Errorf("the file has %s, but its row count is %s: the file is incomplete", phrase.Count(rows, "row"),
			phrase.Number(said))
	}
	return nil
}

// eachLine calls visit with every row of the file. The file has lines of JSON, or is CSV with one
// column, as Athena writes it.
func (c *File) eachLine(visit func(Row) error) error {
	in := bufio.NewReaderSize(io.NewSectionReader(c.file, 0, c.size), 1<<20)
	lines := func() ([]byte, error) { return line(in) }
	if first, err := in.Peek(1); err == nil && first[0] == '"' {
		table := csv.NewReader(in)
		table.FieldsPerRecord, table.ReuseRecord = 1, true
		if _, err := table.Read(); err != nil { // the column's name
			return err
		}
		lines = func() ([]byte, error) {
			record, err := table.Read()
			if err != nil {
				return nil, err
			}
			return []byte(record[0]), nil
		}
	}
	return parallel(lines, visit)
}

// line reads a line and cuts off its line break. The last line may lack one.
func line(in *bufio.Reader) ([]byte, error) {
	text, err := in.ReadBytes('\n')
	if err == io.EOF && len(text) > 0 {
		err = nil
	}
	return bytes.TrimSpace(text), err
}

// Verify returns an error if item counts show that the candidates do not come from complete exports of the
// check's tables. Items that the SQL did not read have no candidates, and would look healthy. Verify calls
// note with sentences about the exports that SQL has read.
func (c *File) Verify(t *dynamo.Table, note func(format string, args ...any)) error {
	if err := c.Fit(t); err != nil {
		return err
	}
	note("SQL found the candidates in an export: newer values are not checked")
	for _, name := range t.Tables() {
		read := c.itemsOf(name)
		now := t.DescriptionOf(name)
		about := now.Items
		switch {
		case read == nil:
			return c.Refuse(fmt.Errorf("the candidates have no item count of the export of %s", name))
		case now.ID != "" && read.OfID != now.ID:
			return c.Refuse(anotherOfThatName(name, read.OfID, now.ID))
		case read.Exported != nil && *read.Exported != read.Count:
			return c.incomplete(
				fmt.Sprintf("the export of %s has %s, but the SQL has read %s: it read only a part, or another export", name,
					phrase.Count(*read.Exported, "item"), phrase.Count(read.Count, "item")),
			)
		case read.Count == 0 && about > 0:
			return c.incomplete(
				fmt.Sprintf(
					"the SQL has read no item of %s, but the table has about %s: the export is elsewhere, or belongs to another table",
					name, phrase.Count(about, "item"),
				),
			)
		case read.Exported != nil && read.ExportedAt != nil:
			note("the export of %s shows the items as of %s: the SQL read all %s", name, phrase.UTC(*read.ExportedAt),
				phrase.Count(read.Count, "item"))
		default:
			note("the manifest of the export of %s was not read, so its item count is unverified: the SQL read %s, the table has about %s", name,
				phrase.Count(read.Count, "item"), phrase.Count(about, "item"))
		}
	}
	return nil
}

// incomplete returns the error of candidates that come from only a part of an export.
func (c *File) incomplete(why string) error {
	return &client.Error{
		Kind:   client.Failed,
		Op:     c.reading(),
		Why:    why,
		Remedy: remedy.Of(remedy.PrintSQLAgain),
	}
}

// ExportedAt returns the time of the oldest export whose items SQL has read. It is zero if the time of an export is
// unknown.
func (c *File) ExportedAt() (oldest time.Time) {
	for _, row := range c.Counts {
		switch {
		case row.Counted != "items":
		case row.ExportedAt == nil:
			return time.Time{}
		case oldest.IsZero() || row.ExportedAt.Before(oldest):
			oldest = *row.ExportedAt
		}
	}
	return oldest
}

// itemsOf returns the row that counts a table's items, or nil if there is none.
func (c *File) itemsOf(table string) *Row {
	for n := range c.Counts {
		if row := &c.Counts[n]; row.Counted == "items" && row.Of == table {
			return row
		}
	}
	return nil
}
