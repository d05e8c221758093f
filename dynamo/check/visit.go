package check

import (
	"iter"
	"slices"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/check/sketch"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/scan"
)

// visitor takes in the items of one worker.
type visitor struct {
	p      *pass
	from   *source
	reader *dynamo.ClaimReader // nil where no values are searched
	whole  scan.WholeRow       // what it is shown, and its methods
	all    iter.Seq2[string, attr.Value]
	kept   func() attr.Item
	row    scan.Fields
	rest   scan.Rest // of the item, where items are read whole
	key    []byte
	texts  []string
	named  []byte // the key and the owner
	folded []byte // the key, however it is spelt
	join   batch
	soon   *batch // of what expires
	own    []uint64
	claim  int   // of the account that is visited: which of its claims
	part   *part // of the item that is visited: what is judged of it

	claims []layout.Claim
	count  tally
	ids    idVisitor
}

func (p *pass) visitor(from *source) *visitor {
	v := &visitor{p: p, from: from, row: scan.Fields{Names: from.names}, join: batch{join: p.join}, ids: idVisitor{p: p, from: from, series: idSeries{}}}
	v.count.of = make([]ruleTally, len(p.r.rules.all))
	if p.search != nil && !p.search.Empty() {
		v.reader, v.whole.Names = p.search.Reader(), from.names
		v.all, v.kept = v.whole.All, v.whole.Item
	}
	if p.expiry != nil {
		v.soon = &batch{join: p.expiry}
	}
	return v
}

// Visit takes in one item.
func (v *visitor) Visit(row scan.Row) {
	v.row.Row = row
	if v.reader != nil {
		v.whole.Row, v.whole.Rest = row, v.rest
		v.reader.SeeFields(v.from.name, &v.whole, v.all, v.kept)
	}
	if v.byKeyAlone(row) {
		return
	}
	key, ok := v.from.schema.KeyOf(&v.row)
	if !ok {
		v.count.keyless++ // a table has none such
		return
	}
	t := v.p.r.t
	role := t.Layout.Classify(t.Name, v.from.name, v.from.schema, &v.row)
	if role.Counter != nil {
		v.ids.counter(&v.row, role.Counter, key)
	} else if len(v.from.ids) > 0 && v.part.hasIDs() {
		v.ids.take(&v.row, key)
	}
	hash, sort := keyText(key.Hash.Value), keyText(key.Range.Value)
	switch {
	case v.p.join == nil && v.p.r.values.seen == nil && len(v.p.r.drift.rules) == 0:
	case role.Account != nil && role.Constraint == nil:
		v.account(role.Account, hash)
	case role.Constraint == nil && role.Counter == nil && len(t.Layout.Keyed) > 0:
		v.keyed()
	case v.p.join == nil:
	case role.Constraint != nil:
		v.key = v.p.r.codec.append(v.key[:0], v.from, hash, sort)
		v.lock(v.p.r.rules.of[role.Constraint], role)
	}
}

// VisitWhole takes in one item with all its attributes.
func (v *visitor) VisitWhole(row scan.Row, rest scan.Rest) {
	v.rest = rest
	v.Visit(row)
}

// byKeyAlone takes in what the key alone tells to be a lock or an account, which
// nearly every item is.
func (v *visitor) byKeyAlone(row scan.Row) bool {
	plain := v.from.plain
	if plain == nil || v.p.join == nil {
		return false
	}
	hash, sort := &row[plain.hash], ""
	if hash.Kind != attr.S {
		return false
	}
	if plain.sort >= 0 {
		sort = row[plain.sort].Text
	}
	for n := range plain.locks {
		l := &plain.locks[n]
		if value, ok := l.Read(hash.Text, sort); ok {
			v.key = v.p.r.codec.appendValue(v.key[:0], l.rule.plain, value)
			v.lock(l.rule, layout.Role{Account: l.account, Constraint: l.rule.Constraint, Value: value, Malformed: layout.Nonsense(value)})
			return true
		}
	}
	if slices.Contains(plain.fixed, hash.Text) {
		return false
	}
	for n := range plain.accounts {
		a := &plain.accounts[n]
		if _, ok := a.Read(hash.Text, sort); ok {
			v.account(a.account, hash.Text)
			return true
		}
	}
	return false
}

// now is the key of the item that is visited.
func (v *visitor) now() attr.Key {
	key, _ := v.from.schema.KeyOf(&v.row)
	return key
}

// ownerOf is whom the lock that is visited names.
func (v *visitor) ownerOf(of *rule) string {
	if of.ownerColumn >= 0 && v.from == of.locks {
		if owner := &v.row.Row[of.ownerColumn]; owner.Exists() {
			return owner.Text
		}
	}
	return of.OwnerOf(&v.row)
}

