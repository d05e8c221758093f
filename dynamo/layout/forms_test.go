package layout_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"tallylock/dynamo/layout"
)

// Find finds the same forms as SameForm does one by one, even if many forms begin alike.
func TestFormsFindsWhatIsTheSame(t *testing.T) {
	t.Parallel()
	text := rapid.StringMatching(`(customeraccount1|customeraccount)?[xy]{0,6}`)
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.SliceOfN(text, 0, 30).Draw(t, "forms")
		var x layout.Forms
		for n, form := range all {
			x.Add(form, int32(n))
		}
		for range 5 {
			form := text.Draw(t, "sought")
			var got, want []int32
			x.Find([]byte(form), func(id int32) { got = append(got, id) })
			for n, one := range all {
				if layout.SameForm(one, form) {
					want = append(want, int32(n))
				}
			}
			if slices.Sort(got); !slices.Equal(got, want) {
				t.Fatalf("%q among %q: %d; want %d", form, all, got, want)
			}
		}
	})
}
