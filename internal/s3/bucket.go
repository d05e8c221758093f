// Package s3 is a small S3 in the process. It has one bucket, whose objects are the files of a directory.
// The bucket knows one operation, GetObject. The package can also write exports as DynamoDB does. It
// imports nothing of this program. Start at Bucket and Export.
package s3

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/md5"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// Name is the name of the bucket.
const Name = "exports"

// Bucket answers requests for an object, or for the rest of an object. It also records these requests.
type Bucket struct {
	Dir string

	mu    sync.Mutex
	fault Fault
	asked map[string]int
	rests []string
}

// Fault may answer a request in place of the bucket. It returns true if it did. n is the number of the request for this
// key, from 1.
type Fault func(w http.ResponseWriter, r *http.Request, key string, n int) bool

// Inject sets the bucket's fault; nil removes it.
func (b *Bucket) Inject(f Fault) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fault = f
}

// Forget deletes the record of earlier requests.
func (b *Bucket) Forget() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.asked, b.rests = nil, nil
}

// Asked returns the keys of the requested objects, sorted.
func (b *Bucket) Asked() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Sorted(maps.Keys(b.asked))
}

// Rests returns the requests for the rest of an object. Each text has the key, the Range header and the
// If-Match header.
func (b *Bucket) Rests() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.rests)
}

// ServeHTTP implements http.Handler.
func (b *Bucket) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	key, ok := strings.CutPrefix(r.URL.Path, "/"+Name+"/")
	if !ok || r.Method != http.MethodGet || r.URL.Query().Get("list-type") != "" || r.Header.Get("Authorization") == "" {
		Refuse(w, http.StatusNotFound, "NoSuchBucket")
		return
	}
	fault, n := b.note(r, key)
	if fault != nil && fault(w, r, key, n) {
		return
	}
	data, err := os.ReadFile(filepath.Join(b.Dir, key))
	if err != nil {
		Refuse(w, http.StatusNotFound, "NoSuchKey")
		return
	}
	Serve(w, r, data)
}

// note records a request. It returns the bucket's fault, and the number of the request for this key.
func (b *Bucket) note(r *http.Request, key string) (fault Fault, n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.asked == nil {
		b.asked = map[string]int{}
	}
	b.asked[key]++
	if part := r.Header.Get("Range"); part != "" {
		b.rests = append(b.rests, key+" "+part+" "+r.Header.Get("If-Match"))
	}
	return b.fault, b.asked[key]
}

// etag returns the ETag of an object that was uploaded in parts, because DynamoDB uploads exports in parts.
// Such an ETag is not the MD5 of the object.
func etag(data []byte) string {
	part := md5.Sum(data) //nolint:gosec // S3 uses it
	return fmt.Sprintf("%x-1", md5.Sum(part[:]))
}

// Serve answers with an object, or with the requested part of it.
func Serve(w http.ResponseWriter, r *http.Request, data []byte) {
	w.Header().Set("ETag", `"`+etag(data)+`"`)
	w.Header().Set("Content-Type", "binary/octet-stream")
	http.ServeContent(w, r, "", time.Time{}, strings.NewReader(string(data)))
}

// Refuse answers with an error of S3.
func Refuse(w http.ResponseWriter, status int, code string) {
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(status)
	fmt.Fprintf(
		w,
		`<?xml version="1.0" encoding="UTF-8"?><Error><Code>%s</Code><Message>%s it is</Message></Error>`,
		code,
		code,
	)
}

// Begin sends the headers of a whole object, but only its first bytes, as if the connection broke. The parameter after
// is the number of these bytes.
func (b *Bucket) Begin(w http.ResponseWriter, key string, after int) {
	data, err := os.ReadFile(filepath.Join(b.Dir, key))
	if err != nil {
		Refuse(w, http.StatusNotFound, "NoSuchKey")
		return
	}
	w.Header().Set("ETag", `"`+etag(data)+`"`)
	w.Header().Set("Content-Length", fmt.Sprint(len(data)))
	_, _ = w.Write(data[:min(after, len(data))])
	_ = http.NewResponseController(w).Flush()
}

// Export is the export of a table: its manifests and its files, as DynamoDB writes them.
type Export struct{ Table, TableID string }

// Prefix is the beginning of the object keys in a manifest.
const Prefix = "prefix/AWSDynamoDB"

