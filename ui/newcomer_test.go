package ui_test

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tallylock/dynamo"
)

// After a check that was stopped before its first finding, the screen shows the price of the next check. It does not
// say that there are no findings.
func TestAStoppedCheckShowsThePriceOfTheNext(t *testing.T) {
	hold := make(chan struct{})
	f := &faults{}
	s := onDemo(t, withFaults(f), func(o *dynamo.Options) { o.AutoReadUnits, o.Asked = 1, true })
	term := s.run(t)
	term.see("VERDICT", "● held")
	term.press("4")
	term.see("enter check it")
	f.set(func(f *faults) { f.hold = map[string]chan struct{}{"Scan": hold} })
	term.meanwhile("<enter>")
	term.see("x stop")
	term.meanwhile("x")
	frame := term.see("! Incomplete", "costs", "enter check it")
	if strings.Contains(frame, "── none") || strings.Contains(frame, "Found nothing, but") {
		t.Errorf("it says that there is nothing:\n%s", frame)
	}
	f.set(func(f *faults) { f.hold = nil })
	close(hold)
	term.press("<enter>")
	term.see("✓ Checked")
	term.press("<ctrl+r>")
	term.see("✓ Checked", "ctrl+r checks again, for about")
	term.press("<ctrl+r>")
	term.see("✓ Checked")
}

// After a release from the list, the next row is selected.
func TestTheNextRowIsSelectedAfterARelease(t *testing.T) {
	t.Parallel()
	for _, tab := range []string{"1", "2"} {
		t.Run(tab, func(t *testing.T) {
			term := onDemo(t).run(t)
			term.see("confirmed")
			term.press(tab)
			for !strings.Contains(row(term.screen(), "▸"), "orphaned") {
				term.press("n")
			}
			term.press("r")
			term.see("Release a lock", "price")
			term.agree("Release the lock")
			term.press("<enter>")
			frame := term.until("a selected row", func(frame string) bool {
				return strings.Contains(frame, "confirmed") && row(frame, "▸") != ""
			})
			if strings.Contains(frame, "The selected row is gone.") {
				t.Errorf("nothing is selected:\n%s", frame)
			}
		})
	}
}

func TestTheLastChangeIsUndoneAmongFindings(t *testing.T) {
	term := onDemo(t).checked(t)
	term.press("m")
	term.see("▸ No, leave it", "price")
	term.press("<tab><enter>")
	term.see("✓ Applied")
	term.press("<enter>u")
	term.see("▸ No, leave it", "price", "back")
}

// At the end of a check, the cursor stays on the heading that a person has selected.
func TestTheCursorStaysOnAHeading(t *testing.T) {
	term := onDemo(t).checked(t)
	term.press("g")
	term.see("▸ ▾ ✗ orphaned-lock")
	term.press("<ctrl+r>")
	frame := term.see("✓ Checked")
	if !strings.Contains(frame, "▸ ▾ ✗ orphaned-lock") {
		t.Errorf("the cursor left the heading:\n%s", frame)
	}
}

// On the layout screen, the command line does not list names of actions that have another meaning there.
func TestTheLineListsNoNamesOfOtherScreens(t *testing.T) {
	s := onDemo(t)
	s.h = 70
	term := s.run(t)
	term.see("confirmed")
	term.press("L")
	term.see("enter edit")
	term.press(":")
	frame := term.see("check the whole table")
	for _, name := range []string{"delete-account", "bump", "fold", "other-side"} {
		if strings.Contains(frame, name) {
			t.Errorf("it lists %s:\n%s", name, frame)
		}
	}
}

// If the permission dynamodb:Scan is denied, find does not offer to read the whole table.
func TestFindOffersNoDeniedScan(t *testing.T) {
	f := &faults{}
	term := onDemo(t, withFaults(f)).run(t)
	term.see("confirmed")
	f.set(func(f *faults) { f.deny = map[string]bool{"Scan": true} })
	term.press("/alan<enter>")
	frame := term.see("answered in")
	if strings.Contains(frame, "read the whole table") || strings.Contains(frame, "p read all") {
		t.Errorf("it offers a Scan:\n%s", frame)
	}
}

// The dialog says completely what a stop of the release does.
func TestWhatStoppingDoesIsSaidWhole(t *testing.T) {
	f := &faults{}
	hold := make(chan struct{})
	s := onDemo(t, withFaults(f))
	term := s.run(t)
	term.asksRelease()
	f.set(func(f *faults) { f.hold = map[string]chan struct{}{"TransactWriteItems": hold} })
	term.press("<tab>")
	term.meanwhile("<enter>")
	term.see("Stopping removes the mark. The lock is not deleted.")
	f.set(func(f *faults) { f.hold = nil })
	close(hold)
	term.see("✓ Applied")
}

