package dynamo

import (
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

// NearMiss is a spelling that people mix up with the query, and that is in use.
type NearMiss struct {
	Relation *Relation
	// How says in what it differs: "a capital letter", "Cyrillic а, U+0430".
	How string
}

// spelling is a look-alike and what makes it one.
type spelling struct{ text, how string }

// nearLimit bounds what one question pays for look-alikes.
const nearLimit = 12

// near looks for locks of look-alikes: eventually consistent, since seeing one
// proves that it existed, and that is all that is said.
func (f *finding) near(ctx context.Context, a *Answer) error {
	byTable := map[string][]attr.Key{}
	var tried []*NearMiss
	for _, kind := range f.t.Layout.Accounts {
		for _, c := range kind.Constraints {
			own := layout.Normalise(c.Normalise, f.query)
			for _, s := range spellings(f.query, strings.Contains(f.query, "@")) {
				v := layout.Normalise(c.Normalise, s.text)
				if v == own || v == f.query {
					continue
				}
				table := c.LockTable(f.t.Name)
				key, err := c.LockKey(f.t.SchemaOf(table), v, f.scope)
				if err != nil || slices.ContainsFunc(tried, func(n *NearMiss) bool { return n.Relation.Lock.Key.Equal(key) }) {
					continue
				}
				tried = append(tried, &NearMiss{How: s.how, Relation: &Relation{Constraint: c, Value: v, Lock: Lock{Table: table, Key: key}}})
				byTable[table] = append(byTable[table], key)
			}
		}
	}
	a.Tried = len(tried)
	for table, keys := range byTable {
		before := f.r.units
		found, err := f.r.get(ctx, table, keys, false)
		if err != nil {
			return err
		}
		exist := 0
		for _, n := range tried {
			if item := found[n.Relation.Lock.Key.ID()]; item != nil && n.Relation.Lock.Table == table {
				exist++
				n.Relation.Lock = lockOf(n.Relation.Constraint, table, n.Relation.Lock.Key, item)
				n.Relation.Verdict, n.Relation.Why = Unknown, "only its lock was looked at"
				a.Near = append(a.Near, *n)
			}
		}
		f.r.note(table, count(len(keys), "spelling"), count(exist, "lock")+" of them", "eventual", f.r.units-before)
	}
	return nil
}

// spellings lists look-alikes of a word, the likeliest first.
func spellings(q string, mail bool) []spelling {
	var out []spelling
	add := func(text, how string) {
		if text != q && text != "" && len(out) < nearLimit && !slices.ContainsFunc(out, func(s spelling) bool { return s.text == text }) {
			out = append(out, spelling{text, how})
		}
	}
	add(strings.ToLower(q), "lower case")
	add(strings.TrimSpace(q), "no space around it")
	if first, size := utf8.DecodeRuneInString(q); size > 0 && first != utf8.RuneError {
		add(string(unicode.ToUpper(first))+q[size:], "a capital letter")
	}
	add(strings.ToUpper(q), "capital letters")
	add(q+" ", "a space at the end")
	add(" "+q, "a space before it")
	if mail {
		local, domain, _ := strings.Cut(q, "@")
		if base, _, tagged := strings.Cut(local, "+"); tagged {
			add(base+"@"+domain, "without the +tag")
		}
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
