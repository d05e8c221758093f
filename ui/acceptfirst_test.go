package ui_test

import (
	"fmt"
	"strings"
	"testing"

	"tallylock/dynamo/embedded/sdk"
)

// A key for a change first shows a guessed layout with its evidence. After a person accepts the layout, the dialog of
// the change opens. The layout's screen accepts a guess, too.
func TestAcceptingLeadsToTheChange(t *testing.T) {
	s := onDemo(t, undescribed)
	term := s.run(t)
	frame := term.see("VERDICT", "guessed", "WRITE")
	if strings.Count(frame, "guessed") != 1 {
		t.Errorf("it is said more than once:\n%s", frame)
	}
	term.asksTuring()
	term.see("Is this how your application does it?", "changes are off until you accept it", "UNIQ#HANDLE#{v}", "33 of 34 username values", "▸ Not now")
	term.press("<enter>")
	term.gone("Is this how your application does it?")
	if lock(t, s, "UNIQ#HANDLE#turing") == nil {
		t.Fatal("the lock is gone")
	}
	term.press("r")
	term.accepts("UNIQ#HANDLE#{v}")
	term.see("Release a lock", "UNIQ#HANDLE#turing / LOCK", "price", "▸ No, leave it")
	term.agree("Release the lock")
	if lock(t, s, "UNIQ#HANDLE#turing") != nil {
		t.Error("the lock is still there")
	}
	term.press("<esc>L")
	term.see("accounts › layout", "guessed")
	term.on("UNIQ#EMAIL#{v}")
	term.press("a")
	term.accepts("UNIQ#EMAIL#{v}")
	term.see("Accepted, and stored for this table.")
	term.gone("guessed")
}

// asksTuring finds an orphaned lock, and asks to release it.
func (term *terminal) asksTuring() {
	term.t.Helper()
	term.press("/")
	term.see("then press enter")
	term.press("turing<enter>")
	term.see("answered in")
	term.press("r")
}

// A person accepts a counter with its meaning, and can choose another meaning.
func TestACounterIsAcceptedWithItsMeaning(t *testing.T) {
	s := onDemo(t, undescribed)
	term := s.run(t)
	term.see("VERDICT")
	term.press("3")
	term.see("of 8", "RU/s")
	for !strings.Contains(row(term.screen(), "▸"), "order_id") {
		term.press("j")
	}
	term.press("+")
	term.see("Is this how your application does it?", "the last number", "order_number", "▸ Not now")
	term.press("<tab><tab>")
	term.see("▸ Other meaning")
	term.press("<enter>")
	term.see("the next number")
	term.press("<shift+tab>")
	term.see("▸ This is how our application does it")
	term.press("<enter>")
	term.see("goes from 5,000 up to 5,001", "out is 5,001")
	term.press("<esc>")
	term.gone("goes from")
	term.press("+") // the dialog does not ask again, although the list still has the earlier reading of the counter
	term.see("goes from 5,000 up to 5,001", "out is 5,001")
}

// If the locks are in a separate table, the dialog asks which other tables put locks there.
func TestAcceptingAsksForTheTables(t *testing.T) {
	s := onDemo(t)
	for _, table := range []string{"clients", "client-locks"} {
		if err := sdk.Fill(t.Context(), s.demo.App(), sdk.Table(table, "PK:S", "")); err != nil {
			t.Fatal(err)
		}
	}
	for n := range 12 {
		mail := fmt.Sprintf("p%d@x.io", n)
		s.put(t, "clients", sdk.Item{"PK": sdk.S(fmt.Sprint("P#", n)), "mail": sdk.S(mail)})
		s.put(t, "client-locks", sdk.Item{"PK": sdk.S("MAIL#" + mail)})
	}
	s.put(t, "client-locks", sdk.Item{"PK": sdk.S("MAIL#gone@x.io")})
	s.options.Table = "clients"
	term := s.run(t)
	term.see("VERDICT", "guessed")
	term.press("/")
	term.see("then press enter")
	term.press("gone@x.io<enter>")
	term.see("answered in")
	term.press("r")
	term.see("Which other tables put locks into client-locks?", "▸ Not now")
	term.press("<shift+tab>client-lock<tab><tab>")
	term.see("▸ This is how our application does it")
	term.press("<enter>")
	term.see(`This connection has no table "client-lock"`, `did you mean`, `"client-locks"?`)
	term.press("<shift+tab><shift+tab><ctrl+u>none<tab><tab>")
	term.see("▸ This is how our application does it")
	term.press("<enter>")
	term.see("Release a lock", "MAIL#gone@x.io", "▸ No, leave it")
}
