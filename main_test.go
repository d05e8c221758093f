package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unicode"

	"github.com/charmbracelet/x/ansi"
	"github.com/creack/pty"
	"github.com/rogpeppe/go-internal/testscript"

	"tallylock/dynamo/demo"
	"tallylock/ui/cli"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"tallylock": main})
}

// TestScripts runs the program as people and scripts do, each script against a
// server of its own with the demo's tables.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:   filepath.Join("ui", "cli", "testdata", "script"),
		Setup: setUp,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"bucket": bucket, "denied": denied, "export": exportTable, "exits": exits, "interrupted": interrupted, "signalled": signalled, "unread": unread, "dynamodb": request, "json": checkJSON, "jsonl": checkLines, "keep": keep, "printable": printable,
		},
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
	})
}

func setUp(env *testscript.Env) error {
	if err := os.Chmod(env.WorkDir, 0o700); err != nil { // a journal is kept where nobody else can write, whatever the umask is
		return err
	}
	d, err := demo.New(context.Background())
	if err != nil {
		return err
	}
	between := &network{engine: d.Engine, arrived: make(chan struct{}, 1), bucket: env.WorkDir}
	server := httptest.NewServer(between)
	env.Defer(server.Close)
	env.Values[network{}] = between
	env.Setenv("ENDPOINT", server.URL)
	env.Setenv("PORT", strconv.Itoa(server.Listener.Addr().(*net.TCPAddr).Port))
	env.Setenv("AWS_ENDPOINT_URL_DYNAMODB", server.URL)
	env.Setenv("LONG", strings.Repeat("a", 3000)) // more than a key can have
	for name, value := range isolated(env.WorkDir) {
		env.Setenv(name, value)
	}
	bucketOf(env)
	return nil
}

// network lies between the program and the engine. It can lose an answer: the
// request is carried out, and nothing comes back until the client gives up.
type network struct {
	engine  http.Handler
	mu      sync.Mutex
	denied  string // an operation
	lose    string // another
	after   string // the operation that has to have been there before
	arrived chan struct{}
	bucket  string // a directory, of which the files are the objects of every bucket
}

