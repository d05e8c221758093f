// Package print writes text for people to a stream: lines, facts and tables, as wide as the terminal.
// It sanitises everything.
package print

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"

	"tallylock/ui/kit"
	"tallylock/ui/safe"
	"tallylock/ui/session"
)

// colour returns the terminal's own colour for a style. Nothing is shown by colour alone.
func colour(k kit.Style) ansi.Style {
	switch k &^ kit.Bold {
	case kit.Strong:
		return ansi.Style{}.Bold()
	case kit.Muted, kit.Faint, kit.Absent:
		return ansi.Style{}.Faint()
	case kit.Good:
		return ansi.Style{}.ForegroundColor(ansi.Green)
	case kit.Warn:
		return ansi.Style{}.ForegroundColor(ansi.Yellow)
	case kit.Bad:
		return ansi.Style{}.ForegroundColor(ansi.Red)
	case kit.Other:
		return ansi.Style{}.ForegroundColor(ansi.Magenta)
	case kit.Accent:
		return ansi.Style{}.ForegroundColor(ansi.Blue)
	}
	return nil
}

// Printer writes text for people to a stream. It sanitises everything.
type Printer struct {
	W      io.Writer
	colour bool
	Width  int  // the terminal's width; without a terminal, it is 0, and no text is wrapped
	Wide   bool // do not cut tables to the terminal's width
	ASCII  bool // use plain characters instead of glyphs
}

// New returns a printer for a stream. With wide, tables are not cut. With ascii, or in a locale without UTF-8, the
// printer uses plain characters.
func New(f *os.File, wide, ascii bool) *Printer {
	p := &Printer{W: f, colour: Colourful(f), Wide: wide, ASCII: ascii || session.PlainLocale()}
	if IsTerminal(f) {
		if width, _, err := term.GetSize(f.Fd()); err == nil {
			p.Width = width
		}
	}
	return p
}

// Colourful reports whether to write colours: the stream is a terminal, TERM is not dumb, and NO_COLOR is unset
// (no-color.org; here any value counts).
func Colourful(f *os.File) bool {
	_, no := os.LookupEnv("NO_COLOR")
	return !no && os.Getenv("TERM") != "dumb" && IsTerminal(f)
}

// Shown returns a text as it is written: sanitised, and without glyphs if only ASCII is possible. A
// second call changes nothing.
func (p *Printer) Shown(text string) string {
	if p.ASCII {
		text, _ = kit.ASCII(text)
		return text
	}
	return safe.Text(text)
}

// Exact works like Shown, for a value that people compare by eye. It also makes spaces at the end visible.
func (p *Printer) Exact(v string) string {
	if p.ASCII {
		v, _ = safe.ASCIIValue(v)
	} else {
		v, _ = safe.Value(v)
	}
	return v
}

// Put writes text without a line end.
func (p *Printer) Put(k kit.Style, text string) {
	text = p.Shown(text)
	if c := colour(k); p.colour && c != nil && text != "" {
		text = c.Styled(text)
	}
	fmt.Fprint(p.W, text)
}

// Sign writes a sign: its glyph, a space and its word, then spaces up to width.
func (p *Printer) Sign(s kit.Sign, width int) {
	word := s.Style
	if s.Quiet {
		word = kit.Muted
	}
	p.Put(s.Style, s.Glyph+" ")
	p.Put(word, s.Word)
	fmt.Fprint(p.W, strings.Repeat(" ", max(0, width-2-ansi.StringWidth(p.Shown(s.Word)))))
}

// End ends the line.
func (p *Printer) End() { fmt.Fprintln(p.W) }

// Line writes one line in a style.
func (p *Printer) Line(k kit.Style, format string, args ...any) {
	p.Put(k, fmt.Sprintf(format, args...))
	p.End()
}

// Lines writes each line of a text behind a prefix. It does not wrap them.
func (p *Printer) Lines(prefix, text string) {
	for line := range strings.Lines(text) {
		p.Line(kit.Text, "%s", prefix+strings.TrimSuffix(line, "\n"))
	}
}

// Indented writes text from a column. It begins a line.
func (p *Printer) Indented(k kit.Style, column int, text string) {
	fmt.Fprint(p.W, strings.Repeat(" ", column))
	p.Hang(k, column, text)
}

// Hang writes text from a column. Further lines begin at the same column. It wraps between words,
// so that values stay whole, and it does not break commands.
func (p *Printer) Hang(k kit.Style, column int, text string) {
	text = p.Shown(text)
	lines := []string{text}
	if room := p.Width - column - 1; room >= LeastRoom && ansi.StringWidth(text) > room {
		lines = wrapped(text, room)
	}
	for n, line := range lines {
		if n > 0 {
			fmt.Fprint(p.W, strings.Repeat(" ", column))
		}
		p.Line(k, "%s", line)
	}
}

// LeastRoom is the least width for which wrapping makes sense.
const LeastRoom = 20

// IsTerminal reports whether a stream is a terminal.
func IsTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && f != nil && term.IsTerminal(f.Fd())
}

// wrapped breaks text into lines between words. A command stays on one line, so that people can
// paste it. If it is too long, the terminal wraps it.
func wrapped(text string, room int) []string {
	var lines []string
	line := ""
	for n, piece := range pieces(text) {
		switch {
		case n == 0:
			line = piece
		case ansi.StringWidth(line)+1+ansi.StringWidth(piece) <= room:
			line += " " + piece
		default:
			lines = append(lines, line)
			line = piece
		}
	}
	return append(lines, line)
}

// pieces splits a text into words, but keeps each command whole. A command is at the beginning of
// the text or after a colon.
func pieces(text string) (all []string) {
	for text != "" || len(all) == 0 {
		end := strings.IndexByte(text, ' ')
		if begins := len(all) == 0 || strings.HasSuffix(all[len(all)-1], ":"); begins && strings.HasPrefix(text, "tallylock ") {
			end = commandEnd(text)
		}
		if end < 0 {
			return append(all, text)
		}
		all, text = append(all, text[:end]), text[end+1:]
	}
	return all
}

// commandEnd returns the end of the command with which a text begins: the first blank outside quotes after a semicolon,
// a full stop or a comma. It returns −1 if the whole text is the command.
func commandEnd(text string) int {
	quoted := false
	for n, r := range text {
		switch {
		case r == '\'' && (quoted || n == 0 || text[n-1] != '\\'):
			quoted = !quoted
		case r == ' ' && !quoted && strings.ContainsRune(";.,", rune(text[n-1])):
			return n
		}
	}
	return -1
}
