package infer

import (
	"maps"
	"slices"
	"strings"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
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
func Derive(t layout.Sample, l *layout.Layout) {
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
func keyed(t layout.Sample, l *layout.Layout, entries []*entry) (all []*layout.Account) {
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
		one, err := layout.Config{Name: t.Name, Accounts: []layout.AccountConfig{{PK: k.pk, SK: k.sk}}}.Build()
		if err != nil {
			continue
		}
		one.Accounts[0].Derived = derived
		all = append(all, one.Accounts[0])
	}
	return all
}

// derivedKeys are the keys of indexes that items of one kind make from another attribute.
func derivedKeys(t layout.Sample, entries []*entry) (all []*layout.Derived) {
	for _, key := range slices.Sorted(maps.Keys(t.Indexes)) {
		for _, dc := range derivedConfigs(t, entries, key) {
			if d, err := layout.NewDerived(dc); err == nil {
				all = append(all, d)
			}
		}
	}
	return all
}

// derivedConfigs is how most items make the partition key of an index, and its sort key if that
// repeats it.
func derivedConfigs(t layout.Sample, entries []*entry, key string) []layout.DerivedConfig {
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
	all := []layout.DerivedConfig{dc}
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
func derivedOf(accounts []*entry, key string, others []string) (layout.DerivedConfig, bool) {
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
	return layout.DerivedConfig{Attribute: key, Template: best.before + "{" + best.path + "}" + best.after},
		most > 0 && !equal
}
