package infer

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

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
func Unlocked(t layout.Sample) []layout.AccountConfig {
	all := kinds(newTable(t))
	slices.SortFunc(all, func(a, b *kind) int {
		return cmp.Or(len(b.entries)-len(a.entries), strings.Compare(a.pk, b.pk), strings.Compare(a.sk, b.sk))
	})
	var found []layout.AccountConfig
	for _, key := range slices.Sorted(maps.Keys(t.Indexes)) {
		if t.Schema.IsKey(key) {
			continue
		}
		rule := layout.ConstraintConfig{Name: key, Attribute: key, Unique: true, Index: t.Indexes[key]}
		of := slices.IndexFunc(all, func(k *kind) bool { return rule.Index != "" && k.holdsEmails(key) })
		var derived []layout.DerivedConfig
		for n := 0; of < 0 && n < len(all); n++ {
			if dcs, path := all[n].derivedOfEmails(t, key); path != "" {
				of, derived = n, dcs
				rule = layout.ConstraintConfig{Name: path, Attribute: path, Unique: true}
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
	found []layout.AccountConfig, of *kind, rule layout.ConstraintConfig, derived []layout.DerivedConfig,
) []layout.AccountConfig {
	n := slices.IndexFunc(found, func(a layout.AccountConfig) bool { return a.PK == of.pk && a.SK == of.sk })
	if n < 0 {
		n, found = len(found), append(found, layout.AccountConfig{PK: of.pk, SK: of.sk, Is: of.is})
	}
	a := &found[n]
	a.Derived = append(a.Derived, derived...)
	if !slices.ContainsFunc(a.Constraints, func(c layout.ConstraintConfig) bool { return c.Attribute == rule.Attribute }) {
		a.Constraints = append(a.Constraints, rule)
	}
	return found
}

// derivedOfEmails is how most items of a kind make the keys of an index of an attribute that
// holds e-mails; path is empty if they do not.
func (k *kind) derivedOfEmails(t layout.Sample, key string) (dcs []layout.DerivedConfig, path string) {
	dcs = derivedConfigs(t, k.entries, key)
	if len(dcs) == 0 {
		return nil, ""
	}
	d, err := layout.NewDerived(dcs[0])
	if err != nil || len(d.Of()) != 1 || !k.holdsEmails(d.Of()[0]) {
		return nil, ""
	}
	return dcs, d.Of()[0]
}

// UniqueByIndex suggests the rules without locks that an index shows: both of its keys are made
// of one attribute, as Auth.js's GSI1PK and GSI1SK are of an e-mail, so that a look-up gives one
// account.
func UniqueByIndex(t layout.Sample) (all []layout.AccountConfig) {
	for _, a := range Unlocked(t) {
		a.Constraints = slices.DeleteFunc(a.Constraints, func(c layout.ConstraintConfig) bool { return c.Index != "" })
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
