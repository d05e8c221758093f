package dialog

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"tallylock/ui/kit"
	"tallylock/ui/safe"
	"tallylock/ui/say"
	"tallylock/ui/session"
)

// Text is a long text in a dialog. It scrolls.
type Text struct {
	*session.Session
	// Other is the number of rows of the window that are not for the text.
	Other int
	lines []kit.Span
	top   int
}

// textWidth is the greatest width of a dialog with a long text.
const textWidth = 100

// NewBox begins a dialog of the usual width, or narrower on a narrow screen.
func (t *Text) NewBox(title string) *kit.Box {
	b := kit.NewBox(t.Styles, t.Size.Width, kit.Accent, kit.Heading.Of(title))
	b.Width = min(t.Size.Width-2, textWidth)
	return b
}

// Width is the greatest width of a line.
func (t *Text) Width() int { return max(min(t.Size.Width-2, textWidth)-6, 8) }

// Clear removes the text.
func (t *Text) Clear() { t.lines, t.top = nil, 0 }

// Add adds a text. It breaks lines that are too long.
func (t *Text) Add(k kit.Style, text string) {
	for _, paragraph := range strings.Split(text, "\n") {
		for _, row := range strings.Split(ansi.Hardwrap(safe.Text(paragraph), t.Width(), true), "\n") {
			t.lines = append(t.lines, k.Of(row))
		}
	}
}

// AddWords adds a text that is broken between words.
func (t *Text) AddWords(k kit.Style, text string) {
	for _, row := range kit.Wrap(text, t.Width()) {
		t.lines = append(t.lines, k.Of(row))
	}
}

// page returns the number of visible lines.
func (t *Text) page() int { return max(t.Size.Height-t.Other, 1) }

// Draw draws the visible lines.
func (t *Text) Draw(b *kit.Box) {
	t.top = max(min(t.top, len(t.lines)-t.page()), 0)
	for _, s := range t.lines[t.top:min(t.top+t.page(), len(t.lines))] {
		b.Row(kit.Must, func(l *kit.Line) {
			l.To(2)
			l.Put(s.Style, s.Text)
		})
	}
}

// DrawHints draws the hints below the text, and how far it is scrolled. If there are too many hints, it drops some, but
// keeps the last one, which closes the dialog.
func (t *Text) DrawHints(b *kit.Box, hints ...kit.Hint) {
	hints = kit.WithKeys(append([]kit.Hint{{Key: "↑↓", Words: "scroll"}}, hints...))
	room, position := b.Inner()-4, ""
	if len(t.lines) > t.page() {
		position = say.Position(min(t.top+t.page(), len(t.lines)), len(t.lines), false)
		room -= kit.Width(position) + 2
	}
	for len(hints) > 1 && kit.HintsWidth(hints) > room {
		hints = append(hints[:len(hints)-2], hints[len(hints)-1])
	}
	b.Row(kit.Must, func(l *kit.Line) {
		l.To(2)
		kit.WriteHints(l, hints)
		l.Ends(kit.Muted, position, b.Inner()-2)
	})
}

// Scroll scrolls if key is a key for scrolling, and reports whether it is.
func (t *Text) Scroll(key string) bool {
	page, all := t.page(), len(t.lines)
	by := map[string]int{
		"down": 1, "j": 1, "up": -1, "k": -1,
		"pgdown": page, "ctrl+d": page, "ctrl+f": page, "space": page,
		"pgup": -page, "ctrl+u": -page, "ctrl+b": -page,
		"home": -all, "g": -all, "end": all, "G": all,
	}[key]
	t.top += by
	return by != 0
}
