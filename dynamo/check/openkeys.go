package check

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/join"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/schema"
	"tallylock/dynamo/verdict"
)

// openJudging judges the open keys of a state. If increments have touched a key, some of its items may be unknown. Then
// several verdicts are possible.
type openJudging struct {
	*judging
	keys map[*join.Candidate]*join.Open
}

// openVerdict is the verdict on an open key.
type openVerdict struct {
	judged
	key *join.Open
	// unknown is the number of accounts that claim the key, besides the claimants of the relation. unread is set if the
	// lock exists but was not read.
	unknown int64
	unread  bool
	// unsureOwner is set if the lock may name an account that was not read. mixed is set if there may be two locks: one
	// that names the holder, and one that names another account.
	unsureOwner, mixed bool
	// also lists the other possible kinds. unsettled is set if the key is possibly broken, and possibly in order.
	also      []finding.Kind
	unsettled bool
}

// judgeOpen judges the open keys, and returns the kinds of the findings by the fingerprint of the key. If emit is set,
// it also reports the findings.
func (r *run) judgeOpen(emit bool) map[uint64]finding.Kind {
	j := &openJudging{
		judging: &judging{followUp: &followUp{run: r, candidates: map[uint64]*join.Candidate{}}},
		keys:    map[*join.Candidate]*join.Open{},
	}
	for place, k := range r.open {
		if len(k.Sums) > 0 && !k.Rule.Guessed() {
			c := j.candidate(k)
			j.candidates[place], j.keys[c] = c, k
		}
	}
	if emit {
		j.learnCounts()
	}
	groups := j.bySpelling()
	j.suspectLayout(groups)
	kinds := map[*join.Open]finding.Kind{}
	for _, group := range groups {
		if !group[0].Rule.Misfit {
			j.judgeOpenGroup(group, kinds, emit)
		}
	}
	byPlace := map[uint64]finding.Kind{}
	for place, k := range r.open {
		if kind := kinds[k]; kind != "" {
			byPlace[place] = kind
		}
	}
	return byPlace
}

// candidate returns an open key as a candidate, for the functions that judge all candidates.
func (j *openJudging) candidate(k *join.Open) *join.Candidate {
	c := &join.Candidate{Key: k.Key, Count: k.Count(), Rule: k.Rule, Value: k.Value}
	for _, at := range sortedKeys(k.Holders) {
		c.Holders = append(c.Holders, k.Holders[at])
	}
	_, lock := k.Lock()
	least, _ := k.Bounds(j.forms(k))
	if c.Exists = least > 0; lock != nil {
		c.Rule, c.Value, c.Lock = lock.Rule, lock.Value, &lock.LockFacts
	}
	return c
}

func (j *openJudging) forms(k *join.Open) int { return len(j.run.formsOf(k)) }

// judgeOpenGroup judges keys whose values differ only in spelling.
func (j *openJudging) judgeOpenGroup(group []*join.Candidate, kinds map[*join.Open]finding.Kind, emit bool) {
	slices.SortFunc(group, func(a, b *join.Candidate) int { return cmp.Compare(a.Key, b.Key) })
	var all []*openVerdict
	for _, c := range group {
		all = append(all, j.verdict(j.keys[c]))
	}
	pairOpen(all)
	for n, v := range all {
		kind := finding.KindOf(v.rel)
		if kind != "" {
			j.addDigests(v)
			kind = finding.KindOf(v.rel)
		}
		if !v.unsettled {
			kinds[v.key] = kind
		}
		if emit {
			j.emitOpen(group[n], kind, v)
		}
	}
}

// pairOpen pairs values with locks in another spelling. It pairs nothing if the partner of a lock is uncertain: the
// lock of a value may exist, or an account is unknown. Then a pair is possible, but not certain.
func pairOpen(all []*openVerdict) {
	var rels []*verdict.Relation
	var values, locks []*openVerdict
	unsure, unsureOwner := false, false
	for _, v := range all {
		rels = append(rels, v.rel)
		switch kind := finding.KindOf(v.rel); {
		case kind == finding.MissingLock:
			values = append(values, v)
			unsure = unsure || len(v.also) > 0 || v.rel.Account == nil
		case kind.OnAbsence():
			locks = append(locks, v)
			unsure = unsure || v.unsettled
			unsureOwner = unsureOwner || v.unsureOwner
		}
	}
	if !unsure && !(unsureOwner && len(values) > 1) {
		verdict.PairSpellings(rels, true)
		return
	}
	if len(values) > 0 && len(locks) > 0 {
		for _, v := range slices.Concat(values, locks) {
			v.also = append(v.also, finding.UnnormalisedLock)
		}
	}
}

