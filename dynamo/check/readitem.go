package check

import (
	"iter"
	"slices"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/check/ids"
	"tallylock/dynamo/check/join"
	"tallylock/dynamo/check/report"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/check/sketch"
	"tallylock/dynamo/check/undescribed"
	"tallylock/dynamo/holders"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/scan"
	"tallylock/dynamo/schema"
)

// visitor processes the items that one worker reads.
type visitor struct {
	run  *run
	pass *pass
	from *join.Source
	// ids are the attributes and keys of the table that contain ids. keyRoles is the table's entry in run.keyRoles.
	ids      []ids.Field
	keyRoles *join.KeyRoles

	// The current item.
	row        scan.Fields
	rest       scan.Rest // the item's other attributes, if the pass reads whole items
	unjudged   unjudged  // the parts of the item that SQL has not judged; nil means all parts
	claims     []layout.Claim
	claimed    []uint64 // the fingerprints of the locks that the item claims
	claimIndex int      // the index of the item's current claim
	texts      []string
	prints     []uint64  // the fingerprints of the item's values or ids
	shared     []sharing // the item's values or ids that other items may have

	// The encoded key of one lock, in several variants.
	key         []byte // in the constraint's first form, which the sketch uses for all forms
	keyAndOwner []byte
	lockKey     []byte // in the lock's own form, if the constraint has several forms
	foldedKey   []byte

	reader        *holders.Reader // nil if the pass searches for no values
	whole         scan.WholeRow   // the current item for the reader; attributes and item are two of its methods
	attributes    iter.Seq2[string, attr.Value]
	item          func() attr.Item
	batch         *sketch.Batch
	expiringBatch *sketch.Batch // the keys with a TTL; nil if the pass does not compare TTLs

	// sign is 1 for an item and for the new image of a change, and −1 for the old image.
	sign    int32
	count   tally
	series  *ids.Worker
	shapes  undescribed.Shapes
	answers *undescribed.Answers // nil if the config has no answers, or if this pass does not need them
}

func (p *pass) newVisitor(from *join.Source) *visitor {
	v := &visitor{
		run: p.run, pass: p, from: from, ids: p.run.idFields[from], keyRoles: p.run.keyRoles[from],
		row: scan.Fields{Names: from.Attributes}, batch: p.join.Batch(),
		shapes: undescribed.Shapes{}, series: p.series.Worker(), sign: 1,
	}
	if p.first && p.run.o.Candidates == nil {
		v.answers = p.run.answers
	}
	v.count.rules = make([]ruleTally, len(p.run.rules.All))
	if p.search != nil && !p.search.Empty() {
		v.reader, v.whole.Names = p.search.Reader(), from.Attributes
		v.attributes, v.item = v.whole.All, v.whole.Item
	}
	if p.expiring != nil {
		v.expiringBatch = p.expiring.Batch()
	}
	return v
}

