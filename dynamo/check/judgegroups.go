package check

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"strconv"
)

// bySpelling groups the candidates whose values differ only in spelling. Their keys are
// folded, too, so that equal values in two scopes stay apart.
func (j *judging) bySpelling() [][]*candidate {
	groups := map[uint64][]*candidate{}
	for _, c := range j.followUp.candidates {
		if c.rule != nil { // nil if nothing of it exists any more
			at := j.spellingHash(c)
			groups[at] = append(groups[at], c)
		}
	}
	return slices.Collect(maps.Values(groups))
}

// spellingHash returns a hash of a candidate's constraint, folded value and folded key.
func (j *judging) spellingHash(c *candidate) uint64 {
	b := append([]byte(strconv.Itoa(c.rule.index)), 0)
	b = append(append(b, c.rule.Spelling(c.value)...), 0)
	return j.run.seed.Hash(j.run.codec.appendFolded(b, c.key))
}

// rounds returns the groups in the order in which they are judged: the locks of an account
// whose TTL differs are in one round each, since they make one finding, and which lock that
// names must not depend on timing.
func (j *judging) rounds(groups [][]*candidate) [][][]*candidate {
	turns := make([][][]*candidate, 1)
	for _, group := range groups {
		at := 0
		for _, c := range group {
			at = max(at, j.round(c))
		}
		for len(turns) <= at {
			turns = append(turns, nil)
		}
		turns[at] = append(turns[at], group)
	}
	return turns
}

// round returns the round of a lock with a TTL mismatch, by its place among its account's
// locks; 0 for all other candidates.
func (j *judging) round(c *candidate) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.ttlMismatch || len(c.holders) != 1 {
		return 0
	}
	return int(c.claimIndex)
}

// readableTogether divides candidates of one value into those that can be read at one moment,
// in an order that is the same on every check. A spelling with many accounts comes last and
// alone.
func readableTogether(group []*candidate) iter.Seq[[]*candidate] {
	slices.SortFunc(group, func(a, b *candidate) int {
		return cmp.Or(cmp.Compare(len(a.holders), len(b.holders)), cmp.Compare(a.rule.lockTable.name, b.rule.lockTable.name),
			cmp.Compare(a.key, b.key))
	})
	return func(yield func([]*candidate) bool) {
		for len(group) > 0 {
			n, items := 0, 0
			for n < min(len(group), groupSize) && (n == 0 || items+ownItems+len(group[n].holders) <= maxItems) {
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

// groupSize is how many locks are judged together at most: nobody spells one value in so many
// ways. maxItems is how many items can be read at one moment, and ownItems how many of them a
// lock takes with those that it may name.
const (
	groupSize = 8
	maxItems  = 100
	ownItems  = 5
)
