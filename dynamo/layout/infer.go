package layout

import (
	"slices"
	"strings"

	"tallylock/dynamo/attr"
)

// Sample is what is known of a table before its layout is: its keys, its
// indexes and some of its items.
type Sample struct {
	Table   string
	Schema  attr.Schema
	Indexes map[string]string // index name by the attribute that is its partition key
	Items   []attr.Item
}

// Infer fits the presets to a sample: the lock preset that explains most items,
// and every counter preset that is there. only restricts it to one preset by
// name, which is then taken even where the sample shows nothing of it. The
// layout is empty where nothing fits.
func Infer(presets []Preset, sample Sample, only string) *Layout {
	l := &Layout{}
	best, bestScore := Preset{}, 0
	for _, p := range presets {
		if p.Lock.PK == "" || (only != "" && p.Name != only) {
			continue
		}
		if score := p.score(sample); score > bestScore || (only != "" && best.Name == "") {
			best, bestScore = p, score
		}
	}
	if best.Name != "" {
		if a := best.account(sample); a != nil {
			l.Name, l.Accounts = best.Name, []*Account{a}
		}
	}
	for _, p := range presets {
		c, ok := p.Counter.counter(sample.Schema)
		if !ok || (only != "" && p.Name != only) {
			continue
		}
		if only != "" || p.Counter.shows(c, sample) {
			l.Counters = append(l.Counters, c)
			if l.Name == "" {
				l.Name = p.Name
			}
		}
	}
	return l
}

// shows reports whether the sample holds the counter. A family must explain at
// least half of the items, unless its attribute is telling: its key template fits
// everything.
func (p counterPattern) shows(c *Counter, sample Sample) bool {
	found := 0
	for _, item := range sample.Items {
		if !c.Matches(sample.Schema, item) || (!c.KeyIsValue(sample.Schema) && !item.At(c.Attribute).Exists()) {
			continue
		}
		found++
	}
	switch {
	case found == 0:
		return false
	case c.Fixed(sample.Schema), p.Telling:
		return true
	case c.KeyIsValue(sample.Schema):
		return len(sample.Items) <= 2 // one item, and one more while it is replaced
	}
	return 2*found >= len(sample.Items)
}

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
	for _, item := range sample.Items {
		k, ok := sample.Schema.KeyOf(item)
		if !ok || k.Hash.Value.Kind != attr.S {
			continue
		}
		for _, skText := range p.Lock.SK {
			sk, err := ParseTemplate(skText)
			if err != nil {
				continue
			}
			var vars bindings
			if parseKey(sample.Schema, pk, sk, k, &vars) {
				locks = append(locks, seen{item, vars.get("A"), vars.get("M"), vars.get(value), skText})
				break
			}
		}
	}
	return locks
}

// score counts the items that the preset explains: its locks, and, where the
// preset says what accounts look like, its accounts.
func (p Preset) score(sample Sample) int {
	score := 2 * len(p.locks(sample))
	if p.Account.PK == "" {
		return score
	}
	a, err := p.Account.build()
	if err != nil || !p.keysAreText(sample.Schema) {
		return score
	}
	for _, item := range sample.Items {
		if _, ok := a.Matches(sample.Schema, item); ok && p.protects(item) {
			score++
		}
	}
	return score
}

func (p Preset) keysAreText(s attr.Schema) bool {
	return s.HashKind == attr.S && (s.RangeName == "" || s.RangeKind == attr.S)
}

// protects reports whether the item holds an attribute that the preset is known
// to protect.
func (p Preset) protects(item attr.Item) bool {
	for _, attribute := range p.Lock.Attributes {
		if len(Texts(item.At(attribute))) > 0 {
			return true
		}
	}
	return p.Lock.As != "" && len(Texts(item.At(p.Lock.As))) > 0
}

// account fits the preset's accounts and constraints to the sample.
func (p Preset) account(sample Sample) *Account {
	if !p.keysAreText(sample.Schema) {
		return nil
	}
	locks := p.locks(sample)
	isLock := map[string]bool{}
	for _, lock := range locks {
		if k, ok := sample.Schema.KeyOf(lock.item); ok {
			isLock[k.ID()] = true
		}
	}
	var others []attr.Item
	for _, item := range sample.Items {
		if k, ok := sample.Schema.KeyOf(item); ok && !isLock[k.ID()] {
			others = append(others, item)
		}
	}
	constraints := p.constraints(sample, locks, others)
	if len(constraints) == 0 {
		return nil
	}
	a := p.accountKeys(sample.Schema, others, constraints)
	if a == nil {
		return nil
	}
	for _, c := range constraints {
		c.Index = sample.Indexes[c.Attribute]
		c.Normalise = p.normalisers(c, sample.Schema, locks, others)
	}
	a.Constraints = constraints
	return a
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
		mine := slices.DeleteFunc(slices.Clone(locks), func(s seen) bool { return s.kind != k.name && p.Lock.As == "" || s.model != k.model })
		sk := p.Lock.SK[0]
		if len(mine) > 0 {
			sk = mine[0].sk
		} else if len(locks) > 0 {
			sk = locks[0].sk
		}
		pk := strings.NewReplacer("{A}", braced(k.name), "{M}", braced(k.model)).Replace(p.Lock.PK)
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

// braced keeps braces of a name from being read as a variable.
func braced(name string) string {
	return strings.NewReplacer("{", "{{", "}", "}}").Replace(name)
}

// attribute tells which attribute of the accounts a kind of lock protects: the
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

// normalisers tells whether the application folds case: the sample's locks and
// accounts meet only after lower.
func (p Preset) normalisers(c *Constraint, s attr.Schema, locks []seen, others []attr.Item) []Normaliser {
	steps, err := parseNormalisers(p.Lock.Normalise)
	if err != nil || len(steps) > 0 {
		return steps
	}
	exists := map[string]bool{}
	for _, lock := range locks {
		k, ok := s.KeyOf(lock.item)
		if !ok {
			continue
		}
		if v, _, ok := c.ParseLock(s, k); ok {
			exists[v] = true
			if v != lower(v) {
				return nil
			}
		}
	}
	folds := false
	for _, item := range others {
		for _, raw := range Texts(item.At(c.Attribute)) {
			if exists[raw] || raw == lower(raw) {
				continue
			}
			if exists[lower(raw)] {
				folds = true
			}
		}
	}
	if folds {
		return []Normaliser{Lower}
	}
	return nil
}
