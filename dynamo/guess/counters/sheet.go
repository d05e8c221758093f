package counters

import (
	"math/big"
	"slices"
	"strings"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/guess"
	"tallylock/dynamo/layout"
)

// countSheet is a sample of a table, split into rows and kinds to look for counters.
type countSheet struct {
	t     guess.Sample
	names names
	rows  []*countRow
	kinds map[string][]*countRow
}

// countRow is an item of the sample.
type countRow struct {
	item    attr.Item
	key     attr.Key
	parts   []keyPart
	kind    string              // the pattern of its key, and its type
	about   []string            // the words of its key and type
	numbers map[string]*big.Int // the whole numbers that could be counts, by attribute
	others  int                 // attributes that a counter seldom has
	barred  bool                // a word says that it is a lease, a limit or the like
	counter bool                // one of its attributes was taken for a counter
	taken   []string            // the attributes that were taken for counters
}

// keyPart is the text between two separators of a key.
type keyPart struct {
	text, sep string // sep follows text
	inSort    bool
	word      bool // the text is a word of the layout, and not an id
}

func newCountSheet(t guess.Sample, known map[string]bool) *countSheet {
	s := &countSheet{t: t, names: namesOf(t, known), kinds: map[string][]*countRow{}}
	under := map[string]map[string]bool{} // the partition keys of each sort key
	for _, item := range t.Items {
		k, ok := t.Schema.KeyOf(item)
		if !ok {
			continue
		}
		if under[k.Range.Value.Text] == nil {
			under[k.Range.Value.Text] = map[string]bool{}
		}
		under[k.Range.Value.Text][k.Hash.Value.Text] = true
		s.rows = append(s.rows, &countRow{item: item, key: k, numbers: map[string]*big.Int{}})
	}
	for _, r := range s.rows {
		r.parts = partsOf(r.key.Hash.Value, false)
		if t.Schema.RangeName != "" {
			sort := partsOf(r.key.Range.Value, true)
			if len(sort) == 1 && len(under[sort[0].text]) > 1 && onlyLetters(sort[0].text) {
				sort[0].word = true
			}
			r.parts = append(r.parts, sort...)
		}
		r.describe(&s.names)
		r.weigh(t.Schema, &s.names)
		s.kinds[r.kind] = append(s.kinds[r.kind], r)
	}
	return s
}

// partsOf splits a key into parts, and decides which parts are words of the layout.
func partsOf(v attr.Value, inSort bool) []keyPart {
	if v.Kind != attr.S {
		return []keyPart{{text: v.Text, inSort: inSort}}
	}
	var parts []keyPart
	labelled := strings.HasPrefix(v.Text, "$") // ElectroDB: $directory#tenant_globex
	for rest := v.Text; ; {
		end := strings.IndexAny(rest, layout.Separators)
		p := keyPart{text: rest, inSort: inSort}
		if end >= 0 {
			p.text, p.sep = rest[:end], rest[end:end+1]
		}
		first := len(parts) == 0
		label, value, found := strings.Cut(p.text, "_")
		switch {
		case labelled && !first && found && label != "":
			parts = append(parts, keyPart{text: label, sep: "_", inSort: inSort, word: true})
			p.text = value
		case first && end >= 0 && !onlyDigits(p.text):
			p.word = len(p.text) <= 32 && !layout.Unreadable(p.text)
		default:
			p.word = capitals(p.text) || (first && saysCounter(nameWords(p.text))) ||
				(labelled && first)
		}
		if parts = append(parts, p); end < 0 {
			return parts
		}
		rest = rest[end+1:]
	}
}

func onlyLetters(s string) bool {
	return s != "" && len(s) <= 24 && !strings.ContainsFunc(s, func(r rune) bool {
		return (r|0x20 < 'a' || r|0x20 > 'z') && r != '_' && r != '-'
	})
}

func onlyDigits(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return r < '0' || r > '9' })
}

// capitals reports whether a part has only capital letters. Such a part is a word of the layout.
func capitals(s string) bool {
	return onlyLetters(s) && strings.ToUpper(s) == s
}

// describe sets the row's kind and the words of its key and type.
func (r *countRow) describe(names *names) {
	var kind strings.Builder
	sort := false
	for _, p := range r.parts {
		if p.inSort && !sort {
			sort = true
			kind.WriteByte('/')
		}
		said := "*"
		if p.word {
			said = p.text
			r.about = append(r.about, nameWords(p.text)...)
		}
		kind.WriteString(said + p.sep)
	}
	for _, name := range r.item.Names() {
		if v := r.item[name]; v.Kind == attr.S && tags[strings.Join(names.of(name).words, "")] &&
			!strings.ContainsAny(v.Text, layout.Separators) {
			kind.WriteString(" " + name + "=" + v.Text)
			r.about = append(r.about, nameWords(v.Text)...)
			break
		}
	}
	r.kind = kind.String()
}

// weigh finds the attributes that could be counts, and counts the attributes that a counter seldom has. It bars a row
// if words show that the row is not a counter.
func (r *countRow) weigh(s attr.Schema, names *names) {
	for name, v := range r.item {
		words := names.of(name).words
		switch {
		case s.IsKey(name):
		case anyOf(words, barring) && !saysCounter(words):
			r.barred = true
		case v.Kind == attr.N:
			n, ok := attr.Integer(v.Text)
			of := names.of(name).naming
			switch {
			case ok && n.Sign() >= 0 && (of == telling || of == neutralName || of != otherNumber && (hints(words) ||
				!r.repeats(v.Text))):
				r.numbers[name] = n
			case len(words) > 0 && (times[words[len(words)-1]] || anyOf(words, versions) || isSetting(words)), r.repeats(v.Text):
			default:
				r.others++
			}
		case v.Kind == attr.S && (r.repeats(v.Text) || anyOf(words, tags) || anyOf(words, labels) ||
			anyOf(words, times) || anyOf(words, versions)):
		case strings.HasPrefix(strings.ToLower(name), "gsi"),
			strings.HasPrefix(strings.ToLower(name), "lsi"),
			strings.HasPrefix(name, "_"):
		default:
			r.others++
		}
	}
	if slices.ContainsFunc(r.parts, func(p keyPart) bool { return p.word && anyOf(nameWords(p.text), barringKeys) }) {
		r.barred = true
	}
}

// hints reports whether a name begins or ends with a word that is typical of counts.
func hints(words []string) bool {
	return len(words) > 0 && (edges[words[0]] || counts[words[0]] || counts[words[len(words)-1]])
}

// repeats reports whether a text occurs in the row's key.
func (r *countRow) repeats(text string) bool {
	return text == r.key.Hash.Value.Text || text == r.key.Range.Value.Text ||
		slices.ContainsFunc(r.parts, func(p keyPart) bool { return p.text == text })
}

// take records that an attribute of the row is a counter.
func (r *countRow) take(attribute string) { r.counter, r.taken = true, append(r.taken, attribute) }

// number returns the whole number under an attribute of the row; nil if there is none.
func (r *countRow) number(attribute string) *big.Int { return r.numbers[attribute] }
