package check

import (
	"context"
	"slices"
	"sync"
	"time"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/check/ids"
	"tallylock/dynamo/check/join"
	"tallylock/dynamo/check/progress"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/check/sketch"
	"tallylock/dynamo/check/twice"
	"tallylock/dynamo/check/undescribed"
	"tallylock/dynamo/export"
	"tallylock/dynamo/holders"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/remedy"
	"tallylock/dynamo/scan"
)

// pass is one reading of all tables.
type pass struct {
	run       *run
	partition join.Partition // the part of the keys that the pass compares
	// first is set for the first pass of the check.
	first bool
	// join sums up the keys of accounts and locks; it is nil if the pass does not compare them.
	// expiring sums up the keys with a TTL; it is nil if the pass does not compare TTLs.
	join, expiring *sketch.Pool
	keys           bool // whether join keeps the bytes of keys, or only fingerprints
	// shared collects items whose values or ids may be duplicates. It is nil if no duplicates are possible.
	shared *twice.Entries[sharing]
	guess  *guess // nil if nothing is guessed, and in later passes
	// Every pass after the first looks for the candidates, and keeps their accounts as long as there is room.
	candidates map[uint64]*join.Candidate
	room       *join.Room
	// owners maps the partition key of an account to the candidates whose lock names the account.
	owners map[string][]*join.Candidate
	// open has the open keys of a state, by fingerprint. The pass collects their locks and accounts. openOwners maps the
	// partition key of an account to the open keys whose lock names the account. Both are nil in other passes.
	open       map[uint64]*join.Open
	openOwners map[string][]*join.Open
	openRoom   *join.Room
	search     *holders.Search // finds other items that hold the candidates' values
	// live is set if the pass reads the tables even though there is an export or a candidates' file.
	live bool
	// otherUnits is the number of read units a second that the watch of the locks uses during the pass.
	otherUnits float64
	// whole is set if the pass reads all attributes of the items: any of them may hold a value.
	whole bool
	// accounts is called for each account, and unowned for each lock that names no account; see setting.Options. They
	// may be nil.
	accounts func(attr.Item)
	unowned  func(constraint string)

	mu     sync.Mutex
	count  tally
	series *ids.Reading
	shapes undescribed.Shapes
}

// newJoiningPass returns a pass with a sketch of all keys. If any table has a TTL, the pass has a second
// sketch, of the keys that expire.
func (r *run) newJoiningPass(cells int) *pass {
	p := r.newPass(cells, true)
	p.guess = newGuess(r)
	if p.join != nil && r.expiry.wanted() {
		p.expiring = sketch.NewPool(r.seed, max(cells/2, setting.MinCells), true, r.o.Memory/8)
	}
	return p
}

// newPass returns a pass over the run's partition of the keys. If keys is true, its sketch keeps the bytes of
// the keys, so that leftover keys can be read.
func (r *run) newPass(cells int, keys bool) *pass {
	p := &pass{
		run: r, partition: r.partition, keys: keys, series: ids.NewReading(r.o.Memory), shapes: undescribed.Shapes{},
		room: join.NewRoom(r.o.Memory),
	}
	if r.o.WantsLocks() && !r.rules.Guessed() {
		p.join = sketch.NewPool(r.seed, cells, keys, r.o.Memory/8)
	}
	p.count.rules = make([]ruleTally, len(r.rules.All))
	return p
}

func (p *pass) comparesLocks() bool { return p.join != nil || p.guess != nil && p.guess.locks != nil }

