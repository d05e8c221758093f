package kit_test

import (
	"fmt"
	"strings"
	"testing"

	"tallylock/ui/kit"
)

// A dialog that is too tall shows its beginning first, above its only button.
func TestALowDialogShowsItsBeginning(t *testing.T) {
	b := kit.NewBox(kit.NewStyles(kit.Look{Dark: true, Colours: kit.NoColour}), 80, kit.Accent, kit.Heading.Of("Applied"))
	for n := range 20 {
		b.Para(kit.Must, kit.Text, fmt.Sprintf("row %d", n))
	}
	b.Gap()
	b.Buttons([]string{"Done"}, 0, nil)
	b.Hints(kit.Hint{Key: "enter", Words: "close"})
	if rows := strings.Join(b.Render(10), "\n"); !strings.Contains(rows, "row 0 ") || !strings.Contains(rows, "Done") {
		t.Errorf("neither its beginning nor its button is shown:\n%s", rows)
	}
}
