package ui

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
)

// Text that carries meaning reaches 4.5:1 on the grounds that it stands on.
func TestContrast(t *testing.T) {
	for name, theme := range map[string]struct {
		palette
		terminal string
	}{"dark": {darkPalette(), "#12161c"}, "light": {lightPalette(), "#fcfcfb"}} {
		st := &styles{}
		for r := range roles {
			if r == faint || r == fill {
				continue
			}
			for g, behind := range map[ground]string{base: theme.terminal, raise: theme.grounds[raise].rgb, selection: theme.grounds[selection].rgb} {
				if ratio := contrast(st.onGround(theme.palette, g, r).rgb, behind); ratio < 4.45 {
					t.Errorf("%s: role %d on ground %d has %.2f:1", name, r, g, ratio)
				}
			}
		}
		for g, r := range map[ground]role{production: text, button: strong} {
			if ratio := contrast(st.onGround(theme.palette, g, r).rgb, theme.grounds[g].rgb); ratio < 4.45 {
				t.Errorf("%s: text on ground %d has %.2f:1", name, g, ratio)
			}
		}
	}
}

// Of 256 colours, too, what carries meaning is told from its ground, and greys have
// no hue.
func TestContrastOf256Colours(t *testing.T) {
	st := &styles{depth: indexed}
	shade := func(rgb string) string {
		r, g, b, _ := colorprofile.ANSI256.Convert(st.shade(rgb)).RGBA()
		return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
	}
	for name, theme := range map[string]struct {
		palette
		terminal string
	}{"dark": {darkPalette(), "#12161c"}, "light": {lightPalette(), "#fcfcfb"}} {
		for r := range roles {
			if r == faint || r == fill {
				continue
			}
			for g, behind := range map[ground]string{base: theme.terminal, selection: shade(theme.grounds[selection].rgb)} {
				if ratio := contrast(shade(st.onGround(theme.palette, g, r).rgb), behind); ratio < 3.5 {
					t.Errorf("%s: role %d on ground %d has %.2f:1", name, r, g, ratio)
				}
			}
		}
		for _, p := range []paint{theme.roles[muted], theme.roles[faint], theme.grounds[field], theme.grounds[kept], theme.behind} {
			if grey := shade(p.rgb); grey[1:3] != grey[3:5] || grey[3:5] != grey[5:7] {
				t.Errorf("%s: %s becomes %s", name, p.rgb, grey)
			}
		}
	}
}

func contrast(a, b string) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func luminance(hex string) float64 {
	sum := 0.0
	for n, weight := range [3]float64{0.2126, 0.7152, 0.0722} {
		v, _ := strconv.ParseUint(hex[1+2*n:3+2*n], 16, 8)
		c := float64(v) / 255
		if c <= 0.03928 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		sum += weight * c
	}
	return sum
}

// Without colour the selection and the focused button are reversed, fields and the
// other buttons underlined, and nothing else says more than plain and bold.
func TestNoColour(t *testing.T) {
	st := newStyles(true, noColour, false)
	colours := regexp.MustCompile(`\x1b\[[0-9;]*(3[0-8]|4[0-8]|9[0-7]|10[0-7])[;m]`)
	for g := range grounds {
		for k := range look(looks) {
			if colours.MatchString(st.sgr[g][k]) {
				t.Fatalf("ground %d, look %d: %q", g, k, st.sgr[g][k])
			}
		}
		if got := strings.Contains(st.sgr[g][asText], "7"); got != (g == selection || g == button) {
			t.Errorf("ground %d reversed: %v", g, got)
		}
	}
}

// In 16 colours only the terminal's own are named.
func TestSixteenColours(t *testing.T) {
	for _, dark := range []bool{true, false} {
		st := newStyles(dark, sixteen, false)
		for g := range grounds {
			for k := range look(looks) {
				if strings.Contains(st.sgr[g][k], "38;") || strings.Contains(st.sgr[g][k], "48;") {
					t.Fatalf("ground %d, look %d: %q", g, k, st.sgr[g][k])
				}
			}
		}
	}
}

// The terminal's answers change the styles; a theme that was chosen stays.
func TestTheTerminalTells(t *testing.T) {
	a := newApp(t.Context(), Options{Connections: []Connection{{}}, Theme: Auto})
	white := tea.BackgroundColorMsg{Color: rgb{}}
	a.update(white)
	if a.st.dark {
		t.Error("a light background leaves the theme dark")
	}
	a.update(tea.ColorProfileMsg{Profile: colorprofile.ANSI})
	if a.st.depth != sixteen || a.st.dark {
		t.Errorf("depth %d, dark %v", a.st.depth, a.st.dark)
	}
	chosen := newApp(t.Context(), Options{Connections: []Connection{{}}, Theme: Dark})
	chosen.update(white)
	if !chosen.st.dark {
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