// lock takes in a lock whose key has just been written.
func (v *visitor) lock(of *rule, role layout.Role) {
	if v.part != nil { // SQL has judged it: what is left of the item is something else
		v.marked(role)
		return
	}
	counts := &v.count.of[of.at]
	v.count.locks++
	counts.locks++
	owner := ""
	if of.Owner != "" {
		owner = v.ownerOf(of)
	}
	partition, sure := owner, false
	if owner != "" {
		partition, sure = of.partition(owner, v.now)
	}
	if sure {
		counts.owned++
	}
	mark := ""
	if v.from.markColumn >= 0 && v.row.Row[v.from.markColumn].Exists() {
		mark = v.row.Row[v.from.markColumn].Text
		v.p.mark(role, v.now())
	}
	if !v.inPartition() {
		return
	}
	e := v.join.next(-1)
	v.entry(e, of, partition)
	expires := v.from.expiresAt(v.row.Row)
	if v.soon != nil && expires.Exists() {
		v.expiring(e.Place, -1)
	}
	if c := v.p.candidates[e.Place]; c != nil {
		if of.OwnedByKey() {
			owner = of.KeyOwner(v.now())
		}
		c.meet(of, v.key, role, lockFacts{owner: owner, mark: mark, expires: expires, since: of.Reserved.Said(&v.row)})
	}
}

// expiring takes in that what has just been taken in will expire.
func (v *visitor) expiring(place uint64, sign int32) {
	e := v.soon.next(sign)
	e.Print, e.Place = place, place
	e.SetKey(v.key)
}

func (v *visitor) account(a *layout.Account, hash string) {
	r := v.p.r
	expires := v.soon != nil && v.from.expiresAt(v.row.Row).Exists()
	if v.part == nil {
		v.count.accounts++
		if expires {
			v.count.expiring++
		}
	}
	if len(v.p.owners) > 0 {
		for _, c := range v.p.owners[hash] {
			c.owned(dynamo.Account{Model: a.Model, Key: cloneKey(v.now()), Item: v.copy()})
		}
	}
	v.values(a)
	v.drift(a)
	if v.p.join == nil {
		return
	}
	v.own, v.claim = v.own[:0], -1
	for _, con := range a.Constraints {
		of := r.rules.of[con]
		if !v.part.has(of) {
			continue
		}
		value := &attr.Value{}
		if of.column >= 0 {
			value = &v.row.Row[of.column]
		}
		if !value.Exists() {
			nested := v.row.At(con.Attribute)
			if value = &nested; !value.Exists() {
				continue
			}
		}
		if of.plain >= 0 && value.Kind == attr.S {
			text, folded := of.normalised(value.Text)
			if r.codec.plain[of.plain].Makes(text) {
				v.key = r.codec.appendValue(v.key[:0], of.plain, text)
				v.calls(of, text, hash, expires, folded)
				continue
			}
		}
		v.claims = a.AppendClaimsOf(v.claims[:0], con, r.t.Name, r.schemaOf, &v.row)
		for _, claim := range v.claims {
			if claim.Err != nil {
				v.claim++
				if v.count.impossible++; v.count.example == "" {
					v.count.example = shortened(v.now().String()) + ": " + shortened(claim.Err.Error())
				}
				continue
			}
			v.key = r.codec.append(v.key[:0], of.locks, keyText(claim.Key.Hash.Value), keyText(claim.Key.Range.Value))
			v.calls(of, claim.Value, hash, expires, of.folded(claim.Value))
		}
	}
}

// calls takes in that an account claims the lock whose key has just been
// written.
func (v *visitor) calls(of *rule, value, hash string, expires, folded bool) {
	v.claim++
	v.count.of[of.at].calls++
	if !folded {
		v.count.of[of.at].folds++
	}
	if !v.inPartition() {
		return
	}
	e := v.join.next(1)
	v.entry(e, of, hash)
	if slices.Contains(v.own, e.Place) {
		v.join.n-- // two constraints claim one lock: it counts once
		return
	}
	v.own = append(v.own, e.Place)
	if expires {
		v.expiring(e.Place, 1)
	}
	if c := v.p.candidates[e.Place]; c != nil {
		c.claimed(v.p.room, of, v.key, value, v.holder(), v.claim)
	}
}

// copy is the item in memory that may be kept.
func (v *visitor) copy() attr.Item {
	return scan.WholeItem(v.row.Row, v.from.names, v.rest)
}

// entry makes the entry of the lock whose key has just been written, with its owner
// where the constraint's owners count. Where no lock is read again the sketch gives
// the owner back, too, so that its account can be told when it is met.
func (v *visitor) entry(e *sketch.Entry, of *rule, owner string) {
	r := v.p.r
	e.Place = r.seed.Fingerprint(v.key)
	key := v.key
	if e.Print = e.Place; of.first.owned {
		v.named = appendOwner(v.named[:0], v.key, owner)
		if e.Print = r.seed.Fingerprint(v.named); r.o.Confirm == ConfirmNone {
			key = v.named
		}
	}
	if v.p.keys {
		e.SetKey(key)
	}
}
