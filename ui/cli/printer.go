package cli

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/phrase"
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

// invocation is one run of the program.
type invocation struct {
	*App
	flags flags
	// understood is set once the command line has been read without an error:
	// errors from before are errors of the command line itself.
	understood bool
	// unwritten is why not everything could be written that people were to read.
	unwritten error
	// out takes the results.
	out io.Writer
	// wait ends the line that says what is waited for.
	wait atomic.Pointer[func()]
}

// printer is standard output for people.
func (s *invocation) printer() *printer {
	p := s.flags.printer(s.Out)
	p.w = s.out
	return p
}

// writesTables says that the command may write to tables. From here on what was done
// decides the exit status, and not whether somebody reads it: a closed pipe does not end
// the program in the middle of a change, either.
func (s *invocation) writesTables() {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // which has the write fail instead
	s.out = &fallbackWriter{out: s.Out, err: s.Err}
}

// fallbackWriter writes to standard error what cannot be written to standard output.
type fallbackWriter struct {
	out, err io.Writer
	failed   bool
}

func (i *fallbackWriter) Write(b []byte) (int, error) {
	if !i.failed {
		_, err := i.out.Write(b)
		if err == nil {
			return len(b), nil
		}
		i.failed = true
		fmt.Fprintln(
			i.err,
			"tallylock: "+harmless(
				fmt.Sprintf("the result cannot be written to standard output (%s); it follows here:", phrase.WithoutPath(err)),
			),
		)
	}
	_, _ = i.err.Write(b)
	return len(b), nil
}

// errorRecorder writes, and notes the first error.
type errorRecorder struct {
	w   io.Writer
	err *error
}

// note says something beside the result.
func (s *invocation) note(format string, args ...any) {
	s.flags.printer(s.Err).hang(kit.Text, 0, fmt.Sprintf(format, args...))
}

// terminal reports whether a stream is one that a person sits at.
func terminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && f != nil && term.IsTerminal(f.Fd())
}

func (n errorRecorder) Write(b []byte) (int, error) {
	written, err := n.w.Write(b)
	if err != nil && *n.err == nil {
		*n.err = err
	}
	return written, err
}

// printAll writes results as --output says: one array, or an object a line.
func printAll[T any](s *invocation, results []T) error {
	if s.flags.output == asLines {
		for _, r := range results {
			if err := s.print(r); err != nil {
				return err
			}
		}
		return nil
	}
	if results == nil {
		results = []T{} // an array, whatever is in it
	}
	return s.print(results)
}

// print writes one result as JSON.
func (s *invocation) print(result any) error {
	indent := "  "
	if s.flags.output == asLines {
		indent = ""
	}
	line, err := attr.Line(result, indent)
	if err == nil {
		_, err = s.out.Write(line)
	}
	if err != nil {
		return fmt.Errorf("writing the result: %w", err)
	}
	return nil
}

// wrapped breaks text into lines between its words. A command stays on one line, so that it can be
// pasted: if it is too long, the terminal wraps it.
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

// pieces are the words of a text, and each command in it as a whole: at the beginning, or behind a
// colon.
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

// commandEnd is where the command ends that a text begins with: with the sentence. -1: it is all of
// the text.
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
