package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"tallylock/dynamo"
	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/planner"
	"tallylock/dynamo/layout/config"
	"tallylock/internal/fixture"
	"tallylock/ui/mcp"
)

// Simultaneous calls cannot exceed the session's budget. When the budget is used up, an error says so, and nothing more
// is read.
func TestBudget(t *testing.T) {
	t.Parallel()
	f := fixture.New(t)
	o := options(f, "accounts")
	var conn *dynamo.Connection
	o.Connections[0].Connect = func(ctx context.Context) (*dynamo.Connection, error) {
		var err error
		conn, err = connect(f, 60, "accounts")(ctx)
		return conn, err
	}
	a := assist(t, o)
	var wg sync.WaitGroup
	var mu sync.Mutex
	var refused []string
	for n := range 40 {
		wg.Go(func() {
			r, text := a.call("find", answer{"value": fmt.Sprintf("nobody%d@x.io", n)})
			if r.IsError {
				mu.Lock()
				defer mu.Unlock()
				refused = append(refused, text)
			}
		})
	}
	wg.Wait()
	if len(refused) == 0 || !strings.Contains(refused[len(refused)-1], "the session has used its ") {
		t.Errorf("refused: %v", refused)
	}
	if used := conn.Units(); used > 60+10 { // the last request may exceed the limit, and no further one is sent
		t.Errorf("they used %v read units", used)
	}
	f.Requests()
	r, text := a.call("layout", answer{})
	left, _ := r.Content[1].(*sdk.TextContent)
	if !strings.Contains(text, "ask a person to raise session_read_units") || !strings.Contains(left.Text, "This call cost 0 read units; 0 of 60 read units") {
		t.Errorf("afterwards: %s %s", text, left.Text)
	}
	if sent := f.Requests(); len(sent) > 0 {
		t.Errorf("afterwards it sent %v", sent)
	}
}

// A check that exceeds the budget of one answer is refused before it reads.
func TestCheckWithinBudget(t *testing.T) {
	t.Parallel()
	f := fixture.New(t)
	o := options(f, "accounts")
	o.Connections[0].Connect = func(ctx context.Context) (*dynamo.Connection, error) {
		with := f.Options()
		with.Write, with.Transport, with.Strict, with.Tables, with.AutoReadUnits = false, f, true, []string{"accounts"}, 3
		return dynamo.Connect(ctx, with)
	}
	a := assist(t, o)
	text := a.fails("findings", answer{})
	if !strings.Contains(text, "a check costs about ") || !strings.Contains(text, "tallylock check --output jsonl") {
		t.Errorf("it says %s", text)
	}
}

// named records the tables that requests name.
type named struct {
	http.RoundTripper
	mu     sync.Mutex
	tables map[string]bool
	all    bool
}

func (n *named) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	var in struct {
		TableName     string
		RequestItems  map[string]any
		TransactItems []struct{ Get struct{ TableName string } }
	}
	_ = json.Unmarshal(body, &in)
	n.mu.Lock()
	defer n.mu.Unlock()
	n.all = n.all || strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".ListTables")
	if in.TableName != "" {
		n.tables[in.TableName] = true
	}
	for table := range in.RequestItems {
		n.tables[table] = true
	}
	for _, one := range in.TransactItems {
		n.tables[one.Get.TableName] = true
	}
	return n.RoundTripper.RoundTrip(r)
}

