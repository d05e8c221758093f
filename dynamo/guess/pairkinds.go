package guess

import (
	"slices"
	"strings"

	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
)

// kindsOf lists the kinds of items that the account of a lock may belong to.
func (s *Search) kindsOf(account, lock *entry) (all []*kind) {
	for _, k := range s.accounts {
		if slices.Contains(k.entries, account) {
			all = append(all, k)
			if wider := s.own.widened(k, account); wider != nil {
				all = append(all, wider)
			}
			if bare := s.own.bareIDs(k, account, lock); bare != nil {
				all = append(all, bare)
			}
		}
	}
	if len(all) == 0 {
		all = s.own.kindsByPart(account)
	}
	for n, k := range all {
		all[n] = k.thinnedFor(account)
	}
	return all
}

// widened returns a wider kind: in its key templates, variables replace the texts that the account's attributes have,
// too. A part of a key that looks like a word may be the name of a tenant. widened returns nil if the wider kind does
// not have more items.
func (t *table) widened(k *kind, account *entry) *kind {
	pk, sk := piecesOf(k.pk), piecesOf(k.sk)
	var names []string
	for _, name := range account.paths {
		text := account.text(name)
		if text == "" || strings.ContainsAny(name, "{}.") || slices.Contains(k.names, name) {
			continue
		}
		hash, inHash := bind(pk, name, text)
		sort, inSort := bind(sk, name, text)
		if inHash || inSort {
			pk, sk, names = hash, sort, append(names, name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	wider := t.kindBy(templateOf(pk), templateOf(sk), append(names, k.names...))
	if wider == nil || len(wider.entries) <= len(k.entries) {
		return nil
	}
	wider.merged, wider.is = true, k.is
	return wider
}

// bareIDs returns the kind whose whole partition key is the id: in a template such as ada-{id}, the word may be the
// first word of an id. This shows if other items have the account's attributes, but another first word. bareIDs
// returns nil if nothing shows it, or if the lock has the id without the word.
func (t *table) bareIDs(k *kind, account, lock *entry) *kind {
	word, rest, _ := strings.Cut(k.pk, "{"+identity+"}")
	id, fits := strings.CutPrefix(account.hash, word)
	names := slices.ContainsFunc(lock.paths, func(path string) bool { return lock.text(path) == id })
	if word == "" || rest != "" || !fits || names || strings.ContainsAny(word, layout.ShapeSeparators+"{") {
		return nil
	}
	bare := t.kindBy("{"+identity+"}", k.sk, []string{identity})
	if bare == nil || !slices.ContainsFunc(bare.entries, func(e *entry) bool {
		return !strings.HasPrefix(e.hash, word) && !slices.ContainsFunc(account.paths, func(path string) bool {
			return !slices.Contains(e.paths, path)
		})
	}) {
		return nil
	}
	bare.is = k.is
	return bare
}

// piecesOf returns the pieces of a template.
func piecesOf(template string) (all []piece) {
	parsed, err := layout.ParseTemplate(template)
	if err != nil {
		return nil // unreachable: a kind's templates are valid
	}
	for _, p := range parsed.Pieces() {
		all = append(all, piece{literal: p.Literal, name: p.Variable})
	}
	return all
}

// thinnedFor returns the kind with at most mostAccounts of its entries, one of which is the account.
func (k *kind) thinnedFor(account *entry) *kind {
	if len(k.entries) <= mostAccounts {
		return k
	}
	less := *k
	less.entries, less.vars = nil, nil
	for n, e := range k.entries {
		if e == account || n%(len(k.entries)/mostAccounts+1) == 0 {
			less.entries, less.vars = append(less.entries, e), append(less.vars, k.vars[n])
		}
	}
	return &less
}

// kindsByPart makes kinds for an item whose key alone does not show which part is the id. In each kind, another part of
// the key is the id.
func (t *table) kindsByPart(account *entry) (all []*kind) {
	sort := layout.Literal(account.sort)
	if account.sort == account.hash && t.Schema.RangeName != "" {
		sort = "{pk}"
	}
	try := func(pk, sk string) {
		if k := t.kindBy(pk, sk, []string{identity}); k != nil {
			all = append(all, k)
		}
	}
	try(lastPart(account.hash), sort)
	if t.Schema.RangeName != "" && account.sort != account.hash {
		try(layout.Literal(account.hash), lastPart(account.sort))
	}
	return all
}

// kindBy returns the kind of the items whose keys have the templates; nil if there are none.
func (t *table) kindBy(pk, sk string, names []string) *kind {
	l, err := config.Layout{Name: "inferred", Accounts: []config.Account{{PK: pk, SK: sk}}}.Build()
	if err != nil {
		return nil
	}
	k := &kind{pk: pk, sk: sk, names: slices.Sorted(slices.Values(names))}
	for _, e := range t.sorted() {
		if id, ok := l.Accounts[0].Matches(t.Schema, e.item); ok {
			vars, _ := l.Accounts[0].Variables(t.Schema, e.key)
			if vars == nil {
				vars = map[string]string{}
			}
			vars[identity] = id
			k.entries, k.vars = append(k.entries, e), append(k.vars, vars)
		}
	}
	if len(k.entries) == 0 {
		return nil
	}
	k.look = profileOf(k.ids())
	return k
}

// lastPart returns the template of a key whose last part is the id.
func lastPart(key string) string {
	at := strings.LastIndexAny(key, separators) + 1
	return layout.Literal(key[:at]) + "{" + identity + "}"
}
