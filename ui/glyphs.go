package ui

import "strings"

// The glyphs of the screens, each one cell wide and drawn as text everywhere.
// On terminals that lack them, toASCII puts others of one cell in their place.
const (
	glyphHeld     = "●"
	glyphMissing  = "○"
	glyphOrphaned = "✗"
	glyphStale    = "◐"
	glyphForeign  = "◆"
	glyphUnknown  = "?"
	glyphFree     = "□"
	glyphNone     = "·"

	glyphDuplicate = "="
	glyphMalformed = "!"
	glyphAlike     = "≈" // but for the spelling
	glyphExpiring  = "◔"
	glyphBehind    = "▼"
	glyphUnsafe    = "▲"
	glyphOffStep   = "÷"
	glyphNotNumber = "#"

	glyphYes = "✓"
	glyphNo  = "✗"

	glyphUndone = "↑"

	glyphMark   = "▸"
	glyphMarked = "■" // to be released with others
	glyphOpen   = "▾"
	glyphPath   = "›"
	glyphAbsent = "—"

	ruleThin  = "─"
	ruleHeavy = "━"
	ruleTip   = "╸"
	ruleDash  = "╌"
	ruleEnds  = "╴" // comes from the left and ends
	ruleStart = "╶" // starts here and goes right
	ruleCross = "┼"
	wall      = "│"
	treeFirst = "┬"
	treeNext  = "├"
	treeLast  = "└"
	wallDown  = "┬"
	wallUp    = "┴"
	colourBar = "▎"
)

// asciiGlyphs maps each glyph to one of one cell. It is read by toASCII only.
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

func toASCII(s string) string {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return strings.Map(asciiGlyph, s)
		}
	}
	return s
}
