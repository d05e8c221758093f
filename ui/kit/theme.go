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

// role is what a piece of text is there for. Every role has one meaning and one
// colour in each theme.
type role uint8

const (
	text   role = iota // values, keys, body
	strong             // verdict sentences, names, selected text
	muted              // labels, heads, healthy rows
	faint              // lines and disabled words; carries no meaning alone
	accent             // keys to press, the focused thing, progress
	good               // held, confirmed, applied
	warn               // missing, stale, provisional, WRITE, offline, denied, not known
	bad                // orphaned, duplicate, behind, refused
	other              // foreign, attribute types, escaped bytes
	fill               // bars and charts
	roles
)

// Ground is what a piece of text stands on.
type Ground uint8

// The grounds.
const (
	Base              Ground = iota // the terminal's own background
	Raise                           // the header bar
	Selected                        // the selected row
	SelectedUnfocused               // the selected row while focus is elsewhere
	Production                      // the header bar of a production connection
	Unfocused                       // inputs and buttons without focus
	Disabled                        // the button that cannot be pressed yet
	Focused                         // the button with focus
	Backdrop                        // rows behind a dialog
	SelectedBehind                  // the selected row behind a dialog
	grounds
)

// paint is one colour in the three depths: true colour, 16 colours (−1: the
// terminal's own), and what sets the terminal's own apart.
type paint struct {
	rgb   string
	basic int
	apart emphasis
}

// emphasis is how a text in the terminal's own colour is set apart.
type emphasis uint8

const (
	plain emphasis = iota
	dim
	heavy
)

// palette is one theme.
type palette struct {
	roles   [roles]paint
	grounds [grounds]paint
	// onProduction and onProductionQuiet are the texts of the production bar,
	// onButton that of the focused button, behind that of what a dialog dims.
	onProduction, onProductionQuiet, onButton, behind paint
	// selected and selectedUnfocused are all text on the selected row, in 16 colours.
	selected, selectedUnfocused paint
}

// among256 stands for the colours whose nearest of the 256 is of another hue: greys
// that would be purple, blues that would be green.
func among256(rgb string) (ansi.IndexedColor, bool) {
	n, ok := map[string]ansi.IndexedColor{
		"#8a95a5": 246, // muted
		"#3a6291": 25,  // fill
		"#203a58": 17,  // selection
		"#232b36": 236, // field
		"#2b323c": 236, // text, on light
		"#5f6b7a": 242, // muted
		"#b9c1cb": 250, // faint
		"#b4bcc6": 250, // behind a dialog
		"#12734f": 22,  // good
		"#006f61": 23,  // good, for colour-blind eyes
		"#806000": 58,  // warn
		"#7d0f00": 88,  // bad
		"#7a2fb0": 55,  // other
		"#d3e5fb": 153, // selection
		"#e9edf2": 254, // field
	}[rgb]
	return n, ok
}

func darkPalette() palette {
	return palette{
		roles: [roles]paint{
			strong: {"#f2f5f9", 15, plain},
			text:   {"#c9d1dc", -1, plain},
			muted:  {"#8a95a5", -1, dim},
			faint:  {"#4a5463", 8, plain},
			accent: {"#79b8ff", 12, plain},
			good:   {"#6cc3a0", 10, plain},
			warn:   {"#e3b341", 11, plain},
			bad:    {"#ff8589", 9, plain},
			other:  {"#c4a1ff", 13, plain},
			fill:   {"#3a6291", 4, plain},
		},
		grounds: [grounds]paint{
			Base:              {"", -1, plain},
			Raise:             {"#1b212a", -1, plain},
			Selected:          {"#203a58", 4, plain},
			SelectedUnfocused: {"#1d242e", 8, plain},
			Production:        {"#7a1f2b", 1, plain},
			Unfocused:         {"#232b36", -1, plain},
			Disabled:          {"#232b36", -1, plain},
			Focused:           {"#79b8ff", 12, plain},
			Backdrop:          {"", -1, plain},
			SelectedBehind:    {"#1d242e", -1, plain},
		},
		onProduction:      paint{"#ffffff", 15, plain},
		onProductionQuiet: paint{"#f3c2c6", 15, plain},
		onButton:          paint{"#0d1117", 0, plain},
		behind:            paint{"#3f4754", 8, plain},
		selected:          paint{"", 15, plain},
		selectedUnfocused: paint{"", 15, plain},
	}
}

// lightPalette is the theme on white, where of the 16 colours green, yellow, cyan and grey
// cannot be read: what is good is plain there and what wants a look is bold.
func lightPalette() palette {
	return palette{
		roles: [roles]paint{
			strong: {"#0b0f14", 0, plain},
			text:   {"#2b323c", -1, plain},
			muted:  {"#5f6b7a", -1, dim},
			faint:  {"#b9c1cb", -1, dim},
			accent: {"#0a5fc2", 4, plain},
			good:   {"#12734f", -1, plain},
			warn:   {"#8a5a00", -1, heavy},
			bad:    {"#b8202f", 1, plain},
			other:  {"#6f3fc0", 5, plain},
			fill:   {"#93b9e4", 12, plain},
		},
		grounds: [grounds]paint{
			Base:              {"", -1, plain},
			Raise:             {"#eef1f4", -1, plain},
			Selected:          {"#d3e5fb", 4, plain},
			SelectedUnfocused: {"#eef1f4", 7, plain},
			Production:        {"#b3202f", 1, plain},
			Unfocused:         {"#e9edf2", -1, plain},
			Disabled:          {"#e9edf2", -1, plain},
			Focused:           {"#0a5fc2", 4, plain},
			Backdrop:          {"", -1, plain},
			SelectedBehind:    {"#eef1f4", -1, plain},
		},
		onProduction:      paint{"#ffffff", 15, plain},
		onProductionQuiet: paint{"#ffdfe2", 15, plain},
		onButton:          paint{"#ffffff", 15, plain},
		behind:            paint{"#b4bcc6", -1, dim},
		selected:          paint{"", 15, plain},
		selectedUnfocused: paint{"", 0, plain},
	}
}
