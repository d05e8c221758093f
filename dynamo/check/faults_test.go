package check_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/scan"
	"tallylock/internal/generator"
)

// These tests use the time of synctest, which advances as soon as all goroutines wait. A goroutine that outlives its
// scan fails its test.

func madeUp() *generator.Table {
	return &generator.Table{Name: "accounts", Pages: 150, PerPage: 20, Seed: 3, Anomalies: []generator.Wrong{{Kind: generator.OrphanedLock, Count: 40}, {Kind: generator.StaleLock, Count: 30}}}
}

// network delays each request, passes it on, and notes the times of scans.
type network struct {
	*generator.Table
	latency time.Duration
	// answer may answer a request instead; it may be nil.
	answer func(r *http.Request, body string) *http.Response

	mu    sync.Mutex
	scans []time.Time
}

func (n *network) RoundTrip(r *http.Request) (*http.Response, error) {
	time.Sleep(n.latency)
	if !strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".Scan") {
		return n.Table.RoundTrip(r)
	}
	n.mu.Lock()
	n.scans = append(n.scans, time.Now())
	n.mu.Unlock()
	if n.answer != nil {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		if response := n.answer(r, string(body)); response != nil {
			return response, nil
		}
		r = r.Clone(r.Context())
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	return n.Table.RoundTrip(r)
}

func (n *network) open(t *testing.T) (*dynamo.Connection, client.Description) {
	t.Helper()
	c := connected(t, behind(n))
	d, err := c.Describe(t.Context(), n.Name)
	if err != nil {
		t.Fatal(err)
	}
	if len(n.scans) > 0 {
		t.Fatal("pages were read before the scan")
	}
	return c, d
}

func sameItems(t *testing.T, got, want map[string]attr.Item) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%d items; want %d", len(got), len(want))
	}
	for id, item := range want {
		if !got[id].Equal(item) {
			t.Fatalf("got %v; want %v", got[id], item)
		}
	}
}

// Despite faults of requests, a scan visits each item once, and gives up no segment.
func TestFaults(t *testing.T) {
	t.Parallel()
	for name, faults := range map[string]generator.Faults{
		"nothing":    {},
		"throttling": {Throttled: 0.3},
		"corruption": {Corrupted: 0.05},
		"cuts":       {Cut: 0.05},
		"all":        {Throttled: 0.3, Corrupted: 0.05, Cut: 0.05},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				clean, n := &network{Table: madeUp()}, &network{Table: madeUp(), latency: 10 * time.Millisecond}
				clean.Pages, n.Pages, clean.PerPage, n.PerPage = 120, 120, 4, 4
				c, d := clean.open(t)
				want, _, err := scanned(t, t.Context(), c, d, scan.Options{Attributes: columns, Segments: 1, Workers: 1, MaxReadUnits: -1})
				if err != nil || len(want) != clean.Items() {
					t.Fatalf("%d items of %d: %v", len(want), clean.Items(), err)
				}
				n.Faults = faults
				c, d = n.open(t)
				var progress scan.Progress
				got, totals, err := scanned(t, t.Context(), c, d, scan.Options{Attributes: columns, Segments: 64, Workers: 16, MaxReadUnits: -1, Progress: &progress})
				if err != nil {
					t.Fatal(err)
				}
				sameItems(t, got, want)
				if !totals.Complete() || totals.Done != 64 || totals.Items != int64(n.Items()) || totals.Pages != int64(n.Pages) || progress.Totals().Items != totals.Items {
					t.Errorf("%+v", totals)
				}
				if (totals.Throttled > 0) != (faults.Throttled > 0) || totals.Reasons["TableReadProvisionedThroughputExceeded"] != totals.Throttled {
					t.Errorf("throttled: %+v", totals)
				}
				if (totals.Repeated > 0) != (faults.Cut+faults.Corrupted > 0) {
					t.Errorf("repeated: %+v", totals)
				}
				if sent := totals.Pages + totals.Throttled + totals.Repeated; int64(len(n.scans)) != sent {
					t.Errorf("%d requests, and %d are accounted for", len(n.scans), sent)
				}
			})
		})
	}
}

// A consistent scan costs twice as much, and reads the same items.
func TestConsistentScan(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := &network{Table: madeUp()}
		c, d := n.open(t)
		o := scan.Options{Attributes: columns, Segments: 5, MaxReadUnits: -1}
		_, eventual, err := scanned(t, t.Context(), c, d, o)
		if err != nil {
			t.Fatal(err)
		}
		o.Consistent = true
		_, consistent, err := scanned(t, t.Context(), c, d, o)
		if err != nil || consistent.Units != 2*eventual.Units || consistent.Items != eventual.Items || eventual.Units == 0 {
			t.Errorf("%+v and %+v, %v", consistent, eventual, err)
		}
		if c.Units() != consistent.Units+eventual.Units {
			t.Errorf("the connection has paid %v", c.Units())
		}
	})
}

// canceller stops the scan after some items.
type canceller struct {
	keeper
	left int
	stop context.CancelFunc
}

func (c *canceller) Visit(r scan.Row, rest scan.Rest) {
	c.keeper.Visit(r, rest)
	if c.left--; c.left == 0 {
		c.stop()
	}
}

