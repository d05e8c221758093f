package ui_test

import (
	"bytes"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout/config"
	"tallylock/internal/generator"
	"tallylock/ui/session"
)

// turnstile lets the pages of a scan in four parts through one by one.
type turnstile struct {
	next http.RoundTripper
	turn chan struct{}
}

func (g *turnstile) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	if bytes.Contains(body, []byte(`"TotalSegments":4`)) {
		select {
		case <-g.turn:
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	return g.next.RoundTrip(r)
}

// slow is a table of 40 pages, of which each is read when the test lets it, and a
// program that has begun to check it.
func slow(t *testing.T, w, h int) (term *terminal, let func(pages int)) {
	t.Helper()
	gate := &turnstile{&generator.Table{Name: "accounts", Pages: 40, PerPage: 30, Seed: 1}, make(chan struct{})}
	term = checking(t, gate, w, h, setting.Options{})
	term.see("Reading", "p pause")
	return term, func(pages int) {
		for range pages {
			gate.turn <- struct{}{}
		}
	}
}

// checking is a program that has begun to check a table.
func checking(t *testing.T, table http.RoundTripper, w, h int, o setting.Options) *terminal {
	t.Helper()
	conn, err := dynamo.Connect(t.Context(), dynamo.Options{Options: client.Options{Transport: table, Region: "us-east-1", AutoReadUnits: 0.5, Settle: time.Millisecond}, Asked: true, Layouts: []config.Layout{uniq("accounts")}})
	if err != nil {
		t.Fatal(err)
	}
	journal, err := journal.Open(filepath.Join(t.TempDir(), "journal", "journal.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	s := &setup{conn: conn, w: w, h: h, options: session.Options{
		Connections: []session.Connection{{Connection: conn, Changer: &change.Changer{Journal: journal, Who: "sam"}}}, Table: "accounts", Theme: session.Dark, Check: o,
	}}
	term := s.run(t)
	term.see("VERDICT", "ACCT#")
	term.press("4")
	term.see("enter check")
	term.press("<enter>")
	return term
}

// share is how much of a check is done. It follows the pace of the reading, which the race detector
// spoils: with it any share will do.
func share(percent string) string {
	if raceDetector {
		percent = "%"
	}
	return percent + " · provisional"
}

// While a table is read, how far the whole check is stands there, the second reading, which is
// the dearer one, counted in, and how far each part of the table is; a part that is
// behind is told.
func TestPartsOfACheck(t *testing.T) {
	t.Parallel()
	term, let := slow(t, 80, 24)
	term.see("4 parts", "0 ended")
	let(36) // of each part 6 at least
	term.see("3,240 of about 3,600 items", "4 parts", "the slowest at", share("29 %"))
	let(4)
	term.see("✓ Checked", "3,600 items", "● Nothing is wrong.")
}

// A check is paused, whatever is looked at meanwhile, reads on where it was, and
// can be stopped while it is paused.
func TestACheckIsPaused(t *testing.T) {
	t.Parallel()
	term, let := slow(t, 80, 24)
	let(20)
	term.see("1,800 of about 3,600 items")
	term.press("p")
	term.see("Paused since", " s so far", share("16 %"), "p read on   x stop, keep what was found")
	term.press("1")
	term.see("VERDICT")
	term.press("4")
	term.see("Paused since", share("16 %"))
	term.press("p")
	term.see("Reading", "p pause")
	term.press("p")
	term.see("Paused since")
	term.press("x")
	term.see("! Incomplete", "Stopped after 1,800 of about 3,600 items.", "costs", "enter check it", "ctrl+r check again")
	term.press("p")
	term.see("No check is under way.")
}

// More is wrong than memory tells apart: a part of it is looked into, and how much there
// is, and the memory that would do, are said.
func TestMoreThanMemory(t *testing.T) {
	t.Parallel()
	table := &generator.Table{Name: "accounts", Pages: 40, PerPage: 30, Seed: 1, Anomalies: []generator.Wrong{{Kind: generator.OrphanedLock, Count: 300}}}
	term := checking(t, table, 100, 40, setting.Options{Memory: 100 << 10})
	term.see("! Incomplete", "values look broken", "orphaned-lock", "in a hundred of them", "--memory")
}

// The progress as it looks.
func TestProgressScreens(t *testing.T) {
	t.Parallel()
	if raceDetector {
		t.Skip("the picture has the share that is done, which follows the pace of the reading: run it without -race")
	}
	for name, size := range map[string][2]int{"paused": {80, 24}, "paused-140x40": {140, 40}, "paused-60x16": {60, 16}} {
		t.Run(name, func(t *testing.T) {
			term, let := slow(t, size[0], size[1])
			let(36)
			term.see(share("29 %"))
			term.press("p")
			term.picture("Paused since")
		})
	}
}

// The numbers above the progress stay apart where the window is narrow.
func TestNumbersOfACheckStayApart(t *testing.T) {
	s := onDemo(t, func(o *dynamo.Options) { o.Settle = 20 * time.Minute })
	s.w = 60
	term := s.run(t)
	term.see("VERDICT", "● held")
	term.press("4")
	if frame := term.see("for writes in progress", "followed up"); !strings.Contains(frame, "for writes in progress   ") {
		t.Errorf("the numbers run together:\n%s", frame)
	}
}
