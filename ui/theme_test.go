package ui

import (
	"testing"

	"tallylock/ui/kit"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
)

// The terminal's answers change the styles; a theme that was chosen stays.
func TestTheTerminalTells(t *testing.T) {
	a := newApp(t.Context(), Options{Connections: []Connection{{}}, Theme: Auto})
	white := tea.BackgroundColorMsg{Color: rgb{}}
	a.update(white)
	if a.st.Dark {
		t.Error("a light background leaves the theme dark")
	}
	a.update(tea.ColorProfileMsg{Profile: colorprofile.ANSI})
	if a.st.Colours != kit.Colours16 || a.st.Dark {
		t.Errorf("depth %d, dark %v", a.st.Colours, a.st.Dark)
	}
	chosen := newApp(t.Context(), Options{Connections: []Connection{{}}, Theme: Dark})
	chosen.update(white)
	if !chosen.st.Dark {
		t.Error("a chosen theme gave way")
	}
}

// rgb is white.
type rgb struct{}

func (rgb) RGBA() (r, g, b, a uint32) { return 0xffff, 0xffff, 0xffff, 0xffff }

// Any value of NO_COLOR counts.
func TestNoColourVariable(t *testing.T) {
	for _, v := range []string{"1", "yes", "0", "false"} {
		t.Setenv("NO_COLOR", v)
		if !(Options{}).filled().NoColour {
			t.Errorf("NO_COLOR=%s is not heeded", v)
		}
	}
	t.Setenv("NO_COLOR", "")
	if (Options{}).filled().NoColour {
		t.Error("an empty NO_COLOR is heeded")
	}
}
