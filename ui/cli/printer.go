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

// harmless sanitises a text for the terminal.
func harmless(s string) string { return safe.Text(s) }

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

// printer writes text for people to a stream. It sanitises everything.
type printer struct {
	w      io.Writer
	colour bool
	width  int  // the terminal's width; 0 without a terminal: then nothing is wrapped
	wide   bool // do not cut tables to the terminal's width
	ascii  bool // use plain characters instead of glyphs
}

// printer returns a printer for a stream, with the settings of the flags.
func (f *flags) printer(w *os.File) *printer {
	p := newPrinter(w)
	p.wide, p.ascii = f.wide, f.ascii || p.ascii
	return p
}

// newPrinter returns a printer for a stream.
func newPrinter(f *os.File) *printer {
	p := &printer{w: f, colour: colourful(f), ascii: session.PlainLocale()}
	if terminal(f) {
		if width, _, err := term.GetSize(f.Fd()); err == nil {
			p.width = width
		}
	}
	return p
}

// colourful reports whether to write colours: the stream is a terminal, and NO_COLOR is unset
// (no-color.org; here any value counts).
func colourful(f *os.File) bool {
	_, no := os.LookupEnv("NO_COLOR")
	return !no && os.Getenv("TERM") != "dumb" && terminal(f)
}

// shown returns a text as it is written: sanitised, and without glyphs if only ASCII is possible. A
// second call changes nothing.
func (p *printer) shown(text string) string {
	if p.ascii {
		text, _ = kit.ASCII(text)
		return text
	}
	return harmless(text)
}

// exact works like shown, for a value that people compare by eye. It also makes spaces at the end
// visible.
func (p *printer) exact(v string) string {
	if p.ascii {
		v, _ = safe.ASCIIValue(v)
	} else {
		v, _ = safe.Value(v)
	}
	return v
}

// put writes text without a line end.
func (p *printer) put(k kit.Style, text string) {
	text = p.shown(text)
	if c := colour(k); p.colour && c != nil && text != "" {
		text = c.Styled(text)
	}
	fmt.Fprint(p.w, text)
}

// sign writes a sign: its glyph, a space and its word, then spaces up to width.
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

// line writes one line in a style.
func (p *printer) line(k kit.Style, format string, args ...any) {
	p.put(k, fmt.Sprintf(format, args...))
	p.end()
}

// indented writes text from a column. It begins a line.
func (p *printer) indented(k kit.Style, column int, text string) {
	fmt.Fprint(p.w, strings.Repeat(" ", column))
	p.hang(k, column, text)
}

// hang writes text from a column. Further lines begin at the same column. It wraps between words,
// so that values stay whole, and it does not break commands.
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

// leastRoom is the least width for which wrapping makes sense.
const leastRoom = 20

// invocation is one run of the program.
type invocation struct {
	*App
	flags flags
	// understood: the command line was parsed without an error. Errors before that are mistakes of
	// the command line.
	understood bool
	// unwritten is the first error of writing to standard output.
	unwritten error
	// out is where results go.
	out io.Writer
	// wait ends the line that shows what the program waits for.
	wait atomic.Pointer[func()]
}

// printer returns a printer for standard output.
func (s *invocation) printer() *printer {
	p := s.flags.printer(s.Out)
	p.w = s.out
	return p
}

// writesTables prepares for changes of tables. From now on, the exit status depends on the changes,
// even if nobody reads the output. A closed pipe must not end the program in the middle of a
// change.
func (s *invocation) writesTables() {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // the write returns an error instead
	s.out = &fallbackWriter{out: s.Out, err: s.Err}
}

// fallbackWriter writes to standard error if standard output fails.
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

// errorRecorder writes, and records the first error.
type errorRecorder struct {
	w   io.Writer
	err *error
}

// note prints a note on standard error.
func (s *invocation) note(format string, args ...any) {
	s.flags.printer(s.Err).hang(kit.Text, 0, fmt.Sprintf(format, args...))
}

// terminal reports whether a stream is a terminal.
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

// printAll writes results by --output: as one array, or as one object in each line.
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
		results = []T{} // so that JSON has an empty array, not null
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

// commandEnd returns where the command at the beginning of a text ends, which is the end of its
// sentence. It returns −1 if the whole text is the command.
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
