package scan_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/schemas"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
	"github.com/aws/smithy-go/transport/http/protocol/awsjson"
	"pgregory.net/rapid"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/scan"
)

var wanted = []string{"PK", "a", "email", "é"}

// sdkDecode reads an answer as the SDK does.
func sdkDecode(body []byte) (*dynamodb.ScanOutput, error) {
	out := &dynamodb.ScanOutput{}
	response := &smithyhttp.Response{Response: &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(body))}}
	operation := smithy.NewOperationSchema(schemas.Scan, schemas.ScanInput, schemas.ScanOutput)
	return out, awsjson.New10(schemas.DynamoDB_20120810).DeserializeResponse(context.Background(), operation, dynamodb.TypeRegistry, response, out)
}

// decode reads an answer into a page that has read another answer before.
func decode(body []byte) (*scan.Page, []attr.Item, error) {
	p := scan.NewPage(wanted)
	if err := p.Decode([]byte(`{"Count":2,"Items":[{"PK":{"S":"x\n"},"a":{"SS":["y"]}},{"PK":{"M":{"k":{"S":"v"}}},"email":{"N":"7"},"é":{"BOOL":true}}]}`)); err != nil {
		return nil, nil, err
	}
	p.Each(func(scan.Row, scan.Rest) {})
	if err := p.Decode(slices.Clip(bytes.Clone(body))); err != nil {
		return nil, nil, err
	}
	var items []attr.Item
	p.Each(func(r scan.Row, _ scan.Rest) { items = append(items, r.Item(wanted)) })
	return p, items, nil
}

