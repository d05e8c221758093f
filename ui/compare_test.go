package ui_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"tallylock/dynamo"
	"tallylock/dynamo/embedded/sdk"
)

// If the first sample of a table has no recognised accounts, the table uses the layout of a larger sample. A message
// says so.
func TestALargerSampleIsRead(t *testing.T) {
	s := onDemo(t, func(o *dynamo.Options) { o.AutoReadUnits = 200 })
	var items []sdk.Item
	for n := range 6000 {
		items = append(items, sdk.Item{"PK": sdk.S(fmt.Sprintf("EVENT#%08x", n*2654435761%4294967291)), "SK": sdk.S("EVENT"), "note": sdk.S(strings.Repeat("it was cloudy ", 40))})
	}
	for n := range 12 {
		id, mail := fmt.Sprintf("p%03d", n), fmt.Sprintf("p%d@x.io", n)
		items = append(items, sdk.Item{"PK": sdk.S("PATRON#" + id), "SK": sdk.S("CARD"), "mail": sdk.S(mail)},
			sdk.Item{"PK": sdk.S("PATRONMAIL#" + mail), "SK": sdk.S("PATRONMAIL"), "patron": sdk.S(id)})
	}
	if err := sdk.Fill(t.Context(), s.demo.App(), sdk.Table("rare", "PK:S", "SK:S"), items...); err != nil {
		t.Fatal(err)
	}
	s.options.Table = "rare"
	term := s.run(t)
	term.see("A larger sample shows another layout: the table now uses it.")
	frame := term.see("read · provisional · p reads on") // one of 500 items is an account
	if units := unitsIn(frame); units < 200 || units > 500 {
		t.Errorf("%v read units; want what AutoReadUnits allows for the samples, and for the pages:\n%s", units, frame)
	}
	term.press("p")
	term.quiet()
	if units := unitsIn(term.screen()); units < 400 || units > 700 {
		t.Errorf("%v read units after p; want AutoReadUnits more", units)
	}
	term.press("L")
	term.see("rare › layout", "PATRON#{id}", "PATRONMAIL#{v}")
}

// unitsIn returns the read units in the header.
func unitsIn(frame string) float64 {
	header, _, _ := strings.Cut(frame, " RU")
	words := strings.Fields(header)
	u, _ := strconv.ParseFloat(strings.ReplaceAll(words[len(words)-1], ",", ""), 64)
	return u
}
