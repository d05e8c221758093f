package corpus_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"

	"tallylock/dynamo"
	"tallylock/ui/cli/layout"
	"tallylock/ui/mcp"
)

// rareTexts counts for each text and number how many items of a world have it. Parts of keys count, too.
func (w *world) rareTexts() map[string]int {
	all := map[string]int{}
	for _, table := range w.tables {
		for _, item := range table.items {
			here := map[string]bool{}
			var add func(any)
			add = func(v any) {
				switch of := v.(type) {
				case string:
					for _, one := range append(strings.FieldsFunc(of, func(r rune) bool { return strings.ContainsRune("#|:/", r) }), of) {
						here[one] = true
					}
				case []any:
					for _, each := range of {
						add(each)
					}
				case map[string]any:
					for _, each := range of {
						add(each)
					}
				}
			}
			for _, value := range item {
				text, err := json.Marshal(value)
				if err != nil {
					continue
				}
				var plain any
				if json.Unmarshal(text, &plain) == nil {
					add(plain)
				}
			}
			for text := range here {
				all[text]++
			}
		}
	}
	return all
}

// replies holds the answers of a server. It closes all after the last of the open answers.
type replies struct {
	bytes.Buffer
	open int
	all  chan struct{}
}

func (r *replies) Write(text []byte) (int, error) {
	for range bytes.Count(text, []byte("\n")) {
		if r.open--; r.open == 0 {
			close(r.all)
		}
	}
	return r.Buffer.Write(text)
}

// end is the end of an input: it comes after one of two events.
type end [2]<-chan struct{}

func (e end) Read([]byte) (int, error) {
	select {
	case <-e[0]:
	case <-e[1]:
	}
	return 0, io.EOF
}

// madeAt matches a time, or the part of a time before the first colon.
var madeAt = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d`)

// An assistant sees no value of any family's tables. A text that only one item has is a value. A text of several items
// may be a word of the layout, and the assistant may see such words.
func TestAssistantsSeeNoValues(t *testing.T) {
	for _, g := range recognised {
		for n, f := range g.families {
			if !some(n) || f.count > 1000 {
				continue
			}
			t.Run(g.name+"/"+f.name, func(t *testing.T) {
				t.Parallel()
				w := f.build()
				e := w.engine(t)
				var tables []string
				for _, table := range w.tables {
					tables = append(tables, table.name())
				}
				var in strings.Builder
				in.WriteString(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}` + "\n" +
					`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n")
				id := 0
				call := func(tool string, arguments map[string]any) {
					id++
					text, err := json.Marshal(map[string]any{
						"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": map[string]any{"name": tool, "arguments": arguments},
					})
					if err != nil {
						t.Fatal(err)
					}
					in.Write(append(text, '\n'))
				}
				sent := ""
				for _, table := range tables {
					for _, tool := range []string{"layout", "counters", "findings"} {
						call(tool, map[string]any{"table": table})
					}
					for n, p := range w.probes {
						if n == 6 {
							break
						}
						sent += p.query + "\n"
						call("find", map[string]any{"table": table, "value": p.query})
						call("explain", map[string]any{"table": table, "value": p.query})
					}
				}
				o := mcp.Options{
					Version: "test", Tables: tables, Who: "sam", Layout: layout.JSON, Journal: t.TempDir() + "/journal.jsonl",
					Connections: []mcp.Connection{{Name: "corpus", Connect: func(ctx context.Context) (*dynamo.Connection, error) {
						with := dynamo.Options{}
						with.Transport, with.AutoReadUnits = e.Transport(), 500
						with.Tables, with.Strict, with.SessionReadUnits, with.Settle = tables, true, 1e6, 1
						return dynamo.Connect(ctx, with)
					}}},
				}
				out := &replies{open: id + 1, all: make(chan struct{})}
				// The input ends after the last answer. Otherwise the server would soon cancel the calls without an answer.
				input := io.MultiReader(strings.NewReader(in.String()), end{t.Context().Done(), out.all})
				if err := mcp.Serve(t.Context(), o, input, out); err != nil {
					t.Fatal(err)
				}
				if answers := strings.Count(out.String(), `"result"`); answers != id+1 {
					t.Errorf("%d of %d calls have a result", answers, id+1)
				}
				var texts strings.Builder
				for line := range strings.Lines(out.String()) {
					var message any
					if err := json.Unmarshal([]byte(line), &message); err != nil {
						t.Fatal(err)
					}
					fmt.Fprintln(&texts, message)
				}
				for text, items := range w.rareTexts() {
					// times are allowed: the tool explain shows when an account or a lock was made
					if items != 1 || len(text) < 5 || strings.Contains(sent, text) || madeAt.MatchString(text) {
						continue
					}
					if strings.Contains(texts.String(), text) {
						t.Errorf("the assistant sees %q", text)
					}
				}
			})
		}
	}
}
