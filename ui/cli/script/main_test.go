package script

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/pelletier/go-toml/v2"
	"github.com/rogpeppe/go-internal/testscript"

	"tallylock/internal/s3"
	"tallylock/internal/testrun"
	"tallylock/ui"
	"tallylock/ui/cli"
	"tallylock/ui/cli/app"
	"tallylock/ui/serve"
	"tallylock/ui/session"
)

func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) != "tallylock" { // as tallylock, this binary has the program's flags
		testrun.SideBySide("7")
	}
	testscript.Main(m, map[string]func(){"tallylock": tallylock})
}

// tallylock runs the program.
func tallylock() {
	text, err := example()
	if err != nil {
		panic(err)
	}
	app := &app.App{
		Example: text, Version: app.Version{Version: "(devel)"},
		Inspect: func(ctx context.Context, o session.Options) error { return ui.Run(ctx, o) },
		InspectFor: func(ctx context.Context, o session.Options, more ...tea.ProgramOption) (serve.Program, error) {
			return ui.NewProgram(ctx, o, more...)
		},
	}
	os.Exit(cli.Main(app))
}

// example is the text of config.example.toml.
func example() (string, error) {
	_, here, _, _ := runtime.Caller(0)
	text, err := os.ReadFile(filepath.Join(filepath.Dir(here), "..", "..", "..", "config.example.toml"))
	return string(text), err
}

// TestScripts runs the program as people and scripts do.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, Params(filepath.Join("..", "testdata", "script")))
}

// TestServe sends requests to the served demo, and ends it with a signal.
func TestServe(t *testing.T) {
	t.Parallel()
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		t.Run(signal.String(), func(t *testing.T) {
			cmd := exec.Command("tallylock", "demo", "--serve", "127.0.0.1:0")
			cmd.Env = []string{"GORACE=atexit_sleep_ms=0", "AWS_PROFILE=nosuch"} // the demo ignores the profile
			var complaints bytes.Buffer
			cmd.Stderr = &complaints
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			lines := bufio.NewReader(out)
			line, err := lines.ReadString('\n')
			url, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "endpoint ")
			if err != nil || !ok {
				t.Fatalf("it said %q: %v", line, err)
			}
			if _, names, err := Ask(url, "ListTables", "{}"); err != nil || !strings.Contains(names, `"accounts"`) {
				t.Errorf("its tables are %s: %v", names, err)
			}
			line, err = lines.ReadString('\n')
			config, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "config ")
			if err != nil || !ok {
				t.Fatalf("it said %q: %v", line, err)
			}
			find := exec.Command("tallylock", "find", "alan", "--config", config, "--endpoint-url", url, "--table", "accounts", "--output", "json")
			find.Env = []string{"AWS_REGION=eu-west-1", "HOME=" + t.TempDir()}
			if out, err := find.Output(); err != nil || !strings.Contains(string(out), `"layout_state": "described"`) {
				t.Errorf("by the config: %s, %v", out, err)
			}
			if err := cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			rest, err := io.ReadAll(lines)
			if err != nil || len(rest) > 0 {
				t.Errorf("it said besides %q: %v", rest, err)
			}
			if err := cmd.Wait(); err != nil || complaints.Len() > 0 {
				t.Errorf("it ended with %v, saying %q", err, complaints.String())
			}
			if _, err := os.Stat(config); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the config is left: %v", err)
			}
		})
	}
}

// counted replaces the counts of items and bytes in the endpoint's answers by n.
func counted(n string) func(http.Handler) http.Handler {
	counts := regexp.MustCompile(`"(ItemCount|TableSizeBytes)":\d+`)
	return func(engine http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".DescribeTable") {
				engine.ServeHTTP(w, r)
				return
			}
			answer := httptest.NewRecorder()
			engine.ServeHTTP(answer, r)
			body := counts.ReplaceAll(answer.Body.Bytes(), []byte(`"$1":`+n))
			maps.Copy(w.Header(), answer.Header())
			w.Header().Set("X-Amz-Crc32", fmt.Sprint(crc32.ChecksumIEEE(body)))
			w.Header().Set("Content-Length", fmt.Sprint(len(body)))
			w.WriteHeader(answer.Code)
			_, _ = w.Write(body)
		})
	}
}

