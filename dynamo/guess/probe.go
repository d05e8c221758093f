package guess

import (
	"context"
	"slices"
	"strings"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
)

// Limits of the probes. mostAsked is the largest number of keys in one round.
const (
	rounds      = 2
	mostAsked   = 80
	triedValues = 8 // values of a rule that are looked up
	triedItems  = 3 // items of a kind whose related items are looked up
)

// ask reads keys that the sampled items suggest, and adds the items found to the samples. Without this, the
// sample of a large table seldom has both an account and its lock.
func (s *Search) ask(ctx context.Context, probe Probe) error {
	for range rounds {
		if !slices.ContainsFunc(s.tables, func(t *table) bool { return !t.Whole }) {
			return nil
		}
		q := &questions{s: s, keys: map[*table][]attr.Key{}, seen: map[string]bool{}}
		q.verify()
		q.guess()
		_, added, err := q.read(ctx, probe)
		if err != nil {
			return err
		}
		if added {
			s.index()
		}
	}
	return nil
}

// read reads the keys, and adds the items to the samples. It reports whether it has read any key, and whether it
// has added any item.
func (q *questions) read(ctx context.Context, probe Probe) (read, added bool, err error) {
	for _, t := range q.s.tables {
		keys := q.keys[t]
		if len(keys) == 0 {
			continue
		}
		found, asked, err := probe(ctx, t.Name, keys)
		if err != nil {
			return read, added, err
		}
		for _, k := range asked {
			read, t.asked[k.ID()] = true, true
			if item := found[k.ID()]; item != nil {
				t.add(item)
				added = true
			} else {
				t.known[k.ID()] = nil
			}
		}
	}
	return read, added, nil
}

// questions collects the keys to read in one round.
type questions struct {
	s    *Search
	keys map[*table][]attr.Key
	many int
	seen map[string]bool
}

type question struct {
	table *table
	key   attr.Key
}

// add adds a key to the questions. It skips the key if the sample already shows whether the key has an item, or if the
// round is full.
func (q *questions) add(t *table, key attr.Key) {
	id := key.ID()
	if _, known := t.has(id); known || q.many >= mostAsked || q.seen[t.Name+"\x00"+id] {
		return
	}
	q.seen[t.Name+"\x00"+id] = true
	q.keys[t] = append(q.keys[t], key)
	q.many++
}

// verify asks for more locks of each rule that has at least one known lock.
func (q *questions) verify() {
	seen := q.s.choose(q.s.rules(func(r *rule) bool { return r.hits() > 0 && !r.opaque }))
	for n := range triedValues {
		for _, r := range seen[:min(len(seen), 6)] {
			some := r.kind.some(r.path)
			if n >= len(some) {
				continue
			}
			e := some[n*len(some)/min(len(some), triedValues)%len(some)].e
			for _, claim := range r.account.AppendClaimsOf(nil, r.constraint, q.s.own.Name, q.s.schemaOf, e.item) {
				if claim.Err == nil {
					q.add(r.table, claim.Key)
				}
			}
		}
	}
}

// guess asks for keys that may be locks of the sampled accounts, and for keys that may be accounts of the
// sampled locks.
func (q *questions) guess() {
	accounts := slices.DeleteFunc(slices.Clone(q.s.accounts), func(k *kind) bool { return k.is != nil || k.merged })
	var locks []*kind
	for _, t := range q.s.tables {
		for _, g := range t.shapes() {
			if g.kind != nil && strings.Count(strings.ReplaceAll(g.kind.sk, "{pk}", "")+g.kind.pk, "{") == 1 {
				locks = append(locks, g.kind)
			}
		}
	}
	var lines [][]question // the loop at the end takes one key from each line in turn
	for _, k := range accounts {
		for _, path := range k.paths() {
			if k.unique(path) && !k.inOwnKey(path) {
				for _, l := range locks {
					lines = append(lines, l.called(k, path, guessed))
				}
			}
		}
	}
	for _, l := range locks {
		for _, k := range accounts {
			var one []question
			for _, path := range l.paths() {
				one = append(one, k.called(l, path, guessed[:1])...)
			}
			lines = append(lines, one)
		}
	}
	for n := 0; len(lines) > 0 && q.many < mostAsked; n++ {
		lines = slices.DeleteFunc(lines, func(one []question) bool { return n >= len(one) })
		for _, one := range lines {
			q.add(one[n].table, one[n].key)
		}
	}
}

// called lists possible keys of items of the kind k. It takes a few items of the other kind, by, and tries the texts of
// one attribute as ids. It skips texts that do not look like ids of k.
func (k *kind) called(by *kind, path string, chains []chain) (all []question) {
	own := k.entries[0].of
	for _, a := range spread(by.some(path), triedItems) {
		for _, c := range chains {
			text := layout.Normalise(c, a.e.texts[path][0])
			if !k.look.fits(text) && !strings.HasPrefix(text, k.word()) {
				continue
			}
			key, ok := k.keyOf(text)
			part := a.e.of == own && (by.within(a.e, key.Hash.Value.Text) || k.within(a.e, key.Hash.Value.Text))
			if ok && !part {
				all = append(all, question{own, key})
			}
		}
	}
	return all
}

// guessed lists the chains to try while the sample has no pair of account and lock.
var guessed = []chain{nil, {"lower"}, {"sha256"}, {"lower", "sha256"}, {"percent"}, {"base64"}}

// spread returns all elements, or evenly spaced ones if there are more than the limit.
func spread[T any](all []T, most int) []T {
	if len(all) <= most {
		return all
	}
	out := make([]T, most)
	for n := range out {
		out[n] = all[n*len(all)/most]
	}
	return out
}

func (k *kind) ids() []string {
	var all []string
	for _, vars := range k.vars {
		all = append(all, vars[identity])
	}
	return all
}

// word returns the beginning of all partition keys of the kind. If they have no common beginning, it returns a text
// that no key contains.
func (k *kind) word() string {
	word, _, _ := strings.Cut(k.pk, "{")
	if word == "" {
		return "\x00"
	}
	return word
}

// keyOf returns the key of the kind's item that has the given text as its id. It returns false if
// the text gives no key.
func (k *kind) keyOf(text string) (attr.Key, bool) {
	l, err := config.Layout{Name: "inferred", Accounts: []config.Account{{PK: k.pk, SK: k.sk}}}.Build()
	if err != nil || text == "" {
		return attr.Key{}, false
	}
	keys := l.Accounts[0].Keys(k.entries[0].of.Schema, text, nil)
	if len(keys) == 0 {
		return attr.Key{}, false
	}
	return keys[0], true
}

// profile describes some texts: their shortest and longest length in bytes, and the number of texts with an @.
type profile struct{ shortest, longest, emails, texts int }

func profileOf(texts []string) profile {
	p := profile{shortest: len(texts[0]), texts: len(texts)}
	for _, text := range texts {
		p.shortest, p.longest = min(p.shortest, len(text)), max(p.longest, len(text))
		if strings.Contains(text, "@") {
			p.emails++
		}
	}
	return p
}

func (p profile) fits(text string) bool {
	unlike := p.emails >= p.texts // all texts of the profile have an @
	if strings.Contains(text, "@") {
		unlike = p.emails == 0
	}
	return text != "" && 2*len(text) >= p.shortest && len(text) <= 2*p.longest+8 && !unlike
}
