package ui_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/schema"
)

// Marked locks are released together, with one reading of the table and a receipt for each lock. If an account has
// taken a value in the meantime, its lock stays.
func TestReleaseMarkedLocks(t *testing.T) {
	s := onDemo(t)
	term := s.run(t)
	term.see("confirmed")
	term.press("<space>")
	term.see(`Not released: ACCT#a1f9c3 holds "ada@lovelace.io"`)
	for _, name := range []string{"turing", "mel@oldmail.test", "alan"} {
		term.press("g")
		term.to(name)
		term.press("<space>")
	}
	term.see("3 marked", "■")
	term.press("2")
	term.see("3 marked", "release 3")
	term.press("r")
	term.see("Release 3 locks", "UNIQ#HANDLE#turing / LOCK", "UNIQ#EMAIL#mel@oldmail.test / LOCK", "price", "▸ No, leave it")
	s.put(t, "accounts", sdk.Item{
		"PK": sdk.S("ACCT#late"), "SK": sdk.S("PROFILE"), "username": sdk.S("alan"),
	})
	term.press("<tab>")
	term.see("▸ Release 3 locks")
	term.press("<enter>")
	term.see("✓ Applied in part", "2 of 3 locks released", "✓ username turing", "✗ username alan", "ACCT#late")
	for pk, want := range map[string]bool{"UNIQ#HANDLE#turing": false, "UNIQ#EMAIL#mel@oldmail.test": false, "UNIQ#HANDLE#alan": true} {
		if got := lock(t, s, pk) != nil; got != want {
			t.Errorf("%s is there: %v, want %v", pk, got, want)
		}
	}
	term.press("<enter>")
	term.gone("Applied in part")
	term.gone("marked")
	term.press("5")
	term.see("of 3", "✗ refused", "✓ applied")
}

// The dialog for several locks lists each with its attributes and its age.
func TestMarkedLocksAreListedWithTheirAges(t *testing.T) {
	s := onDemo(t)
	s.put(t, "accounts", sdk.Item{
		"PK": sdk.S("UNIQ#HANDLE#dated"), "SK": sdk.S("LOCK"), "status": sdk.S("CONFIRMED"),
		"createdAt": sdk.S(time.Now().Add(-77 * time.Hour).Format(time.RFC3339)),
	})
	term := s.run(t)
	term.see("confirmed")
	for _, name := range []string{"turing", "dated"} {
		term.press("g")
		term.to(name)
		term.press("<space>")
	}
	term.press("r")
	term.see("UNIQ#HANDLE#dated / LOCK: 3 days old, status = CO… ", "UNIQ#HANDLE#turing / LOCK ")
}

// If the layout says that writers move values between accounts, a person must type each value, so the locks are
// released one by one.
func TestLocksOfMovingValuesAreReleasedOneByOne(t *testing.T) {
	s := onDemo(t, func(o *dynamo.Options) {
		o.Layouts = []config.Layout{{Name: "ours", Tables: []string{"accounts"}, Accounts: []config.Account{{
			PK: "ACCT#{id}", SK: "PROFILE", Constraints: []config.Constraint{{Attribute: "username", PK: "UNIQ#HANDLE#{v}", SK: "LOCK", Moves: true}},
		}}}}
	})
	s.put(t, "accounts", sdk.Item{"PK": sdk.S("UNIQ#HANDLE#odd"), "SK": sdk.S("LOCK")})
	term := s.run(t)
	term.see("whole table", "● held")
	for _, name := range []string{"turing", "odd"} {
		term.press("g")
		term.to(name)
		term.press("<space>")
	}
	term.see("2 marked")
	term.press("r")
	term.see("✗ Refused", `"turing" must be typed: release it separately`, `"odd" must be typed`)
}

// A stop removes all release marks from the locks. The rows stay marked on the screen.
func TestReleaseOfMarkedLocksCanBeStopped(t *testing.T) {
	s := onDemo(t, func(o *dynamo.Options) { o.Settle = time.Hour })
	term := s.run(t)
	term.see("whole table", "● held")
	for _, name := range []string{"turing", "alan"} {
		term.press("g")
		term.to(name)
		term.press("<space>")
	}
	term.press("r")
	term.see("Release 2 locks", "price")
	term.press("<tab><enter>")
	term.see("Releasing 2 locks", "wait", "▸ Stop")
	if lock(t, s, "UNIQ#HANDLE#alan")[schema.MarkAttribute] == nil {
		t.Error("there is no mark while it waits")
	}
	term.press("<esc>")
	term.see("✗ Stopped", "0 of 2 locks released")
	for _, pk := range []string{"UNIQ#HANDLE#alan", "UNIQ#HANDLE#turing"} {
		if item := lock(t, s, pk); item == nil || item[schema.MarkAttribute] != nil {
			t.Errorf("%s after stopping: %v", pk, item)
		}
	}
	term.press("<enter>")
	term.see("2 marked")
	term.press("<esc>")
	term.gone("marked")
}

