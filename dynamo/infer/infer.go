// Package infer recognises what a table keeps, from a sample of its items: accounts and
// the locks of their values by the values themselves, whatever words keys are made of.
// What could be something else it leaves alone. It reads nothing but what it asks for
// through a Probe, and imports attr, layout and phrase only. Counters are recognised by
// the package counters beneath it. Start at Accounts.
package infer

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

// Probe reads which of some keys of a table have items. It may leave keys out where its
// budget is used up; those it has asked for are in the second answer.
type Probe func(ctx context.Context, table string, keys []attr.Key) (found map[string]attr.Item,
	asked []attr.Key, err error)

// Accounts finds the kinds of accounts of a table and how their values are kept by locks,
// in this table or one of the others. It answers nothing where the data does not show
// it. Equal samples give equal answers.
func Accounts(
	ctx context.Context, own layout.Sample, others []layout.Sample, probe Probe,
) ([]layout.AccountConfig, error) {
	s, err := Look(ctx, own, others, probe)
	return s.Accounts(), err
}

// Look is Accounts for who may ask for Nearest, too. It answers nil where keys are binary: then
// there are neither.
func Look(ctx context.Context, own layout.Sample, others []layout.Sample, probe Probe) (*Search, error) {
	if own.Schema.HashKind == attr.B || own.Schema.RangeKind == attr.B {
		return nil, nil
	}
	s := newSearch(own, others)
	if probe != nil {
		if err := s.ask(ctx, probe); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Accounts lists the kinds of accounts that the data shows.
func (s *Search) Accounts() []layout.AccountConfig {
	if s == nil {
		return nil
	}
	sound := s.rules(func(r *rule) bool { return s.against(r) == "" })
	return accountsOf(s.withoutUnclaimed(s.choose(sound)), s.own.Indexes)
}

// MayHaveAccounts reports whether items of a table hold texts that hardly repeat: those may
// be kept unique by something elsewhere.
func MayHaveAccounts(own layout.Sample) bool {
	return slices.ContainsFunc(kinds(newTable(own)), func(k *kind) bool {
		return slices.ContainsFunc(k.paths(), func(path string) bool {
			return k.entries[0].item.At(path).Kind != attr.N && k.unique(path) && !k.inOwnKey(path)
		})
	})
}

// MayKeepLocks reports whether a table's name says that it may keep the locks of another
// table's accounts: it has a word for locks, or the other's name: members and member_emails.
func MayKeepLocks(accounts, name string) bool {
	low := strings.ToLower(name)
	if strings.Contains(low, strings.TrimSuffix(strings.ToLower(accounts), "s")) || strings.Contains(low, "index") {
		return true
	}
	return slices.ContainsFunc(lockWords, func(word string) bool { return strings.Contains(low, word) })
}

// accountsOf writes rules down as a layout has them, with the indexes on their attributes.
func accountsOf(rules []*rule, indexes map[string]string) []layout.AccountConfig {
	// The order says nothing, and equal layouts are to be equal.
	rules = slices.Clone(rules)
	slices.SortStableFunc(rules, func(a, b *rule) int {
		return cmp.Or(strings.Compare(a.kind.pk+a.kind.sk, b.kind.pk+b.kind.sk), strings.Compare(a.path, b.path),
			strings.Compare(a.place(), b.place()))
	})
	var kinds []*kind
	var all []layout.AccountConfig
	names := map[string]bool{}
	for _, r := range rules {
		n := slices.IndexFunc(kinds,
			func(k *kind) bool { return k.pk == r.kind.pk && k.sk == r.kind.sk && sameIs(k, r.kind) })
		if n < 0 {
			n = len(kinds)
			kinds = append(kinds, r.kind)
			all = append(all, layout.AccountConfig{PK: r.kind.pk, SK: r.kind.sk, Is: r.kind.is})
		}
		c := r.config
		c.Index = indexes[c.Attribute]
		for at := 2; names[c.Name]; at++ {
			c.Name = fmt.Sprintf("%s-%d", c.Attribute, at)
		}
		names[c.Name] = true
		all[n].Constraints = append(all[n].Constraints, c)
	}
	if len(all) > 1 {
		for n := range all {
			all[n].Model = model(kinds[n], n)
		}
	}
	return all
}

func sameIs(a, b *kind) bool {
	return a.is == nil && b.is == nil || a.is != nil && b.is != nil && *a.is == *b.is
}

// model is what a kind of account is called: the word that its key begins with.
func model(k *kind, n int) string {
	for _, key := range []string{k.pk, k.sk} {
		word, _, _ := strings.Cut(key, "{")
		if word = strings.ToLower(strings.Trim(word, separators+"_-$. ")); word != "" && !strings.ContainsAny(word, "{}") {
			return word
		}
	}
	return fmt.Sprintf("account-%d", n+1)
}
