package check

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"sync"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

// judgeAtOnce is how many suspects are read at the same time.
const judgeAtOnce = 8

// judge reads each suspect's lock together with its accounts, and reports what
// is wrong with it. Locks of values that differ in spelling only are judged
// together.
func (l *look) judge(ctx context.Context) error {
	c := l.c
	c.enter(stage{what: "confirming", total: len(l.suspects)})
	defer c.leave()
	groups := map[spelling][]*suspect{}
	for _, s := range l.suspects {
		if s.rel == nil {
			continue // nothing of it is there any more
		}
		at := spelling{s.rel.Constraint, layout.Fold(s.rel.Value)}
		groups[at] = append(groups[at], s)
	}
	l.weigh(groups)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	todo := make(chan []*suspect)
	judged := func(group []*suspect) {
		if err := l.group(ctx, group); err != nil {
			cancel(err)
		}
		c.step(len(group))
	}
	var wg sync.WaitGroup
	for range judgeAtOnce {
		wg.Go(func() {
			for group := range todo {
				for some := range atOnce(group) {
					judged(some)
				}
			}
		})
	}
	for _, group := range groups {
		if ctx.Err() != nil {
			break
		}
		todo <- group
	}
	close(todo)
	wg.Wait()
	return context.Cause(ctx)
}

// spelling is a value of a constraint, however it is spelt.
type spelling struct {
	constraint *layout.Constraint
	folded     string
}

// tooMany is the share of a constraint's locks above which orphans say more about
// the layout than about the table, in percent. fewLocks is how many there must be
// for a share to say anything.
const (
	tooMany  = 20
	fewLocks = 20
)

// weigh counts what the suspects look like before any of them is judged, and
// doubts the layout where that is too much.
func (l *look) weigh(groups map[spelling][]*suspect) {
	c := l.c
	orphans, misspelt := map[*layout.Constraint]int64{}, map[*layout.Constraint]int64{}
	for at, group := range groups {
		held, nobodys := false, int64(0)
		for _, s := range group {
			s.mu.Lock()
			switch {
			case len(s.claimants) > 0:
				held = true
			case s.rel.Lock.Exists && !s.gone:
				nobodys++
			}
			s.mu.Unlock()
		}
		if held && nobodys > 0 {
			misspelt[at.constraint]++
		} else {
			orphans[at.constraint] += nobodys
		}
	}
	l.tooMany = map[*layout.Constraint]map[Kind]string{}
	for n, con := range c.constraints {
		of := c.count.of[n]
		doubt := map[Kind]string{}
		if locks := of.locks; locks >= fewLocks && 100*orphans[con] > tooMany*locks {
			many := fmt.Sprintf("%s of the %s %s locks are called for by no account: the layout %s may be what is wrong", dynamo.Group(fmt.Sprint(orphans[con])), dynamo.Group(fmt.Sprint(locks)), con.Name, c.t.Layout.Name)
			doubt[OrphanedLock], doubt[StaleLock] = many, many
		}
		if folds := of.folds; 100*misspelt[con] > tooMany*folds && folds > 0 {
			doubt[UnnormalisedLock] = fmt.Sprintf("of the %s %s values with capitals and the like %s have their locks in another spelling: the application may fold them, and the layout %s be what is wrong", dynamo.Group(fmt.Sprint(folds)), con.Name, dynamo.Group(fmt.Sprint(misspelt[con])), c.t.Layout.Name)
		}
		l.tooMany[con] = doubt
	}
}

// group judges suspects of one value, however it is spelt.
func (l *look) group(ctx context.Context, group []*suspect) error {
	c := l.c
	fresh, unread, err := l.judged(ctx, group)
	if _, busy := dynamo.Conditional(err); busy && ctx.Err() == nil {
		c.unsettled(len(group)) // the application keeps writing to it
		return nil
	}
	if err != nil {
		return err
	}
	verdicts := make([]verdict, len(group))
	for n, s := range group {
		s.mu.Lock()
		verdicts[n] = l.verdict(s, fresh[n])
		verdicts[n].unread, verdicts[n].more = unread, s.more
		s.mu.Unlock()
	}
	pairUp(verdicts)
	for n, v := range verdicts {
		if v.kind == "" {
			group[n].settled()
			continue
		}
		if err := l.doubt(ctx, &v, group[n]); err != nil {
			return err
		}
		group[n].settled()
		c.emit(l.finding(group[n], v))
	}
	return nil
}

