package ui

import (
	"image/color"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

// look is a role with its emphasis: one byte, so that a whole screen is drawn by
// looking escape sequences up.
type look uint8

const (
	bold look = 1 << (4 + iota)
	italic
	underline
	looks = 1 << 7
)

// the looks that the screens are written in.
const (
	asText   = look(text)
	asStrong = look(strong)
	asBold   = look(strong) | bold
	asMuted  = look(muted)
	asAbsent = look(muted) | italic
	asFaint  = look(faint)
	asAccent = look(accent)
	asKey    = look(accent) | bold
	asGood   = look(good)
	asWarn   = look(warn)
	asBad    = look(bad)
	asOther  = look(other)
	asFill   = look(fill)
)

func (k look) role() role { return role(k & 0xf) }

// depth is how many colours the terminal shows.
type depth int

const (
	trueColour depth = iota
	indexed          // 256 colours
	sixteen
	noColour
)

func depthOf(p colorprofile.Profile) depth {
	switch p {
	case colorprofile.TrueColor:
		return trueColour
	case colorprofile.ANSI256:
		return indexed
	case colorprofile.ANSI:
		return sixteen
	}
	return noColour
}

// styles turns looks on grounds into escape sequences. It is made anew when the
// terminal tells its background or its colours, and never changes.
type styles struct {
	dark  bool
	depth depth
	ascii bool
	cut   string // the mark of a text that was cut
	sgr   [grounds][looks]string
}

func newStyles(dark bool, d depth, ascii bool) *styles {
	s := &styles{dark: dark, depth: d, ascii: ascii, cut: "…"}
	if ascii {
		s.cut = ".."
	}
	p := lightPalette()
	if dark {
		p = darkPalette()
	}
	for g := range grounds {
		for k := range look(looks) {
			if k.role() < roles {
				s.sgr[g][k] = s.sequence(p, g, k)
			}
		}
	}
	return s
}

func (s *styles) sequence(p palette, g ground, k look) string {
	var st ansi.Style
	if k&bold != 0 && g != backdrop && g != keptBehind {
		st = st.Bold()
	}
	if k&italic != 0 {
		st = st.Italic(true)
	}
	if k&underline != 0 {
		st = st.Underline(true)
	}
	if s.depth == noColour {
		switch g {
		case selection, button:
			st = st.Reverse(true)
		case field: // where to type, and what can be pressed
			st = st.Underline(true)
		}
		if len(st) == 0 {
			return ""
		}
		return st.String()
	}
	st = s.colour(st, s.onGround(p, g, k.role()), false)
	st = s.colour(st, p.grounds[g], true)
	if len(st) == 0 {
		return ""
	}
	return st.String()
}

// onGround is the colour that a role has on a ground.
func (s *styles) onGround(p palette, g ground, r role) paint {
	switch g {
	case selection:
		if s.depth == sixteen {
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
	case production:
		if r == strong || r == accent || r == warn {
			return p.onProduction
		}
		return p.onProductionQuiet
	case button:
		return p.onButton
	case backdrop, keptBehind:
		return p.behind
	}
	return p.roles[r]
}

// shade is a colour of the palette. Of 256 colours the renderer takes the nearest,
// but where that would be another colour.
func (s *styles) shade(rgb string) color.Color {
	if s.depth == indexed {
		if n, ok := among256(rgb); ok {
			return n
		}
	}
	return lipgloss.Color(rgb)
}

func (s *styles) colour(st ansi.Style, c paint, behind bool) ansi.Style {
	switch {
	case s.depth <= indexed && c.rgb == "":
		return st
	case s.depth <= indexed && behind:
		return st.BackgroundColor(s.shade(c.rgb))
	case s.depth <= indexed:
		return st.ForegroundColor(s.shade(c.rgb))
	case c.basic >= 0 && behind:
		return st.BackgroundColor(ansi.BasicColor(c.basic)) //nolint:gosec // 0 to 15
	case c.basic >= 0:
		return st.ForegroundColor(ansi.BasicColor(c.basic)) //nolint:gosec // 0 to 15
	case c.dim:
		return st.Faint()
	}
	return st
}
