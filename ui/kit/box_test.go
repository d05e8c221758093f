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

// The text of Timed is the program's own, so its glyphs are replaced by ASCII characters, not escaped.
func TestWhatWasDoneInASCII(t *testing.T) {
	b := kit.NewBox(kit.NewStyles(kit.Look{Dark: true, Colours: kit.NoColour, ASCII: true}), 80, kit.Accent, kit.Heading.Of("Applied"))
	b.Timed("set", "order_id › 0  n = 7", "12:00:00")
	if rows := strings.Join(b.Render(10), "\n"); !strings.Contains(rows, "order_id > 0  n = 7") {
		t.Errorf("the glyph is not replaced:\n%s", rows)
	}
}

// If a dialog is too tall, its fields and buttons stay visible.
func TestALowDialogShowsWhatIsFilledIn(t *testing.T) {
	b := kit.NewBox(kit.NewStyles(kit.Look{Dark: true, Colours: kit.NoColour}), 80, kit.Accent, kit.Heading.Of("Delete"))
	for n := range 20 {
		b.Para(kit.Must, kit.Text, fmt.Sprintf("row %d", n))
	}
	b.Gap()
	reason, typing := kit.NewField(""), kit.NewField("")
	b.InputRow("reason", &reason, "why", false, 20, "")
	b.InputRow("type", &typing, "its id", false, 20, "")
	b.Gap()
	b.Buttons([]string{"No", "Delete"}, 0, nil)
	b.Hints(kit.Hint{Key: "esc", Words: "leave it"})
	rows := strings.Join(b.Render(12), "\n")
	for _, seen := range []string{"row 0 ", "row 5 ", "reason", "type", "Delete", "esc", "pgdown", "14 more"} {
		if !strings.Contains(rows, seen) {
			t.Errorf("no %q:\n%s", seen, rows)
		}
	}
}

// A disabled button looks different from an enabled one, with any number of colours.
func TestAButtonThatCannotBePressedYet(t *testing.T) {
	for colours := kit.TrueColour; colours <= kit.NoColour; colours++ {
		for _, dark := range []bool{true, false} {
			st := kit.NewStyles(kit.Look{Dark: dark, Colours: colours})
			drawn := func(dead bool) string {
				row, alone := kit.NewBox(st, 80, kit.Accent), kit.NewBox(st, 80, kit.Accent)
				row.Buttons([]string{"No, leave it", "Release the lock"}, 0, func(n int) bool { return n == 1 && dead })
				alone.Button(0, "Release the lock", false, dead)
				return strings.Join(append(row.Render(3), alone.Render(3)...), "\n")
			}
			if live, dead := strings.Split(drawn(false), "\n"), strings.Split(drawn(true), "\n"); live[1] == dead[1] || live[4] == dead[4] {
				t.Errorf("dark %v, %d colours: the same as one that can:\n%s", dark, colours, strings.Join(dead, "\n"))
			}
		}
	}
}
