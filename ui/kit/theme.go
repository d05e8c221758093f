package kit

import (
	"fmt"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

// Theme is what a person wants otherwise about the colours; zero changes nothing.
type Theme struct {
	// ColourBlind takes colours that red-green blind eyes tell apart, too.
	ColourBlind bool `toml:"colour_blind"`
	// Colours for what text means, in place of the theme's, on either background.
	Text   Colour `toml:"text"`
	Strong Colour `toml:"strong"`
	Muted  Colour `toml:"muted"`
	Faint  Colour `toml:"faint"`
	Accent Colour `toml:"accent"`
	Good   Colour `toml:"good"`
	Warn   Colour `toml:"warn"`
	Bad    Colour `toml:"bad"`
	Other  Colour `toml:"other"`
	Fill   Colour `toml:"fill"`
}

// Colour is a colour as config files and style sheets write it, "#79b8ff"; zero is none.
type Colour struct{ hex string }

// UnmarshalText implements encoding.TextUnmarshaler.
func (c *Colour) UnmarshalText(text []byte) error {
	var r, g, b uint8
	if n, err := fmt.Sscanf(string(text), "#%02x%02x%02x", &r, &g, &b); n != 3 || err != nil || len(text) != 7 {
		return fmt.Errorf("%q is not a colour: write it as #rrggbb, such as #79b8ff", text)
	}
	c.hex = string(text)
	return nil
}

// palette is that of a background, with what the theme has otherwise.
func (t Theme) palette(dark bool) palette {
	p := lightPalette()
	if dark {
		p = darkPalette()
	}
	if t.ColourBlind {
		p = colourBlind(p, dark)
	}
	for r, c := range map[role]Colour{
		text: t.Text, strong: t.Strong, muted: t.Muted, faint: t.Faint,
		accent: t.Accent, good: t.Good, warn: t.Warn, bad: t.Bad, other: t.Other, fill: t.Fill,
	} {
		if c.hex != "" {
			p.roles[r] = paint{rgb: c.hex, basic: basicOf(c)}
		}
	}
	return p
}

// basicOf is the nearest of the 16 colours.
func basicOf(c Colour) int {
	if basic, ok := colorprofile.ANSI.Convert(lipgloss.Color(c.hex)).(ansi.BasicColor); ok {
		return int(basic)
	}
	return -1
}

// colourBlind has what is good in bluish green, what is bad in vermilion, and yellow between
// them, after the set of Okabe and Ito ("Color Universal Design", 2008), with the lightness
// that keeps them apart on the background.
func colourBlind(p palette, dark bool) palette {
	if dark {
		p.roles[good], p.roles[warn] = paint{"#5ad1c0", 14, plain}, paint{"#f0e442", 11, plain}
		p.roles[bad], p.roles[other] = paint{"#ff7d5c", 9, plain}, paint{"#c99cff", 13, plain}
		return p
	}
	p.roles[good], p.roles[warn] = paint{"#006f61", -1, plain}, paint{"#806000", -1, heavy}
	p.roles[bad], p.roles[other] = paint{"#7d0f00", 1, plain}, paint{"#7a2fb0", 5, plain}
	return p
}
