package check_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/client"
	"tallylock/dynamo/scan"
)

// A scan keeps to the allowed read units in every second, except for one page of each worker. The cost of a page is
// unknown until its answer.
func TestPace(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*network, *client.Description){
		"a table of known size":   func(*network, *client.Description) {},
		"of unknown size":         func(_ *network, d *client.Description) { d.Bytes = 0 },
		"whose pages come slowly": func(n *network, _ *client.Description) { n.latency = 250 * time.Millisecond },
		"that is throttled":       func(n *network, _ *client.Description) { n.Faults.Throttled = 0.3 },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const rate, workers = 12, 4
				n := &network{Table: madeUp(), latency: 20 * time.Millisecond}
				c, d := n.open(t)
				change(n, &d)
				start := time.Now()
				_, totals, err := scanned(t, t.Context(), c, d, scan.Options{Attributes: columns, Segments: 20, Workers: workers, MaxReadUnits: rate})
				if err != nil {
					t.Fatal(err)
				}
				page := totals.Units / float64(totals.Pages)
				for first := range n.scans {
					in := 0
					for _, at := range n.scans[first:] {
						if at.Sub(n.scans[first]) < time.Second {
							in++
						}
					}
					if n.Faults.Throttled == 0 && float64(in)*page > rate+workers*page {
						t.Fatalf("%d requests of %v units in one second", in, page)
					}
				}
				want := totals.Units / rate
				took := time.Since(start).Seconds()
				if took < 0.95*want || took > 1.3*want+1 {
					t.Errorf("%v units took %v s; want %v", totals.Units, took, want)
				}
			})
		})
	}
}

// Single reads before and after the scans keep to the pace, too.
func TestPaceOfSingleReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const rate = 10
		table := start(t).open("accounts")
		began := time.Now()
		_, sum, err := run(t.Context(), table, setting.Options{MaxReadUnits: rate, Segments: 1})
		if err != nil || len(sum.Findings) != 4 {
			t.Fatalf("%+v, %v", sum, err)
		}
		// The check does not wait after its last reads: a batch of locks, or one read of each worker.
		if took, want := time.Since(began).Seconds(), (sum.ReadUnits-70)/rate; took < want {
			t.Errorf("%v units took %v s, and not %v", sum.ReadUnits, took, want)
		}
	})
}

// The watch of the candidates' locks keeps to the pace, too.
func TestPaceOfTheWatch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const rate = 10
		f := start(t)
		items := []doc{user("held", "held"), mail("held")}
		for n := range 40 {
			items = append(items, mail(fmt.Sprint(n)))
		}
		f.create("watched", "PK:S", "SK:S", items...)
		began := time.Now()
		found, sum, err := run(t.Context(), f.described("watched", users()), setting.Options{MaxReadUnits: rate, Segments: 600})
		if err != nil || len(found) != 40 || !strings.Contains(found[0].Evidence, "more readings") {
			t.Fatalf("%d found, %+v, %v", len(found), sum, err)
		}
		if took, want := time.Since(began).Seconds(), (sum.ReadUnits-150)/rate; took < want {
			t.Errorf("%v units took %v s, and not %v", sum.ReadUnits, took, want)
		}
	})
}

func TestPlan(t *testing.T) {
	for _, c := range []struct {
		d                 client.Description
		o                 scan.Options
		pace              float64
		segments, workers int
	}{
		{d: client.Description{}, segments: 4, workers: 4},
		{d: client.Description{Bytes: 100 << 30, WarmReads: 12000}, o: scan.Options{MaxReadUnits: 6000, Segments: 1600}, pace: 6000, segments: 1600, workers: 11},
		{d: client.Description{Bytes: 1 << 20, ReadLimit: 10, WarmReads: 12000}, o: scan.Options{MaxReadUnits: 5, Segments: 4}, pace: 5, segments: 4, workers: 2},
		{d: client.Description{Bytes: 1 << 50, WarmReads: 4_000_000}, o: scan.Options{MaxReadUnits: 2e6, Segments: 100_000}, pace: 2e6, segments: 100_000, workers: 64},
	} {
		if c.o.Segments == 0 {
			c.o.Segments = c.segments
		}
		if pace, segments, workers := scan.RateOf(c.d, 0), scan.SegmentsOf(c.d), scan.WorkersFor(c.o); pace != c.pace || segments != c.segments || workers != c.workers {
			t.Errorf("%+v: %v units a second, %d segments, %d workers; want %v, %d, %d", c.d, pace, segments, workers, c.pace, c.segments, c.workers)
		}
	}
	if got := strings.Join(attr.Columns("PK", "contact.email.work", "PK", "", "contact"), " "); got != "PK contact contact.email contact.email.work" {
		t.Error(got)
	}
}
