package dynamo

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/infer"
	"tallylock/dynamo/layout"
)

// UnknownTable is what was seen of a table in which no accounts were recognised.
type UnknownTable struct {
	Items   int         // that were read
	Whole   bool        // there are no others
	Shapes  []ItemShape // of those that are neither counters nor carry their ids
	Nearest []infer.Candidate
	// Leases says what most items are that are no locks of values; empty where they may be.
	Leases string
}

// Masked is the same without the candidates whose keys may be somebody's.
func (u UnknownTable) Masked() UnknownTable {
	u.Nearest = slices.DeleteFunc(slices.Clone(u.Nearest), func(c infer.Candidate) bool {
		return (c.Hits < 2 && !c.Account.Constraints[0].Unique) || c.Items < 2
	})
	return u
}

// ItemShape is items whose keys have something in common.
type ItemShape struct {
	// Keys is that: "ORDER#*/META". A word that few items have is * in it: it may be
	// somebody's.
	Keys       string
	Items      int
	Attributes []AttributeCount // the commonest first
	Example    attr.Key         // of one of the items
	sameSort   bool             // as those of all others, of which there are some
}

// AttributeCount is how many items of a shape have an attribute.
type AttributeCount struct {
	Name  string
	Items int
}

// mostNearest is how many candidates are named for a table that is not known.
const mostNearest = 3

// CandidateOf is the layout that a table would have by a rule that came near.
func CandidateOf(table string, c infer.Candidate) layout.Config {
	return layout.Config{Name: table, Tables: []string{table}, Accounts: []layout.AccountConfig{c.Account}}
}

// recall answers a probe by what was read before.
func (rec *recogniser) recall(
	_ context.Context, table string, keys []attr.Key,
) (map[string]attr.Item, []attr.Key, error) {
	found := map[string]attr.Item{}
	var asked []attr.Key
	for _, k := range keys {
		if item, was := rec.probed[table][k.ID()]; was {
			asked = append(asked, k)
			if item != nil {
				found[k.ID()] = item
			}
		}
	}
	return found, asked, nil
}

// shapesOf groups items by what their keys have in common, the commonest first.
func shapesOf(s attr.Schema, items []attr.Item) []ItemShape {
	var all []*shapedItem
	for _, item := range items {
		if k, ok := s.KeyOf(item); ok {
			all = append(all, &shapedItem{item, k, tokens(layout.ShapeOf(k))})
		}
	}
	hideWords(all, 0)
	byKeys, counts := map[string]*ItemShape{}, map[string]map[string]int{}
	for _, one := range all {
		keys := strings.Join(one.shape, "")
		if byKeys[keys] == nil {
			byKeys[keys], counts[keys] = &ItemShape{Keys: keys, Example: one.key}, map[string]int{}
		}
		sh := byKeys[keys]
		sh.sameSort = one.key.Range.Value.Equal(sh.Example.Range.Value) && (sh.sameSort || sh.Items < 2)
		sh.Items++
		for _, name := range one.item.Names() {
			if !s.IsKey(name) {
				counts[keys][name]++
			}
		}
	}
	var shapes []ItemShape
	for _, keys := range slices.Sorted(maps.Keys(byKeys)) {
		sh := byKeys[keys]
		sh.sameSort = sh.sameSort && sh.Items > 1
		for _, name := range slices.Sorted(maps.Keys(counts[keys])) {
			sh.Attributes = append(sh.Attributes, AttributeCount{name, counts[keys][name]})
		}
		slices.SortStableFunc(sh.Attributes, func(a, b AttributeCount) int { return cmp.Compare(b.Items, a.Items) })
		shapes = append(shapes, *sh)
	}
	slices.SortStableFunc(shapes, func(a, b ItemShape) int { return cmp.Compare(b.Items, a.Items) })
	return shapes
}

type shapedItem struct {
	item  attr.Item
	key   attr.Key
	shape []string // words, and the separators between them
}

func tokens(shape string) (all []string) {
	for shape != "" {
		end := strings.IndexAny(shape, layout.Separators+"/")
		switch {
		case end < 0:
			return append(all, shape)
		case end > 0:
			all = append(all, shape[:end])
		}
		all, shape = append(all, shape[end:end+1]), shape[end+1:]
	}
	return all
}

// fewItems are too few for their number to tell words from values.
const fewItems = 8

// hideWords puts * for the words at one place of shapes that begin alike, where there are
// so many of them that they may be somebody's: a handle may be capital letters alone.
func hideWords(group []*shapedItem, at int) {
	counts := map[string]int{}
	for _, one := range group {
		if at < len(one.shape) {
			counts[one.shape[at]]++
		}
	}
	next := map[string][]*shapedItem{}
	for _, one := range group {
		if at >= len(one.shape) {
			continue
		}
		word := &one.shape[at]
		n, few := counts[*word], len(counts) == 1 || 4*len(counts) <= len(group)
		if !strings.Contains(layout.Separators+"/", *word) && !(n > 1 && (at == 0 || few)) &&
			!(at == 0 && len(group) < fewItems) {
			*word = "*"
		}
		next[*word] = append(next[*word], one)
	}
	for _, begun := range next {
		hideWords(begun, at+1)
	}
}
