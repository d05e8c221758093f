package warehouse_test

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tallylock/dynamo/check/warehouse"
	"tallylock/dynamo/client"
	"tallylock/internal/athena"
	"tallylock/internal/trino"
)

// The run names each table that a statement may still write, with the folder of its files. Expired credentials end the
// requests, but not the statement.
func TestAStatementThatMayStillRun(t *testing.T) {
	isItems := func(text string) bool { return strings.Contains(text, "CREATE TABLE tallylock_items") }
	for _, one := range []struct {
		name  string
		fault func(operation, text string) string
		kind  client.Kind
		all   bool // whether the other tables of the run stay
	}{
		{"credentials expire", func(operation, text string) string {
			if isItems(text) && operation == "StartQueryExecution" {
				return ""
			}
			if isItems(text) || strings.HasPrefix(text, "DROP TABLE") {
				return "ExpiredTokenException"
			}
			return ""
		}, client.Expired, true},
		{"the state is denied", func(operation, text string) string {
			if isItems(text) && operation == "GetQueryExecution" {
				return "AccessDeniedException"
			}
			return ""
		}, client.Denied, false},
	} {
		t.Run(one.name, func(t *testing.T) {
			s, e := server(t, func(string, <-chan struct{}) ([][]string, error) { return nil, nil })
			s.Fault = one.fault
			r := begin(t, e, described(t))
			left, err := r.Do(t.Context(), &bytes.Buffer{}, func(warehouse.State) {})
			if client.KindOf(err) != one.kind || left == nil {
				t.Fatalf("%v of the kind %q, left %v", err, client.KindOf(err), left)
			}
			want := []string{"tallylock_items_" + r.ID()}
			if one.all {
				want = append(want, "tallylock_lines_1_"+r.ID())
			}
			if !slices.Equal(left.Tables, want) || left.Folder != e.Folder(r.ID()) || left.Err == nil {
				t.Errorf("left %v: %v; want %q", left, left.Err, want)
			}
		})
	}
}

// A statement that Athena does not stop in time may still write.
func TestAStopThatAthenaIgnores(t *testing.T) {
	c := described(t)
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		defer close(ended)
		s := &athena.Server{Run: func(text string, _ <-chan struct{}) ([][]string, error) {
			if strings.HasPrefix(text, "SELECT") {
				cancel()
				<-ended
			}
			return nil, nil
		}}
		conn, err := client.Connect(ctx, client.Options{Region: "eu-west-1", Transport: nearby{s}})
		if err != nil {
			t.Fatal(err)
		}
		e, err := warehouse.NewAthena(conn, client.AthenaPlace{}, "s3://"+athena.Bucket+"/jobs")
		if err != nil {
			t.Fatal(err)
		}
		r := begin(t, e, c)
		left, err := r.Do(ctx, &bytes.Buffer{}, func(warehouse.State) {})
		if client.KindOf(err) != client.Cancelled || left == nil || left.String() != e.Folder(r.ID()) || len(s.Keys()) > 0 {
			t.Errorf("%v, left %v, and %q", err, left, s.Keys())
		}
	})
}

// A statement that Athena refuses leaves nothing, so the run does not name its table although the drop is refused, too.
func TestARefusedStatement(t *testing.T) {
	s, e := server(t, func(string, <-chan struct{}) ([][]string, error) { return nil, nil })
	s.Fault = func(_, text string) string {
		if strings.Contains(text, "tallylock_lines") {
			return "AccessDeniedException"
		}
		return ""
	}
	left, err := begin(t, e, described(t)).Do(t.Context(), &bytes.Buffer{}, func(warehouse.State) {})
	if client.KindOf(err) != client.Denied || left != nil {
		t.Errorf("%v, left %v", err, left)
	}
}

