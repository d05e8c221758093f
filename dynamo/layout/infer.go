package layout

import (
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

// Infer fits the presets to a sample: the lock preset that explains most items.
// only restricts it to one preset by name, of locks or of a counter, which is then
// taken even where the sample shows nothing of it. The layout is empty where nothing
// fits.
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
		if c, ok := p.CounterIn(sample.Schema); ok && p.Name == only {
			l.Counters, l.Name = append(l.Counters, c), p.Name
		}
	}
	return l
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
