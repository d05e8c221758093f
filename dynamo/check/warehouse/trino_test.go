package warehouse_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"tallylock/dynamo"
	"tallylock/dynamo/check"
	"tallylock/dynamo/check/candidates"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/progress"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/check/sql"
	"tallylock/dynamo/check/warehouse"
	"tallylock/dynamo/client"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/internal/fixture"
	"tallylock/internal/s3"
	"tallylock/internal/trino"
)

// serverVariable has the address of a Trino with the schema hive.t. .ci/sql sets it.
const serverVariable = "TALLYLOCK_TEST_TRINO_SERVER"

func trinoAt(t *testing.T, address string) *warehouse.Trino {
	t.Helper()
	e, err := warehouse.NewTrino(address, "hive", "t")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

func start(t *testing.T, c *trino.Server) *warehouse.Trino {
	t.Helper()
	at := httptest.NewServer(c)
	t.Cleanup(at.Close)
	return trinoAt(t, strings.Replace(at.URL, "http://", "http://me@", 1))
}

// A run on Trino sends its statements in order and drops its tables. The result has a line for each row.
func TestTrino(t *testing.T) {
	c := &trino.Server{Rows: func(text string) []string {
		if strings.HasPrefix(text, "SELECT") {
			return []string{`{"finding":"orphaned-lock"}`, `{"rows":2}`}
		}
		return nil
	}}
	r := begin(t, start(t, c), described(t))
	var result bytes.Buffer
	left, err := r.Do(t.Context(), &result, func(warehouse.State) {})
	if err != nil || left != nil || result.String() != "{\"finding\":\"orphaned-lock\"}\n{\"rows\":2}\n" {
		t.Errorf("%q, %v, %v", result.String(), err, left)
	}
	work, drops := r.Statements()
	var want []string
	for _, one := range slices.Concat(work, drops) {
		want = append(want, one.Text)
	}
	if got := c.Sent(); !slices.Equal(got, want) {
		t.Errorf("sent %q, want %q", got, want)
	}
}

// A run that is stopped while a statement runs drops its tables.
func TestAStoppedRunOnTrino(t *testing.T) {
	c := &trino.Server{Held: "CREATE TABLE tallylock_items", Holds: make(chan struct{})}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-c.Holds
		cancel()
	}()
	r := begin(t, start(t, c), described(t))
	left, err := r.Do(ctx, io.Discard, func(warehouse.State) {})
	if client.KindOf(err) != client.Cancelled || left != nil {
		t.Errorf("the error is %v, and %v", err, left)
	}
	if last := c.Sent()[len(c.Sent())-1]; !strings.HasPrefix(last, "DROP TABLE") {
		t.Errorf("the last statement is %q", last)
	}
}

// If Trino does not say that a statement has ended, the run names the statement's table: the statement may still make
// it.
func TestAStatementOnTrinoThatMayStillRun(t *testing.T) {
	r := begin(t, start(t, &trino.Server{Silent: "CREATE TABLE tallylock_items"}), described(t))
	left, err := r.Do(t.Context(), io.Discard, func(warehouse.State) {})
	if client.KindOf(err) != client.Unreachable || left == nil || left.String() != "tallylock_items_"+r.ID() ||
		!strings.Contains(left.Err.Error(), "may still write") {
		t.Errorf("%v, left %v", err, left)
	}
	r = begin(t, start(t, &trino.Server{Silent: "SELECT"}), described(t))
	if left, err := r.Do(t.Context(), io.Discard, func(warehouse.State) {}); err == nil || left != nil {
		t.Errorf("%v, left %v", err, left)
	}
}

// A statement that Trino does not stop in time may still make its table.
func TestAStopThatTrinoIgnores(t *testing.T) {
	c := described(t)
	transport := http.DefaultTransport
	t.Cleanup(func() { http.DefaultTransport = transport })
	synctest.Test(t, func(t *testing.T) {
		stand := &trino.Server{Held: "CREATE TABLE tallylock_items", Holds: make(chan struct{}), Deaf: true}
		http.DefaultTransport = nearby{stand}
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			<-stand.Holds
			cancel()
		}()
		r := begin(t, trinoAt(t, "http://me@trino"), c)
		left, err := r.Do(ctx, io.Discard, func(warehouse.State) {})
		if client.KindOf(err) != client.Cancelled || left == nil || left.String() != "tallylock_items_"+r.ID() {
			t.Errorf("%v, left %v", err, left)
		}
	})
}