// Visit processes one item. It implements scan.Visitor.
func (v *visitor) Visit(row scan.Row, rest scan.Rest) {
	v.row.Row, v.rest = row, rest
	if v.answers != nil {
		v.answers.Take(v.from.Name, v.itemKey())
	}
	if v.keyRoles != nil && v.pass.comparesLocks() { // the keys of nearly all items show their roles
		if role, of := v.keyRoles.Classify(row); role.Account != nil {
			v.search(role)
			if of == nil {
				v.addAccount(role.Account, row[v.keyRoles.Hash].Text)
			} else {
				v.key = v.run.codec.AppendValue(v.key[:0], of.PlainIndex, role.Value)
				v.addLock(of, role, v.key)
			}
			return
		}
	}
	key, ok := v.from.Schema.KeyOf(&v.row)
	if !ok {
		v.count.keyless++ // only an export of another table has such items
		return
	}
	t := v.run.t
	role := t.Classify(v.from.Name, &v.row)
	v.search(role)
	carries := false // whether the item has an id
	if role.Counter != nil {
		v.addCounter(role.Counter, key)
	} else if len(v.ids) > 0 && v.unjudged.hasIDs() {
		carries = v.addIDs(key)
	}
	if role == (layout.Role{}) && !carries && v.pass.first && v.unjudged == nil {
		v.shapes.Add(v.from.Name, key)
	}
	hash, sort := join.KeyText(key.Hash.Value), join.KeyText(key.Range.Value)
	switch {
	case !v.pass.comparesLocks() && v.run.values.prints == nil && v.pass.guess == nil && len(v.run.drift.rules) == 0:
	case role.Account != nil && role.Constraint == nil:
		v.addAccount(role.Account, hash)
	case role.Constraint == nil && role.Counter == nil && len(t.Layout.Keyed) > 0:
		v.addKeyed()
	case !v.pass.comparesLocks():
	case role.Constraint != nil:
		v.key = v.run.codec.Append(v.key[:0], v.from, hash, sort)
		own := v.key
		if len(role.Constraint.Also) > 0 {
			v.lockKey = append(v.lockKey[:0], v.key...)
			first := role.Constraint.FirstForm(key)
			v.key = v.run.codec.Append(v.key[:0], v.from, join.KeyText(first.Hash.Value), join.KeyText(first.Range.Value))
			own = v.lockKey
		}
		v.addLock(v.run.rules.ByConstraint[role.Constraint], role, own)
	}
}

// VisitChange processes a change of an incremental export: it subtracts the old image, and adds the new one. It
// implements scan.ChangeVisitor.
func (v *visitor) VisitChange(c *scan.Change) {
	defer func() { v.sign = 1 }()
	if c.Old != nil {
		v.sign = -1
		v.count.items--
		v.Visit(c.Old.Row, scan.Rest{})
	}
	if c.New != nil {
		v.sign = 1
		v.count.items++
		v.Visit(c.New.Row, scan.Rest{})
	}
}

// search looks for the candidates' values in the current item.
func (v *visitor) search(role layout.Role) {
	if v.reader != nil {
		v.whole.Row, v.whole.Rest = v.row.Row, v.rest
		v.reader.SeeFields(v.from.Name, role, &v.whole, v.attributes, v.item)
	}
}

func (v *visitor) itemKey() attr.Key {
	key, _ := v.from.Schema.KeyOf(&v.row)
	return key
}

// addLock records the current item as a lock. own is the lock's key, and v.key is the first form of that key.
func (v *visitor) addLock(of *join.Rule, role layout.Role, own []byte) {
	if v.unjudged != nil { // SQL has judged the lock, but left other parts to the check
		if slices.Contains(v.unjudged, unjudgedMark) {
			v.mark(role)
		}
		return
	}
	counts := &v.count.rules[of.Number]
	v.count.locks += int64(v.sign)
	counts.locks += int64(v.sign)
	owner := ""
	if of.Owner != "" {
		owner = of.OwnerOf(&v.row)
		if owner == "" && v.pass.unowned != nil {
			v.pass.unowned(of.Name)
		}
	}
	prefix, rest, sure := "", "", false // prefix and rest make up the owner's partition key
	if owner != "" {
		prefix, rest, sure = of.OwnerParts(owner, v.itemKey)
	}
	if sure {
		counts.owned += int64(v.sign)
	}
	mark := ""
	if v.from.MarkColumn >= 0 && v.row.Row[v.from.MarkColumn].Exists() {
		mark = v.row.Row[v.from.MarkColumn].Text
		v.mark(role)
	}
	if of.Guessed() {
		v.addGuessedLock(of, role, own, v.lockFacts(of, owner, mark))
		return
	}
	if !v.inPartition() {
		return
	}
	e := v.batch.Next(-v.sign)
	v.fillEntry(e, of, prefix, rest)
	if v.expiringBatch != nil && v.from.ExpiresAt(v.row.Row).Exists() && !of.Lapses {
		v.addExpiring(e.Place, -1)
	}
	if c := v.pass.candidates[e.Place]; c != nil {
		c.SawLock(of, own, role, v.lockFacts(of, owner, mark))
	}
	if k := v.pass.open[e.Place]; k != nil {
		partition := ""
		if of.First.Owned {
			partition = prefix + rest
		}
		k.SawLock(v.sign, of, v.key, own, role, v.lockFacts(of, owner, mark), partition)
	}
}

