package client

import (
	"errors"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/remedy"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// wire is a transport. It records the operation of each request, and fails the request.
type wire struct {
	mu   sync.Mutex
	sent []string
}

func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	w.sent = append(w.sent, operation)
	return nil, errors.New("nobody is here")
}

// The test sends every operation of the SDK, also future ones, through a guarded client. Only allowed
// operations reach the wire.
func TestGuardLetsOnlyTheAllowListThrough(t *testing.T) {
	reads := []string{"BatchGetItem", "DescribeTable", "DescribeTimeToLive", "GetItem", "ListTables", "Query", "Scan", "TransactGetItems"}
	for _, tc := range []struct {
		write bool
		want  []string
	}{
		{false, reads},
		{true, append(slices.Clone(reads), "TransactWriteItems")},
	} {
		w := &wire{}
		c, err := Connect(t.Context(), Options{Transport: w, Write: tc.write})
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range callAll(t, c.sdk, func(o *dynamodb.Options) { o.RetryMaxAttempts = 1 }) {
			if !slices.Contains(tc.want, name) {
				t.Errorf("write=%v: the guard should have refused %s", tc.write, name)
			}
		}
		slices.Sort(w.sent)
		if got := slices.Compact(w.sent); !slices.Equal(got, slices.Sorted(slices.Values(tc.want))) {
			t.Errorf("write=%v: these reached the wire: %v; want %v", tc.write, got, tc.want)
		}
	}
}

// fill fills an input with values that the SDK's validation accepts, so that only the guard can refuse a
// request.
func fill(v reflect.Value, depth int) {
	if depth > 6 || !v.CanSet() {
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), depth+1)
	case reflect.Struct:
		for _, field := range v.Fields() {
			fill(field, depth+1)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), depth+1)
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		value := reflect.New(v.Type().Elem()).Elem()
		fill(value, depth+1)
		v.SetMapIndex(reflect.ValueOf("k").Convert(v.Type().Key()), value)
	case reflect.String:
		v.SetString("x")
	}
}

func TestAReadOnlyConnectionSaysHowToWrite(t *testing.T) {
	c, err := Connect(t.Context(), Options{Transport: &wire{}})
	if err != nil {
		t.Fatal(err)
	}
	request, err := Request("token", []Write{{Verb: Check, Table: "t", Key: attr.Key{Hash: attr.Attribute{Name: "x", Value: attr.String("a")}}}})
	if err != nil {
		t.Fatal(err)
	}
	a := c.Transact(t.Context(), request)
	known, _ := errors.AsType[*Error](a.Err)
	if a.Result != Rejected || KindOf(a.Err) != ReadOnly || known.Remedy.Code != remedy.AddWrite {
		t.Errorf("result %s, error %#v; want rejected, read-only, and how to write", a.Result, known)
	}
}
