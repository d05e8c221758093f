package infer

import (
	"cmp"
	"maps"
	"slices"
	"strings"

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
// e-mails, hardly one of them twice, in nearly all items of one kind. Nothing in the data
// says that the values must be unique, so that these are suggestions alone, to be shown to
// a person: a layout is never made of them. Equal samples give equal answers.
func Unlocked(t Table) []layout.AccountConfig {
	own := newTable(t)
	var all []layout.AccountConfig
	for _, attribute := range slices.Sorted(maps.Keys(t.Indexes)) {
		if t.Schema.IsKey(attribute) {
			continue
		}
		holding := slices.DeleteFunc(kinds(own), func(k *kind) bool { return !k.holdsEmails(attribute) })
		if len(holding) == 0 {
			continue
		}
		of := slices.MinFunc(holding, func(a, b *kind) int {
			return cmp.Or(len(b.entries)-len(a.entries), strings.Compare(a.pk, b.pk), strings.Compare(a.sk, b.sk))
		})
		rule := layout.ConstraintConfig{Name: attribute, Attribute: attribute, Unique: true, Index: t.Indexes[attribute]}
		n := slices.IndexFunc(all, func(a layout.AccountConfig) bool { return a.PK == of.pk && a.SK == of.sk })
		if n < 0 {
			n, all = len(all), append(all, layout.AccountConfig{PK: of.pk, SK: of.sk, Is: of.is})
		}
		all[n].Constraints = append(all[n].Constraints, rule)
	}
	return all
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
	return ok && name != "" && strings.Contains(domain, ".") && !strings.ContainsAny(text, " #|/:,;<>") && !strings.Contains(domain, "@")
}
