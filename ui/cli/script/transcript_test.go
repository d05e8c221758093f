package script

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"tallylock/dynamo/demo"
)

var update = flag.Bool("update", false, "write the transcripts of testdata/transcript")

// jobs are the jobs whose requests TestTranscripts records. A line is a command of the program, without its
// name, or one of these:
//
//	app OPERATION JSON       the application sends a request
//	lose OPERATION           the next answer to this operation is lost, once
//	interrupt OPERATION      ctrl+c comes when the program sends this operation, after its first write
//	put OPERATION JSON       the application puts an item when the program sends this operation, after its first write
//
// LAST stands for the receipt of the newest change.
var jobs = map[string][]string{
	"find-free":           {"find nobody --table accounts"},
	"find-held":           {"find ada --table accounts"},
	"find-orphaned":       {"find alan --table accounts"},
	"find-missing":        {"find hopper --table accounts"},
	"find-by-id":          {"find a1f9c3 --table accounts"},
	"find-email":          {"find grace@navy.mil --table accounts"},
	"find-owner":          {"find mel --table members"},
	"find-ceiling":        {"find alan --table accounts --auto-read-units 0"},
	"counters":            {"counters"},
	"counters-of-table":   {"counters --table posts"},
	"layout":              {"layout --table accounts"},
	"doctor":              {"doctor --table accounts --write"},
	"check":               {"check --table accounts"},
	"check-reads":         {"check --table accounts --confirm reads"},
	"check-once":          {"check --table accounts --confirm none"},
	"check-owners":        {"check --table members"},
	"bump":                {"bump order_id --write --yes"},
	"bump-reserve":        {"bump order_id --reserve 10 --write --yes"},
	"bump-lost":           {"lose TransactWriteItems", "bump order_id --write --yes"},
	"bump-plan-apply":     {"bump order_id --plan plan.json", "apply plan.json --write --yes", "apply plan.json --write --yes"},
	"bump-undo":           {"bump order_id --write --yes", "undo LAST --write --yes --confirm order_id"},
	"release-dry-run":     {"release username alan --table accounts --dry-run"},
	"release-held":        {"release username ada --table accounts --write --yes"},
	"release-mark":        {"release username alan --table accounts --write --yes"},
	"release-owner":       {"release username mel --table members --write --yes"},
	"release-many":        {"release username alan turing --table accounts --write --yes"},
	"release-undo":        {"release username alan --table accounts --write --yes", "undo LAST --write --yes"},
	"release-mark-lost":   {"lose TransactWriteItems", "release username alan --table accounts --write --yes"},
	"release-taken":       {`put Scan {"TableName":"accounts","Item":{"PK":{"S":"UNIQ#HANDLE#alan"},"SK":{"S":"LOCK"}}}`, "release username alan --table accounts --write --yes"},
	"release-claimed":     {`put Scan {"TableName":"accounts","Item":{"PK":{"S":"ACCT#new"},"SK":{"S":"PROFILE"},"username":{"S":"alan"}}}`, "release username alan --table accounts --write --yes"},
	"release-interrupt":   {"interrupt Scan", "release username alan --table accounts --write --yes", "journal --resolve --write --yes"},
	"mend":                {"check --table accounts --output jsonl >found.jsonl", "mend found.jsonl --write --yes"},
	"mend-twice":          {"check --table members --output jsonl >found.jsonl", "mend found.jsonl --write --yes", "mend found.jsonl --write --yes"},
	"change":              {"change a1f9c3 username countess --table accounts --write --yes"},
	"delete-account":      {"delete-account a1f9c3 --table accounts --confirm a1f9c3 --write --yes"},
	"delete-account-lost": {"lose TransactWriteItems", "delete-account a1f9c3 --table accounts --confirm a1f9c3 --write --yes"},
}

// TestTranscripts compares the requests of each job with a file: operation, table, consistency, keys and conditions.
// The file also shows which writes were in the journal before they were sent. Reads between two writes are sorted by
// text, because they may be sent at the same time. Writes between two reads are sorted, too. A difference is an error,
// or the commit explains it.
func TestTranscripts(t *testing.T) {
	t.Parallel()
	for name, lines := range jobs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := record(t, lines)
			file := filepath.Join("..", "testdata", "transcript", name+".txt")
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("%s: the requests differ (go test ./ui/cli/script -run TestTranscripts -update writes them)\n%s",
					file, diff(string(want), got))
			}
		})
	}
}

