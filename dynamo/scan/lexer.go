package scan

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

// The text that is parsed ends with padding zero bytes. JSON contains none, so every loop
// ends there, and eight bytes can be read at any position.
const padding = 16

// broken is the position that means "not JSON". No position is negative.
const broken = -1

var errBroken = errors.New("it is not the JSON that DynamoDB writes")

// errAt says where a page could not be parsed. It shows nothing of the page, so that no value
// gets into a log.
func errAt(i int, why string) error { return fmt.Errorf("%w: %s at byte %d", errBroken, why, i) }

// space skips white space.
func space(b []byte, i int) int {
	for b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r' {
		i++
	}
	return i
}

// punct skips white space and one punctuation mark.
func punct(b []byte, i int, mark byte) int {
	if b[i] != mark {
		if i = space(b, i); b[i] != mark {
			return broken
		}
	}
	return i + 1
}

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// text finds the end of a string: the position of its closing quote, given that of its first
// byte. escaped reports whether it has escapes, which are not validated here. Control
// characters and invalid UTF-8 are refused.
func text(b []byte, i int) (end int, escaped bool) {
	for {
		x := binary.LittleEndian.Uint64(b[i:])
		// With one bit flipped a quote becomes 0x20, and control characters stay below that:
		// one subtraction borrows for both, and another for a backslash. Bytes that are not
		// ASCII set the high bit of one of the two anyway. The lowest bit set is that of the
		// first such byte.
		quote, slash := x^(2*ones), x^('\\'*ones)
		special := ((quote - 0x21*ones) | (slash - ones)) & highs
		if special == 0 {
			i += 8
			continue
		}
		i += bits.TrailingZeros64(special) / 8
		switch c := b[i]; {
		case c == '"':
			return i, escaped
		case c == '\\':
			escaped = true
			i += 2
			if b[i-1] == 0 {
				return broken, false
			}
		case c >= utf8.RuneSelf:
			r, size := utf8.DecodeRune(b[i:])
			if r == utf8.RuneError && size == 1 {
				return broken, false
			}
			i += size
		case c < ' ':
			return broken, false
		default:
			i++
		}
	}
}

// unescape appends a string without its escapes to out. It reports false for an invalid
// escape, such as half a surrogate pair.
func unescape(out, s []byte) ([]byte, bool) {
	for n := 0; n < len(s); n++ {
		if s[n] != '\\' {
			out = append(out, s[n])
			continue
		}
		if n++; n == len(s) {
			return out, false
		}
		switch s[n] {
		case '"', '\\', '/':
			out = append(out, s[n])
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case 'n':
			out = append(out, '\n')
		case 'r':
			out = append(out, '\r')
		case 't':
			out = append(out, '\t')
		case 'u':
			r, ok := hex4(s[n+1:])
			n += 4
			if ok && utf16.IsSurrogate(r) {
				var low rune
				if n+2 < len(s) && s[n+1] == '\\' && s[n+2] == 'u' {
					low, ok = hex4(s[n+3:])
				}
				r = utf16.DecodeRune(r, low)
				ok = ok && r != utf8.RuneError
				n += 6
			}
			if !ok {
				return out, false
			}
			out = utf8.AppendRune(out, r)
		default:
			return out, false
		}
	}
	return out, true
}

func hex4(s []byte) (rune, bool) {
	if len(s) < 4 {
		return 0, false
	}
	var r rune
	for _, c := range s[:4] {
		switch {
		case c >= '0' && c <= '9':
			r = r<<4 | rune(c-'0')
		case c >= 'a' && c <= 'f':
			r = r<<4 | rune(c-'a'+10)
		case c >= 'A' && c <= 'F':
			r = r<<4 | rune(c-'A'+10)
		default:
			return 0, false
		}
	}
	return r, true
}

// maxDepth is how deeply values may be nested. DynamoDB allows 32 levels, each of which is
// two levels of JSON.
const maxDepth = 100

// skip finds the end of any JSON value that begins at i, or after white space.
func skip(b []byte, i, depth int) int {
	i = space(b, i)
	switch c := b[i]; {
	case c == '"':
		return skipText(b, i+1)
	case c == '{' || c == '[':
		return skipNested(b, i, depth)
	case c == 't':
		return literal(b, i, "true")
	case c == 'f':
		return literal(b, i, "false")
	case c == 'n':
		return literal(b, i, "null")
	}
	return number(b, i)
}

func skipText(b []byte, i int) int {
	end, escaped := text(b, i)
	if end == broken {
		return broken
	}
	if escaped {
		if _, ok := unescape(nil, b[i:end]); !ok {
			return broken
		}
	}
	return end + 1
}

func skipNested(b []byte, i, depth int) int {
	if depth == maxDepth {
		return broken
	}
	object := b[i] == '{'
	last := byte(']')
	if object {
		last = '}'
	}
	if end := space(b, i+1); b[end] == last {
		return end + 1
	}
	for {
		i++
		if object {
			if i = punct(b, i, '"'); i == broken {
				return broken
			}
			if i = skipText(b, i); i == broken {
				return broken
			}
			if i = punct(b, i, ':'); i == broken {
				return broken
			}
		}
		if i = skip(b, i, depth+1); i == broken {
			return broken
		}
		i = space(b, i)
		switch b[i] {
		case last:
			return i + 1
		case ',':
		default:
			return broken
		}
	}
}

func literal(b []byte, i int, word string) int {
	if end := i + len(word); string(b[i:min(end, len(b))]) == word {
		return end
	}
	return broken
}

// number finds the end of a JSON number.
func number(b []byte, i int) int {
	if b[i] == '-' {
		i++
	}
	first := i
	if i = digits(b, i); i == first || (b[first] == '0' && i > first+1) {
		return broken
	}
	if b[i] == '.' {
		first = i + 1
		if i = digits(b, first); i == first {
			return broken
		}
	}
	if b[i] == 'e' || b[i] == 'E' {
		if i++; b[i] == '+' || b[i] == '-' {
			i++
		}
		first = i
		if i = digits(b, i); i == first {
			return broken
		}
	}
	return i
}

func digits(b []byte, i int) int {
	for b[i] >= '0' && b[i] <= '9' {
		i++
	}
	return i
}
