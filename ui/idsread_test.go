package ui_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"tallylock/dynamo"
	"tallylock/dynamo/embedded/sdk"
	"tallylock/dynamo/layout/config"
)

// onShop returns the demo with the table shop, which has a counter at 11, and the orders 1 to 11.
func onShop(t *testing.T, resets string) (s *setup, term *terminal, counts func(n int), order func(n int) sdk.Item) {
	t.Helper()
	s = onDemo(t, func(o *dynamo.Options) {
		o.Layouts = append(o.Layouts, config.Layout{Name: "shop", Tables: []string{"shop"}, Counters: []config.Counter{{
			PK: "COUNTER#order", Attribute: "n", Semantics: "last", Resets: resets, IDs: []config.IDs{{PK: "ORDER#{number}"}},
		}}})
	})
	counter := func(n int) sdk.Item { return sdk.Item{"pk": sdk.S("COUNTER#order"), "n": sdk.N(fmt.Sprint(n))} }
	order = func(n int) sdk.Item { return sdk.Item{"pk": sdk.S(fmt.Sprint("ORDER#", n))} }
	items := []sdk.Item{counter(11)}
	for n := range 11 {
		items = append(items, order(n+1))
	}
	if err := sdk.Fill(t.Context(), s.demo.App(), sdk.Table("shop", "pk:S"), items...); err != nil {
		t.Fatal(err)
	}
	s.options.Table = "shop"
	return s, s.run(t), func(n int) { s.put(t, "shop", counter(n)) }, order
}

// health waits for the counter of shop to have a number, and returns its row.
func (term *terminal) health(number string) string {
	frame := term.until("the counter at "+number, func(frame string) bool {
		return strings.Contains(row(frame, "shop "), " "+number+" ")
	})
	return row(frame, "shop ")
}

// A counter that has gone back since its ids were read may be behind an id that it handed out in between. It is healthy
// again only after its ids are read again.
func TestACounterThatWentBackIsNotHealthy(t *testing.T) {
	s, term, counts, order := onShop(t, "")
	term.press("3")
	if got := term.health("11"); !strings.Contains(got, "● ok") {
		t.Errorf("its ids were read: %q", got)
	}
	for n := 12; n <= 30; n++ {
		s.put(t, "shop", order(n))
	}
	counts(30)
	if got := term.health("30"); !strings.Contains(got, "● ok") {
		t.Errorf("it rose: %q", got)
	}
	counts(20)
	if got := term.health("20"); !strings.Contains(got, "not checked") {
		t.Errorf("it went back, and order 30 is in use: %q", got)
	}
	if frame := term.see("id 11 in use", "o checks its ids"); strings.Contains(frame, "highest id 11") {
		t.Errorf("order 30 is in use:\n%s", frame)
	}
	term.press("<ctrl+r>")
	term.see("▼ behind", "It says 20, but 30 is in use")
}

// The latest reading of all ids counts: an id that an earlier check found, and that was deleted since, is not in use.
func TestADeletedIDIsNotInUse(t *testing.T) {
	s, term, _, order := onShop(t, "")
	s.put(t, "shop", order(99))
	term.press("4<enter>")
	term.see("counter-behind", "✓ Checked")
	term.press("3")
	term.see("▼ behind", "It says 11, but 99 is in use")
	if _, err := s.demo.App().DeleteItem(t.Context(), &dynamodb.DeleteItemInput{
		TableName: aws.String("shop"), Key: order(99),
	}); err != nil {
		t.Fatal(err)
	}
	term.press("<ctrl+r>")
	term.until("the counter without order 99", func(frame string) bool {
		return strings.Contains(row(frame, "shop "), "● ok") && strings.Contains(frame, "highest id 11 in use")
	})
}

// A counter that a schedule sets back is not compared with its ids. The key that checks ids says so.
func TestACounterThatResetsIsNotChecked(t *testing.T) {
	_, term, _, _ := onShop(t, "daily")
	term.press("3")
	if got := term.health("11"); !strings.Contains(got, "resets daily") {
		t.Errorf("it is set back: %q", got)
	}
	term.press("o")
	term.see("It is reset daily, so ids above it are normal.")
}
