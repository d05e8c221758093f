package infer

import (
	"cmp"
	"slices"
	"strings"
)

// search is what one inference knows.
type search struct {
	own    *table
	tables []*table // own and the others
	chains []chain
	runs   runs
	// ids are the shapes of items that a text tells from each other, and shapeOf the shape
	// of each item.
	ids     map[string][]string
	shapeOf map[*entry]string
	hashes  bool // digests stand in keys
}

func newSearch(own Table, others []Table) *search {
	s := &search{own: newTable(own)}
	s.tables = []*table{s.own}
	for _, other := range others {
		s.tables = append(s.tables, newTable(other))
	}
	s.index()
	return s
}

// index takes the keys apart again, after items were added.
func (s *search) index() {
	s.chains, s.hashes = chainsFor(s.tables)
	s.runs = runsOf(s.tables)
	s.ids, s.shapeOf = map[string][]string{}, map[*entry]string{}
	for _, t := range s.tables {
		for _, g := range shapes(t.entries) {
			name := t.Name + "\x00" + g.hash + "\x00" + g.sort
			for _, e := range g.entries {
				s.shapeOf[e] = name
			}
			if k := newKind(g.entries); k != nil {
				for _, id := range k.ids() {
					s.ids[id] = append(s.ids[id], name)
				}
			}
		}
	}
}

// mostProposals is how many proposals of an attribute are counted.
const mostProposals = 6

// rules lists the rules that the sample shows, the best of each place that locks are kept
// in and each kind of account.
func (s *search) rules(good func(*rule) bool) []*rule {
	var all []*rule
	for _, k := range kinds(s.own) {
		for _, path := range k.paths() {
			if strings.ContainsAny(path, "{}") || !k.unique(path) {
				continue
			}
			inKey := k.inOwnKey(path)
			proposals := s.proposals(k, path)
			for _, p := range proposals[:min(len(proposals), mostProposals)] {
				if r := s.best(k, path, p); r != nil && good(r) && (!inKey || r.saysLock()) {
					all = append(all, r)
				}
			}
		}
	}
	return all
}

// best is the rule of a proposal with the chain that explains most, the simplest of those.
func (s *search) best(k *kind, path string, p *proposal) *rule {
	most := 0
	for _, n := range p.chains {
		most = max(most, n)
	}
	for c := range s.chains {
		if p.chains[c] == most {
			return s.rule(k, path, p, s.chains[c])
		}
	}
	return nil
}

// place is where the locks of a rule are: rules of one place protect the same values.
func (r *rule) place() string {
	return r.table.Name + "\x00" + r.config.PK + "\x00" + r.config.SK
}

// choose takes the rules that explain the locks, one for each place, or several where more
// than one kind of account keeps its values there.
func (s *search) choose(all []*rule) []*rule {
	s.order(all)
	var chosen []*rule
	covered, accounts := map[*entry]*rule{}, map[*entry]bool{}
	for _, r := range all {
		if !r.explainsMore(chosen, covered, s.own.Whole && r.table.Whole) || r.swapsRoles(covered, accounts) {
			continue
		}
		r = r.discriminated(all).plainer(all)
		chosen = append(chosen, r)
		for lock, e := range r.holders {
			covered[lock], accounts[e] = r, true
		}
	}
	return chosen
}

// discriminated is the same rule for those of its items that an attribute tells from the
// others, where only they have locks: members, and no guests.
func (r *rule) discriminated(all []*rule) *rule {
	without := r.values - r.hits()
	if r.kind.is != nil || without < 3 {
		return r
	}
	for _, n := range all {
		if n.kind.is != nil && n.path == r.path && n.place() == r.place() && n.kind.pk == r.kind.pk && n.kind.sk == r.kind.sk &&
			20*n.hits() >= 19*r.hits() && 4*(n.values-n.hits()) <= without {
			return n
		}
	}
	return r
}

// plainer is the rule of the attribute that this one's repeats in another spelling, where
// that explains as much: people ask for an e-mail, and emailLower is what locks have of it.
func (r *rule) plainer(all []*rule) *rule {
	if len(r.config.Normalise) > 0 {
		return r
	}
	for _, p := range all {
		if p.kind == r.kind && p.place() == r.place() && p.hits() == r.hits() && p.values == r.values && len(p.config.Normalise) > 0 &&
			len(p.path) < len(r.path) && strings.HasPrefix(strings.ToLower(r.path), strings.ToLower(p.path)) {
			return p
		}
	}
	return r
}

