package ui_test

import "testing"

// A message hides neither the certainty of the data nor the hints of the keys.
func TestAMessageHidesNothing(t *testing.T) {
	t.Parallel()
	for name, size := range map[string][2]int{"80x24": {80, 24}, "140x40": {140, 40}, "200x60": {200, 60}, "140x20": {140, 20}} {
		t.Run(name, func(t *testing.T) {
			s := onDemo(t)
			s.w, s.h = size[0], size[1]
			term := s.run(t)
			term.see("confirmed", "? help")
			term.press("z")
			term.see("Only locks are grouped.", "confirmed", "? help")
		})
	}
}
