package ui_test

import (
	"fmt"
	"strings"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/embedded/sdk"
)

// Above AutoReadUnits, a person reaches the end of a list with a few keys, because pages grow.
func TestTheEndOfAListIsAFewKeysAway(t *testing.T) {
	s := onDemo(t, func(o *dynamo.Options) { o.AutoReadUnits = 257 })
	var items []sdk.Item
	for n := range 367 {
		v := fmt.Sprintf("p%d", n)
		items = append(items,
			sdk.Item{"pk": sdk.S("ACCT#" + v), "sk": sdk.S("PROFILE"), "email": sdk.S(v + "@x.io"), "username": sdk.S(v), "bio": sdk.S(strings.Repeat("x", 1500))},
			sdk.Item{"pk": sdk.S("UNIQ#EMAIL#" + v + "@x.io"), "sk": sdk.S("LOCK")},
			sdk.Item{"pk": sdk.S("UNIQ#HANDLE#" + v), "sk": sdk.S("LOCK")})
	}
	if err := sdk.Fill(t.Context(), s.demo.App(), sdk.Table("town", "pk:S", "sk:S"), items...); err != nil {
		t.Fatal(err)
	}
	s.options.Table = "town"
	term := s.run(t)
	term.see("● held", "read · provisional")
	presses := 0
	for ; presses < 20 && !strings.Contains(term.screen(), "734 of 734"); presses++ {
		term.press("G")
		term.quiet()
	}
	if presses > 6 {
		t.Errorf("%d presses:\n%s", presses, term.screen())
	}
}
