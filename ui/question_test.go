package ui_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/demo"
	"tallylock/dynamo/embedded/sdk"
)

// onOrders returns the demo with an order that has the value of an orphaned lock. file is the file of the answers.
func onOrders(t *testing.T, change ...func(*dynamo.Options)) (s *setup, file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "answers.jsonl")
	s = onDemo(t, append(change, func(o *dynamo.Options) { o.Answers = file })...)
	s.put(t, demo.Table, sdk.Item{
		"PK": sdk.S("ORDER#5512"), "SK": sdk.S("META"), "buyer": sdk.S("alan"),
	})
	return s, file
}

// askedAboutOrders asks for the release of the orphaned lock. The dialog then asks whether orders hold the value.
func (term *terminal) askedAboutOrders() {
	term.t.Helper()
	term.ask("alan")
	term.press("r")
	frame := term.see("✗ Refused", "ORDER#5512 / META holds the value in buyer.", "They hold it", "▸ Not now")
	if strings.Contains(frame, "--no-holder") {
		term.t.Errorf("it prints a command for what a key does:\n%s", frame)
	}
}

// The dialog of a release asks whether other items hold the value of the lock. After the answer, it plans the release
// again.
func TestCopiesAreToldInTheDialog(t *testing.T) {
	s, file := onOrders(t)
	term := s.run(t)
	term.askedAboutOrders()
	term.press("<tab>")
	term.see("▸ They do not hold it")
	term.press("<enter>")
	term.see("Release a lock", "price", "▸ No, leave it")
	term.agree("Release the lock")
	if lock(t, s, "UNIQ#HANDLE#alan") != nil {
		t.Error("the lock is still there")
	}
	kept, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(kept), "ORDER#*/META") || !strings.Contains(string(kept), "hold not") {
		t.Errorf("kept: %s, %v", kept, err)
	}
	term.press("<esc>:accounts")
	term.see("said   ORDER#*/META items, buyer: hold not", time.Now().Format(time.DateOnly))
}

func TestHoldersAreToldInTheDialog(t *testing.T) {
	s, file := onOrders(t)
	term := s.run(t)
	term.askedAboutOrders()
	term.press("<tab><tab>")
	term.see("▸ They hold it")
	term.press("<enter>")
	term.see("ORDER#*/META items hold the value in buyer", "lock stays.")
	if lock(t, s, "UNIQ#HANDLE#alan") == nil {
		t.Error("the lock is gone")
	}
	if kept, _ := os.ReadFile(file); !strings.Contains(string(kept), `"answer":"hold"`) {
		t.Errorf("kept: %s", kept)
	}
	term.press("<esc>")
	term.see("holds the value in buyer")
	if frame := term.screen(); strings.Contains(frame, "Does such an item count as a holder?") {
		t.Errorf("it is asked again:\n%s", frame)
	}
}

func TestNothingIsToldByDefault(t *testing.T) {
	s, file := onOrders(t)
	term := s.run(t)
	term.askedAboutOrders()
	term.press("<enter>")
	term.gone("Not now")
	if kept, _ := os.ReadFile(file); strings.Contains(string(kept), "hold") {
		t.Errorf("kept: %s", kept)
	}
	if lock(t, s, "UNIQ#HANDLE#alan") == nil {
		t.Error("the lock is gone")
	}
}

// On a read-only connection, a person can answer, because an answer writes nothing to the table.
func TestAReadOnlyConnectionIsAskedToo(t *testing.T) {
	s, _ := onOrders(t, func(o *dynamo.Options) { o.Write = false })
	term := s.run(t)
	term.see("confirmed")
	for !strings.Contains(row(term.screen(), "▸"), "UNIQ#HANDLE#alan") {
		term.press("j")
	}
	term.see("? unknown", "m answer")
	term.press("m")
	term.see("ORDER#5512 / META holds the value in buyer.", "▸ Not now")
	term.press("<tab><enter>")
	term.see("Saved. tallylock does not ask this again.")
	term.until("the verdict", func(s string) bool { return strings.Contains(row(s, "UNIQ#HANDLE#alan"), "✗ orphaned") })
}

// To release a large part of all locks, a person must type their number.
func TestABulkReleaseOpensByItsNumber(t *testing.T) {
	s := onDemo(t)
	s.withTable(t, 30, 25)
	term := s.run(t)
	term.see("confirmed")
	term.press("2f")
	term.see("only problems")
	term.press("j" + strings.Repeat("<space>", 22))
	term.press("r")
	term.accepts("UNIQ#HANDLE#{v}")
	term.see("Release 22 locks", "these are a large part of all locks: type", "the number to enable Release", "▸ No, leave it")
	term.press("<shift+tab>21<tab><tab>")
	if frame := term.screen(); strings.Contains(frame, "▸ Release") {
		t.Errorf("a wrong number opens it:\n%s", frame)
	}
	term.press("<tab><ctrl+u>22<tab><tab>") // from the reason back to the number
	term.see("▸ Release 22 locks")
	term.press("<enter>")
	term.see("22 of 22 locks released")
}

// A person replaces a word of the shape by *. The dialog lists the words that * now covers.
func TestAnAnswerCoversEveryWord(t *testing.T) {
	s, file := onOrders(t)
	for _, word := range []string{"META", "ITEM"} {
		s.put(t, "accounts", sdk.Item{"PK": sdk.S("ORDER#5513"), "SK": sdk.S(word), "buyer": sdk.S("turing")})
	}
	term := s.run(t)
	term.see("confirmed")
	term.press("4")
	term.see("✓ Checked")
	term.press("1")
	term.ask("alan")
	term.press("r")
	term.see("✗ Refused", "Do ORDER#*/META", "* any word")
	term.press("*")
	term.see("ORDER#*/* items, now with META, ITEM, and later")
	term.press("*")
	term.see("*#*/META items, now with ORDER, and later")
	term.press("**")
	term.see("covers", "ORDER#*/* items, now with META, ITEM, and later", "* any word")
	term.press("<tab><enter>")
	term.see("Release a lock", "▸ No, leave it")
	if kept, _ := os.ReadFile(file); !strings.Contains(string(kept), `"ORDER#*/*"`) {
		t.Errorf("kept: %s", kept)
	}
}

// The layout's screen lists other items with values. A person can answer there, and take the answer back.
func TestTheLayoutListsItemsThatHoldValues(t *testing.T) {
	s, file := onOrders(t)
	for _, word := range []string{"SETTING#backup", "SETTING#old"} {
		s.put(t, "accounts", sdk.Item{"PK": sdk.S("ACCT#a1f9c3"), "SK": sdk.S(word), "value": sdk.S("turing")})
	}
	term := s.run(t)
	term.see("confirmed")
	term.press("L")
	term.see("accounts › layout")
	term.on("SETTING#*")
	term.see("ITEMS THAT HOLD VALUES OF username", "do they hold the values? 2 items of the sampl", "such as ACCT#a0a0a0 /", "backup, old", "m answer")
	term.press("m")
	term.see("ACCT#*/SETTING#* items, now with backup, old, and", "▸ Not now")
	term.press("<tab><enter>")
	term.see("Saved. tallylock does not ask this again.")
	term.on("SETTING#*")
	term.see("they do not hold the values", time.Now().Format(time.DateOnly), "o takes the answer back")
	term.press("o")
	term.see("Answer removed.", "do they hold the values? 2 items")
	if kept, _ := os.ReadFile(file); !strings.Contains(string(kept), `"ACCT#*/SETTING#*"`) {
		t.Errorf("kept: %s", kept)
	}
}
