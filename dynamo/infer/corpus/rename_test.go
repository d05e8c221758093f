package corpus_test

import (
	"math/rand/v2"
	"regexp"
	"strings"
)

// renamer gives every word another one, the same wherever it stands, of the same length
// and in the same case: what is left of a layout is its structure.
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

// table renames the words of a table's description, but for its keys' types.
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

// template renames the words of a template outside of its braces, and those of a text
// that a function takes.
func (r *renamer) template(template string) string {
	before, rest, found := strings.Cut(template, "{")
	out := r.literal(before)
	if !found {
		return out
	}
	end := closing(rest)
	inner := rest[:end]
	if f, of, ok := strings.Cut(inner, ":"); ok {
		inner = f + ":" + r.template(of)
	}
	return out + "{" + inner + "}" + r.template(rest[end+1:])
}

var word = regexp.MustCompile(`[A-Z]?[a-z]+|[A-Z]+`)

func (r *renamer) literal(text string) string { return word.ReplaceAllStringFunc(text, r.word) }

func (r *renamer) word(w string) string {
	low := strings.ToLower(w)
	to, ok := r.words[low]
	for !ok {
		if to = r.invent(len(low)); !r.taken[to] && to != low {
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

// invent makes up a word that can be spoken.
func (r *renamer) invent(n int) string {
	const vowels, consonants = "aeiou", "bcdfghjklmnpqrstvwxz"
	b := make([]byte, n)
	for i := range b {
		if letters := []string{consonants, vowels}[i%2]; n > 1 {
			b[i] = letters[r.rand.IntN(len(letters))]
		} else {
			b[i] = byte('a' + r.rand.IntN(26))
		}
	}
	return string(b)
}
