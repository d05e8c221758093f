package guess

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"tallylock/dynamo/layout/config"
)

// kind is a group of similar items that may be accounts.
type kind struct {
	pk, sk  string // templates of the items' keys
	is      *config.Discriminator
	entries []*entry
	vars    []map[string]string // the texts of the variables, one map for each entry
	names   []string            // the sorted names of these variables
	look    profile             // the profile of the ids
	merged  bool                // the entries have several shapes that differ in one word
	divided *kind               // the kind that an attribute has divided, if this kind is a part of it
}

// identity is the name of the variable for an account's id.
const identity = "id"

// kinds lists the kinds of items of a table that may be accounts. Each shape makes a kind. Shapes that
// differ only in one word, such as a tenant's name, also make a kind together. An attribute such as type
// may divide a kind into further kinds.
func kinds(t *table) []*kind {
	var all []*kind
	add := func(k *kind, merged bool) {
		if k == nil || !k.holdsTexts() {
			return
		}
		k.merged = merged
		all = append(append(all, k), k.byDiscriminator()...)
	}
	groups := t.shapes()
	for _, group := range groups {
		add(group.kind, false)
	}
	for _, group := range mergedShapes(groups) {
		add(newKind(group), true)
	}
	return all
}

func (k *kind) holdsTexts() bool {
	return slices.ContainsFunc(k.entries, func(e *entry) bool { return len(e.texts) > 0 })
}

// newKind makes a kind of some items and infers the templates of their keys. It returns nil if the keys
// have no variables, or more than six.
func newKind(entries []*entry) *kind {
	k := &kind{entries: entries}
	hash := make([]string, len(entries))
	sort := make([]string, len(entries))
	repeated := true
	for n, e := range entries {
		hash[n], sort[n] = e.hash, e.sort
		repeated = repeated && e.sort == e.hash
	}
	pk := pieces(hash)
	var sk []piece
	ranged := entries[0].of.Schema.RangeName != ""
	if ranged && !repeated {
		sk = pieces(sort)
	}
	if !name(entries, pk, sk) {
		return nil
	}
	k.pk, k.sk = templateOf(pk), templateOf(sk)
	if ranged && repeated {
		k.sk = "{pk}"
	}
	variables := slices.DeleteFunc(slices.Concat(pk, sk), func(p piece) bool { return !p.variable() })
	k.vars = make([]map[string]string, len(entries))
	for n := range entries {
		k.vars[n] = make(map[string]string, len(variables))
		for _, p := range variables {
			k.vars[n][p.name] = p.texts[n]
		}
	}
	k.names = sortedKeys(k.vars[0])
	k.look = profileOf(k.ids())
	return k
}

// name gives names to the variables of keys. The variable with the most different texts is the id, and so is a variable
// with the same texts. Any other variable gets the name of an attribute with the same texts, or a name such as k2. name
// reports false if there are no variables, or more than six.
func name(entries []*entry, pk, sk []piece) bool {
	var all []*piece
	for _, pieces := range [][]piece{pk, sk} {
		for n := range pieces {
			if pieces[n].variable() {
				all = append(all, &pieces[n])
			}
		}
	}
	if len(all) == 0 || len(all) > 6 {
		return false
	}
	id := mostDifferent(all)
	id.name = identity
	used := map[string]bool{identity: true, "v": true, "pk": true}
	for n, p := range all {
		if p == id {
			continue
		}
		if slices.Equal(p.texts, id.texts) {
			p.name = identity
			continue
		}
		if p.name = attributeOf(entries, p.texts); p.name == "" || used[p.name] {
			p.name = fmt.Sprintf("k%d", n+1)
		}
		used[p.name] = true
	}
	return true
}

// attributeOf finds the attributes that hold a variable's text in every item, and returns the shortest
// name. The parameter texts has the variable's text in each item. The result is empty if there is no such
// attribute.
func attributeOf(entries []*entry, texts []string) string {
	var fits []string
	for path := range entries[0].texts {
		if strings.ContainsAny(path, "{}.") {
			continue
		}
		n := 0
		for n < len(entries) && entries[n].text(path) == texts[n] {
			n++
		}
		if n == len(entries) {
			fits = append(fits, path)
		}
	}
	if len(fits) == 0 {
		return ""
	}
	return slices.MinFunc(fits, func(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) })
}

