package attr

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Line writes a value as one line of JSON. It escapes every invisible character. It escapes a
// visible character only if JSON requires it. If indent is not empty, Line writes several lines,
// indented with this text.
func Line(v any, indent string) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return visible(b.Bytes()), nil
}

// visible escapes the invisible characters in a JSON text. The result is safe in a terminal, a mail or a shell's
// history. The meaning stays the same: except for line ends, invisible characters occur only in strings, and strings
// may have escapes.
func visible(text []byte) []byte {
	out := make([]byte, 0, len(text)+len(text)/8)
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		switch {
		case r == '\n' || (Shows(r) && (r != utf8.RuneError || size > 1)):
			out = append(out, text[:size]...)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		text = text[size:]
	}
	return out
}

// Shows reports whether people can see a character.
func Shows(r rune) bool {
	hidden := r >= utf8.RuneSelf &&
		unicode.In(r, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
	return unicode.IsPrint(r) && !hidden
}
