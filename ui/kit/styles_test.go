package kit

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"
)

// Text that carries meaning has a contrast of 4.5:1 to its background.
func TestContrast(t *testing.T) {
	for name, theme := range map[string]struct {
		palette
		terminal string
	}{
		"dark": {darkPalette(), "#12161c"}, "light": {lightPalette(), "#fcfcfb"},
		"dark, colour-blind": {Theme{ColourBlind: true}.palette(true), "#12161c"}, "light, colour-blind": {Theme{ColourBlind: true}.palette(false), "#fcfcfb"},
	} {
		st := &Styles{}
		for r := range roles {
			if r == faint || r == fill {
				continue
			}
			for g, behind := range map[Ground]string{Base: theme.terminal, Raise: theme.grounds[Raise].rgb, Selected: theme.grounds[Selected].rgb} {
				if ratio := contrast(st.onGround(theme.palette, g, r).rgb, behind); ratio < 4.45 {
					t.Errorf("%s: role %d on ground %d has %.2f:1", name, r, g, ratio)
				}
			}
		}
		for g, r := range map[Ground]role{Production: text, Focused: strong} {
			if ratio := contrast(st.onGround(theme.palette, g, r).rgb, theme.grounds[g].rgb); ratio < 4.45 {
				t.Errorf("%s: text on ground %d has %.2f:1", name, g, ratio)
			}
		}
	}
}

// With 256 colours, too, text that carries meaning has enough contrast to its background, and greys have no hue.
func TestContrastOf256Colours(t *testing.T) {
	st := &Styles{Colours: Colours256}
	shade := func(rgb string) string {
		r, g, b, _ := colorprofile.ANSI256.Convert(st.shade(rgb)).RGBA()
		return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
	}
	for name, theme := range map[string]struct {
		palette
		terminal string
	}{
		"dark": {darkPalette(), "#12161c"}, "light": {lightPalette(), "#fcfcfb"},
		"dark, colour-blind": {Theme{ColourBlind: true}.palette(true), "#12161c"}, "light, colour-blind": {Theme{ColourBlind: true}.palette(false), "#fcfcfb"},
	} {
		for r := range roles {
			if r == faint || r == fill {
				continue
			}
			for g, behind := range map[Ground]string{Base: theme.terminal, Selected: shade(theme.grounds[Selected].rgb)} {
				if ratio := contrast(shade(st.onGround(theme.palette, g, r).rgb), behind); ratio < 3.5 {
					t.Errorf("%s: role %d on ground %d has %.2f:1", name, r, g, ratio)
				}
			}
		}
		for _, p := range []paint{theme.roles[muted], theme.roles[faint], theme.grounds[Unfocused], theme.grounds[SelectedUnfocused], theme.behind} {
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

// Without colours, the selection, the focused button and the bar of a production connection are reversed. Fields and
// other buttons are underlined, but not disabled buttons. Placeholders and everything behind a dialog are faint. All
// other styles are only plain or bold.
func TestNoColour(t *testing.T) {
	st := NewStyles(Look{Dark: true, Colours: NoColour})
	colours := regexp.MustCompile(`\x1b\[[0-9;]*(3[0-8]|4[0-8]|9[0-7]|10[0-7])[;m]`)
	plain := [grounds]string{
		Selected: "\x1b[7m", Focused: "\x1b[7m", Production: "\x1b[7m", Unfocused: "\x1b[4m",
		Disabled: "\x1b[2m", Backdrop: "\x1b[2m", SelectedBehind: "\x1b[2m",
	}
	for g := range grounds {
		for k := range Style(looks) {
			if colours.MatchString(st.sequences[g][k]) {
				t.Fatalf("ground %d, look %d: %q", g, k, st.sequences[g][k])
			}
		}
		if got := st.sequences[g][Text]; got != plain[g] {
			t.Errorf("text on ground %d is %q, want %q", g, got, plain[g])
		}
	}
	if got := st.sequences[Unfocused][Absent]; !strings.Contains(got, ";2m") {
		t.Errorf("what to type is as bright as what is typed: %q", got)
	}
}

// With 16 colours, the styles use only the terminal's own colours.
func TestSixteenColours(t *testing.T) {
	for _, dark := range []bool{true, false} {
		st := NewStyles(Look{Dark: dark, Colours: Colours16})
		for g := range grounds {
			for k := range Style(looks) {
				if strings.Contains(st.sequences[g][k], "38;") || strings.Contains(st.sequences[g][k], "48;") {
					t.Fatalf("ground %d, look %d: %q", g, k, st.sequences[g][k])
				}
			}
		}
	}
}

// With 16 colours, as xterm shows them, text that carries meaning has enough contrast to its background, and no text
// has the colour of its background.
func TestContrastOfSixteenColours(t *testing.T) {
	xterm := [16]string{
		"#000000", "#cd0000", "#00cd00", "#cdcd00", "#0000ee", "#cd00cd", "#00cdcd", "#e5e5e5",
		"#7f7f7f", "#ff0000", "#00ff00", "#ffff00", "#5c5cff", "#ff00ff", "#00ffff", "#ffffff",
	}
	st := &Styles{Colours: Colours16}
	for name, theme := range map[string]struct {
		palette
		back, text, dimmed string
	}{
		"dark":                {darkPalette(), "#000000", "#e5e5e5", "#7f7f7f"},
		"dark, colour-blind":  {Theme{ColourBlind: true}.palette(true), "#000000", "#e5e5e5", "#7f7f7f"},
		"light":               {lightPalette(), "#ffffff", "#000000", "#7f7f7f"},
		"light, colour-blind": {Theme{ColourBlind: true}.palette(false), "#ffffff", "#000000", "#7f7f7f"},
	} {
		shade := func(p paint, own string) string {
			switch {
			case p.basic >= 0:
				return xterm[p.basic]
			case p.apart == dim:
				return theme.dimmed
			}
			return own
		}
		for g := range grounds {
			for r := range roles {
				least := 3.9
				if r == faint || r == fill || g == Backdrop || g == SelectedBehind {
					least = 2
				}
				if ratio := contrast(shade(st.onGround(theme.palette, g, r), theme.text), shade(theme.grounds[g], theme.back)); ratio < least {
					t.Errorf("%s: role %d on ground %d has %.2f:1", name, r, g, ratio)
				}
			}
		}
	}
}
