package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"tallylock/dynamo"
	"tallylock/internal/fixture"
	"tallylock/internal/testrun"
	"tallylock/ui/cli/layout"
	"tallylock/ui/mcp"
)

func TestMain(m *testing.M) {
	testrun.Isolate()
	os.Exit(m.Run())
}

// assistant is a client of a server, over two pipes.
type assistant struct {
	*sdk.ClientSession
	t     *testing.T
	tools map[string]*sdk.Tool

	mu  sync.Mutex
	raw bytes.Buffer // the output of the server
	// steps are the reports of progress.
	steps []*sdk.ProgressNotificationParams
	ended chan error
}

// Write keeps the output of the server.
func (a *assistant) Write(p []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.raw.Write(p)
}

func (a *assistant) written() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.raw.String()
}

// options returns the options of a server for the tables of a fixture. The connection could write if the server did not
// forbid it.
func options(f *fixture.Tables, tables ...string) mcp.Options {
	return mcp.Options{
		Version: "test", Tables: tables, Who: "sam", Layout: layout.JSON, Journal: f.T.TempDir() + "/journal.jsonl",
		Connections: []mcp.Connection{{Name: "demo", Connect: connect(f, 20_000, tables...)}},
	}
}

func connect(f *fixture.Tables, units float64, tables ...string) func(context.Context) (*dynamo.Connection, error) {
	return func(ctx context.Context) (*dynamo.Connection, error) {
		o := f.Options()
		o.Transport, o.Write, o.Strict, o.Tables, o.SessionReadUnits, o.Settle = f, false, true, tables, units, 1
		return dynamo.Connect(ctx, o)
	}
}

// assist begins a session with a server.
func assist(t *testing.T, o mcp.Options) *assistant {
	t.Helper()
	a := &assistant{t: t, tools: map[string]*sdk.Tool{}, ended: make(chan error, 1)}
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	go func() {
		a.ended <- mcp.Serve(t.Context(), o, in, io.MultiWriter(a, out))
		out.Close()
	}()
	client := sdk.NewClient(&sdk.Implementation{Name: "test-assistant", Version: "1"}, &sdk.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) {
			a.mu.Lock()
			defer a.mu.Unlock()
			a.steps = append(a.steps, r.Params)
		},
	})
	session, err := client.Connect(t.Context(), &sdk.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	if err != nil {
		t.Fatal(err)
	}
	a.ClientSession = session
	t.Cleanup(func() {
		_ = session.Close()
		if err := <-a.ended; err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
	for tool, err := range session.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		a.tools[tool.Name] = tool
	}
	return a
}

// call calls a tool, and returns its result and its first text.
func (a *assistant) call(tool string, arguments any) (*sdk.CallToolResult, string) {
	a.t.Helper()
	r, err := a.CallTool(a.t.Context(), &sdk.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		a.t.Fatalf("%s: %v", tool, err)
	}
	if len(r.Content) == 0 {
		a.t.Fatalf("%s: no content", tool)
	}
	text, _ := r.Content[0].(*sdk.TextContent)
	return r, text.Text
}

// answer is a part of a result.
type answer map[string]any

// ask calls a tool that must succeed. It checks the result against the tool's schema, and returns table_data.
func (a *assistant) ask(tool string, arguments any) answer {
	a.t.Helper()
	r, text := a.call(tool, arguments)
	if r.IsError {
		a.t.Fatalf("%s %v: %s", tool, arguments, text)
	}
	if !strings.Contains(text, "data from DynamoDB tables") || !strings.Contains(text, "This call cost ") {
		a.t.Errorf("%s: the first text is %q", tool, text)
	}
	a.fits(tool, r.StructuredContent)
	whole, _ := r.StructuredContent.(map[string]any)
	second, _ := r.Content[1].(*sdk.TextContent)
	var same map[string]any
	if err := json.Unmarshal([]byte(second.Text), &same); err != nil || len(same) != len(whole) {
		a.t.Errorf("%s: the text is not the structure: %v", tool, err)
	}
	data, _ := whole["table_data"].(map[string]any)
	return data
}

// fits checks a result against the output schema of a tool. The schema refuses unknown names.
func (a *assistant) fits(tool string, result any) {
	a.t.Helper()
	text, err := json.Marshal(a.tools[tool].OutputSchema)
	if err != nil {
		a.t.Fatal(err)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(text, &s); err != nil {
		a.t.Fatal(err)
	}
	resolved, err := s.Resolve(nil)
	if err == nil {
		err = resolved.Validate(result)
	}
	if err != nil {
		out, _ := json.MarshalIndent(result, "", " ")
		a.t.Errorf("%s: the result does not fit its schema: %v\n%s", tool, err, out)
	}
}

// fails calls a tool that must fail, and returns the text of the error.
func (a *assistant) fails(tool string, arguments any) string {
	a.t.Helper()
	r, text := a.call(tool, arguments)
	if !r.IsError {
		a.t.Errorf("%s %v does not fail", tool, arguments)
	}
	if strings.Contains(text, "\n") || len(text) > 400 {
		a.t.Errorf("%s: the error is not one clear line: %q", tool, text)
	}
	return text
}

// list returns a part of an answer that is a list of objects.
func (a answer) list(name string) (all []answer) {
	some, _ := a[name].([]any)
	for _, one := range some {
		of, _ := one.(map[string]any)
		all = append(all, of)
	}
	return all
}

// at returns a part of an answer that is an object.
func (a answer) at(name string) answer {
	of, _ := a[name].(map[string]any)
	return of
}

// text returns a part of an answer that is a text.
func (a answer) text(name string) string {
	text, _ := a[name].(string)
	return text
}

// with returns the first part whose field name has this text; nil if there is none.
func with(all []answer, name, text string) answer {
	n := slices.IndexFunc(all, func(a answer) bool { return a.text(name) == text })
	if n < 0 {
		return nil
	}
	return all[n]
}