// diff returns the lines that only one of two texts has.
func diff(want, got string) string {
	var b strings.Builder
	wanted, is := strings.Split(want, "\n"), strings.Split(got, "\n")
	for _, line := range wanted {
		if !slices.Contains(is, line) {
			b.WriteString("- " + line + "\n")
		}
	}
	for _, line := range is {
		if !slices.Contains(wanted, line) {
			b.WriteString("+ " + line + "\n")
		}
	}
	return b.String() + "(and perhaps another order)\n"
}

// event is the kind of a line: a read, or a write with its lines of the journal.
type event bool

const (
	read  event = false
	write event = true
)

// transcript is a recorder between the program and the demo's engine.
type transcript struct {
	engine http.Handler
	dir    string

	mu      sync.Mutex
	text    strings.Builder
	kind    event
	newest  []string // the newest lines, all of this kind
	names   map[string]string
	wrote   bool   // whether the program has written to a table
	lines   int    // the number of recorded lines of the journal
	what    string // "lose", "interrupt" or "put": see jobs; it happens at the next operation with the name at
	at      string
	body    string // the request that puts the application's item
	running *exec.Cmd
}

func record(t *testing.T, lines []string) string {
	d, err := demo.New(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	r := &transcript{engine: d.Engine, dir: t.TempDir(), names: map[string]string{}}
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	if err := errors.Join(os.Chmod(r.dir, 0o700), describe(r.dir)); err != nil {
		t.Fatal(err)
	}
	for _, line := range lines {
		r.step(t, server.URL, line)
	}
	return r.text.String()
}

// step carries out one line of a job.
func (r *transcript) step(t *testing.T, url, line string) {
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "lose", "interrupt", "put":
		r.mu.Lock()
		defer r.mu.Unlock()
		r.what = word
		r.at, r.body, _ = strings.Cut(rest, " ")
		return
	}
	line, file, saved := strings.Cut(line, " >")
	line = strings.ReplaceAll(line, "LAST", r.last(t))
	args := strings.Fields(line)
	if !slices.Contains(args, "--settle") && slices.Contains([]string{"check", "release", "mend"}, args[0]) {
		args = append(args, "--settle", "1ms")
	}
	cmd := exec.Command("tallylock", args...)
	cmd.Dir = r.dir
	for name, value := range Isolated(r.dir) {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	cmd.Env = append(cmd.Env, "AWS_ENDPOINT_URL_DYNAMODB="+url, "AWS_REGION=eu-west-1")
	var out, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaints
	r.mu.Lock()
	r.running = cmd
	fmt.Fprintf(&r.text, "$ %s\n", r.plain(strings.Join(args, " ")))
	err := cmd.Start()
	r.mu.Unlock()
	if err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // the status is in the transcript
	r.mu.Lock()
	defer r.mu.Unlock()
	r.journal()
	r.flush()
	fmt.Fprintf(&r.text, "exit %d\n", cmd.ProcessState.ExitCode())
	if cmd.ProcessState.ExitCode() == 2 {
		t.Errorf("tallylock %s: %s", line, complaints.String())
	}
	if saved {
		if err := os.WriteFile(filepath.Join(r.dir, file), out.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func (r *transcript) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	_, operation, _ := strings.Cut(q.Header.Get("X-Amz-Target"), ".")
	body, err := io.ReadAll(q.Body)
	if err != nil {
		return
	}
	q.Body = io.NopCloser(bytes.NewReader(body))
	r.mu.Lock()
	r.request(operation, body)
	// A transaction with only condition checks tests whether the endpoint knows request tokens.
	probe := operation == "TransactWriteItems" && !bytes.Contains(body, []byte(`"Update":`)) &&
		!bytes.Contains(body, []byte(`"Put":`)) && !bytes.Contains(body, []byte(`"Delete":`))
	what := ""
	if operation == r.at && !probe && (r.what == "lose" || r.wrote) {
		what, r.what, r.at = r.what, "", ""
	}
	r.wrote = r.wrote || operation == "TransactWriteItems" && !probe
	item, running := r.body, r.running
	r.mu.Unlock()
	switch what {
	case "put":
		put := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(item))
		put.Header = q.Header.Clone()
		put.Header.Set("X-Amz-Target", "DynamoDB_20120810.PutItem")
		r.engine.ServeHTTP(httptest.NewRecorder(), put)
	case "interrupt":
		_ = running.Process.Signal(os.Interrupt)
		<-q.Context().Done()
		return
	case "lose":
		r.engine.ServeHTTP(httptest.NewRecorder(), q)
		panic(http.ErrAbortHandler) // the connection ends without an answer
	}
	r.engine.ServeHTTP(w, q)
}

// request records a request, and the lines of the journal before it.
func (r *transcript) request(operation string, body []byte) {
	r.journal()
	line := "  " + operation + " " + canonical(body)
	if operation != "TransactWriteItems" {
		r.record(read, line)
		return
	}
	var q struct{ ClientRequestToken string }
	if json.Unmarshal(body, &q) == nil && slices.ContainsFunc(r.entries(), func(entry string) bool {
		return strings.Contains(entry, q.ClientRequestToken)
	}) {
		line = strings.Replace(line, operation, operation+", in the journal,", 1)
	}
	r.record(write, line)
}

// record adds a line. Consecutive reads are sorted, because they may be sent at the same time. Consecutive writes and
// their lines of the journal are sorted, too.
func (r *transcript) record(kind event, line string) {
	if kind != r.kind {
		r.flush()
	}
	r.kind = kind
	r.newest = append(r.newest, line)
}

func (r *transcript) flush() {
	slices.SortFunc(r.newest, func(a, b string) int {
		return strings.Compare(random.ReplaceAllString(a, "<>"), random.ReplaceAllString(b, "<>"))
	})
	for _, line := range r.newest {
		r.text.WriteString(r.plain(line) + "\n")
	}
	r.newest = nil
}

// canonical returns a body with its members in alphabetical order.
func canonical(body []byte) string {
	var v any
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return string(body)
	}
	order(v)
	text, err := json.Marshal(v)
	if err != nil {
		return string(body)
	}
	return strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(string(text))
}

// order sorts the keys of a batch, and the actions of a transaction.
func order(v any) {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			order(member)
			if list, ok := member.([]any); ok && (name == "Keys" || name == "TransactItems") {
				slices.SortFunc(list, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
			}
		}
	case []any:
		for _, member := range v {
			order(member)
		}
	}
}

