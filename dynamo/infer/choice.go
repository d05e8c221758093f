package infer

import "strings"

// choose takes the rules that explain the locks, one for each place, or several where more
// than one kind of account keeps its values there.
func (s *search) choose(all []*rule) []*rule {
	s.order(all)
	c := &choice{locks: map[*entry]bool{}, accounts: map[*entry]bool{}}
	for _, r := range all {
		if c.gains(r, s.own.Whole && r.table.Whole) && !c.contradicts(r) {
			c.take(r.discriminated(all).plainer(all))
		}
	}
	return c.rules
}

// choice is the rules that were chosen, and what they explain.
type choice struct {
	rules           []*rule
	locks, accounts map[*entry]bool
}

func (c *choice) take(r *rule) {
	c.rules = append(c.rules, r)
	for lock, e := range r.holders {
		c.locks[lock], c.accounts[e] = true, true
	}
}

// contradicts reports whether a rule takes locks for accounts, or accounts for locks.
func (c *choice) contradicts(r *rule) bool {
	n := 0
	for lock, e := range r.holders {
		if c.accounts[lock] || c.locks[e] {
			n++
		}
	}
	return 5*n > len(r.holders)
}

// gains reports whether a rule explains what those that were chosen before do not. whole: the
// items of its tables are all that there are.
func (c *choice) gains(r *rule, whole bool) bool {
	own := 0 // locks that no other explains
	for lock := range r.locks {
		if !c.locks[lock] {
			own++
		}
	}
	if 5*own < 4*len(r.locks) {
		return false
	}
	for _, other := range c.rules {
		switch {
		case other.place() != r.place():
			if other.kind.overlaps(r.kind) && other.path == r.path && 10*r.hits() < 9*r.values {
				return false // what is kept of some values beside their locks
			}
		case own < 2 || other.kind.overlaps(r.kind) && other.path == r.path:
			return false
		case !whole && other.kind != r.kind && (other.owned == 0 || r.owned == 0):
			return false // items of two samples may hold the same values
		case other.kind == r.kind:
			other.config.Shared, r.config.Shared = true, true
		}
	}
	return true
}

// discriminated is the same rule for those of its items that an attribute tells from the
// others, where only they have locks: members, and no guests.
func (r *rule) discriminated(all []*rule) *rule {
	without := r.values - r.hits()
	if r.kind.is != nil || without < 3 {
		return r
	}
	for _, n := range all {
		if n.kind.is != nil && n.path == r.path && n.place() == r.place() && n.kind.pk == r.kind.pk &&
			n.kind.sk == r.kind.sk &&
			20*n.hits() >= 19*r.hits() &&
			4*(n.values-n.hits()) <= without {
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
		if p.kind == r.kind && p.place() == r.place() && p.hits() == r.hits() && p.values == r.values &&
			len(p.config.Normalise) > 0 &&
			len(p.path) < len(r.path) &&
			strings.HasPrefix(strings.ToLower(r.path), strings.ToLower(p.path)) {
			return p
		}
	}
	return r
}

// place is where the locks of a rule are: rules of one place protect the same values.
func (r *rule) place() string {
	return r.table.Name + "\x00" + r.config.PK + "\x00" + r.config.SK
}
