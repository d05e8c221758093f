package ui_test

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/embedded/sdk"
)

// sent records the requests of a connection.
type sent struct {
	next http.RoundTripper
	mu   sync.Mutex
	all  []string
}

func (s *sent) RoundTrip(r *http.Request) (*http.Response, error) {
	_, op, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	s.mu.Lock()
	s.all = append(s.all, op)
	s.mu.Unlock()
	return s.next.RoundTrip(r)
}

// take returns the requests since the last call, sorted by name.
func (s *sent) take() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.all
	s.all = nil
	slices.Sort(all)
	return all
}

// onTown returns the demo with a table that is larger than AutoReadUnits allows. 30 locks in the table have no account.
func onTown(t *testing.T) (*setup, *sent) {
	t.Helper()
	requests := &sent{}
	s := onDemo(t, describing, func(o *dynamo.Options) { requests.next, o.Transport = o.Transport, requests })
	var rows []sdk.Item
	for n := range 700 {
		v := fmt.Sprintf("town%03d", n)
		rows = append(rows,
			sdk.Item{
				"PK": sdk.S("ACCT#" + v), "SK": sdk.S("PROFILE"), "username": sdk.S(v), "email": sdk.S(v + "@x.io"),
				"about": sdk.S(strings.Repeat("x", 3900)),
			},
			sdk.Item{"PK": sdk.S("UNIQ#EMAIL#" + v + "@x.io"), "SK": sdk.S("LOCK")},
			sdk.Item{"PK": sdk.S("UNIQ#HANDLE#" + v), "SK": sdk.S("LOCK")},
		)
	}
	for n := range 30 {
		rows = append(rows, sdk.Item{"PK": sdk.S(fmt.Sprintf("UNIQ#HANDLE#stuck%02d", n)), "SK": sdk.S("LOCK")})
	}
	if err := sdk.Fill(t.Context(), s.demo.App(), sdk.Table("people", "PK:S", "SK:S"), rows...); err != nil {
		t.Fatal(err)
	}
	s.options.Table = "people"
	return s, requests
}

// percent returns the share of the table that was read, from the line under the rows.
func percent(frame string) string {
	return regexp.MustCompile(`\d+ % read`).FindString(frame)
}

// readsAll reads the table to its end.
func (term *terminal) readsAll() {
	term.t.Helper()
	term.see("read · provisional")
	for !strings.Contains(term.screen(), "whole table") {
		before := row(term.screen(), " of ")
		term.press("G")
		term.until("more rows", func(s string) bool { return row(s, " of ") != before || strings.Contains(s, "whole table") })
		term.quiet()
	}
}

// onAgain waits until the first page is read again and the cursor is on a row with this value and this verdict.
func (term *terminal) onAgain(value, verdict string) string {
	term.t.Helper()
	frame := term.until("the row of "+value, func(s string) bool {
		at := row(s, "▸")
		return strings.Contains(at, " "+value+" ") && strings.Contains(at, verdict) && percent(s) != ""
	})
	term.quiet()
	if percent(frame) != percent(term.screen()) {
		term.t.Errorf("more than the first page is read:\n%s", term.screen())
	}
	return term.screen()
}

// A table is read again while a row far down is selected. The list comes back to the row, with only one more request
// than for the first page. No further page is read until a person moves the cursor.
func TestAListComesBackToARowFarDown(t *testing.T) {
	s, requests := onTown(t)
	term := s.run(t)
	term.readsAll()
	value := valueAt(term)
	requests.take()
	term.press("<ctrl+r>")
	frame := term.onAgain(value, "● held")
	if got := strings.Join(requests.take(), " "); got != "BatchGetItem BatchGetItem BatchGetItem Scan" {
		t.Errorf("it sent %s; want the page, its locks in two batches, and the row in one\n%s", got, frame)
	}
	before := percent(frame)
	term.press("j")
	term.until("the next page", func(s string) bool { return percent(s) != before && percent(s) != "" })
}

// After the change of a value far down, the list comes back to the new value and its verdict.
func TestAListComesBackToAChangedValueFarDown(t *testing.T) {
	s, _ := onTown(t)
	term := s.run(t)
	term.readsAll()
	term.press("e")
	term.see("Type another.")
	term.press("other@x.io<tab>")
	term.see("price")
	term.press("<tab>")
	term.agree("Change it")
	term.press("<enter>")
	term.onAgain("other@x.io", "● held")
}

// After the release of a lock far down, the list comes back to the row below it.
func TestAListComesBackToTheRowBelowAReleasedLock(t *testing.T) {
	s, _ := onTown(t)
	term := s.run(t)
	term.readsAll()
	term.press("2G")
	below := strings.Fields(row(term.see("● held"), "▸"))[2]
	term.press("k")
	if !strings.Contains(row(term.screen(), "▸"), "orphaned") {
		t.Fatalf("the lock above the last one has an account:\n%s", term.screen())
	}
	term.press("r")
	term.see("▸ No, leave it", "price")
	term.agree("Release the lock")
	term.press("<enter>")
	term.onAgain(below, "")
}

// valueAt returns the value of the selected row.
func valueAt(term *terminal) string {
	term.t.Helper()
	at := strings.Fields(row(term.screen(), "▸"))
	for n, word := range at {
		if word == "username" || word == "email" {
			return at[n+1]
		}
	}
	term.t.Fatalf("the selected row is %q", at)
	return ""
}
