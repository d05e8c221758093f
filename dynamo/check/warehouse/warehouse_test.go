package warehouse_test

import (
	"bytes"
	"context"
	"errors"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/check"
	"tallylock/dynamo/check/sql"
	"tallylock/dynamo/check/warehouse"
	"tallylock/dynamo/client"
	"tallylock/internal/athena"
	"tallylock/internal/fixture"
)

var now = time.Date(2026, 11, 27, 3, 0, 0, 0, time.UTC)

// described returns the SQL of a check of a table with accounts and locks. Its export is in S3.
func described(t *testing.T) *sql.Check {
	t.Helper()
	c, err := check.SQL(t.Context(), judged(t))
	if err != nil {
		t.Fatal(err)
	}
	for n, one := range c.Tables {
		c.Tables[n].Location = "s3://exports/prefix/AWSDynamoDB/0123-" + one.Name
		c.Tables[n].Manifest = &sql.Manifest{At: now, Items: 5, Bytes: 3e9}
	}
	return c
}

// judged is a table whose rules SQL judges.
func judged(t *testing.T) *dynamo.Table {
	return fixture.New(t).Describe("people", fixture.Accounts(""))
}

// server starts a stand-in for Athena, which passes each statement to the function run, and returns the engine.
func server(t *testing.T, run func(text string, stop <-chan struct{}) ([][]string, error)) (*athena.Server, *warehouse.Athena) {
	t.Helper()
	s := &athena.Server{Run: run}
	at := httptest.NewServer(s)
	t.Cleanup(at.Close)
	t.Setenv("AWS_ENDPOINT_URL_S3", at.URL)
	t.Setenv("AWS_ENDPOINT_URL_ATHENA", at.URL)
	for _, name := range []string{"AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"} {
		t.Setenv(name, filepath.Join(t.TempDir(), "none"))
	}
	t.Setenv("AWS_ACCESS_KEY_ID", "x")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "x")
	c, err := client.Connect(t.Context(), client.Options{Region: "eu-west-1", Endpoint: "http://127.0.0.1:1"})
	if err != nil {
		t.Fatal(err)
	}
	e, err := warehouse.NewAthena(c, client.AthenaPlace{Database: "scratch"}, "s3://"+athena.Bucket+"/jobs")
	if err != nil {
		t.Fatal(err)
	}
	return s, e
}

// begin prepares a run of a check.
func begin(t *testing.T, e warehouse.Engine, c *sql.Check) *warehouse.Run {
	t.Helper()
	return beginAt(t, e, c, now)
}

