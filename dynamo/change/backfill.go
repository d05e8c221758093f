package change

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/change/backfill"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/change/planner"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/check/sketch"
	"tallylock/dynamo/check/twice"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/scan"
	"tallylock/dynamo/schema"
)

// The stages of a backfill.
const (
	StageCount    = Stage("count")               // read all accounts, and count their values
	StageBackfill = Stage(plan.KindBackfill)     // read all accounts again, and put their missing locks
	StageUnfill   = Stage(plan.KindUndoBackfill) // delete the locks of a backfill
	StageSettle   = Stage("settle")              // determine the outcomes of the last transactions of an earlier process
)

// Backfill is a planned backfill. Its planning has read all accounts, and knows the values that several of them hold.
type Backfill struct {
	Plan *plan.Plan
	// Resumes is the interrupted run that this run continues; nil if this run is a new one.
	Resumes *journal.Record
	// Invalid lists some of the values that cannot have a lock.
	Invalid []backfill.Invalid
	// ReadUnits is the price of the planning.
	ReadUnits float64

	rule       backfill.Rule
	table      *dynamo.Table
	constraint *layout.Constraint
	seed       *sketch.Seed
	twice      *twice.Prints
	missing    int64             // the expected number of missing locks, from the first reading
	was        *backfill.Summary // the state of the interrupted run; nil if this run is a new one
}

// firstEntries is the number of entries that the planning keeps, to make the first transaction from them.
const firstEntries = client.MaxBatch

// PlanBackfill plans to put the locks that the accounts of a rule lack. It reads all accounts, and writes nothing. If
// an earlier run of the same constraint was interrupted, the plan continues that run. Of the options it uses only
// Memory and Temp.
func (c *Changer) PlanBackfill(
	ctx context.Context, t *dynamo.Table, con *layout.Constraint, rule backfill.Rule, o setting.Options,
	progress func(Progress),
) (*Backfill, error) {
	if err := t.CheckSure("backfilling "+con.Name, con); err != nil {
		return nil, err
	}
	if why := t.Regions().Refuses(client.Put, client.Check); why != "" {
		return nil, plan.Refuse(plan.Regions, "%s", why)
	}
	if err := c.CheckUndos(t, con); err != nil {
		return nil, err
	}
	b := &Backfill{rule: rule, table: t, constraint: con, seed: sketch.NewSeed()}
	before, err := c.interrupted(t, con)
	if err != nil {
		return nil, err
	}
	first, err := b.count(ctx, c, o, progress)
	if err != nil {
		return nil, err
	}
	batch, err := b.firstBatch(ctx, first.entries)
	if err != nil {
		return nil, err
	}
	duplicates, _ := b.twice.Found()
	of := plan.Backfill{
		Mark: backfill.NewMark(), Values: first.values.Load(), Duplicates: int64(duplicates), Invalid: first.invalid.Load(),
	}
	if before != nil {
		of.Mark = before.Plan.Backfill.Mark
	}
	if b.Plan, err = planner.Backfill(t, con, of, marked(batch, of.Mark).Writes()); err != nil {
		return nil, err
	}
	b.describe(first)
	// A value that several accounts hold counts at least twice.
	b.missing = max(of.Values-first.locks.Load()-2*of.Duplicates, 0)
	if before != nil {
		b.Resumes, b.was = before.record, before.summary
		b.Plan.ID, b.Plan.Live.Run = before.record.Receipt, before.record.Receipt
	}
	return b, nil
}

// Expected returns the expected number of locks of the run, including the locks that earlier processes have put.
func (b *Backfill) Expected() int64 {
	if b.was == nil {
		return b.missing
	}
	return b.was.Put + b.missing
}

// describe sets the price and the words of the plan.
func (b *Backfill) describe(first *firstReading) {
	p := b.Plan
	p.Price = plan.Price{
		WriteUnits: math.Ceil(first.units()), ReadUnits: scan.Units(b.table.Description, 0, false), Estimate: true,
	}
	p.Title, p.Button = "Backfill the locks of "+p.Constraint, "Put the locks"
	p.Sentence = fmt.Sprintf("Puts the missing lock of each %s that an account holds. No account is changed.",
		p.Constraint)
	p.Done = "the accounts have their locks"
	p.AddLine("values", fmt.Sprintf("%s, each needs a lock", phrase.Count(p.Backfill.Values, "value")))
	if p.Backfill.Duplicates > 0 {
		p.AddLine("shared", fmt.Sprintf("%s: held by several accounts, so no lock",
			phrase.Count(p.Backfill.Duplicates, "value")))
	}
	if p.Backfill.Invalid > 0 {
		p.AddLine("unfit", fmt.Sprintf("%s cannot have a lock", phrase.Count(p.Backfill.Invalid, "value")))
	}
	if len(p.Steps) > 0 {
		var keys []string
		for _, w := range p.Steps[0].Writes {
			if w.Verb == client.Put {
				keys = append(keys, w.Key.String())
			}
		}
		p.AddLine("first", strings.Join(keys, ", "))
	}
	p.AddLine(plan.LabelOnlyIf, "there is still no lock, and the account still holds the value")
	p.AddLine(plan.LabelPrice, "at most "+p.Price.String())
	p.AddLine(plan.LabelUndo, "deletes the locks that nobody has changed since")
}

// marked returns a copy of a batch, with the mark of a run in each lock.
func marked(b backfill.Batch, mark string) backfill.Batch {
	out := slices.Clone(b)
	for n := range out {
		lock := *out[n].Lock
		lock.Put.Item = plan.WithAttribute(lock.Put.Item, schema.AdoptAttribute, attr.String(mark))
		lock.Units = client.WriteUnits(lock.Put.Item.Size())
		out[n].Lock = &lock
	}
	return out
}

