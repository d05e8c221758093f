package holders

import (
	"encoding/json"
	"errors"
	"io"
	"iter"
	"slices"
	"strings"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/schema"
)

// Reader takes in items for a Search, in one goroutine.
type Reader struct {
	s      *Search
	finder *Finder
	// one is a finder that tells whether a text is the value of one target.
	one *oneValue

	kind     *layout.Account // of the item; nil if it is no account
	known    bool            // the layout has the item as an account or a lock
	path     string          // of the text that is read
	whole    bool            // of that text only the whole counts
	hits     []hit
	account  schema.Account // the item, if it is one; without its attributes
	claims   []layout.Claim
	claimed  bool // claims are those of the item
	accounts int
	// balance sums up hashes of the keys of locks, less those of claims.
	balance map[*layout.Constraint]uint64
	locks   map[*layout.Constraint]int
	others  map[*layout.Constraint]*layout.LockTraits
	plain   map[string]bool // names of attributes that hold no value
}

// hit is a text of an item that holds a target's value.
type hit struct {
	at   int32
	path string
}

// oneValue finds out whether texts are one value.
type oneValue struct {
	finder *Finder
	want   int32
	found  bool
}

// Close hands on what was counted.
func (r *Reader) Close() {
	s := r.s
	s.mu.Lock()
	defer s.mu.Unlock()
	s.accounts += r.accounts
	for c, n := range r.locks {
		s.locks[c] += n
	}
	for c, sum := range r.balance {
		s.balance[c] += sum
	}
	for c, traits := range r.others {
		if s.others[c] == nil {
			s.others[c] = new(layout.LockTraits)
		}
		s.others[c].Merge(traits)
	}
}

// See takes in one whole item.
func (r *Reader) See(table string, item attr.Item) {
	r.SeeFields(table, item, func(yield func(string, attr.Value) bool) {
		for name, v := range item {
			if !yield(name, v) {
				return
			}
		}
	}, func() attr.Item { return item })
}

// SeeFields is See for an item that is not in memory: at returns single attributes, all yields
// each of them, and whole returns a copy that may be kept. Texts are not kept.
func (r *Reader) SeeFields(
	table string, at attr.Fields, all iter.Seq2[string, attr.Value], whole func() attr.Item,
) {
	s, v := r.s, r.s.v
	if region := at.At(client.UpdateRegion); region.Exists() {
		s.saw(table, region.Text)
	}
	keys := v.SchemaOf(table)
	key, ok := keys.KeyOf(at)
	r.hits, r.kind, r.claimed = r.hits[:0], nil, false
	if !ok {
		return
	}
	role := v.Classify(table, at)
	r.known = role.Constraint != nil && !role.Malformed || role.Account != nil
	isLock := role.Constraint != nil && !role.Malformed
	if role.Constraint == nil && role.Account != nil && table == v.AccountTable {
		r.kind, r.account = role.Account, schema.Account{Model: role.Account.Model, ID: role.ID, Key: key}
	}
	if s.Empty() {
		return
	}
	if isLock {
		r.lock(role.Constraint, table, key, all)
	} else {
		if r.kind != nil {
			r.accounts++
			r.matchClaims(at)
		}
		for name, value := range all {
			if !keys.IsKey(name) {
				r.name(name)
			}
			r.attribute(name, value)
		}
	}
	if len(r.hits) > 0 {
		r.hold(table, whole())
	}
}

// claimsOf lists the claims of the account that is read. They are made once an item.
func (r *Reader) claimsOf(at attr.Fields) []layout.Claim {
	if r.kind == nil {
		return nil
	}
	if !r.claimed {
		r.claims, r.claimed = r.s.v.AppendClaims(r.claims[:0], r.kind, at), true
	}
	return r.claims
}

// lock takes in a lock. It holds no value but its own, unless it has an attribute that no held
// lock of its constraint has.
func (r *Reader) lock(c *layout.Constraint, table string, key attr.Key, all iter.Seq2[string, attr.Value]) {
	s := r.s
	r.locks[c]++
	for name, value := range all {
		if !s.v.PlainAttribute(c, table, name) && !s.held[c].Has(name) {
			r.name(name)
			r.attribute(name, value)
		}
	}
	if s.target(table, key) != nil {
		return
	}
	if s.digests {
		r.balance[c] += s.index.Hash(schema.LockID(table, c.FirstForm(key)))
	}
	if r.others[c] == nil {
		r.others[c] = new(layout.LockTraits)
	}
	r.others[c].Add(all, func(name string) bool { return s.v.PlainAttribute(c, table, name) })
}

// matchClaims finds the targets whose locks an account claims by their exact keys: normalising may
// leave no text of the value in the account.
func (r *Reader) matchClaims(at attr.Fields) {
	v := r.s.v
	if r.s.claimsKnown {
		return
	}
	for _, claim := range r.claimsOf(at) {
		r.claimsInAnyScope(claim)
		if claim.Err != nil {
			continue
		}
		table := v.LockTable(claim.Constraint)
		if r.s.digests {
			r.balance[claim.Constraint] -= r.s.index.Hash(schema.LockID(table, claim.Key))
		}
		for _, key := range claim.Keys() {
			for n := range r.s.index.ByLock(schema.LockID(table, key)) {
				if r.s.targets[n].is(v, table, key) {
					r.hits = append(r.hits, hit{n, claim.Constraint.Attribute})
				}
			}
		}
	}
}

func (r *Reader) hit(at int32) {
	own := r.kind != nil && r.s.v.HoldsValuesIn(r.kind, r.s.targets[at].con, r.path)
	if own == r.whole && !slices.ContainsFunc(r.hits, func(h hit) bool {
		return h.at == at && (h.path == r.path || schema.Below(h.path, r.path))
	}) {
		r.hits = append(r.hits, hit{at, r.path})
	}
}

