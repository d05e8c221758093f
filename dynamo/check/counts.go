package check

import (
	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/scan"
)

// counts are of the items that a pass has met.
type counts struct {
	accounts, locks int64
	// values that no lock can be made of, and the first of them.
	impossible int64
	example    string
	of         []constraintCounts // by the layout's order
	marks      []Mark
	moreMarks  int
	expiring   int64 // accounts
	keyless    int64 // items of another table's export
	// lostCounters is how often a counter was met that is not followed.
	lostCounters int64
}

type constraintCounts struct {
	locks int64
	owned int64 // locks that name somebody
	calls int64 // claims of accounts
	folds int64 // of these, of values with capitals and the like
}

// mostMarks is how many leftover marks are listed.
const mostMarks = 1000

func (p *pass) mark(role layout.Role, key attr.Key) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.count.marks) == mostMarks {
		p.count.moreMarks++
		return
	}
	p.count.marks = append(p.count.marks, Mark{role.Constraint.Name, cloneText(role.Value), scan.CloneMap(key.Item())})
}

// finish adds up what a visitor has met.
func (v *visitor) finish() {
	v.join.flush()
	if v.reader != nil {
		v.reader.Close()
	}
	if v.soon != nil {
		v.soon.flush()
	}
	p := v.p
	p.mu.Lock()
	defer p.mu.Unlock()
	sum := &p.count
	v.handOn()
	sum.accounts += v.count.accounts
	sum.locks += v.count.locks
	sum.expiring += v.count.expiring
	sum.impossible += v.count.impossible
	sum.keyless += v.count.keyless
	sum.lostCounters += v.count.lostCounters
	if sum.example == "" {
		sum.example = v.count.example
	}
	for n, one := range v.count.of {
		of := &sum.of[n]
		of.locks += one.locks
		of.owned += one.owned
		of.calls += one.calls
		of.folds += one.folds
	}
}