func failing(name string) func(string) string { return func(string) string { return name } }

// Each error of Trino says what to do.
func TestErrorsOfTrino(t *testing.T) {
	for _, one := range []struct {
		c    *trino.Server
		kind client.Kind
		do   string
	}{
		{&trino.Server{Status: http.StatusUnauthorized}, client.NoCredentials, "TRINO_PASSWORD"},
		{&trino.Server{Status: http.StatusNotFound}, client.Unreachable, "check the address"},
		{&trino.Server{Error: failing("SCHEMA_NOT_FOUND")}, client.Usage, "the schema"},
		{&trino.Server{Error: failing("PERMISSION_DENIED")}, client.Denied, "permission"},
		{&trino.Server{Error: failing("QUERY_HAS_TOO_MANY_STAGES")}, client.Failed, "fewer constraints"},
		{&trino.Server{Error: failing("GENERIC_INTERNAL_ERROR")}, client.Failed, "it says no"},
	} {
		r := begin(t, start(t, one.c), described(t))
		_, err := r.Do(t.Context(), io.Discard, func(warehouse.State) {})
		if client.KindOf(err) != one.kind || !strings.Contains(err.Error(), one.do) {
			t.Errorf("%q: %v of the kind %v", one.do, err, client.KindOf(err))
		}
	}
	away := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	t.Cleanup(away.Close)
	r := begin(t, trinoAt(t, away.URL), described(t))
	if _, err := r.Leftovers(t.Context()); client.KindOf(err) != client.Unreachable || !strings.Contains(err.Error(), "listing the tables") {
		t.Errorf("the error is %v", err)
	}
}

// A password never goes over http, and never comes from the command line.
func TestPasswords(t *testing.T) {
	for _, address := range []string{"trino:8080", "ftp://trino", "https://me:secret@trino:8443"} {
		if _, err := warehouse.NewTrino(address, "hive", "t"); client.KindOf(err) != client.Usage {
			t.Errorf("%s: %v", address, err)
		}
	}
	t.Setenv("TRINO_PASSWORD", "secret")
	if _, err := warehouse.NewTrino("http://trino:8080", "hive", "t"); client.KindOf(err) != client.Usage {
		t.Errorf("the error is %v", err)
	}
}

// The password goes only to the server of the address, and only over https, although answers of Trino name the
// addresses of further answers.
func TestPasswordsOfLaterRequests(t *testing.T) {
	t.Setenv("TRINO_PASSWORD", "secret")
	other := &trino.Server{}
	plain, secure := httptest.NewServer(other), httptest.NewTLSServer(other)
	t.Cleanup(plain.Close)
	t.Cleanup(secure.Close)
	c := &trino.Server{}
	at := httptest.NewTLSServer(c)
	t.Cleanup(at.Close)
	transport := http.DefaultTransport
	t.Cleanup(func() { http.DefaultTransport = transport })
	http.DefaultTransport = at.Client().Transport // this transport trusts the certificates of all test servers
	e := trinoAt(t, strings.Replace(at.URL, "https://", "https://me@", 1))
	for _, next := range []string{plain.URL, secure.URL, "http://" + at.Listener.Addr().String()} {
		c.Next = next
		_, err := begin(t, e, described(t)).Leftovers(t.Context())
		if client.KindOf(err) != client.Usage || !strings.Contains(err.Error(), "Trino's next answers are at "+next) {
			t.Errorf("the error is %v", err)
		}
	}
	if len(other.Logins()) > 0 {
		t.Errorf("another server got %q", other.Logins())
	}
	c.Next = at.URL
	if _, err := begin(t, e, described(t)).Leftovers(t.Context()); err != nil {
		t.Error(err)
	}
	for _, login := range c.Logins() {
		if login == "" {
			t.Errorf("a request has no password: %q", c.Logins())
		}
	}
}

