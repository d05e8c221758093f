package check_test

import (
	"context"
	"crypto/md5"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/check"
	"tallylock/dynamo/client"
	"tallylock/dynamo/scan"
)

// bucket is an S3 that holds the files of a directory, as objects of one bucket: the
// operation GetObject, of whole objects and of their rest.
type bucket struct {
	dir string
	mu  sync.Mutex
	// fault may answer in the bucket's place, and says whether it did. n counts the
	// requests for the key, from 1.
	fault func(w http.ResponseWriter, r *http.Request, key string, n int) bool
	asked map[string]int
	rest  []string // requests for a rest: key, range and condition
}

func (b *bucket) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	key, ok := strings.CutPrefix(r.URL.Path, "/exports/")
	if !ok || r.Method != http.MethodGet || r.URL.Query().Get("list-type") != "" || r.Header.Get("Authorization") == "" {
		b.refuse(w, http.StatusNotFound, "NoSuchBucket")
		return
	}
	b.mu.Lock()
	b.asked[key]++
	n := b.asked[key]
	if part := r.Header.Get("Range"); part != "" {
		b.rest = append(b.rest, key+" "+part+" "+r.Header.Get("If-Match"))
	}
	b.mu.Unlock()
	if b.fault != nil && b.fault(w, r, key, n) {
		return
	}
	data, err := os.ReadFile(filepath.Join(b.dir, key))
	if err != nil {
		b.refuse(w, http.StatusNotFound, "NoSuchKey")
		return
	}
	b.serve(w, r, data)
}

func (b *bucket) serve(w http.ResponseWriter, r *http.Request, data []byte) {
	w.Header().Set("ETag", fmt.Sprintf(`"%x"`, md5.Sum(data)))
	w.Header().Set("Content-Type", "binary/octet-stream")
	http.ServeContent(w, r, "", timeZero, strings.NewReader(string(data)))
}

func (b *bucket) refuse(w http.ResponseWriter, status int, code string) {
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(status)
	fmt.Fprintf(w, `<?xml version="1.0" encoding="UTF-8"?><Error><Code>%s</Code><Message>%s it is</Message></Error>`, code, code)
}

