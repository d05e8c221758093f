package check

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
)

// Export is tables as they were at a time: what DynamoDB's export to S3 wrote,
// downloaded. It takes the place of readings that need not be of this moment.
type Export struct {
	dir    string
	tables []*exported
	// alone says what was told by the export itself, where no endpoint was asked;
	// else it is empty.
	alone string
}

// exported is the export of one table.
type exported struct {
	dir   string
	files []dataFile
	// table and id are the table's, and at is the time that its items are of. They
	// are zero where there are no manifests that would say.
	table, id string
	at        time.Time
	items     int64
}

// dataFile is a file of items.
type dataFile struct {
	path  string
	items int64  // −1 where no manifest says
	md5   string // in base 64; empty where no manifest says
}

// The manifests of an export, and the folder of its files beside them.
const (
	manifestSummary = "manifest-summary.json"
	manifestFiles   = "manifest-files.json"
	manifestData    = "data"
)

// OpenExport finds the exports in a directory and what is below it: by their
// manifests, or, where there are none, all files of one. It reads no items.
func OpenExport(dir string) (*Export, error) {
	e := &Export{dir: dir}
	loose := &exported{dir: dir}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && path == dir:
			return wrongExport(dir, "it cannot be read: "+plainly(err))
		case err != nil:
			return damagedExport(path, "it cannot be read: "+plainly(err))
		case d.IsDir():
		case d.Name() == manifestSummary:
			one, err := readManifests(filepath.Dir(path))
			e.tables = append(e.tables, one)
			return err
		case d.Name() == manifestFiles:
		case strings.HasSuffix(path, ".json.gz"), strings.HasSuffix(path, ".json"):
			loose.files = append(loose.files, dataFile{path: path, items: -1})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(e.tables) == 0 {
		if len(loose.files) == 0 {
			return nil, wrongExport(dir, "there are neither an export's manifests nor files *.json.gz in it")
		}
		e.tables = append(e.tables, loose)
	}
	return e, nil
}

// readManifests reads what an export says of itself.
func readManifests(dir string) (*exported, error) {
	var s struct {
		TableArn, TableID, ExportType, OutputFormat string
		ExportTime                                  time.Time
		ItemCount                                   int64
	}
	file := filepath.Join(dir, manifestSummary)
	data, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	if err != nil {
		return nil, damagedExport(file, "it is no manifest: "+plainly(err))
	}
	if s.OutputFormat != "DYNAMODB_JSON" || s.ExportType == "INCREMENTAL_EXPORT" {
		return nil, wrongExport(dir, fmt.Sprintf("it is an export as %s, %s, and only a full one as DYNAMODB_JSON has all that a check reads", s.OutputFormat, s.ExportType))
	}
	_, table, _ := strings.Cut(s.TableArn, ":table/")
	e := &exported{dir: dir, table: table, id: s.TableID, at: s.ExportTime, items: s.ItemCount}
	file = filepath.Join(dir, manifestFiles)
	f, err := os.Open(file)
	if err != nil {
		return nil, damagedExport(file, plainly(err))
	}
	defer f.Close()
	items := int64(0)
	for lines := json.NewDecoder(f); ; {
		var line struct {
			ItemCount                  int64
			MD5Checksum, DataFileS3Key string
		}
		if err := lines.Decode(&line); err == io.EOF {
			break
		} else if err != nil {
			return nil, damagedExport(file, "it is no manifest: "+plainly(err))
		}
		// The key is where the file was in the bucket. Of it only the name counts:
		// no manifest names files elsewhere.
		name := filepath.Base(path.Base(line.DataFileS3Key))
		e.files = append(e.files, dataFile{filepath.Join(dir, manifestData, name), line.ItemCount, line.MD5Checksum})
		items += line.ItemCount
	}
	if items != s.ItemCount {
		return nil, damagedExport(file, fmt.Sprintf("its files have %s items together, and the summary says %s", phrase.Group(fmt.Sprint(items)), phrase.Group(fmt.Sprint(s.ItemCount))))
	}
	return e, nil
}

// of is the export of one of a check's tables.
func (e *Export) of(t *dynamo.Table, name string, others bool) (*exported, error) {
	var found []*exported
	var have []string
	for _, one := range e.tables {
		if one.table == name || one.table == "" {
			found = append(found, one)
		}
		have = append(have, one.table)
	}
	switch {
	case len(found) == 0:
		return nil, wrongExport(e.dir, fmt.Sprintf("there is no export of the table %s in it, only of %s", name, strings.Join(slices.Compact(slices.Sorted(slices.Values(have))), ", ")))
	case len(found) > 1:
		return nil, wrongExport(e.dir, fmt.Sprintf("there are %d exports of the table %s in it; name the directory of one", len(found), name))
	case found[0].table == "" && others:
		return nil, wrongExport(e.dir, "the layout "+t.Layout.Name+" has its items in several tables, and without manifests it cannot be told which files are of which")
	case e.alone == "" && found[0].id != "" && t.IDOf(name) != "" && found[0].id != t.IDOf(name):
		return nil, wrongExport(e.dir, fmt.Sprintf("it is an export of another table of the name %s: one of the id %s, and there is now %s", name, found[0].id, t.IDOf(name)))
	}
	return found[0], nil
}

// exports finds the export of each table.
func (c *checker) exports() error {
	if c.o.Export == nil {
		return nil
	}
	if c.o.Export.alone != "" {
		c.remark("%s", c.o.Export.alone)
	}
	for _, from := range c.sources {
		e, err := c.o.Export.of(c.t, from.name, len(c.sources) > 1)
		if err != nil {
			return err
		}
		from.export = e
		c.remark("items of %s are those of %s: what was written since then is not looked for", from.name, e)
		if e.at.IsZero() {
			c.remark("the export has no manifests: whether files of it are missing cannot be told")
		}
	}
	return nil
}

// String says what has been read, for people.
func (e *exported) String() string {
	if e.at.IsZero() {
		return "the export in " + e.dir
	}
	return "the export of " + e.at.UTC().Format("2006-01-02 15:04:05 UTC")
}

// wrongExport is the error of a directory that is not what a check needs.
func wrongExport(dir, why string) error {
	return &client.Error{Kind: client.Usage, Op: "reading the export in " + dir, Why: why, Do: "download a full export, in the format DynamoDB JSON, of each table that the layout needs"}
}

// damagedExport is the error of a file that is not as it was written.
func damagedExport(path, why string) error {
	return &client.Error{Kind: client.Failed, Op: "reading the export's file " + path, Why: why, Do: "download it again"}
}

// plainly is an error without the path, which is said already.
func plainly(err error) string {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err.Error()
	}
	return err.Error()
}
