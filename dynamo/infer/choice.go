package infer

// choose takes the rules that explain the locks, one for each place, or several where more
// than one kind of account keeps its values there.
func (s *Search) choose(all []*rule) []*rule {
	order(all)
	c := &choice{locks: map[*entry]bool{}, accounts: map[*entry]bool{}}
	for _, r := range all {
		if c.gains(r, s.own.Whole && r.table.Whole) && !c.contradicts(r) {
			c.take(r)
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

// place is where the locks of a rule are: rules of one place protect the same values.
func (r *rule) place() string {
	return r.table.Name + "\x00" + r.config.PK + "\x00" + r.config.SK
}
