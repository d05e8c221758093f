package ui_test

import (
	"strings"
	"testing"

	"tallylock/dynamo"
)

// The answer says what a release would do, and afterwards what it did. The row of the released lock stays selected.
func TestFindTellsWhatWasDone(t *testing.T) {
	s := onDemo(t)
	s.w, s.h = 140, 40
	term := s.run(t)
	term.see("confirmed")
	term.press("/alan<enter>")
	term.see("RELEASING WILL", "look      after", "puts the lock back, if nobody has", "The journal has no change of these locks", "also looked up as email: free · account id: none")
	term.press("r")
	term.see("No, leave it", "price")
	term.press("<tab><enter>")
	term.see("✓ Applied")
	term.press("<enter>")
	term.see(`The username "alan" is free.`, "▸ username", "also looked up as email: free", `release username "alan"`, "✓ applied", "by sam")
}

// If the query is the id of an account, the answer begins with this account. Other readings of the query come after it.
// If nothing was found, the answer begins with the constraint whose values look like the query.
func TestFindShowsFirstWhatWasFound(t *testing.T) {
	term := onDemo(t, func(o *dynamo.Options) { o.AutoReadUnits, o.Asked = 0.5, true }).run(t)
	term.see("demo")
	term.press("/ACCT#d41c07<enter>")
	frame := term.see("● held      ACCT#d41c07 is an account", "▸ account id", "also looked up as username, email: unknown")
	if strings.Contains(frame, "? unknown") {
		t.Errorf("a reading that found nothing has a row:\n%s", frame)
	}
	term.press("/grace.nobody@x.io<enter>")
	term.see("▸ email", "also looked up as username: unknown · account id: none")
	term.press("/stuck3<enter>")
	term.see("▸ username", "also looked up as email: unknown · account id: none")
	term.press("p")
	term.see(`The username "stuck3" is free.`, "▸ username", "also looked up as email: free · account id: none")
}

// The query may be the id of an account. Then the answer is about the account, and not about a free value.
func TestFindAnAccount(t *testing.T) {
	term := onDemo(t).run(t)
	term.see("confirmed")
	term.press("/ACCT#d41c07<enter>")
	term.see("● held      ACCT#d41c07 is an account, and its locks keep its values.", "▸ account id")
	term.press("/<ctrl+u>b77e02<enter>")
	term.see(`○ missing   ACCT#b77e02 holds the username "hopper", which has no lock.`, "m mend it", "▸ account id")
	term.press("/<ctrl+u>margaret.hamilton@draper.test<enter>")
	term.see("▸ email       2 accounts ──", "= duplicate")
}

// For a pasted word with another spelling, the answer begins with the holder, and shows the holder's spelling.
func TestFindAsItIsHeld(t *testing.T) {
	term := onDemo(t).run(t)
	term.see("confirmed")
	term.press("/ Evelyn <enter>")
	term.see("● held", `holds the username "evelyn" and its lock.`, "The white space around the query was left out; found as evelyn.", "▸ username")
}

// After the change of a value, the answer is about the new value, and says that the lock of the old value was deleted.
// It costs a few reads by key, because the account is known.
func TestFindFollowsTheChangedValue(t *testing.T) {
	term := onDemo(t, func(o *dynamo.Options) { o.AutoReadUnits, o.Asked = 0.5, true }).run(t)
	term.see("ACCOUNT", "ACCT#a1f9c3", "● held")
	term.press("/ada<enter>")
	term.see("answered in", `ACCT#a1f9c3 holds the username "ada" and its lock.`)
	term.press("ecountess<tab>")
	term.see("price")
	term.press("<tab><tab><enter>")
	term.see("✓ Applied")
	term.press("<enter>")
	frame := term.see("/ countess", `ACCT#a1f9c3 holds the username "countess" and its lock.`, `deleted the lock of "ada".`)
	if strings.Contains(frame, "every account") {
		t.Errorf("it reads the whole table:\n%s", frame)
	}
	term.press("/ada<enter>")
	term.see("/ ada ", "? unknown", `ACCT#a1f9c3 got "countess" instead: the change at `)
	if strings.Contains(term.screen(), "deleted the lock of") {
		t.Error("the next answer repeats what the change has freed")
	}
}

// After the change of an account that was found by its id, the answer is about the same account.
func TestFindStaysAtTheAccountThatWasAskedFor(t *testing.T) {
	term := onDemo(t).run(t)
	term.see("confirmed")
	term.press("/ACCT#a1f9c3<enter>")
	term.see("▸ account id", "e change the value", "D delete with its locks")
	term.press("e")
	term.see("Change a value")
	term.press("countess@lovelace.io<tab>")
	term.see("price")
	term.press("<tab><tab><enter>")
	term.see("✓ Applied")
	term.press("<enter>")
	term.see("/ ACCT#a1f9c3", "▸ account id", "answered in", "is an account, and its locks keep its values.")
}

// The answer shows the keys of the selected row. If the sentence is about another row, the keys name the value
// of the selected row.
func TestFindShowsTheKeysOfTheSelectedRow(t *testing.T) {
	term := onDemo(t).run(t)
	term.see("confirmed")
	term.press("/alan<enter>")
	term.see("              r release the lock    t see the past    y copy this answer")
	term.press("j")
	term.see("              Alan:  r release the lock")
	term.press("k")
	term.gone("Alan:")
}

// On 80×24, the journal's line and the look-alikes are above the summary of the reads. The detail lists the reads.
func TestFindSummarisesWhatWasRead(t *testing.T) {
	term := onDemo(t).run(t)
	term.see("confirmed")
	term.press("/alan<enter>")
	term.see("LOOKS LIKE IT", "IN THE JOURNAL ── no change of its locks",
		"── read 3 keys, 12 spellings, the whole table ─", "─ 13 read units ──", "tab more")
	term.press("<tab>")
	term.see("WHAT WAS READ", "ACCT#alan / PROFILE")
	term.press("<tab>r")
	term.see("No, leave it", "price")
	term.press("<tab><enter>")
	term.see("✓ Applied")
	term.press("<enter>")
	term.see(`The username "alan" is free.`, "IN THE JOURNAL ──", `release username "alan"`, "✓ applied")
}
