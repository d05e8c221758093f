package check

import (
	"cmp"
	"iter"
	"slices"
	"strconv"
)

// groups are candidates of one value each, however it is spelt. There may be very many:
// they are kept in one list, where those of one group stand together.
type groups struct {
	all  []*candidate
	ends []int32
}

func (g *groups) each(yield func([]*candidate) bool) {
	first := int32(0)
	for _, end := range g.ends {
		if !yield(g.all[first:end:end]) {
			return
		}
		first = end
	}
}

// bySpelling puts candidates together whose values differ in spelling only. Their keys
// are folded, too: one value in two scopes is two.
func (j *judging) bySpelling() *groups {
	type one struct {
		spelling uint64
		*candidate
	}
	all := make([]one, 0, len(j.candidates))
	for _, c := range j.candidates {
		if c.rule != nil { // else nothing of it is there any more
			all = append(all, one{j.spelling(c), c})
		}
	}
	slices.SortFunc(all, func(a, b one) int { return cmp.Compare(a.spelling, b.spelling) })
	g := &groups{all: make([]*candidate, len(all))}
	for n, o := range all {
		if g.all[n] = o.candidate; n+1 == len(all) || all[n+1].spelling != o.spelling {
			g.ends = append(g.ends, int32(n+1))
		}
	}
	return g
}

// spelling is a hash of a candidate's constraint, its value and its lock's key, however
// those are spelt.
func (j *judging) spelling(c *candidate) uint64 {
	b := append([]byte(strconv.Itoa(c.rule.at)), 0)
	b = append(append(b, c.rule.Spelling(c.value)...), 0)
	return j.seed.Hash(j.codec.appendFolded(b, c.key))
}

// turns are groups in the order in which they are judged. An account makes one finding
// with all its locks that expire otherwise than it does. The order is fixed, so that which
// lock names the finding does not depend on timing.
func (j *judging) turns(all *groups) [][][]*candidate {
	turns := make([][][]*candidate, 1)
	for group := range all.each {
		at := 0
		for _, c := range group {
			at = max(at, j.turn(c))
		}
		for len(turns) <= at {
			turns = append(turns, nil)
		}
		turns[at] = append(turns[at], group)
	}
	return turns
}

// turn is which of its account's locks one is that expires otherwise; 0 for all others.
func (j *judging) turn(c *candidate) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.ttlMismatch || len(c.holders) != 1 {
		return 0
	}
	return int(c.claim)
}

// atOnce divides candidates of one value into those that can be read at one moment.
// Its order does not depend on chance: what is found together is the same on every
// check. Many accounts on one spelling come last, by themselves.
func atOnce(group []*candidate) iter.Seq[[]*candidate] {
	slices.SortFunc(group, func(a, b *candidate) int {
		return cmp.Or(cmp.Compare(len(a.holders), len(b.holders)), cmp.Compare(a.rule.locks.name, b.rule.locks.name), cmp.Compare(a.key, b.key))
	})
	return func(yield func([]*candidate) bool) {
		for len(group) > 0 {
			n, items := 0, 0
			for n < min(len(group), groupSize) && (n == 0 || items+ownItems+len(group[n].holders) <= mostItems) {
				items += ownItems + len(group[n].holders)
				n++
			}
			if !yield(group[:n]) {
				return
			}
			group = group[n:]
		}
	}
}

// groupSize is how many locks are judged together at most: no person spells one
// value in so many ways. mostItems is how many items can be read at one moment, and
// ownItems how many of them a lock takes by itself, with those that it may name.
const (
	groupSize = 8
	mostItems = 100
	ownItems  = 5
)