// mostNames is how many names of attributes are kept that hold no value.
const mostNames = 1 << 12

// name finds the values that the name of an attribute holds. Their place is "*": each value is
// another attribute. Most items have the same names, so a name without values is read once.
func (r *Reader) name(name string) {
	if r.plain[name] {
		return
	}
	before := len(r.hits)
	r.text(anyName, name)
	if len(r.hits) == before && len(r.plain) < mostNames {
		r.plain[strings.Clone(name)] = true
	}
}

// anyName is the path of the names of attributes.
const anyName = "*"

func (r *Reader) attribute(path string, v attr.Value) {
	switch v.Kind {
	case attr.S:
		if fields, ok := document(v.Text); ok { // first, so that a hit in it names the field
			r.attribute(path, fields)
		}
		r.text(path, v.Text)
	case attr.B:
		r.text(path, v.Text)
	case attr.N:
		r.text(path, attr.CanonicalNumber(v.Text))
	case attr.SS, attr.BS:
		for _, text := range v.Set {
			r.text(path, text)
		}
	case attr.NS:
		for _, text := range v.Set {
			r.text(path, attr.CanonicalNumber(text))
		}
	case attr.L:
		for _, e := range v.List {
			r.attribute(path, e)
		}
	case attr.M:
		for name, e := range v.Map {
			r.text(path, name)
			r.attribute(Path(path, name), e)
		}
	}
}

// text finds the values that a text holds. In an attribute of the constraint only the whole text
// counts, and in every other one each piece.
func (r *Reader) text(path, text string) {
	r.path, r.whole = path, true
	if r.kind != nil && slices.ContainsFunc(r.kind.Constraints, func(c *layout.Constraint) bool {
		return path == c.Attribute || schema.Below(path, c.Attribute)
	}) {
		r.finder.Whole(text)
	}
	r.whole = false
	r.finder.Anywhere(text)
}

func (r *Reader) hold(table string, item attr.Item) {
	s, v := r.s, r.s.v
	keys := v.SchemaOf(table)
	key, _ := keys.KeyOf(item)
	claims := r.claimsOf(item)
	s.mu.Lock()
	defer s.mu.Unlock()
	done := map[int32]bool{}
	for _, h := range r.hits {
		g := &s.targets[h.at]
		switch {
		case done[h.at]:
		case g.is(v, table, key): // the lock itself
			done[h.at] = true
		case slices.ContainsFunc(claims, func(c layout.Claim) bool {
			return c.Err == nil && slices.ContainsFunc(c.Keys(), func(k attr.Key) bool {
				return g.is(v, v.LockTable(c.Constraint), k)
			})
		}):
			done[h.at] = true
			g.meet().claim(r.account)
		}
	}
	for _, h := range r.hits {
		g := &s.targets[h.at]
		if done[h.at] {
			continue
		}
		own := r.kind != nil && v.HoldsValuesIn(r.kind, g.con, h.path)
		place := r.place(h, table, keys, key)
		if g.anyScope && own && g.called(v, claims, key, place) {
			continue
		}
		g.meet().hold(place, key, r.known && !(g.anyScope && own))
	}
}

func (r *Reader) place(h hit, table string, keys attr.Schema, key attr.Key) layout.Place {
	r.one.want = h.at
	shape := Shape(key, func(text string) bool {
		r.one.found = false
		r.one.finder.Exactly(text)
		return r.one.found
	})
	path := h.path
	if keys.IsKey(path) {
		path = layout.KeyAttribute
	}
	return layout.Place{Table: table, Items: shape, Attribute: strings.Clone(path)}
}

// document parses a text that is JSON, or lines of it, as a list: an item that keeps its attributes
// so holds them all the same.
func document(text string) (attr.Value, bool) {
	text = strings.TrimSpace(text)
	if len(text) < 2 {
		return attr.Value{}, false
	}
	switch text[:1] + text[len(text)-1:] {
	case "{}", "[]", `""`:
	default:
		return attr.Value{}, false
	}
	var all []attr.Value
	for d := newDecoder(text); ; {
		var parsed any
		switch err := d.Decode(&parsed); {
		case err == nil:
			all = append(all, documentValue(parsed))
		case errors.Is(err, io.EOF):
			return attr.Value{Kind: attr.L, List: all}, true
		default:
			return attr.Value{}, false
		}
	}
}

// newDecoder reads one value of JSON after the other, as in JSON lines, and rounds no number.
func newDecoder(text string) *json.Decoder {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	return d
}

func documentValue(parsed any) attr.Value {
	switch v := parsed.(type) {
	case string:
		return attr.String(v)
	case json.Number:
		return attr.Number(v.String())
	case []any:
		list := attr.Value{Kind: attr.L}
		for _, e := range v {
			list.List = append(list.List, documentValue(e))
		}
		return list
	case map[string]any:
		fields := attr.Value{Kind: attr.M, Map: map[string]attr.Value{}}
		for name, e := range v {
			fields.Map[name] = documentValue(e)
		}
		return fields
	}
	return attr.Value{} // true, false or null
}

// claimsInAnyScope takes in a claim on a value that is searched for in every scope, and a value
// whose scope cannot be read.
func (r *Reader) claimsInAnyScope(claim layout.Claim) {
	for _, at := range r.s.anyScope {
		if g := &r.s.targets[at]; r.s.v.SamePlace(g.con, claim.Constraint) && g.spells(claim) {
			r.hits = append(r.hits, hit{at, claim.Constraint.Attribute})
		}
	}
}
