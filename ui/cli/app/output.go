package app

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/phrase"
	"tallylock/ui/cli/print"
	"tallylock/ui/safe"
)

// Format is the value of --output.
type Format string

// The formats.
const (
	Text      Format = "text"
	JSON      Format = "json"
	JSONLines Format = "jsonl" // one object in each line
)

// String implements pflag.Value.
func (f *Format) String() string { return string(*f) }

// Type implements pflag.Value.
func (f *Format) Type() string { return "FORMAT" }

// Set implements pflag.Value.
func (f *Format) Set(s string) error {
	if !slices.Contains([]Format{Text, JSON, JSONLines}, Format(s)) {
		return fmt.Errorf("write text, json or jsonl")
	}
	*f = Format(s)
	return nil
}

// output is standard output. It keeps the first error, and the program reports it at the end.
type output struct {
	to  io.Writer
	err error
	// instead takes the results if standard output fails. It is nil if they are lost.
	instead io.Writer
}

// Write implements io.Writer.
func (o *output) Write(b []byte) (int, error) {
	if o.err == nil {
		_, o.err = o.to.Write(b)
		if o.err == nil {
			return len(b), nil
		}
		if o.instead != nil {
			why := fmt.Sprintf("cannot write the result to standard output (%s). The result is:", phrase.WithoutPath(o.err))
			fmt.Fprintln(o.instead, "tallylock: "+safe.Text(why))
		}
	}
	if o.instead == nil {
		return 0, o.err
	}
	return o.instead.Write(b)
}

// Unwritten returns the error of results that were lost.
func (o *output) Unwritten() error {
	if o.err == nil || o.instead != nil {
		return nil
	}
	return fmt.Errorf("writing the result: %w", o.err)
}

// WritesTables prepares for changes of tables. From now on, the exit status depends on the changes,
// even if nobody reads the output. A closed pipe must not end the program in the middle of a
// change.
func (s *Run) WritesTables() {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // the write returns an error instead
	s.Results.instead = s.Err
}

// printer returns a printer for a stream, with the settings of the flags.
func (f *Flags) printer(w *os.File) *print.Printer { return print.New(w, f.wide, f.ASCII) }

// Printer returns a printer for standard output.
func (s *Run) Printer() *print.Printer {
	p := s.Flags.printer(s.Out)
	p.W = &s.Results
	return p
}

// Print prints a result as JSON.
func (s *Run) Print(result any) {
	indent := "  "
	if s.Flags.Output == JSONLines {
		indent = ""
	}
	_, _ = s.Results.Write(s.json(result, indent))
}

// json returns a value as JSON. It keeps an error for the end.
func (s *Run) json(v any, indent string) []byte {
	text, err := attr.Line(v, indent)
	if err != nil && s.Results.err == nil {
		s.Results.err = err
	}
	return text
}

// PrintAll prints results by --output: as one array, or as one object in each line.
func PrintAll[T any](s *Run, results []T) {
	if s.Flags.Output != JSONLines {
		s.Print(append([]T{}, results...)) // never null
		return
	}
	for _, r := range results {
		s.Print(r)
	}
}

// List writes results one at a time, because all results may be too many for memory. In json, they are a list in an
// object.
type List struct {
	*Run
	Bar   *ProgressLine
	Name  string // the name of the list in the object
	begun bool   // whether the beginning of the object is written
}

// Add clears the progress line, and writes a result. In the format text, it does nothing and returns false.
func (l *List) Add(v any) bool {
	if l.Flags.Output == Text {
		return false
	}
	l.Bar.Clear()
	if l.Flags.Output == JSONLines {
		l.Print(v)
		return true
	}
	before := ",\n    "
	if !l.begun {
		before = fmt.Sprintf("{\n  %q: [\n    ", l.Name)
	}
	if text := bytes.TrimSuffix(l.json(v, "  "), []byte("\n")); len(text) > 0 {
		l.begun = true
		_, _ = l.Results.Write(append([]byte(before), bytes.ReplaceAll(text, []byte("\n"), []byte("\n    "))...))
	}
	return true
}

// End writes the end of the output: the last line, or the other fields of the object. In the format text, it does
// nothing and returns false.
func (l *List) End(fields any) bool {
	switch l.Flags.Output {
	case Text:
		return false
	case JSONLines:
		l.Print(fields)
		return true
	}
	before := "\n  ],"
	if !l.begun {
		before = fmt.Sprintf("{\n  %q: [],", l.Name)
	}
	_, _ = l.Results.Write(append([]byte(before), bytes.TrimPrefix(l.json(fields, "  "), []byte("{"))...))
	return true
}
