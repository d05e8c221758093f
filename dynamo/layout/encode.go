package layout

import (
	"encoding/base64"
	"net/url"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// encodes reports whether a value looks otherwise after the step, and not only in its
// spelling.
func (n Normaliser) encodes() bool {
	switch n {
	case SHA256, Base64, Base64URL, Percent, DynamoFlow:
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

// escapedHash is how DynamoFlow writes a #, and mostCut how many UTF-16 units it leaves of
// a value.
const (
	escapedHash = `\#`
	mostCut     = 100
)

// cut leaves the beginning of a text, as JavaScript's substring does. Where that would
// divide a character the text becomes none, so that no key is made of it.
func cut(v string) string {
	units := 0
	for n, r := range v {
		if units == mostCut {
			return v[:n]
		}
		if units += utf16.RuneLen(r); units > mostCut {
			return v[:n] + "\xff"
		}
	}
	return v
}

// uncut is a text before DynamoFlow wrote it, in lower case. It reports false where it may
// have been longer.
func uncut(v string) (string, bool) {
	units := 0
	for _, r := range v {
		units += utf16.RuneLen(r)
	}
	plain := strings.ReplaceAll(v, escapedHash, "#")
	return plain, units < mostCut && strings.Count(v, escapedHash) == strings.Count(v, "#")
}

// decode takes the steps back that can be, from the last on. It reports false where the
// text cannot be read back, as from a digest.
func decode(steps []Normaliser, v string) (text string, ok bool) {
	cased := true // a letter's case is as the step before left it
	for _, step := range slices.Backward(steps) {
		switch step {
		case DynamoFlow:
			plain, ok := uncut(v)
			if !ok {
				return v, false
			}
			v, cased = plain, false
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
