package kit_test

import (
	"testing"

	"tallylock/ui/kit"
)

// In a wider window, neither the list nor the detail beside it becomes narrower. The list takes more than 180 cells
// only if the detail has at least 100, so that its sentences are readable.
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
