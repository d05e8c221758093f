// Package guess finds accounts, and the locks of their values, in a sample of a table's items. It looks for the
// accounts' values in the keys of other items, so it does not need to know the words of the keys. It proposes nothing
// if the data is ambiguous. It reads only through a Probe. It imports only attr, layout, layout/config and phrase.
// The subpackage counters recognises counters. Start at Accounts.
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

// Probe reads the items with the given keys. If its budget runs out, it skips the remaining keys. The
// result found maps the ID of a key to its item. The result asked lists the keys that were read, with or
// without an item.
type Probe func(ctx context.Context, table string, keys []attr.Key) (found map[string]attr.Item,
	asked []attr.Key, err error)

// Accounts finds the kinds of accounts of a table and the locks of their values. The locks may be in this
// table or in another. Accounts returns only kinds of accounts whose locks the samples show. Equal samples
// give equal answers.
func Accounts(own Sample, others ...Sample) []config.Account {
	s, _ := Look(context.Background(), own, others, nil) // an error can only come from a probe
	return s.Accounts()
}

// Look searches the samples as Accounts does, for callers that also need Nearest or have a Probe. It
// returns nil if the table has binary keys. A nil Search gives neither accounts nor candidates.
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

// Accounts lists the kinds of accounts whose locks the sample shows, with their constraints.
func (s *Search) Accounts() []config.Account {
	if s == nil {
		return nil
	}
	sound := s.rules(func(r *rule) bool { return s.against(r) == "" })
	return accountsOf(s.withoutUnclaimed(s.choose(s.withoutParts(sound))), s.own.Indexes)
}

// MayHaveAccounts reports whether items of a table may be accounts with locks in another table. It looks
// for an attribute whose texts hardly repeat, since locks may keep such texts unique.
func MayHaveAccounts(own Sample) bool {
	return slices.ContainsFunc(kinds(newTable(own)), func(k *kind) bool {
		return slices.ContainsFunc(k.paths(), func(path string) bool {
			return k.entries[0].item.At(path).Kind != attr.N && k.unique(path) && !k.inOwnKey(path)
		})
	})
}

// MayKeepLocks reports whether a table's name suggests that the table keeps the locks of another table's
// accounts. The name must contain a word for locks, the word index, or the name of the accounts' table in
// the singular: member_emails for members.
func MayKeepLocks(accounts, name string) bool {
	low := strings.ToLower(name)
	if strings.Contains(low, strings.TrimSuffix(strings.ToLower(accounts), "s")) || strings.Contains(low, "index") {
		return true
	}
	return slices.ContainsFunc(lockWords, func(word string) bool { return strings.Contains(low, word) })
}

// accountsOf converts rules to the accounts of a layout config. If an attribute has an index, its
// constraint names the index.
func accountsOf(rules []*rule, indexes map[string]string) []config.Account {
	// The order of rules has no meaning. Sorting them makes equal layouts compare equal.
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
			all[n].Model = ModelOf(kinds[n].pk, kinds[n].sk, n)
		}
	}
	return all
}

func sameIs(a, b *kind) bool {
	return a.is == nil && b.is == nil || a.is != nil && b.is != nil && *a.is == *b.is
}

// ModelOf names a kind of account after the first word of its key templates. If they have no word, it returns a
// name with a number.
func ModelOf(pk, sk string, n int) string {
	for _, key := range []string{pk, sk} {
		word, _, _ := strings.Cut(key, "{")
		if word = strings.ToLower(strings.Trim(word, separators+"_-$. ")); word != "" && !strings.ContainsAny(word, "{}") {
			return word
		}
	}
	return fmt.Sprintf("account-%d", n+1)
}

// Search looks for the accounts of one table. Two goroutines must not use it at the same time.
type Search struct {
	own    *table
	tables []*table // own, and the other tables
	chains []chain
	runs   runs
	// ids maps an id to the shapes that have an item with this id. shapeOf maps each item to its
	// shape.
	ids     map[string][]string
	shapeOf map[*entry]string
	hashes  bool // keys contain digests

	// The method index resets the following fields after items were added.
	accounts []*kind // the kinds of items in own
	spelt    map[string][]spelling
	proposed map[attribute][]*proposal
}

