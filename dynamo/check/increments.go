package check

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/join"
	"tallylock/dynamo/check/progress"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/check/sketch"
	"tallylock/dynamo/check/state"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/remedy"
	"tallylock/dynamo/scan"
)

// Increments checks the items that have changed since a state, and returns the next state. The join is a sum: each
// change subtracts its old image and adds its new one. Increments reads nothing from the table, and confirms no
// finding. The order of the increments does not matter. The state is nil if the check is incomplete. o.Export may be
// nil. If o.Export.Inferred is set, the caller has not asked an endpoint about the table.
func Increments(
	ctx context.Context, t *dynamo.Table, o setting.Options, from *state.State, all []*scan.Increment,
	found func(finding.Finding), each func(progress.State),
) (finding.Summary, *state.State, error) {
	o.Confirm, o.Candidates = setting.ConfirmNone, nil
	if o.Fill(); o.Export == nil {
		o.Export = &scan.Export{}
	}
	windows, err := windowsOf(from, all)
	if err = cmp.Or(err, fitsState(t, from, o)); err != nil {
		sum, err := refused(ctx, t, o, found, each, err)
		return sum, nil, err
	}
	r := newRun(t, o)
	i := &increments{run: r, from: from, windows: windows}
	r.changes, r.at = i, windows[len(windows)-1].to
	sum, err := r.do(ctx, found, each, i.stages)
	if err != nil || !sum.Complete {
		return sum, nil, err
	}
	next := r.newState(from.Base, r.at, from.Windows+len(windows), func(s *join.Source) string { return i.tableOf(s).ID })
	next.Keys = r.stateKeys()
	return sum, next, nil
}

// RefusesIncrements returns the error with which Increments would refuse to begin, or nil. It reads no item.
func RefusesIncrements(t *dynamo.Table, o setting.Options, from *state.State, all []*scan.Increment) error {
	o.Fill()
	_, err := windowsOf(from, all)
	return cmp.Or(err, fitsState(t, from, o))
}

// fitsState returns an error if the state is of another table or of another layout, or if the check wants no findings
// about locks.
func fitsState(t *dynamo.Table, s *state.State, o setting.Options) error {
	refuse := func(why string) error { return refuseState(why, remedy.Of(remedy.RenewState)) }
	tables, offline := t.Tables(), o.Export != nil && o.Export.Inferred != ""
	switch {
	case !sameName(s.Table, t.Name):
		return refuse(fmt.Sprintf("the state is of the table %s, but this is a check of %s", phrase.Quote(s.Table), t.Name))
	case s.Layout != config.Hash(t.Layout):
		return refuse("the state was made with another layout of " + t.Name)
	case len(s.Tables) != len(tables):
		return refuse("the layout uses other tables than the state")
	case !o.WantsLocks():
		return refuseState("increments show nothing about counters and ids", remedy.Of(remedy.Text, "check all locks"))
	}
	for n, one := range s.Tables {
		now := t.DescriptionOf(tables[n])
		switch {
		case !sameName(one.Name, tables[n]) || now.Schema != one.Schema:
			return refuse("the layout uses other tables or keys than the state")
		case now.ID != "" && now.ID != one.ID && !offline:
			return refuse(fmt.Sprintf("the state is of a different table that was also called %s: the state has the id %s, today's table has %s",
				one.Name, phrase.Quote(one.ID), now.ID))
		}
	}
	return fitsRules(newRun(t, o), s)
}

// fitsRules returns an error if the layout has other constraints than the state, or if all constraints are only
// guessed. It also returns an error if a constraint was guessed then and is not guessed now, or the reverse.
func fitsRules(r *run, s *state.State) error {
	if r.rules.Guessed() {
		return refuseState("the layout is only guessed", remedy.Of(remedy.DescribeLayout))
	}
	for n, of := range r.rules.All {
		switch {
		case len(s.Rules) != len(r.rules.All) || s.Rules[n].Constraint != of.Name:
			return refuseState("the state has other constraints than the layout of "+r.t.Name, remedy.Of(remedy.RenewState))
		case s.Rules[n].Guessed && !of.Guessed():
			return refuseState("the layout's constraint "+of.Name+" was only a guess when the state was made",
				remedy.Of(remedy.RenewState))
		case !s.Rules[n].Guessed && of.Guessed():
			return refuseState("the layout's constraint "+of.Name+" is only a guess", remedy.Of(remedy.DescribeLayout))
		}
	}
	return nil
}

