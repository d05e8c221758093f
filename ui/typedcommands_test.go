package ui_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tallylock/dynamo"
	"tallylock/dynamo/embedded/sdk"
)

// In the choice of tables, a person can type commands: the actions of the screen below, and commands with arguments.
// Names of tables come first, unless the text is the whole name of a command and not the name of a table.
func TestCommandsAreTyped(t *testing.T) {
	s := drawn(t)
	term := s.run(t)
	term.see("● held", "confirmed")

	term.press(":find alan")
	term.see("▸ command", "find alan")
	term.press("<enter>")
	term.see(`No account holds the username "alan"`)

	term.press(":rel") // no table has these letters
	term.see("▸ command        reload", "release")
	term.press("<ctrl+u>me")
	frame := term.see("members", "command        mend")
	if !strings.Contains(row(frame, "▸"), "members") {
		t.Errorf("the table is not chosen before commands that begin so:\n%s", frame)
	}
	term.press("<ctrl+u>release<enter>")
	term.see("─ Release a lock ─")
	term.press("<esc><esc>")

	term.press(":check<enter>")
	term.see("✓ Checked", "1 of 6")

	term.press(":accounts") // this is also the name of a table
	if frame := term.see("command        accounts"); !strings.Contains(row(frame, "▸"), "locks, no owner") {
		t.Errorf("the table of that name is not chosen:\n%s", frame)
	}
	term.press("<esc><esc>")
	term.press(":ordid") // letters of order_id, in this order
	term.see("▸ ▎demo          order_id")
	term.press("<ctrl+u>connection de")
	term.see("▸ ▎demo", "accounts", "order_id")
	term.press("<ctrl+u>table mem<tab>")
	term.see(": members", "▸ ▎demo          members")
	term.press("<enter>")
	term.see("embedded › members", "whole table")

	term.press(":bum")
	term.see("bump", "Counters are bumped on their own screen.")
	term.press("<enter>")
	term.see("Counters are bumped on their own screen.")
	term.press("<ctrl+u>zzzz")
	term.see(`No table and no command is called "zzzz".`)
	term.press("<ctrl+u>:find alan") // a second colon
	term.see("▸ command", "find alan", "esc clear")
	term.press("<ctrl+u>table acconuts")
	term.see(`No table is called "acconuts", did you mean "accounts"?`)
	term.press("<ctrl+u>table qqqq")
	term.see(`No table is called "qqqq".`)
	term.press("<ctrl+u>connection dmeo")
	term.see(`No connection is called "dmeo", did you mean "demo"?`)
	term.press("<ctrl+u>chekc alan")
	term.see(`No table and no command is called "chekc alan", did you mean "check"?`)
	term.press("<ctrl+u>acconuts")
	term.see(`"acconuts", did you mean "accounts"?`)
	term.press("<ctrl+u>q<enter>")
	term.exited()
}

// The typed command for a check shows the price first, unless the check is cheap.
func TestATypedCheckShowsItsPrice(t *testing.T) {
	s := drawn(t, func(o *dynamo.Options) { o.AutoReadUnits, o.Asked = 1, true })
	term := s.run(t)
	term.see("embedded › accounts")
	term.press(":check<enter>")
	term.see("costs", "enter check it", "no check yet")
	term.press("<enter>")
	term.see("✓ Checked")
	term.press("1:check<enter>")
	term.see("✓ Checked", "ctrl+r checks again, for about")
}

// Without an open table, commands that need a table say so, and the others work.
func TestCommandsAreTypedWithoutATable(t *testing.T) {
	s := drawn(t)
	s.options.Table = ""
	term := s.run(t)
	term.see("locks with owner")
	term.press("find alan")
	term.see("find alan", "open a table first")
	term.press("<enter>")
	term.see("Open a table first")
	term.press("<ctrl+u>journal<enter>")
	term.see("5 journal", "No changes yet.")
	term.press(":counters<enter>")
	term.see("order_id", "5,000")
}

// The search of the help finds keys, and words about their actions.
func TestHelpIsSearched(t *testing.T) {
	s := drawn(t)
	term := s.run(t)
	term.see("● held", "confirmed")
	term.press("?")
	term.see("/ search", "MOVE")
	term.press("/cop")
	if frame := term.see("copy the item as JSON", "esc all keys"); strings.Contains(frame, "another order") {
		t.Errorf("more is listed than what was searched for:\n%s", frame)
	}
	term.press("<ctrl+u>bump")
	term.see("counters are bumped on their own screen")
	term.press("<ctrl+u>zz")
	term.see("No matching key.")
	term.press("<esc>")
	term.see("MOVE", "CHANGE")
	term.press("<esc>")
	term.gone("MOVE")
}

