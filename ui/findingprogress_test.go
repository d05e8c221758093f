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
	"tallylock/internal/testrun"
	"tallylock/ui/session"
)

// turnstile lets the pages of a scan with four segments through one by one.
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

// slow starts a program that checks a table of 40 pages. The check reads a page only when the test calls let.
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

// checking starts a program, and begins the check of a table.
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

// share returns the text for the finished share of a check. The share depends on the speed of the reading. With the
// race detector it is unpredictable, so any share matches.
func share(percent string) string {
	if testrun.Race {
		percent = "%"
	}
	return percent + " · provisional"
}

// During a check, the screen shows the progress of the whole check and of the slowest segment. The progress includes
// the second reading, which costs more than the first.
func TestPartsOfACheck(t *testing.T) {
	t.Parallel()
	term, let := slow(t, 80, 24)
	term.see("4 parts", "0 ended")
	let(36) // at least 6 of each segment
	term.see("3,240 of about 3,600 items", "4 parts", "the slowest at", share("29 %"))
	let(4)
	term.see("✓ Checked", "3,600 items", "● Nothing is wrong.")
}

// A check stays paused on other screens. It continues where it paused, and a paused check can be stopped.
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

// If memory is too small for all suspicious values, the check examines a part of them. It says how many values look
// broken, and which memory is enough.
func TestMoreThanMemory(t *testing.T) {
	t.Parallel()
	table := &generator.Table{Name: "accounts", Pages: 40, PerPage: 30, Seed: 1, Anomalies: []generator.Wrong{{Kind: generator.OrphanedLock, Count: 300}}}
	term := checking(t, table, 100, 40, setting.Options{Memory: 100 << 10})
	term.see("! Incomplete", "values look broken", "orphaned-lock", " % of these", "--memory")
}

// TestProgressScreens draws the progress of a check.
func TestProgressScreens(t *testing.T) {
	t.Parallel()
	if testrun.Race {
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

// In a narrow window, there are gaps between the numbers above the progress.
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
