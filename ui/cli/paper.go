package cli

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"

	"tallylock/ui/safe"
)

// harmless makes text from anywhere fit for a terminal.
func harmless(s string) string { return safe.Text(s) }

// exact is harmless for a value that somebody compares by eye: spaces at its end
// are shown.
func exact(v string) string {
	shown, _ := safe.Value(v)
	return shown
}

// ink is how a piece of text is coloured where there is colour. It never says
// anything alone.
type ink int

const (
	plain ink = iota
	strong
	muted
	good
	warn
	bad
	other
	accent
)

func (i ink) style() ansi.Style {
	switch i {
	case strong:
		return ansi.Style{}.Bold()
	case muted:
		return ansi.Style{}.Faint()
	case good:
		return ansi.Style{}.ForegroundColor(ansi.Green)
	case warn:
		return ansi.Style{}.ForegroundColor(ansi.Yellow)
	case bad:
		return ansi.Style{}.ForegroundColor(ansi.Red)
	case other:
		return ansi.Style{}.ForegroundColor(ansi.Magenta)
	case accent:
		return ansi.Style{}.ForegroundColor(ansi.Blue)
	}
	return nil
}

// paper is a stream that people read. All text that reaches it is made harmless
// here, whoever wrote it.
type paper struct {
	w      io.Writer
	colour bool
	width  int // of the terminal; 0 where there is none, and nothing is wrapped
}

// newPaper is the paper of a stream.
func newPaper(f *os.File) *paper {
	p := &paper{w: f, colour: colourful(f)}
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

// put writes text within a line.
func (p *paper) put(i ink, text string) {
	text = harmless(text)
	if p.colour && i != plain && text != "" {
		text = i.style().Styled(text)
	}
	fmt.Fprint(p.w, text)
}

// end ends the line.
func (p *paper) end() { fmt.Fprintln(p.w) }

// line writes a line of one kind.
func (p *paper) line(i ink, format string, args ...any) {
	p.put(i, fmt.Sprintf(format, args...))
	p.end()
}

// hang writes text from a column on, and its further lines from the same column
// on. It wraps between words, so that no value is torn.
func (p *paper) hang(i ink, column int, text string) {
	text = harmless(text)
	lines := []string{text}
	if room := p.width - column - 1; room >= leastRoom && ansi.StringWidth(text) > room {
		lines = strings.Split(ansi.Wordwrap(text, room, ""), "\n")
	}
	for n, line := range lines {
		if n > 0 {
			fmt.Fprint(p.w, strings.Repeat(" ", column))
		}
		p.line(i, "%s", line)
	}
}

// leastRoom is how narrow a column may be for wrapping to help.
const leastRoom = 20

// cell is a cell of a table.
type cell struct {
	ink  ink
	text string
	// right sets it flush with the end of its column, as numbers want.
	right bool
}

// table writes rows with their columns under each other. A row may be shorter
// than the others. The last column of a row takes what it needs, and hangs.
func (p *paper) table(indent int, rows ...[]cell) {
	widths := columns(rows)
	for _, row := range rows {
		fmt.Fprint(p.w, strings.Repeat(" ", indent))
		at := indent
		for n, c := range row {
			pad := strings.Repeat(" ", max(0, widths[n]-ansi.StringWidth(harmless(c.text))))
			switch last := n == len(row)-1; {
			case last && !c.right:
				p.hang(c.ink, at, c.text)
			case c.right:
				fmt.Fprint(p.w, pad)
				p.put(c.ink, c.text)
				if last {
					p.end()
				}
			default:
				p.put(c.ink, c.text)
				fmt.Fprint(p.w, pad)
			}
			if n < len(row)-1 {
				fmt.Fprint(p.w, "  ")
			}
			at += widths[n] + 2
		}
	}
}

// widest is how wide a cell may make its column: one value of 2 KB must not tear
// all other rows apart.
const widest = 80

// columns measures columns in cells of the terminal, as they will be shown.
func columns(rows [][]cell) []int {
	var widths []int
	for _, row := range rows {
		for n, c := range row {
			if n == len(widths) {
				widths = append(widths, 0)
			}
			if w := ansi.StringWidth(harmless(c.text)); w <= widest && (n < len(row)-1 || c.right) {
				widths[n] = max(widths[n], w)
			}
		}
	}
	return widths
}