func inJSON(t interface{ Fatal(...any) }, v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// same fails unless the SDK and our decoder read the same items.
func same(t interface {
	Fatal(...any)
	Fatalf(string, ...any)
}, body []byte, p *scan.Page, items []attr.Item,
) {
	out, err := sdkDecode(body)
	if err != nil {
		t.Fatalf("decoded %q, which the SDK does not: %v", body, err)
	}
	if len(out.Items) != len(items) || p.Items != len(items) {
		t.Fatalf("%q: %d items; the SDK has %d", body, len(items), len(out.Items))
	}
	// Decode the same page as whole items. A whole page also refuses duplicates of attributes without a column.
	var whole []attr.Item
	all := scan.NewWholePage(wanted)
	if all.Decode(slices.Clip(bytes.Clone(body))) == nil {
		all.Each(func(r scan.Row, rest scan.Rest) { whole = append(whole, scan.WholeItem(r, wanted, rest)) })
	}
	if len(whole) != all.Items {
		t.Fatalf("%q: %d items, and %d were visited", body, all.Items, len(whole))
	}
	for n, wire := range append(slices.Clone(out.Items), out.LastEvaluatedKey) {
		data, err := attributevalue.MarshalMapJSON(wire)
		if err != nil {
			t.Fatalf("%q: %v", body, err)
		}
		var want attr.Item
		if err := json.Unmarshal(data, &want); err != nil {
			t.Fatalf("%q: %v", data, err)
		}
		if n < len(whole) && inJSON(t, whole[n]) != inJSON(t, want) {
			t.Fatalf("%q:\n%s\nis to the SDK\n%s", body, inJSON(t, whole[n]), inJSON(t, want))
		}
		got := p.Last
		if n < len(items) {
			got = items[n]
			for name, v := range got {
				if v.Scalar() && !reflect.DeepEqual(v, attr.Value{Kind: v.Kind, Text: v.Text}) {
					t.Fatalf("%q: %s is %+v", body, name, v)
				}
			}
			for name := range want {
				if !slices.Contains(wanted, name) {
					delete(want, name)
				}
			}
		} else if len(want) == 0 {
			want = nil
		}
		if inJSON(t, got) != inJSON(t, want) {
			t.Fatalf("%q:\n%s\nis to the SDK\n%s", body, inJSON(t, got), inJSON(t, want))
		}
	}
}

// readable are answers that the decoder reads as the SDK does.
var readable = []string{
	`{"Count":0,"Items":[]}`,
	` { "Items" : [ ] , "Count" : 0 , "ScannedCount" : 17 } `,
	`{"Count":1,"Items":[{}]}`,
	`{"ConsumedCapacity":{"TableName":"t","CapacityUnits":128.5},"Count":1,"Items":[{"PK":{"S":"ada"}}],"LastEvaluatedKey":{"PK":{"S":"ada"},"SK":{"N":"-0.5"}},"ScannedCount":1}`,
	`{"Count":3,"Items":[{"PK":{"S":"ada"},"SK":{"S":"x"},"email":{"S":"a"}},{"PK":{"S":"b"},"SK":{"S":"x"},"email":{"S":""}},{"PK":{"S":"c"},"email":{"N":"1"}}]}`,
	"{\"Count\":1,\"Items\":[\n\t{ \"PK\" : { \"S\" : \"ada\" } , \"a\":{\"N\" :\"1E2\"}}\r\n]}",
	`{"Count":1,"Items":[{"PK":{"S":"\"\\\/\b\f\n\r\t\u0000\u00e9\ud83d\ude80"},"\u0061":{"S":"x"},"\u0065mail":{"S":"y"},"é":{"S":"李"}}]}`,
	`{"Count":4,"Items":[{"PK":{"S":"x"},"a":{"S":"y"}},{"PK":{"S":"\n"},"a":{"S":"\u0041"}},{"PK":{"S":"x" },"a":{"S":"y"} },{"PK":{"S":"x"},"a":{"S":"y"}}]}`,
	`{"Count":1,"Items":[{"a":{"N":"123456789012345678901234567890123456789012345678901234567890"},"email":{"N":"not a number"}}]}`,
	`{"Count":1,"Items":[{"a":{"B":""},"email":{"B":"AAH/"},"PK":{"B":"A\nA=="}}]}`,
	`{"Count":1,"Items":[{"a":{"BOOL":true},"email":{"BOOL":false},"PK":{"NULL":true},"é":{"NULL":false}}]}`,
	`{"Count":1,"Items":[{"a":{"SS":[]},"email":{"SS":["x","y\u0041"]},"PK":{"NS":["1","2"]},"é":{"BS":["AA==",""]}}]}`,
	`{"Count":1,"Items":[{"a":{"L":[]},"email":{"M":{}},"PK":{"L":[{"S":"x"},{"L":[{"M":{"k":{"SS":["v"]},"":{"N":"1"}}}]}]},"é":{"M":{"b":{"B":"AA=="}}}}]}`,
	`{"Count":1,"Items":[{"other":{"M":{"k":{"L":[{"S":"\u0041"}]}}},"PK":{"S":"x"}}],"More":[1.5e+3,-0,true,false,null,{"a":{}},[]],"LastEvaluatedKey":null,"ConsumedCapacity":null}`,
	`{"Count":2,"Items":[{"PK":{"S":"` + strings.Repeat("x", 70) + `"}},{"PK":{"S":"` + strings.Repeat("é", 70) + `"}}],"LastEvaluatedKey":{}}`,
}

// unreadable are answers that the decoder refuses, though the SDK may read them.
var unreadable = []string{
	``, ` `, `{`, `{}`, `[]`, `null`, `"x"`, `{"Items":null}`, `{"Items":{}}`, `{"Count":0,"Items":[}`, `{"Count":0,"Items":[]`, `{"Count":0,"Items":[]}}`, `{"Count":0,"Items":[]} x`, `{"Count":0,"Items":[]}{"Items":[]}`,
	`{"Items":[]}`, `{"Items":[{"PK":{"S":"x"}}]}`, `{"Count":null,"Items":[]}`, `{"Count":0,"Items":[],"Items":[]}`, `{"Count":0,"Items":[],}`, `{"Items":[{}],"Count":2}`, `{"Items":[],"Count":00}`, `{"Items":[],"Count":-1}`, `{"Items":[],"Count":1e1}`, `{"Items":[],"Count":99999999999999999999}`,
	`{"Count":0,"Items":[null]}`, `{"Count":1,"Items":[{},]}`, `{"Count":1,"Items":[{"PK":null}]}`, `{"Count":1,"Items":[{"PK":{}}]}`, `{"Count":1,"Items":[{"PK":{"S":null}}]}`, `{"Count":1,"Items":[{"PK":{"S":5}}]}`, `{"Count":1,"Items":[{"PK":{"N":5}}]}`,
	`{"Count":1,"Items":[{"PK":{"S":"x","N":"1"}}]}`, `{"Count":1,"Items":[{"PK":{"Z":"x"}}]}`, `{"Count":1,"Items":[{"PK":{"s":"x"}}]}`, `{"Count":1,"Items":[{"PK":{"S":"x"},"PK":{"S":"y"}}]}`, `{"Count":1,"Items":[{"PK":{"S":"x"},}]}`, `{"Count":1,"Items":[{"PK":{"S":"x"},"PK":{"S":"x"}}]}`,
	`{"Count":1,"Items":[{"PK":{"S":"x"}"a":{"S":"x"}}]}`, `{"Count":1,"Items":[{"other":{"S":5}}]}`,
	`{"Count":2,"Items":[{"PK":{"S":"x"},"a":{"S":"x"}},{"a":{"S":"x"},"PK":{"S":"x"},"a":{"S":"y"}}]}`, `{"Count":2,"Items":[{"PK":{"S":"x"}},{"PK":{"S":"x","N":"1"}}]}`,
	`{"Count":1,"Items":[{"other":{"Z":"x"}}]}`,
	`{"Count":1,"Items":[{"PK":{"S":"\x"}}]}`, `{"Count":1,"Items":[{"PK":{"S":"\u12"}}]}`, `{"Count":1,"Items":[{"PK":{"S":"\ud83d"}}]}`, `{"Count":1,"Items":[{"PK":{"S":"\ude80\ud83d"}}]}`, `{"Count":1,"Items":[{"PK":{"S":"\ud83d\u0041"}}]}`, `{"Count":1,"Items":[{"PK":{"S":"\"}}]}`,
	"{\"Count\":1,\"Items\":[{\"PK\":{\"S\":\"\xff\"}}]}", "{\"Count\":1,\"Items\":[{\"PK\":{\"S\":\"\xed\xa0\x80\"}}]}", "{\"Count\":1,\"Items\":[{\"PK\":{\"S\":\"a\nb\"}}]}", "{\"Count\":1,\"Items\":[{\"PK\":{\"S\":\"a\x00b\"}}]}", "{\"Count\":1,\"Items\":[{\"\xc3\":{\"S\":\"a\"}}]}",
	`{"Count":1,"Items":[{"PK":{"B":"A"}}]}`, `{"Count":1,"Items":[{"PK":{"B":"!!!!"}}]}`, `{"Count":1,"Items":[{"PK":{"BOOL":1}}]}`, `{"Count":1,"Items":[{"PK":{"BOOL":"true"}}]}`, `{"Count":1,"Items":[{"PK":{"NULL":null}}]}`,
	`{"Count":1,"Items":[{"PK":{"SS":["a",null]}}]}`, `{"Count":1,"Items":[{"PK":{"SS":"a"}}]}`, `{"Count":1,"Items":[{"PK":{"L":[{}]}}]}`, `{"Count":1,"Items":[{"PK":{"M":{"a":{"S":"x"},"a":{"S":"x"}}}}]}`,
	`{"Count":0,"Items":[],"LastEvaluatedKey":[]}`, `{"Count":0,"Items":[],"LastEvaluatedKey":{"PK":{"S":"x"},"PK":{"S":"y"}}}`, `{"Count":0,"Items":[],"ConsumedCapacity":{"CapacityUnits":"1"}}`, `{"Count":0,"Items":[],"ConsumedCapacity":{"CapacityUnits":1e999}}`, `{"Count":0,"Items":[],"ConsumedCapacity":{"CapacityUnits":-1}}`, `{"Count":0,"Items":[],"More":01}`, `{"Count":0,"Items":[],"More":.5}`, `{"Count":0,"Items":[],"More":1.}`, `{"Count":0,"Items":[],"More":truth}`, `{"Count":0,"Items":[],"More":-}`, `{"Count":0,"Items":[],"More":[1 2]}`, `{"Count":0,"Items":[],"More":{"a" 1}}`,
	`{"Count":1,"Items":[{"PK":` + strings.Repeat(`{"L":[`, 5000) + strings.Repeat(`]}`, 5000) + `}]}`,
	`{"Count":0,"Items":[],"More":` + strings.Repeat(`[`, 5000) + strings.Repeat(`]`, 5000) + `}`,
	`{"Count":0,"Items":[],"More":` + strings.Repeat(`{"":`, 100000),
}

func TestReadable(t *testing.T) {
	for _, body := range readable {
		p, items, err := decode([]byte(body))
		if err != nil {
			t.Errorf("%s: %v", body, err)
			continue
		}
		same(t, []byte(body), p, items)
		if err := scan.NewWholePage(nil).Decode([]byte(body)); err != nil {
			t.Errorf("whole items of %s: %v", body, err)
		}
		for n := range strings.TrimRight(body, " ") {
			if _, _, err := decode([]byte(body[:n])); err == nil {
				t.Errorf("what is left of %s was decoded", body[:n])
			}
		}
	}
	p, _, err := decode([]byte(readable[3]))
	if err != nil || p.Units != 128.5 {
		t.Errorf("%+v, %v", p, err)
	}
}

func TestUnreadable(t *testing.T) {
	for _, body := range unreadable {
		if _, items, err := decode([]byte(body)); err == nil {
			t.Errorf("%.200s was decoded as %v", body, items)
		}
	}
}

// After an error a page has no items, neither old ones nor new ones.
func TestBrokenPageIsEmpty(t *testing.T) {
	p := scan.NewPage(wanted)
	if err := p.Decode([]byte(`{"Count":1,"Items":[{"PK":{"S":"x"}}],"LastEvaluatedKey":{"PK":{"S":"x"}}}`)); err != nil {
		t.Fatal(err)
	}
	if err := p.Decode([]byte(`{"LastEvaluatedKey":{"PK":{"S":"x"}},"Count":2,"Items":[{"PK":{"S":"x"}},{"PK":{"S":"y"}}`)); err == nil {
		t.Fatal("decoded")
	}
	p.Each(func(r scan.Row, _ scan.Rest) { t.Errorf("visited %v", r) })
	if p.Items != 0 || p.Last != nil {
		t.Errorf("%+v", p)
	}
}

// FuzzPage checks that the decoder reads any bytes as the SDK does, or refuses them.
func FuzzPage(f *testing.F) {
	for _, body := range slices.Concat(readable, unreadable) {
		if len(body) < 4096 {
			f.Add([]byte(body))
		}
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		p, items, err := decode(body)
		if err != nil {
			return
		}
		if bytes.Contains(body, []byte("Capacity")) {
			// The decoder reads only the number of units from the consumed capacity, so it may accept a page that the SDK
			// refuses.
			if _, err := sdkDecode(body); err != nil {
				return
			}
		}
		same(t, body, p, items)
	})
}

