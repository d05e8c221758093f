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

// Fold brings together the spellings that people mix up: case, compatibility
// forms and white space at the ends. Two values that fold alike are near
// misses, never the same value.
func Fold(s string) string {
	if ascii(s) {
		return strings.ToLower(strings.TrimSpace(s)) // what the rest makes of it, sooner
	}
	return cases.Fold().String(strings.TrimFunc(norm.NFKC.String(s), space))
}

// foldKey folds a whole key, so that values are compared within one scope only.
func foldKey(k attr.Key) string {
	return FoldPart(k.Hash.Value.Text) + "\x00" + FoldPart(k.Range.Value.Text)
}

// FoldPart is Fold without any spaces: a value that stands between other parts of a key
// is not where Fold trims it.
func FoldPart(s string) string {
	return strings.Map(func(r rune) rune {
		if space(r) {
			return -1
		}
		return r
	}, Fold(s))
}

// Normalised is an account's value as the key of its lock says it.
func (c *Constraint) Normalised(text string) string { return c.digest(Normalise(c.Normalise, text)) }

// Spelt is Normalised without the steps that make another text of it.
func (c *Constraint) Spelt(text string) string {
	for _, step := range c.Normalise {
		if !step.encodes() {
			text = step.of(text)
		}
	}
	return text
}

// Encoded is Normalised without the steps that only change the spelling.
func (c *Constraint) Encoded(text string) string {
	for _, step := range c.Normalise {
		if step.encodes() {
			text = step.of(text)
		}
	}
	return c.digest(text)
}

// DigestsOf are the digests that an application may keep of a text, whatever the steps of the
// layout make of it: nothing in a digest tells which. folded is Fold of the text.
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

// OnlyHashes reports whether a constraint encodes its values by a SHA-256 of their spelling and by
// nothing else: DigestsOf has whatever it makes of a text.
func OnlyHashes(c *Constraint) bool {
	last := len(c.Normalise) - 1
	return c.digested() == nil && last >= 0 && c.Normalise[last] == SHA256 &&
		!slices.ContainsFunc(c.Normalise[:last], Normaliser.encodes)
}

// Encodes reports whether the value in a lock's key is another text than the account's,
// and not only another spelling of it: then no text of an account need be like it.
func (c *Constraint) Encodes() bool {
	return slices.ContainsFunc(c.Normalise, Normaliser.encodes) || c.digested() != nil
}

// SameValues reports whether both constraints make the same of every text.
func (c *Constraint) SameValues(other *Constraint) bool {
	mine, theirs := c.digested(), other.digested()
	same := mine == nil && theirs == nil || mine != nil && theirs != nil && mine.text == theirs.text
	return same && slices.Equal(c.Normalise, other.Normalise)
}

// Text is what a lock's value was made of, up to its spelling. It reports false, with the
// value itself or a part of the way back, where that cannot be read: of a digest.
func (c *Constraint) Text(value string) (string, bool) {
	if c.digested() != nil {
		return value, false
	}
	return decode(c.Normalise, value)
}

// Spelling is alike for the values of locks that differ in their spelling alone: what
// Fold makes of the text that they keep. What cannot be read back is folded only where
// that cannot make two values one: in base64 every letter's case counts.
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

// SpelledByKey reports whether FoldKey tells by the key alone which of the constraint's
// locks differ in spelling only.
func (c *Constraint) SpelledByKey() bool {
	return !c.PK.computed && !c.SK.computed && len(c.Also) == 0 &&
		!slices.ContainsFunc(c.Normalise, func(n Normaliser) bool { return n.encodes() && n != SHA256 })
}

// FoldKey is alike for the keys of locks whose values differ in their spelling alone and
// that are of one scope.
func (c *Constraint) FoldKey(k attr.Key) string {
	if c.SpelledByKey() {
		return foldKey(k)
	}
	v, vars, ok := c.ParseLock(attr.Schema{RangeName: k.Range.Name}, k)
	if !ok {
		return k.Hash.Value.Text + "\x00" + k.Range.Value.Text // another's, and not to be mixed up with any
	}
	folded := c.Spelling(v)
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		folded += "\x00" + name + "\x00" + FoldPart(vars[name])
	}
	return folded
}

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
