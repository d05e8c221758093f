package scan

import (
	"bytes"
	"cmp"
	"context"
	"crypto/md5" //nolint:gosec // DynamoDB writes the MD5 of each manifest
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
)

// An Export is one or more tables that DynamoDB exported to S3. Its files are in S3 or on the local disk.
type Export struct {
	Dir    string // a local directory, or an address in S3
	Tables []*TableExport
	// Inferred names the facts about a table that were inferred from its export (see package export). It is
	// empty if an endpoint was asked about the table.
	Inferred string
}

// TableExport is the export of one table.
type TableExport struct {
	place
	dir   string
	files []dataFile
	// Unpacked is the number of files that somebody has unpacked. Their MD5 is unknown.
	Unpacked int
	// Table and ID are the name and the id of the table. At is the time of the export. Items is the
	// number of items. All four are zero if the summary manifest is missing.
	Table, ID string
	At        time.Time
	Items     int64
	// Bytes is the billed size of the exported table. The sizes of the files do not show it, since the files are
	// compressed.
	Bytes int64
	// From and To are the window of an incremental export, and view is the name of its view. All three are zero
	// for a full export. From belongs to the window, and To does not.
	From, To time.Time
	view     string
	format   string // the format and the type of the export, in the words of its manifest
}

// dataFile is a file of items.
type dataFile struct {
	path  string
	items int64  // the number of items; −1 without a manifest
	md5   string // the file's MD5 in base 64; empty without a manifest
	etag  string // S3's ETag; empty without a manifest
}

// Names of files and folders in an export. manifestData is the folder with the data files. It is in the
// export's own folder, or beside this folder in manifestShared, the folder that several exports share.
// DynamoDB writes the file manifestStarted first.
const (
	manifestSummary = "manifest-summary.json"
	manifestFiles   = "manifest-files.json"
	manifestData    = "data"
	manifestShared  = "AWSDynamoDB"
	manifestStarted = "_started"
)

// NotFullError returns the error for an export that is incremental, or has a wrong format.
func (e *TableExport) NotFullError() error {
	return WrongExport(e.dir,
		fmt.Sprintf("the type of this export is %s, but a check needs a full export in DYNAMODB_JSON", e.format))
}

// openAll finds the full and the incremental exports in a directory, as OpenExports describes.
func openAll(dir string) (*Export, error) {
	e := &Export{Dir: dir}
	loose := &TableExport{place: onDisk, dir: dir}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && path == dir:
			return WrongExport(dir, "the directory is unreadable: "+phrase.WithoutPath(err))
		case err != nil:
			return onDisk.damaged(path, "the file is unreadable: "+phrase.WithoutPath(err))
		case d.IsDir():
		case d.Name() == manifestSummary:
			one, err := readManifests(context.Background(), onDisk, filepath.Dir(path))
			e.Tables = append(e.Tables, one)
			return err
		case d.Name() == manifestFiles:
			if _, err := os.Stat(filepath.Join(filepath.Dir(path), manifestSummary)); err == nil {
				return nil // readManifests reads this manifest, too
			}
			one := &TableExport{place: onDisk, dir: filepath.Dir(path)}
			_, err := one.listFiles(context.Background(), filepath.Dir(path))
			e.Tables = append(e.Tables, one)
			return err
		case strings.HasSuffix(path, ".json.gz"), strings.HasSuffix(path, ".json"):
			return loose.addLoose(path)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(e.Tables) == 0 {
		whole := filepath.Dir(filepath.Clean(dir))
		if _, err := os.Stat(filepath.Join(whole, manifestFiles)); err == nil && filepath.Base(dir) == manifestData {
			return openAll(whole)
		}
		if len(loose.files) == 0 {
			return nil, WrongExport(dir, "the directory has no manifests of an export, and no files *.json.gz")
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

// readManifests reads both manifests of an export. Their numbers of items must be equal.
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
			fmt.Sprintf("the files of the export have %s items together, but the summary says %s", phrase.Group(fmt.Sprint(items)),
				phrase.Group(fmt.Sprint(total))),
		)
	}
	return e, nil
}

// manifest reads a manifest, and compares it with its MD5. DynamoDB writes the MD5 of a manifest in base 64 into a file
// beside the manifest. Without that file, manifest compares nothing.
func (e *TableExport) manifest(
	ctx context.Context, dir, name string, read func(file string, text io.Reader) error,
) error {
	file, sum := e.join(dir, name), md5.New() //nolint:gosec // DynamoDB uses it
	f, err := e.Open(ctx, file)
	if err != nil {
		return e.unread(file, err)
	}
	defer f.Close()
	text := io.TeeReader(f, sum)
	if err := read(file, text); err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, text); err != nil { // the rest of the file
		return e.unread(file, err)
	}
	beside := strings.TrimSuffix(name, ".json") + ".md5"
	want, err := e.Open(ctx, e.join(dir, beside))
	switch {
	case errors.Is(err, fs.ErrNotExist), client.KindOf(err) == client.Denied: // S3 may deny a missing object
		return nil
	case err != nil:
		return e.unread(e.join(dir, beside), err)
	}
	defer want.Close()
	said, err := io.ReadAll(io.LimitReader(want, 1<<10))
	if err != nil {
		return e.unread(e.join(dir, beside), err)
	}
	if have := base64.StdEncoding.EncodeToString(sum.Sum(nil)); string(bytes.TrimSpace(said)) != have {
		return e.damaged(file, "its MD5 differs from the MD5 in "+beside)
	}
	return nil
}