// A run drops all of its markers, also one whose first drop failed.
func TestMarkersAreDropped(t *testing.T) {
	var dropped []string
	s, e := server(t, func(text string, _ <-chan struct{}) ([][]string, error) {
		name, ok := strings.CutPrefix(text, "DROP TABLE IF EXISTS tallylock_alive_")
		if ok {
			dropped = append(dropped, name[:len("20261127090000")])
		}
		if ok && len(dropped) == 1 {
			return nil, errors.New("the metastore is away")
		}
		return nil, nil
	})
	r := begin(t, e, described(t))
	for n := range 3 {
		err := r.Renew(t.Context(), now.Add(time.Duration(n)*6*time.Hour))
		if (err != nil) != (n == 1) {
			t.Fatal(n, err)
		}
	}
	left, err := r.Do(t.Context(), &bytes.Buffer{}, func(warehouse.State) {})
	if err != nil || left != nil {
		t.Fatal(err, left)
	}
	want := []string{"20261127030000", "20261127030000", "20261127090000", "20261127150000"}
	if !slices.Equal(dropped, want) || len(s.Keys()) > 0 {
		t.Errorf("dropped %q, want %q; left %q", dropped, want, s.Keys())
	}
}

// nearby sends requests to a handler of this process, without a network.
type nearby struct{ http.Handler }

func (n nearby) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	if r.Body == nil {
		r.Body = http.NoBody
	}
	if bucket, _, ok := strings.Cut(r.URL.Host, ".s3."); ok {
		r.URL.Path = "/" + bucket + r.URL.Path
	}
	answer := httptest.NewRecorder()
	n.ServeHTTP(answer, r)
	return answer.Result(), nil
}

// While a statement runs for hours, the run renews its marker every six hours.
func TestMarkingOfALongStatement(t *testing.T) {
	c := described(t)
	transport := http.DefaultTransport
	t.Cleanup(func() { http.DefaultTransport = transport })
	synctest.Test(t, func(t *testing.T) {
		stand := &trino.Server{Rows: func(text string) []string {
			if strings.HasPrefix(text, "CREATE TABLE tallylock_items") {
				time.Sleep(13 * time.Hour) // by the clock of synctest
			}
			return nil
		}}
		http.DefaultTransport = nearby{stand}
		e := trinoAt(t, "http://me@trino")
		began := time.Now()
		r := beginAt(t, e, c, began)
		left, err := r.Do(t.Context(), &bytes.Buffer{}, func(warehouse.State) {})
		if err != nil || left != nil {
			t.Error(err, left)
		}
		var got []string
		for _, text := range stand.Sent() {
			if verb, name, ok := strings.Cut(text, " tallylock_alive_"); ok {
				got = append(got, verb+" "+name[:len("20261127030000")])
			}
		}
		first, second := began.UTC().Add(6*time.Hour).Format("20060102150405"), began.UTC().Add(12*time.Hour).Format("20060102150405")
		want := []string{
			"CREATE TABLE " + first, "CREATE TABLE " + second, "DROP TABLE IF EXISTS " + first, "DROP TABLE IF EXISTS " + second,
		}
		if !slices.Equal(got, want) {
			t.Errorf("sent %q, want %q", got, want)
		}
	})
}

// The run names a marker that may still be made.
func TestAMarkerThatMayStillBeMade(t *testing.T) {
	s, e := server(t, func(string, <-chan struct{}) ([][]string, error) { return nil, nil })
	s.Fault = func(operation, text string) string {
		if strings.HasPrefix(text, "CREATE TABLE tallylock_alive") && operation == "GetQueryExecution" {
			return "AccessDeniedException"
		}
		return ""
	}
	r := begin(t, e, described(t))
	if err := r.Renew(t.Context(), now); client.KindOf(err) != client.Denied {
		t.Fatal(err)
	}
	left, err := r.Do(t.Context(), &bytes.Buffer{}, func(warehouse.State) {})
	if err != nil || left == nil || !slices.Equal(left.Tables, []string{"tallylock_alive_20261127030000_" + r.ID()}) {
		t.Errorf("%v, left %v", err, left)
	}
}
