package check

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
)

// Candidates is what package sql has an engine find in an export, in a file: it takes the
// place of a first reading. Most rows are candidates for findings; others are items that
// SQL does not judge, and counts.
type Candidates struct {
	// File is where they are, and Table the table of the accounts.
	File, Table string
	id, layout  string
	made        string // of what the SQL was
	counts      []candidateRow
	// file is held open, so that every reading is of the same file, and size is how much
	// of it there was at first.
	file *os.File
	size int64
}

// candidateRow is a row of the file: a finding that nobody has made sure of, or another of
// the three that Candidates names.
type candidateRow struct {
	Finding
	MoreAccounts   int  `json:"more_accounts"`
	LockExists     bool `json:"lock_exists"`
	LockExpires    bool `json:"lock_expires"`
	AccountExpires bool `json:"account_expires"`
	// Derived is which of the keys that are made of others it is about; nil where none.
	Derived  *int  `json:"derived"`
	Compared int64 `json:"compared"`
	Drifted  int64 `json:"drifted"`
	// Unlocked: it is about a rule without locks.
	Unlocked bool `json:"unlocked"`
	// Again: another row tells the same key.
	Again bool `json:"again"`
	// Series is which of the layout's counters it is about; nil where none.
	Series *int `json:"series"`
	// Unjudged says what a check has to judge of Item, an item of the table Of.
	Unjudged string    `json:"unjudged"`
	Of       string    `json:"of"`
	OfID     string    `json:"of_id"` // tells Of from another table of its name
	Item     attr.Item `json:"item"`
	// Counted says what its numbers count.
	Counted string `json:"counted"`
	Rows    *int   `json:"rows"`
	Made    string `json:"made"` // of what the SQL was
	Count   int64  `json:"count"`
	// Exported is how many items the export has by what it says of itself, and ExportedAt
	// of when they are; nil where nobody has read that.
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

// OpenCandidates reads such a file once to its end, and refuses one that is not whole, or
// of more than one table.
func OpenCandidates(path string) (*Candidates, error) {
	c := &Candidates{File: path}
	err := c.open()
	if err != nil {
		return nil, c.refuse(err)
	}
	err = c.each(func(row candidateRow) error {
		if c.Table == "" {
			c.Table, c.id, c.layout = row.Table, row.TableID, row.Layout
		}
		if row.Table != c.Table || row.TableID != c.id || row.Layout != c.layout {
			return fmt.Errorf("it has rows of %s and of %s, or of two layouts", c.Table, row.Table)
		}
		if row.Counted != "" && row.Series == nil {
			c.counts = append(c.counts, row)
		}
		return nil
	})
	if err != nil {
		return nil, c.refuse(err)
	}
	return c, nil
}

// open opens the file, which is read several times: a pipe gives its text only once, and
// would have nothing the second time.
func (c *Candidates) open() error {
	info, err := os.Stat(c.File)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return errors.New("it is no file but a pipe, a device or a folder, and candidates are read several times: write them into a file first, and name that")
	}
	if c.file, err = os.Open(c.File); err != nil {
		return err
	}
	c.size = info.Size()
	return nil
}

func (c *Candidates) refuse(err error) error {
	if known, ok := errors.AsType[*client.Error](err); ok {
		return known
	}
	return &client.Error{
		Kind: client.Usage,
		Op:   "reading the candidates in " + c.File,
		Why:  err.Error(),
		Do:   "name the answer of what `tallylock check --sql` has printed for this table, and run that again where the layout has changed",
		Err:  err,
	}
}

// Fit refuses candidates of another table or layout.
func (c *Candidates) Fit(t *dynamo.Table) error {
	switch {
	case c.Table != t.Name:
		return c.refuse(fmt.Errorf("they are of the table %s, and not of %s", c.Table, t.Name))
	case c.id != "" && t.ID != "" && c.id != t.ID:
		return c.refuse(anotherOfThatName(t.Name, c.id, t.ID))
	case c.layout != t.Layout.Hash():
		return c.refuse(fmt.Errorf("they were found by another layout than %s is read by now", t.Name))
	}
	return nil
}

// anotherOfThatName says that a table was made anew since the SQL was printed.
func anotherOfThatName(name, was, is string) error {
	if was == "" {
		was = "none"
	}
	return fmt.Errorf("they are of another table of the name %s: one of the id %s, and there is now %s", name, was, is)
}

// each gives every row of the file but that which says how many there are, and refuses one
// that has not so many.
func (c *Candidates) each(visit func(candidateRow) error) error {
	rows, said := 0, -1
	err := c.every(func(row candidateRow) error {
		if row.Rows == nil {
			rows++
			return visit(row)
		}
		if said >= 0 {
			return errors.New("it says twice how many rows it has: it is several answers in one file")
		}
		said, c.made = *row.Rows, row.Made
		return nil
	})
	switch {
	case err != nil:
		return err
	case said < 0:
		return errors.New("it does not say in the end how many rows it has: it is cut off, or no answer of the SQL")
	case said != rows:
		return fmt.Errorf("it has %s, and says that it has %s: it is not whole", phrase.Count(rows, "row"), phrase.Number(said))
	}
	return nil
}

// every gives every row of the file: of lines of JSON, or of the table with one column that
// Athena writes.
func (c *Candidates) every(visit func(candidateRow) error) error {
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
	for n := 1; ; n++ {
		text, err := lines()
		if errors.Is(err, io.EOF) {
			return nil
		}
		var row candidateRow
		if err == nil && len(text) > 0 {
			if err = json.Unmarshal(text, &row); err == nil && row.Table == "" {
				err = errors.New("it is no candidate")
			}
			if err == nil {
				err = visit(row)
			}
		}
		if err != nil {
			return fmt.Errorf("row %d: %w", n, err)
		}
	}
}

// line reads a line without its end. The last one needs none.
func line(in *bufio.Reader) ([]byte, error) {
	text, err := in.ReadBytes('\n')
	if err == io.EOF && len(text) > 0 {
		err = nil
	}
	return bytes.TrimSpace(text), err
}