// breaks answers with the first part of an object, and ends the connection.
func (b *bucket) breaks(w http.ResponseWriter, key string, after int) {
	data, _ := os.ReadFile(filepath.Join(b.dir, key))
	w.Header().Set("ETag", fmt.Sprintf(`"%x"`, md5.Sum(data)))
	w.Header().Set("Content-Length", fmt.Sprint(len(data)))
	_, _ = w.Write(data[:after])
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

// stored exports a table into a bucket, and answers where the export is.
func (f *fixture) stored(table string) (b *bucket, objects *client.Bucket, folder string) {
	f.t.Helper()
	b = &bucket{dir: f.t.TempDir(), asked: map[string]int{}}
	root := f.export(filepath.Join(b.dir, "prefix"), table)
	server := httptest.NewServer(b)
	f.t.Cleanup(server.Close)
	f.t.Setenv("AWS_ENDPOINT_URL_S3", server.URL)
	for _, name := range []string{"AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"} {
		f.t.Setenv(name, filepath.Join(b.dir, "none"))
	}
	c, err := client.Connect(f.t.Context(), client.Options{Region: "eu-west-1", Endpoint: "http://127.0.0.1:1"})
	if err != nil {
		f.t.Fatal(err)
	}
	folder, err = filepath.Rel(b.dir, root)
	if err != nil {
		f.t.Fatal(err)
	}
	return b, c.Bucket("exports"), filepath.ToSlash(folder)
}

// streamed checks a table by an export in a bucket.
func streamed(ctx context.Context, table *dynamo.Table, objects scan.Objects, folder string) ([]check.Finding, check.Summary, error) {
	e, err := check.OpenExportIn(ctx, objects, "exports", folder)
	if err != nil {
		return nil, check.Summary{}, err
	}
	return run(ctx, table, check.Options{Confirm: check.ConfirmNone, Export: e})
}

// What is found where an export lies is what is found when it was downloaded; no object is
// read but those that its manifests name.
func TestExportInABucket(t *testing.T) {
	f := start(t)
	b, objects, folder := f.stored("accounts")
	write(t, filepath.Join(b.dir, folder, "data", "another.json.gz"), []byte("of another export"))
	table := f.open("accounts")
	want, sum, err := exported(t.Context(), table, b.dir, check.Options{Confirm: check.ConfirmNone})
	if err != nil {
		t.Fatal(err)
	}
	for _, address := range []string{folder, folder + "/", folder + "/manifest-summary.json"} {
		got, streamedSum, err := streamed(t.Context(), table, objects, address)
		if err != nil || !streamedSum.Complete || streamedSum.Items != sum.Items || streamedSum.ReadUnits != 0 {
			t.Fatalf("%+v, %v", streamedSum, err)
		}
		f.want(got, said(want)...)
	}
	for key := range b.asked {
		if strings.Contains(key, "another") || strings.Contains(key, "_started") {
			t.Errorf("%s was read", key)
		}
	}
}

// Data may lie in the folder that exports share, or where the whole was copied to.
func TestExportInASharedFolder(t *testing.T) {
	f := start(t)
	b, objects, folder := f.stored("accounts")
	manifest := filepath.Join(b.dir, folder, "manifest-files.json")
	text, err := os.ReadFile(manifest)
	if err != nil {
		t.Fatal(err)
	}
	write(t, manifest, []byte(strings.ReplaceAll(string(text), "0123-accounts/", "")))
	if err := os.Rename(filepath.Join(b.dir, folder, "data"), filepath.Join(b.dir, "prefix", "AWSDynamoDB", "data")); err != nil {
		t.Fatal(err)
	}
	if _, sum, err := streamed(t.Context(), f.open("accounts"), objects, folder); err != nil || !sum.Complete || sum.Items == 0 {
		t.Errorf("%+v, %v", sum, err)
	}
}

// A connection that breaks in the middle of an object is made anew for the rest of that
// object: no item counts twice, and none is left out.
func TestBrokenConnections(t *testing.T) {
	f := start(t)
	b, objects, folder := f.stored("accounts")
	b.fault = func(w http.ResponseWriter, r *http.Request, key string, n int) bool {
		switch {
		case !strings.Contains(key, "/data/"):
		case n == 1:
			b.breaks(w, key, 100)
		}
		return false
	}
	table := f.open("accounts")
	want, sum, err := exported(t.Context(), table, b.dir, check.Options{Confirm: check.ConfirmNone})
	if err != nil {
		t.Fatal(err)
	}
	got, now, err := streamed(t.Context(), table, objects, folder)
	if err != nil || !now.Complete || now.Items != sum.Items || now.Accounts != sum.Accounts || now.Locks != sum.Locks {
		t.Fatalf("%+v, %v", now, err)
	}
	f.want(got, said(want)...)
	if len(b.rest) < exportFiles || !slices.ContainsFunc(b.rest, func(r string) bool { return strings.Contains(r, " bytes=100- \"") }) {
		t.Errorf("asked for the rest: %q", b.rest)
	}
}

// unlisted answers as S3 does to those who may not list the bucket: what is not there is
// denied.
func unlisted(b *bucket, w http.ResponseWriter, _ *http.Request, key string, _ int) bool {
	_, err := os.Stat(filepath.Join(b.dir, key))
	if err != nil {
		b.refuse(w, http.StatusForbidden, "AccessDenied")
	}
	return err != nil
}

// Keys of objects are names and no paths: of what an address says nothing is left out.
func TestAddressesOfExports(t *testing.T) {
	for _, by := range []string{"/", "./"} {
		f := start(t)
		b, objects, folder := f.stored("accounts")
		for _, address := range []string{by + folder, strings.Replace(folder, "/", "/"+by, 1)} {
			clear(b.asked)
			if _, sum, err := streamed(t.Context(), f.open("accounts"), objects, address); err != nil || !sum.Complete {
				t.Errorf("%s: %+v, %v", address, sum, err)
			}
			for key := range b.asked {
				if !strings.HasPrefix(key, address+"/") {
					t.Errorf("%s: %s was asked for", address, key)
				}
			}
		}
	}
}

// lost are objects whose data cannot be read to their end, since the network is down.
type lost struct{ scan.Objects }

func (l lost) Open(ctx context.Context, name string) (io.ReadCloser, error) {
	if !strings.Contains(name, "/data/") {
		return l.Objects.Open(ctx, name)
	}
	why := &client.Error{Kind: client.Unreachable, Op: "reading " + name, Why: "the connection broke 8 times", Do: "check the network", Err: io.ErrUnexpectedEOF}
	return io.NopCloser(iotest.ErrReader(why)), nil
}

// Where the network is down nobody is told to restore an object, which is whole.
func TestLostConnectionIsNoDamage(t *testing.T) {
	f := start(t)
	_, objects, folder := f.stored("accounts")
	_, _, err := streamed(t.Context(), f.open("accounts"), lost{objects}, folder)
	if client.KindOf(err) != client.Unreachable || !matches("the connection broke 8 times; check the network", err.Error()) {
		t.Errorf("%s: %v", client.KindOf(err), err)
	}
}

// What cannot be read is named, with what to do; nothing that was read of it counts.
func TestExportsThatCannotBeStreamed(t *testing.T) {
	const part, summary = "/data/part1.json.gz", "/manifest-summary.json"
	edit := func(t *testing.T, path string, by func(string) string) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		write(t, path, []byte(by(string(text))))
	}
	for name, tc := range map[string]struct {
		change func(t *testing.T, root string)
		fault  func(b *bucket, w http.ResponseWriter, r *http.Request, key string, n int) bool
		folder string
		kind   client.Kind
		want   string
	}{
		"denied": {
			fault: func(b *bucket, w http.ResponseWriter, r *http.Request, key string, n int) bool {
				b.refuse(w, http.StatusForbidden, "AccessDenied")
				return true
			},
			kind: client.Denied, want: "s3://exports/prefix/AWSDynamoDB/0123-accounts/manifest-summary.json: this role may not read it, or it does not exist.*s3:GetObject",
		},
		"an object is denied": {
			fault: func(b *bucket, w http.ResponseWriter, r *http.Request, key string, n int) bool {
				if strings.HasSuffix(key, part) {
					b.refuse(w, http.StatusForbidden, "AccessDenied")
				}
				return strings.HasSuffix(key, part)
			},
			kind: client.Denied, want: "part1.json.gz: this role may not",
		},
		"nothing there": {folder: "prefix/AWSDynamoDB/9999", kind: client.Usage, want: "there is no such object; name the folder of one export"},
		"under way": {
			change: func(t *testing.T, root string) { must(t, os.Remove(root+summary)) },
			kind:   client.Failed, want: "it is under way, or it failed; .*COMPLETED",
		},
		"under way, and the bucket may not be listed": {
			change: func(t *testing.T, root string) { must(t, os.Remove(root+summary)) },
			fault:  unlisted,
			kind:   client.Failed, want: "it is under way, or it failed, or this role may read _started and not them; .*COMPLETED",
		},
		"nothing there, and the bucket may not be listed": {
			fault: unlisted, folder: "prefix/AWSDynamoDB/9999",
			kind: client.Denied, want: "this role may not read it, or it does not exist",
		},
		"an object is gone": {
			change: func(t *testing.T, root string) { must(t, os.Remove(root+part)) },
			kind:   client.Failed, want: "s3://exports/.*part1.json.gz: there is no such file, though the manifest names it; restore it",
		},
		"cut": {
			change: func(t *testing.T, root string) { edit(t, root+part, func(s string) string { return s[:len(s)-40] }) },
			kind:   client.Failed, want: "part1.json.gz: it breaks off after .* items?; restore it, or export",
		},
		"other bytes": {
			change: func(t *testing.T, root string) { write(t, root+part, zipped(t, nil)) },
			kind:   client.Failed, want: "part1.json.gz: it has 0 items, and the manifest says",
		},
		"ION": {
			change: func(t *testing.T, root string) {
				edit(t, root+summary, func(s string) string { return strings.Replace(s, "DYNAMODB_JSON", "ION", 1) })
			},
			kind: client.Usage, want: "it is an export as ION, FULL_EXPORT",
		},
		"of changes": {
			change: func(t *testing.T, root string) {
				edit(t, root+summary, func(s string) string {
					return strings.Replace(s, `"FULL_EXPORT"`, `"INCREMENTAL_EXPORT","outputView":"NEW_IMAGE"`, 1)
				})
			},
			kind: client.Usage, want: "an export as DYNAMODB_JSON, INCREMENTAL_EXPORT, NEW_IMAGE",
		},
		"another table": {
			change: func(t *testing.T, root string) {
				edit(t, root+summary, func(s string) string { return strings.Replace(s, "table/accounts", "table/orders", 1) })
			},
			kind: client.Usage, want: "no export of the table accounts in it, only of orders",
		},
		"replaced": {
			fault: func(b *bucket, w http.ResponseWriter, r *http.Request, key string, n int) bool {
				switch {
				case !strings.HasSuffix(key, part):
					return false
				case n == 1:
					b.breaks(w, key, 50)
				}
				b.serve(w, r, []byte("another object"))
				return true
			},
			kind: client.Failed, want: "it was replaced while it was read",
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := start(t)
			b, objects, folder := f.stored("accounts")
			if tc.change != nil {
				tc.change(t, filepath.Join(b.dir, folder))
			}
			if tc.fault != nil {
				b.fault = func(w http.ResponseWriter, r *http.Request, key string, n int) bool { return tc.fault(b, w, r, key, n) }
			}
			if tc.folder != "" {
				folder = tc.folder
			}
			found, sum, err := streamed(t.Context(), f.open("accounts"), objects, folder)
			if client.KindOf(err) != tc.kind || err == nil || !matches(tc.want, err.Error()) || len(found) > 0 || sum.Complete {
				t.Errorf("%s: %v\n%+v, %d found", client.KindOf(err), err, sum, len(found))
			}
		})
	}
}

