package kit

import "strings"

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
	GlyphOpen   = "▾"
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

// asciiGlyphs maps each glyph to one of one cell. It is read by ASCII only.
func asciiGlyph(r rune) rune {
	switch r {
	case '●':
		return '*'
	case '○':
		return 'o'
	case '✗':
		return 'x'
	case '◐', '≈':
		return '~'
	case '◆':
		return '%'
	case '◌':
		return ':'
	case '◔':
		return 't'
	case '□', '—', '·', '─', '╴', '╶', '╌':
		return '-'
	case '✓', '┼', '┬', '├', '└', '┴', '╭', '╮', '╰', '╯', '┤':
		return '+'
	case '■':
		return '#'
	case '▸', '›':
		return '>'
	case '▾', '▼':
		return 'v'
	case '▲', '↑':
		return '^'
	case '↓':
		return 'v'
	case '÷':
		return '/'
	case '━', '╸':
		return '='
	case '│', '▎':
		return '|'
	case '×':
		return 'x'
	case '…':
		return '.'
	case '▁':
		return '_'
	case '▂':
		return '.'
	case '▃', '▄':
		return ':'
	case '▅', '▆', '▇', '█':
		return '#'
	}
	return r
}

// ASCII puts plain characters in place of the glyphs of the screens.
func ASCII(s string) string {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return strings.Map(asciiGlyph, s)
		}
	}
	return s
}