// The server reads the allowed tables, and the tables of their locks. A guess does not look into other tables.
func TestOnlyAllowedTables(t *testing.T) {
	t.Parallel()
	f := fixture.New(t)
	f.Create("club", "id:S", "")
	f.Create("club_email", "v:S", "")
	f.Put("club", map[string]fixtureValue{"id": fixtureText("1"), "email": fixtureText("ada@x.io")})
	f.Put("club_email", map[string]fixtureValue{"v": fixtureText("ada@x.io"), "owner": fixtureText("1")})
	described := config.Layout{Name: "club", Tables: []string{"club"}, Accounts: []config.Account{{
		PK: "{id}", Constraints: []config.Constraint{{Attribute: "email", Table: "club_email", PK: "{v}", Owner: "owner"}},
	}}}
	for _, guessed := range []bool{false, true} {
		seen := &named{RoundTripper: f, tables: map[string]bool{}}
		o := options(f, "club")
		o.Connections[0].Connect = func(ctx context.Context) (*dynamo.Connection, error) {
			with := f.Options()
			with.Write, with.Transport, with.Strict, with.Tables = false, seen, true, []string{"club"}
			with.Layouts = []config.Layout{described}
			if guessed {
				with.Layouts = nil
			}
			return dynamo.Connect(ctx, with)
		}
		a := assist(t, o)
		r, text := a.call("find", answer{"value": "ada@x.io"})
		if r.IsError != guessed {
			t.Errorf("guessed %v: %s", guessed, text)
		}
		if text := a.fails("find", answer{"table": "club_email", "value": "ada@x.io"}); !strings.Contains(text, "it must be one of: club") {
			t.Errorf("the lock table itself: %s", text)
		}
		want := []string{"club"}
		if !guessed {
			want = []string{"club", "club_email"}
		}
		var got []string
		for table := range seen.tables {
			got = append(got, table)
		}
		slices.Sort(got)
		if !slices.Equal(got, want) || seen.all {
			t.Errorf("guessed %v: it read %v, all tables %v; want %v", guessed, got, seen.all, want)
		}
	}
}

// stuck never answers a request before it is cancelled.
type stuck struct{ began, ended chan struct{} }

func (s stuck) RoundTrip(r *http.Request) (*http.Response, error) {
	s.began <- struct{}{}
	<-r.Context().Done()
	s.ended <- struct{}{}
	return nil, r.Context().Err()
}

// stuckOptions returns the options of a server whose endpoint never answers.
func stuckOptions(f *fixture.Tables) (mcp.Options, stuck) {
	s := stuck{make(chan struct{}, 100), make(chan struct{}, 100)}
	o := options(f, "accounts")
	o.Connections[0].Connect = func(ctx context.Context) (*dynamo.Connection, error) {
		with := f.Options()
		with.Write, with.Transport, with.Tables = false, s, []string{"accounts"}
		return dynamo.Connect(ctx, with)
	}
	return o, s
}

// A cancelled call ends its reads, and the next call can begin.
func TestCancel(t *testing.T) {
	t.Parallel()
	o, s := stuckOptions(fixture.New(t))
	a := assist(t, o)
	for range 2 {
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() {
			_, err := a.CallTool(ctx, &sdk.CallToolParams{Name: "find", Arguments: answer{"value": "ada"}})
			done <- err
		}()
		<-s.began
		cancel()
		<-s.ended
		if err := <-done; err == nil {
			t.Error("a cancelled call answers")
		}
		for len(s.began) > 0 { // the table is described and read at the same time
			<-s.began
			<-s.ended
		}
	}
}

// The server ends soon after the end of the input, even if the endpoint never answers a running call.
func TestEnd(t *testing.T) {
	t.Parallel()
	o, s := stuckOptions(fixture.New(t))
	in, toServer := io.Pipe()
	ended := make(chan error)
	go func() { ended <- mcp.Serve(t.Context(), o, in, io.Discard) }()
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"find","arguments":{"value":"ada"}}}`,
	} {
		if _, err := io.WriteString(toServer, line+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	<-s.began
	toServer.Close()
	if err := <-ended; err != nil {
		t.Errorf("it ended with %v", err)
	}
}

// A check reports its progress, if the assistant asks for it.
func TestProgress(t *testing.T) {
	t.Parallel()
	a := assist(t, options(fixture.New(t), "accounts"))
	params := &sdk.CallToolParams{Name: "findings", Arguments: answer{}}
	params.SetProgressToken("here")
	if r, err := a.CallTool(t.Context(), params); err != nil || r.IsError {
		t.Fatal(r, err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.steps) == 0 {
		t.Fatal("there was no report")
	}
	last := 0.0
	for _, step := range a.steps {
		if step.Progress <= last || step.Progress > 1 || step.Total != 1 || step.ProgressToken != "here" {
			t.Errorf("a report is %+v after %v", step, last)
		}
		last = step.Progress
	}
}

// A file of messages gets all its answers.
func TestAFileOfMessages(t *testing.T) {
	t.Parallel()
	var in strings.Builder
	in.WriteString(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`)
	for n := range 20 {
		fmt.Fprintf(&in, `{"jsonrpc":"2.0","id":"call %d","method":"tools/call","params":{"name":"find","arguments":{"value":"ada"}}}`+"\n", n)
	}
	var out bytes.Buffer
	if err := mcp.Serve(t.Context(), options(fixture.New(t), "accounts"), strings.NewReader(in.String()), &out); err != nil {
		t.Fatal(err)
	}
	for n := range 20 {
		if !strings.Contains(out.String(), fmt.Sprintf(`"id":"call %d","result"`, n)) {
			t.Errorf("call %d has no answer", n)
		}
	}
	if strings.Contains(out.String(), "cancelled") {
		t.Error("a call was cancelled")
	}
}

