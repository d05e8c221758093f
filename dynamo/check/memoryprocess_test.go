package check_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/layout/config"
	"tallylock/internal/generator"
	"tallylock/internal/s3"
	"tallylock/internal/testrun"
)

// mode is one way to run a check, with more findings than the memory holds.
type mode struct {
	name   string
	args   []string
	least  int    // the least number of lines in the results
	bucket string // the address of S3
}

// TestProcessMemory runs the program in every mode of a check, and compares the peak of its resident memory with
// --memory. Nothing else shares the process.
func TestProcessMemory(t *testing.T) {
	if os.Getenv("TALLYLOCK_ITEMS") == "" || runtime.GOOS != "linux" || testrun.Race {
		t.Skip("this test takes minutes, and measures memory only on Linux: set TALLYLOCK_ITEMS=1")
	}
	program := filepath.Join(t.TempDir(), "tallylock")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, "../..").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	const memory = 256
	for _, one := range append(exportModes(t), liveModes(t)...) {
		t.Run(one.name, func(t *testing.T) {
			args := append([]string{"env", "AWS_ENDPOINT_URL_S3=" + one.bucket, "AWS_ACCESS_KEY_ID=any", "AWS_SECRET_ACCESS_KEY=any", "AWS_REGION=us-east-1", program, "check", "--output", "jsonl", "--memory", fmt.Sprintf("%dMB", memory)}, one.args...)
			got := measured(t, args)
			factor := float64(got.Peak) / (memory << 20)
			t.Logf("%d MB, %.2f times --memory, exit status %d, %d lines: %s", got.Peak>>20, factor, got.Exit, got.Lines, got.Said)
			if factor > 1.2 {
				t.Errorf("it took %.2f times the memory", factor)
			}
			if got.Exit != 1 && got.Exit != 3 || got.Lines < one.least {
				t.Errorf("the exit status is %d, with %d lines", got.Exit, got.Lines)
			}
		})
	}
}

// usage has the memory and the results of a run of the program.
type usage struct {
	Peak  int64 // the most resident memory, in bytes
	Exit  int
	Lines int // the number of lines of the results
	Said  string
}

// measured starts the program from an extra process. Linux counts the memory of the process that starts a program as
// memory of that program, and the extra process is small.
func measured(t *testing.T, args []string) (got usage) {
	t.Helper()
	between := exec.CommandContext(t.Context(), os.Args[0], append([]string{"-test.run=^TestMeasure$", "--"}, args...)...)
	between.Env = append(os.Environ(), "TALLYLOCK_MEASURE=1")
	out, err := between.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	line, _, _ := strings.Cut(string(out), "\n")
	if err := json.Unmarshal([]byte(line), &got); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return got
}

// TestMeasure runs in the extra process of measured, and starts the program there.
func TestMeasure(t *testing.T) {
	if os.Getenv("TALLYLOCK_MEASURE") == "" {
		t.Skip("measured runs this")
	}
	_, args, _ := strings.Cut(strings.Join(os.Args, "\x00"), "\x00--\x00")
	all := strings.Split(args, "\x00")
	cmd := exec.CommandContext(t.Context(), all[0], all[1:]...)
	lines := &lineCounter{}
	var said strings.Builder
	cmd.Stdout, cmd.Stderr = lines, &said
	if err := cmd.Run(); err != nil {
		if _, ended := errors.AsType[*exec.ExitError](err); !ended {
			t.Fatal(err)
		}
	}
	used, _ := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	_ = json.NewEncoder(os.Stdout).Encode(usage{used.Maxrss << 10, cmd.ProcessState.ExitCode(), lines.n, strings.TrimSpace(said.String())})
}

// lineCounter counts the lines that are written to it.
type lineCounter struct{ n int }

func (c *lineCounter) Write(b []byte) (int, error) {
	c.n += strings.Count(string(b), "\n")
	return len(b), nil
}

// liveModes returns modes that check a table over HTTP.
func liveModes(t *testing.T) []mode {
	t.Helper()
	table := &generator.Table{Name: "accounts", Pages: 150, PerPage: 3560, Anomalies: anomalies(50_000, false), Seed: 3}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer, err := table.RoundTrip(r)
		if err != nil {
			return
		}
		defer answer.Body.Close()
		for name := range answer.Header {
			w.Header().Set(name, answer.Header.Get(name))
		}
		w.WriteHeader(answer.StatusCode)
		_, _ = io.Copy(w, answer.Body)
	}))
	t.Cleanup(server.Close)
	live := func(more ...string) []string {
		return append([]string{
			"--config", configOf(t, uniq(table.Name, false)[0]), "--table", table.Name, "--endpoint-url", server.URL,
			"--settle", "10ms", "--max-read-units", "100000000",
		}, more...)
	}
	dir := t.TempDir()
	return []mode{
		{"a scan", live(), 50_000, ""},
		{"a scan with --confirm none", live("--confirm", "none"), 50_000, ""},
		{"a scan with a report, a status and a baseline", live("--report", filepath.Join(dir, "report.html"),
			"--status", filepath.Join(dir, "status.json"), "--baseline", filepath.Join(dir, "known.jsonl"), "--update-baseline", "--accept-new"), 50_000, ""},
		{"candidates", live("--candidates", candidatesOf(t, table)), 30_000, ""},
	}
}

