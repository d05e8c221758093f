package dynamo

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// spelling is a text that people mix up with another, and in what it differs.
type spelling struct {
	text, how string
	// alike: it is the same word in another case, form, with other spaces or another
	// +tag, and not one that only looks like it.
	alike bool
	// changes is in how many ways it differs.
	changes int
}

// Limits on the spelling variants that one question reads.
const (
	mostAlike      = 20
	mostLookAlikes = 12
)

// rewrite is one way to spell a word otherwise. The zero rewrite leaves it as it is.
type rewrite struct {
	how string
	of  func(string) string
}

// Each row is taken together with each other, the likeliest first.
var (
	spaces  = []rewrite{{}, {"a space at the end", func(q string) string { return q + " " }}, {"a space before it", func(q string) string { return " " + q }}}
	tags    = []rewrite{{}, {"without the +tag", untagged}}
	forms   = []rewrite{{}, {"plain letters", norm.NFKC.String}, {"accents apart", norm.NFD.String}}
	letters = []rewrite{{"lower case", strings.ToLower}, {}, {"a capital letter", capital}, {"capital letters", strings.ToUpper}}
)

// trimPasted leaves out what comes with a text that is copied from a ticket or a page:
// white space around it, the kind without a width included.
func trimPasted(s string) string {
	return strings.TrimFunc(s, func(r rune) bool { return unicode.IsSpace(r) || r == '\u200b' || r == '\ufeff' })
}

// plainly is a word as most applications keep it: without capitals, white space around
// it, a +tag and letters of another form.
func plainly(q string) string { return strings.ToLower(norm.NFKC.String(untagged(trimPasted(q)))) }

func capital(q string) string {
	first, size := utf8.DecodeRuneInString(q)
	if first == utf8.RuneError {
		return q
	}
	return string(unicode.ToUpper(first)) + strings.ToLower(q[size:])
}

// untagged is an e-mail without the +tag that its provider ignores.
func untagged(q string) string {
	local, domain, mail := strings.Cut(q, "@")
	base, _, tagged := strings.Cut(local, "+")
	if !mail || !tagged || base == "" {
		return q
	}
	return base + "@" + domain
}

// spellings lists the other spellings of a word, the likeliest first: the same word in
// every combination of case, form, +tag and spaces, then what only looks like it.
func spellings(q string) []spelling {
	var out []spelling
	add := func(text, how string, changes, most int) { // no changes: it only looks like it
		if text != q && text != "" && len(out) < most && !slices.ContainsFunc(out, func(s spelling) bool { return s.text == text }) {
			out = append(out, spelling{text, how, changes > 0, max(changes, 1)})
		}
	}
	for _, space := range spaces {
		for _, tag := range tags {
			for _, form := range forms {
				for _, letter := range letters {
					text, how := respell(q, tag, form, letter, space)
					add(text, strings.Join(how, ", "), len(how), mostAlike)
				}
			}
		}
	}
	most := len(out) + mostLookAlikes
	if local, domain, mail := strings.Cut(q, "@"); mail {
		if domain == "gmail.com" {
			add(strings.ReplaceAll(local, ".", "")+"@googlemail.com", "googlemail.com", 0, most)
			add(strings.ReplaceAll(local, ".", "")+"@"+domain, "without the dots", 0, most)
		}
		if domain == "googlemail.com" {
			add(local+"@gmail.com", "gmail.com", 0, most)
		}
	}
	for _, l := range lookAlikes {
		if n := strings.Index(q, l.latin); n >= 0 {
			add(q[:n]+l.other+q[n+1:], l.name+" for the Latin "+l.latin, 0, most)
		}
		if strings.Contains(q, l.other) {
			add(strings.ReplaceAll(q, l.other, l.latin), "Latin "+l.latin+" for "+l.name, 0, most)
		}
	}
	return out
}

// respell takes several rewrites of a word, and names those that changed it.
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

// lookAlikes are letters that most typefaces draw alike (Unicode TR39,
// "confusables"; the ones met most in handles).
var lookAlikes = []struct{ latin, other, name string }{
	{"a", "а", "Cyrillic а, U+0430,"},
	{"e", "е", "Cyrillic е, U+0435,"},
	{"o", "о", "Cyrillic о, U+043E,"},
	{"i", "і", "Cyrillic і, U+0456,"},
	{"c", "с", "Cyrillic с, U+0441,"},
	{"p", "р", "Cyrillic р, U+0440,"},
	{"l", "1", "digit 1"},
	{"o", "0", "digit 0"},
}