// random matches receipts, tokens, marks, hashes and times, which are different in each run.
var random = regexp.MustCompile(`R-\d{8}-\d{6}-[0-9a-z]{8}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{32,}|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.\dZ+:-]*|[0-9A-Z]{26}`)

// plain replaces each random text by a number. Equal texts have equal numbers.
func (r *transcript) plain(line string) string {
	return random.ReplaceAllStringFunc(line, func(text string) string {
		if r.names[text] == "" {
			r.names[text] = fmt.Sprintf("<%d>", len(r.names)+1)
		}
		return r.names[text]
	})
}

// entries returns the lines of the journal.
func (r *transcript) entries() []string {
	data, err := os.ReadFile(filepath.Join(r.dir, "state", "tallylock", "journal.jsonl"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return []string{err.Error()}
	}
	return slices.Collect(strings.Lines(string(data)))
}

// journal records the event, the step and the outcome of each new line of the journal.
func (r *transcript) journal() {
	all := r.entries()
	for _, line := range all[min(r.lines, len(all)):] {
		var e struct{ Event, Step, Outcome string }
		if json.Unmarshal([]byte(line), &e) == nil {
			r.record(write, strings.TrimRight("  journal "+e.Event+" "+e.Step+" "+e.Outcome, " "))
		}
	}
	r.lines = len(all)
}

// last returns the receipt of the newest change.
func (r *transcript) last(t *testing.T) string {
	all := r.entries()
	if len(all) == 0 {
		return ""
	}
	var e struct{ Receipt string }
	if err := json.Unmarshal([]byte(all[len(all)-1]), &e); err != nil {
		t.Fatal(err)
	}
	return e.Receipt
}