// judged judges suspects by their locks and accounts. One that has more accounts than
// can be read at one moment is alone: two of them that hold its value at one moment
// make a duplicate, and unread are those that were not read by then. Where those that
// are read hold it no more, the next are.
func (l *look) judged(ctx context.Context, group []*suspect) (fresh []*dynamo.Relation, unread []dynamo.Account, err error) {
	var rels []*dynamo.Relation
	for _, s := range group {
		rels = append(rels, s.rel)
		if l.c.o.Confirm == ConfirmNone {
			fresh = append(fresh, l.c.t.Presume(s.rel, s.claimants, s.named(l.c.t)))
		}
		unread = append(unread, s.claimants...)
	}
	if fresh != nil {
		return fresh, nil, nil
	}
	var keys []attr.Key
	for {
		most := len(unread)
		if len(group) == 1 {
			most = min(most, mostItems-ownItems-len(keys))
		}
		for _, a := range unread[:most] {
			keys = append(keys, a.Key)
		}
		unread = unread[most:]
		if fresh, err = l.c.witness.Judge(ctx, keys, true, rels...); err != nil || len(unread) == 0 || fresh[0].Verdict == dynamo.Duplicate {
			return fresh, unread, err
		}
		keys = keys[:0]
		for _, a := range fresh[0].Claimants {
			keys = append(keys, a.Key)
		}
	}
}

// settled says that there is nothing more to learn of the suspect, and forgets
// what it was.
func (s *suspect) settled() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.judged, s.rel, s.claimants, s.owners = true, nil, nil, nil
}

// doubt asks the census whether anything speaks against what is said of a lock
// that nobody calls for. The accounts of the finding itself do not.
func (l *look) doubt(ctx context.Context, v *verdict, of *suspect) error {
	rel := of.rel
	if v.other != nil {
		rel = v.other
	} else if !v.nobodys() {
		return nil
	}
	var settled []attr.Key
	for _, a := range v.rel.Claimants {
		settled = append(settled, a.Key)
	}
	var doubt string
	var err error
	if l.c.o.Confirm == ConfirmNone {
		doubt = l.census.SeenDoubt(rel)
	} else {
		doubt, err = l.census.Doubt(ctx, rel, settled...)
	}
	if v.doubt == "" {
		v.doubt = doubt
	}
	v.confirmed = v.confirmed && v.doubt == ""
	return err
}

// atOnce divides suspects of one value into those that can be read at one moment.
// Its order does not depend on chance: what is found together is the same on every
// check. Many accounts on one spelling come last, by themselves.
func atOnce(group []*suspect) iter.Seq[[]*suspect] {
	slices.SortFunc(group, func(a, b *suspect) int {
		return cmp.Or(cmp.Compare(len(a.claimants), len(b.claimants)), cmp.Compare(a.rel.Lock.Table, b.rel.Lock.Table), cmp.Compare(a.key.ID(), b.key.ID()))
	})
	return func(yield func([]*suspect) bool) {
		for len(group) > 0 {
			n, items := 0, 0
			for n < min(len(group), groupSize) && (n == 0 || items+ownItems+len(group[n].claimants) <= mostItems) {
				items += ownItems + len(group[n].claimants)
				n++
			}
			if !yield(group[:n]) {
				return
			}
			group = group[n:]
		}
	}
}

// groupSize is how many locks are judged together at most: no person spells one
// value in so many ways. mostItems is how many items can be read at one moment, and
// ownItems how many of them a lock takes by itself, with those that it may name.
const (
	groupSize = 8
	mostItems = 100
	ownItems  = 5
)

