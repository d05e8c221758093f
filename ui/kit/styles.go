package kit

import (
	"image/color"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

// Style is a role with emphasis. It is one byte, so that Line finds its escape sequence in an
// array.
type Style uint8

// The emphasis of a style. Combine it with a role: Warn|Bold.
const (
	Bold Style = 1 << (4 + iota)
	italic
	Underline
	looks = 1 << 7
)

// The styles of the screens.
const (
	Text    = Style(text)
	Strong  = Style(strong)
	Heading = Style(strong) | Bold
	Muted   = Style(muted)
	Absent  = Style(muted) | italic
	Faint   = Style(faint)
	Accent  = Style(accent)
	Key     = Style(accent) | Bold
	Good    = Style(good)
	Warn    = Style(warn)
	Bad     = Style(bad)
	Other   = Style(other)
	Fill    = Style(fill)
)

func (k Style) role() role { return role(k & 0xf) }

// Colours is how many colours a terminal shows.
type Colours int

// The numbers of colours.
const (
	TrueColour Colours = iota
	Colours256
	Colours16
	NoColour
)

// ColoursOf returns how many colours a terminal with this profile shows.
func ColoursOf(p colorprofile.Profile) Colours {
	switch p {
	case colorprofile.TrueColor:
		return TrueColour
	case colorprofile.ANSI256:
		return Colours256
	case colorprofile.ANSI:
		return Colours16
	}
	return NoColour
}

// Styles has the escape sequence of every style on every background. It never changes. If the
// terminal reports its background or its colours, a new Styles replaces it.
type Styles struct {
	Dark      bool
	Colours   Colours
	ascii     bool
	Cut       string // the mark where a text was cut
	sequences [grounds][looks]string
}

// Look has the settings that styles depend on.
type Look struct {
	Dark    bool // whether the terminal's background is dark
	Colours Colours
	ASCII   bool // whether plain characters replace the glyphs
	Theme   Theme
}

// NewStyles returns the styles for a look.
func NewStyles(l Look) *Styles {
	s := &Styles{Dark: l.Dark, Colours: l.Colours, ascii: l.ASCII, Cut: "…"}
	if l.ASCII {
		s.Cut = ".."
	}
	p := l.Theme.palette(l.Dark)
	for g := range grounds {
		for k := range Style(looks) {
			if k.role() < roles {
				s.sequences[g][k] = s.sequence(p, g, k)
			}
		}
	}
	return s
}

func (s *Styles) sequence(p palette, g Ground, k Style) string {
	var st ansi.Style
	if k&Bold != 0 && g != Backdrop && g != SelectedBehind {
		st = st.Bold()
	}
	if k&italic != 0 {
		st = st.Italic(true)
	}
	// Fields and buttons are underlined if there are only 16 colours: no grey background is
	// readable with all text colours.
	if k&Underline != 0 || g == Unfocused && s.Colours >= Colours16 {
		st = st.Underline(true)
	}
	if s.Colours == NoColour {
		switch {
		case g == Selected, g == Focused, g == Production:
			st = st.Reverse(true)
		case g == Disabled, g == Backdrop, g == SelectedBehind, g == Unfocused && k&italic != 0: // this is a placeholder
			st = st.Faint()
		}
	} else {
		st = s.colour(st, s.onGround(p, g, k.role()), false)
		st = s.colour(st, p.grounds[g], true)
	}
	if len(st) == 0 {
		return ""
	}
	return st.String()
}

// onGround returns the colour of a role on a background.
func (s *Styles) onGround(p palette, g Ground, r role) paint {
	switch g {
	case Selected:
		if s.Colours == Colours16 {
			return p.selected
		}
		switch r {
		case muted:
			r = text
		case text:
			r = strong
		case fill:
			r = accent
		case faint:
			r = muted
		}
	case SelectedUnfocused:
		if s.Colours == Colours16 {
			return p.selectedUnfocused
		}
	case Production:
		if r == strong || r == accent || r == warn {
			return p.onProduction
		}
		return p.onProductionQuiet
	case Focused:
		return p.onButton
	case Backdrop, SelectedBehind:
		return p.behind
	}
	return p.roles[r]
}

// shade returns a colour of the palette. With 256 colours, the renderer takes the nearest one,
// unless among256 has a better one.
func (s *Styles) shade(rgb string) color.Color {
	if s.Colours == Colours256 {
		if n, ok := among256(rgb); ok {
			return n
		}
	}
	return lipgloss.Color(rgb)
}

func (s *Styles) colour(st ansi.Style, c paint, behind bool) ansi.Style {
	switch {
	case s.Colours <= Colours256 && c.rgb == "":
		return st
	case s.Colours <= Colours256 && behind:
		return st.BackgroundColor(s.shade(c.rgb))
	case s.Colours <= Colours256:
		return st.ForegroundColor(s.shade(c.rgb))
	case c.basic >= 0 && behind:
		return st.BackgroundColor(ansi.BasicColor(c.basic)) //nolint:gosec // 0 to 15
	case c.basic >= 0:
		return st.ForegroundColor(ansi.BasicColor(c.basic)) //nolint:gosec // 0 to 15
	case c.apart == dim:
		return st.Faint()
	case c.apart == heavy:
		return st.Bold()
	}
	return st
}
