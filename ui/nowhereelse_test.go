package ui_test

import (
	"strings"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/embedded/sdk"
)

// onMembers opens the demo's table members, whose locks name their accounts. An order also has the username of a
// member.
func onMembers(t *testing.T, change ...func(*dynamo.Options)) *setup {
	t.Helper()
	s := onDemo(t, append(change, keeping(t.TempDir()))...)
	s.withNote(t)
	return s
}

// withNote opens the table members, and adds an order with the username of a member.
func (s *setup) withNote(t *testing.T) {
	t.Helper()
	s.put(t, "members", sdk.Item{"PK": sdk.S("ORDER#5512"), "SK": sdk.S("META"), "buyer": sdk.S("mhamilton")})
	s.options.Table = "members"
}

// asksNowhereElse opens the dialog on the layout's screen that asks whether nothing else holds the values.
func (term *terminal) asksNowhereElse() {
	term.t.Helper()
	term.see("3 problems")
	term.press("L")
	term.see("members › layout")
	term.on("UNIQ#HANDLE#{v}")
	term.press("m")
	term.see("Other holders of username", "▸ No")
}

// The dialog lists the shapes with values, and starts on No. Yes is off while a shape has no answer.
func TestNothingElseHoldsTheValues(t *testing.T) {
	s := onMembers(t)
	term := s.run(t)
	term.asksNowhereElse()
	term.see("ORDER#*/META items, buyer: 1 item of the sample,", "such as ORDER#0000 / META: nobody has said", "So a yes would", "have no effect.")
	term.press("<tab>")
	term.see("▸ No ")
	term.press("<enter>")
	term.gone("Other holders")
	term.on("ORDER#*")
	term.press("m")
	term.see("▸ Not now")
	term.press("<tab><enter>")
	term.see("they do not hold the values")
	term.on("UNIQ#HANDLE#{v}")
	term.press("m")
	term.see("A release by owner then reads only the owner's", "account, not the whole table.", "they do not hold the", "▸ No ")
	term.press("<tab>")
	term.see("▸ Yes, nothing else holds them")
	term.press("<enter>")
	term.see("Saved. A release by owner reads the owner's account only.")
	term.press("m")
	term.see("This question is already answered:")
	term.on("nowhere_el")
	term.see("true", "a release by owner reads only the owner's account")
	term.press(":members")
	term.see("username: nothing else holds its values")
	term.press("<esc><esc>")
	term.see("members › layout")
	term.on("nowhere_el")
	term.press("o")
	term.see("Answer removed. A release now reads all tables of the layout.")
	term.gone("nowhere_el")
}

// With answers = "config", the dialog shows the lines for the config.
func TestOnlyTheConfigSaysThatNothingElseHolds(t *testing.T) {
	s := onDemo(t, keeping(t.TempDir()), func(o *dynamo.Options) { o.ConfigAnswers = true })
	s.options.Table = "members"
	term := s.run(t)
	term.asksNowhereElse()
	frame := term.see("no other item in a sample")
	if strings.Contains(frame, "So yes") {
		t.Errorf("yes is off:\n%s", frame)
	}
	term.press("<tab><enter>")
	term.see("allows only", "[[layout.account.constraint]] # username", "nowhere_else = true")
}
