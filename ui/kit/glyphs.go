package kit

import (
	"strings"

	"tallylock/ui/safe"
)

// The glyphs of the screens, each one cell wide and drawn as text everywhere.
// On terminals that lack them, ASCII puts others of one cell in their place.
const (
	GlyphHeld     = "●"
	GlyphMissing  = "○"
	GlyphOrphaned = "✗"
	GlyphStale    = "◐"
	GlyphForeign  = "◆"
	GlyphUnknown  = "?"
	GlyphFree     = "□"
	GlyphReserved = "◌"
	GlyphNone     = "·"

	GlyphDuplicate = "="
	GlyphMalformed = "!"
	GlyphAlike     = "≈" // but for the spelling
	GlyphExpiring  = "◔"
	GlyphBehind    = "▼"
	GlyphUnsafe    = "▲"
	GlyphOffStep   = "÷"
	GlyphNotNumber = "#"

	GlyphYes = "✓"
	GlyphNo  = "✗"

	GlyphUndone = "↑"

	GlyphMark   = "▸"
	glyphMarked = "■" // to be released with others
	glyphOpen   = "▾"
	GlyphPath   = "›"
	GlyphAbsent = "—"

	RuleThin  = "─"
	RuleHeavy = "━"
	ruleTip   = "╸"
	RuleDash  = "╌"
	RuleEnds  = "╴" // comes from the left and ends
	RuleStart = "╶" // starts here and goes right
	RuleCross = "┼"
	Wall      = "│"
	TreeFirst = "┬"
	TreeNext  = "├"
	TreeLast  = "└"
	WallDown  = "┬"
	WallUp    = "┴"
	ColourBar = "▎"
)

// asciiGlyphs has a character of one cell in place of each glyph.
var asciiGlyphs = strings.NewReplacer(
	"●", "*", "○", "o", "✗", "x", "×", "x", "◐", "~", "≈", "~", "◆", "%", "◌", ":", "◔", "t",
	"—", "-", "─", "-", "╴", "-", "╶", "-", "╌", "-", "□", "_", "·", "|", "│", "|", "▎", "|",
	"✓", "v", "▾", "v", "▼", "v", "↓", "v", "▲", "^", "↑", "^", "←", "<", "→", ">", "▸", ">", "›", ">",
	"┼", "+", "┬", "+", "├", "+", "└", "+", "┴", "+", "╭", "+", "╮", "+", "╰", "+", "╯", "+", "┤", "+",
	"■", "#", "÷", "/", "━", "=", "╸", "=", "…", ".",
	"▁", "_", "▂", ".", "▃", ":", "▄", ":", "▅", "#", "▆", "#", "▇", "#", "█", "#",
)

// ASCII is words for a terminal that shows ASCII only, and which parts of them are escapes:
// plain characters in place of the glyphs of the screens, and escapes for all else.
func ASCII(s string) (string, []safe.Span) {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return safe.ASCII(asciiGlyphs.Replace(s))
		}
	}
	return s, nil
}

// words is a text of our own, sanitised.
func (s *Styles) words(text string) (string, []safe.Span) {
	if s.ascii {
		return ASCII(text)
	}
	return safe.Spans(text)
}

// value is a text from a table, in which spaces at the end are shown, sanitised.
func (s *Styles) value(text string) (string, []safe.Span) {
	if s.ascii {
		return safe.ASCIIValue(text)
	}
	return safe.Value(text)
}

// typed is a text that is typed, sanitised.
func (s *Styles) typed(text string) (string, []safe.Span) {
	if s.ascii {
		return safe.ASCII(text)
	}
	return safe.Spans(text)
}