// exported is a table with findings of several kinds, and its export on this machine.
func exported(t *testing.T) (table *dynamo.Table, folder string) {
	t.Helper()
	f := fixture.New(t)
	table = f.Describe("people", fixture.Accounts(""))
	f.Put("people",
		fixture.Account("1", "ada@x.io", "ada"), fixture.Lock("EMAIL", "ada@x.io"),
		fixture.Account("2", "alan@x.io", "alan"), fixture.Lock("EMAIL", "grace@x.io"))
	folder = filepath.Join(t.TempDir(), "people")
	if err := s3.Loose(t.Context(), sdk.Client(f), folder, "people"); err != nil {
		t.Fatal(err)
	}
	return table, folder
}

func findings(t *testing.T, table *dynamo.Table, o setting.Options) (all []string) {
	t.Helper()
	_, err := check.Run(t.Context(), table, o, func(f finding.Finding) { all = append(all, fmt.Sprint(f.Kind, " ", f.Value)) },
		func(progress.State) {})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(all)
	return all
}

// candidatesOf runs the SQL on an engine, and returns the findings of its candidates. place is the export as the
// engine sees it.
func candidatesOf(t *testing.T, e warehouse.Engine, table *dynamo.Table, place string) []string {
	t.Helper()
	c, err := check.SQL(t.Context(), table)
	if err != nil {
		t.Fatal(err)
	}
	c.Tables[0].Location = place
	r := begin(t, e, c)
	file, err := os.Create(filepath.Join(t.TempDir(), "candidates"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	left, err := r.Do(t.Context(), file, func(warehouse.State) {})
	if err != nil || left != nil {
		t.Fatal(err, left)
	}
	tables, err := e.Tables(t.Context(), "none")
	if err != nil {
		t.Fatal(err)
	}
	_, drops := r.Statements()
	for _, s := range drops {
		if slices.Contains(tables, s.Table) {
			t.Errorf("%s stays", s.Table)
		}
	}
	found, err := candidates.Open(file.Name())
	if err != nil {
		t.Fatal(err)
	}
	return findings(t, table, setting.Options{Candidates: found})
}

// On a real Trino, the runner leads to the findings of a check of the table. So does the stand-in for Athena, which
// runs the queries on the same Trino.
func TestRunsBySQL(t *testing.T) {
	address := os.Getenv(serverVariable)
	if address == "" {
		t.Skip("left out: running the SQL of checks on a real Trino; .ci/sql does it")
	}
	table, folder := exported(t)
	want := findings(t, table, setting.Options{})
	if len(want) < 2 {
		t.Fatalf("found only %q", want)
	}
	engine := trinoAt(t, address)
	if got := candidatesOf(t, engine, table, "local://"+folder); !slices.Equal(got, want) {
		t.Errorf("Trino leads to %q, want %q", got, want)
	}
	_, e := server(t, func(text string, _ <-chan struct{}) ([][]string, error) { return asAthena(t, engine, text, folder) })
	if got := candidatesOf(t, e, table, "s3://exports/people"); !slices.Equal(got, want) {
		t.Errorf("the stand-in for Athena leads to %q, want %q", got, want)
	}
}

// ofAthena matches the properties of a table that Trino lacks: the folder, and the compression, which is a session
// property of Trino.
var ofAthena = regexp.MustCompile(`, write_compression = 'ZSTD'(, external_location = 's3:[^']*')?`)

// asAthena runs a statement for Athena on Trino.
func asAthena(t *testing.T, e *warehouse.Trino, text, folder string) (rows [][]string, err error) {
	if name, ok := strings.CutPrefix(text, "CREATE EXTERNAL TABLE "); ok {
		name, _, _ = strings.Cut(name, " ")
		text = "CREATE TABLE " + name + " (line varchar) WITH (format = 'TEXTFILE', textfile_field_separator = U&'\\0001', " +
			"external_location = 'local://" + folder + "/data/')"
	}
	if strings.HasPrefix(text, "SHOW TABLES") {
		names, err := e.Tables(t.Context(), "none")
		for _, name := range names {
			rows = append(rows, []string{name})
		}
		return rows, err
	}
	var out bytes.Buffer
	if !strings.HasPrefix(text, "SELECT") {
		return nil, e.Exec(context.WithoutCancel(t.Context()), "", ofAthena.ReplaceAllString(text, ""), func(int64) {})
	}
	if err := e.Result(t.Context(), "", sql.Statement{Text: text}, &out, func(int64) {}); err != nil {
		return nil, err
	}
	for line := range strings.Lines(out.String()) {
		rows = append(rows, []string{strings.TrimSuffix(line, "\n")})
	}
	return rows, nil
}