// A check that costs more than --auto-read-units prints its cost, and asks. Any answer other than yes means no.
func TestCheckAsks(t *testing.T) {
	t.Parallel()
	for _, answer := range []string{"\r", "n\r", "yeah\r"} {
		s := Sit(t, "check", "--table", "accounts", "--auto-read-units", "1")
		s.Sees("Checking accounts: about 104 items; about")
		s.Sees("Each broken value costs about 5 read units more")
		s.Sees("Check the table? [y/N]")
		s.Types(answer)
		if out := s.Ends(3); out != "" || !strings.Contains(s.Seen, "the answer was no; nothing was read") {
			t.Errorf("after %q: %s, %q", answer, out, s.Seen)
		}
	}
	s := Sit(t, "check", "--table", "accounts", "--auto-read-units", "1")
	s.Sees("[y/N]")
	s.Types("\x03")
	if out := s.Ends(3); out != "" {
		t.Errorf("after ctrl+c: %s, %q", out, s.Seen)
	}
}

// During a check, a line on the terminal shows the progress. The line is not part of the results.
func TestCheckShowsProgress(t *testing.T) {
	t.Parallel()
	s := Sit(t, "check", "--table", "accounts", "--auto-read-units", "1", "--settle", "1s", "--output", "jsonl")
	s.Sees("[y/N]")
	s.Types("y\r")
	s.Sees("Waiting ")
	s.Sees("6 values followed up")
	s.Sees("ctrl+c stops")
	out := s.Ends(1)
	if n := strings.Count(out, `"confirmed":true`); n != 7 { // in six findings and in the summary
		t.Errorf("%d are confirmed: %s", n, out)
	}
	if strings.Contains(out, "Waiting") {
		t.Errorf("standard output has what is no result: %q", out)
	}
}

// A cheap check does not ask.
func TestCheckDoesNotAskAboutLittle(t *testing.T) {
	t.Parallel()
	s := Sit(t, "check", "--table", "accounts", "--settle", "10ms")
	s.Ends(1)
	if strings.Contains(s.Seen, "[y/N]") || !strings.Contains(s.Seen, "read units: ") {
		t.Errorf("%q", s.Seen)
	}
}

// If the endpoint reports no size of the table, the cost is unknown, so the check asks.
func TestCheckOfAnUncountedTable(t *testing.T) {
	t.Parallel()
	for answer, status := range map[string]int{"n\r": 3, "y\r": 1} {
		s := SitBehind(t, counted("0"), "check", "--table", "accounts", "--settle", "10ms")
		s.Sees("Checking accounts: the price is unknown, because the endpoint does not report the size of the table")
		s.Sees("Check the table? [y/N]")
		s.Types(answer)
		s.Ends(status)
	}
}

// The item count may be hours old. If a check reads more than --auto-read-units, it pauses and asks.
func TestCheckThatTakesMoreThanExpected(t *testing.T) {
	t.Parallel()
	for answer, status := range map[string]int{"\r": 3, "\x03": 3, "y\r": 1} {
		s := SitBehind(t, counted("1"), "check", "--table", "accounts", "--settle", "10ms", "--auto-read-units", "40")
		s.Sees("The check costs more than expected: ")
		s.Sees("Continue the check? [y/N]")
		s.Types(answer)
		out := s.Ends(status)
		if status == 3 && !strings.Contains(out, "incomplete") || answer == "\r" && !strings.Contains(s.Seen, "the answer was no; the findings so far are kept") {
			t.Errorf("after %q: %s, %q", answer, out, s.Seen)
		}
	}
}

// moving writes a lock again when the check reads the accounts a second time, as if another person took the value.
func moving(lock string) func(http.Handler) http.Handler {
	return func(engine http.Handler) http.Handler {
		var once sync.Once
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			r.Body = io.NopCloser(bytes.NewReader(body))
			if strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".Scan") && bytes.Contains(body, []byte(`"ConsistentRead":true`)) {
				once.Do(func() {
					put := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(`{"TableName":"accounts","Item":{"PK":{"S":"`+lock+`"},"SK":{"S":"LOCK"},"at":{"N":"1"}}}`))
					put.Header = r.Header.Clone()
					put.Header.Set("X-Amz-Target", "DynamoDB_20120810.PutItem")
					engine.ServeHTTP(httptest.NewRecorder(), put)
				})
			}
			engine.ServeHTTP(w, r)
		})
	}
}