// mark records that the current lock has a release mark.
func (v *visitor) mark(role layout.Role) {
	v.pass.mu.Lock()
	defer v.pass.mu.Unlock()
	v.pass.count.marks.see(v.sign, v.from.Name, role, v.itemKey())
}

// addExpiring adds v.key to the keys with a TTL: sign is 1 for an account, and −1 for a lock.
func (v *visitor) addExpiring(place uint64, sign int32) {
	e := v.expiringBatch.Next(sign)
	e.Print, e.Place = place, place
	e.SetKey(v.key)
}

func (v *visitor) addAccount(a *layout.Account, hash string) {
	r := v.run
	expires := v.expiringBatch != nil && v.from.ExpiresAt(v.row.Row).Exists()
	if v.unjudged == nil {
		v.count.accounts += int64(v.sign)
		if expires {
			v.count.expiring++
		}
	}
	if v.pass.accounts != nil {
		v.pass.accounts(v.row.Row.Item(v.from.Attributes))
	}
	v.addOwner(a, hash)
	if g := v.pass.guess; g != nil && g.accounts != nil {
		g.addAccount(r.seed.Hash([]byte(hash)), schema.Account{Model: a.Model, Key: v.itemKey().Clone()})
	}
	v.addValues(a)
	v.addDerived(a)
	if !v.pass.comparesLocks() {
		return
	}
	v.claimed, v.claimIndex = v.claimed[:0], -1
	for _, con := range a.Constraints {
		of := r.rules.ByConstraint[con]
		if !v.unjudged.hasRule(of) {
			continue
		}
		value := &attr.Value{}
		if of.Column >= 0 {
			value = &v.row.Row[of.Column]
		}
		if !value.Exists() {
			nested := v.row.At(con.Attribute)
			if value = &nested; !value.Exists() {
				continue
			}
		}
		if of.PlainIndex >= 0 && value.Kind == attr.S && value.Text != "" {
			text, folded := of.NormaliseFolded(value.Text)
			if r.codec.Plain[of.PlainIndex].Makes(text) {
				v.key = r.codec.AppendValue(v.key[:0], of.PlainIndex, text)
				v.addClaim(of, text, hash, expires, folded)
				continue
			}
		}
		v.claims = a.AppendClaimsOf(v.claims[:0], con, r.t.Name, r.t.SchemaOf, &v.row)
		for _, claim := range v.claims {
			if claim.Err != nil {
				v.claimIndex++
				v.count.rules[of.Number].impossible += int64(v.sign)
				if v.count.impossible += int64(v.sign); v.count.example == "" && v.sign > 0 {
					v.count.example = report.Shortened(v.itemKey().String()) + ": " + report.Shortened(claim.Err.Error())
				}
				continue
			}
			pk, sk := join.KeyText(claim.Key.Hash.Value), join.KeyText(claim.Key.Range.Value)
			v.key = r.codec.Append(v.key[:0], of.LocksIn, pk, sk)
			v.addClaim(of, claim.Value, hash, expires, of.Folded(claim.Value))
		}
	}
}

// addOwner records the current account for the locks that may name it. hash is its partition key.
func (v *visitor) addOwner(a *layout.Account, hash string) {
	for _, k := range v.pass.openOwners[hash] {
		k.SawOwner(v.sign, v.itemKey(), func() attr.Item { return v.row.Row.Item(v.from.Attributes) })
	}
	for _, c := range v.pass.owners[hash] {
		item := scan.WholeItem(v.row.Row, v.from.Attributes, v.rest)
		c.AddNamed(schema.Account{Model: a.Model, Key: v.itemKey().Clone(), Item: item})
	}
}

