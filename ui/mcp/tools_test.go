package mcp_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"tallylock/dynamo"
	"tallylock/dynamo/change"
	"tallylock/dynamo/check"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/progress"
	"tallylock/dynamo/check/setting"
	"tallylock/internal/fixture"
	"tallylock/ui/mcp"
)

// The tools say what they do. Only the tool plan writes, and it writes only a file. Without a folder for plans, this
// tool is missing.
func TestTools(t *testing.T) {
	t.Parallel()
	f := fixture.New(t)
	o := options(f, "accounts", "members")
	read := []string{"counters", "explain", "find", "findings", "layout"}
	for _, plans := range []bool{false, true} {
		want := read
		if plans {
			o.Plans = t.TempDir()
			want = append(slices.Clone(read), "plan")
		}
		a := assist(t, o)
		var names []string
		for name, tool := range a.tools {
			names = append(names, name)
			h := tool.Annotations
			if h.ReadOnlyHint != (name != "plan") || h.DestructiveHint == nil || *h.DestructiveHint || h.OpenWorldHint == nil || *h.OpenWorldHint {
				t.Errorf("%s: %+v", name, h)
			}
			in, _ := tool.InputSchema.(map[string]any)
			if no, _ := json.Marshal(in["additionalProperties"]); string(no) != "false" && string(no) != `{"not":{}}` {
				t.Errorf("%s takes unknown parameters: %s", name, no)
			}
			if tool.OutputSchema == nil || tool.Description == "" {
				t.Errorf("%s has no schema or no description", name)
			}
			about := strings.Contains(tool.Description, "to the tool `plan`.")
			if takes := plans && (name == "find" || name == "findings"); about != takes {
				t.Errorf("with plans %v, %s says %q", plans, name, tool.Description)
			}
		}
		if said := a.InitializeResult().Instructions; strings.Contains(said, "call the tool \"plan\"") != plans {
			t.Errorf("with plans %v, the instructions are %q", plans, said)
		}
		slices.Sort(names)
		if !slices.Equal(names, want) {
			t.Errorf("the tools are %v; want %v", names, want)
		}
	}
}

// Every tool answers, masked and unmasked, and its answer fits its schema.
func TestAnswers(t *testing.T) {
	t.Parallel()
	for _, unmasked := range []bool{false, true} {
		t.Run(fmt.Sprint("unmasked ", unmasked), func(t *testing.T) {
			f := fixture.New(t)
			o := options(f, "accounts", "members", "Tickets", "order_id")
			o.Unmasked, o.Plans = unmasked, t.TempDir()
			a := assist(t, o)
			found := a.ask("find", answer{"table": "accounts", "value": "alan"}).at("answer")
			lock := with(found.list("locks"), "verdict", "orphaned")
			if lock == nil || lock["exists"] != true || found.text("query") != "alan" {
				t.Fatalf("alan is %v", found)
			}
			if key := fmt.Sprint(lock["key"]); strings.Contains(key, "UNIQ#HANDLE#alan") != unmasked {
				t.Errorf("the key is %s", key)
			}
			for _, table := range []string{"accounts", "members", "Tickets", "order_id"} {
				a.ask("layout", answer{"table": table})
			}
			for _, table := range []string{"Tickets", "order_id"} {
				if got := a.ask("counters", answer{"table": table}).list("counters"); len(got) == 0 {
					t.Errorf("%s has no counters", table)
				}
			}
			events := a.ask("explain", answer{"table": "accounts", "value": "alan"}).list("events")
			if with(events, "event", "lock-there") == nil {
				t.Errorf("the past of alan is %v", events)
			}
			page := a.ask("findings", answer{"table": "accounts", "limit": 2})
			if page.text("source") != "check" || len(page.list("findings")) != 2 || page["more"] != true || page.at("summary") == nil {
				t.Errorf("the findings are %v", page)
			}
			all := page.list("findings")
			for len(all) < int(page["total"].(float64)) {
				all = append(all, a.ask("findings", answer{"table": "accounts", "offset": len(all)}).list("findings")...)
			}
			for _, one := range append(all, lock) {
				out := a.ask("plan", answer{"id": one.text("id"), "reason": "ticket 7"})
				if out.text("outcome") == "refused" && len(out.list("reasons")) == 0 {
					t.Errorf("the plan of %v is %v", one, out)
				}
			}
		})
	}
}

// Only operations that read reach the engine, although the config allows changes.
func TestOnlyReads(t *testing.T) {
	t.Parallel()
	f := fixture.New(t)
	o := options(f, "accounts", "members", "Tickets")
	o.Plans = t.TempDir()
	a := assist(t, o)
	for _, table := range o.Tables {
		a.call("layout", answer{"table": table})
		a.call("counters", answer{"table": table})
		a.call("findings", answer{"table": table})
		for _, value := range []string{"alan", "ada", "margaret", "mel@oldmail.test"} {
			r, _ := a.call("find", answer{"table": table, "value": value})
			whole, _ := r.StructuredContent.(map[string]any)
			for _, lock := range answer(whole).at("table_data").at("answer").list("locks") {
				a.call("plan", answer{"id": lock.text("id"), "reason": "a test"})
			}
			a.call("explain", answer{"table": table, "value": value})
		}
	}
	counts := map[string]int{}
	for _, op := range f.Requests() {
		counts[op]++
	}
	if len(counts) < 4 {
		t.Errorf("too little reached the engine: %v", counts)
	}
	for op, n := range counts {
		if !slices.Contains([]string{"DescribeTable", "DescribeTimeToLive", "GetItem", "BatchGetItem", "Query", "Scan", "TransactGetItems"}, op) {
			t.Errorf("%d × %s reached the engine", n, op)
		}
	}
}