// A check does not judge a value that changes during the check. It then does not say that nothing is wrong.
func TestCheckOfWhatMoves(t *testing.T) {
	t.Parallel()
	args := []string{"check", "--table", "accounts", "--settle", "10ms", "--only", "malformed-lock"}
	s := SitBehind(t, moving("UNIQ#EMAIL#undefined"), args...)
	out := s.Ends(0)
	for _, says := range []string{", complete, except for 1 value", "? Found nothing, but could not judge everything.", "1 value changed during the check, and was not judged. Check again: a broken value stays broken, and the next check finds it."} {
		if !strings.Contains(out, says) {
			t.Errorf("it does not say %q: %s", says, out)
		}
	}
	if strings.Contains(out, "Nothing is wrong") {
		t.Errorf("it claims too much: %s", out)
	}
	s = SitBehind(t, moving("UNIQ#EMAIL#undefined"), append(args, "--output", "jsonl")...)
	if out := s.Ends(0); !strings.Contains(out, `"unsettled":1`) {
		t.Error(out)
	}
}

// After ctrl+c, a check prints its findings so far, and the number of items that it read.
func TestCheckStopped(t *testing.T) {
	t.Parallel()
	for _, output := range []string{"text", "jsonl"} {
		s := Sit(t, "check", "--table", "accounts", "--settle", "1h", "--output", output)
		s.Sees("Waiting ")
		s.Types("\x03")
		out := s.Ends(3)
		if !strings.Contains(s.Seen, "stopped before it was finished") {
			t.Errorf("%q", s.Seen)
		}
		want := []string{"104 items, 34 accounts, 70 locks", "incomplete", "orphaned-lock", "not confirmed", "read units"}
		if output == "jsonl" {
			want = []string{`"finding":"orphaned-lock"`, `"value":"alan"`, `"confirmed":false`, `"complete":false`, `"items":104`, `"read_units":`}
		}
		for _, text := range want {
			if !strings.Contains(out, text) {
				t.Errorf("%s does not say %q: %s", output, text, out)
			}
		}
	}
}

// Ctrl+c during the wait of a release removes the mark. The output says once that the lock was not deleted.
func TestReleaseStopped(t *testing.T) {
	t.Parallel()
	s := Sit(t, "release", "username", "alan", "--table", "accounts", "--write", "--yes", "--settle", "1h")
	s.Sees(" of 3600.0 s for sign-ups in progress · ctrl+c cancels")
	s.Types("\x03")
	if out := s.Ends(3); !strings.Contains(out, "the lock stays") ||
		strings.Count(out+s.Seen, "stopped while waiting; the lock was not deleted") != 1 {
		t.Errorf("%q, %q", out, s.Seen)
	}
}

// A line on the terminal shows how much of an export is read. Ctrl+c ends the check.
func TestCheckOfAnExportShowsProgress(t *testing.T) {
	b := &s3.Bucket{Dir: t.TempDir()}
	server := httptest.NewServer(b)
	t.Cleanup(server.Close)
	items := make([]json.RawMessage, 40)
	for n := range items {
		items[n] = fmt.Appendf(nil, `{"PK":{"S":"ACCT#%d"},"SK":{"S":"PROFILE"},"username":{"S":"u%d"}}`, n, n)
	}
	address, err := Exported(b.Dir, "accounts", "", items)
	if err != nil {
		t.Fatal(err)
	}
	held := Holding(b, "part1", nil)
	b.Inject(func(w http.ResponseWriter, r *http.Request, key string, n int) bool {
		return n > 1 && held(w, r, key, n) // the first request is for the sample
	})
	t.Setenv("AWS_ENDPOINT_URL_S3", server.URL)
	s := Sit(t, "check", "--table", "accounts", "--layout", "uniq", "--export", address, "--confirm", "none", "--keys", "PK,SK")
	s.Sees("Checking accounts from an export: no read units.")
	s.Sees("Reading · ctrl+c stops · 20 of about 40 · 0 read units")
	s.Types("\x03")
	if out := s.Ends(3); !strings.Contains(out, "20 items") || !strings.Contains(out, "incomplete") {
		t.Errorf("%q, %q", out, s.Seen)
	}
}

// TestExampleConfigFitsItsSchema tests the example config with all settings in force.
func TestExampleConfigFitsItsSchema(t *testing.T) {
	text, err := example()
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, "#"); ok && !strings.HasPrefix(rest, " ") && !strings.HasPrefix(rest, ":") {
			line = rest
		}
		all.WriteString(line)
	}
	var settings map[string]any
	if err := toml.Unmarshal([]byte(all.String()), &settings); err != nil {
		t.Fatal(err)
	}
	if len(settings) < 10 {
		t.Fatalf("only %d settings were found", len(settings))
	}
	if err := Fits(settings, "config"); err != nil {
		t.Error(err)
	}
	settings["no-such-setting"] = true
	if Fits(settings, "config") == nil {
		t.Error("the schema takes a setting that there is none of")
	}
}