// scan reads each table, or its export, once to the end. If the check has a candidates' file, scan reads that file
// instead, unless the pass is live.
func (r *run) scan(ctx context.Context, p *pass, what progress.Stage, consistent bool) error {
	if r.o.Candidates != nil && !p.live {
		return (&candidatesPass{run: r}).read(ctx, p, what)
	}
	for n, from := range r.sources {
		var visitors []*visitor
		o := scan.Options{
			Attributes: from.Attributes, Whole: p.whole, Consistent: consistent, Segments: r.o.Segments,
			MaxReadUnits: r.o.MaxReadUnits, Progress: new(scan.Progress),
		}
		if o.Fill(r.t.DescriptionOf(from.Name)); o.MaxReadUnits > 0 {
			o.MaxReadUnits = max(o.MaxReadUnits-p.otherUnits, o.MaxReadUnits/watchShare)
		}
		if err := r.consistent.Wait(ctx); err != nil {
			return r.t.Connection().Explain("waiting for the limit of read units", err)
		}
		r.progress.Enter(progress.Phase{
			Stage:    what,
			Scan:     o.Progress,
			Expected: from.Items(r.t),
			Units:    setting.UnitsOf(r.t, r.o, r.sources[n:n+1], consistent),
			After:    setting.UnitsOf(r.t, r.o, r.sources[n+1:], consistent),
		})
		visitor := func() scan.Visitor {
			v := p.newVisitor(from)
			visitors = append(visitors, v)
			return v
		}
		var totals scan.Totals
		var err error
		if from.Export != nil && !p.live {
			totals, err = from.Export.Scan(ctx, o, visitor)
		} else {
			totals, err = scan.Table(ctx, r.t.Connection().Client, r.t.DescriptionOf(from.Name), o, visitor)
		}
		r.progress.Leave()
		if p.first {
			r.report.Summary.Items += totals.Items
		}
		for _, v := range visitors {
			v.finish()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// tally counts the items of a pass. The old image of a change counts as −1.
type tally struct {
	items           int64 // counted only for increments
	accounts, locks int64
	// impossible counts values for which no lock can be made; example describes one of them.
	impossible int64
	example    string
	rules      []ruleTally // one for each constraint, in the layout's order
	marks      marks
	expiring   int64 // accounts with a TTL
	keyless    int64 // items without the table's key: they belong to another table
}

// ruleTally counts the locks and claims of one constraint.
type ruleTally struct {
	locks    int64
	owned    int64 // locks that name an owner
	claims   int64 // claims by accounts
	unfolded int64 // claims of values that folding changes, such as values with capitals
	// impossible counts the values of accounts for which no lock can be made.
	impossible int64
}

func (t *tally) add(more *tally) {
	t.items += more.items
	t.accounts += more.accounts
	t.locks += more.locks
	t.expiring += more.expiring
	t.impossible += more.impossible
	t.keyless += more.keyless
	if t.example == "" {
		t.example = more.example
	}
	for n, one := range more.rules {
		of := &t.rules[n]
		of.locks += one.locks
		of.owned += one.owned
		of.claims += one.claims
		of.unfolded += one.unfolded
		of.impossible += one.impossible
	}
}

// leftOver holds the candidates of a first pass, and the fingerprints of the keys that the pass has left over.
type leftOver struct {
	candidates map[uint64]*join.Candidate
	prints     []sketch.Remainder // without the bytes of keys
}

// readFirst reads all tables and returns the keys that are left over. It returns nil if the pass does not
// compare locks by a sketch, or if memory cannot hold the leftover keys. The first sketch is small. If it does
// not decode, readFirst reads the tables again into a sketch as large as memory allows. If that sketch cannot
// hold all keys, readFirst compares only a partition of the keys.
func (r *run) readFirst(ctx context.Context) (*leftOver, error) {
	var items int64
	for _, from := range r.sources {
		items += from.Items(r.t)
	}
	cells, most := setting.FirstCells(r.o.Memory, items), setting.MaxCells(r.o.Memory)
	if r.o.Export != nil { // CPU time is the limit, and a sketch that fits into the caches of a core takes less
		cells = max(cells/2, setting.MinCells)
	}
	tries, fraction := 0, join.Fullness*float64(setting.MaxKeys(r.o.Memory))
	for what := progress.Reading; ; what = progress.ReadingMore {
		p := r.newJoiningPass(cells)
		p.first = true
		if r.o.Accounts != nil {
			p.accounts = r.o.Accounts()
		}
		p.unowned = r.o.Unowned
		r.report.Summary.Items = 0
		r.ids.begin()
		r.values.begin()
		r.drift.begin()
		if err := r.scan(ctx, p, what, false); err != nil {
			r.report.Summary.Accounts, r.report.Summary.Locks = p.count.accounts, p.count.locks
			return nil, err
		}
		r.count, r.ids.Reading, r.guess, r.shapes = p.count, p.series, p.guess, p.shapes
		if p.join == nil {
			return nil, nil
		}
		left, load := r.leftOver(p)
		switch {
		case left != nil:
			return left, nil
		case r.ignoreOptionalOwners():
		case tries < maxTries:
			tries++
			cells, r.load = most, load
			r.partition = join.PartitionOf(fraction / float64(load))
			fraction /= 2 // in case the remaining keys are spread unevenly
		default:
			r.report.IncompleteUntil(remedy.Of(remedy.MoreMemory, setting.Advice(setting.MemoryFor(r.load*5/4))),
				"about %s values look broken, which is too many for %s of memory",
				phrase.Number(r.load), setting.ProcessMemory(r.o.Memory))
			r.partition = join.Partition{}
			return nil, nil
		}
	}
}

// maxTries is the greatest number of further readings of the tables. One is usually enough. The second is needed only
// if the remaining keys are spread unevenly over the partitions. The third is needed only if a small sketch could not
// tell two keys apart: about one sketch in a hundred.
const maxTries = 3

// leftOver returns the keys that a pass leaves over, or nil if the sketch or the memory is too small for them. load is
// the approximate number of these keys.
func (r *run) leftOver(p *pass) (left *leftOver, load int) {
	sum := p.join.Sum()
	load = sum.Load()
	prints, whole := sum.Decode()
	expiring, more, told := r.expiry.leftOver(p)
	if load += more; !whole || !told || len(prints)+len(expiring) > setting.MaxKeys(r.o.Memory) {
		return nil, max(p.partition.Scaled(load), 1)
	}
	left = &leftOver{candidates: join.CandidatesOf(prints), prints: prints}
	for place, c := range join.CandidatesOf(expiring) {
		if have := left.candidates[place]; have != nil {
			have.TTLMismatch = true
			continue
		}
		c.TTLMismatch, c.Count = true, 0
		left.candidates[place] = c
	}
	for n := range prints {
		prints[n].Key = nil
	}
	return left, load
}

// ignoreOptionalOwners stops comparing the owners of each constraint that has locks without an owner: each such lock
// would be left over. It reports whether it changed any constraint.
func (r *run) ignoreOptionalOwners() (changed bool) {
	for n, of := range r.count.rules {
		if rule := r.rules.All[n]; rule.First.Owned && of.owned < of.locks {
			ignoreOwners(r, rule)
			changed = true
		}
	}
	return changed
}

// verifyInputs returns an error if the export or the candidates belong to other tables than this check's.
func verifyInputs(r *run) error {
	if err := r.findExports(); err != nil || r.o.Candidates == nil {
		return err
	}
	return r.o.Candidates.Verify(r.t, r.report.Note)
}

// findExports finds the export of each table. It notes the facts that the export does not state, such as its time.
func (r *run) findExports() error {
	if r.o.Export == nil {
		return nil
	}
	if r.o.Export.Inferred != "" {
		r.report.Note("%s", r.o.Export.Inferred)
	}
	for _, from := range r.sources {
		e, err := export.Of(r.o.Export, r.t, from.Name, len(r.sources) > 1)
		if err != nil {
			return err
		}
		from.Export = e
		r.report.Note("the items of %s are from %s: newer values are not checked", from.Name, e)
		if e.Unpacked > 0 {
			r.report.Note("unpacked files of the export: %s. The check compares their numbers of items with the manifest, not their MD5",
				phrase.Number(e.Unpacked))
		}
		if e.At.IsZero() {
			if e.Listed() {
				r.report.Note("the summary of the export is missing: the export's table and time are not checked")
			} else {
				r.report.Note("the manifests of the export are missing: completeness is not checked")
			}
			if r.o.ExportOnly() && slices.ContainsFunc(r.rules.All, func(of *join.Rule) bool { return of.Reserved.For > 0 }) {
				r.report.Note("the export does not state its time: reservations are judged by the current time")
			}
		}
	}
	return nil
}

// asOf returns the time at which items are judged, for example for reservations. This is the export's time if the check
// reads only the export and the manifests state that time. Otherwise it is now.
func asOf(r *run) time.Time {
	if !r.at.IsZero() {
		return r.at
	}
	if e := r.sources[0].Export; r.o.ExportOnly() && e != nil && !e.At.IsZero() {
		return e.At
	}
	return time.Now()
}