// The server ends at once if nobody reads its answers.
func TestNobodyReads(t *testing.T) {
	t.Parallel()
	in, toServer := io.Pipe()
	defer toServer.Close()
	fromServer, out := io.Pipe()
	_ = fromServer.Close()
	f := fixture.New(t)
	ended := make(chan error)
	go func() { ended <- mcp.Serve(t.Context(), options(f, "accounts"), in, out) }()
	_, _ = io.WriteString(toServer, `{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n")
	<-ended
}

// Two accounts tables share a lock table. The past of a value has no records of the table outside the allow-list.
func TestThePastOfASharedLockTable(t *testing.T) {
	t.Parallel()
	f := fixture.New(t)
	f.Create("locks", "v:S", "")
	var layouts []config.Layout
	for _, table := range []string{"accounts-eu", "accounts-us"} {
		f.Create(table, "id:S", "")
		f.Put(table, map[string]fixtureValue{"id": fixtureText("of-" + table), "email": fixtureText("of@" + table)})
		f.Put("locks", map[string]fixtureValue{"v": fixtureText("of@" + table), "owner": fixtureText("of-" + table)})
		layouts = append(layouts, config.Layout{Name: table, Tables: []string{table}, Accounts: []config.Account{{
			PK: "{id}", Constraints: []config.Constraint{{
				Name: "email", Attribute: "email", Table: "locks", PK: "{v}", Owner: "owner", AlsoIn: &[]string{},
			}},
		}}})
	}
	f.Put("locks", map[string]fixtureValue{"v": fixtureText("ada@x.io"), "owner": fixtureText("gone")})
	described := func(o *dynamo.Options) { o.Layouts = layouts }
	j, err := journal.Open(filepath.Join(t.TempDir(), "journal.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	us := f.Open("accounts-us", described, func(o *dynamo.Options) { o.Write, o.Settle = true, time.Millisecond })
	rel, err := us.LockOf(t.Context(), "email", "ada@x.io", nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := planner.Release(t.Context(), us, rel, false)
	if err != nil {
		t.Fatal(err)
	}
	if r := (&change.Changer{Journal: j, Who: "olga"}).Apply(t.Context(), p, nil); r.Outcome != journal.Applied {
		t.Fatalf("%s %v %v", r.Outcome, r.Reasons, r.Err)
	}
	for table, sees := range map[string]bool{"accounts-us": true, "accounts-eu": false} {
		o := options(f, table)
		o.Journal, o.Unmasked = j.Path(), true
		o.Connections[0].Connect = func(ctx context.Context) (*dynamo.Connection, error) {
			with := f.Options()
			with.Write, with.Strict, with.Tables, with.Layouts = false, true, []string{table}, layouts
			return dynamo.Connect(ctx, with)
		}
		text := fmt.Sprint(assist(t, o).ask("explain", answer{"value": "ada@x.io"}))
		if strings.Contains(text, "olga") != sees {
			t.Errorf("an assistant of %s: %s", table, text)
		}
	}
}
