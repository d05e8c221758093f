package mcp_test

import (
	"bufio"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tallylock/dynamo/embedded/sdk"
	"tallylock/internal/fixture"
	"tallylock/ui/mcp"
)

type fixtureValue = types.AttributeValue

func fixtureText(s string) fixtureValue { return sdk.S(s) }

// Each line is answered as the protocol says: one message in each line, errors by their codes, and no line ends the
// session.
func TestProtocol(t *testing.T) {
	t.Parallel()
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	f := fixture.New(t)
	ended := make(chan error)
	go func() { ended <- mcp.Serve(t.Context(), options(f, "accounts"), in, out) }()
	answers := bufio.NewReader(fromServer)
	for _, tc := range []struct {
		send string
		code float64 // 0 means a result, and -1 means no answer
		says string
	}{
		{"this is no JSON", -32700, "not JSON"},
		{`{"foo":1}`, -32600, ""},
		{`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, -32600, "the id must be a string, or an integer"},
		{`{"jsonrpc":"2.0","id":12345678901234567890123,"method":"ping"}`, -32600, "the id must be a string, or an integer"},
		{`[{"jsonrpc":"2.0","id":9,"method":"ping"}]`, -32600, "batches are not supported"},
		{`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`, 0, `"serverInfo"`},
		{`{"jsonrpc":"2.0","method":"notifications/initialized"}`, -1, ""},
		{"", -1, ""},
		{`{"jsonrpc":"2.0","id":"two","method":"ping"}`, 0, `"id":"two"`},
		{`{"jsonrpc":"2.0","id":3,"method":"tools/list"}`, 0, `"find"`},
		{`{"jsonrpc":"2.0","id":4,"method":"tools/none"}`, -32601, ""},
		{`{"jsonrpc":"2.0","id":5,"method":"resources/list"}`, 0, `"resources":[]`},
		{`{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"none"}}`, -32602, "unknown tool"},
		{`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":"x"}`, -32602, ""},
		{`{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"find","arguments":{"value":"ada"}}}`, 0, `"verdict":"held"`},
		{`{"jsonrpc":"2.0","id":9,"method":"ping","params":{"x":"` + strings.Repeat("y", 2<<20) + `"}}`, -32600, "longer than"},
		{`{"jsonrpc":"2.0","id":10,"method":"ping"}` + "\r", 0, `"id":10`},
		{strings.Repeat("[", 10_000), -32700, ""},
		{"\x00\xff", -32700, ""},
		{`{"jsonrpc":"2.0","id":11,"method":"ping"}`, 0, `"id":11`},
	} {
		if _, err := io.WriteString(toServer, tc.send+"\n"); err != nil {
			t.Fatal(err)
		}
		if tc.code == -1 {
			continue
		}
		line, err := answers.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		var got struct {
			Version string `json:"jsonrpc"`
			Error   *struct{ Code float64 }
		}
		if err := json.Unmarshal([]byte(line), &got); err != nil || got.Version != "2.0" {
			t.Errorf("%.80q is answered by %.200q", tc.send, line)
		}
		code := 0.0
		if got.Error != nil {
			code = got.Error.Code
		}
		if code != tc.code || !strings.Contains(line, tc.says) {
			t.Errorf("%.80q is answered by %.300q; want %v %s", tc.send, line, tc.code, tc.says)
		}
	}
	toServer.Close()
	if err := <-ended; err != nil {
		t.Errorf("it ended with %v", err)
	}
}