// The decoder reads random items in random JSON notation.
func TestAnyItemsAreRead(t *testing.T) {
	texts := rapid.StringMatching(`[a-z"\\\x00-\x1f<>é李🚀\x{2028}]{0,20}`)
	var values func(depth int) *rapid.Generator[attr.Value]
	values = func(depth int) *rapid.Generator[attr.Value] {
		return rapid.Custom(func(t *rapid.T) attr.Value {
			set := rapid.SliceOfN(texts, 0, 3)
			kinds := []attr.Kind{attr.S, attr.N, attr.B, attr.BOOL, attr.NULL, attr.SS, attr.NS, attr.BS, attr.L, attr.M}
			if depth == 0 {
				kinds = kinds[:8]
			}
			v := attr.Value{Kind: rapid.SampledFrom(kinds).Draw(t, "kind")}
			switch v.Kind {
			case attr.S, attr.N, attr.B:
				v.Text = texts.Draw(t, "text")
			case attr.BOOL:
				v.Bool = rapid.Bool().Draw(t, "bool")
			case attr.SS, attr.NS, attr.BS:
				v.Set = set.Draw(t, "set")
			case attr.L:
				v.List = rapid.SliceOfN(values(depth-1), 0, 3).Draw(t, "list")
			case attr.M:
				v.Map = rapid.MapOfN(texts, values(depth-1), 0, 3).Draw(t, "map")
			}
			return v
		})
	}
	names := rapid.OneOf(rapid.SampledFrom(append([]string{"other"}, wanted...)), texts)
	rapid.Check(t, func(t *rapid.T) {
		items := rapid.SliceOfN(rapid.MapOfN(names, values(2), 0, 5), 0, 6).Draw(t, "items")
		body := []byte(inJSON(t, map[string]any{"Items": items, "Count": len(items), "LastEvaluatedKey": map[string]attr.Value{"k": values(0).Draw(t, "key")}}))
		if rapid.Bool().Draw(t, "spaced") {
			var b bytes.Buffer
			if err := json.Indent(&b, body, " ", "\t"); err != nil {
				t.Fatal(err)
			}
			body = b.Bytes()
		}
		p, got, err := decode(body)
		if err != nil {
			t.Fatalf("%s: %v", body, err)
		}
		same(t, body, p, got)
	})
}

