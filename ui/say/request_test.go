package say

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestPretty(t *testing.T) {
	const want = `{
  "TransactItems": [
    {
      "Put": {
        "TableName": "accounts",
        "Item": {"PK":{"S":"UNIQ#HANDLE#a"},"SK":{"S":"LOCK"}}
      }
    }
  ],
  "ClientRequestToken": "t"
}`
	in := strings.Join(strings.Fields(want), "")
	if got := PrettyJSON([]byte(in), 64); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// PrettyJSON changes only the layout of the JSON, at any width.
func TestPrettyKeepsTheJSON(t *testing.T) {
	value := rapid.Deferred(func() *rapid.Generator[any] { return anyJSON(4) })
	rapid.Check(t, func(t *rapid.T) {
		data, err := json.Marshal(value.Draw(t, "value"))
		if err != nil {
			t.Fatal(err)
		}
		var got, want bytes.Buffer
		if err := json.Compact(&got, []byte(PrettyJSON(data, rapid.IntRange(0, 100).Draw(t, "width")))); err != nil {
			t.Fatal(err)
		}
		_ = json.Compact(&want, data)
		if got.String() != want.String() {
			t.Fatalf("%s\nbecame\n%s", want.String(), got.String())
		}
	})
}

func anyJSON(depth int) *rapid.Generator[any] {
	leaf := rapid.OneOf(rapid.String().AsAny(), rapid.Int().AsAny(), rapid.Bool().AsAny(), rapid.Just[any](nil))
	if depth == 0 {
		return leaf
	}
	return rapid.OneOf(leaf, rapid.SliceOfN(anyJSON(depth-1), 0, 4).AsAny(), rapid.MapOfN(rapid.String(), anyJSON(depth-1), 0, 4).AsAny())
}