// addClaim records that the current account claims the lock whose key is v.key.
func (v *visitor) addClaim(of *join.Rule, value, hash string, expires, folded bool) {
	v.claimIndex++
	v.count.rules[of.Number].claims += int64(v.sign)
	if !folded {
		v.count.rules[of.Number].unfolded += int64(v.sign)
	}
	if of.Guessed() {
		v.addGuessedClaim(of, value)
		return
	}
	if !v.inPartition() {
		return
	}
	e := v.batch.Next(v.sign)
	v.fillEntry(e, of, "", hash)
	if slices.Contains(v.claimed, e.Place) {
		v.batch.Drop() // an account that claims the lock by two constraints counts once
		return
	}
	v.claimed = append(v.claimed, e.Place)
	if expires && !of.Lapses {
		v.addExpiring(e.Place, 1)
	}
	if c := v.pass.candidates[e.Place]; c != nil {
		c.AddHolder(v.pass.room, of, v.key, value, v.holder(), v.claimIndex)
	}
	if k := v.pass.open[e.Place]; k != nil {
		if !of.First.Owned {
			hash = ""
		}
		k.SawClaim(v.sign, v.pass.openRoom, of, v.key, value, v.holder(), hash)
	}
}

// fillEntry fills in the sketch entry of the lock whose key is in v.key. If the owners of the constraint are compared,
// the fingerprint covers the owner: prefix and rest together. With ConfirmNone no lock is read again. So the entry's
// key includes the owner, and the next pass recognises the owner's account.
func (v *visitor) fillEntry(e *sketch.Entry, of *join.Rule, prefix, rest string) {
	r := v.run
	e.Place = r.seed.Fingerprint(v.key)
	key := v.key
	if e.Print = e.Place; of.First.Owned {
		v.keyAndOwner = join.AppendOwner(v.keyAndOwner[:0], v.key, prefix, rest)
		if e.Print = r.seed.Fingerprint(v.keyAndOwner); r.o.Confirm == setting.ConfirmNone {
			key = v.keyAndOwner
		}
	}
	if v.pass.keys {
		e.SetKey(key)
	}
}

// finish adds the visitor's entries, counts, ids and shapes to the pass.
func (v *visitor) finish() {
	v.batch.Flush()
	v.series.Flush()
	if v.reader != nil {
		v.reader.Close()
	}
	if v.expiringBatch != nil {
		v.expiringBatch.Flush()
	}
	p := v.pass
	p.mu.Lock()
	defer p.mu.Unlock()
	p.count.add(&v.count)
	p.shapes.Merge(v.shapes)
}

// lockFacts returns the owner, the mark, the TTL and the reservation of the current lock. If the lock's key names the
// owner, that owner replaces the given one.
func (v *visitor) lockFacts(of *join.Rule, owner, mark string) join.LockFacts {
	if of.OwnedByKey() {
		owner = of.KeyOwner(v.itemKey())
	}
	return join.LockFacts{Owner: owner, Mark: mark, Expires: v.from.ExpiresAt(v.row.Row), Since: of.Reserved.Said(&v.row)}
}

// holder returns the current item as an account that claims a lock.
func (v *visitor) holder() join.Holder {
	key := v.itemKey()
	return join.Holder{Hash: key.Hash.Value.Text, Sort: key.Range.Value.Text, Expires: v.from.ExpiresAt(v.row.Row).Text}
}

// inPartition reports whether the key in v.key is in the pass's partition.
func (v *visitor) inPartition() bool {
	if v.pass.partition.All() {
		return true
	}
	v.foldedKey = v.run.codec.AppendFolded(v.foldedKey[:0], string(v.key))
	return v.pass.partition.Has(v.run.seed.Hash(v.foldedKey))
}
