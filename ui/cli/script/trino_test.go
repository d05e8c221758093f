package script

import (
	"encoding/json"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"tallylock/internal/trino"
)

// trinoScript is a script's stand-in for Trino.
type trinoScript struct {
	trino.Server
	mu       sync.Mutex // guards the fields below: the server answers in goroutines of its own
	told     int        // the number of statements that `trino sent` has written
	findings []map[string]any
	cut      bool // whether the result lacks its last row
	tables   []string
	refused  string // the beginning of statements that fail
}

// trinoKey is the key of the stand-in for Trino among the values of a script.
type trinoKey struct{}

// trinoCommand sets up the stand-in for Trino, whose address is $TRINO. All results are about the table accounts.
//
//	trino finds FILE         the findings are those in FILE, as check --output jsonl writes them
//	trino cuts FILE          the same, and the result lacks its last row
//	trino lists NAME…        these tables exist; @ in a name is the fingerprint of the check that ran last
//	trino refuses TEXT       statements that begin with TEXT fail
//	trino sent FILE          the statements since the last `trino sent` go into FILE
func trinoCommand(ts *testscript.TestScript, neg bool, args []string) {
	t := ts.Value(trinoKey{}).(*trinoScript)
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case neg || len(args) == 0:
		ts.Fatalf("usage: trino finds|cuts|lists|refuses|sent ARGS…")
	case args[0] == "finds", args[0] == "cuts":
		t.cut, t.findings = args[0] == "cuts", nil
		for line := range strings.Lines(ts.ReadFile(args[1])) {
			row := map[string]any{}
			ts.Check(json.Unmarshal([]byte(line), &row))
			if row["summary"] == nil {
				t.findings = append(t.findings, row)
			}
		}
	case args[0] == "lists":
		task := regexp.MustCompile(`tallylock_items_([0-9a-f]{12})_`).FindStringSubmatch(strings.Join(t.Sent(), " "))
		t.tables = nil
		for _, name := range args[1:] {
			t.tables = append(t.tables, strings.Replace(name, "@", task[1], 1))
		}
	case args[0] == "refuses":
		t.refused = args[1]
	case args[0] == "sent":
		all := t.Sent()
		ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(strings.Join(all[t.told:], ";\n")+"\n"), 0o600))
		t.told = len(all)
	}
}

// trinoOf starts a script's stand-in for Trino.
func trinoOf(env *testscript.Env) {
	t := &trinoScript{}
	t.Error = func(text string) string {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.refused != "" && strings.HasPrefix(text, t.refused) {
			return "PERMISSION_DENIED"
		}
		return ""
	}
	t.Rows = func(text string) []string {
		t.mu.Lock()
		defer t.mu.Unlock()
		switch {
		case strings.HasPrefix(text, "SHOW TABLES"):
			return t.tables
		case strings.HasPrefix(text, "SELECT"):
			return t.result(text)
		}
		return nil
	}
	server := httptest.NewServer(t)
	env.Defer(server.Close)
	env.Values[trinoKey{}] = t
	env.Setenv("TRINO", strings.Replace(server.URL, "http://", "http://me@", 1))
}

// result returns the rows of the result of a check's SQL. The text of its statement has the table and the layout.
func (t *trinoScript) result(text string) (rows []string) {
	about := map[string]string{}
	for _, m := range regexp.MustCompile(`'"(table|table_id|layout|made)":"([^"]*)"'`).FindAllStringSubmatch(text, -1) {
		about[m[1]] = m[2]
	}
	add := func(row map[string]any) {
		row["table"], row["table_id"], row["layout"] = about["table"], about["table_id"], about["layout"]
		line, _ := json.Marshal(row) // it cannot fail: the row came from JSON
		rows = append(rows, string(line))
	}
	for _, row := range t.findings {
		row["confirmed"], row["lock_exists"] = false, row["finding"] != "missing-lock"
		add(row)
	}
	add(map[string]any{"counted": "items", "of": about["table"], "of_id": about["table_id"], "count": 104, "accounted": 34})
	for _, name := range []string{"email", "username"} {
		add(map[string]any{"counted": "constraint", "constraint": name, "locks": 35, "calls": 34})
	}
	if !t.cut {
		add(map[string]any{"rows": len(rows), "made": about["made"]})
	}
	return rows
}

// On a terminal, --run asks before it sends a statement. Then a line shows the running statement.
func TestRunAsks(t *testing.T) {
	t.Parallel()
	stand := &trino.Server{Held: "CREATE TABLE tallylock_items_", Holds: make(chan struct{})}
	server := httptest.NewServer(stand)
	t.Cleanup(func() {
		server.CloseClientConnections() // if the test fails, a connection still waits
		server.Close()
	})
	args := []string{
		"check", "--table", "accounts", "--sql", "trino", "--run", "--export", "local:///lake/0123",
		"--server", strings.Replace(server.URL, "http://", "http://me@", 1), "--catalog", "hive", "--schema", "t",
	}
	s := Sit(t, args...)
	s.Sees("The SQL runs on Trino at 127.0.0.1:")
	s.Sees("Run the SQL? [y/N]")
	s.Types("n\r")
	if out := s.Ends(3); out != "" || !strings.Contains(s.Seen, "the answer was no; nothing was run") {
		t.Errorf("%q, %q", out, s.Seen)
	}
	if sent := stand.Sent(); len(sent) > 0 {
		t.Errorf("sent %q", sent)
	}
	s = Sit(t, args...)
	s.Sees("[y/N]")
	s.Types("y\r")
	<-stand.Holds
	s.Sees("statement 2 of 7, items")
	s.Types("\x03")
	if out := s.Ends(3); out != "" || strings.Contains(s.Seen, "Left on") {
		t.Errorf("%q, %q", out, s.Seen)
	}
	if sent := stand.Sent(); !strings.HasPrefix(sent[len(sent)-1], "DROP TABLE IF EXISTS ") {
		t.Errorf("the last statement is %q", sent[len(sent)-1])
	}
}
