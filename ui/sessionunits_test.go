package ui_test

import (
	"fmt"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/embedded/sdk"
)

// A session that has read its read units says so, and reads on if it is asked to.
func TestASessionThatHasReadItsUnitsSaysSo(t *testing.T) {
	s := onDemo(t, func(o *dynamo.Options) { o.SessionReadUnits, o.Layout, o.Asked = 40, "uniq", true })
	s.w, s.h = 140, 40
	var items []sdk.Item
	for n := range 1000 {
		v := fmt.Sprintf("more%04d", n)
		items = append(items, sdk.Item{"PK": sdk.S("ACCT#" + v), "SK": sdk.S("PROFILE"), "username": sdk.S(v)})
	}
	if err := sdk.Put(t.Context(), s.demo.App(), "accounts", items...); err != nil {
		t.Fatal(err)
	}
	term := s.run(t)
	term.see("read · provisional · session_read_units reached · p reads on")
	term.press("G")
	term.quiet()
	first := term.see("session_read_units reached")
	term.press("p")
	term.until("more rows", func(s string) bool { return row(s, "provisional") != row(first, "provisional") })
}
