package layout

import (
	"cmp"
	"slices"
	"strings"

	"tallylock/dynamo/attr"
)

// accountKeys finds what the keys of accounts look like: as the preset says
// where the sample agrees or is silent, else as the items look that hold most
// of the protected attributes.
func (p Preset) accountKeys(s attr.Schema, others []attr.Item, constraints []*Constraint) *Account {
	var preset *Account
	if p.Account.PK != "" {
		if a, err := p.Account.build(); err == nil {
			preset = a
			if s.RangeName == "" {
				preset.SK = Template{}
			}
		}
	}
	if preset != nil && slices.ContainsFunc(others, func(item attr.Item) bool {
		_, ok := preset.Matches(s, item)
		return ok && held(item, constraints) > 0
	}) {
		return preset
	}
	shapes := shapesOf(s, others, constraints)
	if len(shapes) == 0 {
		return preset
	}
	best := slices.MaxFunc(shapes, func(a, b *shape) int {
		// Orders may repeat their customer's address: how many of the protected
		// attributes an item has counts first, then how many values there are, and
		// then the fewer items for them.
		return cmp.Or(a.attributes-b.attributes, len(a.values)-len(b.values), b.items-a.items)
	})
	a, err := AccountConfig{PK: best.pk, SK: best.sortKey()}.build()
	if err != nil {
		return preset
	}
	return a
}

// shape is what items that hold protected attributes have in common.
type shape struct {
	pk, kind   string
	sks        map[string]int
	items      int
	attributes int             // the most that one item holds
	values     map[string]bool // of the protected attributes
}

func shapesOf(s attr.Schema, others []attr.Item, constraints []*Constraint) []*shape {
	byKey := map[string]*shape{}
	var shapes []*shape
	for _, item := range others {
		n := held(item, constraints)
		if n == 0 {
			continue
		}
		k, _ := s.KeyOf(item)
		pk, sk := keyShape(k)
		id := pk + "\x00" + sortKind(sk)
		sh := byKey[id]
		if sh == nil {
			sh = &shape{pk: pk, kind: sortKind(sk), sks: map[string]int{}, values: map[string]bool{}}
			byKey[id], shapes = sh, append(shapes, sh)
		}
		sh.items++
		sh.sks[sk]++
		sh.attributes = max(sh.attributes, n)
		for _, c := range constraints {
			for _, text := range Texts(item.At(c.Attribute)) {
				sh.values[c.Name+"\x00"+text] = true
			}
		}
	}
	return shapes
}

// sortKey is the sort key that nearly all items of the shape have, or a variable
// where theirs differ: a literal learnt from one item would leave the others out.
func (sh *shape) sortKey() string {
	for sk, n := range sh.sks {
		if 10*n >= 9*sh.items {
			return sk
		}
	}
	return sh.kind + "{sk}"
}

// sortKind is what the sort keys of one kind of item begin with.
func sortKind(sk string) string {
	if kind, _, ok := strings.Cut(sk, "#"); ok {
		return kind + "#"
	}
	return ""
}

func held(item attr.Item, constraints []*Constraint) int {
	n := 0
	for _, c := range constraints {
		if len(Texts(item.At(c.Attribute))) > 0 {
			n++
		}
	}
	return n
}

// keyShape writes a key as the templates it could come from: what stands before
// the first # is the kind, the rest the id.
func keyShape(k attr.Key) (pk, sk string) {
	hash, rng := k.Hash.Value.Text, k.Range.Value.Text
	id := hash
	if kind, rest, ok := strings.Cut(hash, "#"); ok && rest != "" {
		pk, id = Literal(kind)+"#{id}", rest
	} else {
		pk = "{id}"
	}
	switch {
	case k.Range.Name == "":
	case rng == hash:
		sk = "{pk}"
	case strings.HasSuffix(rng, "#"+id):
		sk = Literal(strings.TrimSuffix(rng, id)) + "{id}"
	case rng == id:
		sk = "{id}"
	default:
		sk = Literal(rng)
	}
	return pk, sk
}
