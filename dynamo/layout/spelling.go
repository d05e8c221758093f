package layout

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"maps"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"tallylock/dynamo/attr"
)

// Fold removes the differences that people overlook: case, Unicode compatibility forms, and white
// space at the ends. Two values with the same fold are near misses, not the same value.
func Fold(s string) string {
	if ascii(s) {
		return strings.ToLower(strings.TrimSpace(s)) // a faster way to the same result
	}
	return cases.Fold().String(strings.TrimFunc(norm.NFKC.String(s), space))
}

// foldKey folds a whole key, not only the value in it. So equal values of different scopes have
// different folds.
func foldKey(k attr.Key) string {
	return FoldPart(k.Hash.Value.Text) + "\x00" + FoldPart(k.Range.Value.Text)
}

// FoldPart works like Fold, but removes all white space. In a key, the value may be between other
// parts. Then the white space around the value is in the middle of the text.
func FoldPart(s string) string {
	return strings.Map(func(r rune) rune {
		if space(r) {
			return -1
		}
		return r
	}, Fold(s))
}

// Normalised returns an account's value as the lock's key contains it.
func (c *Constraint) Normalised(text string) string { return c.digest(Normalise(c.Normalise, text)) }

// Respelled is Normalised without the steps that encode the value.
func (c *Constraint) Respelled(text string) string {
	for _, step := range c.Normalise {
		if !step.encodes() {
			text = step.of(text)
		}
	}
	return text
}

// Encoded is Normalised without the steps that change only the spelling.
func (c *Constraint) Encoded(text string) string {
	for _, step := range c.Normalise {
		if step.encodes() {
			text = step.of(text)
		}
	}
	return c.digest(text)
}

// DigestsOf returns the digests that an application may store for a text. A digest does not show
// which normalisers were applied, so DigestsOf tries several. folded is Fold of the text.
func DigestsOf(c *Constraint, text, folded string) []string {
	var spellings, digests []string
	for _, spelling := range [...]string{text, folded, strings.ToUpper(text), c.Respelled(text), c.Respelled(folded)} {
		if slices.Contains(spellings, spelling) {
			continue
		}
		spellings = append(spellings, spelling)
		digests = append(digests, SHA256.of(spelling))
		if c.digested() != nil {
			digests = append(digests, c.digest(spelling))
		}
	}
	return digests
}

// OnlyHashes reports whether SHA-256 is the constraint's last step and its only encoding. Then
// DigestsOf includes the digest that the constraint makes of a text.
func OnlyHashes(c *Constraint) bool {
	last := len(c.Normalise) - 1
	return c.digested() == nil && last >= 0 && c.Normalise[last] == SHA256 &&
		!slices.ContainsFunc(c.Normalise[:last], Normaliser.encodes)
}

// Encodes reports whether the lock's key contains the value in an encoding, such as a digest. Then
// the key may resemble no text of an account.
func (c *Constraint) Encodes() bool {
	return slices.ContainsFunc(c.Normalise, Normaliser.encodes) || c.digested() != nil
}

// SameValues reports whether both constraints normalise every text to the same value.
func (c *Constraint) SameValues(other *Constraint) bool {
	mine, theirs := c.digested(), other.digested()
	same := mine == nil && theirs == nil || mine != nil && theirs != nil && mine.text == theirs.text
	return same && slices.Equal(c.Normalise, other.Normalise)
}

// Text decodes a lock's value to the text before encoding. If that is impossible, as with a digest,
// Text reports false. Then it returns the value with as many steps undone as possible.
func (c *Constraint) Text(value string) (string, bool) {
	if c.digested() != nil {
		return value, false
	}
	return decode(c.Normalise, value)
}

// Spelling returns the same text for all lock values that differ only in spelling. It decodes the
// value and folds the result. If it cannot decode the value, it folds the value itself. But it
// never folds base64, where the case of a letter matters: folding could make two different values
// equal.
func (c *Constraint) Spelling(value string) string {
	text, ok := c.Text(value)
	if !ok {
		text = value
		if slices.Contains(c.Normalise, Base64) || slices.Contains(c.Normalise, Base64URL) {
			return value
		}
	}
	return Fold(text)
}

// SpelledByKey reports whether FoldKey can fold the key as a whole. This is faster than parsing the
// value.
func (c *Constraint) SpelledByKey() bool {
	return !c.PK.computed && !c.SK.computed && len(c.Also) == 0 &&
		!slices.ContainsFunc(c.Normalise, func(n Normaliser) bool { return n.encodes() && n != SHA256 })
}

// FoldKey returns the same text for two lock keys if their scopes are equal and their values differ
// only in spelling.
func (c *Constraint) FoldKey(k attr.Key) string {
	if c.SpelledByKey() {
		return foldKey(k)
	}
	v, vars, ok := c.ParseLock(attr.Schema{RangeName: k.Range.Name}, k)
	if !ok {
		return k.Hash.Value.Text + "\x00" + k.Range.Value.Text // k is not a key of c, so it stays as it is
	}
	folded := c.Spelling(v)
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		folded += "\x00" + name + "\x00" + FoldPart(vars[name])
	}
	return folded
}

// DigestIn returns the SHA-256 digest in a lock's value, as lower-case hex. The value may be hex or
// base64. DigestIn returns "" if the value is not a digest.
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

// Unreadable reports whether a lock's value hides its text, as a digest or an id does. If the value
// has several parts, such as "v1:" before a digest, the longest part decides. A number or an e-mail
// address is readable.
func Unreadable(value string) bool {
	parts := strings.FieldsFunc(value, func(c rune) bool { return strings.ContainsRune(":.$~|", c) })
	if len(parts) == 0 || strings.Contains(value, "@") {
		return false
	}
	longest := slices.MaxFunc(parts, func(a, b string) int { return cmp.Compare(len(a), len(b)) })
	return hexadecimal(strings.ReplaceAll(longest, "-", "")) || random(longest)
}

// hexadecimal reports whether a text has at least 8 hexadecimal digits and nothing else. Both
// letters and digits must be among them.
func hexadecimal(text string) bool {
	const digits, letters = "0123456789", "abcdefABCDEF"
	return len(text) >= 8 && strings.Trim(text, digits+letters) == "" &&
		strings.ContainsAny(text, digits) && strings.ContainsAny(text, letters)
}

// random reports whether a text in the alphabet of base64 looks random. It counts pairs that are
// rare in words: a letter after a digit, or two capitals in a row. If the text has no small
// letters, pairs of capitals do not count. In fewer than 16 characters, a single pair may be
// chance.
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

// KeepsDigest reports whether the lock's value may be a digest. Either the constraint digests its
// values, or the value looks like a digest or an id.
func (c *Constraint) KeepsDigest(value string) bool {
	return c.Digests() || Unreadable(value)
}

// Digests reports whether the constraint digests its values.
func (c *Constraint) Digests() bool {
	return slices.Contains(c.Normalise, SHA256) || c.digested() != nil
}

// Original returns the text of an account's item from which the value is made; empty if the item has no such text.
func (c *Constraint) Original(item attr.Fields, value string) string {
	for _, text := range appendTexts(nil, item.At(c.Attribute)) {
		if c.Normalised(text) == value {
			return text
		}
	}
	return ""
}
