package embedded

import (
	"encoding/base64"
	"encoding/json"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// writer builds the JSON of an answer. It puts the commas; the caller sees to
// it that every begin has its end.
type writer struct {
	buf []byte
}

func (w *writer) comma() {
	if n := len(w.buf); n > 0 && w.buf[n-1] != '{' && w.buf[n-1] != '[' && w.buf[n-1] != ':' {
		w.buf = append(w.buf, ',')
	}
}

func (w *writer) begin() {
	w.comma()
	w.buf = append(w.buf, '{')
}

func (w *writer) end() { w.buf = append(w.buf, '}') }

// key begins a member whose value the caller writes next.
func (w *writer) key(name string) {
	w.comma()
	w.buf = append(appendString(w.buf, name), ':')
}

func (w *writer) object(name string) {
	w.key(name)
	w.buf = append(w.buf, '{')
}

func (w *writer) list(n int, element func(i int)) {
	w.buf = append(w.buf, '[')
	for i := range n {
		element(i)
	}
	w.buf = append(w.buf, ']')
}

func (w *writer) string(name, s string) {
	w.key(name)
	w.buf = appendString(w.buf, s)
}

func (w *writer) int(name string, n int64) {
	w.key(name)
	w.buf = strconv.AppendInt(w.buf, n, 10)
}

func (w *writer) bool(name string, yes bool) {
	w.key(name)
	w.buf = strconv.AppendBool(w.buf, yes)
}

func (w *writer) item(name string, it item) {
	w.key(name)
	w.buf = appendItem(w.buf, it)
}

// json writes what is rare enough to leave to encoding/json.
func (w *writer) json(name string, v any) error {
	text, err := json.Marshal(v)
	w.key(name)
	w.buf = append(w.buf, text...)
	return err
}

// MarshalJSON is for items within what encoding/json writes.
func (it item) MarshalJSON() ([]byte, error) { return appendItem(nil, it), nil }

// element writes an item that has no name, or whose name was written.
func (w *writer) element(it item) {
	w.comma()
	w.buf = appendItem(w.buf, it)
}

// raw writes an element that is JSON already, such as a stored item.
func (w *writer) raw(json string) {
	w.comma()
	w.buf = append(w.buf, json...)
}

func appendItem(dst []byte, it item) []byte {
	dst = append(dst, '{')
	for i, a := range it {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendString(dst, a.name), ':')
		dst = appendValue(dst, a.value)
	}
	return append(dst, '}')
}

func appendValue(dst []byte, v value) []byte {
	dst = append(dst, '{', '"')
	dst = append(dst, v.kind.String()...)
	dst = append(dst, '"', ':')
	switch v.kind {
	case kindBool, kindNull:
		dst = strconv.AppendBool(dst, v.yes)
	case kindM:
		dst = appendItem(dst, v.m)
	case kindL, kindSS, kindNS, kindBS:
		dst = append(dst, '[')
		for i, e := range v.list {
			if i > 0 {
				dst = append(dst, ',')
			}
			if v.kind == kindL {
				dst = appendValue(dst, e)
			} else {
				dst = appendScalar(dst, e)
			}
		}
		dst = append(dst, ']')
	default:
		dst = appendScalar(dst, v)
	}
	return append(dst, '}')
}

func appendScalar(dst []byte, v value) []byte {
	if v.kind != kindB {
		return appendString(dst, v.text)
	}
	dst = append(dst, '"')
	dst = base64.StdEncoding.AppendEncode(dst, []byte(v.text))
	return append(dst, '"')
}

// appendString writes a JSON string. Only what JSON demands is escaped.
func appendString(dst []byte, s string) []byte {
	dst, _ = jsontext.AppendQuote(dst, s) // the decoder has refused invalid UTF-8
	return dst
}
