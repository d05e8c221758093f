package check

import (
	"context"
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
)

// valueCheck finds values that two accounts hold though a rule without locks forbids it.
// Nothing cancels out there. So the first reading passes all values through a filter, and
// the next one collects who holds those that may have come twice.
type valueCheck struct {
	*run
	seen *valueFilter // nil where nobody asks, or there is no such rule
	// open: of a value only a look at all accounts tells who holds it.
	open bool
}

// begin begins a first reading.
func (c *valueCheck) begin() {
	if c.seen = nil; c.wanted() {
		c.seen = newValueFilter(c.sources[0].items(c.t), c.o.Memory)
	}
}

// wanted reports whether such values are looked for.
func (c *valueCheck) wanted() bool {
	return c.o.wants(DuplicateValue) && slices.ContainsFunc(c.t.Layout.Accounts, func(a *layout.Account) bool { return len(a.Unlocked) > 0 })
}

// twice reports whether there are values that two accounts may hold.
func (c *valueCheck) twice() bool { return c.seen != nil && len(c.seen.twice) > 0 }

// sum says where more values may be held twice than were followed up.
func (c *valueCheck) sum() {
	if c.seen == nil || c.seen.lost == 0 {
		return
	}
	need := int64(len(c.seen.twice)+c.seen.lost) * 5 / 4 * sameValueBytes * valuesPart
	c.lacks("more than %s may be held by two accounts, and no more were followed up: give the check --memory %s", phrase.Count(len(c.seen.twice), "value"), size(need))
}

// valueFilter remembers of each value a few bits, and keeps the fingerprints of values
// that may have come twice: all that did, and few others. The bits of a value are in one
// word, so that of two workers that bring it at once one sees the other.
type valueFilter struct {
	words []atomic.Uint64

	mu    sync.Mutex
	twice map[uint64]bool
	most  int // of these
	lost  int // for which there was no room, some of them counted repeatedly
}

const (
	// valuesPart is which part of the memory the filter takes, and again what it finds.
	valuesPart = 4
	// sameValueBytes is about what is kept of a value that may have come twice, with two
	// accounts that hold it.
	sameValueBytes = 512
	// bitsEach is how many bits of a word stand for a value.
	bitsEach = 4
	// wordsEach is how many words there are for each item of the table, where memory has
	// room: the table's description is hours old, and an account may hold several values.
	wordsEach  = 16
	leastWords = 1 << 12
)

func newValueFilter(items, memory int64) *valueFilter {
	words := memory / valuesPart / 8
	if items > 0 {
		words = min(words, max(wordsEach*items, leastWords))
	}
	return &valueFilter{words: make([]atomic.Uint64, words), twice: map[uint64]bool{}, most: int(memory / valuesPart / sameValueBytes)}
}

// add takes in the fingerprint of a value.
func (f *valueFilter) add(print uint64) {
	const golden = 0x9e3779b97f4a7c15
	at, rest := bits.Mul64(print*golden, uint64(len(f.words))) // a fingerprint's first bits are 0
	var mask uint64
	for range bitsEach {
		rest *= golden
		mask |= 1 << (rest >> 58)
	}
	if f.words[at].Or(mask)&mask != mask {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.twice[print]:
	case len(f.twice) < f.most:
		f.twice[print] = true
	default:
		f.lost++
	}
}

// valueCollector finds who holds the values that may have come twice.
type valueCollector struct {
	mu     sync.Mutex
	values map[string]*sameValue // by constraint and value
}

// sameValue is a value, and the accounts that were met with it. Of more there was no room.
type sameValue struct {
	of    *layout.Account
	con   *layout.Constraint
	value string
	keys  []attr.Key
	more  int
}

func (t *valueCollector) collect(r *room, a *layout.Account, con *layout.Constraint, value, at []byte, key attr.Key) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.values[string(at)]
	if s == nil {
		s = &sameValue{of: a, con: con, value: string(value)}
		t.values[string(at)] = s
	}
	if !r.take(len(s.keys)) {
		s.more++
		return
	}
	s.keys = append(s.keys, cloneKey(key))
}

