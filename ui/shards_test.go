package ui_test

import (
	"fmt"
	"strings"
	"testing"

	"tallylock/dynamo/embedded/sdk"
)

// The shards of a counter are shown as one counter with their sum. No item has the sum, so it cannot be changed. The
// semantics are marked as a guess.
func TestShardsAreSummed(t *testing.T) {
	s := onDemo(t)
	var shards []sdk.Item
	for n := range 3 {
		shards = append(shards, sdk.Item{"pk": sdk.S(fmt.Sprintf("LIKES#home#SHARD#%d", n)), "n": sdk.N(fmt.Sprint(100 + n))})
	}
	if err := sdk.Fill(t.Context(), s.demo.App(), sdk.Table("likes", "pk:S"), shards...); err != nil {
		t.Fatal(err)
	}
	s.options.Table = "likes"
	term := s.run(t)
	term.press("3")
	frame := term.see("of 9", "303", "sum of 3 items (a guess)")
	if strings.Count(frame, "likes") != 2 { // in its row and in its detail
		t.Errorf("the shards are not one counter:\n%s", frame)
	}
	if strings.Contains(frame, "bump") {
		t.Errorf("a sum can be bumped:\n%s", frame)
	}
	term.press("j")
	if frame := term.see("order_id: "); !strings.Contains(frame, "bump") {
		t.Errorf("a counter cannot be bumped:\n%s", frame)
	}
}