// A plan of a masked id is a file that a person can apply. It replaces no file, and only its owner can read it.
func TestPlan(t *testing.T) {
	t.Parallel()
	f := fixture.New(t)
	o := options(f, "accounts")
	o.Plans = t.TempDir()
	a := assist(t, o)
	lock := with(a.ask("find", answer{"value": "alan"}).at("answer").list("locks"), "verdict", "orphaned")
	plan := answer{"id": lock.text("id"), "reason": "ticket 7"}
	out := a.ask("plan", plan)
	name := lock.text("id") + ".json"
	if out.text("outcome") != "planned" || out.text("file") != name {
		t.Fatalf("the plan is %v", out)
	}
	path := filepath.Join(o.Plans, name)
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if info, _ := file.Stat(); runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the mode is %s", info.Mode())
	}
	read, err := change.ReadPlanFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if read.Reason != "ticket 7" || !strings.Contains(read.Who, `by tallylock mcp for "test-assistant"`) {
		t.Errorf("the file is of %q: %q", read.Who, read.Reason)
	}
	table := f.Open("accounts")
	if _, err := read.Changes[0].Replan(t.Context(), &change.Changer{}, table); err != nil {
		t.Errorf("the plan cannot be applied: %v", err)
	}
	if text := a.fails("plan", plan); !strings.Contains(text, "the file exists already") {
		t.Errorf("a second plan: %s", text)
	}
	if text := a.fails("plan", answer{"id": "0123456789abcdef", "reason": "x"}); !strings.Contains(text, "no answer of this session has the id") {
		t.Errorf("an unknown id: %s", text)
	}
	if text := a.fails("plan", answer{"id": "../../x", "reason": "x"}); !strings.Contains(text, "no answer of this session has the id") {
		t.Errorf("a path: %s", text)
	}
	held := with(a.ask("find", answer{"value": "ada"}).at("answer").list("locks"), "verdict", "held")
	if out := a.ask("plan", answer{"id": held.text("id"), "reason": "x"}); out.text("outcome") != "refused" || out.list("reasons")[0].text("text") == "" {
		t.Errorf("a held lock: %v", out)
	}
}

// The folder for plans must be the owner's alone.
func TestPlansFolder(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("needs modes")
	}
	f := fixture.New(t)
	dir := t.TempDir()
	open, file := filepath.Join(dir, "open"), filepath.Join(dir, "file")
	if err := os.Mkdir(open, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(open, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		open: "other people can write into it", file: "it is not a folder", filepath.Join(dir, "none"): "it does not exist",
	} {
		o := options(f, "accounts")
		o.Plans = path
		if err := mcp.Serve(t.Context(), o, strings.NewReader(""), nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %s", path, err, want)
		}
	}
}

// A wrong parameter causes an error of one clear line, and nothing is read.
func TestWrongParameters(t *testing.T) {
	t.Parallel()
	f := fixture.New(t)
	o := options(f, "accounts", "members")
	o.Plans = t.TempDir()
	a := assist(t, o)
	f.Requests()
	for _, tc := range []struct {
		tool      string
		arguments any
		want      string
	}{
		{"find", answer{"table": "accounts", "value": "x", "scan": true}, `there is no parameter "scan"`},
		{"find", answer{"table": "accounts", "valeu": "x"}, `there is no parameter "valeu"`},
		{"find", answer{"table": "accounts"}, "the parameter value is missing"},
		{"find", answer{"table": "accounts", "value": ""}, "it must be a text of 1 to 2048 characters"},
		{"find", answer{"table": "accounts", "value": strings.Repeat("x", 500_000)}, "it must be a text of 1 to 2048 characters"},
		{"find", answer{"table": "accounts", "value": 7}, "it must be a text"},
		{"find", answer{"table": "accounts", "value": []string{"x"}}, "it must be a text"},
		{"find", answer{"table": "order_id", "value": "x"}, "it must be one of: accounts, members"},
		{"find", answer{"value": "x"}, "the parameter table is missing"},
		{"find", answer{"table": "accounts", "value": "x", "connection": "prod"}, "it must be one of: demo"},
		{"find", answer{"table": "accounts", "value": "x", "scope": "y"}, "the parameter scope is wrong"},
		{"find", answer{"TABLE": "accounts", "value": "x"}, `there is no parameter "TABLE"`},
		{"layout", answer{strings.Repeat("long", 1000): 1}, "there is no parameter \"longlong"},
		{"layout", answer{"\x1b[2J\u202e": 1}, `there is no parameter "\x1b[2J\u202e"`},
		{"findings", answer{"table": "accounts", "limit": 101}, "it must be a whole number from 1 to 100"},
		{"findings", answer{"table": "accounts", "limit": "many"}, "it must be a whole number"},
		{"findings", answer{"table": "accounts", "kinds": []string{"odd"}}, "it must be a list with any of"},
		{"findings", answer{"table": "accounts", "source": "file"}, "it must be one of: check"},
		{"findings", answer{"table": "accounts", "offset": 1}, "begin with the offset 0"},
		{"plan", answer{"id": "x"}, "the parameter reason is missing"},
		{"plan", answer{"id": "x", "reason": " "}, "the reason is empty"},
		{"plan", answer{"id": strings.Repeat("x", 65), "reason": "x"}, "the parameter id is wrong"},
	} {
		if got := a.fails(tc.tool, tc.arguments); !strings.Contains(got, tc.want) && !(tc.tool == "findings" && strings.Contains(tc.want, "offset") && strings.Contains(got, "offset")) {
			t.Errorf("%s: %s; want %s", tc.tool, got, tc.want)
		}
	}
	if _, err := a.CallTool(t.Context(), &sdk.CallToolParams{Name: "bump"}); err == nil {
		t.Error("an unknown tool answers")
	}
}

