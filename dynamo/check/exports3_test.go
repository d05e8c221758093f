package check_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/check"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/progress"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/client"
	"tallylock/dynamo/scan"
	"tallylock/internal/s3"
)

// stored exports a table into a bucket, and returns the folder of the export.
func (f *fixture) stored(table string) (b *s3.Bucket, objects *client.Bucket, folder string) {
	f.t.Helper()
	b = &s3.Bucket{Dir: f.t.TempDir()}
	root := f.export(filepath.Join(b.Dir, "prefix"), table)
	server := httptest.NewServer(b)
	f.t.Cleanup(server.Close)
	f.t.Setenv("AWS_ENDPOINT_URL_S3", server.URL)
	for _, name := range []string{"AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"} {
		f.t.Setenv(name, filepath.Join(b.Dir, "none"))
	}
	c, err := client.Connect(f.t.Context(), client.Options{Region: "eu-west-1", Endpoint: "http://127.0.0.1:1"})
	if err != nil {
		f.t.Fatal(err)
	}
	folder, err = filepath.Rel(b.Dir, root)
	if err != nil {
		f.t.Fatal(err)
	}
	return b, c.Bucket(s3.Name), filepath.ToSlash(folder)
}

// streamed checks a table by an export in a bucket.
func streamed(ctx context.Context, table *dynamo.Table, objects scan.Objects, folder string) ([]finding.Finding, finding.Summary, error) {
	e, err := onlyFull(scan.OpenExportsIn(ctx, objects, s3.Name, folder))
	if err != nil {
		return nil, finding.Summary{}, err
	}
	return run(ctx, table, setting.Options{Confirm: setting.ConfirmNone, Export: e})
}

// An export in a bucket gives the same findings as its downloaded copy. The check reads only the objects that the
// manifests name.
func TestExportInABucket(t *testing.T) {
	f := start(t)
	b, objects, folder := f.stored("accounts")
	write(t, filepath.Join(b.Dir, folder, "data", "another.json.gz"), []byte("of another export"))
	table := f.open("accounts")
	want, sum, err := exported(t.Context(), table, b.Dir, setting.Options{Confirm: setting.ConfirmNone})
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
	for _, key := range b.Asked() {
		if strings.Contains(key, "another") || strings.Contains(key, "_started") {
			t.Errorf("%s was read", key)
		}
	}
}

// The data may be in the folder that several exports share, or in the folder to which somebody copied the whole export.
func TestExportInASharedFolder(t *testing.T) {
	f := start(t)
	b, objects, folder := f.stored("accounts")
	manifest := filepath.Join(b.Dir, folder, "manifest-files.json")
	text, err := os.ReadFile(manifest)
	if err != nil {
		t.Fatal(err)
	}
	rewrite(t, manifest, []byte(strings.ReplaceAll(string(text), "0123-accounts/", "")))
	if err := os.Rename(filepath.Join(b.Dir, folder, "data"), filepath.Join(b.Dir, "prefix", "AWSDynamoDB", "data")); err != nil {
		t.Fatal(err)
	}
	if _, sum, err := streamed(t.Context(), f.open("accounts"), objects, folder); err != nil || !sum.Complete || sum.Items == 0 {
		t.Errorf("%+v, %v", sum, err)
	}
}

// An object that was copied or encrypted again has another ETag, but the same items.
func TestExportThatWasCopied(t *testing.T) {
	f := start(t)
	b, objects, folder := f.stored("accounts")
	manifest := filepath.Join(b.Dir, folder, "manifest-files.json")
	text, err := os.ReadFile(manifest)
	must(t, err)
	rewrite(t, manifest, []byte(strings.ReplaceAll(string(text), `"etag":"`, `"etag":"0`)))
	if _, sum, err := streamed(t.Context(), f.open("accounts"), objects, folder); err != nil || !sum.Complete || sum.Items == 0 {
		t.Errorf("%+v, %v", sum, err)
	}
}