// listFiles reads the manifest that lists the data files, and returns the number of their items.
func (e *TableExport) listFiles(ctx context.Context, dir string) (items int64, err error) {
	err = e.manifest(ctx, dir, manifestFiles, func(file string, text io.Reader) (err error) {
		items, err = e.readFiles(dir, file, text)
		return err
	})
	return items, err
}

// readFiles reads the text of the manifest that lists the data files.
func (e *TableExport) readFiles(dir, file string, text io.Reader) (items int64, err error) {
	known := map[string]bool{}
	for lines := json.NewDecoder(text); ; {
		var line struct {
			ItemCount                        int64
			MD5Checksum, ETag, DataFileS3Key string
		}
		if err := lines.Decode(&line); err == io.EOF {
			return items, nil
		} else if err != nil {
			return 0, e.unread(file, fmt.Errorf("the file is not a manifest: %w", err))
		}
		one := e.onceUnpacked(dataFile{e.dataFile(dir, line.DataFileS3Key), line.ItemCount, line.MD5Checksum, line.ETag})
		switch {
		case line.ItemCount < 0:
			return 0, e.damaged(file, "it lists a file with a negative number of items")
		case known[one.path]:
			return 0, e.damaged(file, "it names "+path.Base(filepath.ToSlash(one.path))+" twice")
		}
		known[one.path] = true
		e.files = append(e.files, one)
		items += line.ItemCount
	}
}

// onceUnpacked returns f, or its unpacked file if only that one exists on the disk.
func (e *TableExport) onceUnpacked(f dataFile) dataFile {
	plain, packed := strings.CutSuffix(f.path, packedSuffix)
	if !packed || e.bucket != "" {
		return f
	}
	if _, err := os.Stat(f.path); !errors.Is(err, fs.ErrNotExist) {
		return f
	}
	if _, err := os.Stat(plain); err != nil {
		return f
	}
	e.Unpacked++
	return dataFile{path: plain, items: f.items}
}

// addLoose adds a file without a manifest. It refuses a file that is there twice, packed and unpacked.
func (e *TableExport) addLoose(name string) error {
	if plain, packed := strings.CutSuffix(name, packedSuffix); packed {
		if _, err := os.Stat(plain); err == nil {
			return &client.Error{
				Kind: client.Usage, Op: "reading the export in " + e.dir,
				Why: filepath.Base(name) + " is there twice, packed and unpacked", Do: "move one of the two files elsewhere",
			}
		}
	}
	e.files = append(e.files, dataFile{path: name, items: -1})
	return nil
}

// incremental is the type of an incremental export in its summary.
const incremental = "INCREMENTAL_EXPORT"

// unstated is the view of an incremental export whose summary does not state the view.
const unstated = "unstated"

// summary reads the manifest with the table, the time and the format of the export. It returns the number
// of items. It refuses any format except DynamoDB JSON.
func (e *TableExport) summary(ctx context.Context, dir string) (items int64, err error) {
	var s struct {
		TableArn, TableID, ExportType, OutputFormat, OutputView string
		ExportTime, ExportFromTime, ExportToTime                time.Time
		ItemCount, BilledSizeBytes                              int64
	}
	if err := e.manifest(ctx, dir, manifestSummary, func(file string, text io.Reader) error {
		if err := json.NewDecoder(text).Decode(&s); err != nil {
			return e.unread(file, fmt.Errorf("the file is not a manifest: %w", err))
		}
		return nil
	}); err != nil {
		return 0, err
	}
	if s.ExportType == incremental || s.OutputView != "" {
		e.view, e.From, e.To = cmp.Or(s.OutputView, unstated), s.ExportFromTime, s.ExportToTime
	}
	e.format = strings.Join(slices.DeleteFunc([]string{s.OutputFormat, s.ExportType, s.OutputView},
		func(word string) bool { return word == "" }), ", ")
	if s.OutputFormat != "DYNAMODB_JSON" {
		return 0, e.NotFullError()
	}
	_, e.Table, _ = strings.Cut(s.TableArn, ":table/")
	e.ID, e.At, e.Items, e.Bytes = s.TableID, s.ExportTime, s.ItemCount, s.BilledSizeBytes
	return s.ItemCount, nil
}

// String returns a name for the export, for messages.
func (e *TableExport) String() string {
	if e.view != "" {
		return "the incremental export from " + phrase.UTC(e.From) + " to " + phrase.UTC(e.To)
	}
	if e.At.IsZero() {
		return "the export in " + e.dir
	}
	return "the export of " + phrase.UTC(e.At)
}

