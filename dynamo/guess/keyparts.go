package guess

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"tallylock/dynamo/layout"
)

// piece is one part of the keys of similar items: a literal or a variable. A variable has a name, or a text
// for each item, or both.
type piece struct {
	literal string
	texts   []string
	name    string
}

func (p piece) variable() bool { return p.texts != nil || p.name != "" }

// bind replaces a text in a key by a variable. In each literal, it replaces only the last occurrence. It reports
// whether it replaced any.
func bind(key []piece, name, text string) (out []piece, bound bool) {
	for _, p := range key {
		at := findRun(p.literal, text)
		if p.variable() || at < 0 {
			out = append(out, p)
			continue
		}
		out = append(addLiteral(out, p.literal[:at]), piece{name: name})
		out, bound = addLiteral(out, p.literal[at+len(text):]), true
	}
	return out, bound
}

// unbind replaces a variable of a key by a text.
func unbind(key []piece, name, text string) (out []piece) {
	for _, p := range key {
		if p.name == name {
			p = piece{literal: text}
		}
		out = append(out, p)
	}
	return out
}

// pieces splits texts of the same form at their separators. A part that all texts share becomes a literal,
// and any other part a variable.
func pieces(texts []string) []piece {
	if len(texts) == 1 {
		return onePiece(texts[0])
	}
	columns, ok := columns(texts)
	if !ok {
		columns = [][]string{texts}
	}
	var out []piece
	for _, column := range columns {
		if same(column) {
			out = addLiteral(out, column[0])
			continue
		}
		before, after := commonEnds(column)
		inner := make([]string, len(column))
		for n, text := range column {
			inner[n] = text[len(before) : len(text)-len(after)]
		}
		out = append(addLiteral(out, before), piece{texts: inner})
		out = addLiteral(out, after)
	}
	return out
}

// onePiece splits a single text. It decides by the look of each part whether the part is a literal.
func onePiece(text string) []piece {
	var out []piece
	for first := true; ; first = false {
		part, end := nextPart(text)
		more := end < len(text)
		if part == "" || looksLikeWord(part, more, first) || (first && !more && letters(part)) {
			out = addLiteral(out, part)
		} else if n := len(out); n > 1 && out[n-1].literal != "" && len(out[n-1].literal) == 1 && out[n-2].variable() {
			out[n-2].texts[0] += out[n-1].literal + part
			out = out[:n-1]
		} else {
			out = append(out, piece{texts: []string{part}})
		}
		if !more {
			return out
		}
		out, text = addLiteral(out, text[end:end+1]), text[end+1:]
	}
}

func letters(s string) bool {
	return s != "" && len(s) <= 24 && strings.Trim(strings.ToLower(s), "abcdefghijklmnopqrstuvwxyz_-") == ""
}

func addLiteral(out []piece, text string) []piece {
	if n := len(out); n > 0 && !out[n-1].variable() {
		out[n-1].literal += text
		return out
	}
	if text == "" {
		return out
	}
	return append(out, piece{literal: text})
}

// columns splits texts at their separators. Each part and each separator is a column, with one
// entry for each text. It reports false if the texts differ in their number of parts or in their
// separators.
func columns(texts []string) ([][]string, bool) {
	var out [][]string
	rest := slices.Clone(texts)
	for {
		column, seps := make([]string, len(texts)), make([]string, len(texts))
		done := 0
		for n, text := range rest {
			part, end := nextPart(text)
			column[n], seps[n] = part, text[end:min(end+1, len(text))]
			if end == len(text) {
				done++
			}
			rest[n] = text[min(end+1, len(text)):]
		}
		out = append(out, column)
		switch {
		case done == len(texts):
			return out, true
		case done > 0 || !same(seps):
			return nil, false
		}
		out = append(out, seps)
	}
}

// commonEnds returns the beginning and the end that all texts share. It shortens both to whole words, since
// ids from the same time begin with the same characters.
func commonEnds(column []string) (before, after string) {
	before, after = CommonEnds(column)
	for before != "" && (alphanumeric(before[len(before)-1]) || !wordStart(before)) {
		before = before[:len(before)-1]
	}
	for after != "" && alphanumeric(after[0]) {
		after = after[1:]
	}
	if strings.ContainsAny(after, "@.") { // the texts are addresses of one domain
		after = ""
	}
	if slices.ContainsFunc(column, func(text string) bool { return len(before)+len(after) >= len(text) }) {
		return "", ""
	}
	return before, after
}

// wordStart reports whether a text may consist of words of the layout. A text with digits or an @ belongs
// to an id or a value.
func wordStart(s string) bool { return !strings.ContainsAny(s, "0123456789@") }

