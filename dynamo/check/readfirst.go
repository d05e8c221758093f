package check

import (
	"context"

	"tallylock/dynamo/check/sketch"
	"tallylock/dynamo/phrase"
)

// leftOver is what a first reading leaves over: candidates, and the fingerprints of their
// keys.
type leftOver struct {
	candidates map[uint64]*candidate
	prints     []sketch.Remainder // without the bytes of keys
}

// readFirst reads all tables and returns what is left over, nil if nothing is. The sketch is
// small. If it does not decode, the table is read again into one as large as memory allows,
// and if that does not decode, for a partition of the keys.
func (r *run) readFirst(ctx context.Context) (*leftOver, error) {
	var items int64
	for _, from := range r.sources {
		items += from.items(r.t)
	}
	cells, most := firstCells(r.o.Memory, items), maxCells(r.o.Memory)
	tries, fraction := 0, fullness*float64(maxKeys(r.o.Memory))
	for what := Reading; ; what = ReadingMore {
		p := r.newJoiningPass(cells)
		p.first = true
		r.report.summary.Items = 0
		r.ids.begin(items)
		r.values.begin(r.sources[0].items(r.t))
		r.drift.begin()
		if err := r.scan(ctx, p, what, false); err != nil {
			return nil, err
		}
		r.count, r.ids.series, r.guess, r.strangers = p.count, p.series, p.guess, p.strangers
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
			r.partition = partitionOf(fraction / float64(load))
			fraction /= 2 // in case what is left over is not spread evenly
		default:
			r.report.incomplete(
				"about %s values do not fit together, which is more than can be told apart in %s of memory: give the check --memory %s",
				phrase.Number(r.load), size(r.o.Memory), size(memoryFor(r.load*5/4)),
			)
			r.partition = partition{}
			return nil, nil
		}
	}
}

// maxTries is how often the table is read again: a second time only if what is left over is
// not spread evenly over the keys, a third time if a small sketch had two keys in the same
// cells, as about one in a hundred has.
const maxTries = 3

// leftOver returns what a pass leaves over, nil if that is more than memory holds; load is
// about how many keys that are.
func (r *run) leftOver(p *pass) (left *leftOver, load int) {
	sum := p.join.sum()
	load = sum.Load()
	prints, whole := sum.Decode()
	expiring, more, told := r.expiry.leftOver(p)
	if load += more; !whole || !told || len(prints)+len(expiring) > maxKeys(r.o.Memory) {
		return nil, max(p.partition.scaled(load), 1)
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

// ignoreOptionalOwners stops comparing owners for constraints of which not every lock names
// one: each lock without an owner would be left over.
func (r *run) ignoreOptionalOwners() (changed bool) {
	for n, of := range r.count.rules {
		if rule := r.rules.all[n]; rule.first.owned && of.owned < of.locks {
			ignoreOwners(r, rule)
			changed = true
		}
	}
	return changed
}
