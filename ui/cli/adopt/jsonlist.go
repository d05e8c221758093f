package adopt

import (
	"bytes"
	"fmt"
	"io"

	"tallylock/dynamo/attr"
)

// jsonList writes an object that begins with a list, one element at a time: all elements may be too many for memory.
type jsonList struct {
	out   io.Writer
	name  string
	begun bool // whether the beginning of the object is written
}

// add writes an element.
func (l *jsonList) add(v any) {
	before := ",\n    "
	if !l.begun {
		before = fmt.Sprintf("{\n  %q: [\n    ", l.name)
	}
	text, err := attr.Line(v, "  ")
	if err != nil {
		return
	}
	l.begun = true
	text = bytes.ReplaceAll(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"), []byte("\n    "))
	_, _ = l.out.Write(append([]byte(before), text...))
}

// end ends the list, and writes the other fields of the object.
func (l *jsonList) end(fields any) {
	text, _ := attr.Line(fields, "  ")
	before := "\n  ],"
	if !l.begun {
		before = fmt.Sprintf("{\n  %q: [],", l.name)
	}
	_, _ = l.out.Write(append([]byte(before), bytes.TrimPrefix(text, []byte("{"))...))
}
