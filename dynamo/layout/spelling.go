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

// Fold makes spellings equal that people mix up: case, compatibility forms and white space at the
// ends. Two values that fold alike are near misses, never the same value.
func Fold(s string) string {
	if ascii(s) {
		return strings.ToLower(strings.TrimSpace(s)) // the same result, faster
	}
	return cases.Fold().String(strings.TrimFunc(norm.NFKC.String(s), space))
}

// foldKey folds a whole key, so that only values of one scope are compared.
func foldKey(k attr.Key) string {
	return FoldPart(k.Hash.Value.Text) + "\x00" + FoldPart(k.Range.Value.Text)
}

// FoldPart is Fold without any spaces: Fold trims the ends of a key, and a value may be between
// other parts of it.
func FoldPart(s string) string {
	return strings.Map(func(r rune) rune {
		if space(r) {
			return -1
		}
		return r
	}, Fold(s))
}

// Normalised returns an account's value as the key of its lock has it.
func (c *Constraint) Normalised(text string) string { return c.digest(Normalise(c.Normalise, text)) }

// Spelt is Normalised without the steps that encode the value.
func (c *Constraint) Spelt(text string) string {
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

// DigestsOf returns the digests of a text that an application may store, whatever steps the layout
// has: a digest does not show which steps were taken. folded is Fold of the text.
func DigestsOf(c *Constraint, text, folded string) []string {
	var spellings, digests []string
	for _, spelling := range [...]string{text, folded, strings.ToUpper(text), c.Spelt(text), c.Spelt(folded)} {
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

// OnlyHashes reports whether a constraint encodes its values only by SHA-256, after steps that
// change the spelling. Then DigestsOf covers every text that the constraint can make of a value.
func OnlyHashes(c *Constraint) bool {
	last := len(c.Normalise) - 1
	return c.digested() == nil && last >= 0 && c.Normalise[last] == SHA256 &&
		!slices.ContainsFunc(c.Normalise[:last], Normaliser.encodes)
}

// Encodes reports whether the value in a lock's key is another text than the account's value, and
// not only another spelling. Then it need not resemble any text of an account.
func (c *Constraint) Encodes() bool {
	return slices.ContainsFunc(c.Normalise, Normaliser.encodes) || c.digested() != nil
}

// SameValues reports whether both constraints turn every text into the same value.
func (c *Constraint) SameValues(other *Constraint) bool {
	mine, theirs := c.digested(), other.digested()
	same := mine == nil && theirs == nil || mine != nil && theirs != nil && mine.text == theirs.text
	return same && slices.Equal(c.Normalise, other.Normalise)
}

// Text returns the text that a lock's value was made of, except for its spelling. If that text
// cannot be read, as from a digest, it reports false and returns the value, or the value with some
// steps undone.
func (c *Constraint) Text(value string) (string, bool) {
	if c.digested() != nil {
		return value, false
	}
	return decode(c.Normalise, value)
}

// Spelling returns the same text for lock values that differ only in spelling: Fold of the text
// that the lock keeps. If that text cannot be read, Spelling folds the value itself, but not
// base64: there the case of each letter counts, and folding could make two values equal.
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

// SpelledByKey reports whether FoldKey needs only the key, and not the parsed value, to find locks
// that differ only in spelling.
func (c *Constraint) SpelledByKey() bool {
	return !c.PK.computed && !c.SK.computed && len(c.Also) == 0 &&
		!slices.ContainsFunc(c.Normalise, func(n Normaliser) bool { return n.encodes() && n != SHA256 })
}

// FoldKey returns the same text for lock keys of one scope whose values differ only in spelling.
func (c *Constraint) FoldKey(k attr.Key) string {
	if c.SpelledByKey() {
		return foldKey(k)
	}
	v, vars, ok := c.ParseLock(attr.Schema{RangeName: k.Range.Name}, k)
	if !ok {
		return k.Hash.Value.Text + "\x00" + k.Range.Value.Text // not a lock of c: its key, unfolded
	}
	folded := c.Spelling(v)
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		folded += "\x00" + name + "\x00" + FoldPart(vars[name])
	}
	return folded
}

// DigestIn returns the SHA-256 digest in a lock's value as lower-case hex. The value may have it in
// hex or in base64. It is empty if the value is not a digest.
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

// Unreadable reports whether a lock's value does not show the text that it was made of, like a
// digest or an id. Of a value in parts, such as "v1:" before a digest, it judges the longest part.
// Digits alone are a number, and a value with an @ is an address: both are readable.
func Unreadable(value string) bool {
	parts := strings.FieldsFunc(value, func(c rune) bool { return strings.ContainsRune(":.$~|", c) })
	if len(parts) == 0 || strings.Contains(value, "@") {
		return false
	}
	longest := slices.MaxFunc(parts, func(a, b string) int { return cmp.Compare(len(a), len(b)) })
	return hexadecimal(strings.ReplaceAll(longest, "-", "")) || random(longest)
}

// hexadecimal reports whether a text has only hexadecimal digits, at least 8, with both letters and
// digits among them.
func hexadecimal(text string) bool {
	const digits, letters = "0123456789", "abcdefABCDEF"
	return len(text) >= 8 && strings.Trim(text, digits+letters) == "" &&
		strings.ContainsAny(text, digits) && strings.ContainsAny(text, letters)
}

// random reports whether a text in the alphabet of base64 looks unlike words, even words with a
// number behind them. It counts letters after digits, and capitals after capitals if the text has
// small letters, too. In a text shorter than 16 characters, one of these may be chance.
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
