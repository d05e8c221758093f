package scan

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
)

// Export is what DynamoDB's export to S3 wrote, there or downloaded: tables as they were at a
// time.
type Export struct {
	Dir    string // a directory, or an address in S3
	Tables []*TableExport
}

// TableExport is the export of one table.
type TableExport struct {
	place
	dir   string
	files []dataFile
	// Table and ID are the table's, At is the time of the export, and Items is the number of
	// items. They are zero without the manifest that sums the export up.
	Table, ID string
	At        time.Time
	Items     int64
}

// dataFile is a file of items.
type dataFile struct {
	path  string
	items int64  // −1 without a manifest
	md5   string // in base 64; empty without a manifest
	etag  string // S3's; empty without a manifest
}

// The manifests of an export, the folder of its files, the folder that exports share and that
// may hold the files instead, and the file that is there once an export has begun.
const (
	manifestSummary = "manifest-summary.json"
	manifestFiles   = "manifest-files.json"
	manifestData    = "data"
	manifestShared  = "AWSDynamoDB"
	manifestStarted = "_started"
)

// OpenExport finds the exports in a directory and below it: by their manifests, or, if there
// are none, all files as one. An export without its summary has the files that the other
// manifest lists. It reads no items.
func OpenExport(dir string) (*Export, error) {
	e := &Export{Dir: dir}
	loose := &TableExport{place: onDisk, dir: dir}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && path == dir:
			return WrongExport(dir, "it cannot be read: "+phrase.WithoutPath(err))
		case err != nil:
			return onDisk.damaged(path, "it cannot be read: "+phrase.WithoutPath(err))
		case d.IsDir():
		case d.Name() == manifestSummary:
			one, err := readManifests(context.Background(), onDisk, filepath.Dir(path))
			e.Tables = append(e.Tables, one)
			return err
		case d.Name() == manifestFiles:
			if _, err := os.Stat(filepath.Join(filepath.Dir(path), manifestSummary)); err == nil {
				return nil // it is read with the summary
			}
			one := &TableExport{place: onDisk, dir: filepath.Dir(path)}
			_, err := one.listFiles(context.Background(), filepath.Dir(path))
			e.Tables = append(e.Tables, one)
			return err
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

// Add adds the tables of another export.
func (e *Export) Add(other *Export) {
	e.Dir += ", " + other.Dir
	e.Tables = append(e.Tables, other.Tables...)
}

// readManifests reads the manifests of an export.
func readManifests(ctx context.Context, at place, dir string) (*TableExport, error) {
	e := &TableExport{place: at, dir: at.shown(dir)}
	total, err := e.summary(ctx, dir)
	if err != nil {
		return nil, err
	}
	items, err := e.listFiles(ctx, dir)
	if err != nil {
		return nil, err
	}
	if items != total {
		return nil, at.damaged(
			at.join(dir, manifestFiles),
			fmt.Sprintf("its files have %s items together, and the summary says %s", phrase.Group(fmt.Sprint(items)),
				phrase.Group(fmt.Sprint(total))),
		)
	}
	return e, nil
}

// listFiles reads the manifest of the export's files, and returns how many items they have.
func (e *TableExport) listFiles(ctx context.Context, dir string) (items int64, err error) {
	file := e.join(dir, manifestFiles)
	f, err := e.Open(ctx, file)
	if err != nil {
		return 0, e.unread(file, err)
	}
	defer f.Close()
	for lines := json.NewDecoder(f); ; {
		var line struct {
			ItemCount                        int64
			MD5Checksum, ETag, DataFileS3Key string
		}
		if err := lines.Decode(&line); err == io.EOF {
			return items, nil
		} else if err != nil {
			return 0, e.unread(file, fmt.Errorf("it is no manifest: %w", err))
		}
		e.files = append(e.files, dataFile{e.dataFile(dir, line.DataFileS3Key), line.ItemCount, line.MD5Checksum, line.ETag})
		items += line.ItemCount
	}
}

// summary reads the manifest that says of which table the export is, and how it was made.
func (e *TableExport) summary(ctx context.Context, dir string) (items int64, err error) {
	var s struct {
		TableArn, TableID, ExportType, OutputFormat, OutputView string
		ExportTime                                              time.Time
		ItemCount                                               int64
	}
	file := e.join(dir, manifestSummary)
	f, err := e.Open(ctx, file)
	if err != nil {
		return 0, e.unread(file, err)
	}
	defer f.Close()
	if err := json.NewDecoder(f).Decode(&s); err != nil {
		return 0, e.unread(file, fmt.Errorf("it is no manifest: %w", err))
	}
	if s.OutputFormat != "DYNAMODB_JSON" || s.ExportType == "INCREMENTAL_EXPORT" || s.OutputView != "" {
		as := slices.DeleteFunc([]string{s.OutputFormat, s.ExportType, s.OutputView},
			func(word string) bool { return word == "" })
		return 0, WrongExport(
			e.dir,
			fmt.Sprintf("it is an export as %s, and only a full one as DYNAMODB_JSON has all that a check reads",
				strings.Join(as, ", ")),
		)
	}
	_, e.Table, _ = strings.Cut(s.TableArn, ":table/")
	e.ID, e.At, e.Items = s.TableID, s.ExportTime, s.ItemCount
	return s.ItemCount, nil
}

// String names the export for people.
func (e *TableExport) String() string {
	if e.At.IsZero() {
		return "the export in " + e.dir
	}
	return "the export of " + phrase.UTC(e.At)
}

// Listed reports whether a manifest lists the files, so that a missing file is noticed.
func (e *TableExport) Listed() bool { return len(e.files) > 0 && e.files[0].items >= 0 }

// WrongExport returns the error of a place that is not the export that is needed.
func WrongExport(dir, why string) error {
	return &client.Error{
		Kind: client.Usage,
		Op:   "reading the export in " + dir,
		Why:  why,
		Do:   "name a full export, in the format DynamoDB JSON, of each table that the layout needs",
	}
}
