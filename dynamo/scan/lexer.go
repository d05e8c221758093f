package scan

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
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

// maxDepth is how deeply values may be nested. DynamoDB allows 32 levels, each of which is
// two levels of JSON.
const maxDepth = 100

// skip returns the end of any JSON value that begins at i, or after white space. It is slow.
func skip(b []byte, i int) int {
	d := jsontext.NewDecoder(bytes.NewBuffer(b[i:len(b)-padding]), jsontext.AllowDuplicateNames(true))
	for {
		if _, err := d.ReadToken(); err != nil || d.StackDepth() > maxDepth {
			return broken
		}
		if d.StackDepth() == 0 {
			return i + int(d.InputOffset())
		}
	}
}

func literal(b []byte, i int, word string) int {
	if end := i + len(word); string(b[i:min(end, len(b))]) == word {
		return end
	}
	return broken
}