// addDigests judges v again if its constraint has unclaimed locks with digests and accounts without locks: they may
// belong together.
func (j *openJudging) addDigests(v *openVerdict) {
	switch {
	case v.rel.Variant != nil:
	case len(v.facts.Claimants) == 0:
		v.facts.Digests = j.digests[v.rel.Constraint] && v.facts.UnknownText
		v.rel.Conclude(v.facts)
	case v.rel.Verdict == verdict.Missing:
		v.facts.Digests = j.digests[v.rel.Constraint]
		v.rel.Conclude(v.facts)
	}
}

// verdict judges an open key for each possible number of locks. The least number gives the verdict, and the others give
// further possible kinds.
func (j *openJudging) verdict(k *join.Open) *openVerdict {
	least, most := k.Bounds(j.forms(k))
	first := j.withLocks(k, least)
	kind := finding.KindOf(first.rel)
	add := func(other finding.Kind) {
		if other == kind || slices.Contains(first.also, other) {
			return
		}
		if other != "" {
			first.also = append(first.also, other)
		}
		first.unsettled = first.unsettled || kind == "" || other == ""
	}
	if first.unsureOwner {
		add(finding.StaleLock)
	}
	mixed := first.mixed
	for locks := least + 1; locks <= most; locks++ {
		v := j.withLocks(k, locks)
		add(finding.KindOf(v.rel))
		mixed = mixed || v.mixed
	}
	if mixed {
		add(finding.ForeignLock)
	}
	first.rel.More = most > least && kind == finding.DuplicateValue
	return first
}

// withLocks judges an open key as if this number of locks existed.
func (j *openJudging) withLocks(k *join.Open, locks int64) *openVerdict {
	v := &openVerdict{key: k}
	v.rel = j.relation(k, locks)
	_, read := k.Lock()
	v.unread = locks > 0 && read == nil
	claims := k.Count() + locks
	v.rel.Claimants = j.claimants(k, claims)
	v.unknown = claims - int64(len(v.rel.Claimants))
	if len(v.rel.Claimants) > 0 {
		v.rel.Account = &v.rel.Claimants[0]
	}
	v.rel.MoreClaimants = int(v.unknown)
	var owner *schema.Account
	if locks > 0 && claims == 0 {
		owner, v.unsureOwner = j.owner(k, v.rel)
	}
	v.facts = j.run.t.Facts(v.rel, owner, verdict.OthersAbsent)
	v.facts.Scanned, v.facts.Now = true, asOf(j.run)
	for int64(len(v.facts.Claimants)) < min(claims, 2) {
		v.facts.Claimants = append(v.facts.Claimants, schema.Account{})
	}
	if k.Rule.First.Owned && claims == 1 && locks > 0 && (locks > 1 || v.unread || len(v.rel.Claimants) == 0) {
		holder := ""
		if len(v.rel.Claimants) == 1 {
			holder = join.KeyText(v.rel.Claimants[0].Key.Hash.Value)
		}
		names, others := k.NamesHolder(locks, holder)
		v.facts.OwnerKnown, v.facts.NamesClaimant, v.facts.OwnerOdd = v.rel.Lock.Owner != "", names, ""
		v.mixed = names && others && v.facts.OwnerKnown
	}
	if v.unread && v.rel.Lock.Owner != "" {
		v.facts.OwnerKnown, v.facts.OwnerOdd = true, ""
	}
	v.rel.Conclude(v.facts)
	return v
}

// relation returns the lock of an open key without accounts. If the lock was not read, its owner is the partition key
// of the account that the lock names.
func (j *openJudging) relation(k *join.Open, locks int64) *verdict.Relation {
	own, lock := k.Lock()
	if lock == nil {
		own = k.Key
	}
	from, key := j.run.codec.Key(own)
	rel := &verdict.Relation{
		Constraint: k.Rule.Constraint, Value: k.Value,
		Lock: schema.Lock{Table: from.Name, Key: key, Exists: locks > 0},
	}
	switch {
	case lock != nil:
		rel.Constraint, rel.Value, rel.Malformed = lock.Rule.Constraint, lock.Value, lock.Malformed
		rel.Lock.Owner, rel.Lock.Mark, rel.Lock.Since = lock.Owner, lock.Mark, lock.Since
	case locks > 0:
		rel.Lock.Owner = k.NamesPartition()
	}
	return rel
}

