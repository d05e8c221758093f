package dynamo

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

// ClaimScan takes in every item of the tables that a layout names, and tells who holds
// the values of some locks: the accounts that call for them, and every other item that
// holds such a value anywhere, in whatever spelling. It does not rest on the layout's
// word for what an account is: an item is passed over only where it is a lock as locks
// that are held look. It is safe for concurrent use, by readers of their own.
type ClaimScan struct {
	t       *Table
	targets map[string]*target // by lock
	values  *valueSet
	words   bool // longer texts are searched, too
	// held are the attributes that locks have which an account calls for.
	held map[*layout.Constraint]map[string]bool

	mu     sync.Mutex
	read   map[string]bool // tables that were
	shapes shapeValues
	// accounts and locks are how many were taken in, the latter by constraint.
	accounts int
	locks    map[*layout.Constraint]int
}

// target is one lock that is asked about.
type target struct {
	rel       *Relation
	folded    string
	claimants []Account
	doubt     string
	sightings []*Sighting
	mentions  int
	// spellings are locks of values that differ from this one only in spelling, or in
	// their scope, each with an account that calls for it.
	spellings []Claimant
}

// Claimant is a lock and an account that calls for it.
type Claimant struct {
	Lock    Lock
	Account attr.Key
}

// Sighting is what holds a value and is no account of the layout: the items of one shape
// that have it under one attribute.
type Sighting struct {
	Items     string   // their shape
	Attribute string   // a path, or the name of a key
	Key       attr.Key // of the first
	N         int
	As        Holding
	Seen      string // the numbers that As rests on; empty where a person has said it
	lock      bool   // the lock that is asked about itself has an attribute that no held lock has
}

// Holding is what items that hold a value are to it.
type Holding string

// What items that hold a value may be.
const (
	// HoldsUndecided: they may be accounts, and nobody has said.
	HoldsUndecided Holding = "undecided"
	HoldsAccount   Holding = "account"    // a person has said that they hold values
	HoldsCopy      Holding = "copy"       // they repeat values of accounts
	HoldsOther     Holding = "irrelevant" // what they hold there is nothing that locks keep
)

// mostSpellings is how many spellings of one value are told apart, and mostSightings how
// many shapes of items that hold it.
const (
	mostSpellings = 100
	mostSightings = 32
	// fewTargets is how many values are searched in longer texts, too.
	fewTargets = 8
)

// ClaimScan begins to ask about locks.
func (t *Table) ClaimScan(rels ...*Relation) *ClaimScan {
	s := &ClaimScan{t: t, targets: map[string]*target{}, values: newValueSet(), words: len(rels) <= fewTargets, read: map[string]bool{}, held: map[*layout.Constraint]map[string]bool{}, locks: map[*layout.Constraint]int{}}
	for _, c := range t.Layout.Constraints() {
		s.held[c] = t.FitOf(c).HeldAttributes
	}
	for _, rel := range rels {
		if rel.err != nil {
			continue
		}
		g := &target{rel: rel, folded: layout.Fold(rel.Value)}
		s.targets[lockID(rel.Lock.Table, rel.Lock.Key)] = g
		s.values.add(g)
	}
	s.shapes.fill(s)
	return s
}

// Empty reports whether there is nothing to ask.
func (s *ClaimScan) Empty() bool { return len(s.targets) == 0 }

// ClaimReader takes in items for a ClaimScan, in one goroutine.
type ClaimReader struct {
	s      *ClaimScan
	shapes shapeValues
	shape  []byte
	hits   []hit
	tables map[string]bool

	accounts int
	locks    map[*layout.Constraint]int
}

// hit is a text of an item that may be a target's value.
type hit struct {
	target    *target
	attribute string
}

