package guess

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
)

const (
	// fewestAgreeing is the number of items that must agree before a key counts as derived. One
	// item, or one in disagreeingShare, may have drifted.
	fewestAgreeing   = 5
	disagreeingShare = 10
)

// Derive finds index keys that items build from another attribute: from the attribute alone, or
// with a text before or after it. It sets Derived of the layout's accounts, and the layout's Keyed
// for items of other kinds. Nearly all items of a kind must build the key in the same way, and from
// no second attribute as well. Derive skips attributes that hardly vary, since many keys contain
// their values by chance. Equal samples give equal answers.
func Derive(t Sample, l *layout.Layout) {
	entries := newTable(t).entries
	for _, a := range l.Accounts {
		var accounts []*entry
		for _, e := range entries {
			if l.KindOf(t.Schema, e.item) == a {
				accounts = append(accounts, e)
			}
		}
		a.Derived = derivedKeys(t, accounts)
	}
	l.Keyed = keyed(t, l, entries)
}

// keyed lists the kinds of items, other than accounts and counters, that have derived index keys.
func keyed(t Sample, l *layout.Layout, entries []*entry) (all []*layout.Account) {
	others := slices.DeleteFunc(slices.Clone(entries), func(e *entry) bool {
		role := l.Classify(t.Name, t.Name, t.Schema, e.item)
		return role.Account != nil || role.Counter != nil
	})
	for _, sh := range shapes(others) {
		k := newKind(sh.entries)
		derived := derivedKeys(t, sh.entries)
		if k == nil || len(derived) == 0 {
			continue
		}
		one, err := config.Layout{Name: t.Name, Accounts: []config.Account{{PK: k.pk, SK: k.sk}}}.Build()
		if err != nil {
			continue
		}
		one.Accounts[0].Derived = derived
		all = append(all, one.Accounts[0])
	}
	return all
}

// derivedKeys lists the index keys that items of one kind build from another attribute.
func derivedKeys(t Sample, entries []*entry) (all []*layout.Derived) {
	for _, key := range slices.Sorted(maps.Keys(t.Indexes)) {
		configs, _ := derivedConfigs(t, entries, key)
		for _, dc := range configs {
			if d, err := config.NewDerived(dc); err == nil {
				all = append(all, d)
			}
		}
	}
	return all
}

// derivedConfigs returns the form in which most items build the partition key of an index, and the
// attribute from which they build it; empty if there is none. It adds the form of the sort key if
// both have the same template.
func derivedConfigs(t Sample, entries []*entry, key string) (all []config.Derived, path string) {
	var sorts []string
	for _, x := range t.Sorted {
		if x.Schema.HashName == key && !t.Schema.IsKey(x.Schema.RangeName) {
			sorts = append(sorts, x.Schema.RangeName)
		}
	}
	dc, path := derivedOf(entries, key, sorts)
	if path == "" || t.Schema.IsKey(key) {
		return nil, ""
	}
	all = []config.Derived{dc}
	for _, sort := range sorts {
		if same, of := derivedOf(entries, sort, []string{key}); of != "" && same.Template == dc.Template {
			all = append(all, same)
		}
	}
	return all, path
}

// derivation is the form of a key: a text, an attribute and a text.
type derivation struct{ before, path, after string }

// derivedOf returns the form in which most items build a key, and the attribute from which they
// build it; empty if there is none. The parameter others lists keys that may repeat this key.
func derivedOf(accounts []*entry, key string, others []string) (form config.Derived, path string) {
	counts := map[derivation]int{}
	with := map[string]int{}               // items that have both the key and the attribute
	values := map[string]map[string]bool{} // the different values of each attribute
	respelt := map[string]bool{}           // attributes that keys contain in another spelling
	for _, e := range accounts {
		made := e.text(key)
		if made == "" {
			continue
		}
		for path := range e.texts {
			v := e.text(path)
			if path == key || slices.Contains(others, path) ||
				len(v) < 3 || strings.ContainsAny(path, "{}") || e.item.At(path).Kind != attr.S {
				continue
			}
			with[path]++
			if values[path] == nil {
				values[path] = map[string]bool{}
			}
			values[path][v] = true
			if before, after, ok := strings.Cut(made, v); ok && !strings.ContainsAny(before+after, "{}") {
				counts[derivation{before, path, after}]++
			} else if strings.Contains(layout.Fold(made), layout.Fold(v)) {
				respelt[path] = true
			}
		}
	}
	best, most, equal := derivation{}, 0, false
	for d, n := range counts {
		if n < fewestAgreeing || respelt[d.path] || with[d.path]-n > max(1, with[d.path]/disagreeingShare) ||
			2*len(values[d.path]) <= with[d.path] ||
			n < most {
			continue
		}
		best, most, equal = d, n, n == most
	}
	if equal {
		return form, ""
	}
	return config.Derived{Attribute: key, Template: best.before + "{" + best.path + "}" + best.after}, best.path
}

const (
	// fewestUnlocked is the minimum number of e-mails that a suggested rule needs.
	fewestUnlocked = 4
	// mostOfKind is the minimum percentage of a kind's items that hold an e-mail. mostOnce is the
	// minimum percentage of different e-mails among these.
	mostOfKind = 80
	mostOnce   = 75
)