// firstReading has the results of the first reading of all accounts.
type firstReading struct {
	values, invalid atomic.Int64
	locks           atomic.Int64 // the locks of the constraint among the read items
	sum             atomic.Int64 // the price of all locks and their accounts, in write units

	mu      sync.Mutex
	entries backfill.Batch // the first entries, at most firstEntries
}

// units returns the expected price of all locks that are still missing. If the locks are in another table, it counts
// all locks as missing.
func (f *firstReading) units() float64 {
	values := f.values.Load()
	if values == 0 {
		return 0
	}
	missing := max(values-f.locks.Load(), 0)
	return float64(f.sum.Load()) * float64(missing) / float64(values)
}

// count reads all accounts, counts their values, and finds the values that several accounts hold.
func (b *Backfill) count(
	ctx context.Context, c *Changer, o setting.Options, progress func(Progress),
) (*firstReading, error) {
	o.Fill()
	prints, f := o.Prints(), new(firstReading)
	defer prints.Close()
	units, err := b.read(ctx, c, StageCount, progress, func(item attr.Item) {
		a := b.rule.Wants(item)
		if a == nil {
			if _, lock := b.rule.Owner(b.table.Name, item); lock {
				f.locks.Add(1)
			}
			return
		}
		for _, invalid := range a.Invalid {
			f.addInvalid(b, invalid)
		}
		if len(a.Locks) > 0 {
			f.sum.Add(int64(a.Units))
		}
		for n := range a.Locks {
			f.values.Add(1)
			f.sum.Add(int64(a.Locks[n].Units))
			prints.Add(b.print(&a.Locks[n]))
			f.mu.Lock()
			if e := (backfill.Entry{Account: a, Lock: &a.Locks[n]}); len(f.entries) < firstEntries {
				f.entries = append(f.entries, e)
			}
			f.mu.Unlock()
		}
	})
	b.ReadUnits = units
	if err != nil {
		return nil, err
	}
	if err := prints.Find(ctx); err != nil {
		return nil, fmt.Errorf("looking for values that several accounts hold: %w", err)
	}
	b.twice = prints
	if kept, more := prints.Found(); more > 0 {
		return nil, plan.Refuse(plan.Duplicate,
			"%s are held by several accounts. A backfill can leave out %s at most: give these accounts other values first",
			phrase.Count(int64(kept)+more, "value"), phrase.Number(kept))
	}
	return f, nil
}

// mostInvalid is the greatest number of invalid values that a plan lists.
const mostInvalid = 20

func (f *firstReading) addInvalid(b *Backfill, one backfill.Invalid) {
	f.invalid.Add(1)
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(b.Invalid) < mostInvalid {
		b.Invalid = append(b.Invalid, one)
	}
}

// print returns the fingerprint of a lock's key.
func (b *Backfill) print(l *backfill.Lock) uint64 { return b.seed.Fingerprint([]byte(l.ID())) }

// firstBatch returns the first transaction: entries whose lock is missing, and whose value only one account holds.
func (b *Backfill) firstBatch(ctx context.Context, entries backfill.Batch) (batch backfill.Batch, err error) {
	var keys []attr.Key
	for _, e := range entries {
		keys = append(keys, e.Lock.Put.Key)
	}
	if len(keys) == 0 {
		return nil, nil
	}
	found, err := b.table.Connection().Reader().Get(ctx, entries[0].Lock.Put.Table, keys, false)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if found[e.Lock.Put.Key.ID()] == nil && !b.twice.Has(b.print(e.Lock)) && batch.Takes(e) {
			batch = append(batch, e)
		}
	}
	return batch, nil
}

// read reads every item of the accounts table, and calls visit with each account and each lock of the rule, from
// several goroutines. The reading is eventually consistent: it only proposes locks, and the conditions of each
// transaction decide.
func (b *Backfill) read(
	ctx context.Context, c *Changer, stage Stage, progress func(Progress), visit func(attr.Item),
) (units float64, err error) {
	t := b.table
	o := scan.Options{
		Attributes: attr.Columns(t.Schema.HashName, t.Schema.RangeName), Whole: true,
		MaxReadUnits: c.MaxReadUnits, Progress: new(scan.Progress),
	}
	if t.Description.Bytes <= fewBytes {
		o.Segments = 1
	}
	total := dynamo.AccountsCost(t).Items
	totals, err := scan.Table(ctx, t.Connection().Client, t.Description, o, func() scan.Visitor {
		v := &backfillVisitor{table: t, visit: visit}
		v.whole.Names = o.Attributes
		v.report = func() {
			if progress != nil {
				read := o.Progress.Totals()
				progress(Progress{
					Stage: stage, Done: read.Items, Total: total, ReadUnits: read.Units, Throttled: read.Throttled,
				})
			}
		}
		return v
	})
	return totals.Units, err
}

// backfillVisitor passes accounts and locks on.
type backfillVisitor struct {
	table  *dynamo.Table
	whole  scan.WholeRow
	visit  func(attr.Item)
	report func()
	seen   int
}

// fewBytes is the size of the largest table that is read in one segment: each further segment costs a request.
const fewBytes = 4 << 20

// reportEach is the number of items between two reports of a visitor.
const reportEach = 1000

// Visit passes an item on if it is an account or a lock.
func (v *backfillVisitor) Visit(row scan.Row, rest scan.Rest) {
	if v.seen%reportEach == 0 {
		v.report()
	}
	v.seen++
	v.whole.Row, v.whole.Rest = row, rest
	if role := v.table.Classify(v.table.Name, &v.whole); role.Account != nil || role.Constraint != nil {
		v.visit(v.whole.Item())
	}
}