// The policy permits every request that reads the export. It permits no other export of the bucket.
func TestPolicyOfAnExport(t *testing.T) {
	f := start(t)
	b, objects, folder := f.stored("accounts")
	if _, _, err := streamed(t.Context(), f.open("accounts"), objects, folder); err != nil {
		t.Fatal(err)
	}
	p, err := client.PolicyFor(client.Auditor, "", nil)
	must(t, err)
	p.ReadExport(s3.Name, folder)
	last := p.Statement[len(p.Statement)-1]
	permits := func(key string) bool {
		return slices.ContainsFunc(last.Resource, func(arn string) bool {
			within, ok := strings.CutSuffix(arn, "*")
			return ok && strings.HasPrefix("arn:aws:s3:::"+s3.Name+"/"+key, within)
		})
	}
	for _, key := range append(b.Asked(), "prefix/AWSDynamoDB/data/shared.json.gz") {
		if !permits(key) {
			t.Errorf("%s was asked for, and %q do not permit it", key, last.Resource)
		}
	}
	if permits("prefix/AWSDynamoDB/0124-orders/manifest-summary.json") || !slices.Equal(last.Action, []string{"s3:GetObject"}) {
		t.Errorf("%+v", last)
	}
}

// While S3 does not answer, the progress tells since when. After the outage the check reads the whole export.
func TestExportInAnOutage(t *testing.T) {
	f := start(t)
	b, objects, folder := f.stored("accounts")
	seen := make(chan struct{})
	b.Inject(func(w http.ResponseWriter, _ *http.Request, key string, _ int) bool {
		if !strings.Contains(key, "/data/") {
			return false
		}
		select {
		case <-seen:
			return false
		default:
			s3.Refuse(w, http.StatusInternalServerError, "InternalError")
			return true
		}
	})
	e, _, err := scan.OpenExportsIn(t.Context(), objects, s3.Name, folder)
	must(t, err)
	var once sync.Once
	sum, err := check.Run(t.Context(), f.open("accounts"), setting.Options{Confirm: setting.ConfirmNone, Export: e}, func(finding.Finding) {}, func(now progress.State) {
		if !now.Silent.IsZero() {
			once.Do(func() { close(seen) })
		}
	})
	if err != nil || !sum.Complete || sum.Items == 0 {
		t.Errorf("%+v, %v", sum, err)
	}
}

// While data of one file arrives, the reading is not silent, even if S3 refuses another file. It is silent when only
// the refused file is left.
func TestExportHalfInAnOutage(t *testing.T) {
	f := start(t)
	b, objects, folder := f.stored("accounts")
	var progress scan.Progress
	var mu sync.Mutex
	lost, throttled := "", false
	other, goOn := make(chan struct{}), make(chan struct{})
	arrived := sync.OnceFunc(func() { close(other) })
	b.Inject(func(w http.ResponseWriter, _ *http.Request, key string, n int) bool {
		if !strings.Contains(key, "/data/") {
			return false
		}
		mu.Lock()
		if lost == "" {
			lost = key
		}
		mine := key == lost
		mu.Unlock()
		if !mine {
			arrived()
			<-goOn
			return false
		}
		<-other
		switch {
		case n < 4 && !progress.Silent().IsZero():
			t.Error("silent, though another file is read")
		case n == 4:
			close(goOn)
		case throttled:
			if !progress.Silent().IsZero() {
				t.Error("silent, though the last response was that requests are throttled")
			}
			return false
		case n > 4 && !progress.Silent().IsZero():
			throttled = true
			s3.Refuse(w, http.StatusServiceUnavailable, "SlowDown")
			return true
		case n > 12:
			t.Error("not silent, though nothing comes")
			return false
		}
		s3.Refuse(w, http.StatusInternalServerError, "InternalError")
		return true
	})
	e, _, err := scan.OpenExportsIn(t.Context(), objects, s3.Name, folder)
	must(t, err)
	totals, err := e.Tables[0].Scan(t.Context(), scan.Options{Progress: &progress}, func() scan.Visitor { return nothing{} })
	if err != nil || !totals.Complete() || !progress.Silent().IsZero() {
		t.Errorf("%+v, %v, silent since %s", totals, err, progress.Silent())
	}
}

