package check

import (
	"context"
	"slices"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/check/join"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/check/twice"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/remedy"
	"tallylock/dynamo/schema"
)

// guess collects locks, claims, values and ids of guessed constraints and counters during the first pass, as
// far as memory allows. A guessed layout confirms nothing, so these items are not read again.
type guess struct {
	locks    *twice.Entries[join.Candidate]   // nil if locks are not compared with accounts
	accounts *twice.Entries[[]schema.Account] // by partition key; nil if locks name no accounts
	shared   twice.Entries[sharing]
	room     twice.Room
}

// newGuess returns a guess for the first pass. It returns nil if no guessed constraint or counter is compared, or if
// SQL has read the table.
func newGuess(r *run) *guess {
	if r.o.Candidates != nil {
		return nil
	}
	g := &guess{}
	g.room.Left.Store(int64(setting.MaxKeys(r.o.Memory)))
	g.shared.Room = &g.room
	if r.o.WantsLocks() && slices.ContainsFunc(r.rules.All, (*join.Rule).Guessed) {
		g.locks = &twice.Entries[join.Candidate]{Room: &g.room}
	}
	if g.locks != nil && slices.ContainsFunc(r.rules.All, func(of *join.Rule) bool {
		return of.Guessed() && (of.Owner != "" || of.OwnedByKey())
	}) {
		g.accounts = &twice.Entries[[]schema.Account]{Room: &g.room}
	}
	if g.locks == nil &&
		!r.values.wants(func(con *layout.Constraint) bool { return !r.values.followed(con) }) &&
		!r.ids.wantsDuplicates(func(l *layout.Counter) bool { return len(l.IDs) > 0 && !setting.SureIDs(l) }) {
		return nil
	}
	return g
}

func (v *visitor) addGuessedLock(of *join.Rule, role layout.Role, own []byte, facts join.LockFacts) {
	if g := v.pass.guess; g != nil {
		g.locks.At(v.run.seed.Fingerprint(v.key), func(c *join.Candidate) { c.SawLock(of, own, role, facts) })
	}
}

// addGuessedClaim records that the current account claims a lock of a guessed constraint. v.key is the lock's key.
func (v *visitor) addGuessedClaim(of *join.Rule, value string) {
	print := v.run.seed.Fingerprint(v.key)
	if g := v.pass.guess; g != nil && !slices.Contains(v.claimed, print) {
		v.claimed = append(v.claimed, print)
		g.locks.At(print, func(c *join.Candidate) { c.AddHolder(v.pass.room, of, v.key, value, v.holder(), v.claimIndex) })
	}
}

// addAccount keeps an account that a lock may name. print is the hash of its partition key.
func (g *guess) addAccount(print uint64, a schema.Account) {
	g.accounts.At(print, func(all *[]schema.Account) {
		if len(*all) < join.MaxNamed {
			*all = append(*all, a)
		}
	})
}

// reportGuess judges the guessed locks, values and ids that the first pass has collected, and reports the findings.
func (r *run) reportGuess(ctx context.Context) error {
	g := r.guess
	if g == nil {
		return nil
	}
	if n := g.room.Lost.Load(); n > 0 {
		most := setting.MaxKeys(r.o.Memory)
		need := setting.Advice(setting.MemoryFor((most + int(n)) * 5 / 4))
		r.report.IncompleteUntil(remedy.Of(remedy.AcceptOrMoreMemory, need),
			"the memory was too small to check a guessed layout: it had room for %s entries, but not for about %s more",
			phrase.Number(most), phrase.Number(n))
	}
	if g.locks != nil {
		as, o := *r, *r.o
		o.Confirm, as.o = setting.ConfirmNone, &o
		f := &followUp{run: &as, candidates: g.suspects(r), accounts: r.count.accounts}
		if err := (&judging{followUp: f}).all(ctx); err != nil {
			return err
		}
	}
	return r.duplicates(ctx, &g.shared)
}

// suspects returns the candidates that are not in order (see Candidate.InOrder), with the accounts that their locks may
// name.
func (g *guess) suspects(r *run) map[uint64]*join.Candidate {
	all := map[uint64]*join.Candidate{}
	for print, c := range g.locks.Each {
		if c.Rule == nil || c.InOrder() {
			continue
		}
		c.Count = int64(len(c.Holders)) + int64(c.MoreHolders)
		if c.Exists {
			c.Count--
		}
		if owner := c.Owner(); owner != "" && g.accounts != nil {
			_, key := r.codec.Key(c.Key)
			partition, _ := c.Rule.OwnerPartition(owner, func() attr.Key { return key })
			if accounts := g.accounts.Get(r.seed.Hash([]byte(partition))); accounts != nil {
				c.Lock.Named = *accounts
			}
		}
		all[print] = c
	}
	return all
}