// Reading page after page allocates almost no memory.
func TestPagesMakeNoGarbage(t *testing.T) {
	var b bytes.Buffer
	b.WriteString(`{"Count":3001,"Items":[`)
	for n := range 3000 {
		fmt.Fprintf(&b, `{"PK":{"S":"ACCT#%d"},"SK":{"S":"PROFILE"},"email":{"S":"a\u0062c%d@example.com"},"a":{"SS":["x","y%d"]},"é":{"B":%q}},`, n, n, n, base64.StdEncoding.EncodeToString([]byte{byte(n)}))
	}
	b.WriteString(`{}]}`)
	body, p, seen := append(b.Bytes(), make([]byte, 64)...)[:b.Len()], scan.NewPage(wanted), 0
	visit := func(r scan.Row, _ scan.Rest) { seen += len(r[0].Text) }
	garbage := testing.AllocsPerRun(20, func() {
		if err := p.Decode(body); err != nil {
			t.Error(err)
		}
		p.Each(visit)
	})
	if garbage > 2 || seen == 0 {
		t.Errorf("a page of %d items makes %v allocations", p.Items, garbage)
	}
}

// FuzzLines checks that the decoder reads the same items as the SDK from the lines of an export, or refuses the lines.
func FuzzLines(f *testing.F) {
	f.Add([]byte("{\"Item\":{\"PK\":{\"S\":\"ada\"},\"SK\":{\"S\":\"x\"}}}\n{\"Item\":{\"email\":{\"N\":\"1\"}}}\r\n"))
	f.Add([]byte(" { \"Item\" : { } } {\"\\u0049tem\":{\"a\":{\"SS\":[\"x\",\"\\n\"]}}}"))
	for _, text := range []string{``, "\n\n", `{}`, `{"Item":null}`, `{"Item":{}`, `{"Item":{},"Item":{}}`, `{"item":{}}`, `[{"Item":{}}]`, `{"Item":{}},{"Item":{}}`, "{\"Item\":{}}\x00", `{"Metadata":{"WriteTimestampMicros":{"N":"1"}},"Keys":{}}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		p := scan.NewPage(wanted)
		if err := p.DecodeLines(slices.Clip(bytes.Clone(body))); err != nil {
			if p.Items != 0 {
				t.Fatalf("%d items of what is broken", p.Items)
			}
			return
		}
		var items []attr.Item
		p.Each(func(r scan.Row, _ scan.Rest) { items = append(items, r.Item(wanted)) })
		var wire []string
		for lines := json.NewDecoder(bytes.NewReader(body)); lines.More(); {
			line := map[string]json.RawMessage{}
			if err := lines.Decode(&line); err != nil || len(line) != 1 || line["Item"] == nil {
				t.Fatalf("%q was read, and is no lines of items: %v", body, err)
			}
			wire = append(wire, string(line["Item"]))
		}
		same(t, fmt.Appendf(nil, `{"Count":%d,"Items":[%s]}`, len(wire), strings.Join(wire, ",")), p, items)
	})
}
