package guess

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"tallylock/dynamo/layout"
)

// The limits of the search for values in keys: the largest number of items of a kind, and the largest number of values
// of an attribute in one item.
const (
	mostAccounts = 240
	mostValues   = 6
)

// proposal is a possible form of the keys of an attribute's locks, such as EMAIL#{v}. Keys that contain
// values of accounts suggest it.
type proposal struct {
	table  *table
	pk, sk []piece
	fits   map[*entry]bool // accounts that have such a lock
	chains map[int]int     // the number of pairs of account and lock that each chain explains
}

// place returns a text that identifies the table and the form of a proposal's keys.
func (p *proposal) place() string {
	return p.table.Name + "\x00" + templateOf(p.pk) + "\x00" + templateOf(p.sk)
}

// proposals lists the possible forms of the lock keys of an attribute, the likeliest first.
func (s *Search) proposals(k *kind, path string) []*proposal {
	at := attribute{k, path}
	if all, known := s.proposed[at]; known {
		return all
	}
	seen := &pairings{proposals: map[string]*proposal{}, bound: map[string]map[string]map[string]bool{}}
	forms := s.digested(k, path)
	for _, e := range k.some(path) {
		values := e.e.texts[path]
		for _, raw := range values[:min(len(values), mostValues)] {
			for _, v := range s.spelled(raw) {
				for _, lock := range s.runs[v.text] {
					if lock == e.e || lock.of == e.e.of && k.within(e.e, lock.hash) || s.runs.isWord(v.text, s.shapeOf[lock]) {
						continue
					}
					seen.add(e, lock, found{text: v.text, name: "v", chains: v.chains}, path)
				}
				for _, form := range forms {
					digest := digestOf(form, v.text)
					for _, lock := range s.runs[digest] {
						seen.add(e, lock, found{text: digest, name: "sha256:" + form, chains: v.chains}, path)
					}
				}
			}
		}
	}
	all := slices.Collect(maps.Values(seen.proposals))
	all = append(all, seen.withConstants()...)
	slices.SortFunc(all, func(a, b *proposal) int {
		return cmp.Or(cmp.Compare(len(b.fits), len(a.fits)), cmp.Compare(a.variables(), b.variables()),
			strings.Compare(a.place(), b.place()))
	})
	all = slices.CompactFunc(all, func(a, b *proposal) bool { return a.place() == b.place() })
	s.proposed[at] = all
	return all
}

// fewestOfWord is the minimum number of keys that must contain a text before the text counts as a
// word of the layout.
const fewestOfWord = 3

// isWord reports whether a text is a word of the layout in keys of a shape. Such a text is not a value: LOCATION#{id}
// does not keep the value LOCATION, even if an item has the type Location.
func (r runs) isWord(text, shape string) bool {
	return len(r[text]) >= fewestOfWord && slices.Contains(strings.FieldsFunc(shape,
		func(c rune) bool { return c == 0 || strings.ContainsRune(separators, c) }), text)
}

// account is an entry with the texts of its kind's variables.
type account struct {
	e     *entry
	vars  map[string]string
	names []string // the sorted names of the variables
}

// some lists the items of a kind that have an attribute. If there are more than mostAccounts, it takes an
// evenly spread selection.
func (k *kind) some(path string) []account {
	var all []account
	for n, e := range k.entries {
		if len(e.texts[path]) > 0 {
			all = append(all, account{e, k.vars[n], k.names})
		}
	}
	return spread(all, mostAccounts)
}

// spelling is one form of a value, with the chains that produce this form.
type spelling struct {
	text   string
	chains []int
}

// spelled returns the forms of a value that the chains produce.
func (s *Search) spelled(raw string) []spelling {
	texts, known := s.spelt[raw]
	if known {
		return texts
	}
	for c, chain := range s.chains {
		v := layout.Normalise(chain, raw)
		n := slices.IndexFunc(texts, func(t spelling) bool { return t.text == v })
		switch {
		case v == "":
		case n < 0:
			texts = append(texts, spelling{v, []int{c}})
		default:
			texts[n].chains = append(texts[n].chains, c)
		}
	}
	s.spelt[raw] = texts
	return texts
}

// found is the text in a lock's key that represents a value. It is a spelling of the value or a digest. The
// name is v or the digest's form, and chains has the indexes of the chains that give the text.
type found struct {
	text, name string
	chains     []int
}

// pairings collects the proposals that pairs of an account and a lock suggest.
type pairings struct {
	proposals map[string]*proposal
	// bound has the texts that each variable of a proposal replaced, by the proposal's place and the
	// variable's name.
	bound map[string]map[string]map[string]bool
}

// boundKey returns the pieces of a lock's key, with a variable for the value. sk is nil if the table has no sort key.
func boundKey(lock *entry, f found) (pk, sk []piece) {
	pk, _ = bind([]piece{{literal: lock.hash}}, f.name, f.text)
	switch {
	case lock.of.Schema.RangeName == "":
	case lock.sort == lock.hash:
		sk = []piece{{name: "pk"}}
	default:
		sk, _ = bind([]piece{{literal: lock.sort}}, f.name, f.text)
	}
	return pk, sk
}