// findingsFile writes the findings of a check, as check --output jsonl does.
func findingsFile(t *testing.T, table *dynamo.Table) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "findings.jsonl")
	var text []byte
	sum, err := check.Run(t.Context(), table, setting.Options{}, func(f finding.Finding) {
		line, err := json.Marshal(f)
		if err != nil {
			t.Error(err)
		}
		text = append(text, append(line, '\n')...)
	}, func(progress.State) {})
	if err != nil {
		t.Fatal(err)
	}
	line, _ := json.Marshal(map[string]any{"summary": sum})
	if err := os.WriteFile(path, append(text, append(line, '\n')...), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Two connections may have a table of the same name. An id belongs to one of them, and the plan names it.
func TestAnIDBelongsToAConnection(t *testing.T) {
	t.Parallel()
	for _, unmasked := range []bool{false, true} {
		f, other := fixture.New(t), fixture.New(t)
		o := options(f, "accounts")
		o.Plans, o.Unmasked = t.TempDir(), unmasked
		o.Connections = append(o.Connections, mcp.Connection{Name: "staging", Connect: connect(other, 20_000, "accounts")})
		a := assist(t, o)
		ids := map[string]string{}
		for _, name := range []string{"demo", "staging"} {
			found := a.ask("find", answer{"connection": name, "value": "alan"})
			ids[name] = with(found.at("answer").list("locks"), "verdict", "orphaned").text("id")
		}
		if ids["demo"] == ids["staging"] {
			t.Errorf("both connections gave the id %s", ids["demo"])
		}
		for name, id := range ids {
			out := a.ask("plan", answer{"id": id, "reason": "ticket 8"})
			if out.text("connection") != name || !strings.Contains(out.text("apply"), "--connection "+name) {
				t.Errorf("%s: the plan is %v", name, out)
			}
		}
	}
}

// Findings come from the file of a check. A file that is not about the table is refused.
func TestFindingsOfAFile(t *testing.T) {
	t.Parallel()
	f := fixture.New(t)
	o := options(f, "accounts", "members")
	o.Findings, o.Plans = findingsFile(t, f.Open("accounts", func(o *dynamo.Options) { o.Settle = 1 })), t.TempDir()
	a := assist(t, o)
	page := a.ask("findings", answer{"table": "accounts"})
	orphan := with(page.list("findings"), "finding", "orphaned-lock")
	if page.text("source") != "file" || page.text("written") == "" || orphan == nil || orphan["confirmed"] != true {
		t.Fatalf("the findings are %v", page)
	}
	only := a.ask("findings", answer{"table": "accounts", "kinds": []string{"missing-lock"}})
	for _, one := range only.list("findings") {
		if one.text("finding") != "missing-lock" {
			t.Errorf("it lists %v", one)
		}
	}
	if out := a.ask("plan", answer{"id": orphan.text("id"), "reason": "ticket 8"}); out.text("outcome") != "planned" {
		t.Errorf("the plan is %v", out)
	}
	if text := a.fails("findings", answer{"table": "members"}); !strings.Contains(text, "about another table") {
		t.Errorf("of another table: %s", text)
	}
	whole, err := os.ReadFile(o.Findings)
	if err != nil {
		t.Fatal(err)
	}
	cut := string(whole[:strings.Index(string(whole), `{"summary"`)])
	for name, text := range map[string]string{"none.jsonl": "", "odd.jsonl": "UNIQ#secret is no JSON\n", "cut.jsonl": cut} {
		path := filepath.Join(t.TempDir(), name)
		if text != "" {
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		o.Findings = path
		got := assist(t, o).fails("findings", answer{"table": "accounts"})
		if !strings.HasPrefix(got, "reading the file of findings: ") || strings.Contains(got, path) || strings.Contains(got, "secret") {
			t.Errorf("%s: %s", name, got)
		}
	}
}
