package ui_test

import (
	"fmt"
	"strings"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/layout/config"
)

// The room of a counter names the nearest limit. If the numbers look like 32-bit numbers, this is 2^31, and the text
// says that this holds only for 32-bit ids. The screen shows when the room runs out only if the rate is known. A list
// can be sorted by the room.
func TestTheRoomOfCounters(t *testing.T) {
	s := onDemo(t)
	at := func(number int) sdk.Item {
		return sdk.Item{"pk": sdk.S("COUNTER#ticket"), "lastId": sdk.N(fmt.Sprint(number))}
	}
	if err := sdk.Fill(t.Context(), s.demo.App(), sdk.Table("tickets32", "pk:S"), at(2147481649)); err != nil {
		t.Fatal(err)
	}
	s.options.Table = "tickets32"
	term := s.run(t)
	term.press("3")
	frame := term.see("of 9", "2,147,481,649", "1,998 left until 2^31 if ids are 32-bit")
	if room := row(frame, "1,998 left"); strings.Contains(room, "about") {
		t.Errorf("nobody has seen it move, and its end is predicted:\n%s", frame)
	}
	term.press("sss")
	frame = term.see("least room first", "ROOM", "RUNS OUT", "1,998?")
	if top := strings.Split(frame, "\n")[4]; !strings.Contains(top, "2,147,481,649") || !strings.Contains(top, " — ") {
		t.Errorf("the counter with the least room is not on top, or its end is predicted:\n%s", frame)
	}
	s.put(t, "tickets32", at(2147481650))
	term.see("1,997 left until 2^31 if ids are 32-bit, about ")
	term.until("its end in the list", func(frame string) bool { return strings.Contains(row(frame, "1,997?"), " in ") })
	term.resize(200, 60)
	frame = term.see("1,997?", "1,997 left until 2^31", "9,007,197,107,259,341 left until 2^53")
	if !strings.Contains(row(frame, "NextIdTable"), "about 9×10^15") {
		t.Errorf("a large room is not named in the list:\n%s", frame)
	}
}

// If reading the ids costs more than AutoReadUnits, the counter stays unchecked. The detail names the key that checks
// it, and the price. The key shows the check of the counter's table, and esc goes back.
func TestTheIDsOfALargeTable(t *testing.T) {
	s := onDemo(t, func(o *dynamo.Options) {
		o.AutoReadUnits = 90
		o.Layouts = append(o.Layouts, config.Layout{Name: "shop", Tables: []string{"shop"}, Counters: []config.Counter{{
			PK: "COUNTER#order", Attribute: "n", Semantics: "last", IDs: []config.IDs{{PK: "ORDER#{number}"}},
		}}})
	})
	items := []sdk.Item{{"pk": sdk.S("COUNTER#order"), "n": sdk.N("11")}}
	for n := range 12 {
		items = append(items, sdk.Item{"pk": sdk.S(fmt.Sprint("ORDER#", n+1)), "note": sdk.S(strings.Repeat("x", 60_000))})
	}
	if err := sdk.Fill(t.Context(), s.demo.App(), sdk.Table("shop", "pk:S"), items...); err != nil {
		t.Fatal(err)
	}
	term := s.run(t)
	term.see("VERDICT", "● held")
	term.press("3")
	frame := term.see("of 9", "order_id")
	if !strings.Contains(row(frame, "shop "), "· not checked") {
		t.Errorf("the counter of a large table is checked, or called healthy:\n%s", frame)
	}
	term.press("/shop<enter>")
	term.see("▸ shop", "o checks its ids: about 291 read units", "o check ids")
	term.press("o")
	term.see("› shop", "about 291 read units: ", "enter check it")
	term.press("<enter>")
	term.see("counter-behind", "✓ Checked")
	term.press("<esc>")
	term.see("▼ behind by 1", "It says 11, but 12 is in use")
}