// Dir returns the place of the export: a local directory, or an address in S3.
func (e *TableExport) Dir() string { return e.dir }

// Listed reports whether a manifest lists the files. Without such a list, nobody notices a missing file.
func (e *TableExport) Listed() bool { return len(e.files) > 0 && e.files[0].items >= 0 }

// WrongExport returns the error for a directory that has no suitable export.
func WrongExport(dir, why string) error {
	return &client.Error{
		Kind: client.Usage,
		Op:   "reading the export in " + dir,
		Why:  why,
		Do:   "name a full export, in the format DynamoDB JSON, of each table that the layout needs",
	}
}

// Objects opens files of an export by name, on disk or in a bucket. An error may be a client.Error, which
// has a remedy. If a file is missing, the error wraps fs.ErrNotExist. The returned reader may have a
// method ETag, which returns S3's ETag of the file.
type Objects interface {
	Open(ctx context.Context, name string) (io.ReadCloser, error)
}

// place is the place of an export's files: the local disk or a bucket.
type place struct {
	Objects
	join    func(...string) string
	beside  func(folder, name string) string // the path of another file or folder in the parent of folder
	bucket  string                           // empty for the local disk
	workers int                              // the number of files to read at once
	again   string                           // the remedy for a damaged file
}

// files opens local files.
type files struct{}

// Open implements Objects.
func (files) Open(_ context.Context, name string) (io.ReadCloser, error) { return os.Open(name) }

var onDisk = place{
	Objects: files{}, join: filepath.Join, workers: runtime.GOMAXPROCS(0), again: "download the file again",
	beside: func(folder, name string) string { return filepath.Join(folder, "..", name) },
}

// minStreams is the least number of objects that a scan reads from a bucket at once. A stream waits for
// S3 most of the time, so even one core needs several streams.
const minStreams = 8

// inBucket returns a bucket as a place. It joins keys without cleaning them: a/b and a//b are two objects.
func inBucket(objects Objects, bucket string) place {
	return place{
		Objects: objects, bucket: bucket, workers: max(minStreams, 2*runtime.GOMAXPROCS(0)),
		join:   func(parts ...string) string { return strings.Join(parts, "/") },
		beside: func(folder, name string) string { return folder[:strings.LastIndexByte(folder, '/')+1] + name },
		again:  "restore the file, or export the table again",
	}
}

// openAllIn opens a full or an incremental export, as OpenExportsIn describes.
func openAllIn(ctx context.Context, objects Objects, bucket, folder string) (*Export, error) {
	at := inBucket(objects, bucket)
	folder = strings.TrimRight(strings.TrimSuffix(folder, "/"+manifestSummary), "/")
	one, err := readManifests(ctx, at, folder)
	switch {
	case err == nil:
		return &Export{Dir: at.shown(folder), Tables: []*TableExport{one}}, nil
	case !errors.Is(err, fs.ErrNotExist) && client.KindOf(err) != client.Denied:
		return nil, err
	}
	begun, missing := objects.Open(ctx, at.join(folder, manifestStarted))
	if missing != nil {
		return nil, err
	}
	begun.Close()
	why := "the export has begun, but some of its manifests are missing: the export is in progress, or it failed"
	if client.KindOf(err) == client.Denied { // S3 denies even a missing object if the role lacks s3:ListBucket
		why += ", or this role may read " + manifestStarted + " but not the manifests"
	}
	return nil, &client.Error{
		Kind: client.Failed, Op: "reading the export in " + at.shown(folder), Why: why,
		Do: "ask for the export's state (aws dynamodb list-exports), and check again when the state is COMPLETED",
	}
}

// shown returns the path of a file, or its address in S3, for messages.
func (p place) shown(name string) string {
	if p.bucket == "" {
		return name
	}
	return "s3://" + p.bucket + "/" + name
}

// dataFile returns the path of a data file of the export in folder. key is the file's key in the
// manifest. The key is wrong if the export was copied to another place. So only two parts of the key
// count: the file's name, and the name of the folder that several exports share.
func (p place) dataFile(folder, key string) string {
	name, in := path.Base(key), path.Dir(key)
	data := p.join(folder, manifestData)
	if path.Base(in) == manifestData && path.Base(path.Dir(in)) == manifestShared {
		data = p.beside(folder, manifestData)
	}
	return p.join(data, filepath.Base(name))
}

// unread explains err, the error of a file that could not be read.
func (p place) unread(name string, err error) error {
	known, ok := errors.AsType[*client.Error](err)
	if !ok {
		return p.damaged(name, phrase.WithoutPath(err))
	}
	if known.Kind == client.Usage && errors.Is(err, fs.ErrNotExist) {
		known.Do = "name the folder of one export, as s3://BUCKET/PREFIX/AWSDynamoDB/ID"
	}
	return known
}

func (p place) damaged(name, why string) *client.Error {
	return &client.Error{Kind: client.Failed, Op: "reading the export's file " + p.shown(name), Why: why, Do: p.again}
}