// nothing is a visitor that ignores all rows.
type nothing struct{}

func (nothing) Visit(scan.Row, scan.Rest) {}

// If a connection breaks in the middle of an object, a new connection reads the rest. No item counts twice, and none is
// lost.
func TestBrokenConnections(t *testing.T) {
	f := start(t)
	b, objects, folder := f.stored("accounts")
	b.Inject(func(w http.ResponseWriter, r *http.Request, key string, n int) bool {
		switch {
		case !strings.Contains(key, "/data/"):
		case n == 1:
			b.Begin(w, key, 100)
			panic(http.ErrAbortHandler)
		}
		return false
	})
	table := f.open("accounts")
	want, sum, err := exported(t.Context(), table, b.Dir, setting.Options{Confirm: setting.ConfirmNone})
	if err != nil {
		t.Fatal(err)
	}
	got, now, err := streamed(t.Context(), table, objects, folder)
	if err != nil || !now.Complete || now.Items != sum.Items || now.Accounts != sum.Accounts || now.Locks != sum.Locks {
		t.Fatalf("%+v, %v", now, err)
	}
	f.want(got, said(want)...)
	if len(b.Rests()) < exportFiles || !slices.ContainsFunc(b.Rests(), func(r string) bool { return strings.Contains(r, " bytes=100- \"") }) {
		t.Errorf("asked for the rest: %q", b.Rests())
	}
}

// Keys of objects are names, not paths: the client removes no part of an address.
func TestAddressesOfExports(t *testing.T) {
	for _, by := range []string{"/", "./"} {
		f := start(t)
		b, objects, folder := f.stored("accounts")
		for _, address := range []string{by + folder, strings.Replace(folder, "/", "/"+by, 1)} {
			b.Forget()
			if _, sum, err := streamed(t.Context(), f.open("accounts"), objects, address); err != nil || !sum.Complete {
				t.Errorf("%s: %+v, %v", address, sum, err)
			}
			for _, key := range b.Asked() {
				if !strings.HasPrefix(key, address+"/") {
					t.Errorf("%s: %s was asked for", address, key)
				}
			}
		}
	}
}

// If a bucket is in another Region, S3 names the Region, and all further requests go there.
func TestBucketInAnotherRegion(t *testing.T) {
	f := start(t)
	b, objects, folder := f.stored("accounts")
	var elsewhere atomic.Int32
	b.Inject(func(w http.ResponseWriter, r *http.Request, key string, n int) bool {
		if strings.Contains(r.Header.Get("Authorization"), "/us-west-2/s3/") {
			return false
		}
		elsewhere.Add(1)
		w.Header().Set("X-Amz-Bucket-Region", "us-west-2")
		s3.Refuse(w, http.StatusMovedPermanently, "PermanentRedirect")
		return true
	})
	if _, sum, err := streamed(t.Context(), f.open("accounts"), objects, folder); err != nil || !sum.Complete {
		t.Fatalf("%+v, %v", sum, err)
	}
	if n := elsewhere.Load(); n != 1 {
		t.Errorf("asked %d times in the wrong Region", n)
	}
}

// A check of an export in a bucket says that it was stopped.
func TestStreamIsStopped(t *testing.T) {
	f := start(t)
	b, objects, folder := f.stored("accounts")
	ctx, cancel := context.WithCancel(t.Context())
	b.Inject(func(w http.ResponseWriter, r *http.Request, key string, n int) bool {
		if !strings.Contains(key, "/data/") {
			return false
		}
		b.Begin(w, key, 20)
		cancel()
		<-r.Context().Done()
		panic(http.ErrAbortHandler)
	})
	_, sum, err := streamed(ctx, f.open("accounts"), objects, folder)
	if client.KindOf(err) != client.Cancelled || sum.Complete {
		t.Errorf("%+v, %v", sum, err)
	}
}