// Write writes the export below a directory. Each part becomes a file, with one item as JSON on each line.
// It returns the directory of the manifests.
func (e Export) Write(dir string, parts ...[][]byte) (root string, err error) {
	id := "0123-" + e.Table
	root = filepath.Join(dir, "AWSDynamoDB", id)
	lines := make([][][]byte, len(parts))
	for n, part := range parts {
		lines[n] = itemLines(part)
	}
	key := func(n int) string { return fmt.Sprintf("%s/%s/data/part%d.json.gz", Prefix, id, n) }
	return root, write(root, filepath.Join(root, "data"), key, lines, func(items int) ([]byte, error) {
		return fmt.Appendf(
			nil,
			`{"version":"2020-06-30","tableArn":"arn:aws:dynamodb:eu-west-1:123456789012:table/%s","tableId":%q,"exportTime":"2026-11-20T03:00:00.123Z","itemCount":%d,"outputFormat":"DYNAMODB_JSON","exportType":"FULL_EXPORT"}`,
			e.Table,
			e.TableID,
			items,
		), nil
	})
}

// write writes an export: its manifests into root, and each part as a file into data. key returns the object key of a
// part. summary returns the summary of an export with a number of lines.
func write(
	root, data string, key func(n int) string, parts [][][]byte, summary func(count int) ([]byte, error),
) error {
	for _, folder := range []string{root, data} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return err
		}
	}
	files := map[string][]byte{filepath.Join(root, "_started"): nil}
	count := 0
	var manifest bytes.Buffer
	lines := json.NewEncoder(&manifest)
	for n, part := range parts {
		file, err := packed(part)
		if err != nil {
			return err
		}
		if err := lines.Encode(map[string]any{
			"itemCount": len(part), "md5Checksum": md5Of(file), "etag": etag(file), "dataFileS3Key": key(n),
		}); err != nil {
			return err
		}
		files[filepath.Join(data, path.Base(key(n)))] = file
		count += len(part)
	}
	last, err := summary(count)
	if err != nil {
		return err
	}
	for name, text := range map[string][]byte{"manifest-files": manifest.Bytes(), "manifest-summary": last} {
		files[filepath.Join(root, name+".json")], files[filepath.Join(root, name+".md5")] = text, []byte(md5Of(text))
	}
	for name, text := range files {
		if err := os.WriteFile(name, text, 0o600); err != nil {
			return err
		}
	}
	return nil
}

func md5Of(data []byte) string {
	sum := md5.Sum(data) //nolint:gosec // DynamoDB writes it
	return base64.StdEncoding.EncodeToString(sum[:])
}

// ExportTable writes an export of a table below a directory. It has one file.
func ExportTable(ctx context.Context, db *dynamodb.Client, dir, table string) error {
	described, err := db.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &table})
	if err != nil {
		return err
	}
	items, err := itemsOf(ctx, db, table)
	if err != nil {
		return err
	}
	_, err = Export{Table: table, TableID: *described.Table.TableId}.Write(dir, items)
	return err
}

// Loose writes the items of a table below a directory: an export without manifests. The items are lines of
// DynamoDB JSON in data/items.json.gz.
func Loose(ctx context.Context, db *dynamodb.Client, dir, table string) error {
	items, err := itemsOf(ctx, db, table)
	if err != nil {
		return err
	}
	file, err := packed(itemLines(items))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(dir, "data"), 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "data", "items.json.gz"), file, 0o600)
}

// itemsOf returns the items of a table as DynamoDB JSON.
func itemsOf(ctx context.Context, db *dynamodb.Client, table string) (items [][]byte, err error) {
	for pages := dynamodb.NewScanPaginator(db, &dynamodb.ScanInput{TableName: &table}); pages.HasMorePages(); {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, err
		}
		for _, item := range page.Items {
			data, err := attributevalue.MarshalMapJSON(item)
			if err != nil {
				return nil, err
			}
			items = append(items, data)
		}
	}
	return items, nil
}

// itemLines returns the lines of a data file with these items.
func itemLines(items [][]byte) [][]byte {
	lines := make([][]byte, len(items))
	for n, item := range items {
		lines[n] = fmt.Appendf(nil, `{"Item":%s}`, item)
	}
	return lines
}

// packed returns a compressed data file with these lines.
func packed(lines [][]byte) ([]byte, error) {
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestSpeed)
	if err != nil {
		return nil, err
	}
	for _, line := range lines {
		if _, err := fmt.Fprintf(z, "%s\n", line); err != nil {
			return nil, err
		}
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