// verdict is what became of a suspect. It has no kind where nothing is wrong.
type verdict struct {
	kind      Kind
	rel       *dynamo.Relation
	confirmed bool
	doubt     string // why it is not, where there is a reason
	sentence  string // what is wrong, where the relation's does not say
	cut       bool   // the check was stopped before it was judged
	// unread are accounts of a duplicate that were met on the look and not read again;
	// of more there was no room for their keys.
	unread []dynamo.Account
	more   int
	other  *dynamo.Relation
}

// nobodys reports whether the finding rests on no account calling for the lock.
func (v verdict) nobodys() bool {
	return v.kind == OrphanedLock || v.kind == StaleLock || v.kind == MalformedLock
}

// verdict says what is wrong with a suspect, by what was read last.
func (l *look) verdict(s *suspect, rel *dynamo.Relation) verdict {
	v := verdict{rel: rel, confirmed: l.c.o.Confirm != ConfirmNone && !rel.Provisional}
	if s.more > 0 && rel.Verdict != dynamo.Duplicate {
		l.c.unsettled(1) // those that are known have left, and others are not
		return v
	}
	switch rel.Verdict {
	case dynamo.Missing:
		v.kind = MissingLock
	case dynamo.Duplicate:
		v.kind = DuplicateValue
	case dynamo.Foreign:
		v.kind = ForeignLock
	case dynamo.Held:
		if sentence, uneven := l.c.uneven(rel); uneven && l.firstOf(s, rel.Claimants[0]) {
			v.kind, v.sentence = ExpiringAccount, sentence
		}
	case dynamo.Orphaned, dynamo.Stale, dynamo.Malformed, dynamo.Unknown:
		return l.nobodys(s, v)
	}
	return v
}

// nobodys judges a lock that no account calls for.
func (l *look) nobodys(s *suspect, v verdict) verdict {
	rel := v.rel
	// An orphan has no account on any reading: where the first one met as many as
	// locks, or more, somebody had it.
	if s.count >= 0 || len(s.claimants) > 0 || s.gone || (s.rel.Lock.Item != nil && !s.rel.Lock.Item.Equal(rel.Lock.Item)) || !rel.Lock.Exists {
		l.c.unsettled(1) // it changed while it was looked at
		return v
	}
	switch {
	case rel.Verdict == dynamo.Malformed, s.bad:
		v.kind, rel.Verdict = MalformedLock, dynamo.Malformed
	case rel.Verdict == dynamo.Stale:
		v.kind = StaleLock
	default:
		v.kind = OrphanedLock
	}
	switch {
	case rel.Why != "":
		v.doubt = rel.Why
	case l.restless && rel.Provisional:
		v.doubt = "values were given up and taken again all the while, and this may be one of them"
	case rel.Apart():
		v.doubt = "this endpoint has no transactions, and lock and accounts could not be read at one moment"
	}
	v.confirmed = v.doubt == "" && (v.confirmed || l.settled)
	return v
}

// pairUp makes one finding of a lock that nobody calls for and an account whose
// lock is missing, where they differ in spelling only.
func pairUp(verdicts []verdict) {
	for n := range verdicts {
		orphan := &verdicts[n]
		if orphan.kind != OrphanedLock && orphan.kind != StaleLock {
			continue
		}
		for m := range verdicts {
			missing := &verdicts[m]
			if missing.kind != MissingLock {
				continue
			}
			missing.kind, missing.other = UnnormalisedLock, orphan.rel
			missing.confirmed = missing.confirmed && orphan.confirmed
			orphan.kind = ""
			break
		}
	}
}

func (c *checker) unsettled(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.summary.Unsettled += n
}

// giveUp reports what is known of the suspects that were not judged any more. Of a
// value that more accounts call for than there are locks that is nothing, until
// those accounts were met.
func (l *look) giveUp() {
	for _, s := range l.suspects {
		s.mu.Lock()
		if s.rel != nil && !s.judged && (s.count < 0 || len(s.claimants) > 0) {
			v := l.verdict(s, l.c.t.Presume(s.rel, s.claimants, nil))
			v.more = s.more
			v.confirmed, v.cut, v.doubt = false, true, "the check was stopped before it was"
			if v.kind != "" {
				l.c.emit(l.finding(s, v))
			}
		}
		s.mu.Unlock()
	}
}
