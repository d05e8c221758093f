package layout

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Variant is another spelling of a word. How describes the difference.
type Variant struct {
	Text string
	How  string // "a capital letter", "Cyrillic а, U+0430, for the Latin a"
	// SameWord is true if only case, Unicode form, spaces or the +tag differ. It is false if dots
	// or accents differ, or if the text only looks like the word.
	SameWord bool
	// Changes is the number of differences, at least 1.
	Changes int
}

// The limits on the number of variants of one word.
const (
	mostSameWord   = 20
	mostForms      = 12
	mostLookAlikes = 12
)

// rewrite changes the spelling of a word. The zero rewrite changes nothing.
type rewrite struct {
	how string
	of  func(string) string
}

// Each list has the alternatives for one property of a word, such as its case. Variants tries every
// combination, the most likely first.
var (
	spaces = []rewrite{
		{},
		{"a space at the end", func(q string) string { return q + " " }},
		{"a space before it", func(q string) string { return " " + q }},
	}
	tags    = []rewrite{{}, {"without the +tag", untagged}}
	forms   = []rewrite{{}, {"plain letters", norm.NFKC.String}, {"accents apart", norm.NFD.String}}
	letters = []rewrite{
		{"lower case", strings.ToLower},
		{},
		{"a capital letter", capital},
		{"capital letters", strings.ToUpper},
	}
	// Variants combines the next three lists and the list tags in a second round. Many applications make these changes
	// before they compare values.
	small   = []rewrite{{}, {"lower case", strings.ToLower}}
	dots    = []rewrite{{}, {"without the dots", undotted}}
	accents = []rewrite{{}, {"without accents", unaccented}}
)

// TrimPasted removes white space, U+200B and U+FEFF around a text that a person has pasted.
func TrimPasted(s string) string {
	return strings.TrimFunc(s, func(r rune) bool { return unicode.IsSpace(r) || r == '\u200b' || r == '\ufeff' })
}

// AsStored returns a word as most applications store it: trimmed, in lower case, in NFKC, and
// without its +tag.
func AsStored(q string) string { return strings.ToLower(norm.NFKC.String(untagged(TrimPasted(q)))) }

func capital(q string) string {
	first, size := utf8.DecodeRuneInString(q)
	if first == utf8.RuneError {
		return q
	}
	return string(unicode.ToUpper(first)) + strings.ToLower(q[size:])
}

// untagged removes the +tag of an e-mail address: mail to it arrives in the same mailbox.
func untagged(q string) string {
	local, domain, mail := strings.Cut(q, "@")
	base, _, tagged := strings.Cut(local, "+")
	if !mail || !tagged || base == "" {
		return q
	}
	return base + "@" + domain
}

// undotted removes the dots from the name of an e-mail address.
func undotted(q string) string {
	local, domain, mail := strings.Cut(q, "@")
	if name := strings.ReplaceAll(local, ".", ""); mail && name != "" {
		return name + "@" + domain
	}
	return q
}

func unaccented(q string) string {
	plain := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFD.String(q))
	return norm.NFC.String(plain)
}

// Variants lists other spellings of a word, the most likely first. The first spellings are the same
// word with another case, Unicode form, +tag or spaces. Then come spellings without dots and
// accents. Texts that only look like the word come last.
func Variants(q string) []Variant {
	var out []Variant
	most, sameWord := mostSameWord, true
	add := func(text string, how ...string) {
		if text != q && text != "" && len(out) < most &&
			!slices.ContainsFunc(out, func(v Variant) bool { return v.Text == text }) {
			out = append(out, Variant{text, strings.Join(how, ", "), sameWord, len(how)})
		}
	}
	for _, space := range spaces {
		for _, tag := range tags {
			for _, form := range forms {
				for _, letter := range letters {
					text, how := respell(q, tag, form, letter, space)
					add(text, how...)
				}
			}
		}
	}
	most, sameWord = len(out)+mostForms, false
	for _, letter := range small {
		for _, tag := range tags {
			for _, dot := range dots {
				for _, accent := range accents {
					text, how := respell(q, letter, tag, dot, accent)
					add(text, how...)
				}
			}
		}
	}
	most = len(out) + mostLookAlikes
	if local, domain, mail := strings.Cut(q, "@"); mail {
		if domain == "gmail.com" {
			add(strings.ReplaceAll(local, ".", "")+"@googlemail.com", "googlemail.com")
			add(strings.ReplaceAll(local, ".", "")+"@"+domain, "without the dots")
		}
		if domain == "googlemail.com" {
			add(local+"@gmail.com", "gmail.com")
		}
	}
	for _, l := range lookAlikes {
		if n := strings.Index(q, l.latin); n >= 0 {
			add(q[:n]+l.other+q[n+1:], l.name+" for the Latin "+l.latin)
		}
		if strings.Contains(q, l.other) {
			add(strings.ReplaceAll(q, l.other, l.latin), "Latin "+l.latin+" for "+l.name)
		}
	}
	return out
}

// respell applies the rewrites to q in order. how names the rewrites that changed q.
func respell(q string, all ...rewrite) (text string, how []string) {
	for _, one := range all {
		if one.of == nil {
			continue
		}
		if after := one.of(q); after != q {
			q, how = after, append(how, one.how)
		}
	}
	return q, how
}
