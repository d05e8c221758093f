package adopt

import (
	"context"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/progress"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/check/sketch"
	"tallylock/dynamo/check/twice"
	"tallylock/dynamo/client"
	"tallylock/dynamo/export"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/scan"
	"tallylock/dynamo/schema"
)

// MostListed is the greatest number of problems that a survey lists.
const MostListed = 100_000

// EstimateSurvey estimates the price of a survey. It sends no request. The second reading is needed only if a value
// may have two holders.
func EstimateSurvey(r *Rule, o setting.Options) progress.Cost {
	var cost progress.Cost
	for _, name := range r.Tables() {
		d := r.Table.DescriptionOf(name)
		cost.Items += d.Items
		if o.Export != nil {
			continue
		}
		cost.Uncounted = cost.Uncounted || d.Bytes == 0
		units := scan.Units(d, o.Segments, false)
		cost.First += units
		cost.Again += units
		if pace := scan.RateOf(d, o.MaxReadUnits); pace > 0 {
			cost.Pace = pace
			cost.Time += time.Duration(2 * units / pace * float64(time.Second))
		}
	}
	return cost
}

// survey is one run of a survey.
//
// The first reading collects fingerprints of keys. held has the key of each account's lock, once for each account. So a
// key that occurs twice in held has two holders. places has the same keys, and the keys of existing locks. owned has
// each of these keys together with the account that holds the value or that the lock names. So a key that occurs twice
// in places, but not in owned, has a lock that names another account. The second reading collects these keys with their
// accounts.
type survey struct {
	r        *Rule
	o        *setting.Options
	progress *progress.Tracker
	exports  map[string]*scan.TableExport
	seed     *sketch.Seed

	held, places, owned *twice.Prints
	suspects            *twice.Entries[suspect] // nil in the first reading
	room                atomic.Int64            // the number of holders that the suspects may still keep in memory

	calls  sync.Mutex
	sum    Surveyed
	found  func(Problem)
	listed int64
	// lockUnits and checkUnits are the write units of all locks and of the checks of their accounts.
	lockUnits, checkUnits float64
}

// Survey reads the tables and reports all problems: values with several holders, locks that name another account, and
// values that cannot have a lock. It writes nothing. It calls found for each problem, and the function
// each with its progress. Both functions may be nil. An error means that the survey is incomplete.
func Survey(
	ctx context.Context, r *Rule, o setting.Options, found func(Problem), each func(progress.State),
) (*Surveyed, error) {
	o.Fill()
	defer setting.LimitGarbage(o.Memory)()
	ctx = o.Gate.Hold(ctx)
	begun := time.Now()
	s := &survey{r: r, o: &o, found: found, seed: sketch.NewSeed(), exports: map[string]*scan.TableExport{}}
	if o.Export == nil {
		s.sum.Begun = begun.UTC()
	}
	s.progress = &progress.Tracker{
		Gate: o.Gate, Consistent: r.Table.SnapshotReader(), Calls: &s.calls, Call: each, Cost: EstimateSurvey(r, o),
		SoFar: func() (map[finding.Kind]int, []string) { return nil, nil },
	}
	s.held, s.places, s.owned = s.prints(), s.prints(), s.prints()
	stop := s.progress.Start()
	err := s.stages(ctx)
	stop()
	for _, prints := range []*twice.Prints{s.held, s.places, s.owned} {
		prints.Close()
	}
	if err != nil {
		s.sum.Why = err.Error()
	} else {
		s.progress.Finish()
	}
	s.sum.ReadUnits, s.sum.Seconds = s.progress.Units(), (time.Since(begun) - o.Gate.Held()).Seconds()
	return &s.sum, err
}

// The shares of the memory. Each of the three sets of fingerprints gets 1/printShare of the memory. The suspects get
// 1/suspectShare. A suspect with its holders takes about suspectBytes.
const (
	printShare   = 8
	suspectShare = 3
	suspectBytes = 384
	// holderBytes is about the size of a further holder.
	holderBytes = 512
)

func (s *survey) prints() *twice.Prints {
	most := min(MostListed, s.o.Memory/suspectShare/suspectBytes)
	return twice.New(s.o.Memory/printShare, int(most), twice.TempDir(s.o.Temp))
}

