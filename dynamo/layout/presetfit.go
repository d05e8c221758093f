package layout

import (
	"tallylock/dynamo/attr"
)

// On is the layout that a preset means in a table: taken even where the sample shows
// nothing of it. It is empty where the table's keys are of another kind.
func (p Preset) On(sample Sample) *Layout {
	l := &Layout{}
	if p.Lock.PK != "" {
		if a := p.account(sample); a != nil {
			l.Name, l.Preset, l.Accounts = p.Name, p.Name, []*Account{a}
		}
	}
	if c, ok := p.CounterIn(sample.Schema); ok {
		l.Name, l.Preset, l.Counters = p.Name, p.Name, []*Counter{c}
	}
	return l
}

// Shown is the layout of the first preset whose keys are known in full (Preset.Whole) and
// of which a sample shows accounts or locks, though none together. It is empty where items
// of another kind hold what the preset protects.
func Shown(presets []Preset, sample Sample) *Layout {
	for _, p := range presets {
		if !p.Whole || !p.keysAreText(sample.Schema) {
			continue
		}
		a, err := p.Account.build()
		if err != nil {
			continue
		}
		shown, others := len(p.locks(sample)) > 0, false
		for _, item := range sample.Items {
			if _, own := a.Matches(sample.Schema, item); p.protects(item) {
				shown, others = shown || own, others || !own
			}
		}
		if shown && !others {
			return p.On(sample)
		}
	}
	return &Layout{}
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
		c.Normalise = p.normalisers(c, sample, locks, others)
	}
	a.Constraints = constraints
	return a
}
