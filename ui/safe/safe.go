// Package safe makes text from strangers fit for a terminal. Values of a table,
// names of files, arguments and error messages pass it before they reach a
// screen, a stream or a window title: whatever could steer the terminal or hide
// from the eye is shown as a visible escape.
package safe

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxMarks is how many combining marks one letter may carry. Scripts that stack
// them need up to four; more is a flood meant to climb over other rows.
const maxMarks = 4

// Span is a part of a sanitised text, by byte offsets.
type Span struct{ From, To int }

// Text makes s harmless on one line. Control, format, bidirectional, invisible
// and unassigned characters and bytes that are no UTF-8 become escapes such as
// \x1b, \u202e and \xff; everything else stays. What is harmless already comes
// back as it is, so Text(Text(s)) is Text(s).
func Text(s string) string {
	if harmless(s) {
		return s
	}
	out, _ := escape(s, visible)
	return out
}

// Spans is Text that also tells which parts of the result are escapes, in order,
// so that a screen can colour them.
func Spans(s string) (string, []Span) {
	if harmless(s) {
		return s, nil
	}
	return escape(s, visible)
}

// ASCII is Spans for a terminal that shows ASCII only: all other characters become escapes,
// too.
func ASCII(s string) (string, []Span) {
	return escape(s, func(r rune) bool { return r >= ' ' && r <= '~' })
}

// Value is Spans for a value that somebody has to compare by eye: spaces at its
// end, which nobody sees, are shown as ·.
func Value(s string) (string, []Span) { return ended(s, Spans, "·") }

// ASCIIValue is Value for a terminal that shows ASCII only.
func ASCIIValue(s string) (string, []Span) { return ended(s, ASCII, `\x20`) }

// ended shows the spaces at the end of a text.
func ended(s string, of func(string) (string, []Span), space string) (string, []Span) {
	body := strings.TrimRight(s, " ")
	out, spans := of(body)
	for range len(s) - len(body) {
		spans = append(spans, Span{len(out), len(out) + len(space)})
		out += space
	}
	return out, spans
}

// harmless is the way out for nearly every text: nothing in it is to be escaped
// and nothing stacks.
func harmless(s string) bool {
	for i := 0; i < len(s); {
		if s[i] >= ' ' && s[i] <= '~' {
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if (r == utf8.RuneError && size <= 1) || !visible(r) || unicode.Is(unicode.M, r) {
			return false
		}
		i += size
	}
	return true
}

// escape puts escapes in place of what is not shown, and of marks that stack.
func escape(s string, shown func(rune) bool) (string, []Span) {
	var (
		out   strings.Builder
		spans []Span
		marks = maxMarks // none may stand before the first letter
	)
	out.Grow(len(s) + 8)
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		broken := r == utf8.RuneError && size == 1
		mark := !broken && unicode.Is(unicode.M, r)
		if !broken && shown(r) && (!mark || marks < maxMarks) {
			out.WriteString(s[i : i+size])
			if mark {
				marks++
			} else {
				marks = 0
			}
			i += size
			continue
		}
		from := out.Len()
		if broken {
			writeHex(&out, 'x', rune(s[i]), 2)
		} else {
			writeEscape(&out, r)
		}
		spans = append(spans, Span{from, out.Len()})
		marks = maxMarks // nor on an escape
		i += size
	}
	return out.String(), spans
}

// visible reports whether a character can be seen, stands in one place and
// changes nothing around it.
func visible(r rune) bool {
	switch {
	case r >= ' ' && r <= '~':
		return true
	case !unicode.IsPrint(r): // controls, formats, separators, surrogates, private and unassigned
		return false
	case unicode.Is(unicode.Variation_Selector, r), unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r):
		return false
	case r == '\u2800': // a braille cell without a dot: blank, and no space
		return false
	case r >= 0x1f3fb && r <= 0x1f3ff: // skin tones: terminals disagree on the width of what they join
		return false
	}
	return true
}

func writeEscape(out *strings.Builder, r rune) {
	switch {
	case r == '\n':
		out.WriteString(`\n`)
	case r == '\r':
		out.WriteString(`\r`)
	case r == '\t':
		out.WriteString(`\t`)
	case r < utf8.RuneSelf:
		writeHex(out, 'x', r, 2)
	case r <= 0xffff:
		writeHex(out, 'u', r, 4)
	default:
		writeHex(out, 'U', r, 8)
	}
}

func writeHex(out *strings.Builder, letter byte, r rune, digits int) {
	out.WriteByte('\\')
	out.WriteByte(letter)
	for n := digits - 1; n >= 0; n-- {
		out.WriteByte("0123456789abcdef"[r>>(4*n)&0xf])
	}
}