// From the other side of a value, esc goes back to the earlier row.
func TestEscGoesBackFromTheOtherSide(t *testing.T) {
	s := drawn(t)
	term := s.run(t)
	term.see("● held", "confirmed")
	term.press("jjj")
	account, _, _ := strings.Cut(strings.TrimPrefix(row(term.screen(), "▸"), "▸ "), "  ")
	term.press("o")
	term.see("HOLDS")
	term.press("<esc>")
	if frame := term.see("VALUE"); !strings.Contains(row(frame, "▸"), account) {
		t.Errorf("it does not go back to %s:\n%s", account, frame)
	}
	term.press("<esc>")
	term.see("VALUE")
}

// The other side of a lock is its account, with the value that the lock keeps.
func TestTheOtherSideOfALockIsItsAccount(t *testing.T) {
	term := drawn(t).run(t)
	term.see("● held", "confirmed")
	term.press("2")
	term.see("HOLDS")
	term.press("jjj")
	lock := row(term.see("HOLDS"), "▸")
	account := regexp.MustCompile(`ACCT#\w+`).FindString(lock)
	value, _, _ := strings.Cut(strings.TrimLeft(lock, "▸├└ "), " ")
	term.press("o")
	if at := row(term.see("VALUE"), "▸"); account == "" || !strings.Contains(at, account) || !strings.Contains(at, value) {
		t.Errorf("from the lock %q it goes to %q", lock, at)
	}
}

// For find, the command line offers the values and accounts that were read.
func TestFindIsCompleted(t *testing.T) {
	term := drawn(t).run(t)
	term.see("● held", "confirmed")
	term.press(":find ALAN")
	term.see("find alan", "find alan.kay@parc.test")
	term.press("<down><down><enter>")
	term.see("/ alan.kay@parc.test", "answered in")
	term.press("<esc>:find acct#b7")
	term.see("find ACCT#b77e02")
	term.press("<tab>")
	term.see(": find ACCT#b77e02")
}

// A value that ends in a space is found unchanged, both from the offers and typed.
func TestABlankAtTheEndOfAValueCounts(t *testing.T) {
	s := drawn(t)
	for _, item := range []map[string]types.AttributeValue{
		{"PK": sdk.S("ACCT#blank"), "SK": sdk.S("PROFILE"), "email": sdk.S("zoe@x.io ")},
		{"PK": sdk.S("UNIQ#EMAIL#zoe@x.io "), "SK": sdk.S("LOCK")},
	} {
		s.put(t, "accounts", item)
	}
	term := s.run(t)
	term.see("● held", "confirmed")
	term.press(":find zoe<down><enter>")
	term.see("ACCT#blank holds", "answered in")
	term.press("<esc>:find zoe@x.io <enter>")
	term.see("ACCT#blank holds", "answered in")
	term.press("<esc>:find zoe@x.io<enter>")
	term.see("\"zoe@x.io\" is free", "answered in")
}

// The help also has the keys of dialogs, after the keys of the screen.
func TestHelpFindsKeysOfDialogs(t *testing.T) {
	term := drawn(t).run(t)
	term.see("● held", "confirmed")
	term.press("?/plan")
	if line := row(term.see("save plan"), "save plan"); !strings.Contains(line, " ctrl+s ") || !strings.Contains(line, "in the dialog of a change") {
		t.Errorf("the help says %q", line)
	}
}

// Before any letter, the possible commands are listed below the tables, and a person can choose them like tables.
func TestAnEmptyLineListsCommandsBeneathTheTables(t *testing.T) {
	s := drawn(t)
	s.h = 70 // room for all commands
	term := s.run(t)
	term.see("confirmed")
	term.press(":")
	frame := term.see("▸ ▎demo", "posts", "command", "check the whole table", "quit")
	if strings.Contains(frame, "own screen") {
		t.Errorf("it lists what does nothing here:\n%s", frame)
	}
	if strings.Index(frame, "check the whole table") < strings.Index(frame, "posts") {
		t.Errorf("the tables do not come first:\n%s", frame)
	}
	for !strings.Contains(row(term.screen(), "▸"), "check the whole table") {
		before := row(term.screen(), "▸")
		term.press("<down>")
		if row(term.screen(), "▸") == before {
			t.Fatalf("the check is not among what can be chosen:\n%s", term.screen())
		}
	}
	term.see("enter run")
	term.press("<enter>")
	term.see("✓ Checked")
}

// While the tables are being listed, the program does not say that a table does not exist.
func TestATableTypedBeforeTheListArrives(t *testing.T) {
	f := &faults{}
	term := onDemo(t, withFaults(f)).run(t)
	term.see("confirmed")
	held := make(chan struct{})
	f.set(func(f *faults) { f.hold = map[string]chan struct{}{"ListTables": held} })
	term.meanwhile(":members")
	term.see(`Still listing tables. So far, no table and no command is called "members".`)
	close(held)
	term.see("▸", "KEEPS")
}
