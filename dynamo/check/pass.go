package check

import (
	"strings"
	"sync"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/scan"
)

// pass is one reading of all tables.
type pass struct {
	r    *run
	part partition // of the keys that are compared
	// first: it is the check's first.
	first bool
	// join is what accounts and locks leave over, nil where nobody asks for that;
	// expiry the same of those among them that will expire, nil where nothing does.
	join, expiry *join
	keys         bool // whether keys come back with it
	// duplicates collects the items of ids that two may have; nil where there are none.
	duplicates *collector
	// values collects the accounts of values that two may hold; nil where there are none.
	values *valueCollector
	// candidates are looked for, on every pass but the first, and their accounts kept
	// as far as there is room.
	candidates map[uint64]*candidate
	room       *room
	// owners are candidates by the partition key of the account that they name.
	owners map[string][]*candidate
	search *dynamo.ClaimScan // for what holds the candidates' values
	// now: the tables themselves are read, and not an export.
	now bool
	// beside is how many units a second are used beside it.
	beside float64
	// whole: items are read with all their attributes, any of which may hold a value.
	whole bool

	mu     sync.Mutex
	count  tally
	series idSeries
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
	p.count.marks = append(p.count.marks, Mark{role.Constraint.Name, strings.Clone(role.Value), scan.CloneMap(key.Item())})
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
	v.ids.handOn()
	p.count.add(&v.count)
}
