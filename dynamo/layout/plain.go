package layout

import (
	"strings"
	"unicode/utf8"

	"tallylock/dynamo/attr"
)

// Plain is how keys are made where that is simple: a literal and one variable in
// the partition key, and a sort key that is always the same, or repeats it. Most
// keys are, and of very many of them they can be made and read much sooner.
type Plain struct {
	Prefix string
	Sort   string // the sort key; empty where the table has none
	Same   bool   // the sort key repeats the partition key
	bareID bool   // the partition key is {id}: it has no #
}

// Plain says how a lock's keys are made; false where that is not simple.
func (l *LockKeys) Plain(s attr.Schema) (Plain, bool) { return plain(s, l.PK, l.SK, value) }

// Plain says how an account's keys are made; false where that is not simple.
func (a *Account) Plain(s attr.Schema) (Plain, bool) { return plain(s, a.PK, a.SK, identity) }

func plain(s attr.Schema, pk, sk Template, name string) (Plain, bool) {
	var p Plain
	if s.HashKind != attr.S || (s.RangeName != "" && s.RangeKind != attr.S) {
		return p, false
	}
	switch {
	case pk.computed || sk.computed:
		return p, false
	case len(pk.parts) == 1 && pk.parts[0].name == name:
		p.bareID = pk.bareID()
	case len(pk.parts) == 2 && pk.parts[0].name == "" && pk.parts[1].name == name:
		p.Prefix = pk.parts[0].literal
	default:
		return p, false
	}
	switch {
	case s.RangeName == "":
	case sk.text == samePK:
		p.Same = true
	case len(sk.parts) == 1 && sk.parts[0].name == "":
		p.Sort = sk.parts[0].literal
	default:
		return p, false
	}
	return p, true
}

// Read takes the variable out of a key. It reports false where the key is none of
// these. sort is empty where the table has no sort key.
func (p *Plain) Read(hash, sort string) (text string, ok bool) {
	if !strings.HasPrefix(hash, p.Prefix) || len(hash) == len(p.Prefix) || p.bareID && strings.Contains(hash, idEnd) {
		return "", false
	}
	if p.Same {
		return hash[len(p.Prefix):], sort == hash
	}
	return hash[len(p.Prefix):], sort == p.Sort
}

// Makes reports whether a key can be made of a text: the prefix and the text.
func (p *Plain) Makes(text string) bool {
	limit := maxHash
	if p.Same {
		limit = maxRange
	}
	return text != "" && len(p.Prefix)+len(text) <= limit && utf8.ValidString(text)
}