// add records a lock whose key contains an account's value. It adds up to three proposals. The first is the
// lock's key with a variable for the value. The second also has a variable for the value's length. The
// third also has variables for other texts of the account.
func (all *pairings) add(a account, lock *entry, f found, path string) {
	pk, sk := boundKey(lock, f)
	all.take(&proposal{table: lock.of, pk: pk, sk: sk}, a, f, nil)
	if wide, wideSort := measured(pk, f.text), measured(sk, f.text); len(wide) > len(pk) || len(wideSort) > len(sk) {
		pk, sk = wide, wideSort
		all.take(&proposal{table: lock.of, pk: pk, sk: sk}, a, f, nil)
	}
	bound := map[string]string{}
	wide, wideSort := a.scoped(pk, path, bound), a.scoped(sk, path, bound)
	if len(bound) > 0 {
		all.take(&proposal{table: lock.of, pk: wide, sk: wideSort}, a, f, bound)
	}
}

// take counts a pair of an account and a lock for a proposal. The parameter bound has the texts that the
// proposal's variables replaced.
func (all *pairings) take(p *proposal, a account, f found, bound map[string]string) {
	id := p.place()
	if all.proposals[id] == nil {
		p.fits, p.chains = map[*entry]bool{}, map[int]int{}
		all.proposals[id], all.bound[id] = p, map[string]map[string]bool{}
	}
	p = all.proposals[id]
	p.fits[a.e] = true
	for _, c := range f.chains {
		p.chains[c]++
	}
	for name, text := range bound {
		if all.bound[id][name] == nil {
			all.bound[id][name] = map[string]bool{}
		}
		all.bound[id][name][text] = true
	}
}

// scoped replaces texts in a lock's key by variables if the account has the same texts in its key or
// attributes. It adds the replaced texts to bound.
func (a account) scoped(key []piece, path string, bound map[string]string) []piece {
	replace := func(name, text string) {
		wide, found := bind(key, name, text)
		if found && !strings.ContainsAny(name, "{}") {
			key, bound[name] = wide, text
		}
	}
	replace(identity, a.vars[identity])
	for _, name := range a.names {
		if name != identity {
			replace(name, a.vars[name])
		}
	}
	for _, name := range a.e.paths {
		if name != path && a.vars[name] == "" {
			replace(name, a.e.text(name))
		}
	}
	return key
}

// withConstants lists narrower proposals. If a variable of a proposal replaced the same text in all locks,
// the narrower proposal keeps the text.
func (all *pairings) withConstants() []*proposal {
	out := map[string]*proposal{}
	for _, id := range sortedKeys(all.proposals) {
		p := all.proposals[id]
		if len(all.bound[id]) == 0 || len(p.fits) < 2 {
			continue
		}
		narrow := *p
		for name, texts := range all.bound[id] {
			if len(texts) == 1 {
				for text := range texts {
					narrow.pk, narrow.sk = unbind(narrow.pk, name, text), unbind(narrow.sk, name, text)
				}
			}
		}
		key := narrow.place()
		if all.proposals[key] != nil || out[key] != nil && len(out[key].fits) >= len(narrow.fits) {
			continue
		}
		out[key] = &narrow
	}
	return slices.Collect(maps.Values(out))
}

// variables counts the variables of a proposal besides the value.
func (p *proposal) variables() (n int) {
	for _, one := range slices.Concat(p.pk, p.sk) {
		if one.variable() && one.name != "v" && one.name != "pk" {
			n++
		}
	}
	return n
}

// chain lists the normalisations that an application applies to a value before it locks the value.
type chain []layout.Normaliser

// names returns the chain as a config has it.
func (c chain) names() (names []string) {
	for _, step := range c {
		names = append(names, string(step))
	}
	return names
}

// plainChains are the chains that leave a value readable, the simplest first. If two chains explain equally
// many locks, best takes the earlier one.
var plainChains = []chain{
	nil,
	{"lower"},
	{"trim"},
	{"trim", "lower"},
	{"nfc"},
	{"nfc", "lower"},
	{"nfkc"},
	{"nfkc", "lower"},
	{"trim", "nfkc", "lower"},
	{"upper"},
}

// spellingSteps are the chains that may come before a digest or an encoding.
var spellingSteps = []chain{nil, {"lower"}, {"trim"}, {"trim", "lower"}, {"nfkc", "lower"}}

// chainsFor lists the chains that are worth trying with the keys of the tables, and reports whether
// the keys may contain digests.
func chainsFor(tables []*table) (chains []chain, digests bool) {
	all := plainChains
	with := func(step layout.Normaliser) {
		for _, b := range spellingSteps {
			all = append(all, append(slices.Clip(b), step))
		}
	}
	var digest, percent, base64, url, escaped bool
	for _, t := range tables {
		for _, e := range t.entries {
			for _, key := range []string{e.hash, e.sort} {
				escaped = escaped || strings.Contains(key, `\#`)
				percent = percent || strings.Contains(key, "%")
				for _, part := range strings.FieldsFunc(key, func(r rune) bool { return strings.ContainsRune(separators+"_", r) }) {
					digest = digest || hexDigest(part)
					base64 = base64 || len(part) >= 8 && len(part)%4 == 0
					url = url || len(part) >= 8
				}
			}
		}
	}
	if digest {
		with("sha256")
	}
	if percent {
		with("percent")
	}
	if base64 {
		with("base64")
	}
	if url {
		with("base64url")
	}
	if escaped {
		all = append(all, chain{"dynamoflow"})
	}
	return all, digest
}

// hexDigest reports whether a text may be a SHA-256 in hexadecimal digits.
func hexDigest(s string) bool {
	return len(s) == 64 && strings.Trim(s, "0123456789abcdef") == ""
}