func refuseState(why string, do remedy.Remedy) error {
	return &client.Error{Kind: client.Usage, Op: "checking increments", Why: why, Remedy: do}
}

// increments is a check of the changes since a state.
type increments struct {
	*run
	from    *state.State
	windows []window
	// before has the kinds of findings that the state had before the increments, by the fingerprint of the key.
	before map[uint64]finding.Kind
}

// maxSumTries limits how often sum reads the increments. If the sketch is too small for the leftover keys, sum reads
// the increments again with the largest sketch.
const maxSumTries = 3

// stages runs the stages of the check.
func (i *increments) stages(ctx context.Context) error {
	r := i.run
	r.report.Summary.AsOf = r.at.UTC().Truncate(time.Millisecond)
	r.progress.Enter(progress.Phase{Stage: progress.Preparing})
	if said := r.o.Export.Inferred; said != "" {
		r.report.Note("%s", said)
	}
	i.begin()
	r.count.rules = make([]ruleTally, len(r.rules.All))
	if err := cmp.Or(i.open(), i.addCounts()); err != nil {
		return refuseState("the state is damaged: "+err.Error(), remedy.Of(remedy.RenewState))
	}
	at := r.at
	r.at = i.from.At
	i.before = r.judgeOpen(false)
	r.at = at
	sums, err := i.sum(ctx)
	if err != nil || sums == nil {
		return err
	}
	if err := i.collect(ctx, sums); err != nil {
		return err
	}
	if err := i.readOwners(ctx); err != nil {
		return err
	}
	after := r.judgeOpen(true)
	i.summarise(after)
	return nil
}

// begin prepares the rules and the columns. The state says whether the join compares the owners of a constraint.
func (i *increments) begin() {
	r := i.run
	for n, of := range r.rules.All {
		of.First.Owned = of.First.Owned && i.from.Rules[n].Owned
	}
	r.chooseColumns()
	clear(r.idFields)
	for _, from := range r.sources {
		r.keyRoles[from] = join.KeyRolesOf(r.t, from, r.rules.ByConstraint)
	}
}

// open reads the open keys of the state.
func (i *increments) open() error {
	r := i.run
	r.open = map[uint64]*join.Open{}
	for one := range i.from.Keys.All() {
		k, err := r.openKey(one)
		if err != nil {
			return err
		}
		place := r.seed.Fingerprint([]byte(k.Key))
		if r.open[place] != nil {
			return fmt.Errorf("it has the key %v twice", one.Lock)
		}
		r.open[place] = k
	}
	return nil
}

// sum adds the changes of all increments to the sums of the state. It returns the keys that are left over, by
// fingerprint, with the claims minus the locks. It returns nil if too many keys are left over for the memory.
func (i *increments) sum(ctx context.Context) (map[uint64]int64, error) {
	r := i.run
	cells := setting.FirstCells(r.o.Memory, 2*i.items()+int64(len(r.open)))
	for range maxSumTries {
		r.report.Summary.Items = 0
		p := r.newPass(cells, false)
		p.count.marks = r.marksOf(i.from)
		if err := i.scan(ctx, p, progress.Reading); err != nil {
			return nil, err
		}
		r.count = p.count
		if err := i.addCounts(); err != nil {
			return nil, err
		}
		sum := p.join.Sum()
		sum.Subtract(i.opposite())
		r.load = sum.Load()
		left, whole := sum.Decode()
		if whole && len(left) <= setting.MaxKeys(r.o.Memory) {
			sums := map[uint64]int64{}
			for _, one := range left {
				sums[one.Place] += one.Count
			}
			return sums, nil
		}
		cells = setting.MaxCells(r.o.Memory)
	}
	r.report.IncompleteUntil(remedy.Of(remedy.MoreMemory, setting.Advice(setting.MemoryFor(r.load*5/4))),
		"about %s values look broken, which is too many for %s of memory",
		phrase.Number(r.load), setting.ProcessMemory(r.o.Memory))
	return nil, nil
}

// opposite returns the sums of the state, negated, so that Sketch.Subtract adds them.
func (i *increments) opposite() (all []sketch.Remainder) {
	var b []byte
	for place, k := range i.run.open {
		for owner, n := range k.Sums {
			one := sketch.Remainder{Print: place, Place: place, Count: -n}
			if k.Rule.First.Owned {
				b = join.AppendOwner(b[:0], []byte(k.Key), "", owner)
				one.Print = i.run.seed.Fingerprint(b)
			}
			all = append(all, one)
		}
	}
	return all
}

