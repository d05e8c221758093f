package check

import (
	"iter"
	"slices"
	"sync"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/scan"
)

// pass is one reading of all tables.
type pass struct {
	c     *checker
	share share // of the keys that are compared
	// first: it is the check's first.
	first bool
	// join is what accounts and locks leave over, nil where nobody asks for that;
	// expiry the same of those among them that will expire, nil where nothing does.
	join, expiry *join
	// twice collects the items of ids that may be carried twice; nil where there
	// are none.
	twice *collector
	// suspects are looked for, on every pass but the first, and their accounts kept
	// as far as there is room.
	suspects map[uint64]*suspect
	room     *room
	// owners are suspects by the partition key of the account that they name.
	owners map[string][]*suspect
	search *dynamo.ClaimScan // for what holds the suspects' values
	// now: the tables themselves are read, and not an export.
	now bool
	// beside is how many units a second are used beside it.
	beside float64
	// whole: items are read with all their attributes, any of which may hold a value.
	whole bool

	mu       sync.Mutex
	count    counts
	mintings mintings
}

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
	named  []byte // the key and the owner
	folded []byte // the key, as a share knows it
	join   batch
	soon   *batch // of what expires
	own    []uint64

	claims []layout.Claim
	count  counts

	mintings mintings
}

func (p *pass) visitor(from *source) *visitor {
	v := &visitor{p: p, from: from, row: scan.Fields{Names: from.names}, join: batch{join: p.join}, mintings: mintings{}}
	v.count.of = make([]constraintCounts, len(p.c.rules))
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
	if v.quick(row) {
		return
	}
	key, ok := v.from.schema.KeyOf(&v.row)
	if !ok {
		v.count.keyless++ // a table has none such
		return
	}
	t := v.p.c.t
	role := t.Layout.Classify(t.Name, v.from.name, v.from.schema, &v.row)
	if role.Counter != nil {
		v.counter(role.Counter, key)
	} else if len(v.from.ids) > 0 {
		v.minted(key)
	}
	hash, sort := keyText(key.Hash.Value), keyText(key.Range.Value)
	switch {
	case v.p.join == nil:
	case role.Constraint != nil:
		v.lock(v.p.c.ruleOf[role.Constraint], role, hash, sort)
	case role.Account != nil:
		v.account(role.Account, hash)
	}
}

// VisitWhole takes in one item with all its attributes.
func (v *visitor) VisitWhole(row scan.Row, rest scan.Rest) {
	v.rest = rest
	v.Visit(row)
}

// quick takes in what a glance at the key tells to be a lock or an account, which
// nearly every item is.
func (v *visitor) quick(row scan.Row) bool {
	g := v.from.glance
	if g == nil || v.p.join == nil {
		return false
	}
	hash, sort := row[g.hash], ""
	if hash.Kind != attr.S {
		return false
	}
	if g.sort >= 0 {
		sort = row[g.sort].Text
	}
	role, of := g.role(hash.Text, sort)
	switch {
	case role.Constraint != nil:
		v.lock(of, role, hash.Text, sort)
	case role.Account != nil:
		v.account(role.Account, hash.Text)
	default:
		return false
	}
	return true
}

// now is the key of the item that is visited.
func (v *visitor) now() attr.Key {
	key, _ := v.from.schema.KeyOf(&v.row)
	return key
}

func (v *visitor) lock(of *rule, role layout.Role, hash, sort string) {
	c := v.p.c
	counts := &v.count.of[of.at]
	v.count.locks++
	counts.locks++
	owner, sure := of.partition(of.OwnerOf(&v.row), v.now)
	if sure {
		counts.owned++
	}
	if mark := v.row.At(dynamo.MarkAttribute); mark.Exists() {
		v.p.mark(role, v.now())
	}
	v.key = v.from.appendKey(v.key[:0], hash, sort)
	if !v.mine() {
		return
	}
	e := v.join.next(-1)
	v.entry(e, of, owner)
	if v.soon != nil && v.row.At(v.from.expiry).Kind == attr.N {
		c.secret.entry(v.soon.next(-1), v.key, nil, v.key)
	}
	if s := v.p.suspects[e.place]; s != nil {
		s.meet(c, v.from, v.now(), role, v.copy())
	}
}

