package embedded

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// maxDepth limits the levels of maps and lists in an item.
const maxDepth = 32

// decoder parses attribute values from JSON. It does not copy a string without escapes: the decoded value
// shares the memory of the text. So a decoded item costs little more than its slice of attributes. The
// decoder keeps the first error, and then reads nothing more. So one call of finish at the end is enough.
type decoder struct {
	text string
	at   int
	err  error
}

// decodeItem parses {"name":{"S":"…"},…}. It overwrites the attributes in scratch, so that a scan can
// decode millions of items into one slice.
func decodeItem(text string, scratch item) (item, error) {
	d := decoder{text: text}
	it := d.item(0, scratch[:0])
	return it, d.finish()
}

// UnmarshalJSON parses an item, as a part of a request that encoding/json parses.
func (it *item) UnmarshalJSON(text []byte) (err error) {
	if string(text) != "null" {
		*it, err = decodeItem(string(text), nil)
	}
	return err
}

// UnmarshalJSON parses one attribute value, as a part of a request.
func (v *value) UnmarshalJSON(text []byte) error {
	d := decoder{text: string(text)}
	*v = d.value(0)
	return d.finish()
}

// expressionValues are the :values of a request.
type expressionValues map[string]value

// UnmarshalJSON parses the values. The error for an invalid value names its placeholder.
func (v *expressionValues) UnmarshalJSON(text []byte) error {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil || all == nil {
		return err
	}
	*v = make(expressionValues, len(all))
	for _, key := range sortedKeys(all) {
		var one value
		if err := one.UnmarshalJSON(all[key]); err != nil {
			refusal := *asAPIError(err)
			if refusal.kind == validation {
				refusal.message = fmt.Sprintf("ExpressionAttributeValues contains invalid value: %s for key %s", refusal.message, key)
			}
			return &refusal
		}
		(*v)[key] = one
	}
	return nil
}

func (d *decoder) finish() error {
	if d.peek() != 0 || d.at < len(d.text) {
		d.unexpected()
	}
	return d.err
}

func (d *decoder) fail(err error) {
	if d.err == nil {
		d.err = err
	}
	d.at = len(d.text)
}

// peek returns the next byte that is not white space; 0 at the end.
func (d *decoder) peek() byte {
	for d.at < len(d.text) {
		switch c := d.text[d.at]; c {
		case ' ', '\t', '\n', '\r':
			d.at++
		default:
			return c
		}
	}
	return 0
}

func (d *decoder) unexpected() {
	if d.at >= len(d.text) {
		d.fail(malformed("Unexpected end of JSON"))
		return
	}
	d.fail(malformed("Unexpected %q in JSON at byte %d of a value", d.text[d.at], d.at))
}

func (d *decoder) expect(c byte) {
	if d.peek() != c {
		d.unexpected()
		return
	}
	d.at++
}

// more steps through an object or an array. The caller calls more before each element. more reads the comma
// and returns true, or it reads the closing bracket and returns false.
func (d *decoder) more(first bool, closing byte) bool {
	c := d.peek()
	switch {
	case c == closing && d.err == nil:
		d.at++
		return false
	case !first && c == ',':
		d.at++
	case !first || c == 0:
		d.unexpected()
	}
	return d.err == nil
}

func (d *decoder) name() string {
	s := d.string()
	d.expect(':')
	return s
}

// maxNameBytes is the size of the longest name of an attribute.
const maxNameBytes = 65_535

func (d *decoder) item(depth int, it item) item {
	d.expect('{')
	if it == nil {
		it = make(item, 0, 4) // not nil, even for an empty map
	}
	for first := true; d.more(first, '}'); first = false {
		name := d.name()
		if name == "" || len(name) > maxNameBytes {
			d.fail(invalid("The name of an attribute must have 1 to %d bytes", maxNameBytes))
		}
		it = append(it, attribute{name, d.value(depth)})
	}
	it, unique := it.sorted()
	if !unique {
		d.fail(malformed("An attribute occurs twice in one map"))
	}
	return it
}

// value parses {"S":"…"}: an object with exactly one member, whose name is a type.
func (d *decoder) value(depth int) value {
	d.expect('{')
	var v value
	for first := true; d.more(first, '}'); first = false {
		name := d.name()
		if !first {
			d.fail(
				invalid(
					"Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes",
				),
			)
		}
		v = d.content(kindOf(name), depth)
	}
	if v.kind == kindNone {
		d.fail(invalid("Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"))
	}
	return v
}

