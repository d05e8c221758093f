package check

import (
	"cmp"
	"slices"
	"time"
)

// Suspect is a lock for which the first reading has met no account. Most that are
// suspected while nobody writes are orphans; what moved meanwhile is none.
type Suspect struct{ Constraint, Value string }

// mostSuspects is how many are told: what they turn out to be is said of all.
const mostSuspects = 100

// suspect tells which locks are suspected, now that they were read.
func (f *followUp) suspect() {
	var all []Suspect
	now := time.Now()
	for _, c := range f.candidates {
		c.mu.Lock()
		if c.rule != nil && c.exists && c.count < 0 && !c.reserved(now) {
			all = append(all, Suspect{c.rule.Constraint.Name, c.relation(f.codec).Value})
		}
		c.mu.Unlock()
	}
	slices.SortFunc(all, func(a, b Suspect) int {
		return cmp.Or(cmp.Compare(a.Constraint, b.Constraint), cmp.Compare(a.Value, b.Value))
	})
	f.report.mu.Lock()
	defer f.report.mu.Unlock()
	f.suspects = all[:min(len(all), mostSuspects)]
}