// configOf writes a config with a layout.
func configOf(t *testing.T, l config.Layout) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(path, l.TOML(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// candidatesOf writes a file with a candidate for each anomaly of a table.
func candidatesOf(t *testing.T, table *generator.Table) string {
	t.Helper()
	open := openMadeUp(t, table)
	key := func(k generator.Key) string { return fmt.Sprintf(`{"PK":{"S":%q},"SK":{"S":%q}}`, k.PK, k.SK) }
	var rows []string
	for a := range table.All() {
		kind := finding.Kind(a.Kind)
		if a.Kind == generator.UnnormalisedValue {
			kind = finding.MissingLock
		}
		var accounts []string
		for _, one := range a.Accounts {
			accounts = append(accounts, key(one))
		}
		rows = append(rows, about(open, fmt.Sprintf(`"finding":%q,"constraint":%q,"value":%q,"lock":%s,"accounts":[%s],"lock_exists":%v`,
			kind, a.Constraint, a.Value, key(a.Lock), strings.Join(accounts, ","), kind != finding.MissingLock)))
	}
	rows = append(rows, about(open, fmt.Sprintf(`"counted":"items","of":"accounts","of_id":%q,"count":%d,"accounted":%d`, open.ID, table.Items(), table.Items()/3)))
	return filed(t, lined(counted(open, rows)))
}

// exportModes returns modes that check exports, on the disk and in S3.
func exportModes(t *testing.T) (all []mode) {
	t.Helper()
	const accounts, broken = 400_000, 125_000
	bucket := &s3.Bucket{Dir: t.TempDir()}
	server := httptest.NewServer(bucket)
	t.Cleanup(server.Close)
	prefix := filepath.Join(bucket.Dir, filepath.Dir(s3.Prefix))
	users, locks := make([][][]byte, 4), make([][][]byte, 4)
	var few [][]byte // a quarter of all items
	for n := range accounts {
		id, k := fmt.Sprintf("%08x-%d", uint32(n)*2654435761, n), n%4
		users[k] = append(users[k], fmt.Appendf(nil, `{"id":{"S":"U#%s"},"email":{"S":"%s@example.org"},"phone":{"S":"%d"},"no":{"N":"%d"}}`,
			id, id, n%(accounts-broken), n%(accounts-broken)))
		if lock := id; n >= broken {
			if n < 2*broken {
				lock += "-orphaned"
			}
			locks[k] = append(locks[k], fmt.Appendf(nil, `{"id":{"S":"EMAIL#%s@example.org"}}`, lock))
		}
		if n%4 == 0 {
			few = append(few, users[k][len(users[k])-1])
			if n >= broken {
				few = append(few, locks[k][len(locks[k])-1])
			}
		}
	}
	one := make([][][]byte, 4)
	for k := range one {
		one[k] = append(append(one[k], users[k]...), locks[k]...)
	}
	roots := map[string]string{}
	for name, parts := range map[string][][][]byte{"one": one, "few": {few}, "users": users, "locks": locks} {
		root, err := s3.Export{Table: name, TableID: "id-" + name}.Write(prefix, parts...)
		if err != nil {
			t.Fatal(err)
		}
		roots[name] = root
	}
	email := config.Constraint{Attribute: "email", PK: "EMAIL#{v}"}
	layout := func(table string, constraints ...config.Constraint) config.Layout {
		return config.Layout{Name: "ours", Tables: []string{table}, Accounts: []config.Account{{PK: "U#{id}", Constraints: constraints}}}
	}
	apart, phone := email, config.Constraint{Attribute: "phone", Unique: true}
	apart.Table = "locks"
	ids := layout("one", email)
	ids.Counters = []config.Counter{{Name: "orders", PK: "COUNTER", Attribute: "at", IDs: []config.IDs{{Attribute: "no"}}}}
	together := layout("one", email, phone)
	together.Counters = ids.Counters
	offline := func(l config.Layout, more ...string) []string {
		return append([]string{"--config", configOf(t, l), "--table", l.Tables[0], "--confirm", "none"}, more...)
	}
	address := "s3://" + s3.Name + "/" + s3.Prefix + "/" + filepath.Base(roots["one"])
	return []mode{
		{"an export", offline(layout("one", email), "--export", roots["one"], "--keys", "id"), 50_000, ""},
		{"an export that leaves a state", offline(layout("few", email), "--export", roots["few"], "--keys", "id", "--state-out", filepath.Join(t.TempDir(), "few.state")), 93_000, ""},
		{"an export in S3", offline(layout("one", email), "--export", address, "--endpoint-url", "http://127.0.0.1:1"), 50_000, server.URL},
		{"a lock table of its own", offline(layout("users", apart), "--export", roots["users"], "--export", roots["locks"], "--keys", "users=id,locks=id"), 50_000, ""},
		{"values of a unique rule", offline(layout("one", phone), "--export", roots["one"], "--keys", "id"), 50_000, ""},
		{"broken locks, values and ids together", offline(together, "--export", roots["one"], "--keys", "id"), 50_000, ""},
		{"ids of a counter", offline(ids, "--export", roots["one"], "--keys", "id", "--only", "duplicate-id,counter-behind,counter-missing"), 50_000, ""},
	}
}
