package check_test

import (
	"fmt"
	"strings"
	"testing"

	"tallylock/dynamo/check"
)

// Items that only look like counters are not called broken for holding a fraction: that
// they are no counters is likelier.
func TestAGuessedCounterIsNotConfirmedForAFraction(t *testing.T) {
	f := start(t)
	var items []doc
	for n := range 30 {
		items = append(items, doc{"deviceId": str(fmt.Sprint("d", n)), "lastValue": num("20.5")})
	}
	f.create("devices", "deviceId:S", "", items...)
	found, sum := f.run(f.open("devices"), check.Options{})
	for _, one := range found {
		if one.Confirmed || !strings.Contains(one.Detail, "ADD works on it") || strings.Contains(one.Detail, "fails") {
			t.Errorf("%s, confirmed %v: %s", one.Kind, one.Confirmed, one.Detail)
		}
	}
	t.Log(len(found), sum.Findings)
}
