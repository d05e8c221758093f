package scan

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
)

// Export is tables as they were at a time: what DynamoDB's export to S3 wrote,
// downloaded.
type Export struct {
	Dir    string
	Tables []*TableExport
}

// TableExport is the export of one table.
type TableExport struct {
	dir   string
	files []dataFile
	// Table and ID are the table's, At is the time that its items are of, and Items
	// how many there are. They are zero where there are no manifests that would say.
	Table, ID string
	At        time.Time
	Items     int64
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
	e := &Export{Dir: dir}
	loose := &TableExport{dir: dir}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && path == dir:
			return WrongExport(dir, "it cannot be read: "+plainly(err))
		case err != nil:
			return damagedExport(path, "it cannot be read: "+plainly(err))
		case d.IsDir():
		case d.Name() == manifestSummary:
			one, err := readManifests(filepath.Dir(path))
			e.Tables = append(e.Tables, one)
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
	if len(e.Tables) == 0 {
		if len(loose.files) == 0 {
			return nil, WrongExport(dir, "there are neither an export's manifests nor files *.json.gz in it")
		}
		e.Tables = append(e.Tables, loose)
	}
	return e, nil
}

// readManifests reads what an export says of itself.
func readManifests(dir string) (*TableExport, error) {
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
		return nil, WrongExport(dir, fmt.Sprintf("it is an export as %s, %s, and only a full one as DYNAMODB_JSON has all that a check reads", s.OutputFormat, s.ExportType))
	}
	_, table, _ := strings.Cut(s.TableArn, ":table/")
	e := &TableExport{dir: dir, Table: table, ID: s.TableID, At: s.ExportTime, Items: s.ItemCount}
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

// String says what has been read, for people.
func (e *TableExport) String() string {
	if e.At.IsZero() {
		return "the export in " + e.dir
	}
	return "the export of " + e.At.UTC().Format("2006-01-02 15:04:05 UTC")
}

// WrongExport is the error of a directory that is not the export that is needed.
func WrongExport(dir, why string) error {
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