// stages reads the tables once, and a second time if a key may have several holders.
func (s *survey) stages(ctx context.Context) error {
	if err := s.findExports(); err != nil {
		return err
	}
	if err := s.read(ctx, progress.Reading); err != nil {
		return err
	}
	s.progress.Enter(progress.Phase{Stage: progress.Comparing})
	for _, prints := range []*twice.Prints{s.held, s.places, s.owned} {
		if err := prints.Find(ctx); err != nil {
			s.progress.Leave()
			if ctx.Err() != nil {
				return progress.Stopped(ctx)
			}
			return &client.Error{
				Kind: client.Failed, Op: "comparing the values with each other", Why: err.Error(),
				Do: "make room for temporary files, or name another directory for them", Err: err,
			}
		}
	}
	s.progress.Leave()
	if err := s.list(ctx); err != nil {
		return err
	}
	return s.sameTables(ctx)
}

// list finds the holders of the suspects, if there are any, and counts the locks to write.
func (s *survey) list(ctx context.Context) error {
	held, places, owned := total(s.held), total(s.places), total(s.owned)
	free := s.sum.Values // the values with one holder
	if held > 0 || places != owned {
		s.suspects = new(twice.Entries[suspect])
		s.room.Store(s.o.Memory / suspectShare / holderBytes)
		s.progress.Follow(int(max(held, places-owned)))
		if err := s.read(ctx, progress.LookingAgain); err != nil {
			return err
		}
		shared, ownedShared := s.report()
		free -= shared
		_, more := s.held.Found()
		s.sum.Duplicates += more
		s.sum.ForeignLocks = max(s.sum.ForeignLocks, places-owned-held+ownedShared)
	}
	s.sum.ToWrite = max(free-max(places-held, 0), 0)
	if s.sum.Values > 0 {
		s.sum.WriteUnits = math.Ceil((s.lockUnits + s.checkUnits) * float64(s.sum.ToWrite) / float64(s.sum.Values))
	}
	return nil
}

// total returns how many fingerprints were added twice.
func total(p *twice.Prints) int64 {
	kept, more := p.Found()
	return int64(kept) + more
}

// findExports finds the exports of the tables, if the survey reads exports.
func (s *survey) findExports() error {
	if s.o.Export == nil {
		return nil
	}
	names := s.r.Tables()
	for _, name := range names {
		e, err := export.Of(s.o.Export, s.r.Table, name, len(names) > 1)
		if err != nil {
			return err
		}
		if s.exports[name] = e; name == s.r.Table.Name && !e.At.IsZero() {
			s.sum.Export, s.sum.Begun = &e.At, e.At
		}
	}
	return nil
}