// Reader makes a reader; Close hands on what it has seen.
func (s *ClaimScan) Reader() *ClaimReader {
	r := &ClaimReader{s: s, tables: map[string]bool{}, locks: map[*layout.Constraint]int{}}
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
func (r *ClaimReader) SeeFields(table string, at attr.Fields, all iter.Seq2[string, attr.Value], whole func() attr.Item) {
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
	if role.Account != nil && role.Constraint == nil {
		r.accounts++
	}
	if lock {
		r.locks[role.Constraint]++
		r.shapes.lock(s, role.Constraint, role.Value)
		if s.oddAttribute(role.Constraint, table, key, all) == "" {
			return // as locks that are held look
		}
	}
	r.shape = layout.AppendShape(r.shape[:0], key)
	r.hits = r.hits[:0]
	values := r.shapes.of(r.shape)
	for name, v := range all {
		r.texts(values, table, name, v)
	}
	if len(r.hits) > 0 {
		s.hit(table, string(r.shape), whole(), r.hits)
	}
}

// texts takes in every text below an attribute.
func (r *ClaimReader) texts(values *shapeTexts, table, path string, v attr.Value) {
	switch v.Kind {
	case attr.S:
		r.text(values, path, v.Text)
		if r.s.t.keyAttribute(table, path) {
			layout.Segments(v.Text, func(part string) {
				if len(part) < len(v.Text) {
					r.find(path, part, r.s.values.hash(part))
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
			r.texts(values, table, path+"."+name, e)
		}
	}
}

func (r *ClaimReader) text(values *shapeTexts, path, text string) {
	if text == "" {
		return
	}
	h := r.s.values.hash(text)
	values.add(r.s, path, text, h)
	r.find(path, text, h)
	if r.s.words {
		for _, g := range r.s.targets {
			if len(text) > len(g.folded) && g.folded != "" && contains(text, g.folded) {
				r.s.mention(g)
			}
		}
	}
}

func (r *ClaimReader) find(path, text string, hash uint64) {
	r.s.values.find(text, hash, func(g *target) {
		if !slices.ContainsFunc(r.hits, func(h hit) bool { return h.target == g && h.attribute == path }) {
			r.hits = append(r.hits, hit{g, path})
		}
	})
}

func (s *ClaimScan) mention(g *target) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g.mentions++
}

// hit takes in an item that holds values of targets.
func (s *ClaimScan) hit(table, shape string, item attr.Item, hits []hit) {
	t := s.t
	key, _ := t.SchemaOf(table).KeyOf(item)
	var kind *layout.Account
	var a *Account
	var claims []layout.Claim
	if table == t.Name {
		if kind, a = t.account(item); a != nil {
			claims = kind.Claims(t.Name, t.SchemaOf, item)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	told := map[*target]bool{} // the account says by its protected attribute what it holds
	for _, h := range hits {
		g := h.target
		lock := g.rel.Lock
		called := slices.ContainsFunc(claims, func(c layout.Claim) bool {
			return c.Err == nil && c.Constraint.LockTable(t.Name) == lock.Table && c.Key.Equal(lock.Key)
		})
		switch {
		case lock.Table == table && lock.Key.Equal(key), told[g]:
			told[g] = true // the lock itself
		case called:
			told[g] = true
			g.claimants = append(g.claimants, *a)
		case a != nil && t.protects(kind, g.rel.Constraint, h.attribute):
			told[g] = true
			g.otherwise(t, *a, claims)
		}
	}
	for _, h := range hits {
		if !told[h.target] {
			h.target.held(shape, h.attribute, key)
		}
	}
}

// protects reports whether an attribute of an account is where it holds values of the
// constraint's kind, or lies below that.
func (t *Table) protects(kind *layout.Account, c *layout.Constraint, attribute string) bool {
	return slices.ContainsFunc(kind.Constraints, func(own *layout.Constraint) bool {
		return own.SamePlace(t.Name, c) && (attribute == own.Attribute || below(attribute, own.Attribute))
	})
}

func below(path, attribute string) bool {
	return len(path) > len(attribute) && path[:len(attribute)] == attribute && path[len(attribute)] == '.'
}

// otherwise takes in an account that holds the value where the layout has it, and calls
// for another lock: of another spelling, or in another scope.
func (g *target) otherwise(t *Table, a Account, claims []layout.Claim) {
	met := false
	for _, claim := range claims {
		if !claim.Constraint.SamePlace(t.Name, g.rel.Constraint) || (layout.Fold(claim.Raw) != g.folded && layout.Fold(claim.Value) != g.folded) || claim.Err != nil {
			continue
		}
		met = true
		lock := Lock{Table: claim.Constraint.LockTable(t.Name), Key: claim.Key}
		switch {
		case slices.ContainsFunc(g.spellings, func(k Claimant) bool { return k.Lock.Table == lock.Table && k.Lock.Key.Equal(lock.Key) }):
		case len(g.spellings) < mostSpellings:
			g.spellings = append(g.spellings, Claimant{lock, a.Key})
		case layout.FoldKey(lock.Key) == layout.FoldKey(g.rel.Lock.Key) && g.doubt == "":
			g.doubt = fmt.Sprintf("accounts hold it in more than %d other spellings", mostSpellings)
		}
	}
	if !met && g.doubt == "" {
		g.doubt = fmt.Sprintf("%s cannot be read as an account, and may hold it", a.Key)
	}
}

func (g *target) held(shape, attribute string, key attr.Key) {
	for _, h := range g.sightings {
		if h.Items == shape && h.Attribute == attribute {
			h.N++
			return
		}
	}
	if len(g.sightings) == mostSightings {
		if g.doubt == "" {
			g.doubt = fmt.Sprintf("items of more than %d kinds hold it, %s among them", mostSightings, key)
		}
		return
	}
	g.sightings = append(g.sightings, &Sighting{Items: shape, Attribute: strings.Clone(attribute), Key: key, N: 1})
}

func (s *ClaimScan) target(rel *Relation) *target {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.targets[lockID(rel.Lock.Table, rel.Lock.Key)]
}

// Claimants are the accounts seen that call for the relation's lock.
func (s *ClaimScan) Claimants(rel *Relation) []Account {
	if g := s.target(rel); g != nil {
		return g.claimants
	}
	return nil
}

// Mentions is how many longer texts contain the value, where that was counted: they
// never keep a lock from being released.
func (s *ClaimScan) Mentions(rel *Relation) int {
	if g := s.target(rel); g != nil && s.words {
		return g.mentions
	}
	return 0
}

// Holders are the items that hold the relation's value and are no accounts of the
// layout, by their shape, each with what they are to it. All readers have to be closed.
func (s *ClaimScan) Sightings(rel *Relation) []Sighting {
	g := s.target(rel)
	if g == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Sighting
	for _, h := range g.sightings {
		one := *h
		one.As, one.Seen = s.decide(g, h)
		out = append(out, one)
	}
	if lock := rel.Lock; lock.Exists && lock.Item != nil {
		if odd := s.oddAttribute(rel.Constraint, lock.Table, lock.Key, itemFields(lock.Item)); odd != "" {
			out = append(out, Sighting{Items: layout.ShapeOf(lock.Key), Attribute: odd, Key: lock.Key, N: 1, As: HoldsUndecided, lock: true})
		}
	}
	slices.SortFunc(out, func(a, b Sighting) int { return compareSightings(a, b) })
	return out
}

// decide says what the items of a shape are to a value.
func (s *ClaimScan) decide(g *target, h *Sighting) (Holding, string) {
	l := s.t.Layout
	switch {
	case l.Holds(h.Items, h.Attribute):
		return HoldsAccount, ""
	case l.Copies(h.Items, h.Attribute):
		return HoldsCopy, ""
	}
	return s.shapes.decide(s, g, h)
}

// Undecided is the first of the items that hold the value of which nobody has said what
// they are, or of which somebody has said that they hold values; nil where there is none.
func Undecided(sightings []Sighting) *Sighting {
	for n := range sightings {
		if sightings[n].As == HoldsUndecided || sightings[n].As == HoldsAccount {
			return &sightings[n]
		}
	}
	return nil
}

// String says what the holder does to a lock's release.
func (h Sighting) String() string {
	switch {
	case h.lock:
		return fmt.Sprintf("the lock itself has %s, which no lock has that an account calls for: is it an account?", h.Attribute)
	case h.As == HoldsAccount:
		return fmt.Sprintf("%s holds it under %s", h.Key, h.Attribute)
	case h.As == HoldsUndecided && h.N > 1:
		return fmt.Sprintf("%s and %d more %s items hold it under %s: are those accounts?", h.Key, h.N-1, h.Items, h.Attribute)
	case h.As == HoldsUndecided:
		return fmt.Sprintf("%s holds it under %s: is that an account?", h.Key, h.Attribute)
	}
	return fmt.Sprintf("%s hold it under %s (%s: %s)", count(h.N, h.Items+" item"), h.Attribute, h.As, h.Seen)
}

// Say is how a person says what the items are that hold the value.
func (h Sighting) Say(t *Table) string {
	return "If they only repeat values of accounts: " + t.Command([]string{"layout", "--copy", h.Items + " " + h.Attribute}) + ". If they are accounts: the same with --holder in place of --copy."
}

// SeenDoubt says why nothing may be concluded from no account calling for the lock, by
// what was taken in alone; it is empty where nothing speaks against it.
func (s *ClaimScan) SeenDoubt(rel *Relation) string {
	g := s.target(rel)
	if g == nil {
		return ""
	}
	if g.doubt != "" {
		return g.doubt
	}
	if h := Undecided(s.Sightings(rel)); h != nil {
		return h.String()
	}
	return ""
}

// Doubt is SeenDoubt, and reads the locks of values that differ in spelling or scope
// only, but for those of the accounts that are settled.
func (s *ClaimScan) Doubt(ctx context.Context, rel *Relation, settled ...attr.Key) (string, error) {
	return s.readDoubt(ctx, s.t.conn.reading(), rel, settled)
}

func (s *ClaimScan) readDoubt(ctx context.Context, r *reading, rel *Relation, settled []attr.Key) (string, error) {
	g := s.target(rel)
	if doubt := s.SeenDoubt(rel); g == nil || doubt != "" {
		return doubt, nil
	}
	for _, k := range g.spellings {
		if slices.ContainsFunc(settled, k.Account.Equal) {
			continue
		}
		found, err := r.get(ctx, k.Lock.Table, []attr.Key{k.Lock.Key}, true)
		if err != nil {
			return "", err
		}
		if len(found) == 0 {
			return fmt.Sprintf("%s holds it in another spelling or scope and has no lock of its own: the application may not keep those apart, as the layout does", k.Account), nil
		}
	}
	return "", nil
}

// Otherwise is an account that holds the relation's value in another spelling or scope.
func (s *ClaimScan) Otherwise(rel *Relation) (Claimant, bool) {
	if g := s.target(rel); g != nil && len(g.spellings) > 0 {
		return g.spellings[0], true
	}
	return Claimant{}, false
}