// byDiscriminator divides a kind by each attribute with few values, such as type. It returns a kind for
// each value that several items have.
func (k *kind) byDiscriminator() []*kind {
	if len(k.entries) < 4 {
		return nil
	}
	counts := map[string]map[string][]int{} // indexes into entries, by attribute and text
	for n, e := range k.entries {
		for path := range e.texts {
			if v := e.text(path); v != "" {
				if counts[path] == nil {
					counts[path] = map[string][]int{}
				}
				counts[path][v] = append(counts[path][v], n)
			}
		}
	}
	var all []*kind
	for _, path := range sortedKeys(counts) {
		values := counts[path]
		held := 0
		for _, of := range values {
			held += len(of)
		}
		if len(values) < 2 || len(values) > 8 || 10*held < 9*len(k.entries) || 2*len(values) > held ||
			strings.ContainsAny(path, "{}") {
			continue
		}
		for _, v := range sortedKeys(values) {
			if len(values[v]) < 2 {
				continue
			}
			var entries []*entry
			var vars []map[string]string
			for _, n := range values[v] {
				entries, vars = append(entries, k.entries[n]), append(vars, k.vars[n])
			}
			if sub := newKind(entries); sub != nil {
				sub.pk, sub.sk, sub.is = k.pk, k.sk, &config.Discriminator{Attribute: path, Value: v}
				sub.vars, sub.names, sub.divided = vars, k.names, k
				all = append(all, sub)
			}
		}
	}
	return all
}

// mergedShapes joins the entries of shapes that differ only in one word of the partition key. For example, if the keys
// contain the tenant's name, the accounts of each tenant have a separate shape.
func mergedShapes(groups []shape) [][]*entry {
	byRest := map[string][]shape{}
	for _, g := range groups {
		words := strings.FieldsFunc(g.hash, func(r rune) bool { return strings.ContainsRune(separators, r) })
		for n, word := range words {
			if word == "*" {
				continue
			}
			rest := slices.Clone(words)
			rest[n] = "?"
			if !slices.ContainsFunc(rest, func(w string) bool { return w != "?" && w != "*" }) {
				continue // the remaining parts have no word that describes the items
			}
			id := strings.Join(rest, "\x00") + "\x01" + g.sort
			byRest[id] = append(byRest[id], g)
		}
	}
	var out [][]*entry
	for _, rest := range sortedKeys(byRest) {
		if len(byRest[rest]) < 2 {
			continue
		}
		var all []*entry
		for _, g := range byRest[rest] {
			all = append(all, g.entries...)
		}
		out = append(out, all)
	}
	return out
}

// inOwnKey reports whether most texts of an attribute also occur in the key of their own item. The key
// already makes such a text unique. Other items with the text in their keys are mostly parts of the account
// and not locks. An exception is a handle that is also the id: its locks count if they have a word for
// locks.
func (k *kind) inOwnKey(path string) bool {
	held, inKey := 0, 0
	for _, e := range k.entries {
		for _, text := range e.texts[path] {
			held++
			if findRun(e.hash, text) >= 0 || findRun(e.sort, text) >= 0 {
				inKey++
			}
		}
	}
	return 2*inKey > held
}

// unique reports whether the values of an attribute hardly repeat.
func (k *kind) unique(path string) bool {
	all, different := 0, map[string]bool{}
	for _, e := range k.entries {
		for _, text := range e.texts[path] {
			all++
			different[text] = true
		}
	}
	return all > 0 && all-len(different) <= max(1, all/5)
}

// fewestInScope is the minimum average number of items in a scope. With fewer items, values are
// unique in their scope by chance: a day may have one order.
const fewestInScope = 4

// uniqueWithin reports whether the values of an attribute hardly repeat within a scope. A scope is
// another attribute, or a variable of the keys, with few different texts.
func (k *kind) uniqueWithin(path string) bool {
	of := func(n int, scope string) string {
		if text := k.vars[n][scope]; text != "" {
			return text
		}
		return k.entries[n].text(scope)
	}
	return slices.ContainsFunc(append(k.paths(), k.names...), func(scope string) bool {
		few, all, different := map[string]bool{}, 0, map[string]bool{}
		for n, e := range k.entries {
			if few[of(n, scope)] = true; scope == path || scope == identity || fewestInScope*len(few) > len(k.entries) {
				return false
			}
			for _, text := range e.texts[path] {
				all++
				different[of(n, scope)+"\x00"+text] = true
			}
		}
		return all > 0 && all-len(different) <= max(1, all/repeatedShare)
	})
}

// paths lists the attributes of a kind's items, the most frequent first.
func (k *kind) paths() []string {
	counts := map[string]int{}
	for _, e := range k.entries {
		for path := range e.texts {
			counts[path]++
		}
	}
	return slices.SortedFunc(slices.Values(sortedKeys(counts)), func(a, b string) int {
		return cmp.Or(counts[b]-counts[a], strings.Compare(a, b))
	})
}

// within reports whether a partition key is the partition key of the item e, and contains the item's id. Items under
// this key are parts of the account and not locks.
func (k *kind) within(e *entry, hash string) bool {
	return hash == e.hash && strings.Contains(k.pk, "{"+identity+"}")
}
