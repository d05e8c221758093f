package layout

import (
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// lookAlikes lists pairs of characters that look alike in most typefaces. They are the pairs that
// are most common in handles (Unicode TR39, "confusables").
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

// LookAlike says in words which character makes a text look like another text. This is a Cyrillic
// or Greek letter in a Latin word, or the first non-ASCII character of a text that looks like pure
// ASCII. LookAlike returns "" if the text has no such character.
func LookAlike(text string) string {
	foreign := func(r rune) bool { return r > unicode.MaxASCII }
	plain := asRead(text)
	if n := strings.IndexFunc(text, foreign); n >= 0 && !strings.ContainsFunc(plain, foreign) {
		return fmt.Sprintf("it has %s, and looks like \"%s\"", character(text[n:]), plain)
	}
	words := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) })
	for _, word := range words {
		n := strings.IndexFunc(word, func(r rune) bool { return unicode.In(r, unicode.Cyrillic, unicode.Greek) })
		if n >= 0 && strings.ContainsFunc(word, func(r rune) bool { return unicode.Is(unicode.Latin, r) }) {
			return fmt.Sprintf("\"%s\" has %s among Latin letters", word, character(word[n:]))
		}
	}
	return ""
}

// asRead replaces letters that look like Latin letters by the Latin letters. It also removes
// invisible characters.
func asRead(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) { // an invisible character
			return -1
		}
		for _, l := range lookAlikes {
			switch other := []rune(l.other)[0]; {
			case !unicode.IsLetter(other): // the other character is a digit, which stays
			case r == other:
				return rune(l.latin[0])
			case unicode.ToLower(r) == other:
				return unicode.ToUpper(rune(l.latin[0]))
			}
		}
		return r
	}, norm.NFKC.String(text))
}

// character names the first character of a text, with its script: "Cyrillic а (U+0430)".
func character(text string) string {
	r := []rune(text)[0]
	name := fmt.Sprintf("U+%04X", r)
	if unicode.IsGraphic(r) && !unicode.IsSpace(r) {
		name = fmt.Sprintf("%c (%s)", r, name)
	}
	for script, letters := range unicode.Scripts {
		if script != "Common" && script != "Inherited" && unicode.Is(letters, r) {
			return script + " " + name
		}
	}
	return name
}
