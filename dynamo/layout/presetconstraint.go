package layout

import (
	"slices"
	"strings"

	"tallylock/dynamo/attr"
)

// seen is a lock of the sample: what its key says.
type seen struct {
	item  attr.Item
	kind  string // {A}
	model string // {M}
	value string
	sk    string // the sort key template that fits
}

func (p Preset) locks(sample Sample) []seen {
	var locks []seen
	pk, err := ParseTemplate(p.Lock.PK)
	if err != nil || (pk.Prefix() == "" && sample.Schema.RangeName == "") {
		return nil // a bare value and nothing else fits every key there is
	}
	sks := make([]Template, 0, len(p.Lock.SK))
	for _, text := range p.Lock.SK {
		if sk, err := ParseTemplate(text); err == nil {
			sks = append(sks, sk)
		}
	}
	for _, item := range sample.Items {
		k, ok := sample.Schema.KeyOf(item)
		if !ok || k.Hash.Value.Kind != attr.S {
			continue
		}
		for _, sk := range sks {
			var vars bindings
			if parseKey(sample.Schema, pk, sk, k, &vars) {
				locks = append(locks, seen{item, vars.get("A"), vars.get("M"), vars.get(value), sk.String()})
				break
			}
		}
	}
	return locks
}

// constraints makes one constraint for each kind of lock that the preset knows
// or the sample shows.
func (p Preset) constraints(sample Sample, locks []seen, others []attr.Item) []*Constraint {
	type kind struct{ model, name string }
	kinds := []kind{}
	if p.Lock.As != "" {
		kinds = append(kinds, kind{name: p.Lock.As})
	}
	var known []string
	for name := range p.Lock.Attributes {
		known = append(known, name)
	}
	slices.Sort(known)
	for _, name := range known {
		kinds = append(kinds, kind{name: name})
	}
	for _, lock := range locks {
		if k := (kind{lock.model, lock.kind}); lock.kind != "" && !slices.Contains(kinds, k) {
			kinds = append(kinds, k)
		}
	}
	var constraints []*Constraint
	for _, k := range kinds {
		mine := slices.DeleteFunc(slices.Clone(locks),
			func(s seen) bool { return s.kind != k.name && p.Lock.As == "" || s.model != k.model })
		sk := p.Lock.SK[0]
		if len(mine) > 0 {
			sk = mine[0].sk
		} else if len(locks) > 0 {
			sk = locks[0].sk
		}
		pk := strings.NewReplacer("{A}", Literal(k.name), "{M}", Literal(k.model)).Replace(p.Lock.PK)
		if sample.Schema.RangeName == "" {
			sk = ""
		}
		c := &Constraint{Attribute: p.attribute(k.name, mine, others)}
		c.Name = c.Attribute
		if slices.ContainsFunc(constraints, func(o *Constraint) bool { return o.Name == c.Name }) {
			c.Name = strings.ToLower(strings.Trim(k.model+"."+k.name, "."))
		}
		var err error
		if c.PK, c.SK, err = keyTemplates(pk, sk); err != nil {
			continue
		}
		for _, owner := range p.Lock.Owners {
			if slices.ContainsFunc(mine, func(s seen) bool { return s.item.At(owner).Kind == attr.S }) {
				c.Owner = owner
				break
			}
		}
		constraints = append(constraints, c)
	}
	return constraints
}

// attribute finds which attribute of the accounts a kind of lock protects: the
// one the preset names, else the one of the same name, else the one that holds
// the locks' values.
func (p Preset) attribute(kind string, locks []seen, others []attr.Item) string {
	if name, ok := p.Lock.Attributes[kind]; ok {
		return name
	}
	plain := func(s string) string {
		return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(s))
	}
	holds := map[string]int{}
	for _, item := range others {
		for _, name := range item.Names() {
			if plain(name) == plain(kind) {
				return name
			}
			for _, text := range Texts(item[name]) {
				for _, lock := range locks {
					if Fold(text) == Fold(lock.value) {
						holds[name]++
					}
				}
			}
		}
	}
	best := strings.ToLower(kind)
	most := 0
	for name, n := range holds {
		if n > most || (n == most && name < best) {
			best, most = name, n
		}
	}
	return best
}

// normalisers finds whether the application folds case: the sample's locks and
// accounts meet only after lower.
func (p Preset) normalisers(c *Constraint, sample Sample, locks []seen, others []attr.Item) []Normaliser {
	steps, err := parseNormalisers(p.Lock.Normalise)
	if err != nil || len(steps) > 0 {
		return steps
	}
	exists, owners := map[string]bool{}, map[string]string{}
	for _, lock := range locks {
		k, ok := sample.Schema.KeyOf(lock.item)
		if !ok {
			continue
		}
		if v, _, ok := c.ParseLock(sample.Schema, k); ok {
			exists[v], owners[v] = true, lock.item.At(c.Owner).Text
			if v != lower(v) {
				return nil
			}
		}
	}
	folded, named := map[string]bool{}, false
	for _, item := range others {
		key, _ := sample.Schema.KeyOf(item)
		for _, raw := range Texts(item.At(c.Attribute)) {
			if exists[raw] || raw == lower(raw) {
				continue
			}
			if exists[lower(raw)] {
				folded[raw] = true
				owner := owners[lower(raw)]
				named = named || owner != "" && strings.HasSuffix(key.Hash.Value.Text, owner)
			}
		}
	}
	if len(folded) >= EnoughBetter || len(folded) > 0 && (sample.Whole || named) {
		return []Normaliser{Lower}
	}
	return nil // in a part of a table, one may be the lock of another account
}