// values takes in what an account holds under rules without locks.
func (v *visitor) values(a *layout.Account) {
	filter, collector := v.p.r.values.seen, v.p.values
	if len(a.Unlocked) == 0 || filter == nil || (!v.p.first && collector == nil) {
		return
	}
	for _, con := range a.Unlocked {
		if !v.part.hasUnlocked(v.p.r, con) {
			continue
		}
		v.texts = con.AppendValues(v.texts[:0], &v.row)
		for _, value := range v.texts {
			v.key = append(append(append(v.key[:0], con.Name...), 0), value...)
			print := v.p.r.seed.Fingerprint(v.key)
			switch {
			case v.p.first:
				filter.add(print)
				v.p.r.values.openValue(print, value)
			case filter.twice[print]:
				collector.collect(v.p.room, a, con, v.key[len(con.Name)+1:], v.key, v.now())
			}
		}
	}
}

// duplicates reads the accounts of each value together, and reports what several hold.
func (c *valueCheck) duplicates(ctx context.Context, t *valueCollector) error {
	var all []*sameValue
	for _, at := range slices.Sorted(maps.Keys(t.values)) {
		if len(t.values[at].keys) > 1 {
			all = append(all, t.values[at])
		}
	}
	c.enter(stage{Stage: Confirming, total: len(all)})
	defer c.leave()
	return atOnceEach(ctx, all, func(ctx context.Context, s *sameValue) error {
		defer c.step(1)
		return c.duplicate(ctx, s)
	})
}

// duplicate reports a value that several accounts hold.
func (c *valueCheck) duplicate(ctx context.Context, s *sameValue) error {
	slices.SortFunc(s.keys, func(a, b attr.Key) int { return strings.Compare(a.ID(), b.ID()) })
	now, rest := s.keys, s.keys[:0:0]
	sure, evidence := false, "Provisional: each account was read once, at another time; nothing was read again."
	if c.o.Confirm != ConfirmNone {
		now, rest = s.keys[:min(len(s.keys), mostItems)], s.keys[min(len(s.keys), mostItems):]
		holding, apart, err := c.holding(ctx, s, now)
		if c.conflicting(err, 1) {
			return nil
		}
		if err != nil {
			return err
		}
		if now = holding; len(now) < 2 {
			if len(rest)+s.more > 0 {
				c.unsettled(1) // others have not been read again
			}
			return nil
		}
		if sure, evidence = !apart, fmt.Sprintf("%d accounts read together %s.", len(now), clock(time.Now())); apart {
			evidence = "Provisional: the accounts were read one after the other, since this endpoint has no transactions."
		}
	}
	f := Finding{
		Kind: DuplicateValue, Constraint: s.con.Name, Value: s.value, Confirmed: sure, MoreAccounts: s.more, Evidence: evidence,
		Detail: fmt.Sprintf("%d accounts hold the %s %s, and no locks keep it unique.", len(now), s.con.Name, phrase.Quote(s.value)),
	}
	for _, key := range slices.Concat(now, rest) {
		f.Accounts = append(f.Accounts, key.Item())
	}
	if met := len(rest) + s.more; met > 0 {
		f.Detail += fmt.Sprintf(" So did %s more when each was read.", phrase.Number(met))
		if s.more > 0 {
			f.Detail += fmt.Sprintf(" For want of memory %s of them are not listed.", phrase.Number(s.more))
		}
	}
	c.emit(f)
	return nil
}

// holding reads accounts together: those that hold the value at that moment.
func (c *valueCheck) holding(ctx context.Context, s *sameValue, keys []attr.Key) (holding []attr.Key, apart bool, err error) {
	var places []client.Address
	for _, key := range keys {
		places = append(places, client.Address{Table: c.t.Name, Key: key})
	}
	items, apart, err := c.consistent.Moment(ctx, places)
	if err != nil {
		return nil, apart, err
	}
	for n, item := range items {
		if item != nil && c.t.Layout.KindOf(c.t.Schema, item) == s.of && slices.Contains(s.con.AppendValues(nil, item), s.value) {
			holding = append(holding, keys[n])
		}
	}
	return holding, apart, nil
}