// Unlocked suggests rules without locks. The attribute of a rule holds e-mails in nearly all items
// of one kind, and hardly an e-mail occurs twice. In addition, the attribute has an index, or the
// key of an index is built from it, as GSI1PK is USER#{email}. In the second case, the account has
// this derived key. Nothing in the data says that the values must be unique, so a person must
// review the suggestions. They never become a layout by themselves. Equal samples give equal
// answers.
func Unlocked(t Sample) []config.Account {
	all := kinds(newTable(t))
	slices.SortFunc(all, func(a, b *kind) int {
		return cmp.Or(len(b.entries)-len(a.entries), strings.Compare(a.pk, b.pk), strings.Compare(a.sk, b.sk))
	})
	var found []config.Account
	for _, key := range slices.Sorted(maps.Keys(t.Indexes)) {
		if t.Schema.IsKey(key) {
			continue
		}
		of := slices.IndexFunc(all, func(k *kind) bool { return t.Indexes[key] != "" && k.holdsEmails(key) })
		if of >= 0 {
			rule := config.Constraint{Name: key, Attribute: key, Unique: true, Index: t.Indexes[key]}
			found = suggest(found, all[of], rule, nil)
			continue
		}
		for _, k := range all {
			if derived, path := derivedConfigs(t, k.entries, key); path != "" && k.holdsEmails(path) {
				found = suggest(found, k, config.Constraint{Name: path, Attribute: path, Unique: true}, derived)
				break
			}
		}
	}
	return found
}

// suggest adds a rule to the account of its kind, unless another index led to a rule of the same
// attribute.
func suggest(
	found []config.Account, of *kind, rule config.Constraint, derived []config.Derived,
) []config.Account {
	n := slices.IndexFunc(found, func(a config.Account) bool { return a.PK == of.pk && a.SK == of.sk })
	if n < 0 {
		n, found = len(found), append(found, config.Account{PK: of.pk, SK: of.sk, Is: of.is})
	}
	a := &found[n]
	a.Derived = append(a.Derived, derived...)
	if !slices.ContainsFunc(a.Constraints, func(c config.Constraint) bool { return c.Attribute == rule.Attribute }) {
		a.Constraints = append(a.Constraints, rule)
	}
	return found
}

// UniqueByIndex suggests rules without locks for attributes from which both keys of an index are
// built. Auth.js builds GSI1PK and GSI1SK from an e-mail, so that a look-up gives one account.
func UniqueByIndex(t Sample) (all []config.Account) {
	for _, a := range Unlocked(t) {
		a.Constraints = slices.DeleteFunc(a.Constraints, func(c config.Constraint) bool { return c.Index != "" })
		if len(a.Constraints) > 0 && len(a.Derived) > 1 {
			all = append(all, a)
		}
	}
	return all
}

// NamedIndexes finds the keys of indexes by attribute names such as GSI1PK and GSI1SK. It is meant
// for a table that has lost its indexes, as a copy may. The returned indexes have no names.
func NamedIndexes(items []attr.Item) (hashes map[string]string, sorted []attr.Index) {
	hashes = map[string]string{}
	for _, item := range items {
		for hash, v := range item {
			sort := sortOfIndex.Replace(hash)
			if _, known := hashes[hash]; known || !indexKey.MatchString(hash) || v.Kind != attr.S || item[sort].Kind != attr.S {
				continue
			}
			hashes[hash] = ""
			sorted = append(sorted, attr.Index{Schema: attr.Schema{
				HashName: hash, HashKind: attr.S, RangeName: sort, RangeKind: attr.S,
			}})
		}
	}
	slices.SortFunc(sorted, func(a, b attr.Index) int { return strings.Compare(a.Schema.HashName, b.Schema.HashName) })
	return hashes, sorted
}

// indexKey matches the name of the partition key of an index. sortOfIndex turns this name into the
// name of the sort key.
var (
	indexKey    = regexp.MustCompile(`^(?i:gsi).*(PK|pk)$`)
	sortOfIndex = strings.NewReplacer("PK", "SK", "pk", "sk")
)

// holdsEmails reports whether nearly all items hold an e-mail under an attribute, and hardly two
// items hold the same e-mail.
func (k *kind) holdsEmails(attribute string) bool {
	held := 0
	once := map[string]bool{}
	for _, e := range k.entries {
		if v := e.text(attribute); isEmail(v) {
			held++
			once[strings.ToLower(v)] = true
		}
	}
	return held >= fewestUnlocked && 100*held >= mostOfKind*len(k.entries) && 100*len(once) >= mostOnce*held
}

// isEmail reports whether a text looks like an e-mail address and nothing else. It rejects keys
// such as USER#ada@x.io, whose form is unknown.
func isEmail(text string) bool {
	name, domain, ok := strings.Cut(text, "@")
	return ok && name != "" && strings.Contains(domain, ".") && !strings.ContainsAny(text, " #|/:,;<>") &&
		!strings.Contains(domain, "@")
}