// CommonEnds returns the longest beginning and the longest end that all texts share. They may overlap. There must be
// at least one text.
func CommonEnds(texts []string) (before, after string) {
	before, after = texts[0], texts[0]
	for _, text := range texts[1:] {
		for !strings.HasPrefix(text, before) {
			before = before[:len(before)-1]
		}
		for !strings.HasSuffix(text, after) {
			after = after[1:]
		}
	}
	return before, after
}

// alphanumeric reports whether a byte is a letter, a digit, or part of a character beyond ASCII. All other
// bytes are boundaries in keys.
func alphanumeric(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c >= 0x80
}

func same(texts []string) bool {
	for _, text := range texts[1:] {
		if text != texts[0] {
			return false
		}
	}
	return true
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func templateOf(all []piece) string {
	var b strings.Builder
	for _, p := range all {
		if p.variable() {
			b.WriteString("{" + p.name + "}")
		} else {
			b.WriteString(layout.Literal(p.literal))
		}
	}
	return b.String()
}

func distinct(texts []string) int {
	all := map[string]bool{}
	for _, text := range texts {
		all[text] = true
	}
	return len(all)
}

// mostDifferent returns the first piece with the largest number of different texts.
func mostDifferent(all []*piece) *piece {
	return slices.MaxFunc(all, func(a, b *piece) int { return cmp.Compare(distinct(a.texts), distinct(b.texts)) })
}

// lengthBefore matches a number before a value, which may be the value's length. A word may be between
// them: "s17:", "s24:string:".
var lengthBefore = regexp.MustCompile(`([0-9]+):([A-Za-z]+:)?$`)

// measured looks for a number before the value v in a key. If the number is the length of v, or of the word together
// with v, measured replaces the number by a variable.
func measured(key []piece, v string) []piece {
	n := slices.IndexFunc(key, func(p piece) bool { return p.name == "v" })
	if n < 1 {
		return key
	}
	before := key[n-1].literal
	at := lengthBefore.FindStringSubmatchIndex(before)
	if at == nil {
		return key
	}
	word := ""
	if at[4] >= 0 {
		word = before[at[4]:at[5]]
	}
	name := "len:v"
	switch before[at[2]:at[3]] {
	case strconv.Itoa(len(v)):
	case strconv.Itoa(len(word) + len(v)):
		name = "len:" + word + "{v}"
	default:
		return key
	}
	out := append(addLiteral(slices.Clone(key[:n-1]), before[:at[2]]), piece{name: name})
	return append(addLiteral(out, before[at[3]:]), key[n:]...)
}

// digested lists the forms of texts whose digests occur in keys, such as User#email#{v}. A form has one or
// two words and the value {v}, with a separator between them. The words may name a model and the attribute,
// for example.
func (s *Search) digested(k *kind, path string) []string {
	if !s.hashes {
		return nil
	}
	forms := digestForms(s.wordsOf(k, path))
	some := spread(k.some(path), triedItems)
	return slices.DeleteFunc(forms, func(form string) bool {
		return !slices.ContainsFunc(some, func(a account) bool {
			return slices.ContainsFunc(spellingSteps, func(c chain) bool {
				return len(s.runs[digestOf(form, layout.Normalise(c, a.e.texts[path][0]))]) > 0
			})
		})
	})
}

// digestForms lists the texts of one or two words and the value {v}, with a separator between them.
func digestForms(words []string) (forms []string) {
	for _, sep := range []string{"#", ":", "|", "/", "_", "-", "."} {
		for _, a := range words {
			forms = append(forms, a+sep+"{v}")
			for _, b := range words {
				forms = append(forms, a+sep+b+sep+"{v}")
			}
		}
	}
	return forms
}

func digestOf(form, v string) string {
	sum := sha256.Sum256([]byte(strings.ReplaceAll(form, "{v}", v)))
	return hex.EncodeToString(sum[:])
}

// wordsOf lists the words that may name a kind of items and its attribute: the attribute's name,
// the table's name, the words of the keys, and texts that all the items share.
func (s *Search) wordsOf(k *kind, path string) []string {
	words := []string{path, s.own.Name}
	words = append(
		words,
		strings.FieldsFunc(k.pk+separators[:1]+k.sk,
			func(r rune) bool { return strings.ContainsRune(separators+"{}", r) })...)
	for name := range k.entries[0].texts {
		constant := k.entries[0].text(name)
		if constant != "" && !slices.ContainsFunc(k.entries, func(e *entry) bool { return e.text(name) != constant }) {
			words = append(words, constant)
		}
	}
	for _, w := range slices.Clone(words) {
		words = append(words, strings.ToLower(w), strings.ToUpper(w), strings.TrimSuffix(w, "s"))
	}
	words = slices.DeleteFunc(words, func(w string) bool { return w == "" || len(w) > 24 || strings.ContainsAny(w, "{}") })
	slices.Sort(words)
	words = slices.Compact(words)
	return words[:min(len(words), 24)]
}
