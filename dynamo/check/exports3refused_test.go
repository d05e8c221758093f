package check_test

import (
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/iotest"

	"tallylock/dynamo/client"
	"tallylock/dynamo/scan"
	"tallylock/internal/s3"
)

// unlisted answers as S3 does to users who may not list the bucket: it denies objects that do not exist.
func unlisted(b *s3.Bucket, w http.ResponseWriter, _ *http.Request, key string, _ int) bool {
	_, err := os.Stat(filepath.Join(b.Dir, key))
	if err != nil {
		s3.Refuse(w, http.StatusForbidden, "AccessDenied")
	}
	return err != nil
}

// lost are objects whose data ends early, since the network is down.
type lost struct{ scan.Objects }

func (l lost) Open(ctx context.Context, name string) (io.ReadCloser, error) {
	if !strings.Contains(name, "/data/") {
		return l.Objects.Open(ctx, name)
	}
	why := &client.Error{Kind: client.Unreachable, Op: "reading " + name, Why: "the connection broke 8 times", Do: "check the network", Err: io.ErrUnexpectedEOF}
	return io.NopCloser(iotest.ErrReader(why)), nil
}

// If the network is down, the error does not advise to restore an object: the object is intact.
func TestLostConnectionIsNoDamage(t *testing.T) {
	f := start(t)
	_, objects, folder := f.stored("accounts")
	_, _, err := streamed(t.Context(), f.open("accounts"), lost{objects}, folder)
	if client.KindOf(err) != client.Unreachable || !matches("the connection broke 8 times; check the network", err.Error()) {
		t.Errorf("%s: %v", client.KindOf(err), err)
	}
}

// The error names an object that cannot be read, and says what to do. No item of the export counts.
func TestExportsThatCannotBeStreamed(t *testing.T) {
	const part, summary, files = "/data/part1.json.gz", "/manifest-summary.json", "/manifest-files.json"
	edit := func(t *testing.T, path string, by func(string) string) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		rewrite(t, path, []byte(by(string(text))))
	}
	bare := func(s string) string { return checksum.ReplaceAllString(s, "") }
	other := func(s string) string { return strings.Replace(s, `"etag":"`, `"etag":"0`, 1) }
	for name, tc := range map[string]struct {
		change func(t *testing.T, root string)
		fault  func(b *s3.Bucket, w http.ResponseWriter, r *http.Request, key string, n int) bool
		folder string
		kind   client.Kind
		want   string
	}{
		"denied": {
			fault: func(b *s3.Bucket, w http.ResponseWriter, r *http.Request, key string, n int) bool {
				s3.Refuse(w, http.StatusForbidden, "AccessDenied")
				return true
			},
			kind: client.Denied, want: "s3://exports/prefix/AWSDynamoDB/0123-accounts/manifest-summary.json: this role may not read the object, or the object does not exist.*s3:GetObject",
		},
		"an object is denied": {
			fault: func(b *s3.Bucket, w http.ResponseWriter, r *http.Request, key string, n int) bool {
				if strings.HasSuffix(key, part) {
					s3.Refuse(w, http.StatusForbidden, "AccessDenied")
				}
				return strings.HasSuffix(key, part)
			},
			kind: client.Denied, want: "part1.json.gz: this role may not",
		},
		"nothing there": {folder: "prefix/AWSDynamoDB/9999", kind: client.Usage, want: "there is no such object; name the folder of one export"},
		"under way": {
			change: func(t *testing.T, root string) { must(t, os.Remove(root+summary)) },
			kind:   client.Failed, want: "the export is in progress, or it failed; .*COMPLETED",
		},
		"under way, and the bucket may not be listed": {
			change: func(t *testing.T, root string) { must(t, os.Remove(root+summary)) },
			fault:  unlisted,
			kind:   client.Failed, want: "the export is in progress, or it failed, or this role may read _started but not the manifests; .*COMPLETED",
		},
		"nothing there, and the bucket may not be listed": {
			fault: unlisted, folder: "prefix/AWSDynamoDB/9999",
			kind: client.Denied, want: "this role may not read the object, or the object does not exist",
		},
		"an object is gone": {
			change: func(t *testing.T, root string) { must(t, os.Remove(root+part)) },
			kind:   client.Failed, want: "s3://exports/.*part1.json.gz: the manifest names this file, but the file does not exist; restore the file",
		},
		"cut": {
			change: func(t *testing.T, root string) { edit(t, root+part, func(s string) string { return s[:len(s)-40] }) },
			kind:   client.Failed, want: "part1.json.gz: the file ends early, after .* items?; this is not the exported object: its ETag .*; restore the file, or export",
		},
		"other bytes": {
			change: func(t *testing.T, root string) { write(t, root+part, zipped(t, nil)) },
			kind:   client.Failed, want: "part1.json.gz: the file has 0 items, but the manifest says",
		},
		"other bytes, of another object": {
			change: func(t *testing.T, root string) {
				edit(t, root+files, other)
				write(t, root+"/data/part0.json.gz", zipped(t, nil))
			},
			kind: client.Failed, want: "part0.json.gz: the file has 0 items, .*; this is not the exported object: its ETag is [0-9a-f]+-1, but the manifest says 0[0-9a-f]+-1; restore the file",
		},
		"another object, and no checksum tells": {
			change: func(t *testing.T, root string) { edit(t, root+files, func(s string) string { return other(bare(s)) }) },
			kind:   client.Failed, want: "part0.json.gz: this is not the exported object: its ETag is [0-9a-f]+-1, but the manifest says 0[0-9a-f]+-1; restore the file",
		},
		"ION": {
			change: func(t *testing.T, root string) {
				edit(t, root+summary, func(s string) string { return strings.Replace(s, "DYNAMODB_JSON", "ION", 1) })
			},
			kind: client.Usage, want: "the type of this export is ION, FULL_EXPORT",
		},
		"of changes": {
			change: func(t *testing.T, root string) {
				edit(t, root+summary, func(s string) string {
					return strings.Replace(s, `"FULL_EXPORT"`, `"INCREMENTAL_EXPORT","outputView":"NEW_IMAGE"`, 1)
				})
			},
			kind: client.Usage, want: "this export is DYNAMODB_JSON, INCREMENTAL_EXPORT, NEW_IMAGE",
		},
		"another table": {
			change: func(t *testing.T, root string) {
				edit(t, root+summary, func(s string) string { return strings.Replace(s, "table/accounts", "table/orders", 1) })
			},
			kind: client.Usage, want: "no export of the table accounts, only of orders",
		},
		"replaced": {
			fault: func(b *s3.Bucket, w http.ResponseWriter, r *http.Request, key string, n int) bool {
				switch {
				case !strings.HasSuffix(key, part):
					return false
				case n == 1:
					b.Begin(w, key, 50)
					panic(http.ErrAbortHandler)
				}
				s3.Serve(w, r, []byte("another object"))
				return true
			},
			kind: client.Failed, want: "the object was replaced while it was read",
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := start(t)
			b, objects, folder := f.stored("accounts")
			if tc.change != nil {
				tc.change(t, filepath.Join(b.Dir, folder))
			}
			if tc.fault != nil {
				b.Inject(func(w http.ResponseWriter, r *http.Request, key string, n int) bool { return tc.fault(b, w, r, key, n) })
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

var checksum = regexp.MustCompile(`,"md5Checksum":"[^"]*"`)

func matches(pattern, text string) bool { return regexp.MustCompile(pattern).MatchString(text) }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