func (v *visitor) account(a *layout.Account, hash string) {
	c := v.p.c
	v.count.accounts++
	expires := v.soon != nil && v.row.At(v.from.expiry).Kind == attr.N
	if expires {
		v.count.expiring++
	}
	for _, s := range v.p.owners[hash] {
		s.owned(dynamo.Account{Model: a.Model, Key: cloneKey(v.now()), Item: v.copy()})
	}
	v.own = v.own[:0]
	for _, con := range a.Constraints {
		value := v.row.At(con.Attribute)
		if !value.Exists() {
			continue
		}
		of := c.ruleOf[con]
		if plain := of.plain; plain != nil && value.Kind == attr.S {
			text := layout.Normalise(con.Normalise, value.Text)
			if plain.Makes(text) {
				v.key = of.locks.appendPlain(v.key[:0], plain, text)
				v.calls(of, text, hash, expires)
				continue
			}
		}
		v.claims = a.AppendClaimsOf(v.claims[:0], con, c.t.Name, c.schemaOf, &v.row)
		for _, claim := range v.claims {
			if claim.Err != nil {
				if v.count.impossible++; v.count.example == "" {
					v.count.example = shortened(v.now().String()) + ": " + shortened(claim.Err.Error())
				}
				continue
			}
			v.key = of.locks.appendKey(v.key[:0], keyText(claim.Key.Hash.Value), keyText(claim.Key.Range.Value))
			v.calls(of, claim.Value, hash, expires)
		}
	}
}

// calls takes in that an account calls for the lock whose key has just been
// written.
func (v *visitor) calls(of *rule, value, hash string, expires bool) {
	c := v.p.c
	v.count.of[of.at].calls++
	if layout.Fold(value) != value {
		v.count.of[of.at].folds++
	}
	if !v.mine() {
		return
	}
	e := v.join.next(1)
	v.entry(e, of, hash)
	if slices.Contains(v.own, e.place) {
		v.join.n-- // two constraints call for one lock: it counts once
		return
	}
	v.own = append(v.own, e.place)
	if expires {
		c.secret.entry(v.soon.next(1), v.key, nil, v.key)
	}
	if s := v.p.suspects[e.place]; s != nil {
		s.claimed(v.p.room, v.now(), v.lifetime, of.Constraint, value, of.locks, v.key)
	}
}

// lifetime is what is kept of the account that is visited: when it expires. Of the
// only one that calls for a lock it is all that was asked for, which tells its
// other locks, too.
func (v *visitor) lifetime(only bool) attr.Item {
	at := v.row.At(v.from.expiry)
	switch {
	case v.from.expiry == "":
		return nil
	case only:
		return v.row.Row.Item(v.from.names)
	case !at.Exists():
		return nil
	}
	return attr.Item{v.from.expiry: scan.Clone(at)}
}

// counter takes in a counter of a family that does not look well. The others are
// read where their ids are met.
func (v *visitor) counter(l *layout.Counter, key attr.Key) {
	c := v.p.c
	if !v.p.first || l.Fixed(c.t.Schema) || l.KeyIsValue(c.t.Schema) || len(l.Findings(v.row.At(l.Attribute))) == 0 {
		return
	}
	v.follow(mintingName(slices.Index(c.t.Layout.Counters, l), key), l, key, true)
}

// copy is the item in memory that may be kept.
func (v *visitor) copy() attr.Item {
	return scan.WholeItem(v.row.Row, v.from.names, v.rest)
}

// entry makes the entry of the lock whose key has just been written, with its owner
// where the constraint's owners count. Where no lock is read again the sketch gives
// the owner back, too, so that its account can be told when it is met.
func (v *visitor) entry(e *entry, of *rule, owner string) {
	c := v.p.c
	if !of.first.owned {
		c.secret.entry(e, v.key, nil, v.key)
		return
	}
	v.named = appendOwner(v.named[:0], v.key, owner)
	carried := v.key
	if c.o.Confirm == ConfirmNone {
		carried = v.named
	}
	c.secret.entry(e, v.key, v.named, carried)
}
