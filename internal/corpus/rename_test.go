package corpus_test

import (
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
)

// renamer replaces every word by another word of the same length and case. Equal words get equal replacements. So only
// the structure of a layout remains.
type renamer struct {
	rand  *rand.Rand
	words map[string]string
	taken map[string]bool
}

func newRenamer(seed uint64) *renamer {
	return &renamer{rand: rand.New(rand.NewPCG(seed, 7)), words: map[string]string{}, taken: map[string]bool{}}
}

// family renames all words of a family.
func (r *renamer) family(f family) family {
	var tables []string
	for _, t := range f.tables {
		tables = append(tables, r.table(t))
	}
	f.tables = tables
	var people []spec
	for _, p := range f.people {
		people = append(people, r.spec(p))
	}
	f.people = people
	var locks []lock
	for _, l := range f.locks {
		l.item = r.spec(l.item)
		locks = append(locks, l)
	}
	f.locks = locks
	var others []other
	for _, o := range f.others {
		o.item = r.spec(o.item)
		others = append(others, o)
	}
	f.others = others
	return f
}

var keyKind = regexp.MustCompile(`:[SN]\b`)

// table renames the words of a table's description, except the types of its keys.
func (r *renamer) table(description string) string {
	kinds := keyKind.FindAllString(description, -1)
	parts := keyKind.Split(description, -1)
	for n := range parts {
		parts[n] = r.literal(parts[n])
		if n < len(kinds) {
			parts[n] += kinds[n]
		}
	}
	return strings.Join(parts, "")
}

func (r *renamer) spec(s spec) spec {
	out := spec{}
	for _, name := range sortedNames(s) {
		what := s[name]
		switch w := what.(type) {
		case string:
			what = r.template(w)
		case num:
			what = num(r.template(string(w)))
		case spec:
			what = r.spec(w)
		}
		out[r.literal(name)] = what
	}
	return out
}

// braced matches braces with their content, which may have braces in a function's text.
var braced = regexp.MustCompile(`\{(?:[^{}]|\{[^{}]*\})*\}`)

// template renames the words of a template outside of its braces, and in the texts of functions.
func (r *renamer) template(template string) (renamed string) {
	holes := braced.FindAllString(template, -1)
	for n, text := range braced.Split(template, -1) {
		renamed += r.literal(text)
		if n < len(holes) {
			renamed += r.hole(holes[n])
		}
	}
	return renamed
}

func (r *renamer) hole(hole string) string {
	if f, of, ok := strings.Cut(hole, ":"); ok {
		return f + ":" + r.template(strings.TrimSuffix(of, "}")) + "}"
	}
	return hole
}

var word = regexp.MustCompile(`[A-Z]?[a-z]+|[A-Z]+`)

func (r *renamer) literal(text string) string { return word.ReplaceAllStringFunc(text, r.word) }

func (r *renamer) word(w string) string {
	low := strings.ToLower(w)
	to, ok := r.words[low]
	for tries := 0; !ok; tries++ {
		if to = r.invent(len(low), tries < 100); !r.taken[to] && (to != low || tries > 1000) {
			r.words[low], r.taken[to], ok = to, true, true
		}
	}
	switch {
	case w == strings.ToUpper(w):
		return strings.ToUpper(to)
	case w == low:
		return to
	}
	return strings.ToUpper(to[:1]) + to[1:]
}

// create renames the names in a CreateTable request.
func (r *renamer) create(what any) any {
	switch w := what.(type) {
	case []any:
		for n := range w {
			w[n] = r.create(w[n])
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(w)) {
			value := w[name]
			if s, ok := value.(string); ok && slices.Contains([]string{"TableName", "AttributeName", "IndexName"}, name) {
				w[name] = r.plain(s)
			} else {
				w[name] = r.create(value)
			}
		}
	}
	return what
}

// attributes renames an item, or the content of a map, in DynamoDB JSON.
func (r *renamer) attributes(item any) any {
	out := map[string]any{}
	of := item.(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(of)) {
		out[r.plain(name)] = r.typed(of[name].(map[string]any))
	}
	return out
}

// typed renames a value in DynamoDB JSON, except numbers and bytes.
func (r *renamer) typed(v map[string]any) map[string]any {
	for kind, value := range v {
		switch kind {
		case "S", "SS":
			v[kind] = r.strings(value)
		case "M":
			v[kind] = r.attributes(value)
		case "L":
			for n, one := range value.([]any) {
				value.([]any)[n] = r.typed(one.(map[string]any))
			}
		}
	}
	return v
}

// strings renames all strings in a value, but not the names of fields.
func (r *renamer) strings(what any) any {
	switch w := what.(type) {
	case string:
		return r.plain(w)
	case []any:
		for n := range w {
			w[n] = r.strings(w[n])
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(w)) {
			w[name] = r.strings(w[name])
		}
	}
	return what
}

var part = regexp.MustCompile(`[A-Za-z0-9]+`)

// plain renames the words of a text, except words with digits.
func (r *renamer) plain(text string) string {
	return part.ReplaceAllStringFunc(text, func(p string) string {
		if strings.ContainsAny(p, "0123456789") {
			return p
		}
		return r.literal(p)
	})
}

// invent makes a random word of n letters. If spoken is set, people can pronounce the word.
func (r *renamer) invent(n int, spoken bool) string {
	const vowels, consonants, letters = "aeiou", "bcdfghjklmnpqrstvwxz", "abcdefghijklmnopqrstuvwxyz"
	b := make([]byte, n)
	for i := range b {
		of := letters
		if spoken && n > 1 {
			of = []string{consonants, vowels}[i%2]
		}
		b[i] = of[r.rand.IntN(len(of))]
	}
	return string(b)
}
