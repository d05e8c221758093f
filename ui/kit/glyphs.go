package kit

import (
	"regexp"
	"strings"

	"tallylock/ui/safe"
)

// The glyphs of the screens. Each is one cell wide, and no terminal draws it as an emoji. ASCII
// replaces them on terminals without these glyphs.
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
	GlyphAlike     = "≈" // equal except for the spelling
	GlyphExpiring  = "◔"
	GlyphBehind    = "▼"
	GlyphUnsafe    = "▲"
	GlyphOffStep   = "÷"
	GlyphNotNumber = "#"

	GlyphYes = "✓"
	GlyphNo  = "✗"

	GlyphUndone = "↑"

	GlyphMark   = "▸"
	glyphMarked = "■" // marked for a release together with others
	glyphOpen   = "▾"
	GlyphPath   = "›"
	GlyphAbsent = "—"

	RuleThin  = "─"
	RuleHeavy = "━"
	ruleTip   = "╸"
	RuleDash  = "╌"
	RuleEnds  = "╴" // begins at the left edge and ends in the middle
	RuleStart = "╶" // begins in the middle and ends at the right edge
	RuleCross = "┼"
	Wall      = "│"
	TreeFirst = "┬"
	TreeNext  = "├"
	TreeLast  = "└"
	WallDown  = "┬"
	WallUp    = "┴"
	ColourBar = "▎"
)

// asciiGlyphs replaces each glyph by an ASCII character.
var asciiGlyphs = strings.NewReplacer(
	"●", "*", "○", "o", "✗", "x", "×", "x", "◐", "~", "≈", "~", "◆", "%", "◌", ":", "◔", "t",
	"—", "-", "─", "-", "╴", "-", "╶", "-", "╌", "-", "□", "_", "·", "|", "│", "|", "▎", "|",
	"✓", "v", "▾", "v", "▼", "v", "↓", "v", "▲", "^", "↑", "^", "←", "<", "→", ">", "▸", ">", "›", ">",
	"┼", "+", "┬", "+", "├", "+", "└", "+", "┴", "+", "╭", "+", "╮", "+", "╰", "+", "╯", "+", "┤", "+",
	"■", "#", "÷", "/", "━", "=", "╸", "=", "…", ".",
	"▁", "_", "▂", ".", "▃", ":", "▄", ":", "▅", "#", "▆", "#", "▇", "#", "█", "#",
)

// cutNumber is the place where a number is cut. A dot there would look like a decimal point.
var cutNumber = regexp.MustCompile(`(\d)…(\d)`)

// ASCII converts words for a terminal that shows only ASCII. It replaces the glyphs of the screens
// by similar characters, and escapes all others. The spans are the escapes.
func ASCII(s string) (string, []safe.Span) {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return safe.ASCII(asciiGlyphs.Replace(cutNumber.ReplaceAllString(s, "$1~$2")))
		}
	}
	return s, nil
}

// words sanitises a text of this program.
func (s *Styles) words(text string) (string, []safe.Span) {
	if s.ascii {
		return ASCII(text)
	}
	return safe.Spans(text)
}

// value sanitises a text from a table, and makes spaces at its end visible.
func (s *Styles) value(text string) (string, []safe.Span) {
	if s.ascii {
		return safe.ASCIIValue(text)
	}
	return safe.Value(text)
}

// typed sanitises a text that a person is typing.
func (s *Styles) typed(text string) (string, []safe.Span) {
	if s.ascii {
		return safe.ASCII(text)
	}
	return safe.Spans(text)
}
