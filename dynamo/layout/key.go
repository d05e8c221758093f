package layout

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"tallylock/dynamo/attr"
)

// value is the name of the variable for the protected value.
const value = "v"

// hashKey is the name of the variable for the partition key. Only the template of a sort key can
// use it.
const hashKey = "pk"

// Limits of DynamoDB keys in bytes (Developer Guide, "Service, account and
// table quotas").
const (
	maxHash  = 2048
	maxRange = 1024
)

// ErrValue is the error for a value from which no key can be made. For example, the value is empty or too long, or the
// key would read back as another value.
var ErrValue = errors.New("this value cannot be part of a lock key")

// renderKey renders a partition key and a sort key from the variables.
func renderKey(s attr.Schema, pk, sk Template, vars *bindings) (attr.Key, error) {
	hash, err := pk.render(vars, "")
	if err != nil {
		return attr.Key{}, fmt.Errorf("%w: %w", ErrValue, err)
	}
	k := attr.Key{Hash: attr.Attribute{Name: s.HashName}}
	if k.Hash.Value, err = keyValue(s.HashKind, hash, maxHash); err != nil {
		return attr.Key{}, fmt.Errorf("%w: the partition key %w", ErrValue, err)
	}
	if s.RangeName != "" {
		rng, err := sk.render(vars, hash)
		if err != nil {
			return attr.Key{}, fmt.Errorf("%w: %w", ErrValue, err)
		}
		k.Range.Name = s.RangeName
		if k.Range.Value, err = keyValue(s.RangeKind, rng, maxRange); err != nil {
			return attr.Key{}, fmt.Errorf("%w: the sort key %w", ErrValue, err)
		}
	}
	// A value that contains separators of the layout may read back as another value. Such a key is
	// ambiguous, so it is an error.
	var back bindings
	if !parseKey(s, pk, sk, k, &back) {
		return attr.Key{}, fmt.Errorf("%w: the value could not be read back from the key %q", ErrValue, k)
	}
	for _, want := range vars.all[:vars.n] {
		if !back.has(want.name) && want.name != value {
			continue
		}
		if v := back.get(want.name); want.text != v && !sameNumber(s.HashKind, want.text, v) {
			return attr.Key{}, fmt.Errorf("%w: the key %q would be read back with {%s} = %q", ErrValue, k, want.name, v)
		}
	}
	return k, nil
}

func sameNumber(kind attr.Kind, a, b string) bool {
	return kind == attr.N && attr.CanonicalNumber(a) == attr.CanonicalNumber(b)
}

func keyValue(kind attr.Kind, text string, limit int) (attr.Value, error) {
	switch {
	case text == "":
		return attr.Value{}, errors.New("would be empty")
	case len(text) > limit:
		return attr.Value{}, fmt.Errorf("would have %d bytes, but DynamoDB allows %d", len(text), limit)
	case kind == attr.N:
		n, ok := attr.Decimal(text)
		if !ok {
			return attr.Value{}, fmt.Errorf("is a number in this table, but %q is not", text)
		}
		return attr.Number(n), nil
	case kind == attr.B:
		return attr.Binary(text), nil
	case !utf8.ValidString(text):
		return attr.Value{}, errors.New("would be invalid UTF-8, which DynamoDB does not allow")
	}
	return attr.String(text), nil
}

// parseKey reads the variables of a key and adds them to vars. It reports false if the key does not
// fit the templates.
func parseKey(s attr.Schema, pk, sk Template, k attr.Key, vars *bindings) bool {
	if !pk.parse(k.Hash.Value.Text, vars) {
		return false
	}
	if s.RangeName == "" {
		return true
	}
	if sk.text == samePK {
		return k.Range.Value.Text == k.Hash.Value.Text
	}
	if !vars.add(hashKey, k.Hash.Value.Text) || !sk.parse(k.Range.Value.Text, vars) {
		return false
	}
	vars.drop(hashKey)
	return true
}

// RepeatedHash is the template of a sort key that is equal to the partition key.
const RepeatedHash = samePK

const samePK = "{" + hashKey + "}"

