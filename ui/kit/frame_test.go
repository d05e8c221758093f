package kit_test

import (
	"testing"

	"tallylock/ui/kit"
)

// Neither a list nor the detail beside it becomes narrower in a wider window, and a list gets no
// more than it has a use for before the detail's sentences are as long as can be read.
func TestWhatStandsBesideAList(t *testing.T) {
	for w := kit.WideWidth; w < 400; w++ {
		beside, next := kit.Size{Width: w}.BesideWidth(), kit.Size{Width: w + 1}.BesideWidth()
		if next < beside || next > beside+1 {
			t.Errorf("%d cells of %d, %d of one more", beside, w, next)
		}
		if list := w - beside - 1; list > 180 && beside < 100 {
			t.Errorf("%d wide: %d for the list, %d beside it", w, list, beside)
		}
	}
}
