// Package guess recognises what a table keeps, from a sample of its items: accounts and
// the locks of their values by the values themselves, whatever words keys are made of.
// What could be something else it leaves alone. It reads nothing but what it asks for
// through a Probe, and imports attr, layout and phrase only. Counters are recognised by
// the package counters beneath it. Start at Accounts.
package guess

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
)

// Probe reads which of some keys of a table have items. It may leave keys out where its
// budget is used up; those it has asked for are in the second answer.
type Probe func(ctx context.Context, table string, keys []attr.Key) (found map[string]attr.Item,
	asked []attr.Key, err error)

// Accounts finds the kinds of accounts of a table and how their values are kept by locks,
// in this table or one of the others. It answers nothing where the data does not show
// it. Equal samples give equal answers.
func Accounts(own Sample, others ...Sample) []config.Account {
	s, _ := Look(context.Background(), own, others, nil) // without a probe nothing fails
	return s.Accounts()
}

// Look is Accounts for who may ask for Nearest, too, and have items read by a probe. It answers nil
// where keys are binary: then there are neither.
func Look(ctx context.Context, own Sample, others []Sample, probe Probe) (*Search, error) {
	if own.Schema.HashKind == attr.B || own.Schema.RangeKind == attr.B {
		return nil, nil
	}
	s := &Search{own: newTable(own)}
	s.tables = []*table{s.own}
	for _, other := range others {
		s.tables = append(s.tables, newTable(other))
	}
	s.index()
	if probe != nil {
		if err := s.ask(ctx, probe); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Accounts lists the kinds of accounts that the data shows.
func (s *Search) Accounts() []config.Account {
	if s == nil {
		return nil
	}
	sound := s.rules(func(r *rule) bool { return s.against(r) == "" })
	return accountsOf(s.withoutUnclaimed(s.choose(sound)), s.own.Indexes)
}

// MayHaveAccounts reports whether items of a table hold texts that hardly repeat: those may
// be kept unique by something elsewhere.
func MayHaveAccounts(own Sample) bool {
	return slices.ContainsFunc(kinds(newTable(own)), func(k *kind) bool {
		return slices.ContainsFunc(k.paths(), func(path string) bool {
			return k.entries[0].item.At(path).Kind != attr.N && k.unique(path) && !k.inOwnKey(path)
		})
	})
}

// MayKeepLocks reports whether a table's name says that it may keep the locks of another
// table's accounts: it has a word for locks, or the other's name: members and member_emails.
func MayKeepLocks(accounts, name string) bool {
	low := strings.ToLower(name)
	if strings.Contains(low, strings.TrimSuffix(strings.ToLower(accounts), "s")) || strings.Contains(low, "index") {
		return true
	}
	return slices.ContainsFunc(lockWords, func(word string) bool { return strings.Contains(low, word) })
}

// accountsOf writes rules down as a layout has them, with the indexes on their attributes.
func accountsOf(rules []*rule, indexes map[string]string) []config.Account {
	// The order says nothing, and equal layouts are to be equal.
	rules = slices.Clone(rules)
	slices.SortStableFunc(rules, func(a, b *rule) int {
		return cmp.Or(strings.Compare(a.kind.pk+a.kind.sk, b.kind.pk+b.kind.sk), strings.Compare(a.path, b.path),
			strings.Compare(a.place(), b.place()))
	})
	var kinds []*kind
	var all []config.Account
	names := map[string]bool{}
	for _, r := range rules {
		n := slices.IndexFunc(kinds,
			func(k *kind) bool { return k.pk == r.kind.pk && k.sk == r.kind.sk && sameIs(k, r.kind) })
		if n < 0 {
			n = len(kinds)
			kinds = append(kinds, r.kind)
			all = append(all, config.Account{PK: r.kind.pk, SK: r.kind.sk, Is: r.kind.is})
		}
		c := r.config
		c.Index = indexes[c.Attribute]
		for at := 2; names[c.Name]; at++ {
			c.Name = fmt.Sprintf("%s-%d", c.Attribute, at)
		}
		names[c.Name] = true
		all[n].Constraints = append(all[n].Constraints, c)
	}
	if len(all) > 1 {
		for n := range all {
			all[n].Model = model(kinds[n], n)
		}
	}
	return all
}

func sameIs(a, b *kind) bool {
	return a.is == nil && b.is == nil || a.is != nil && b.is != nil && *a.is == *b.is
}

// model is what a kind of account is called: the word that its key begins with.
func model(k *kind, n int) string {
	for _, key := range []string{k.pk, k.sk} {
		word, _, _ := strings.Cut(key, "{")
		if word = strings.ToLower(strings.Trim(word, separators+"_-$. ")); word != "" && !strings.ContainsAny(word, "{}") {
			return word
		}
	}
	return fmt.Sprintf("account-%d", n+1)
}

// Search is what one inference knows. It must not be used by two goroutines at once.
type Search struct {
	own    *table
	tables []*table // own and the others
	chains []chain
	runs   runs
	// ids are the shapes of items that a text tells from each other, and shapeOf the shape
	// of each item.
	ids     map[string][]string
	shapeOf map[*entry]string
	hashes  bool // digests stand in keys

	// What the items lead to is worked out once, and again after some were added.
	accounts []*kind // those of own
	spelt    map[string][]spelling
	proposed map[attribute][]*proposal
}

// attribute is one of a kind's items.
type attribute struct {
	of   *kind
	path string
}

// index takes the keys apart again, after items were added.
func (s *Search) index() {
	s.chains, s.hashes = chainsFor(s.tables)
	s.runs = runsOf(s.tables)
	s.ids, s.shapeOf = map[string][]string{}, map[*entry]string{}
	for _, t := range s.tables {
		for _, g := range t.shapes() {
			name := t.Name + "\x00" + g.hash + "\x00" + g.sort
			for _, e := range g.entries {
				s.shapeOf[e] = name
			}
			if g.kind != nil {
				for _, id := range g.kind.ids() {
					s.ids[id] = append(s.ids[id], name)
				}
			}
		}
	}
	s.accounts = kinds(s.own)
	s.spelt, s.proposed = map[string][]spelling{}, map[attribute][]*proposal{}
}

func (s *Search) schemaOf(table string) attr.Schema {
	for _, t := range s.tables {
		if t.Name == table {
			return t.Schema
		}
	}
	return attr.Schema{}
}

// mostProposals is how many proposals of an attribute are counted.
const mostProposals = 6

// rules lists the rules that the sample shows, the best of each place that locks are kept
// in and each kind of account.
func (s *Search) rules(good func(*rule) bool) []*rule {
	var all []*rule
	for _, k := range s.accounts {
		for _, path := range k.paths() {
			unique := k.unique(path)
			if strings.ContainsAny(path, "{}") || !unique && !k.uniqueWithin(path) {
				continue
			}
			inKey := k.inOwnKey(path)
			proposals := s.proposals(k, path)
			if !unique {
				proposals = slices.DeleteFunc(slices.Clone(proposals), func(p *proposal) bool { return variables(p) == 0 })
			}
			for _, p := range proposals[:min(len(proposals), mostProposals)] {
				if r := s.best(k, path, p); r != nil && good(r) && (!inKey || r.saysLock()) {
					all = append(all, r)
				}
			}
		}
	}
	return all
}

// best is the rule of a proposal with the chain that explains most, the simplest of those.
func (s *Search) best(k *kind, path string, p *proposal) *rule {
	most, explains := 0, -1
	for c := range s.chains {
		if p.chains[c] > most {
			most, explains = p.chains[c], c
		}
	}
	if explains < 0 {
		return nil
	}
	return s.rule(k, path, p, s.chains[explains])
}

// Candidate is a rule that a sample gives reason to think of, and does not show.
type Candidate struct {
	// Account is the kind of account, with the one constraint.
	Account config.Account
	// Values are those that its items hold and of which it is known whether they have such
	// a lock; Hits of them have one. Items is how many items are of the kind.
	Values, Hits, Items int
	// Why says what speaks against it; empty where nothing does, and nothing for it: of an
	// attribute that no locks keep, which may be meant to be unique.
	Why string
}

// Nearest lists the rules that came nearest to being recognised where Accounts found none,
// the best of each attribute first, and no more than most. What would take locks for
// accounts is none of them. Equal samples give equal answers.
func (s *Search) Nearest(most int) []Candidate {
	if s == nil {
		return nil
	}
	all := s.rules(func(r *rule) bool { return r.hits() > 0 && r.direction() >= 0 })
	why := map[*rule]string{}
	for _, r := range all {
		why[r] = cmp.Or(s.against(r), "too many such items belong to no account, or another rule explains them")
	}
	slices.SortStableFunc(all, func(a, b *rule) int {
		return cmp.Or(cmp.Compare(b.hits(), a.hits()), cmp.Compare(a.values, b.values), strings.Compare(a.path, b.path),
			strings.Compare(a.place(), b.place()), strings.Compare(a.kind.pk+a.kind.sk, b.kind.pk+b.kind.sk))
	})
	var found []Candidate
	seen := map[string]bool{}
	for _, r := range all {
		if seen[r.path] || len(found) == most {
			continue
		}
		seen[r.path] = true
		found = append(found, Candidate{
			Account: config.Account{
				PK:          r.kind.pk,
				SK:          r.kind.sk,
				Is:          r.kind.is,
				Constraints: []config.Constraint{r.config},
			},
			Values: r.values, Hits: r.hits(), Items: len(r.kind.entries),
			Why: why[r],
		})
	}
	for _, a := range Unlocked(s.own.Sample) {
		for _, c := range a.Constraints {
			if seen[c.Attribute] || len(found) == most {
				continue
			}
			held := 0
			for _, e := range s.own.entries {
				held += min(1, len(e.texts[c.Attribute]))
			}
			one := a
			one.Constraints = []config.Constraint{c}
			found = append(found, Candidate{Account: one, Values: held, Items: held})
		}
	}
	return found
}

// mostItems is how many items of a table are looked at.
const mostItems = 2500

// entry is an item of a sample, with what is looked at again and again.
type entry struct {
	of         *table
	item       attr.Item
	key        attr.Key
	hash, sort string
	texts      map[string][]string // by path, the key's own left out
	paths      []string            // of the texts, in order
}

// table is one of the tables that are looked at.
type table struct {
	Sample
	entries []*entry
	known   map[string]*entry // by key; nil where it is known that there is none
	asked   map[string]bool   // keys that were asked for, whether or not there is an item

	shaped []shape // the entries by their shapes, once that was asked for
}

func newTable(t Sample) *table {
	own := &table{Sample: t, known: map[string]*entry{}, asked: map[string]bool{}}
	for _, item := range t.Items {
		own.add(item)
	}
	// Equal samples give equal layouts, in whatever order they were read.
	slices.SortFunc(own.entries, func(a, b *entry) int {
		return cmp.Or(strings.Compare(a.hash, b.hash), strings.Compare(a.sort, b.sort))
	})
	own.entries = thinned(own.entries)
	return own
}

// thinned are as many of some entries as are looked at, in their order: of the commonest
// shapes fewer, and of the rare ones all, since accounts may be few among events.
func thinned(entries []*entry) []*entry {
	if len(entries) <= mostItems {
		return entries
	}
	all, left, chosen := shapes(entries), mostItems, map[*entry]bool{}
	slices.SortStableFunc(all, func(a, b shape) int { return len(a.entries) - len(b.entries) })
	for n, sh := range all {
		take := min(len(sh.entries), left/(len(all)-n))
		for m := range take {
			chosen[sh.entries[m*len(sh.entries)/take]] = true
		}
		left -= take
	}
	return slices.DeleteFunc(entries, func(e *entry) bool { return !chosen[e] })
}

// longestValue is as many bytes as a partition key may have: what is longer is a picture
// or an essay, and nobody's e-mail address.
const longestValue = 2048

// add takes an item in, if it is new.
func (t *table) add(item attr.Item) {
	k, ok := t.Schema.KeyOf(item)
	id := k.ID()
	if !ok || t.known[id] != nil || k.Hash.Value.Kind == attr.B || k.Range.Value.Kind == attr.B {
		return
	}
	e := &entry{of: t, item: item, key: k, hash: k.Hash.Value.Text, sort: k.Range.Value.Text, texts: map[string][]string{}}
	for _, path := range layout.Paths(item) {
		if t.Schema.IsKey(path) {
			continue
		}
		texts := slices.DeleteFunc(layout.Texts(item.At(path)), func(text string) bool { return len(text) > longestValue })
		if len(texts) > 0 {
			e.texts[path] = texts
		}
	}
	e.paths = sortedKeys(e.texts)
	t.entries, t.shaped = append(t.entries, e), nil
	t.known[id] = e
}

// shapes are the table's entries by what their keys have in common, each with its kind.
func (t *table) shapes() []shape {
	if t.shaped == nil {
		t.shaped = shapes(t.entries)
		for n, g := range t.shaped {
			t.shaped[n].kind = newKind(g.entries)
		}
	}
	return t.shaped
}

// has is the item under a key's id: nil where there is none, false where that is not known.
func (t *table) has(id string) (e *entry, known bool) {
	e, known = t.known[id]
	return e, known || t.Whole
}

// text is the one text of an attribute; empty where there are none, or several.
func (e *entry) text(path string) string {
	if all := e.texts[path]; len(all) == 1 {
		return all[0]
	}
	return ""
}
