package layout

import (
	"fmt"
	"maps"
	"slices"

	"tallylock/dynamo/attr"
)

const (
	// fewTexts is how many different texts an attribute has at most that tells kinds of
	// items apart, as status does, and textShare how many items there are of each at least.
	fewTexts, textShare = 3, 8
	// alwaysHeld is how many items show that each of them has an attribute.
	alwaysHeld = 8
)

// Traits are what some items have in common that may tell them from others: which
// attributes they have, and what those say of which there are few texts. The zero value is
// that of no items.
type Traits struct {
	items int
	texts map[string]map[string]int // by attribute; none where there are more than few
	held  map[string]int            // by attribute, how many items have it
}

// Add takes in an item.
func (t *Traits) Add(item attr.Item) {
	if t.items++; t.held == nil {
		t.texts, t.held = map[string]map[string]int{}, map[string]int{}
	}
	for name, v := range item {
		if t.held[name]++; t.held[name] == 1 {
			t.texts[name] = map[string]int{}
		}
		if of := t.texts[name]; len(of) <= fewTexts {
			of[v.Display()]++
		}
	}
}

// Unlike says what an item has that none of the items has, or lacks that all of them have:
// "with deletedAt". It is empty where there is nothing, and where there were no items.
func (t *Traits) Unlike(item attr.Item) string {
	if t == nil || t.items == 0 {
		return ""
	}
	for _, name := range slices.Sorted(maps.Keys(item)) {
		of, text := t.texts[name], item[name].Display()
		switch {
		case t.held[name] == 0:
			return "with " + name
		case len(of) <= fewTexts && of[text] == 0 && textShare*len(of) <= t.held[name]:
			return fmt.Sprintf("with %s = %s", name, text)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(t.held)) {
		if t.held[name] == t.items && t.items >= alwaysHeld && item.At(name).Kind == "" {
			return "without " + name
		}
	}
	return ""
}