// claimants returns the known accounts that claim an open key. It returns at most as many accounts as the parameter
// claims. A former lock may name an account that has not changed. If the key's sums still have a claim of this account,
// the account claims the key, too.
func (j *openJudging) claimants(k *join.Open, claims int64) (all []schema.Account) {
	t := j.run.t
	in := map[string]int64{}
	for _, at := range sortedKeys(k.Holders) {
		key := t.Schema.KeyFrom(at[0], at[1])
		all = append(all, schema.Account{Key: key})
		in[join.KeyText(key.Hash.Value)]++
	}
	from, key := j.run.codec.Key(k.Key)
	for _, text := range k.Former {
		lock := schema.Lock{Table: from.Name, Key: key, Owner: text}
		keys := t.OwnerKeys(k.Rule.Constraint, lock)
		if len(keys) != 1 || int64(len(all)) >= claims {
			continue
		}
		partition := join.KeyText(keys[0].Hash.Value)
		if k.Rule.First.Owned && k.Sums[partition]-in[partition] == 1 {
			all = append(all, schema.Account{Key: keys[0]})
			in[partition]++
		}
	}
	return all
}

// owner returns the account that an unclaimed lock names. It returns nil if the account does not exist, or was not
// read. unsure is set if the account was not read and may exist.
func (j *openJudging) owner(k *join.Open, rel *verdict.Relation) (owner *schema.Account, unsure bool) {
	t := j.run.t
	_, lock := k.Lock()
	exists := slices.ContainsFunc(slices.Collect(maps.Values(k.Owners)), func(o join.OpenOwner) bool { return o.Exists })
	if lock == nil && len(k.Owners) > 1 && (exists || !k.Whole) {
		return nil, true // the partition has several accounts, and the lock may name any of them
	}
	for _, at := range sortedKeys(k.Owners) {
		o := k.Owners[at]
		if _, a := t.AccountOf(o.Item); o.Exists && a != nil && (lock == nil || t.Names(rel.Constraint, rel.Lock, a)) {
			return a, false
		}
	}
	switch {
	case lock == nil && rel.Lock.Owner == "": // only an owner that is not compared can be unknown
		return nil, rel.Constraint.Owner != "" && !k.Rule.First.Owned
	case rel.Lock.Owner == "", k.Whole && k.OwnersOf == k.NamesPartition():
		return nil, false
	}
	keys := t.OwnerKeys(rel.Constraint, rel.Lock)
	if lock == nil && len(keys) == 0 {
		return nil, len(k.Owners) == 0
	}
	return nil, slices.ContainsFunc(keys, func(key attr.Key) bool {
		_, read := k.Owners[[2]string{join.KeyText(key.Hash.Value), join.KeyText(key.Range.Value)}]
		return !read
	})
}

// emitOpen reports the finding of an open key, if it has one.
func (j *openJudging) emitOpen(c *join.Candidate, kind finding.Kind, v *openVerdict) {
	switch {
	case v.unsettled:
		if slices.ContainsFunc(append(v.also, kind), j.run.o.Wants) { // sayUnsettled lists the key
			v.key.Unsettled = true
			j.run.o.Known.Unsettled(v.rel.Constraint.Name, v.rel.Value)
		}
		return
	case v.rel.Pending && !v.rel.Until.IsZero():
		j.run.report.Reserved()
		return
	case kind == "", v.rel.Variant != nil && v.rel.Lock.Exists:
		return
	case kind == finding.DuplicateValue && v.rel.Constraint.Compared(): // listed as not checked
		return
	}
	f := j.finding(c, kind, &v.judged)
	f.MoreAccounts, f.AlsoPossible = int(v.unknown), v.also
	if v.unread {
		f.Owner = "" // the lock's own text for its owner is unknown
	}
	f.Detail += v.remarks(kind)
	f.Evidence = fmt.Sprintf("Provisional: computed from a full export and its increments until %s. "+
		"Nothing was read from the table. The check did not search for other holders of the value.", phrase.UTC(j.run.at))
	j.run.report.Emit(f)
}

// remarks returns sentences about the items that the increments do not have. Each begins with a space.
func (v *openVerdict) remarks(kind finding.Kind) (said string) {
	switch {
	case v.unknown == 1:
		said += " One account that holds the value did not change in the increments, so its key is unknown."
	case v.unknown > 1:
		said += fmt.Sprintf(" %s that hold the value did not change in the increments, so their keys are unknown.",
			phrase.Count(v.unknown, "account"))
	}
	switch {
	case kind == finding.MissingLock && slices.Contains(v.also, finding.DuplicateValue):
		said += " The lock did not change in the increments. If the lock exists, an account outside the increments" +
			" also holds the value, and this finding is a duplicate-value."
	case kind == finding.OrphanedLock && slices.Contains(v.also, finding.StaleLock):
		said += " The account that the lock may name did not change in the increments. If this account exists, this" +
			" finding is a stale-lock."
	}
	return said
}