// scope binds the variables of a template to attributes of an account. For example, it binds
// {tenant} of "TENANT#{tenant}#EMAIL#{v}" to the attribute tenant. scope skips {v}, {pk} and the
// variables that vars already has, such as {id}.
func scope(item attr.Fields, vars *bindings, t Template) {
	for _, p := range t.parts {
		if p.name == "" || p.name == value || p.name == hashKey || vars.has(p.name) {
			continue
		}
		if v := item.At(p.name); v.Scalar() {
			vars.add(p.name, v.Text)
		}
	}
}

// Texts lists the values in an attribute. A string, a number or bytes are one value. A set or a
// list of these has several. Other types have none. Texts leaves out empty strings.
func Texts(v attr.Value) []string { return appendTexts(nil, v) }

// Paths lists the attributes of an item that contain values (see Texts). For an attribute in a map,
// it lists a path ("contact.email").
func Paths(item attr.Item) []string {
	var all []string
	for name, v := range item {
		if len(Texts(v)) > 0 {
			all = append(all, name)
		}
		if v.Kind == attr.M {
			for inner, w := range v.Map {
				if len(Texts(w)) > 0 {
					all = append(all, name+"."+inner)
				}
			}
		}
	}
	return all
}

func appendTexts(texts []string, v attr.Value) []string {
	if v.Kind == attr.S {
		if v.Text == "" {
			return texts
		}
		return append(texts, v.Text)
	}
	add := func(kind attr.Kind, s string) {
		if kind == attr.N {
			s = attr.CanonicalNumber(s)
		}
		if s != "" && !slices.Contains(texts, s) {
			texts = append(texts, s)
		}
	}
	switch v.Kind {
	case attr.N, attr.B:
		add(v.Kind, v.Text)
	case attr.SS, attr.NS, attr.BS:
		for _, s := range v.Set {
			add(v.Kind[:1], s)
		}
	case attr.L:
		for _, e := range v.List {
			if e.Scalar() {
				add(e.Kind, e.Text)
			}
		}
	}
	return texts
}

// Unread lists the values that Texts leaves out: the values in maps and in nested lists. An account
// may hold such a value although the layout cannot read it.
func Unread(v attr.Value) []string {
	var texts []string
	var walk func(attr.Value)
	walk = func(v attr.Value) {
		switch v.Kind {
		case attr.L:
			for _, e := range v.List {
				walk(e)
			}
		case attr.M:
			for _, e := range v.Map {
				walk(e)
			}
		default:
			texts = append(texts, Texts(v)...)
		}
	}
	switch v.Kind {
	case attr.M:
		walk(v)
	case attr.L:
		for _, e := range v.List {
			if !e.Scalar() {
				walk(e)
			}
		}
	}
	return texts
}

// Plain makes and reads simple keys much faster than templates do. In a simple key, the partition
// key is a literal and one variable. The sort key is constant or repeats the partition key. Most
// keys are simple.
type Plain struct {
	Prefix string
	Sort   string // the sort key; empty if the table has none
	Same   bool   // the sort key repeats the partition key
	bareID bool   // the partition key is {id} alone, so it has no #
}

// Plain returns the Plain for the keys of the locks. It reports false if these keys are not simple.
func (l *LockKeys) Plain(s attr.Schema) (Plain, bool) { return plain(s, l.PK, l.SK, value) }

// Plain returns the Plain for the keys of the accounts. It reports false if these keys are not
// simple.
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

// Read returns the text of the variable in a key. It reports false if the key does not fit. sort is
// empty if the table has no sort key.
func (p *Plain) Read(hash, sort string) (text string, ok bool) {
	if !strings.HasPrefix(hash, p.Prefix) || len(hash) == len(p.Prefix) || p.bareID && strings.Contains(hash, idEnd) {
		return "", false
	}
	if p.Same {
		return hash[len(p.Prefix):], sort == hash
	}
	return hash[len(p.Prefix):], sort == p.Sort
}

// Makes reports whether a key can be made of text: text is not empty, not too long, and valid
// UTF-8.
func (p *Plain) Makes(text string) bool {
	limit := maxHash
	if p.Same {
		limit = maxRange
	}
	return text != "" && len(p.Prefix)+len(text) <= limit && utf8.ValidString(text)
}
