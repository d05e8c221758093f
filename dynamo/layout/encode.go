package layout

import (
	"encoding/base64"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"
)

// encodes reports whether a value looks otherwise after the step, and not only in its
// spelling.
func (n Normaliser) encodes() bool {
	switch n {
	case SHA256, Base64, Base64URL, Percent:
		return true
	}
	return false
}

func (n Normaliser) encoding() *base64.Encoding {
	if n == Base64URL {
		return base64.RawURLEncoding
	}
	return base64.StdEncoding
}

// percent writes a text as JavaScript's encodeURIComponent does.
func percent(v string) string {
	const hexadecimal = "0123456789ABCDEF"
	var b strings.Builder
	for n := range len(v) {
		switch c := v[n]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte("-_.!~*'()", c) >= 0:
			b.WriteByte(c)
		default:
			b.WriteByte('%')
			b.WriteByte(hexadecimal[c>>4])
			b.WriteByte(hexadecimal[c&15])
		}
	}
	return b.String()
}

// decode takes the steps back that can be, from the last on. It reports false where the
// text cannot be read back, as from a digest.
func decode(steps []Normaliser, v string) (text string, ok bool) {
	cased := true // a letter's case is as the step before left it
	for _, step := range slices.Backward(steps) {
		switch step {
		case Lower, Upper:
			cased = false
		case SHA256:
			return v, false
		case Base64, Base64URL:
			b, err := step.encoding().DecodeString(v)
			if !cased || err != nil || !utf8.Valid(b) || step.of(string(b)) != v {
				return v, false
			}
			v = string(b)
		case Percent:
			plain, err := url.PathUnescape(v)
			if err != nil || !utf8.ValidString(plain) {
				return v, false
			}
			v = plain
		}
	}
	return v, true
}
