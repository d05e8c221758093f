package ui

import (
	"testing"

	"tallylock/ui/kit"
)

// If the focused button is scrolled out of view, enter does not press it, but shows it.
func TestWhatIsOutOfViewIsNotPressed(t *testing.T) {
	s := scroll{top: -1}
	draw := func() {
		b := kit.NewBox(kit.NewStyles(kit.Look{Dark: true, Colours: kit.NoColour}), 80, kit.Accent, kit.Heading.Of("Resolve"))
		b.Button(0, "Send it again", true, false)
		for range 30 {
			b.Para(kit.Must, kit.Text, "what is there now")
		}
		b.Top = s.top
		b.Render(16)
		s.drew(b, 1)
	}
	draw()
	if s.key("enter", true) {
		t.Fatal("a button in view is not pressed")
	}
	s.key("pgdown", false)
	draw()
	if !s.key("enter", true) {
		t.Error("a button out of view is pressed")
	}
	draw()
	if s.key("enter", true) {
		t.Error("the button is in view again, and is not pressed")
	}
}
