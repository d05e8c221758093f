package browse_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"testing"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/browse"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/verdict"
	"tallylock/internal/fixture"
)

// tripTime is the delay that the benchmarks add to each answer, as from an endpoint in the next country.
const tripTime = 40 * time.Millisecond

// far is an endpoint whose answers take tripTime longer.
type far struct{ http.RoundTripper }

func (f far) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := f.RoundTripper.RoundTrip(r)
	time.Sleep(tripTime)
	return answer, err
}

// served sends requests to an HTTP server instead of the engine.
type served struct{ host string }

func (s served) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.URL.Scheme, r.URL.Host = "http", s.host
	return http.DefaultTransport.RoundTrip(r)
}

// BenchmarkFirstPage measures how long a screen of a table takes at an endpoint that is 40 ms away, in process and over
// HTTP: until it shows rows, their locks, and their verdicts (the whole operation). It also measures the reading of one
// page alone.
func BenchmarkFirstPage(b *testing.B) {
	f := fixture.New(b)
	known := f.Town("town", 2000)
	server := httptest.NewServer(f.Engine)
	b.Cleanup(server.Close)
	at, err := url.Parse(server.URL)
	if err != nil {
		b.Fatal(err)
	}
	for _, where := range []struct {
		name      string
		transport http.RoundTripper
	}{{"in process", f.Engine.Transport()}, {"http", served{at.Host}}} {
		connect := func(layouts ...config.Layout) *dynamo.Connection {
			return f.Connect(func(o *dynamo.Options) { o.Transport, o.Layouts = far{where.transport}, layouts })
		}
		b.Run(where.name+"/page", func(b *testing.B) {
			r := connect().Reader()
			for b.Loop() {
				if _, err := r.Scan(b.Context(), "town", client.PageInput{Limit: 25, Consistent: true}); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(where.name+"/described", func(b *testing.B) { firstPage(b, func() *dynamo.Connection { return connect(known) }) })
		b.Run(where.name+"/recognised", func(b *testing.B) { firstPage(b, func() *dynamo.Connection { return connect() }) })
	}
}

// firstPage opens a table until its first rows are judged. It reports the times until the rows and until their locks
// are shown.
func firstPage(b *testing.B, connect func() *dynamo.Connection) {
	var rows, locks time.Duration
	units := 0.0
	for b.Loop() {
		conn, began := connect(), time.Now()
		o, err := conn.Start(b.Context(), "town", 25)
		if err != nil {
			b.Fatal(err)
		}
		shown, read := false, false
		for browser := browse.NewOpening(o); browser.Table() == nil; {
			v, err := browser.Next(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			took := time.Since(began)
			if !read && len(v.Relations) > 0 && !slices.ContainsFunc(v.Relations, func(r *verdict.Relation) bool { return r.Lock.Unread }) {
				read = true
				locks += took
			}
			if !shown && len(v.Items) > 0 {
				shown = true
				rows += took
			}
		}
		units += conn.Units()
	}
	ms := func(d time.Duration) float64 { return float64(d.Milliseconds()) / float64(b.N) }
	b.ReportMetric(ms(rows), "ms-to-rows")
	b.ReportMetric(ms(locks), "ms-to-locks")
	b.ReportMetric(ms(b.Elapsed()), "ms-to-verdicts")
	b.ReportMetric(units/float64(b.N), "units/op")
}
