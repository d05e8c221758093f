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
	// fewestAgreeing is the minimum number of items that must build a key in the same way before the key
	// counts as derived. One item, or one in disagreeingShare items, may differ, since its key may be
	// stale.
	fewestAgreeing   = 5
	disagreeingShare = 10
)

// Derive finds index keys that items build from another attribute, for example a GSI1PK of the form USER#{email}. Such
// a key is the attribute's value, or the value with a text before or after it. Derive sets Derived of the layout's
// accounts. For items of other kinds, it sets Keyed of the layout. Nearly all items of a kind must build the key in the
// same way. If two attributes fit equally well, Derive leaves the key out. It also skips attributes that hardly vary,
// since many keys contain their values by chance. Equal samples give equal answers.
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

// derivedConfigs finds the attribute from which most items build key, the partition key of an index. It
// returns the form of the key and the path of the attribute; path is empty if there is no such attribute.
// It adds the form of the sort key if both keys of the index have the same template.
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

// derivation is the form of a derived key: the value of an attribute, with a text before and after it.
type derivation struct{ before, path, after string }

// derivedOf finds the attribute from which most items build a key. It returns the form of the key and the
// path of the attribute; path is empty if there is no such attribute, or if two fit equally well. The
// parameter others lists attributes to skip, since they may only repeat the key.
func derivedOf(accounts []*entry, key string, others []string) (form config.Derived, path string) {
	counts := map[derivation]int{}
	with := map[string]int{}               // items that have both the key and the attribute
	values := map[string]map[string]bool{} // the different values of each attribute
	respelt := map[string]bool{}           // attributes whose values are in the keys with another spelling
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
	// fewestUnlocked is the minimum number of items with an e-mail for a suggested rule.
	fewestUnlocked = 4
	// mostOfKind is the minimum percentage of a kind's items that hold an e-mail. At least mostOnce percent
	// of these e-mails must be different.
	mostOfKind = 80
	mostOnce   = 75
)

// Unlocked suggests rules without locks. It looks for an attribute that holds an e-mail in nearly all items of a kind,
// and hardly the same e-mail twice. The attribute must be the partition key of an index, or items must build such a key
// from the attribute, for example a GSI1PK of the form USER#{email}. In the second case, the account gets this derived
// key. Nothing in the data says that the e-mails must be unique, so a person must review the suggestions. Equal samples
// give equal answers.
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

// suggest adds a rule and its derived keys to the account of a kind. It skips the rule if the account
// already has one for the same attribute, from another index.
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

// UniqueByIndex suggests rules without locks, for attributes from which items build both keys of an index.
// Auth.js builds GSI1PK and GSI1SK from an e-mail, so that a look-up by e-mail gives one account.
func UniqueByIndex(t Sample) (all []config.Account) {
	for _, a := range Unlocked(t) {
		a.Constraints = slices.DeleteFunc(a.Constraints, func(c config.Constraint) bool { return c.Index != "" })
		if len(a.Constraints) > 0 && len(a.Derived) > 1 {
			all = append(all, a)
		}
	}
	return all
}

// NamedIndexes finds index keys by the names of attributes, such as GSI1PK and GSI1SK. It is meant for a
// copy of a table that was made without the indexes. The returned indexes have no names.
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

// isEmail reports whether a text is an e-mail address and nothing else. It rejects a key that contains an
// address, such as USER#ada@x.io.
func isEmail(text string) bool {
	name, domain, ok := strings.Cut(text, "@")
	return ok && name != "" && strings.Contains(domain, ".") && !strings.ContainsAny(text, " #|/:,;<>") &&
		!strings.Contains(domain, "@")
}
