// Package record has what commands print, and what lists are saved as, for machines: JSON
// whose names are a contract, and the same as CSV. It draws nothing. Start reading at List.
package record

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"iter"
	"path/filepath"
	"strings"

	"tallylock/dynamo/attr"
)

// List is rows to be saved: what each is as JSON, an object.
type List struct {
	Heads []string // the names that become columns of a CSV, in their order
	Rows  iter.Seq[any]
	Last  any // the last line of JSON, where that is no row; nil: there is none
}

// rowsOf makes the rows of a list, one at a time.
func rowsOf[T, R any](all []T, row func(T) R) iter.Seq[any] {
	return func(yield func(any) bool) {
		for _, one := range all {
			if !yield(row(one)) {
				return
			}
		}
	}
}

// Formats says, for a sentence, which format a file's name stands for.
const Formats = "as CSV where the file's name ends in .csv, else as a line of JSON each"

// Encode is the list in the format that a file's name stands for.
func (l List) Encode(ctx context.Context, path string) ([]byte, error) {
	if strings.EqualFold(filepath.Ext(path), ".csv") {
		return l.csv(ctx)
	}
	var out []byte
	for row := range l.Rows {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		line, err := attr.Line(row, "")
		if err != nil {
			return nil, err
		}
		out = append(out, line...)
	}
	if l.Last == nil {
		return out, nil
	}
	line, err := attr.Line(l.Last, "")
	return append(out, line...), err
}

func (l List) csv(ctx context.Context) ([]byte, error) {
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	cells := make([]string, len(l.Heads))
	for n, head := range l.Heads {
		cells[n] = harmless(head)
	}
	if err := w.Write(cells); err != nil {
		return nil, err
	}
	for row := range l.Rows {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		line, err := attr.Line(row, "")
		if err != nil {
			return nil, err
		}
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(line, &fields); err != nil {
			return nil, err
		}
		for n, head := range l.Heads {
			cells[n] = harmless(textOf(fields[head]))
		}
		if err := w.Write(cells); err != nil {
			return nil, err
		}
	}
	w.Flush()
	return out.Bytes(), w.Error()
}

// textOf is a field of a row as text: a string, or a table's string or number, without what
// marks it as one; nothing for null; anything else as JSON.
func textOf(field json.RawMessage) string {
	var text *string
	if len(field) == 0 || json.Unmarshal(field, &text) == nil {
		if text == nil {
			return ""
		}
		return *text
	}
	var typed map[attr.Kind]json.RawMessage
	if json.Unmarshal(field, &typed) == nil && len(typed) == 1 {
		for _, kind := range []attr.Kind{attr.S, attr.N} {
			if json.Unmarshal(typed[kind], &text) == nil && text != nil {
				return *text
			}
		}
	}
	return string(field)
}

// harmless puts an apostrophe before a text that a spreadsheet would take for a formula, and
// before one that begins with an apostrophe, so that taking one away gives the text back.
// Numbers stay as they are.
func harmless(text string) string {
	if text == "" || !strings.ContainsAny(text[:1], "=+-@\t\r\n'") || json.Valid([]byte(text)) {
		return text
	}
	return "'" + text
}