// addCounts adds the counts of the state to those of the increments. A negative count shows that the increments do not
// continue the state.
func (i *increments) addCounts() error {
	c, s := &i.run.count, i.from
	if c.keyless > 0 {
		return refuseState(phrase.Count(int(c.keyless), "change")+" of the increments lack the key of the table",
			remedy.Of(remedy.Text, "export the window again"))
	}
	c.items += s.Items
	c.accounts += s.Accounts
	least := min(c.items, c.accounts, c.marks.more)
	for n := range c.rules {
		of, was := &c.rules[n], s.Rules[n]
		of.locks += was.Locks
		of.owned += was.Named
		of.claims += was.Claims
		of.unfolded += was.Unfolded
		of.impossible += was.Impossible
		c.impossible += was.Impossible
		least = min(least, of.locks, of.owned, of.claims, of.unfolded, of.impossible)
	}
	if least < 0 {
		return refuseState("the increments delete more items than the state has, so they do not belong to this state",
			remedy.Of(remedy.RenewState))
	}
	return nil
}

// collect reads the increments again, in the order of their windows, and collects the locks and accounts of all open
// keys. It returns an error if the claims minus the locks of a key differ from sums: then the files have changed.
func (i *increments) collect(ctx context.Context, sums map[uint64]int64) error {
	r := i.run
	for place := range sums {
		if r.open[place] == nil {
			r.open[place] = new(join.Open)
		}
	}
	if len(r.open) == 0 {
		return nil
	}
	p := r.newPass(setting.MinCells, false)
	p.open, p.openRoom = r.open, join.NewRoom(r.o.Memory)
	r.progress.Follow(len(r.open))
	if err := i.scan(ctx, p, progress.LookingAgain); err != nil {
		return err
	}
	for place, k := range r.open {
		if k.Count() != sums[place] || k.Rule == nil {
			return &client.Error{
				Kind: client.Failed, Op: "reading the increments again", Why: "they differ from the first reading",
				Do: "check again while nobody changes the files of the increments",
			}
		}
	}
	return nil
}

// readOwners looks for the accounts that unclaimed locks name, in a further reading.
func (i *increments) readOwners(ctx context.Context) error {
	r := i.run
	owners := map[string][]*join.Open{}
	for _, k := range r.open {
		partition := ""
		if k.Count() <= 0 && len(k.Sums) > 0 {
			partition = k.NamesPartition()
		}
		if k.OwnersOf != partition {
			clear(k.Owners)
			k.OwnersOf, k.Whole = partition, false
		}
		if partition != "" {
			owners[partition] = append(owners[partition], k)
		}
	}
	if len(owners) == 0 {
		return nil
	}
	p := r.newPass(setting.MinCells, false)
	p.openOwners = owners
	return i.scan(ctx, p, progress.LookingAgain)
}

// scan reads all increments, window by window.
func (i *increments) scan(ctx context.Context, p *pass, what progress.Stage) error {
	r := i.run
	for _, w := range i.windows {
		p.count.example = "" // a later window may correct the item
		for n, x := range w.exports {
			from, o := r.sources[n], scan.Options{Progress: new(scan.Progress)}
			o.Attributes = from.Attributes
			var visitors []*visitor
			r.progress.Enter(progress.Phase{Stage: what, Scan: o.Progress, Expected: x.Items})
			totals, err := x.Scan(ctx, o, func() scan.ChangeVisitor {
				v := p.newVisitor(from)
				visitors = append(visitors, v)
				return v
			})
			r.progress.Leave()
			if what == progress.Reading {
				r.report.Summary.Items += totals.Items
			}
			if err != nil {
				return err
			}
			for _, v := range visitors {
				v.finish()
			}
		}
	}
	return nil
}

// items returns the number of changes in all increments.
func (i *increments) items() (n int64) {
	for _, w := range i.windows {
		for _, x := range w.exports {
			n += x.Items
		}
	}
	return n
}

func (i *increments) tableOf(from *join.Source) *state.Table {
	at := slices.IndexFunc(i.from.Tables, func(t state.Table) bool { return sameName(t.Name, from.Name) })
	return &i.from.Tables[at]
}
