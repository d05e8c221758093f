package infer

import (
	"slices"
	"strings"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

// family is items of one shape, whose keys differ in one place: they may be locks.
type family struct {
	table   *table
	entries []*entry
	c       *layout.Constraint
	values  profile
}

// familiesOf lists the families of a table.
func familiesOf(t *table) []*family {
	var all []*family
	for _, g := range t.shapes() {
		k := g.kind
		if k == nil || strings.Count(strings.ReplaceAll(k.sk, "{pk}", "")+k.pk, "{") != 1 {
			continue
		}
		as := func(key string) string { return strings.ReplaceAll(key, "{"+identity+"}", "{v}") }
		l, err := layout.Config{Name: "inferred", Accounts: []layout.AccountConfig{{
			PK: "{id}", SK: "x", Constraints: []layout.ConstraintConfig{{Name: "x", Attribute: "x", PK: as(k.pk), SK: as(k.sk)}},
		}}}.Build()
		if err != nil {
			continue
		}
		all = append(all, &family{t, g.entries, l.Accounts[0].Constraints[0], profileOf(k.ids())})
	}
	return all
}

// key is the key of the family's item that holds a value.
func (f *family) key(v string) (attr.Key, bool) {
	k, err := f.c.LockKey(f.table.Schema, v, nil)
	return k, err == nil
}

// guessed are the chains that values are tried with before anything is known of them.
var guessed = []chain{nil, {"lower"}, {"sha256"}, {"lower", "sha256"}, {"percent"}, {"base64"}}

// spellings are the values as the family's keys may have them: those that look like what
// stands there.
func (f *family) spellings(values []string) []string {
	var all []string
	for _, raw := range values[:min(len(values), 1)] {
		for _, c := range guessed {
			if v := layout.Normalise(c, raw); f.values.fits(v) && !slices.Contains(all, v) {
				all = append(all, v)
			}
		}
	}
	return all
}

// profile is how texts look: how long they are, and which characters they have.
type profile struct {
	shortest, longest int
	has               map[rune]bool // classes of characters, by one of each
	always            map[rune]bool // those that all of them have
}

func profileOf(texts []string) profile {
	p := profile{has: map[rune]bool{}, always: map[rune]bool{}}
	for n, text := range texts {
		if n == 0 || len(text) < p.shortest {
			p.shortest = len(text)
		}
		p.longest = max(p.longest, len(text))
		classes := classesOf(text)
		for c := range classes {
			p.has[c] = true
			if n == 0 {
				p.always[c] = true
			}
		}
		for c := range p.always {
			if !classes[c] {
				delete(p.always, c)
			}
		}
	}
	return p
}

func classesOf(text string) map[rune]bool {
	all := map[rune]bool{}
	for _, r := range text {
		switch {
		case r >= 'a' && r <= 'z':
			all['a'] = true
		case r >= 'A' && r <= 'Z':
			all['A'] = true
		case r >= '0' && r <= '9':
			all['0'] = true
		case r >= 0x80:
			all['é'] = true
		default:
			all[r] = true
		}
	}
	return all
}

// fits reports whether a text looks like those.
func (p profile) fits(text string) bool {
	if text == "" || 2*len(text) < p.shortest || len(text) > 2*p.longest+8 {
		return false
	}
	classes := classesOf(text)
	for c := range classes {
		if !p.has[c] && (c == 'A' || c == '@') {
			return false
		}
	}
	for c := range p.always {
		if !classes[c] && c != 'a' && c != '0' {
			return false
		}
	}
	return p.has['a'] || p.has['A'] || !(classes['a'] || classes['A'])
}
