package check

import (
	"context"

	"tallylock/dynamo/check/sketch"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/scan"
)

// leftOver is what a first reading leaves over: candidates, and the fingerprints that
// they stand for.
type leftOver struct {
	candidates map[uint64]*candidate
	prints     []sketch.Remainder // without the bytes of keys
}

// first is the first reading: it answers what is left over, nil where that is nothing.
// Its sketch is small; where more is left over than that holds, the table is read once
// more into one as large as memory allows, and where that is still too small, into the
// same of a partition of the keys.
func (r *run) first(ctx context.Context) (*leftOver, error) {
	var items int64
	for _, from := range r.sources {
		items += from.items(r.t)
	}
	cells, most := firstCells(r.o.Memory, items), mostCells(r.o.Memory)
	tries, fraction := 0, fullness*float64(mostKeys(r.o.Memory))
	for what := Reading; ; what = ReadingMore {
		p := r.comparing(cells)
		p.first = true
		r.summary.Items = 0
		r.ids.begin(items)
		r.values.begin()
		r.drift.begin()
		if err := r.scan(ctx, p, what, false); err != nil {
			return nil, err
		}
		r.count, r.ids.series = p.count, p.series
		if p.join == nil {
			return nil, nil
		}
		left, load := r.leftOver(p)
		switch {
		case left != nil:
			return left, nil
		case r.optionalOwners():
		case tries < mostTries:
			tries++
			cells, r.load = most, load
			r.part = partitionOf(fraction / float64(load))
			fraction /= 2 // where what is left over does not lie evenly
		default:
			r.lacks("about %s values do not fit together, which is more than can be told apart in %s of memory: give the check --memory %s", phrase.Number(r.load), size(r.o.Memory), size(memoryFor(r.load*5/4)))
			r.part = partition{}
			return nil, nil
		}
	}
}

// mostTries is how often the table is read once more: the second time only where what
// is left over is not spread over its keys as it should be, the third where a small sketch
// had two keys in the same cells, which about one in a hundred does.
const mostTries = 3

// leftOver is what a pass leaves over; nil where that is more than memory holds, and
// then load says about how much it is.
func (r *run) leftOver(p *pass) (left *leftOver, load int) {
	sum := p.join.sum()
	load = sum.Load()
	prints, whole := sum.Decode()
	expiring, more, told := r.expiry.leftOver(p)
	if load += more; !whole || !told || len(prints)+len(expiring) > mostKeys(r.o.Memory) {
		return nil, max(p.part.scaled(load), 1)
	}
	left = &leftOver{candidates: candidatesOf(prints), prints: prints}
	for place, c := range candidatesOf(expiring) {
		if have := left.candidates[place]; have != nil {
			have.ttlMismatch = true
			continue
		}
		c.ttlMismatch, c.count = true, 0
		left.candidates[place] = c
	}
	for n := range prints {
		prints[n].Key = nil
	}
	return left, load
}

// optionalOwners leaves out the owners of constraints whose locks do not all name
// one: each lock that names nobody would be left over.
func (r *run) optionalOwners() (changed bool) {
	for n, of := range r.count.of {
		if rule := r.rules.all[n]; rule.first.owned && of.owned < of.locks {
			unowned(r, rule)
			changed = true
		}
	}
	return changed
}

// comparing begins a pass with a sketch of all keys, and, where items expire, with a second
// one of those that do.
func (r *run) comparing(cells int) *pass {
	p := r.pass(cells, true)
	if p.join != nil && r.expiry.wanted() {
		p.expiry = newJoin(r.seed, max(cells/2, fewestCells), true, r.o.Memory)
	}
	return p
}

// pass begins a pass over the run's partition of the keys. keys says whether keys are
// to come back with what it leaves over.
func (r *run) pass(cells int, keys bool) *pass {
	p := &pass{r: r, part: r.part, keys: keys, series: idSeries{}, room: newRoom(r.o.Memory)}
	if r.o.wantsLocks() && len(r.rules.all) > 0 {
		p.join = newJoin(r.seed, cells, keys, r.o.Memory)
	}
	p.count.of = make([]ruleTally, len(r.rules.all))
	return p
}

// scan reads all tables, or their exports, to their end, once.
func (r *run) scan(ctx context.Context, p *pass, what Stage, consistent bool) error {
	if r.o.Candidates != nil && !p.now {
		return (&listing{run: r}).list(ctx, p, what)
	}
	for n, from := range r.sources {
		var visitors []*visitor
		o := scan.Options{
			Attributes: from.names, Whole: p.whole, Consistent: consistent, Segments: r.o.Segments, MaxReadUnits: r.o.MaxReadUnits, Progress: new(scan.Progress),
		}
		if o.Fill(r.t.DescriptionOf(from.name)); o.MaxReadUnits > 0 {
			o.MaxReadUnits = max(o.MaxReadUnits-p.beside, o.MaxReadUnits/watchShare)
		}
		if err := r.consistent.Wait(ctx); err != nil {
			return r.t.Connection().Explain("waiting for the read units that may be used", err)
		}
		r.enter(stage{Stage: what, table: from.name, scan: o.Progress, expected: from.items(r.t), units: unitsOf(r.t, r.o, r.sources[n:n+1], consistent), after: unitsOf(r.t, r.o, r.sources[n+1:], consistent)})
		visitor := func() scan.Visitor {
			v := p.visitor(from)
			visitors = append(visitors, v)
			return v
		}
		var totals scan.Totals
		var err error
		if from.export != nil && !p.now {
			totals, err = from.export.Scan(ctx, o, visitor)
		} else {
			totals, err = scan.Table(ctx, r.t.Connection().Client, r.t.DescriptionOf(from.name), o, visitor)
		}
		r.leave()
		if p.first {
			r.summary.Items += totals.Items
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
