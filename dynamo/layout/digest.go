package layout

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"regexp"
	"slices"
	"strings"
)

// DigestIn is the SHA-256 that a lock's value may be, in lower-case hex, whether it is written
// in hex or in base64; empty where it can be none.
func DigestIn(value string) string {
	digest, err := hex.DecodeString(value)
	for _, in := range [...]*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		if err != nil || len(digest) != sha256.Size {
			digest, err = in.DecodeString(strings.TrimRight(value, "="))
		}
	}
	if err != nil || len(digest) != sha256.Size {
		return ""
	}
	return hex.EncodeToString(digest)
}

// Unreadable reports whether nothing in a lock's value tells what it was made of, as in a digest
// or an id. Of a value in parts, as "v1:" before a digest, the longest is judged. What has only
// digits is a number, and what has an @ an address.
func Unreadable(value string) bool {
	parts := strings.FieldsFunc(value, func(c rune) bool { return strings.ContainsRune(":.$~|", c) })
	if len(parts) == 0 || strings.Contains(value, "@") {
		return false
	}
	longest := slices.MaxFunc(parts, func(a, b string) int { return cmp.Compare(len(a), len(b)) })
	return hexadecimal(strings.ReplaceAll(longest, "-", "")) || random(longest)
}

// hexadecimal reports whether a text is one of 8 hexadecimal digits or more, letters and digits
// among them.
func hexadecimal(text string) bool {
	const digits, letters = "0123456789", "abcdefABCDEF"
	return len(text) >= 8 && strings.Trim(text, digits+letters) == "" &&
		strings.ContainsAny(text, digits) && strings.ContainsAny(text, letters)
}

// random reports whether a text of the signs of base64 has what words do not have, even with a
// number behind them: letters behind digits, or capitals behind capitals beside small letters.
// In a short one, that may be chance once.
func random(text string) bool {
	if text == strings.ToUpper(text) {
		text = strings.ToLower(text)
	}
	odd := len(unlikeWords.FindAllString(text, 2))
	return base64Text.MatchString(text) && (odd > 0 && len(text) >= 16 || odd > 1 && len(text) >= 12)
}

var (
	base64Text  = regexp.MustCompile(`^[A-Za-z0-9+/_=-]+$`)
	unlikeWords = regexp.MustCompile(`[0-9][A-Za-z]|[A-Z][A-Z]`)
)

// KeepsDigest reports whether a lock with this value may keep a digest of an unknown text: the
// constraint digests its values, or the value looks like a digest or an id.
func (c *Constraint) KeepsDigest(value string) bool {
	return slices.Contains(c.Normalise, SHA256) || c.digested() != nil || Unreadable(value)
}
