package check

import (
	"context"
	"strings"
	"sync"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/scan"
)

// pass is one reading of all tables.
type pass struct {
	run       *run
	partition partition // the keys that are compared
	// first: it is the check's first pass.
	first bool
	// join sums up the keys of accounts and locks, nil if nobody asks for that; expiring sums
	// up those with a TTL, nil if no table has one.
	join, expiring *join
	keys           bool // whether join keeps keys, or only fingerprints
	// shared collects the items of values and ids that two may have, nil if there are none.
	shared *collected[sharing]
	guess  *guess // of the first pass, nil if nothing is guessed
	// candidates are looked for in every pass but the first, and their accounts kept while
	// there is room.
	candidates map[uint64]*candidate
	room       *room
	// owners has the candidates by the partition key of the account that their lock names.
	owners map[string][]*candidate
	search *dynamo.ClaimScan // for items that hold the candidates' values
	// live: the tables are read even if there is an export.
	live bool
	// otherUnits is how many read units a second something else uses meanwhile.
	otherUnits float64
	// whole: items are read with all attributes, any of which may hold a value.
	whole bool

	mu        sync.Mutex
	count     tally
	series    seriesMap
	strangers strangers
}

// newJoiningPass returns a pass with a sketch of all keys and, if any table has a TTL, one of
// the keys that expire.
func (r *run) newJoiningPass(cells int) *pass {
	p := r.newPass(cells, true)
	p.guess = newGuess(r)
	if p.join != nil && r.expiry.wanted() {
		p.expiring = newJoin(r.seed, max(cells/2, minCells), true, r.o.Memory)
	}
	return p
}

// newPass returns a pass over the run's partition of the keys. keys says whether what it
// leaves over has keys.
func (r *run) newPass(cells int, keys bool) *pass {
	p := &pass{
		run: r, partition: r.partition, keys: keys, series: seriesMap{}, strangers: strangers{}, room: newRoom(r.o.Memory),
	}
	if r.o.wantsLocks() && !r.rules.guessed() {
		p.join = newJoin(r.seed, cells, keys, r.o.Memory)
	}
	p.count.rules = make([]ruleTally, len(r.rules.all))
	return p
}

// comparesLocks reports whether locks are compared with accounts in this pass.
func (p *pass) comparesLocks() bool { return p.join != nil || p.guess != nil && p.guess.locks != nil }

// scan reads all tables, or their exports or candidates, to the end once.
func (r *run) scan(ctx context.Context, p *pass, what Stage, consistent bool) error {
	if r.o.Candidates != nil && !p.live {
		return (&candidatesPass{run: r}).read(ctx, p, what)
	}
	for n, from := range r.sources {
		var visitors []*visitor
		o := scan.Options{
			Attributes: from.attributes, Whole: p.whole, Consistent: consistent, Segments: r.o.Segments,
			MaxReadUnits: r.o.MaxReadUnits, Progress: new(scan.Progress),
		}
		if o.Fill(r.t.DescriptionOf(from.name)); o.MaxReadUnits > 0 {
			o.MaxReadUnits = max(o.MaxReadUnits-p.otherUnits, o.MaxReadUnits/watchShare)
		}
		if err := r.consistent.Wait(ctx); err != nil {
			return r.t.Connection().Explain("waiting for the read units that may be used", err)
		}
		r.progress.enter(stageState{
			Stage:    what,
			table:    from.name,
			scan:     o.Progress,
			expected: from.items(r.t),
			units:    unitsOf(r.t, r.o, r.sources[n:n+1], consistent),
			after:    unitsOf(r.t, r.o, r.sources[n+1:], consistent),
		})
		visitor := func() scan.Visitor {
			v := p.newVisitor(from)
			visitors = append(visitors, v)
			return v
		}
		var totals scan.Totals
		var err error
		if from.export != nil && !p.live {
			totals, err = from.export.Scan(ctx, o, visitor)
		} else {
			totals, err = scan.Table(ctx, r.t.Connection().Client, r.t.DescriptionOf(from.name), o, visitor)
		}
		r.progress.leave()
		if p.first {
			r.report.summary.Items += totals.Items
		}
		if err != nil {
			return err
		}
		for _, v := range visitors {
			v.finish()
		}
	}
	return nil
}

// tally counts the items that a pass has met.
type tally struct {
	accounts, locks int64
	// impossible counts values that no lock can be made of; example is the first of them.
	impossible int64
	example    string
	rules      []ruleTally // in the layout's order
	marks      []Mark
	moreMarks  int
	expiring   int64 // accounts with a TTL
	keyless    int64 // items without the key, which are another table's
	// lostCounters is how often a counter was met for which there was no memory.
	lostCounters int64
}

// ruleTally counts the locks and claims of one constraint.
type ruleTally struct {
	locks    int64
	owned    int64 // locks that name an owner
	claims   int64 // of accounts
	unfolded int64 // claims of values with capitals or other text that folding changes
}

func (t *tally) add(more *tally) {
	t.accounts += more.accounts
	t.locks += more.locks
	t.expiring += more.expiring
	t.impossible += more.impossible
	t.keyless += more.keyless
	t.lostCounters += more.lostCounters
	if t.example == "" {
		t.example = more.example
	}
	for n, one := range more.rules {
		of := &t.rules[n]
		of.locks += one.locks
		of.owned += one.owned
		of.claims += one.claims
		of.unfolded += one.unfolded
	}
}

// maxMarks is how many leftover marks of releases are listed.
const maxMarks = 1000

func (p *pass) mark(role layout.Role, key attr.Key) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.count.marks) == maxMarks {
		p.count.moreMarks++
		return
	}
	p.count.marks = append(p.count.marks, Mark{role.Constraint.Name, strings.Clone(role.Value), scan.CloneMap(key.Item())})
}