// read reads all tables once.
func (s *survey) read(ctx context.Context, stage progress.Stage) error {
	names := s.r.Tables()
	units := func(names []string) (units float64) {
		for _, name := range names {
			if s.o.Export == nil {
				units += scan.Units(s.r.Table.DescriptionOf(name), s.o.Segments, false)
			}
		}
		return units
	}
	for n, name := range names {
		var visitors []*surveyor
		d := s.r.Table.DescriptionOf(name)
		o := scan.Options{
			Attributes: s.columns(name), Whole: true, Segments: s.o.Segments, MaxReadUnits: s.o.MaxReadUnits,
			Progress: new(scan.Progress),
		}
		s.progress.Enter(progress.Phase{
			Stage: stage, Scan: o.Progress, Expected: d.Items, Units: units(names[n : n+1]), After: units(names[n+1:]),
		})
		visitor := func() scan.Visitor {
			v := &surveyor{survey: s, table: name, first: stage == progress.Reading}
			v.row.Names = o.Attributes
			visitors = append(visitors, v)
			return v
		}
		var totals scan.Totals
		var err error
		if e := s.exports[name]; e != nil {
			totals, err = e.Scan(ctx, o, visitor)
		} else {
			totals, err = scan.Table(ctx, s.r.Table.Connection().Client, d, o, visitor)
		}
		s.progress.Leave()
		if stage == progress.Reading {
			s.sum.Items += totals.Items
			for _, v := range visitors {
				s.add(v)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// columns lists the key attributes of a table. They tell the role of an item. A survey reads the other attributes, too.
func (s *survey) columns(table string) []string {
	keys := s.r.Table.SchemaOf(table)
	all := attr.Columns(keys.HashName)
	if keys.RangeName != "" {
		all = attr.Columns(keys.HashName, keys.RangeName)
	}
	return all
}

// sameTables returns an error if a table was deleted and created again during the survey.
func (s *survey) sameTables(ctx context.Context) error {
	if s.o.Export != nil {
		return nil
	}
	for _, name := range s.r.Tables() {
		now, err := s.progress.Consistent.Describe(ctx, name)
		if err != nil {
			return err
		}
		if now.Identity() != s.r.Table.DescriptionOf(name).Identity() {
			return &client.Error{
				Kind: client.Failed, Op: op(s.r.Constraint.Name),
				Why: "the table " + name + " was deleted and created again while tallylock read it", Do: "begin again",
			}
		}
	}
	return nil
}

// add adds the counts of a visitor.
func (s *survey) add(v *surveyor) {
	s.sum.Accounts += v.sum.Accounts
	s.sum.Locks += v.sum.Locks
	s.sum.Values += v.sum.Values
	s.sum.Unfit += v.sum.Unfit
	s.sum.Expiring += v.sum.Expiring
	s.lockUnits += v.lockUnits
	s.checkUnits += v.checkUnits
}

// surveyor visits the items that one worker reads.
type surveyor struct {
	*survey
	table string
	first bool
	row   scan.WholeRow
	key   []byte

	sum                   Surveyed
	lockUnits, checkUnits float64
}

// Visit implements scan.Visitor.
func (v *surveyor) Visit(row scan.Row, rest scan.Rest) {
	v.row.Row, v.row.Rest = row, rest
	role := v.r.Table.Classify(v.table, &v.row)
	switch {
	case role.Constraint != nil:
		if lock, c, ok := v.r.Lock(v.table, v.row.Item()); ok && !role.Malformed {
			v.lock(c, lock)
		}
	case role.Account != nil:
		v.account(v.row.Item())
	}
}

// account adds the locks that an account needs.
func (v *surveyor) account(item attr.Item) {
	wants := v.r.Wants(item)
	if v.first {
		v.count(item, wants)
	}
	for _, w := range wants {
		if w.Item == nil {
			if v.first {
				v.emit(unfitProblem(v.r, w))
			}
			continue
		}
		place := v.place(w.Claim.Key)
		own := v.owner(w.Claim.Key, w.Account.Key.Hash.Value.Text)
		switch {
		case v.first:
			v.held.Add(place)
			v.places.Add(place)
			v.owned.Add(own)
		case v.held.Has(place) || v.places.Has(place) && !v.owned.Has(own):
			named := v.owned.Has(own)
			v.suspects.At(place, func(to *suspect) { to.addHolder(v.survey, w, item, named) })
		}
	}
}

// count counts an account and the price of its locks.
func (v *surveyor) count(item attr.Item, wants []Wanted) {
	v.sum.Accounts++
	locks := 0
	for _, w := range wants {
		if w.Item == nil {
			v.sum.Unfit++
			continue
		}
		locks++
		v.sum.Values++
		v.lockUnits += client.WriteUnits(w.Item.Size() + adoptBytes)
	}
	if locks == 0 {
		return
	}
	v.checkUnits += client.WriteUnits(item.Size())
	if v.r.AccountTTL != "" && item[v.r.AccountTTL].Kind == attr.N {
		v.sum.Expiring++
	}
}

// adoptBytes is the size of the attribute tallylock_adopt in a lock: its name, and 128 bits in hexadecimal.
const adoptBytes = len(schema.AdoptAttribute) + 32

// lock adds an existing lock.
func (v *surveyor) lock(c *layout.Constraint, lock schema.Lock) {
	place := v.place(lock.Key)
	owners := v.r.ownerHashes(c, lock)
	if v.first {
		v.sum.Locks++
		v.places.Add(place)
		for _, owner := range owners {
			v.owned.Add(v.owner(lock.Key, owner))
		}
		return
	}
	owned := false
	for _, owner := range owners {
		owned = owned || v.owned.Has(v.owner(lock.Key, owner))
	}
	if v.held.Has(place) || v.places.Has(place) && !owned {
		v.suspects.At(place, func(to *suspect) { to.lock, to.c, to.key = &lock, c, lock.Key })
	}
}

// place returns the fingerprint of a lock's key.
func (v *surveyor) place(key attr.Key) uint64 {
	v.key = append(v.key[:0], key.ID()...)
	return v.seed.Fingerprint(v.key)
}

// owner returns the fingerprint of a lock's key with the partition key of its account.
func (v *surveyor) owner(key attr.Key, hash string) uint64 {
	v.key = append(append(append(v.key[:0], key.ID()...), 0), hash...)
	return v.seed.Fingerprint(v.key)
}

// ownerHashes lists the possible partition keys of the account that a lock names.
func (r *Rule) ownerHashes(c *layout.Constraint, lock schema.Lock) (all []string) {
	id, ok := c.OwnerForm.ID(lock.Owner)
	if !ok {
		return nil
	}
	_, vars, _ := c.ParseLock(r.Table.SchemaOf(r.LockTable), lock.Key)
	for _, kind := range r.Table.OwnerKinds(c, lock) {
		if hash, ok := kind.Partition(id, vars); ok {
			all = append(all, hash)
		}
	}
	return all
}
