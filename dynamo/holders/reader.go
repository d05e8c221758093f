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

// A Reader reads items for a Search. Each goroutine needs its own.
type Reader struct {
	s      *Search
	finder *Finder
	// one tests whether a part of an item's key is the value of a target.
	one *oneValue

	kind     *layout.Account // the kind of the current account; nil if the current item is not an account
	known    bool            // set if the item is an account or a lock of the layout
	path     string          // the path of the current text in the item
	whole    bool            // set while only whole texts are compared
	hits     []hit
	account  schema.Account // the current item as an account, without its attributes
	claims   []layout.Claim
	claimed  bool // set if claims has the claims of the current item
	accounts int
	// balance has a sum for each constraint: the hashes of all lock keys minus the hashes of all claims
	// (see Search.Balanced).
	balance map[*layout.Constraint]uint64
	locks   map[*layout.Constraint]int
	others  map[*layout.Constraint]*layout.LockTraits
	plain   map[string]bool // names of attributes that contain no value of a target
}

// hit says that the current item has the value of a target. at is the target's index. path is the value's place in the
// item.
type hit struct {
	at   int32
	path string
}

// oneValue tests whether a text is the value of the target want.
type oneValue struct {
	finder *Finder
	want   int32
	found  bool
}

// Close adds the reader's counts to the Search.
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

// See reads one whole item.
func (r *Reader) See(table string, item attr.Item) {
	r.SeeFields(table, r.s.v.Classify(table, item), item, func(yield func(string, attr.Value) bool) {
		for name, v := range item {
			if !yield(name, v) {
				return
			}
		}
	}, func() attr.Item { return item })
}

// SeeFields is See for an item in a representation other than attr.Item. role is the item's role in the layout. at
// returns single attributes, and all yields every attribute. SeeFields keeps no text that at and all return. The
// function whole returns a copy of the item that the Search may keep.
func (r *Reader) SeeFields(
	table string, role layout.Role, at attr.Fields, all iter.Seq2[string, attr.Value], whole func() attr.Item,
) {
	s, v := r.s, r.s.v
	if region := at.At(client.UpdateRegion); region.Exists() {
		s.saw(table, region.Text)
	}
	keys := v.SchemaOf(table)
	key, ok := keys.KeyOf(at)
	if !ok || s.Empty() {
		return
	}
	r.hits, r.kind, r.claimed = r.hits[:0], nil, false
	r.known = role.Constraint != nil && !role.Malformed || role.Account != nil
	if role.Constraint != nil && !role.Malformed {
		r.lock(role.Constraint, table, key, all)
	} else {
		if role.Constraint == nil && role.Account != nil && table == v.AccountTable {
			r.kind, r.account = role.Account, schema.Account{Model: role.Account.Model, ID: role.ID, Key: key}
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

// claimsOf returns the claims of the current account. It computes them once for each item.
func (r *Reader) claimsOf(at attr.Fields) []layout.Claim {
	if r.kind == nil {
		return nil
	}
	if !r.claimed {
		r.claims, r.claimed = r.kind.AppendClaims(r.claims[:0], r.s.v.AccountTable, r.s.v.SchemaOf, at), true
	}
	return r.claims
}

// lock reads a lock. It searches only unusual attributes, since a usual one contains at most the lock's own
// value. An attribute is usual if it is plain, or if a claimed lock of the constraint has it, too.
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

// matchClaims finds the targets whose lock the account claims. It compares the exact lock keys, since the
// finder could miss such a target: after normalising, the value may have no text in common with the
// account.
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

// mostNames limits the size of Reader.plain.
const mostNames = 1 << 12

// name searches the name of an attribute, since some applications use values as names. The path of such a
// value is "*". Most items have the same names, so name remembers names without a value and searches them
// only once.
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

// anyName is the path of a hit in the name of an attribute.
const anyName = "*"

func (r *Reader) attribute(path string, v attr.Value) {
	switch v.Kind {
	case attr.S:
		if fields, ok := document(v.Text); ok { // parse JSON first, so that a hit has the path of its field
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

// text searches one text. In a constraint's own attribute, only the whole text counts as a value. In all
// other attributes, any part counts.
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
		case g.is(v, table, key): // this item is the lock itself
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

// document parses a text that is JSON or JSON lines, and returns the parsed values as a list. Some
// applications keep an item's data in such a text. The second result is false if the text is no JSON.
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

// newDecoder returns a decoder that reads several JSON values one after the other, and keeps all digits of
// numbers.
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
	return attr.Value{} // true, false and null contain no value
}

// claimsInAnyScope adds a hit for each target that SearchAnyScope added, if this account claims its value.
// The claim counts even if the account does not show the scope of its lock.
func (r *Reader) claimsInAnyScope(claim layout.Claim) {
	for _, at := range r.s.anyScope {
		if g := &r.s.targets[at]; r.s.v.SharesKeys(g.con, claim.Constraint) && g.spells(claim) {
			r.hits = append(r.hits, hit{at, claim.Constraint.Attribute})
		}
	}
}
