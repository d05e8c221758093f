package dynamo_test

import (
	"fmt"
	"strings"
	"testing"

	"tallylock/internal/fixture"
)

// Where items are so large that not all can be read that the sample calls for, each constraint is
// judged by some.
func TestTheFitOfLargeItemsIsJudgedBySome(t *testing.T) {
	t.Parallel()
	f := fixture.New(t)
	f.Create("large", "PK:S", "SK:S")
	for n := range 60 {
		email, username := fmt.Sprint(n, "@x.io"), fmt.Sprint("u", n)
		f.Put("large", with(fixture.Account(fmt.Sprint(n), email, username), "note", strings.Repeat("x", 40<<10)),
			fixture.Lock("EMAIL", email), fixture.Lock("HANDLE", username))
	}
	table := f.Open("large")
	for _, c := range table.Layout.Constraints() {
		if fit := table.Fit.Of(c); fit.Values < 5 || fit.Locked != fit.Values || fit.Whole {
			t.Errorf("%s: %s", c.Name, fit.Rule.Text)
		}
	}
}