// Ids are complete if there is room for them.
func TestIdsAreWholeOnWideTerminals(t *testing.T) {
	t.Parallel()
	for _, tab := range []string{"1", "2"} {
		t.Run(tab, func(t *testing.T) {
			s := onDemo(t)
			s.w, s.h = 200, 90
			term := s.run(t)
			term.see("confirmed")
			term.press(tab)
			term.see("ACCT#01a1f2de-c181-7c3f-9d2b-6f1e0a77b1c4 ")
		})
	}
}

// The text above the list names the accounts of a duplicate. It also has the time of an account's creation if the id
// contains it.
func TestFindNamesTheAccounts(t *testing.T) {
	term := onDemo(t).run(t)
	term.see("confirmed")
	term.press("/margaret.hamilton@draper.test<enter>")
	term.see("2 accounts hold the email", "ACCT#ee07d4", "ACCT#07be3a")
	term.press("/<ctrl+u>claude@shannon.test<enter>")
	frame := term.see("answered in", "holds the email")
	if above, _, _ := strings.Cut(frame, "READ AS"); !strings.Contains(above, "by its id") {
		t.Errorf("it does not say when the account was made:\n%s", frame)
	}
}

// The field of a new value stays in its row when the plan appears.
func TestTheFieldOfAValueDoesNotMove(t *testing.T) {
	t.Parallel()
	for name, h := range map[string]int{"24": 24, "40": 40} {
		t.Run(name, func(t *testing.T) {
			s := onDemo(t)
			s.h = h
			term := s.run(t)
			term.ask("ada@lovelace.io")
			term.press("e")
			at := func(frame string) int {
				before, _, _ := strings.Cut(frame, "│  to ")
				return strings.Count(before, "\n")
			}
			before := at(term.see("Type another.", "│  to "))
			term.press("a.countess@lovelace.example")
			term.see("has the email \"ada@lovelace.io\"", "tab shows the change.")
			term.press("<tab>")
			if after := at(term.see("price")); after != before {
				t.Errorf("it goes from row %d to row %d:\n%s", before, after, term.screen())
			}
		})
	}
}

// While an item is being read, the screen names its key and the connection.
func TestAnItemThatIsReadSaysSo(t *testing.T) {
	f := &faults{}
	hold := make(chan struct{})
	term := onDemo(t, withFaults(f)).run(t)
	term.see("confirmed")
	f.set(func(f *faults) {
		f.hold = map[string]chan struct{}{"GetItem": hold, "BatchGetItem": hold, "TransactGetItems": hold}
	})
	term.press("<enter>")
	term.see("Reading ACCT#", "(connection demo)")
	close(hold)
	term.see("ATTRIBUTE", "TYPE", "1 of")
}

// The command line shows the last list of tables, and reads no items.
func TestTheLineReadsNothingAgain(t *testing.T) {
	s := onDemo(t)
	var later atomic.Int64
	s.clock = func() time.Time { return time.Now().Add(time.Duration(later.Load())) }
	term := s.run(t)
	term.see("confirmed")
	term.press(":")
	term.see("locks with owner")
	term.press("<esc>")
	units := func() string {
		fields := strings.Fields(row(term.screen(), "tallylock "))
		return strings.Join(fields[len(fields)-2:], " ")
	}
	before := units()
	for _, passed := range []time.Duration{0, time.Hour} { // after an hour, tables are listed again, with old samples
		later.Store(int64(passed))
		term.press(":")
		term.see("locks with owner", "ctrl+r read again")
		term.press("<esc>")
		term.see("VERDICT")
		if after := units(); after != before {
			t.Errorf("%s were used, then %s", before, after)
		}
	}
	term.press(":<ctrl+r>")
	term.see("locks with owner")
	term.press("<esc>")
	term.see("VERDICT")
	if after := units(); after == before {
		t.Errorf("nothing was read again: %s", after)
	}
}

// On a wide terminal, locks are not cut, and a line leads from a short id to its values.
func TestLocksAreWholeOnWideTerminals(t *testing.T) {
	s := onDemo(t)
	s.w, s.h = 200, 90
	term := s.run(t)
	frame := term.see("confirmed")
	for _, line := range strings.Split(frame, "\n") {
		if _, lock, ok := strings.Cut(line, "UNIQ#"); ok && strings.Contains(lock, "…") {
			t.Errorf("a cut lock: %s", line)
		}
	}
	if !strings.Contains(frame, "ACCT#a1f9c3 ──") {
		t.Errorf("no line leads from an id to its values:\n%s", frame)
	}
}
