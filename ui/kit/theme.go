package kit

import (
	"fmt"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

// Theme has a person's changes of the colours. The zero Theme changes nothing.
type Theme struct {
	// ColourBlind uses colours that people with red-green blindness can tell apart.
	ColourBlind bool `toml:"colour_blind"`
	// These colours replace the colours of the roles, on dark and light backgrounds.
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

// Colour is a colour as text, such as "#79b8ff". The zero Colour means no colour.
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

// palette returns the colours for a background, with the changes of the theme.
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

// basicOf returns the nearest of the 16 basic colours.
func basicOf(c Colour) int {
	if basic, ok := colorprofile.ANSI.Convert(lipgloss.Color(c.hex)).(ansi.BasicColor); ok {
		return int(basic)
	}
	return -1
}

// colourBlind replaces good by bluish green, bad by vermilion and warn by yellow, after Okabe and
// Ito ("Color Universal Design", 2008). Their lightness keeps them apart on the background.
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

// role is the purpose of a text. In a theme, each role has one colour.
type role uint8

const (
	text   role = iota // values, keys, body
	strong             // verdict sentences, names, selected text
	muted              // labels, headings, healthy rows
	faint              // lines and disabled words; it never is the only sign of something
	accent             // keys to press, the focus, progress
	good               // held, confirmed, applied
	warn               // missing, stale, provisional, WRITE, offline, denied, unknown
	bad                // orphaned, duplicate, behind, refused
	other              // foreign, attribute types, escaped bytes
	fill               // bars and charts
	roles
)

// Ground is the background of a text.
type Ground uint8

// The backgrounds.
const (
	Base              Ground = iota // the terminal's own background
	Raise                           // the header bar
	Selected                        // the selected row
	SelectedUnfocused               // the selected row if something else has the focus
	Production                      // the header bar of a production connection
	Unfocused                       // fields and buttons without the focus
	Disabled                        // a button that cannot be pressed yet
	Focused                         // the button with the focus
	Backdrop                        // rows behind a dialog
	SelectedBehind                  // the selected row behind a dialog
	grounds
)

// paint is one colour: as RGB, and as one of the 16 basic colours (−1 for the terminal's own).
// apart distinguishes a text in the terminal's own colour.
type paint struct {
	rgb   string
	basic int
	apart emphasis
}

// emphasis distinguishes a text in the terminal's own colour from others.
type emphasis uint8

const (
	plain emphasis = iota
	dim
	heavy
)

// palette has all colours of a theme.
type palette struct {
	roles   [roles]paint
	grounds [grounds]paint
	// onProduction and onProductionQuiet are the text colours of the production bar. onButton is
	// that of the focused button. behind is that of everything behind a dialog.
	onProduction, onProductionQuiet, onButton, behind paint
	// selected and selectedUnfocused are the text colours of the selected row if there are only 16
	// colours.
	selected, selectedUnfocused paint
}

// among256 returns a better colour of the 256, if the nearest one has another hue: greys would be purple, and blues
// would be green.
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

// lightPalette is the theme for a white background. With 16 colours, green, yellow, cyan and grey
// are unreadable on white. So good is plain there, and warn is bold.
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
