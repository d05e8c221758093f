package check

import "tallylock/dynamo/layout"

// locked is how many locks of a rule's keys some account calls for, by all rules that share
// these keys: twice are the values that are held once more than once, missing those without
// a lock.
func (f *followUp) locked(of *rule, twice, missing map[*layout.Constraint]int) (n int) {
	for _, other := range f.rules.all {
		if other.first == of.first {
			n += max(int(f.count.of[other.at].calls)-twice[other.Constraint]-missing[other.Constraint], 0)
		}
	}
	return n
}
