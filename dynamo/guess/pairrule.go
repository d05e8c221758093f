package guess

import (
	"cmp"
	"slices"
	"strings"

	"tallylock/dynamo/layout"
)

// valuePaths lists the attributes of an account that may hold a value. A key attribute may hold it, too.
func valuePaths(e *entry) []string {
	paths := slices.Clone(e.paths)
	for _, name := range []string{e.of.Schema.HashName, e.of.Schema.RangeName} {
		if name != "" {
			paths = append(paths, name)
		}
	}
	return slices.DeleteFunc(paths, func(path string) bool { return strings.ContainsAny(path, "{}") })
}

// explainBy lists the rules in which the text raw of the account's attribute is the value in the lock's key.
func (s *Search) explainBy(k *kind, e, lock *entry, path, raw string, digests bool) (all []*rule) {
	a := account{e: e, names: k.names}
	if n := slices.Index(k.entries, e); n >= 0 {
		a.vars = k.vars[n]
	}
	for _, v := range s.spelled(raw) {
		for _, f := range s.finds(k, path, v, lock, digests) {
			for _, p := range a.forms(k, lock, f, path) {
				for _, same := range s.spellings(k, path, f.chains) {
					if r := s.taught(k, path, p, same); r != nil && (r.takes || r.claimsFor(s, e, lock)) {
						r.value = f.text
						r.measure(s)
						all = append(all, r)
					}
				}
			}
		}
	}
	return all
}

// finds lists the texts in a lock's key that may represent a spelling of a value: the spelling, or digests of words and
// the spelling.
func (s *Search) finds(k *kind, path string, v spelling, lock *entry, digests bool) (all []found) {
	in := func(text string) bool { return findRun(lock.hash, text) >= 0 || findRun(lock.sort, text) >= 0 }
	if !digests {
		if in(v.text) {
			all = append(all, found{text: v.text, name: "v", chains: v.chains})
		}
		return all
	}
	words := s.wordsOf(k, path)
	for _, w := range slices.Clone(words) {
		words = append(words, strings.ToUpper(w[:1])+strings.ToLower(w[1:]))
	}
	slices.Sort(words)
	for _, form := range digestForms(slices.Compact(words)) {
		if digest := digestOf(form, v.text); in(digest) {
			all = append(all, found{text: digest, name: "sha256:" + form, chains: v.chains})
		}
	}
	return all
}

// mostScope is the largest number of variables, besides the value, that are tried in a lock's key.
const mostScope = 4

// forms lists the forms that a lock's key may have. If the key contains other texts of the account, each of them may be
// a variable or a fixed text.
func (a account) forms(k *kind, lock *entry, f found, path string) (all []*proposal) {
	pk, sk := boundKey(lock, f)
	names := a.scopes(k, path, pk, sk)
	for chosen := range 1 << len(names) {
		p := &proposal{table: lock.of, pk: pk, sk: sk}
		for n, name := range names {
			if chosen&(1<<n) != 0 {
				p.pk, _ = bind(p.pk, name, a.text(name))
				p.sk, _ = bind(p.sk, name, a.text(name))
			}
		}
		all = append(all, p)
		long, longSort := measured(p.pk, f.text), measured(p.sk, f.text)
		if len(long) > len(p.pk) || len(longSort) > len(p.sk) {
			all = append(all, &proposal{table: lock.of, pk: long, sk: longSort})
		}
	}
	return all
}

// text returns the text of a variable of the account's key, or of an attribute.
func (a account) text(name string) string { return cmp.Or(a.vars[name], a.e.text(name)) }

// scopes lists the names of texts of an account that occur in a lock's key: variables of the account's key, and
// attributes. scopes leaves out an attribute that is the same in all accounts, since its text is a word of the layout.
func (a account) scopes(k *kind, path string, pk, sk []piece) (all []string) {
	names := []string{identity}
	for _, name := range slices.Concat(a.names, a.e.paths) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, name := range names {
		text := a.text(name)
		_, inHash := bind(pk, name, text)
		_, inSort := bind(sk, name, text)
		if !inHash && !inSort || name == path || strings.ContainsAny(name, "{}") || len(all) == mostScope ||
			a.vars[name] == "" && len(k.entries) > 1 && k.constant(name, text) {
			continue
		}
		all = append(all, name)
	}
	return all
}

func (k *kind) constant(name, text string) bool {
	return !slices.ContainsFunc(k.entries, func(e *entry) bool { return e.text(name) != text })
}

// spellings groups the chains that give equal texts for all values of an attribute. In each group, the simplest chain
// comes first.
func (s *Search) spellings(k *kind, path string, chains []int) (groups [][]chain) {
	at := map[string]int{}
	for _, c := range chains {
		var b strings.Builder
		for _, e := range k.entries {
			for _, text := range layout.Texts(e.item.At(path)) {
				b.WriteString(layout.Normalise(s.chains[c], text) + "\x00")
			}
		}
		n, met := at[b.String()]
		if !met {
			n = len(groups)
			at[b.String()], groups = n, append(groups, nil)
		}
		groups[n] = append(groups[n], s.chains[c])
	}
	return groups
}

// taught makes the rule of a pair and counts its evidence. The chains give equal texts for all values; the rule has the
// first one. taught returns nil if the rule would be invalid. If nothing distinguishes locks from accounts, the field
// takes of the rule is set: such a rule shows why the pair has no layout.
func (s *Search) taught(k *kind, path string, p *proposal, same []chain) *rule {
	r := newRule(k, path, p, same[0], s.own)
	if r.taught = true; !r.build() {
		return nil
	}
	for _, c := range same[1:] {
		r.alike = append(r.alike, c.names())
	}
	s.setApart(r)
	if s.count(r); r.takesAccounts() {
		if r.takes = !r.discriminate(); !r.takes {
			s.count(r)
		}
	}
	return r
}

// claimsFor reports whether, under this rule, the item e is an account that claims exactly the given lock.
func (r *rule) claimsFor(s *Search, e, lock *entry) bool {
	l := &layout.Layout{Accounts: []*layout.Account{r.account}}
	if l.Classify(s.own.Name, s.own.Name, s.own.Schema, e.item).Account != r.account {
		return false
	}
	role := l.Classify(s.own.Name, r.table.Name, r.table.Schema, lock.item)
	if role.Constraint != r.constraint || role.Malformed {
		return false
	}
	return slices.ContainsFunc(r.account.AppendClaimsOf(nil, r.constraint, s.own.Name, s.schemaOf, e.item),
		func(claim layout.Claim) bool { return claim.IsLock(lock.key) })
}

// measure counts the different values of the rule's accounts, and finds out whether many would share a lock.
func (r *rule) measure(s *Search) {
	claims, keys, values := 0, map[string]bool{}, map[string]bool{}
	for _, e := range r.kind.entries {
		for _, claim := range r.account.AppendClaimsOf(nil, r.constraint, s.own.Name, s.schemaOf, e.item) {
			if claim.Err == nil {
				claims++
				keys[claim.Key.ID()], values[claim.Value] = true, true
			}
		}
	}
	r.repeats, r.different = claims-len(keys) > max(1, claims/repeatedShare), len(values)
}