// A stopped scan counts exactly the items that it has visited.
func TestCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &network{Table: madeUp(), latency: 30 * time.Millisecond}
		c, d := n.open(t)
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		var visitors []*canceller
		totals, err := scan.Table(ctx, c.Client, d, scan.Options{Attributes: columns, Segments: 30, Workers: 4, MaxReadUnits: 500}, func() scan.Visitor {
			visitors = append(visitors, &canceller{keeper: keeper{names: columns}, left: 400, stop: stop})
			return visitors[len(visitors)-1]
		})
		if client.KindOf(err) != client.Cancelled {
			t.Errorf("%v", err)
		}
		visited := 0
		for _, v := range visitors {
			visited += len(v.items)
		}
		if totals.Complete() || totals.Items != int64(visited) || visited < 400 || visited >= n.Items() || totals.Units == 0 {
			t.Errorf("%d were visited; %+v", visited, totals)
		}
		sent := len(n.scans)
		time.Sleep(time.Hour)
		if len(n.scans) != sent {
			t.Error("requests were sent after the scan")
		}
	})
}

// asked returns the body of a request, and a copy of the request to send on.
func asked(r *http.Request) (string, *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return "", nil
	}
	r = r.Clone(r.Context())
	r.Body = io.NopCloser(bytes.NewReader(body))
	return string(body), r
}

// respond returns an answer without a checksum.
func respond(r *http.Request, status int, body string) *http.Response {
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)), Request: r, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1}
}

// An error that no retry can repair ends the whole scan at once. Throttling ends it after some retries.
func TestRefusals(t *testing.T) {
	for code, want := range map[string]client.Kind{
		"AccessDeniedException":                  client.Denied,
		"ResourceNotFoundException":              client.NoTable,
		"ProvisionedThroughputExceededException": client.Throttled,
	} {
		t.Run(code, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := &network{Table: madeUp(), latency: time.Millisecond}
				n.answer = func(r *http.Request, body string) *http.Response {
					if !strings.Contains(body, `"Segment":7,`) {
						return nil
					}
					return respond(r, 400, `{"__type":"com.amazonaws.dynamodb.v20120810#`+code+`","message":"no"}`)
				}
				c, d := n.open(t)
				start := time.Now()
				_, totals, err := scanned(t, t.Context(), c, d, scan.Options{Attributes: columns, Segments: 30, Workers: 30, MaxReadUnits: -1})
				if client.KindOf(err) != want || totals.Complete() {
					t.Errorf("%v, %+v", err, totals)
				}
				took := time.Since(start)
				if want == client.Throttled && (totals.Throttled != 19 || took < 30*time.Second || took > 2*time.Minute) {
					t.Errorf("tried for %v: %+v", took, totals)
				}
				if want != client.Throttled && took > time.Second {
					t.Errorf("tried for %v", took)
				}
			})
		})
	}
}

// A scan retries an answer whose body is no page.
func TestNoPage(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{"empty": "", "another protocol": "<html>", "no items": "{}", "an error": `{"__type":"x"}`} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := &network{Table: madeUp()}
				answers := 0
				n.answer = func(r *http.Request, _ string) *http.Response {
					n.mu.Lock()
					defer n.mu.Unlock()
					if answers++; answers%3 == 0 {
						return nil
					}
					return respond(r, 200, body)
				}
				c, d := n.open(t)
				items, totals, err := scanned(t, t.Context(), c, d, scan.Options{Attributes: columns, Segments: 3, MaxReadUnits: -1})
				if err != nil || len(items) != n.Items() || totals.Repeated != 2*totals.Pages {
					t.Errorf("%d items, %+v, %v", len(items), totals, err)
				}
			})
		})
	}
}

// If each answer is damaged, the error does not say that the endpoint is unreachable.
func TestNeverAPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &network{Table: madeUp()}
		n.Faults.Corrupted = 1
		c, d := n.open(t)
		_, totals, err := scanned(t, t.Context(), c, d, scan.Options{Attributes: columns, Segments: 1, MaxReadUnits: -1})
		if client.KindOf(err) != client.Failed || !strings.Contains(err.Error(), "the answer was damaged on the way:") || totals.Items != 0 || len(n.scans) != 20 {
			t.Errorf("%v after %d requests, %+v", err, len(n.scans), totals)
		}
	})
}

// A scan survives the same faults over a real connection: answers that end early, and answers with a changed byte.
func TestFaultsOverHTTP(t *testing.T) {
	table := madeUp()
	table.Faults = generator.Faults{Corrupted: 0.05, Cut: 0.05}
	c := served(t, generated{table}, dynamo.Options{}, httpOne)
	d, err := c.Describe(t.Context(), table.Name)
	if err != nil {
		t.Fatal(err)
	}
	items, totals, err := scanned(t, t.Context(), c, d, scan.Options{Attributes: columns, Segments: 20, Workers: 8, MaxReadUnits: -1})
	if err != nil || len(items) != table.Items() || totals.Repeated == 0 {
		t.Errorf("%d items of %d, %+v, %v", len(items), table.Items(), totals, err)
	}
}
