package scan

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"

	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
)

// Objects opens the files of an export, or the objects of a bucket, by name. An error may be a
// client.Error, which says what to do; for a missing file it is fs.ErrNotExist. What Open
// returns may have a method ETag.
type Objects interface {
	Open(ctx context.Context, name string) (io.ReadCloser, error)
}

// place is where exports are: the local disk or a bucket.
type place struct {
	Objects
	join    func(...string) string
	beside  func(folder, name string) string // the path of a name in the folder's parent
	bucket  string                           // empty for the local disk
	workers int                              // how many files are read at once
	again   string                           // what to do about a damaged file
}

// files opens local files.
type files struct{}

// Open implements Objects.
func (files) Open(_ context.Context, name string) (io.ReadCloser, error) { return os.Open(name) }

var onDisk = place{
	Objects: files{}, join: filepath.Join, workers: runtime.GOMAXPROCS(0), again: "download it again",
	beside: func(folder, name string) string { return filepath.Join(folder, "..", name) },
}

// minStreams is how many objects of a bucket are read at once at least: each request has to
// be waited for.
const minStreams = 8

// inBucket returns a bucket as a place. Keys are names and no paths: a/b and a//b are two
// objects.
func inBucket(objects Objects, bucket string) place {
	return place{
		Objects: objects, bucket: bucket, workers: max(minStreams, 2*runtime.GOMAXPROCS(0)),
		join:   func(parts ...string) string { return strings.Join(parts, "/") },
		beside: func(folder, name string) string { return folder[:strings.LastIndexByte(folder, '/')+1] + name },
		again:  "restore it, or export the table again",
	}
}

// OpenExportIn opens the export in a folder of a bucket by its manifests, which alone say
// which objects belong to it. It reads no items.
func OpenExportIn(ctx context.Context, objects Objects, bucket, folder string) (*Export, error) {
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
	why := "it has begun, and its manifests, which are written last, are not all there: it is under way, or it failed"
	if client.KindOf(err) == client.Denied { // S3's answer for a missing object too, without s3:ListBucket
		why += ", or this role may read " + manifestStarted + " and not them"
	}
	return nil, &client.Error{
		Kind: client.Failed, Op: "reading the export in " + at.shown(folder), Why: why,
		Do: "ask for its state (aws dynamodb list-exports), and check when it is COMPLETED",
	}
}

// shown returns a path or an address for people.
func (p place) shown(name string) string {
	if p.bucket == "" {
		return name
	}
	return "s3://" + p.bucket + "/" + name
}

// dataFile returns the path of a file of an export in a folder. key is where the file was
// when the export was made. Only its name counts, and whether it was in the folder that
// exports share: an export may have been copied, and no manifest names files elsewhere.
func (p place) dataFile(folder, key string) string {
	name, in := path.Base(key), path.Dir(key)
	data := p.join(folder, manifestData)
	if path.Base(in) == manifestData && path.Base(path.Dir(in)) == manifestShared {
		data = p.beside(folder, manifestData)
	}
	return p.join(data, filepath.Base(name))
}

// unread returns the error of a file that could not be read.
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

// damaged returns the error of a file that is not as it was written.
func (p place) damaged(name, why string) error {
	return &client.Error{Kind: client.Failed, Op: "reading the export's file " + p.shown(name), Why: why, Do: p.again}
}
