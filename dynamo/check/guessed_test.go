package check_test

import (
	"fmt"
	"strings"
	"testing"

	"tallylock/dynamo/check/setting"
)

// An item that only looks like a counter may hold a fraction. It is probably no counter, so the finding stays
// unconfirmed.
func TestAGuessedCounterIsNotConfirmedForAFraction(t *testing.T) {
	f := start(t)
	var items []doc
	for n := range 30 {
		value := num("20.5")
		if n%2 == 0 {
			value = num("20") // if all values were fractions, the guess would find no counter
		}
		items = append(items, doc{"deviceId": str(fmt.Sprint("d", n)), "hand_crafted_int": value})
	}
	f.create("devices", "deviceId:S", "", items...)
	found, sum := f.run(f.guessed("devices"), setting.Options{})
	if len(found) == 0 {
		t.Error("nothing was found: the fractions were not looked at")
	}
	for _, one := range found {
		if one.Confirmed || !strings.Contains(one.Detail, "ADD still works on it") || strings.Contains(one.Detail, "fails") {
			t.Errorf("%s, confirmed %v: %s", one.Kind, one.Confirmed, one.Detail)
		}
	}
	t.Log(len(found), sum.Findings)
}