// swapsRoles reports whether a rule takes locks for accounts, or accounts for locks.
func (r *rule) swapsRoles(locks map[*entry]*rule, accounts map[*entry]bool) bool {
	n := 0
	for lock, e := range r.holders {
		if accounts[lock] || locks[e] != nil {
			n++
		}
	}
	return 5*n > len(r.holders)
}

// explainsMore reports whether a rule explains what those that were chosen before do not.
func (r *rule) explainsMore(chosen []*rule, covered map[*entry]*rule, whole bool) bool {
	own := 0 // locks that no other explains
	for lock := range r.locks {
		if covered[lock] == nil {
			own++
		}
	}
	if 5*own < 4*len(r.locks) {
		return false
	}
	for _, c := range chosen {
		switch {
		case c.place() != r.place():
			if c.kind.overlaps(r.kind) && c.path == r.path && 10*r.hits() < 9*r.values {
				return false // what is kept of some values beside their locks
			}
		case own < 2 || c.kind.overlaps(r.kind) && c.path == r.path:
			return false
		case !whole && c.kind != r.kind && (c.owned == 0 || r.owned == 0):
			return false // items of two samples may hold the same values
		case c.kind == r.kind:
			c.config.Shared, r.config.Shared = true, true
		}
	}
	return true
}

// overlaps reports whether two kinds have items in common.
func (k *kind) overlaps(other *kind) bool {
	if k == other {
		return true
	}
	mine := map[*entry]bool{}
	for _, e := range k.entries {
		mine[e] = true
	}
	return slices.ContainsFunc(other.entries, func(e *entry) bool { return mine[e] })
}

// order puts the rule first that explains its locks best: whose items the locks name, that
// hits most, and whose items others refer to.
func (s *search) order(all []*rule) {
	named, likely := map[*rule]int{}, map[*rule]int{}
	places := map[*kind]map[string]bool{}
	for _, r := range all {
		named[r] = s.references(r.kind)
		likely[r] = r.direction(named[r])
		if places[r.kind] == nil {
			places[r.kind] = map[string]bool{}
		}
		places[r.kind][r.place()] = true
	}
	hits := func(r *rule) int {
		if s.own.Whole && r.table.Whole {
			return r.hits()
		}
		return len(places[r.kind]) // of two samples, more hits say nothing
	}
	slices.SortStableFunc(all, func(a, b *rule) int {
		return cmp.Or(
			cmp.Compare(boolean(b.owned > 0), boolean(a.owned > 0)),
			cmp.Compare(likely[b], likely[a]),
			cmp.Compare(hits(b), hits(a)),
			cmp.Compare(named[b], named[a]),
			cmp.Compare(b.hits(), a.hits()),
			cmp.Compare(scoped(a), scoped(b)),
			cmp.Compare(fixedText(a), fixedText(b)),
			cmp.Compare(a.claims-a.values, b.claims-b.values),
			cmp.Compare(boolean(a.kind.merged), boolean(b.kind.merged)),
			cmp.Compare(boolean(a.kind.is != nil), boolean(b.kind.is != nil)),
			cmp.Compare(a.values-a.hits(), b.values-b.hits()),
			cmp.Compare(len(a.config.Normalise), len(b.config.Normalise)),
			cmp.Compare(len(a.path), len(b.path)), strings.Compare(a.path, b.path),
			strings.Compare(a.kind.pk+a.kind.sk, b.kind.pk+b.kind.sk),
		)
	})
}

// scoped is how many variables a lock's key has besides the value.
func scoped(r *rule) int { return len(r.constraint.Scope()) }

// fixedText is how much of a lock's key is no value.
func fixedText(r *rule) int { return len(r.config.PK) + len(r.config.SK) }

func boolean(b bool) int {
	if b {
		return 1
	}
	return 0
}

// references counts the items of other kinds that name a kind's items by their ids.
func (s *search) references(k *kind) int {
	ids, own := map[string]bool{}, map[*entry]bool{}
	for n, e := range k.entries {
		own[e] = true
		ids[k.vars[n][identity]], ids[e.hash] = true, true
	}
	n := 0
	for _, e := range s.own.entries {
		if own[e] {
			continue
		}
		for _, all := range e.texts {
			if len(all) == 1 && ids[all[0]] && findRun(e.hash, all[0]) < 0 { // what is kept under the id may be the thing itself
				n++
				break
			}
		}
	}
	return n
}
