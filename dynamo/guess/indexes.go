package guess

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
)

const (
	// fewestAgreeing is how many items have to agree before a key is taken for derived. One
	// item, or one in disagreeingShare, may have drifted.
	fewestAgreeing   = 5
	disagreeingShare = 10
)

// Derive finds the keys of indexes that accounts, and items of other kinds, make from another
// attribute: a text before
// or after it, or the attribute alone. Nearly all accounts of the sample agree with what it
// finds, and with no other attribute as well; one that hardly varies is passed over, since
// it agrees with much. Equal samples give equal answers.
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

// keyed are the kinds of the other items that have such keys.
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

// derivedKeys are the keys of indexes that items of one kind make from another attribute.
func derivedKeys(t Sample, entries []*entry) (all []*layout.Derived) {
	for _, key := range slices.Sorted(maps.Keys(t.Indexes)) {
		for _, dc := range derivedConfigs(t, entries, key) {
			if d, err := config.NewDerived(dc); err == nil {
				all = append(all, d)
			}
		}
	}
	return all
}

// derivedConfigs is how most items make the partition key of an index, and its sort key if that
// repeats it.
func derivedConfigs(t Sample, entries []*entry, key string) []config.Derived {
	var sorts []string
	for _, x := range t.Sorted {
		if x.Schema.HashName == key && !t.Schema.IsKey(x.Schema.RangeName) {
			sorts = append(sorts, x.Schema.RangeName)
		}
	}
	dc, ok := derivedOf(entries, key, sorts)
	if !ok || t.Schema.IsKey(key) {
		return nil
	}
	all := []config.Derived{dc}
	for _, sort := range sorts {
		if same, ok := derivedOf(entries, sort, []string{key}); ok && same.Template == dc.Template {
			all = append(all, same)
		}
	}
	return all
}

// derivation is a way in which a key may be made.
type derivation struct{ before, path, after string }

// derivedOf is how most items make a key. others are keys that may repeat it.
func derivedOf(accounts []*entry, key string, others []string) (config.Derived, bool) {
	counts := map[derivation]int{}
	with := map[string]int{}               // items that have the key and an attribute
	values := map[string]map[string]bool{} // of each attribute
	respelt := map[string]bool{}           // attributes that keys have in another spelling: how is not known
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
	return config.Derived{Attribute: key, Template: best.before + "{" + best.path + "}" + best.after},
		most > 0 && !equal
}

const (
	// fewestUnlocked is how many values there have to be before a rule is suggested.
	fewestUnlocked = 4
	// mostOfKind is how many of a hundred items of a kind hold such a value, and mostOnce
	// how many of a hundred values come once.
	mostOfKind = 80
	mostOnce   = 75
)

// Unlocked suggests rules without locks: an attribute with an index of its own that holds
// e-mails, hardly one of them twice, in nearly all items of one kind; or an attribute that
// the key of an index is made of, as GSI1PK is USER#{email}, with that derived key. Nothing
// in the data says that the values must be unique, so that these are suggestions alone, to be
// shown to a person: a layout is never made of them. Equal samples give equal answers.
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
		rule := config.Constraint{Name: key, Attribute: key, Unique: true, Index: t.Indexes[key]}
		of := slices.IndexFunc(all, func(k *kind) bool { return rule.Index != "" && k.holdsEmails(key) })
		var derived []config.Derived
		for n := 0; of < 0 && n < len(all); n++ {
			if dcs, path := all[n].derivedOfEmails(t, key); path != "" {
				of, derived = n, dcs
				rule = config.Constraint{Name: path, Attribute: path, Unique: true}
			}
		}
		if of >= 0 {
			found = suggest(found, all[of], rule, derived)
		}
	}
	return found
}

// suggest adds a rule to those of its kind of items, unless another index has led to it.
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

// derivedOfEmails is how most items of a kind make the keys of an index of an attribute that
// holds e-mails; path is empty if they do not.
func (k *kind) derivedOfEmails(t Sample, key string) (dcs []config.Derived, path string) {
	dcs = derivedConfigs(t, k.entries, key)
	if len(dcs) == 0 {
		return nil, ""
	}
	d, err := config.NewDerived(dcs[0])
	if err != nil || len(d.Of()) != 1 || !k.holdsEmails(d.Of()[0]) {
		return nil, ""
	}
	return dcs, d.Of()[0]
}

// UniqueByIndex suggests the rules without locks that an index shows: both of its keys are made
// of one attribute, as Auth.js's GSI1PK and GSI1SK are of an e-mail, so that a look-up gives one
// account.
func UniqueByIndex(t Sample) (all []config.Account) {
	for _, a := range Unlocked(t) {
		a.Constraints = slices.DeleteFunc(a.Constraints, func(c config.Constraint) bool { return c.Index != "" })
		if len(a.Constraints) > 0 && len(a.Derived) > 1 {
			all = append(all, a)
		}
	}
	return all
}

// NamedIndexes are the keys of indexes that items have by their names, GSI1PK and GSI1SK, in a
// table that has lost its indexes, as a copy may. The indexes have no names.
func NamedIndexes(items []attr.Item) (hashes map[string]string, sorted []attr.Index) {
	hashes = map[string]string{}
	for _, item := range items {
		for hash, v := range item {
			sort, ok := sortOfIndex(hash)
			if _, known := hashes[hash]; known || !ok || v.Kind != attr.S || item[sort].Kind != attr.S {
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

// sortOfIndex is the name of the sort key beside a partition key that is named as one of an
// index.
func sortOfIndex(hash string) (sort string, ok bool) {
	if len(hash) < len("gsipk") || !strings.EqualFold(hash[:3], "gsi") {
		return "", false
	}
	before, last := hash[:len(hash)-2], hash[len(hash)-2:]
	switch last {
	case "PK":
		return before + "SK", true
	case "pk":
		return before + "sk", true
	}
	return "", false
}

// holdsEmails reports whether nearly all items hold an e-mail under an attribute, and
// hardly two the same.
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

// isEmail reports whether a text looks like an e-mail address and nothing else: of keys
// such as USER#ada@x.io more would have to be known.
func isEmail(text string) bool {
	name, domain, ok := strings.Cut(text, "@")
	return ok && name != "" && strings.Contains(domain, ".") && !strings.ContainsAny(text, " #|/:,;<>") &&
		!strings.Contains(domain, "@")
}
