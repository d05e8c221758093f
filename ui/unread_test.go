package ui_test

import (
	"strings"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/layout"
)

// Where nothing may be read unasked, opening a table reads nothing, and says why it
// knows nothing; a key reads it.
func TestNothingIsReadUnasked(t *testing.T) {
	s := onDemo(t, func(o *dynamo.Options) { o.AutoReadUnits = 0.1 })
	term := s.run(t)
	screen := term.see("Nothing was read, since auto_read_units is 0.", "read the table")
	if strings.Contains(screen, "first page") || !strings.Contains(screen, "nothing has been read") {
		t.Errorf("a page is awaited:\n%s", screen)
	}
	if strings.Contains(strings.ReplaceAll(screen, " 0 RU", ""), " RU") {
		t.Errorf("something was read:\n%s", screen)
	}
	term.press("<ctrl+r>")
	term.see("Nothing was read to recognise the layout by", "ACCT#")
}

// Where the layout does not fit, nothing says that nobody holds a value.
func TestAMisfitDoesNotSayThatNobodyHolds(t *testing.T) {
	s := onDemo(t, func(o *dynamo.Options) {
		o.Layouts = []layout.Config{{Name: "mine", Tables: []string{"accounts"}, Accounts: []layout.AccountConfig{{
			PK: "ACCT#{id}", SK: "PROFIL", Constraints: []layout.ConstraintConfig{{Attribute: "username", PK: "UNIQ#HANDLE#{v}", SK: "LOCK"}},
		}}}}
	})
	term := s.run(t)
	term.see("? unknown", "sk = \"PROFILE\"")
	term.press("D")
	term.see("Who holds \"")
}