// After a stop between two deletions, the row of the released lock is not marked any more. The key for undo does not
// offer an older change.
func TestReleaseOfMarkedLocksStoppedHalfWay(t *testing.T) {
	var writes atomic.Int64
	second := make(chan struct{})
	s := onDemo(t, func(o *dynamo.Options) {
		next := o.Transport
		o.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
			if strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".TransactWriteItems") && writes.Add(1) == 6 { // after a mend, three marks, a deletion
				close(second)
				<-r.Context().Done()
				return nil, r.Context().Err()
			}
			return next.RoundTrip(r)
		})
	})
	term := s.run(t)
	term.see("confirmed")
	term.to("hopper")
	term.press("m")
	term.see("▸ No, leave it", "price")
	term.press("<tab><enter>")
	term.see("✓ Applied")
	term.press("<enter>")
	term.gone("Applied")
	for _, name := range []string{"turing", "mel@oldmail.test", "alan"} {
		term.press("g")
		term.to(name)
		term.press("<space>")
	}
	term.press("r")
	term.see("Release 3 locks", "price")
	term.press("<tab><enter>")
	<-second
	term.press("<esc>")
	term.see("1 of 3 locks released")
	term.press("<enter>")
	term.see("1 marked", "■")
	term.press("u")
	term.see("Several changes were made together: press 5 and mark them to undo them.")
}

// The screen says that a lock still has the mark of an interrupted release.
func TestLeftoverMark(t *testing.T) {
	s := onDemo(t)
	s.put(t, "accounts", sdk.Item{
		"PK": sdk.S("UNIQ#HANDLE#alan"), "SK": sdk.S("LOCK"), schema.MarkAttribute: sdk.S("0123456789abcdef"),
	})
	term := s.run(t)
	term.see("confirmed")
	term.to("alan")
	frame := term.see("has the mark of an unfinished release", "a release of this lock did not finish")
	if !strings.Contains(row(frame, "▸"), "✗ orphaned") {
		t.Errorf("the marked lock is not orphaned:\n%s", frame)
	}
}

// The heading of a group marks all its rows. The key V marks all rows between the cursor and the nearest marked row.
// Locks that cannot be released with others stay unmarked, and a message says so.
func TestGroupsAndRangesAreMarked(t *testing.T) {
	s := onDemo(t)
	term := s.run(t)
	term.see("whole table", "● held")
	term.press("2")
	term.see("HOLDS")
	term.press("f<space>") // show only problems; mark from the heading
	term.see("1 lock marked. 2 others cannot be released with them.")
	term.press("<space>")
	term.gone("marked")
	term.press("V")
	term.see("Mark a row first: space")
	term.press("g")
	term.to("mel@oldmail")
	term.press("<space>G")
	term.to("turing")
	term.press("V")
	term.see("3 marked")

	term.press("4")
	term.see("✓ Checked", "1 of 6")
	term.press("<space>jV")
	term.see("3 marked")
	term.press("m")
	term.see("Mend 3 findings")
	term.press("<esc>")
	term.see("Nothing was changed")

	term.press("<esc>gjV") // V alone begins a range, and ends it
	term.see("1 marked", "Row marked. Move, then V marks all rows up to there.", "V mark to here")
	term.press("V")
	term.see("No other row is marked: move, then V marks all rows up to there.")
	term.press("jjV")
	term.see("3 marked")
}

// If no lock of a group can be released, the message says only that.
func TestNothingOfAGroupIsMarked(t *testing.T) {
	s := onDemo(t)
	term := s.run(t)
	term.see("whole table", "● held")
	term.press("2Fparc.test<enter>")
	term.see("1 of 2 found")
	term.press("g<space>")
	term.see("Nothing marked: none of these 2 can be released.")
}

// On 80 columns, the count of the rows stays beside the count of the marks.
func TestMarkingKeepsTheCount(t *testing.T) {
	term := onDemo(t).run(t)
	term.see("confirmed")
	term.press("ss")
	term.to("alan")
	term.press("<space>")
	term.see("of 72 · 1 marked", "✓ confirmed")
	term.press("Falan<enter>")
	term.see("of 3 found · 1 marked", "✓ confirmed")
	term.press("<esc>4")
	term.see("✓ Checked", "of 6 ")
	term.press("Forphaned<enter>")
	term.to("alan")
	term.press("<space>")
	term.see("of 3, 6 findings in all · 1 marked", "✓ confirmed")
}