func (d *decoder) content(k kind, depth int) value {
	switch k {
	case kindS, kindN, kindB:
		return d.scalar(k)
	case kindBool, kindNull:
		yes := d.bool()
		if k == kindNull && !yes {
			d.fail(invalid("One or more parameter values were invalid: Null attribute value types must have the value of true"))
		}
		return value{kind: k, yes: yes}
	case kindM, kindL:
		if depth++; depth > maxDepth {
			d.fail(errTooDeep())
		}
		if k == kindM {
			return value{kind: k, m: d.item(depth, nil)}
		}
		return value{kind: k, list: d.elements(func() value { return d.value(depth) })}
	case kindSS, kindNS, kindBS:
		set, err := makeSet(k, d.elements(func() value { return d.scalar(k.element()) }))
		if err != nil {
			d.fail(err)
		}
		return set
	}
	d.fail(invalid("Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"))
	return value{}
}

func errTooDeep() error {
	return invalid(
		"Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit",
	)
}

func (d *decoder) elements(element func() value) []value {
	d.expect('[')
	list := []value{}
	for first := true; d.more(first, ']'); first = false {
		list = append(list, element())
	}
	return list
}

func (d *decoder) scalar(k kind) value {
	s := d.string()
	if k == kindN && d.err == nil {
		canonical, err := canonicalNumber(s)
		if s = canonical; err != nil {
			d.fail(err)
		}
	}
	if k == kindB {
		raw, err := base64.StdEncoding.DecodeString(s)
		if s = string(raw); err != nil {
			d.fail(malformed("A binary value is not valid Base64"))
		}
	}
	return value{kind: k, text: s}
}

func (d *decoder) bool() bool {
	d.peek()
	for _, word := range []string{"true", "false"} {
		if strings.HasPrefix(d.text[d.at:], word) {
			d.at += len(word)
			return word == "true"
		}
	}
	d.unexpected()
	return false
}

func (d *decoder) string() string {
	d.expect('"')
	ascii := true
	for i := d.at; i < len(d.text); i++ {
		switch c := d.text[i]; {
		case c == '"':
			s := d.text[d.at:i]
			d.at = i + 1
			if !ascii && !utf8.ValidString(s) {
				d.fail(malformed("A string is not valid UTF-8"))
			}
			return s
		case c == '\\':
			return d.escaped(i)
		case c < ' ':
			d.at = i
			d.unexpected()
			return ""
		case c >= utf8.RuneSelf:
			ascii = false
		}
	}
	d.at = len(d.text)
	d.unexpected()
	return ""
}

// escaped parses a string that has escapes. i is the position of the first one. Few strings have escapes,
// so the slow jsontext is good enough.
func (d *decoder) escaped(i int) string {
	for i < len(d.text) && d.text[i] != '"' {
		if d.text[i] == '\\' {
			i++
		}
		i++
	}
	if i >= len(d.text) {
		d.at = len(d.text)
		d.unexpected()
		return ""
	}
	quoted := d.text[d.at-1 : i+1]
	d.at = i + 1
	s, err := jsontext.AppendUnquote(nil, quoted)
	if err != nil {
		d.fail(malformed("A string is not valid JSON: %v", err))
	}
	return string(s)
}

// writer builds the JSON of an answer, and writes the commas. The caller calls end once for each begin or
// object.
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

// key writes the name of a member. The caller then writes its value.
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

// json writes a member. It encodes the value with encoding/json, which is slower than the other methods.
func (w *writer) json(name string, v any) error {
	text, err := json.Marshal(v)
	w.key(name)
	w.buf = append(w.buf, text...)
	return err
}

// MarshalJSON encodes an item, as a part of a value that encoding/json encodes.
func (it item) MarshalJSON() ([]byte, error) { return appendItem(nil, it), nil }

// element writes an item as a list element, or as the value of a key.
func (w *writer) element(it item) {
	w.comma()
	w.buf = appendItem(w.buf, it)
}

// raw writes a list element, or the value of a key. The text is JSON already, such as a stored item.
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

// appendString writes a JSON string. It escapes only the characters that JSON requires.
func appendString(dst []byte, s string) []byte {
	dst, _ = jsontext.AppendQuote(dst, s) // never fails: the decoder has refused invalid UTF-8
	return dst
}
