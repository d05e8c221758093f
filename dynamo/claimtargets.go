package dynamo

import (
	"cmp"
	"fmt"
	"hash/maphash"
	"slices"
	"strings"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

// target is one lock that is asked about. There may be very many, and of most nothing is
// met: it is kept in few bytes.
type target struct {
	con        *layout.Constraint
	value      string // as the lock's key has it
	hash, sort string // the lock's key; empty where anyScope
	met        *met   // nil before anything was
	anyScope   bool
}

// met is what was met of a target's value.
type met struct {
	claimants []Account
	doubt     string
	sightings []*Sighting
	mentions  int
	// spellings are locks of values that differ from this one only in spelling, or in
	// their scope, each with an account that calls for it.
	spellings []spelt
}

// spelt is a Claimant in few bytes.
type spelt struct {
	con                      *layout.Constraint
	hash, sort               string // of the lock
	accountHash, accountSort string
	exact                    bool // the account holds the value as it is, and the layout respells it
}

// none is what was met of a target where nothing was.
var none = new(met)

// seen is what was met, to be read.
func (g *target) seen() *met {
	if g.met == nil {
		return none
	}
	return g.met
}

// meet is what was met, to be added to.
func (g *target) meet() *met {
	if g.met == nil {
		g.met = new(met)
	}
	return g.met
}

// doubts keeps the first reason why nothing may be concluded.
func (m *met) doubts(why func() string) {
	if m.doubt == "" {
		m.doubt = why()
	}
}

// held takes in an item that holds the value and is no account that calls for the lock.
func (m *met) held(found *Sighting) {
	for _, h := range m.sightings {
		if h.Items == found.Items && h.Attribute == found.Attribute {
			h.N++
			h.known = h.known && found.known
			if h.form.Constraint == nil {
				h.form = found.form
			}
			return
		}
	}
	if len(m.sightings) == mostSightings {
		m.doubts(func() string {
			return fmt.Sprintf("items of more than %d kinds hold it, %s among them", mostSightings, found.Key)
		})
		return
	}
	found.Attribute = strings.Clone(found.Attribute)
	m.sightings = append(m.sightings, found)
}

// is reports whether the target is of the lock with this key.
func (g *target) is(t *Table, table string, key attr.Key) bool {
	return !g.anyScope && g.con.LockTable(t.Name) == table && g.key(t).Equal(key)
}

func (g *target) key(t *Table) attr.Key {
	return t.SchemaOf(g.con.LockTable(t.Name)).KeyFrom(g.hash, g.sort)
}

// speltOf keeps texts of its own: those of an item would keep all of it.
func speltOf(claim layout.Claim, account attr.Key, exact bool) spelt {
	return spelt{
		claim.Constraint, strings.Clone(claim.Key.Hash.Value.Text), strings.Clone(claim.Key.Range.Value.Text),
		strings.Clone(account.Hash.Value.Text), strings.Clone(account.Range.Value.Text), exact,
	}
}

func (k spelt) claimant(t *Table) Claimant {
	table := k.con.LockTable(t.Name)
	return Claimant{Lock{Table: table, Key: t.SchemaOf(table).KeyFrom(k.hash, k.sort)}, k.account(t)}
}

func (k spelt) account(t *Table) attr.Key { return t.Schema.KeyFrom(k.accountHash, k.accountSort) }

// targetSet keeps targets, by their locks and by the texts that may be their values: in
// any spelling, or, where a constraint encodes its values, by what that makes of any
// spelling.
type targetSet struct {
	seed maphash.Seed
	all  []target
	// constraints are those of the targets, and digests those of the targets whose values look
	// like digests. encoding are those that encode their values other than by a digest alone.
	constraints, encoding, digests []*layout.Constraint

	byLock, folded, encoded hashIndex
	forms                   layout.Forms
	// naming finds by an account the locks that name it, and that cannot be read themselves.
	naming hashIndex
}

func newTargetSet() *targetSet {
	return &targetSet{
		seed: maphash.MakeSeed(), byLock: newHashIndex(), folded: newHashIndex(), encoded: newHashIndex(),
		naming: newHashIndex(),
	}
}

// add adds a target; a pointer to one is good once all were added.
func (s *targetSet) add(g target) (at int32) {
	at = int32(len(s.all))
	s.all = append(s.all, g)
	c := g.con
	for _, folded := range slices.Compact([]string{c.Spelling(g.value), layout.Fold(g.value)}) {
		s.folded.add(maphash.String(s.seed, folded), at)
	}
	s.forms.Add(layout.FormOf(c, g.value), at)
	if !slices.Contains(s.constraints, c) {
		s.constraints = append(s.constraints, c)
	}
	digest := layout.DigestIn(g.value)
	if digest != "" && !slices.ContainsFunc(s.digests, c.SameValues) {
		s.digests = append(s.digests, c)
	}
	if c.Encodes() || digest != "" {
		for _, value := range slices.Compact([]string{g.value, cmp.Or(digest, g.value)}) {
			s.encoded.add(maphash.String(s.seed, value), at)
		}
	}
	if c.Encodes() && !layout.OnlyHashes(c) && !slices.ContainsFunc(s.encoding, c.SameValues) {
		s.encoding = append(s.encoding, c)
	}
	return at
}

// addLock adds the target of a lock.
func (s *targetSet) addLock(rel *Relation) (at int32) {
	lock := rel.Lock
	at = s.add(
		target{con: rel.Constraint, value: rel.Value, hash: lock.Key.Hash.Value.Text, sort: lock.Key.Range.Value.Text},
	)
	s.byLock.add(maphash.String(s.seed, lockID(lock.Table, lock.Key)), at)
	return at
}

// of is the target of a lock; nil where there is none.
func (s *targetSet) of(t *Table, table string, key attr.Key) *target {
	for at := range s.byLock.each(maphash.String(s.seed, lockID(table, key))) {
		if g := &s.all[at]; g.is(t, table, key) {
			return g
		}
	}
	return nil
}

// textHash is that of a text as Fold has it. Most texts are folded already.
func (s *targetSet) textHash(text string) uint64 {
	if plain(text) {
		return maphash.String(s.seed, text)
	}
	return maphash.String(s.seed, layout.Fold(text))
}

// find calls yield with the targets whose value a text may be.
func (s *targetSet) find(text string, hash uint64, yield func(*target)) {
	for at := range s.folded.each(hash) {
		g, folded := &s.all[at], layout.Fold(text)
		if g.con.Spelling(g.value) == folded || layout.Fold(g.value) == folded {
			yield(g)
		}
	}
	if len(text) > longestValue {
		return
	}
	encoded := func(value string) {
		for at := range s.encoded.each(maphash.String(s.seed, value)) {
			if g := &s.all[at]; g.value == value || layout.DigestIn(g.value) == value {
				yield(g)
			}
		}
	}
	if len(s.encoding) == 0 && len(s.digests) == 0 {
		return
	}
	folded := layout.Fold(text)
	for _, c := range s.encoding {
		encoded(c.Normalised(text))
		encoded(c.Encoded(text))
		if folded != text {
			encoded(c.Normalised(folded))
			encoded(c.Encoded(folded))
		}
	}
	for _, c := range s.digests {
		for _, digest := range layout.DigestsOf(c, text, folded) {
			encoded(digest)
		}
	}
}

// hashIndex finds by a hash what was added under it, the last first.
type hashIndex struct {
	last  map[uint64]int32 // by hash, which of all
	links []link
}

type link struct{ at, before int32 }

func newHashIndex() hashIndex { return hashIndex{last: map[uint64]int32{}} }

func (x *hashIndex) add(hash uint64, at int32) {
	before, ok := x.last[hash]
	if !ok {
		before = -1
	}
	x.last[hash] = int32(len(x.links))
	x.links = append(x.links, link{at, before})
}

func (x *hashIndex) each(hash uint64) func(yield func(int32) bool) {
	n, ok := x.last[hash]
	return func(yield func(int32) bool) {
		for ; ok && n >= 0; n = x.links[n].before {
			if !yield(x.links[n].at) {
				return
			}
		}
	}
}
