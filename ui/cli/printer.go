package cli

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

// harmless makes text from anywhere fit for a terminal.
func harmless(s string) string { return safe.Text(s) }

// colour is how a style of the screens is written by a command, in the terminal's own
// colours. It never says anything alone.
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

// printer is a stream that people read. All text that reaches it is made harmless
// here, whoever wrote it.
type printer struct {
	w      io.Writer
	colour bool
	width  int  // of the terminal; 0 where there is none, and nothing is wrapped
	wide   bool // tables are not cut to the terminal
	ascii  bool // plain characters in place of glyphs
}

// printer is that of a stream.
func (f *flags) printer(w *os.File) *printer {
	p := newPrinter(w)
	p.wide, p.ascii = f.wide, f.ascii || p.ascii
	return p
}

// newPrinter is the printer of a stream.
func newPrinter(f *os.File) *printer {
	p := &printer{w: f, colour: colourful(f), ascii: session.PlainLocale()}
	if terminal(f) {
		if width, _, err := term.GetSize(f.Fd()); err == nil {
			p.width = width
		}
	}
	return p
}

// colourful reports whether a stream takes colour: a terminal, and the person
// has not said otherwise (no-color.org; any value counts here).
func colourful(f *os.File) bool {
	_, no := os.LookupEnv("NO_COLOR")
	return !no && os.Getenv("TERM") != "dumb" && terminal(f)
}

// shown is text as it is written: harmless, and plain where only ASCII is shown. What is
// shown already stays as it is.
func (p *printer) shown(text string) string {
	if p.ascii {
		text, _ = kit.ASCII(text)
		return text
	}
	return harmless(text)
}

// exact is shown for a value that somebody compares by eye: spaces at its end
// are shown.
func (p *printer) exact(v string) string {
	if p.ascii {
		v, _ = safe.ASCIIValue(v)
	} else {
		v, _ = safe.Value(v)
	}
	return v
}

// put writes text within a line.
func (p *printer) put(k kit.Style, text string) {
	text = p.shown(text)
	if c := colour(k); p.colour && c != nil && text != "" {
		text = c.Styled(text)
	}
	fmt.Fprint(p.w, text)
}

// sign writes a sign: its glyph, a space and its word, and fills up to a width.
func (p *printer) sign(s kit.Sign, width int) {
	word := s.Style
	if s.Quiet {
		word = kit.Muted
	}
	p.put(s.Style, s.Glyph+" ")
	p.put(word, s.Word)
	fmt.Fprint(p.w, strings.Repeat(" ", max(0, width-2-ansi.StringWidth(p.shown(s.Word)))))
}

// end ends the line.
func (p *printer) end() { fmt.Fprintln(p.w) }

// line writes a line of one kind.
func (p *printer) line(k kit.Style, format string, args ...any) {
	p.put(k, fmt.Sprintf(format, args...))
	p.end()
}

// indented writes text from a column on, where a line begins.
func (p *printer) indented(k kit.Style, column int, text string) {
	fmt.Fprint(p.w, strings.Repeat(" ", column))
	p.hang(k, column, text)
}

// hang writes text from a column on, and its further lines from the same column
// on. It wraps between words, so that no value is torn, and keeps commands whole.
func (p *printer) hang(k kit.Style, column int, text string) {
	text = p.shown(text)
	lines := []string{text}
	if room := p.width - column - 1; room >= leastRoom && ansi.StringWidth(text) > room {
		lines = wrapped(text, room)
	}
	for n, line := range lines {
		if n > 0 {
			fmt.Fprint(p.w, strings.Repeat(" ", column))
		}
		p.line(k, "%s", line)
	}
}

// leastRoom is how narrow a column may be for wrapping to help.
const leastRoom = 20