// attribute is an attribute of the items of one kind.
type attribute struct {
	of   *kind
	path string
}

// index builds the maps of the search from the items. It must run again after items were added.
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

// mostProposals is the largest number of proposals of one attribute that become rules.
const mostProposals = 6

// rules makes a rule of each of the likeliest proposals of every attribute. It returns the rules for which the function
// good returns true.
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
				proposals = slices.DeleteFunc(slices.Clone(proposals), func(p *proposal) bool { return p.variables() == 0 })
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

// best makes the rule of a proposal. It takes the chain of normalisations that explains most pairs of
// account and lock. Of equal chains, it takes the simplest. It returns nil if no chain explains a pair.
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

// Candidate is a rule that a sample suggests but does not prove.
type Candidate struct {
	// Account is the kind of account, with one constraint.
	Account config.Account
	// Values counts the locks that the items' values should have, as far as the sample shows whether they
	// exist. Hits counts the locks that exist. Items counts the items of the kind. For a rule without
	// locks, Values and Items both count the items of the table that have the attribute.
	Values, Hits, Items int
	// Why is the objection to the rule. It is empty for a rule without locks (see Unlocked), since the data has no
	// evidence for or against such a rule.
	Why string
}

// Nearest lists rules that have some locks but may be wrong, one for each attribute. The rules with most
// locks come first, and the suggestions of Unlocked last. The parameter most limits the length of the list.
// Nearest leaves out rules that seem to take locks for accounts. Equal samples give equal answers.
func (s *Search) Nearest(most int) []Candidate {
	if s == nil {
		return nil
	}
	all := s.rules(func(r *rule) bool { return r.hits() > 0 && r.direction() >= 0 })
	why := map[*rule]string{}
	for _, r := range all {
		why[r] = cmp.Or(s.against(r), "too many such locks have no account, or another rule explains these items")
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
			Account: accountsOf([]*rule{r}, nil)[0],
			Values:  r.values, Hits: r.hits(), Items: len(r.kind.entries),
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

// mostItems is the largest number of items of a table that are examined.
const mostItems = 2500

// entry is an item of a sample, with its key and texts cached.
type entry struct {
	of         *table
	item       attr.Item
	key        attr.Key
	hash, sort string
	texts      map[string][]string // by path, without the key attributes
	paths      []string            // the sorted paths of texts
}

// table is the sample of one table, with its entries.
type table struct {
	Sample
	entries []*entry
	known   map[string]*entry // by key ID; nil if the key has no item
	asked   map[string]bool   // IDs of the keys that a probe read, with or without an item

	shaped []shape // the cache of shapes
}

func newTable(t Sample) *table {
	own := &table{Sample: t, known: map[string]*entry{}, asked: map[string]bool{}}
	for _, item := range t.Items {
		own.add(item)
	}
	own.entries = thinned(own.sorted())
	return own
}

// sorted returns the entries in the order of their keys, so that equal samples give equal layouts.
func (t *table) sorted() []*entry {
	return slices.SortedFunc(slices.Values(t.entries), func(a, b *entry) int {
		return cmp.Or(strings.Compare(a.hash, b.hash), strings.Compare(a.sort, b.sort))
	})
}

// thinned returns at most mostItems entries, in their order. It drops entries of the most frequent shapes, and keeps
// all entries of rare shapes: a table may have few accounts and many events.
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

// longestValue is the limit of a partition key, in bytes. No lock can keep a longer text.
const longestValue = 2048

// add adds an item to the entries if it is new. It ignores items with binary keys.
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

// shapes groups the table's entries by shape, and sets the kind of each group.
func (t *table) shapes() []shape {
	if t.shaped == nil {
		t.shaped = shapes(t.sorted())
		for n, g := range t.shaped {
			t.shaped[n].kind = newKind(g.entries)
		}
	}
	return t.shaped
}

// has returns the entry under a key's ID; nil if the key has no item. The result known is false if the
// sample does not show whether the key has an item.
func (t *table) has(id string) (e *entry, known bool) {
	e, known = t.known[id]
	return e, known || t.Whole
}

// text returns the text of an attribute; empty if the attribute has no text or several texts.
func (e *entry) text(path string) string {
	if all := e.texts[path]; len(all) == 1 {
		return all[0]
	}
	return ""
}
