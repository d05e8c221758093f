package dynamo

import (
	"iter"
	"slices"
	"time"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

// ClaimReader takes in items for a ClaimScan, in one goroutine.
type ClaimReader struct {
	s      *ClaimScan
	shapes shapeValues
	shape  []byte
	form   []byte
	kind   *layout.Account // of the item, where it is an account
	hits   []hit
	claims []layout.Claim
	tables map[string]bool

	accounts     int
	locks, calls map[*layout.Constraint]int
	now          time.Time
}

// hit is a text of an item that may be a target's value.
type hit struct {
	target    *target
	attribute string
	form      bool // it is in another form
}

// Reader makes a reader; Close hands on what it has seen.
func (s *ClaimScan) Reader() *ClaimReader {
	r := &ClaimReader{
		s:      s,
		tables: map[string]bool{},
		locks:  map[*layout.Constraint]int{},
		calls:  map[*layout.Constraint]int{},
		now:    time.Now(),
	}
	r.shapes.fill(s)
	return r
}

// Close hands on what was counted.
func (r *ClaimReader) Close() {
	s := r.s
	s.mu.Lock()
	defer s.mu.Unlock()
	for table := range r.tables {
		s.read[table] = true
	}
	s.shapes.merge(r.shapes)
	s.accounts += r.accounts
	for c, n := range r.locks {
		s.locks[c] += n
	}
	for c, n := range r.calls {
		s.calls[c] += n
	}
}

// See takes in one whole item.
func (r *ClaimReader) See(table string, item attr.Item) {
	r.SeeFields(table, item, func(yield func(string, attr.Value) bool) {
		for name, v := range item {
			if !yield(name, v) {
				return
			}
		}
	}, func() attr.Item { return item })
}

// SeeFields is See of an item that is not in memory as one: at gives single attributes,
// all each of them, and whole a copy that may be kept. Texts are not kept.
func (r *ClaimReader) SeeFields(
	table string, at attr.Fields, all iter.Seq2[string, attr.Value], whole func() attr.Item,
) {
	s, t := r.s, r.s.t
	schema := t.SchemaOf(table)
	key, ok := schema.KeyOf(at)
	if !ok || s.Empty() {
		return
	}
	if !r.tables[table] {
		r.tables[table] = true
	}
	role := t.Layout.Classify(t.Name, table, schema, at)
	lock := role.Constraint != nil && !role.Malformed
	var kind *layout.Account
	if role.Constraint == nil && role.Account != nil {
		kind = role.Account
		r.accounts++
	}
	if lock {
		if reserved := role.Constraint.Reserved; !reserved.Runs(reserved.Said(at), r.now) {
			r.locks[role.Constraint]++
		}
		r.shapes.lock(s, role.Constraint, role.Value)
		if s.oddAttribute(role.Constraint, table, key, all) == "" {
			return // as locks that are held look
		}
	}
	r.shape = layout.AppendShape(r.shape[:0], key)
	r.hits, r.kind = r.hits[:0], nil
	if kind != nil && table == t.Name {
		r.kind = kind
		if !s.claimsKnown {
			r.callsFor(kind, at)
		}
	}
	values := r.shapes.of(r.shape, kind, lock || table != t.Name)
	for name, v := range all {
		r.texts(values, table, name, v)
	}
	if len(r.hits) > 0 {
		r.hold(table, whole())
	}
}

// callsFor takes in the targets whose locks an account calls for, by their exact keys: how
// a value is normalised may leave no text of it in the account.
func (r *ClaimReader) callsFor(kind *layout.Account, at attr.Fields) {
	t := r.s.t
	r.claims = r.claims[:0]
	for _, c := range kind.Constraints {
		r.claims = kind.AppendClaimsOf(r.claims, c, t.Name, t.SchemaOf, at)
	}
	for _, claim := range r.claims {
		r.callsAnywhere(claim)
		if claim.Err != nil {
			continue
		}
		r.calls[claim.Constraint]++
		for _, k := range claim.Keys() {
			if g := r.s.targets.of(t, claim.Constraint.LockTable(t.Name), k); g != nil {
				r.hits = append(r.hits, hit{target: g, attribute: claim.Constraint.Attribute})
			}
		}
	}
}

// texts takes in every text below an attribute.
func (r *ClaimReader) texts(values *shapeTexts, table, path string, v attr.Value) {
	switch v.Kind {
	case attr.S:
		r.text(values, path, v.Text)
		if fields, ok := document(v.Text); ok {
			values.documents++
			r.texts(values, table, path, fields)
			values.documents--
		}
		if keyAttribute(r.s.t, table, path) {
			layout.Segments(v.Text, func(part string) {
				if len(part) < len(v.Text) {
					r.find(path, part, r.s.targets.textHash(part))
				}
			})
		}
	case attr.N:
		r.text(values, path, attr.CanonicalNumber(v.Text))
	case attr.B:
		r.text(values, path, v.Text)
	case attr.SS, attr.BS:
		for _, text := range v.Set {
			r.text(values, path, text)
		}
	case attr.NS:
		for _, text := range v.Set {
			r.text(values, path, attr.CanonicalNumber(text))
		}
	case attr.L:
		for _, e := range v.List {
			r.texts(values, table, path, e)
		}
	case attr.M:
		for name, e := range v.Map {
			r.text(values, path, name) // what is looked up by a value stands under it
			r.texts(values, table, path+"."+name, e)
		}
	}
}

func (r *ClaimReader) text(values *shapeTexts, path, text string) {
	if text == "" {
		return
	}
	h := r.s.targets.textHash(text)
	values.add(path, text, h)
	r.find(path, text, h)
	if r.kind != nil {
		r.findForms(path, text)
	}
	for _, w := range r.s.words {
		if len(text) > len(w.folded) && contains(text, w.folded) {
			r.mention(w.at)
		}
	}
}

func (r *ClaimReader) find(path, text string, hash uint64) {
	r.s.targets.find(text, hash, func(g *target) { r.hit(hit{target: g, attribute: path}) })
}

func (r *ClaimReader) mention(at int32) {
	s := r.s
	s.mu.Lock()
	defer s.mu.Unlock()
	s.targets.all[at].meet().mentions++
}

// hold takes in an item that holds values of targets, by the hits.
func (r *ClaimReader) hold(table string, item attr.Item) {
	s, t, shape := r.s, r.s.t, string(r.shape)
	key, _ := t.SchemaOf(table).KeyOf(item)
	var kind *layout.Account
	var a *Account
	var claims []layout.Claim
	if table == t.Name {
		if kind, a = t.Match.account(item); a != nil {
			claims = kind.Claims(t.Name, t.SchemaOf, item)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	told := map[*target]bool{} // the account says by its protected attribute what it holds
	for _, h := range r.hits {
		g := h.target
		called := slices.ContainsFunc(claims, func(c layout.Claim) bool {
			return c.Err == nil && slices.ContainsFunc(c.Keys(), func(k attr.Key) bool {
				return g.is(t, c.Constraint.LockTable(t.Name), k)
			})
		})
		switch {
		case g.is(t, table, key), told[g]:
			told[g] = true // the lock itself
		case called:
			told[g] = true
			g.meet().claimants = append(g.meet().claimants, *a)
		case a != nil && protects(t, kind, g.con, h.attribute):
			told[g] = !h.form
			g.otherwise(t, *a, claims)
		}
	}
	role := t.Layout.Classify(t.Name, table, t.SchemaOf(table), item)
	for _, h := range r.hits {
		if !told[h.target] && !h.form {
			// A key that misses its scope may be of the value in any.
			known := role.Account != nil || role.Constraint != nil && !h.target.anyScope
			found := &Sighting{Items: shape, Attribute: h.attribute, Key: key, N: 1, known: known}
			if a != nil {
				if form, is := h.target.anotherForm(t, kind, claims, item.At(h.attribute), h.attribute); is {
					found.known, found.form = false, form
				}
			}
			h.target.meet().held(found)
		}
	}
}

// protects reports whether an attribute of an account is where it holds values of the
// constraint's kind, or lies below that.
func protects(t *Table, kind *layout.Account, c *layout.Constraint, attribute string) bool {
	return slices.ContainsFunc(kind.Constraints, func(own *layout.Constraint) bool {
		return own.SamePlace(t.Name, c) && (attribute == own.Attribute || below(attribute, own.Attribute))
	})
}

func below(path, attribute string) bool {
	return len(path) > len(attribute) && path[:len(attribute)] == attribute && path[len(attribute)] == '.'
}