func (n *network) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet {
		n.object(w, r)
		return
	}
	_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	if operation == n.refuses() {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"__type":"com.amazonaws.dynamodb.v20120810#AccessDeniedException","Message":"not authorized"}`)
		return
	}
	if !n.loses(operation) {
		n.engine.ServeHTTP(w, r)
		return
	}
	n.engine.ServeHTTP(httptest.NewRecorder(), r)
	n.arrived <- struct{}{}
	<-r.Context().Done()
}

// object answers in the place of S3. Who may not list the bucket "closed" is not told what
// is not there.
func (n *network) object(w http.ResponseWriter, r *http.Request) {
	bucket, key, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	data, err := os.ReadFile(filepath.Join(n.bucket, filepath.FromSlash(key)))
	switch {
	case err == nil:
		_, _ = w.Write(data)
	case bucket == "closed":
		w.WriteHeader(http.StatusForbidden)
		_, _ = io.WriteString(w, "<Error><Code>AccessDenied</Code></Error>")
	default:
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, "<Error><Code>NoSuchKey</Code></Error>")
	}
}

func (n *network) refuses() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.denied
}

func (n *network) loses(operation string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if operation == n.after {
		n.after = ""
	}
	if n.after != "" || operation != n.lose {
		return false
	}
	n.lose = "" // once
	return true
}

// isolated is an environment in which nothing of the person's own set-up is seen.
func isolated(dir string) map[string]string {
	return map[string]string{
		"HOME":                        dir,
		"GOGC":                        "400", // it ends before there is much to collect
		"XDG_CONFIG_HOME":             filepath.Join(dir, "config"),
		"XDG_STATE_HOME":              filepath.Join(dir, "state"),
		"AWS_CONFIG_FILE":             filepath.Join(dir, "aws-config"),
		"AWS_SHARED_CREDENTIALS_FILE": filepath.Join(dir, "aws-credentials"),
		"AWS_EC2_METADATA_DISABLED":   "true",
	}
}

// denied OPERATION: from here on the program may not do that.
func denied(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: denied OPERATION")
	}
	net := ts.Value(network{}).(*network)
	net.mu.Lock()
	defer net.mu.Unlock()
	net.denied = args[0]
}

// exits STATUS ARGS… runs tallylock, which has to end with that status.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: exits STATUS ARGS…")
	}
	got := 0
	if err := ts.Exec("tallylock", args[1:]...); err != nil {
		exit, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			ts.Fatalf("running tallylock: %v", err)
		}
		got = exit.ExitCode()
	}
	if want, err := strconv.Atoi(args[0]); err != nil || got != want {
		ts.Fatalf("exit status %d, want %s", got, args[0])
	}
	asDescribed(ts, args[1:], got, ts.ReadFile("stdout"))
}

// interrupted STATUS LOSE AFTER ARGS… runs tallylock and presses ctrl+c while it
// waits for the answer to LOSE, the first after an AFTER. With the status -1 it is
// killed instead.
func interrupted(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 4 {
		ts.Fatalf("usage: interrupted STATUS LOSE AFTER ARGS…")
	}
	if args[0] == "-1" {
		endedBy(ts, os.Kill, args)
		return
	}
	endedBy(ts, os.Interrupt, args)
}

// signalled SIGNAL STATUS LOSE AFTER ARGS… is interrupted by another signal.
func signalled(ts *testscript.TestScript, neg bool, args []string) {
	signals := map[string]os.Signal{"hup": syscall.SIGHUP, "quit": syscall.SIGQUIT, "term": syscall.SIGTERM}
	if neg || len(args) < 5 || signals[args[0]] == nil {
		ts.Fatalf("usage: signalled hup|quit|term STATUS LOSE AFTER ARGS…")
	}
	endedBy(ts, signals[args[0]], args[1:])
}

// unread STATUS ARGS… runs tallylock with a standard output that nobody reads any more.
func unread(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: unread STATUS ARGS…")
	}
	reader, writer, err := os.Pipe()
	ts.Check(err)
	ts.Check(reader.Close())
	defer writer.Close()
	cmd := program(ts, args[1:])
	cmd.Stdout = writer
	_ = cmd.Run() // its status tells
	if got := strconv.Itoa(cmd.ProcessState.ExitCode()); got != args[0] {
		ts.Fatalf("exit status %s, want %s", got, args[0])
	}
}

// program is tallylock with the environment of a script.
func program(ts *testscript.TestScript, args []string) *exec.Cmd {
	cmd := exec.Command("tallylock", args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = ts.MkAbs("."), ts.Stdout(), ts.Stderr()
	for name, value := range isolated(ts.Getenv("WORK")) {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	cmd.Env = append(cmd.Env, "AWS_ENDPOINT_URL_DYNAMODB="+ts.Getenv("ENDPOINT"), "AWS_ENDPOINT_URL_S3="+ts.Getenv("AWS_ENDPOINT_URL_S3"))
	return cmd
}

// endedBy STATUS LOSE AFTER ARGS… is what interrupted does, with any signal.
func endedBy(ts *testscript.TestScript, signal os.Signal, args []string) {
	net := ts.Value(network{}).(*network)
	net.mu.Lock()
	net.lose, net.after = args[1], args[2]
	net.mu.Unlock()
	cmd := program(ts, args[3:])
	ts.Check(cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case <-net.arrived:
		ts.Check(cmd.Process.Signal(signal))
		<-ended
	case err := <-ended:
		ts.Fatalf("it ended before it could be interrupted: %v", err)
	}
	if got := strconv.Itoa(cmd.ProcessState.ExitCode()); got != args[0] {
		ts.Fatalf("exit status %s, want %s", got, args[0])
	}
}

// dynamodb OPERATION JSON is what an application does meanwhile. An argument
// that names a file stands for its content.
func request(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: [!] dynamodb OPERATION JSON")
	}
	body := args[1]
	if !strings.HasPrefix(body, "{") {
		body = ts.ReadFile(body)
	}
	answer, text, err := ask(ts.Getenv("ENDPOINT"), args[0], body)
	ts.Check(err)
	if (answer != http.StatusOK) != neg {
		ts.Fatalf("%s: status %d: %s", args[0], answer, text)
	}
	_, err = io.WriteString(ts.Stdout(), text)
	ts.Check(err)
}

// json PATH WANT: standard output is one JSON text, and has WANT at PATH, as in
// 0.locks.1.verdict. WANT is a text, or JSON. Without PATH only the first is
// checked.
func checkJSON(ts *testscript.TestScript, neg bool, args []string) {
	check(ts, neg, args, ts.ReadFile("stdout"))
}

// jsonl is json for objects that stand a line each.
func checkLines(ts *testscript.TestScript, neg bool, args []string) {
	lines := strings.Split(strings.TrimSuffix(ts.ReadFile("stdout"), "\n"), "\n")
	check(ts, neg, args, "["+strings.Join(lines, ",")+"]")
}

// keep NAME PATH: the environment variable NAME is what standard output has at
// PATH.
func keep(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: keep NAME PATH")
	}
	ts.Setenv(args[0], lookUp(ts, args[1], ts.ReadFile("stdout")))
}

func check(ts *testscript.TestScript, neg bool, args []string, text string) {
	switch len(args) {
	case 0:
		lookUp(ts, "", text)
	case 2:
		if got := lookUp(ts, args[0], text); (got == args[1]) == neg {
			ts.Fatalf("%s is %s", args[0], got)
		}
	default:
		ts.Fatalf("usage: [!] json [PATH WANT]")
	}
}

// lookUp is what one JSON text has at a path: a text, or JSON.
func lookUp(ts *testscript.TestScript, path, text string) string {
	var at any
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	ts.Check(dec.Decode(&at))
	if _, err := dec.Token(); err != io.EOF {
		ts.Fatalf("something follows the JSON text: %v", err)
	}
	for step := range strings.FieldsFuncSeq(path, func(r rune) bool { return r == '.' }) {
		switch v := at.(type) {
		case map[string]any:
			found, ok := v[step]
			if !ok {
				ts.Fatalf("there is no %s in %v", step, v)
			}
			at = found
		case []any:
			n, err := strconv.Atoi(step)
			if err != nil || n >= len(v) {
				ts.Fatalf("there is no %s in %v", step, v)
			}
			at = v[n]
		default:
			ts.Fatalf("there is no %s in %v", step, v)
		}
	}
	got, isText := at.(string)
	if !isText {
		data, err := json.Marshal(at)
		ts.Check(err)
		got = string(data)
	}
	return got
}

// printable: neither stream holds anything that could steer a terminal.
func printable(ts *testscript.TestScript, _ bool, _ []string) {
	for _, stream := range []string{"stdout", "stderr"} {
		for n, line := range bytes.Split([]byte(ts.ReadFile(stream)), []byte("\n")) {
			if i := bytes.IndexFunc(line, func(r rune) bool { return r == unicode.ReplacementChar || !unicode.IsPrint(r) }); i >= 0 {
				ts.Fatalf("%s", fmt.Sprintf("%s, line %d: %q", stream, n+1, line[i:]))
			}
		}
	}
}

// TestServe asks the served demo something and ends it.
func TestServe(t *testing.T) {
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		t.Run(signal.String(), func(t *testing.T) {
			cmd := exec.Command("tallylock", "demo", "--serve", "127.0.0.1:0")
			cmd.Env = []string{"AWS_PROFILE=nosuch"} // none of the demo's business
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
			if _, names, err := ask(url, "ListTables", "{}"); err != nil || !strings.Contains(names, `"accounts"`) {
				t.Errorf("its tables are %s: %v", names, err)
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
		})
	}
}

// ask sends one request to a DynamoDB.
func ask(url, operation, body string) (status int, text string, err error) {
	r, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	r.Header.Set("Content-Type", "application/x-amz-json-1.0")
	r.Header.Set("X-Amz-Target", "DynamoDB_20120810."+operation)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, "", err
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(answer.Body)
	return answer.StatusCode, string(data), err
}

// sitting is the program with a person in front of it: it reads from a terminal
// and writes what is no result to it.
type sitting struct {
	t    *testing.T
	cmd  *exec.Cmd
	tty  *os.File
	said chan string // by the program, as it comes
	seen string
	out  bytes.Buffer // standard output, which is a pipe
}

// sit starts the program against a server with the demo's tables.
func sit(t *testing.T, args ...string) *sitting {
	t.Helper()
	return sitBehind(t, func(engine http.Handler) http.Handler { return engine }, args...)
}

// counted are tables of which the endpoint says that they have so many items and
// bytes.
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

// sitBehind is sit, with something between the program and the tables.
func sitBehind(t *testing.T, between func(http.Handler) http.Handler, args ...string) *sitting {
	t.Helper()
	d, err := demo.New(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(between(d.Engine))
	t.Cleanup(server.Close)
	s := &sitting{t: t, cmd: exec.Command("tallylock", args...), said: make(chan string)}
	for name, value := range isolated(t.TempDir()) {
		s.cmd.Env = append(s.cmd.Env, name+"="+value)
	}
	s.cmd.Env = append(s.cmd.Env, "AWS_ENDPOINT_URL_DYNAMODB="+server.URL, "AWS_ENDPOINT_URL_S3="+os.Getenv("AWS_ENDPOINT_URL_S3"), "TERM=xterm-256color")
	s.cmd.Stdout = &s.out
	if s.tty, err = pty.StartWithSize(s.cmd, &pty.Winsize{Rows: 24, Cols: 1000}); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(s.said)
		for buf := make([]byte, 4096); ; {
			n, err := s.tty.Read(buf)
			if n > 0 {
				s.said <- string(buf[:n])
			}
			if err != nil { // nobody holds the other end any more
				return
			}
		}
	}()
	return s
}

// sees waits until the program has said something.
func (s *sitting) sees(text string) {
	s.t.Helper()
	late := time.After(time.Minute)
	for !strings.Contains(s.seen, text) {
		select {
		case more, ok := <-s.said:
			if !ok {
				s.t.Fatalf("it has ended, and did not say %q but %q", text, s.seen)
			}
			s.seen = ansi.Strip(s.seen + more)
		case <-late:
			s.t.Fatalf("it does not say %q but %q", text, s.seen)
		}
	}
}

// types is what the person types; "\x03" is ctrl+c.
func (s *sitting) types(text string) {
	s.t.Helper()
	if _, err := s.tty.WriteString(text); err != nil {
		s.t.Fatal(err)
	}
}

// ends waits for the program's end, and reads the rest of what it says.
func (s *sitting) ends(status int) (out string) {
	s.t.Helper()
	for more := range s.said {
		s.seen = ansi.Strip(s.seen + more)
	}
	_ = s.cmd.Wait() // a status is no error here
	_ = s.tty.Close()
	if got := s.cmd.ProcessState.ExitCode(); got != status {
		s.t.Errorf("exit status %d, want %d: %q", got, status, s.seen)
	}
	return s.out.String()
}

// A check that costs more than may be read unasked says what it costs, and asks.
// No is the answer unless it is yes.
func TestCheckAsks(t *testing.T) {
	for _, answer := range []string{"\r", "n\r", "yeah\r"} {
		s := sit(t, "check", "--table", "accounts", "--auto-read-units", "1")
		s.sees("Checking accounts: about 104 items; about")
		s.sees("Each value that does not fit takes about 5 more")
		s.sees("Check the table? [y/N]")
		s.types(answer)
		if out := s.ends(3); out != "" || !strings.Contains(s.seen, "the answer was no; nothing was read") {
			t.Errorf("after %q: %s, %q", answer, out, s.seen)
		}
	}
	s := sit(t, "check", "--table", "accounts", "--auto-read-units", "1")
	s.sees("[y/N]")
	s.types("\x03")
	if out := s.ends(3); out != "" {
		t.Errorf("after ctrl+c: %s, %q", out, s.seen)
	}
}

// While a check runs, a line on the terminal says where it stands; in the end it
// is gone.
func TestCheckShowsProgress(t *testing.T) {
	s := sit(t, "check", "--table", "accounts", "--auto-read-units", "1", "--settle", "1s", "--output", "jsonl")
	s.sees("[y/N]")
	s.types("y\r")
	s.sees("Waiting ")
	s.sees("6 values followed up")
	s.sees("ctrl+c stops")
	out := s.ends(1)
	if n := strings.Count(out, `"confirmed":true`); n != 7 { // the findings, and the summary
		t.Errorf("%d are confirmed: %s", n, out)
	}
	if strings.Contains(out, "Waiting") {
		t.Errorf("standard output has what is no result: %q", out)
	}
}

// A cheap check does not ask.
func TestCheckDoesNotAskAboutLittle(t *testing.T) {
	s := sit(t, "check", "--table", "accounts", "--settle", "10ms")
	s.ends(1)
	if strings.Contains(s.seen, "[y/N]") || !strings.Contains(s.seen, "read units: ") {
		t.Errorf("%q", s.seen)
	}
}

// What a table that nobody has counted costs is not known: that is asked, too.
func TestCheckOfAnUncountedTable(t *testing.T) {
	for answer, status := range map[string]int{"n\r": 3, "y\r": 1} {
		s := sitBehind(t, counted("0"), "check", "--table", "accounts", "--settle", "10ms")
		s.sees("Checking accounts: what it costs is not known, since the endpoint does not say how large the table is")
		s.sees("Check the table? [y/N]")
		s.types(answer)
		s.ends(status)
	}
}

// A count is hours old: where a check takes more than may be read unasked, it is held,
// and somebody is asked.
func TestCheckThatTakesMoreThanExpected(t *testing.T) {
	for answer, status := range map[string]int{"\r": 3, "\x03": 3, "y\r": 1} {
		s := sitBehind(t, counted("1"), "check", "--table", "accounts", "--settle", "10ms", "--auto-read-units", "40")
		s.sees("It takes more than was expected: ")
		s.sees("Read on? [y/N]")
		s.types(answer)
		out := s.ends(status)
		if status == 3 && !strings.Contains(out, "incomplete") || answer == "\r" && !strings.Contains(s.seen, "the answer was no; what was found stays") {
			t.Errorf("after %q: %s, %q", answer, out, s.seen)
		}
	}
}

// moving puts a lock of the demo anew when accounts are looked at again: somebody takes
// the value meanwhile.
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

// What moves while it is looked at is not judged, and so the table is not said to be
// sound.
func TestCheckOfWhatMoves(t *testing.T) {
	args := []string{"check", "--table", "accounts", "--settle", "10ms", "--only", "malformed-lock"}
	s := sitBehind(t, moving("UNIQ#EMAIL#undefined"), args...)
	out := s.ends(0)
	for _, says := range []string{", complete but for 1 value", "? Nothing was found, but not everything could be judged.", "1 value changed while it was looked at, and was not judged. Check again:"} {
		if !strings.Contains(out, says) {
			t.Errorf("it does not say %q: %s", says, out)
		}
	}
	if strings.Contains(out, "Nothing is wrong") {
		t.Errorf("it claims too much: %s", out)
	}
	s = sitBehind(t, moving("UNIQ#EMAIL#undefined"), append(args, "--output", "jsonl")...)
	if out := s.ends(0); !strings.Contains(out, `"unsettled":1`) {
		t.Error(out)
	}
}

// Ctrl+c keeps what was found, and says how much was read.
func TestCheckStopped(t *testing.T) {
	for _, output := range []string{"text", "jsonl"} {
		s := sit(t, "check", "--table", "accounts", "--settle", "1h", "--output", output)
		s.sees("Waiting ")
		s.types("\x03")
		out := s.ends(3)
		if !strings.Contains(s.seen, "stopped before it was done") {
			t.Errorf("%q", s.seen)
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

// TestVersion: a release says what it was released as; every other build, what the Go tool
// has noted.
func TestVersion(t *testing.T) {
	setting := func(key, value string) debug.BuildSetting { return debug.BuildSetting{Key: key, Value: value} }
	built := &debug.BuildInfo{Settings: []debug.BuildSetting{
		setting("vcs", "git"), setting("vcs.revision", "0123456789abcdef0123"), setting("vcs.time", "2026-11-23T10:00:00Z"), setting("vcs.modified", "true"),
	}}
	built.Main.Version = "v1.2.1-0.20261123100000-0123456789ab+dirty"
	installed := &debug.BuildInfo{}
	installed.Main.Version = "v1.2.0"
	for _, c := range []struct {
		info  *debug.BuildInfo
		given cli.Version
		want  string
	}{
		{built, cli.Version{}, "v1.2.1-0.20261123100000-0123456789ab+dirty, commit 0123456789ab of 2026-11-23T10:00:00Z, with changes that are not committed"},
		{installed, cli.Version{}, "v1.2.0"},
		{&debug.BuildInfo{}, cli.Version{}, "(devel)"},
		{built, cli.Version{Version: "v1.2.0", Commit: "fedcba9876543210fedc", Date: "2026-11-20T08:00:00Z"}, "v1.2.0, commit fedcba987654 of 2026-11-20T08:00:00Z, with changes that are not committed"},
	} {
		if got := versionOf(c.info, c.given).String(); got != c.want {
			t.Errorf("it says %q, want %q", got, c.want)
		}
	}
}