func beginAt(t *testing.T, e warehouse.Engine, c *sql.Check, at time.Time) *warehouse.Run {
	t.Helper()
	r, err := warehouse.New(e, c, at)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A run sends its statements in order, copies the result, and leaves nothing behind.
func TestAthena(t *testing.T) {
	for large, want := range map[bool]string{false: "candidate\n\"{\"\"rows\"\":1}\"\n", true: "{\"rows\":1}\n"} {
		testAthena(t, large, want)
	}
}

func testAthena(t *testing.T, large bool, result string) {
	s, e := server(t, func(text string, _ <-chan struct{}) ([][]string, error) {
		if strings.HasPrefix(text, "SELECT") {
			return [][]string{{`{"rows":1}`}}, nil
		}
		return nil, nil
	})
	s.Put("jobs/report.csv", []byte("of somebody else"))
	s.Put("jobs/tallylock-runs/of-another-program/report.csv", []byte("of somebody else"))
	before := s.Keys()
	c := described(t)
	if large {
		c.Tables[0].Manifest.Items = 1e9
	}
	r := begin(t, e, c)
	var out bytes.Buffer
	var last warehouse.State
	left, err := r.Do(t.Context(), &out, func(now warehouse.State) { last = now })
	if err != nil || left != nil {
		t.Fatal(err, left)
	}
	if got := out.String(); got != result {
		t.Errorf("the result is %q, want %q", got, result)
	}
	work, drops := r.Statements()
	var want []string
	for _, one := range slices.Concat(work, drops) {
		want = append(want, one.Text)
	}
	if got := s.Sent(); !slices.Equal(got, want) {
		t.Errorf("sent %q, want %q", got, want)
	}
	if last.Number != len(work) || last.Of != len(work) || last.Scanned == 0 {
		t.Errorf("the last state is %+v", last)
	}
	if got := s.Keys(); !slices.Equal(got, before) {
		t.Errorf("left the objects %q, want %q", got, before)
	}
	for _, one := range work {
		if one.Table != "" && !strings.Contains(one.Table, "_20261127030000_") {
			t.Errorf("the name %s has no start time", one.Table)
		}
	}
}

// After a failed statement the run drops its tables and deletes its objects. The error names the statement.
func TestAFailedStatement(t *testing.T) {
	s, e := server(t, func(text string, _ <-chan struct{}) ([][]string, error) {
		if strings.Contains(text, "CREATE TABLE tallylock_candidates") {
			return nil, errors.New("HIVE_BAD_DATA: line 7")
		}
		return nil, nil
	})
	r := begin(t, e, described(t))
	left, err := r.Do(t.Context(), &bytes.Buffer{}, func(warehouse.State) {})
	if err == nil || left != nil || !strings.Contains(err.Error(), "candidates, on Athena") || !strings.Contains(err.Error(), "HIVE_BAD_DATA: line 7") {
		t.Errorf("the error is %v, and %v", err, left)
	}
	_, drops := r.Statements()
	sent := s.Sent()
	for _, one := range drops {
		if !slices.Contains(sent, one.Text) {
			t.Errorf("%s was not dropped", one.Table)
		}
	}
	if keys := s.Keys(); len(keys) > 0 {
		t.Errorf("left the objects %q", keys)
	}
}

// A stopped run stops its statement in Athena, and removes its tables and objects.
func TestAStoppedRun(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var at *athena.Server
	run := ""
	var wrote atomic.Bool
	s, e := server(t, func(text string, stop <-chan struct{}) ([][]string, error) {
		if strings.Contains(text, "CREATE TABLE tallylock_items") {
			cancel()
			<-stop
			wrote.Store(true)
			at.Put("jobs/tallylock-runs/"+run+"/tables/part-0", []byte("values"))
			return nil, errors.New("stopped")
		}
		return nil, nil
	})
	at = s
	r := begin(t, e, described(t))
	run = r.ID()
	left, err := r.Do(ctx, &bytes.Buffer{}, func(warehouse.State) {})
	if client.KindOf(err) != client.Cancelled || left != nil {
		t.Errorf("the error is %v, and %v", err, left)
	}
	if !wrote.Load() {
		t.Error("the run did not wait for the end of its statement")
	}
	if last := s.Sent()[len(s.Sent())-1]; !strings.HasPrefix(last, "DROP TABLE") {
		t.Errorf("the last statement is %q", last)
	}
	if keys := s.Keys(); len(keys) > 0 {
		t.Errorf("left the objects %q", keys)
	}
}

// A run removes old leftovers of the same check, even if they came from another export. It names other leftovers, and
// keeps them.
func TestLeftovers(t *testing.T) {
	var tables [][]string
	s, e := server(t, func(text string, _ <-chan struct{}) ([][]string, error) {
		if strings.HasPrefix(text, "SHOW TABLES") {
			return tables, nil
		}
		return nil, nil
	})
	c := described(t)
	before := *c
	before.Tables = slices.Clone(c.Tables)
	before.Tables[0].Location = "s3://exports/prefix/AWSDynamoDB/0122-people"
	before.Tables[0].Manifest = &sql.Manifest{At: now.Add(-48 * time.Hour), Items: 4, Bytes: 2e9}
	old, young := beginAt(t, e, &before, now.Add(-48*time.Hour)).ID(), beginAt(t, e, &before, now.Add(-time.Hour)).ID()
	other := "0123456789ab_20261101030000_00000000"
	for _, run := range []string{old, young, other} {
		tables = append(tables, []string{"tallylock_items_" + run})
		s.Put("jobs/tallylock-runs/"+run+"/tables/part-0", []byte("values"))
	}
	tables = append(tables, []string{"tallylock_notes"}, []string{"tallylock_items_" + old + "_copy"})
	r := begin(t, e, c)
	all, err := r.Leftovers(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, left := range all {
		said = append(said, left.Run)
		if rest := r.Clear(t.Context(), left); (rest == nil) != (left.Run == old) {
			t.Errorf("clearing %s: %v", left, rest)
		}
	}
	want := []string{other, old, young}
	slices.Sort(want)
	if !slices.Equal(said, want) {
		t.Errorf("left are %q, want %q", said, want)
	}
	var dropped []string
	for _, text := range s.Sent() {
		if name, ok := strings.CutPrefix(text, "DROP TABLE IF EXISTS "); ok {
			dropped = append(dropped, name)
		}
	}
	if !slices.Equal(dropped, []string{"tallylock_items_" + old}) {
		t.Errorf("dropped %q", dropped)
	}
	for _, run := range []string{young, other} {
		if !slices.Contains(s.Keys(), "jobs/tallylock-runs/"+run+"/tables/part-0") {
			t.Errorf("the objects of %s are gone", run)
		}
	}
	if slices.Contains(s.Keys(), "jobs/tallylock-runs/"+old+"/tables/part-0") {
		t.Errorf("the objects of %s stay", old)
	}
}

// A run of more than a day is no leftover as long as it renews its marker.
func TestALongRun(t *testing.T) {
	var tables [][]string
	s, e := server(t, func(text string, _ <-chan struct{}) ([][]string, error) {
		if strings.HasPrefix(text, "SHOW TABLES") {
			return tables, nil
		}
		if name, ok := strings.CutPrefix(text, "CREATE TABLE "); ok {
			name, _, _ = strings.Cut(name, "\n")
			tables = append(tables, []string{name})
		}
		name, ok := strings.CutPrefix(text, "DROP TABLE IF EXISTS ")
		tables = slices.DeleteFunc(tables, func(row []string) bool { return ok && row[0] == name })
		return nil, nil
	})
	c := described(t)
	long := begin(t, e, c)
	for _, age := range []time.Duration{6 * time.Hour, 30 * time.Hour} {
		if err := long.Renew(t.Context(), now.Add(age)); err != nil {
			t.Fatal(err)
		}
	}
	for age, old := range map[time.Duration]bool{31 * time.Hour: false, 53 * time.Hour: false, 55 * time.Hour: true} {
		other, err := warehouse.New(e, c, now.Add(age))
		if err != nil {
			t.Fatal(err)
		}
		all, err := other.Leftovers(t.Context())
		if err != nil || len(all) != 1 || all[0].Old != old || len(all[0].Tables) != 1 {
			t.Errorf("after %v: %+v, %v", age, all, err)
		}
	}
	last, err := warehouse.New(e, c, now.Add(60*time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	all, err := last.Leftovers(t.Context())
	if err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	if rest := last.Clear(t.Context(), all[0]); rest != nil || len(tables) > 0 || len(s.Keys()) > 0 {
		t.Errorf("left %v, %v, %v", rest, tables, s.Keys())
	}
}

// A list of tables leaves no object, and touches no object of a run that lists its tables at the same time.
func TestListsOfTwoRuns(t *testing.T) {
	s, e := server(t, func(string, <-chan struct{}) ([][]string, error) { return nil, nil })
	s.Put("jobs/tallylock-runs/lists/results/query-9.csv", []byte("a list"))
	s.Put("jobs/tallylock-runs/0123456789ab_20261127030000_00000000/results/query-9.csv", []byte("a list"))
	before := s.Keys()
	if _, err := begin(t, e, described(t)).Leftovers(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := s.Keys(); !slices.Equal(got, before) {
		t.Errorf("the objects are %q, want %q", got, before)
	}
}

// Athena writes an object for each statement. So clearing a leftover without objects leaves none, too.
func TestALeftoverWithoutObjects(t *testing.T) {
	s, e := server(t, func(string, <-chan struct{}) ([][]string, error) { return nil, nil })
	c := described(t)
	old := c.Task() + "_20261125030000_00000000"
	r := begin(t, e, c)
	if rest := r.Clear(t.Context(), warehouse.Left{Run: old, Tables: []string{"tallylock_items_" + old}, Old: true}); rest != nil {
		t.Fatal(rest.Err)
	}
	if got := s.Keys(); len(got) > 0 {
		t.Errorf("left the objects %q", got)
	}
}

// A workgroup that overrides the output location is refused before anything is scanned.
func TestAWorkgroupThatOverridesTheLocation(t *testing.T) {
	s, e := server(t, func(string, <-chan struct{}) ([][]string, error) { return nil, nil })
	s.Output = "s3://" + athena.Bucket + "/of-the-workgroup/"
	_, err := begin(t, e, described(t)).Leftovers(t.Context())
	if client.KindOf(err) != client.Usage || !strings.Contains(err.Error(), "of-the-workgroup") {
		t.Errorf("the error is %v", err)
	}
	if got := s.Sent(); len(got) != 1 || !strings.HasPrefix(got[0], "SHOW TABLES") {
		t.Errorf("sent %q", got)
	}
}

// The estimate shows the bytes that a run scans, before the run. Athena bills 10 MB for a small statement.
func TestEstimate(t *testing.T) {
	_, e := server(t, nil)
	c := described(t)
	r, err := warehouse.New(e, c, now)
	if err != nil {
		t.Fatal(err)
	}
	got := r.Estimate(c)
	if got.Unknown || got.Bytes != 3e9*int64(len(c.Tables)) || got.Exports == 0 || got.Tables == 0 ||
		got.Billed != 3e9*int64(got.Exports)+10<<20*int64(got.Tables) {
		t.Errorf("%+v", got)
	}
	c.Tables[0].Manifest = nil
	if got := r.Estimate(c); !got.Unknown {
		t.Errorf("%+v", got)
	}
}

// Objects outside the folder are neither read nor deleted.
func TestOnlyTheFolder(t *testing.T) {
	s, _ := server(t, nil)
	s.Put("other/key", []byte("x"))
	c, err := client.Connect(t.Context(), client.Options{Region: "eu-west-1", Endpoint: "http://127.0.0.1:1"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Folder(athena.Bucket, "/"); err == nil {
		t.Error("the whole bucket is a folder")
	}
	f, err := c.Folder(athena.Bucket, "jobs/")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Open(t.Context(), "other/key"); client.KindOf(err) != client.ReadOnly {
		t.Errorf("the error is %v", err)
	}
	for _, name := range []string{"", "../other", "a/b"} {
		if err := f.Remove(t.Context(), name); client.KindOf(err) != client.ReadOnly {
			t.Errorf("removing %q: %v", name, err)
		}
	}
	if got := s.Asked(); len(got) > 0 {
		t.Errorf("sent %q", got)
	}
}