// A bucket in another Region is asked there, once that is known.
func TestBucketInAnotherRegion(t *testing.T) {
	f := start(t)
	b, objects, folder := f.stored("accounts")
	var elsewhere int
	b.fault = func(w http.ResponseWriter, r *http.Request, key string, n int) bool {
		if strings.Contains(r.Header.Get("Authorization"), "/us-west-2/s3/") {
			return false
		}
		b.mu.Lock()
		elsewhere++
		b.mu.Unlock()
		w.Header().Set("X-Amz-Bucket-Region", "us-west-2")
		b.refuse(w, http.StatusMovedPermanently, "PermanentRedirect")
		return true
	}
	if _, sum, err := streamed(t.Context(), f.open("accounts"), objects, folder); err != nil || !sum.Complete {
		t.Fatalf("%+v, %v", sum, err)
	}
	if elsewhere != 1 {
		t.Errorf("asked %d times in the wrong Region", elsewhere)
	}
}

// Stopped, a check of an export keeps what it has, and says so.
func TestStreamIsStopped(t *testing.T) {
	f := start(t)
	b, objects, folder := f.stored("accounts")
	ctx, cancel := context.WithCancel(t.Context())
	b.fault = func(w http.ResponseWriter, r *http.Request, key string, n int) bool {
		if !strings.Contains(key, "/data/") {
			return false
		}
		data, _ := os.ReadFile(filepath.Join(b.dir, key))
		w.Header().Set("Content-Length", fmt.Sprint(len(data)))
		_, _ = w.Write(data[:20])
		_ = http.NewResponseController(w).Flush()
		cancel()
		<-r.Context().Done()
		panic(http.ErrAbortHandler)
	}
	_, sum, err := streamed(ctx, f.open("accounts"), objects, folder)
	if client.KindOf(err) != client.Cancelled || sum.Complete {
		t.Errorf("%+v, %v", sum, err)
	}
}

var timeZero time.Time

func matches(pattern, text string) bool { return regexp.MustCompile(pattern).MatchString(text) }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
