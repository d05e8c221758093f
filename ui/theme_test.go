package ui

import (
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"tallylock/ui/kit"
	"tallylock/ui/session"
)

// The terminal's answers change the styles, but not a chosen theme.
func TestTheTerminalTells(t *testing.T) {
	a := newApp(t.Context(), session.Options{Connections: []session.Connection{{}}, Theme: session.Auto})
	white := tea.BackgroundColorMsg{Color: rgb{}}
	a.update(white)
	if a.Styles.Dark {
		t.Error("a light background leaves the theme dark")
	}
	a.update(tea.ColorProfileMsg{Profile: colorprofile.ANSI})
	if a.Styles.Colours != kit.Colours16 || a.Styles.Dark {
		t.Errorf("depth %d, dark %v", a.Styles.Colours, a.Styles.Dark)
	}
	chosen := newApp(t.Context(), session.Options{Connections: []session.Connection{{}}, Theme: session.Dark})
	chosen.update(white)
	if !chosen.Styles.Dark {
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
		if !(session.Options{}).Filled().NoColour {
			t.Errorf("NO_COLOR=%s is not heeded", v)
		}
	}
	t.Setenv("NO_COLOR", "")
	if (session.Options{}).Filled().NoColour {
		t.Error("an empty NO_COLOR is heeded")
	}
}

// A locale without UTF-8 has no glyphs. Without a locale, there are glyphs.
func TestLocale(t *testing.T) {
	for _, tc := range []struct {
		all, lang string
		want      bool
	}{
		{"", "", false},
		{"C", "en_GB.UTF-8", true},
		{"", "POSIX", true},
		{"", "de_DE.ISO-8859-1", true},
		{"", "C.utf8", false},
		{"en_GB.UTF-8", "C", false},
	} {
		t.Setenv("LC_ALL", tc.all)
		t.Setenv("LANG", tc.lang)
		if got := (session.Options{}).Filled().ASCII; got != tc.want {
			t.Errorf("LC_ALL=%s LANG=%s: ASCII is %v", tc.all, tc.lang, got)
		}
	}
}
