// Package s3 is a small S3 in the process, for tests: one bucket, whose objects are the
// files of a directory, and the exports in it. It knows one operation, GetObject. It imports
// nothing of ours. Start at Bucket and Export.
package s3

import (
	"crypto/md5"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// Name is what the bucket is called.
const Name = "exports"

// Bucket answers for the objects of a bucket: whole, or the rest of one.
type Bucket struct {
	Dir string

	mu    sync.Mutex
	fault Fault
	asked map[string]int
	rests []string
}

// Fault may answer in the bucket's place, and reports whether it did. n counts the requests
// for the key, from 1.
type Fault func(w http.ResponseWriter, r *http.Request, key string, n int) bool

// Inject has the bucket ask a fault first; nil takes it away.
func (b *Bucket) Inject(f Fault) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fault = f
}

// Forget forgets what was asked for.
func (b *Bucket) Forget() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.asked, b.rests = nil, nil
}

// Asked are the keys that were asked for.
func (b *Bucket) Asked() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Sorted(maps.Keys(b.asked))
}

// Rests are the requests for the rest of an object: key, range and condition.
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

// note writes a request down.
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

// etag is that of an object which was uploaded in parts, as DynamoDB uploads exports: no MD5
// of what it holds.
func etag(data []byte) string {
	part := md5.Sum(data) //nolint:gosec // it is what S3 takes
	return fmt.Sprintf("%x-1", md5.Sum(part[:]))
}

// Serve answers with an object, or the part of it that was asked for.
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

// Begin answers with the first part of an object, and leaves the rest out.
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
