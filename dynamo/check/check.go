// Package check compares every lock in a table with every account, re-reads mismatches, and reports findings.
// It also compares counters with the ids in use. It finds duplicate ids, duplicate values that no lock protects,
// and derived keys that disagree with their source attributes.
//
// Start reading at Run and run.stages. Each stage has a file of its name:
//
//   - read: the first pass reads all items of all tables. Each account adds the keys of its locks to a
//     sketch, and each lock subtracts its own key. The keys that remain become candidates
//   - followup: the candidates' locks are watched while all accounts are read again
//   - judge: each candidate's lock is read together with its accounts, and judged
//
// Other files add to these stages:
//
//   - readids: counters and duplicate ids
//   - values: duplicate values that no lock prevents
//   - driftedkeys: derived keys
//   - expiry: accounts whose TTL differs from that of their locks
//   - sqlread: a first pass by SQL, in an engine such as Athena
//   - keepstate: the state that a check of an export leaves for checks of increments (package state)
//   - increments: a check of the items that have changed since such a state
//   - openkeys: judges the keys of a state
//
// The packages below hold the parts:
//
//   - setting: the options
//   - finding: the results; report collects them
//   - progress: the stage and the time left
//   - join: keys, constraints and candidates
//   - sketch: the sums of keys
//   - ids: counters and the ids in use
//   - twice: the fingerprints of values and ids, in memory or on disk
//   - undescribed: the items that no layout describes
//   - sql: writes the first pass as SQL
//   - warehouse: runs that SQL on Trino or Athena
//   - candidates: reads the result of that SQL
package check

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/ids"
	"tallylock/dynamo/check/join"
	"tallylock/dynamo/check/progress"
	"tallylock/dynamo/check/report"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/check/sketch"
	"tallylock/dynamo/check/undescribed"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/remedy"
	"tallylock/dynamo/scan"
	"tallylock/dynamo/schema"
)

// Run checks the whole table: all its locks against all its accounts, and its counters against the ids in use.
// The callback named found gets each finding as soon as the check has judged it. The callback named each gets the
// state of the check from time to time, and may be nil. Run never calls both at the same time. After Run has
// returned, it calls neither.
//
// If Run returns an error, the check is incomplete. The findings reported so far remain valid, and the Summary
// counts the items read so far.
func Run(
	ctx context.Context, t *dynamo.Table, o setting.Options, found func(finding.Finding), each func(progress.State),
) (finding.Summary, error) {
	o.Fill()
	r := newRun(t, o)
	return r.do(ctx, found, each, r.whole)
}

// whole checks the whole table. do adds the progress and the rest of the summary.
func (r *run) whole(ctx context.Context) error {
	err := r.stages(ctx)
	if err == nil {
		r.sayChecked()
	}
	return err
}

// do runs the stages of a check, with its progress and its summary.
func (r *run) do(
	ctx context.Context, found func(finding.Finding), each func(progress.State), stages func(context.Context) error,
) (finding.Summary, error) {
	t, o := r.t, *r.o
	defer setting.LimitGarbage(o.Memory)()
	ctx = o.Gate.Hold(ctx)
	begun := time.Now()
	r.report.Call, r.progress.Call, r.progress.Cost = found, each, setting.Estimate(t, o)
	r.report.Summary = finding.Summary{
		Table:       t.Name,
		TableID:     t.ID,
		Layout:      t.Layout.Name,
		LayoutState: t.Layout.State(),
		AsOf:        o.AsOf(t).UTC().Truncate(time.Millisecond),
		Checked:     []finding.Checked{}, NotChecked: []finding.NotChecked{},
		Findings:  map[finding.Kind]int{},
		Confirmed: true,
	}
	r.consistent.Rate = scan.RateOf(t.Description, o.MaxReadUnits)
	if o.Confirm == setting.ConfirmFull && !setting.AllGuessed(t) {
		r.progress.Settle = t.Connection().Settle()
	}
	stop := r.progress.Start()
	err := stages(ctx)
	stop()
	r.values.prints.Close()
	r.ids.prints.Close()
	if err == nil {
		r.progress.Finish()
	}
	s := &r.report.Summary
	if err != nil {
		text := err.Error()
		if o.Say != nil {
			text = client.Say(err, o.Say)
		}
		r.report.Incomplete("%s", text)
	}
	if client.KindOf(err) == client.Cancelled {
		r.noteStopped()
	}
	s.Complete = s.Why == ""
	s.Confirmed = s.Confirmed && s.Reach() != finding.Guess
	s.Seconds = (time.Since(begun) - o.Gate.Held()).Seconds()
	s.Assumptions = report.Assumptions(t, o, slices.Collect(maps.Keys(r.report.Confirmed))...)
	s.ReadUnits, s.Throttled = r.progress.Units(), r.progress.State().Throttled
	return *s, err
}

// noteStopped notes how far the check came before somebody stopped it.
func (r *run) noteStopped() {
	expected, thing := int64(0), "item"
	for _, from := range r.sources {
		expected += from.Items(r.t)
	}
	if r.changes != nil {
		expected, thing = r.changes.items(), "change"
	}
	items := r.report.Summary.Items
	switch stage := r.progress.State().Stage; {
	case stage < progress.Reading:
		r.report.Note("the check was stopped before it read any %s", thing)
	case stage <= progress.ReadingMore && r.o.Candidates != nil:
		r.report.Note("the check was stopped before it read all candidates")
	case stage <= progress.ReadingMore && expected > items:
		r.report.Note("the check was stopped after %s of about %s", phrase.Number(items), phrase.Count(expected, thing))
	case stage <= progress.ReadingMore:
		r.report.Note("the check was stopped after %s", phrase.Count(items, thing))
	case r.lookedAgain && r.o.Candidates != nil:
		r.report.Note("the check was stopped after it read the accounts again, and before it judged all candidates")
	case r.o.Candidates != nil:
		r.report.Note("the check was stopped after it read the candidates, and before it judged all of them")
	case r.lookedAgain:
		r.report.Note("the check was stopped after both readings, and before it judged everything")
	case stage <= progress.LookingAgain && r.changes == nil:
		r.report.Note("the check was stopped after it read all items once, and before it read the accounts again")
	default:
		r.report.Note("the check was stopped after it read all %ss once, and before it judged everything", thing)
	}
}

// Checkable reports whether the table's layout has accounts, counters or other items with derived keys (Layout.Keyed).
// If it has none of these, a check has nothing to compare.
func Checkable(t *dynamo.Table) bool { return !t.Layout.Empty() || len(t.Layout.Keyed) > 0 }

// run holds one check: its tables, its rules and the counts of the first pass.
type run struct {
	t          *dynamo.Table
	o          *setting.Options
	report     *report.Report
	progress   *progress.Tracker
	consistent *dynamo.SnapshotReader
	sources    []*join.Source
	rules      join.Rules
	codec      *join.Codec
	seed       *sketch.Seed
	keyRoles   map[*join.Source]*join.KeyRoles // an entry is nil if keys alone show no roles, or if the table has ids
	idFields   map[*join.Source][]ids.Field    // for each table, the attributes and keys with ids
	expiry     *expiryCheck
	ids        *idCheck
	values     *valueCheck
	drift      *driftCheck
	guess      *guess // nil if nothing is guessed
	shapes     undescribed.Shapes
	answers    *undescribed.Answers

	count tally // the counts of the first pass
	// keeps is set if the check keeps a state. open has the open keys for a state, by fingerprint. at is the moment at
	// which items are judged; if at is zero, asOf chooses the moment.
	keeps bool
	open  map[uint64]*join.Open
	at    time.Time
	// changes is set if the check reads only the changes since a state.
	changes *increments
	// lookedAgain is set after the second reading of the accounts.
	lookedAgain bool
	// partition is the part of the keys that the check compares: all keys, unless memory cannot hold all leftover keys.
	// load estimates the number of leftover keys in the whole table.
	partition join.Partition
	load      int
	// regionsNoted is set once a note about other Regions exists, so that there is no second note.
	regionsNoted bool
}

func newRun(t *dynamo.Table, o setting.Options) *run {
	r := &run{
		t: t, o: &o, sources: join.SourcesOf(t), keyRoles: map[*join.Source]*join.KeyRoles{}, seed: sketch.NewSeed(),
		idFields: map[*join.Source][]ids.Field{}, answers: undescribed.AnswersOf(t),
	}
	r.consistent = t.SnapshotReader()
	r.report = &report.Report{
		Table: t, LayoutHash: config.Hash(t.Layout), Options: r.o, Confirmed: map[finding.Kind]bool{},
	}
	r.progress = &progress.Tracker{
		Gate: o.Gate, Consistent: r.consistent, SoFar: r.report.SoFar, Calls: &r.report.Calls,
	}
	r.codec = &join.Codec{Sources: r.sources}
	r.rules = join.RulesOf(t, r.sources, r.codec)
	if o.Candidates != nil && setting.AllGuessed(t) && o.Confirm == setting.ConfirmFull {
		r.o.Confirm = setting.ConfirmReads // a guessed layout confirms nothing
	}
	for _, of := range r.rules.All {
		of.Sure = of.Sure || o.Candidates != nil
	}
	r.expiry = &expiryCheck{run: r}
	r.ids = &idCheck{Check: ids.Check{
		Table: t, Options: r.o, Report: r.report, Progress: r.progress, Consistent: r.consistent, Sources: r.sources,
	}}
	r.values, r.drift = &valueCheck{run: r}, &driftCheck{run: r}
	return r
}

// stages runs the stages of a check of the whole table.
func (r *run) stages(ctx context.Context) error {
	if !Checkable(r.t) {
		return r.t.NoLayout("checking " + r.t.Name)
	}
	if err := verifyInputs(r); err != nil {
		return err
	}
	r.noteLimits()
	if err := r.mayBegin(); err != nil {
		return err
	}
	r.progress.Enter(progress.Phase{Stage: progress.Preparing})
	if err := r.expiry.describe(ctx); err != nil {
		return err
	}
	if c := r.o.Candidates; c != nil && c.Made != r.asSQL().Made() {
		return c.Refuse(fmt.Errorf(
			"the SQL of the candidates differs from today's SQL for %s: the layout, the keys, the TTL attribute or this program has changed",
			r.t.Name,
		))
	}
	r.chooseColumns()
	left, err := r.readFirst(ctx)
	if err != nil {
		return err
	}
	if n := r.count.keyless; n > 0 {
		r.report.Summary.Why = fmt.Sprintf("the export has %s without the key of %s: the export is of another table",
			phrase.Count(n, "item"), r.t.Name)
		return nil
	}
	if err := r.summarise(ctx); err != nil {
		return err
	}
	if r.o.Candidates == nil {
		for _, p := range r.answers.Left(r.t) {
			r.report.Note("the config has an answer about %s items of %s, but there are no such items: is the answer misspelt?", p.Items, p.Table)
		}
	}
	if err := r.followUp(ctx, left); err != nil {
		return err
	}
	if err := r.reportGuess(ctx); err != nil {
		return err
	}
	noteReserved(r)
	if err := r.drift.confirm(ctx); err != nil {
		return err
	}
	r.notePartition()
	if err := r.ids.Counters(ctx); err != nil {
		return err
	}
	r.noteUnjudged()
	if err := r.saySuspicious(ctx); err != nil {
		return err
	}
	r.saySuggested()
	return r.verifyTables(ctx)
}

// chooseColumns chooses which attributes the check reads from each table. Each attribute becomes one column of the rows
// of its table.
func (r *run) chooseColumns() {
	for n, from := range r.sources {
		from.Attributes = r.asSQL().Names(n)
		from.MarkColumn, from.ExpiryColumn = from.Column(schema.MarkAttribute), from.Column(from.Expiry)
		r.idFields[from] = ids.FieldsIn(from, r.t)
		if r.keyRoles[from] = nil; len(r.idFields[from]) == 0 {
			r.keyRoles[from] = join.KeyRolesOf(r.t, from, r.rules.ByConstraint)
		}
	}
	for _, of := range r.rules.All {
		of.Column = r.sources[0].Column(of.Attribute)
	}
}

// noteUnjudged notes the gaps of the check: writes from other Regions, TTL mismatches that did not fit in
// memory, and values that could not be judged because of conflicting writes.
func (r *run) noteUnjudged() {
	r.noteRegions()
	if r.expiry.unlisted {
		r.report.IncompleteUntil(remedy.Of(remedy.SomeMoreMemory),
			"more than %s expire at a different time from their locks; the rest are not listed",
			phrase.Count(maxTTLMismatches(r.o.Memory), "account"))
	}
	if r.report.Conflicts > 0 {
		r.report.Incomplete(
			"%s could not be judged, because the application kept writing to their items (TransactionConflict): check again at a quieter time",
			phrase.Count(r.report.Conflicts, "value"),
		)
	}
}

// summarise puts the counts of the first pass into the summary. It also notes everything that did not fit in memory.
func (r *run) summarise(ctx context.Context) error {
	s, c := &r.report.Summary, &r.count
	r.noteImpossible()
	if r.ids.Lost > 0 && r.o.WantsCounters() {
		r.report.IncompleteUntil(remedy.Of(remedy.SomeMoreMemory),
			"the table has more than %s; the rest were not compared with the ids in use",
			phrase.Count(ids.MaxCounters(r.o.Memory), "counter"))
	}
	s.Accounts, s.Locks = c.accounts, c.locks
	c.marks.tell(s)
	return r.findTwice(ctx)
}

// noteImpossible notes the number of values for which no lock can be made, with an example if one was read.
func (r *run) noteImpossible() {
	such := ""
	if r.count.example != "" {
		such = ", such as " + r.count.example
	}
	if n := r.count.impossible; n > 0 {
		r.report.Note("accounts hold %s that cannot be part of a lock key%s", phrase.Count(int(n), "value"), such)
	}
}

// noteReserved notes the number of reserved locks without accounts. A reserved lock is no finding, because its account
// may still be written.
func noteReserved(r *run) {
	switch n := r.report.Summary.Reserved; n {
	case 0:
	case 1:
		r.report.Note("1 lock is reserved: a sign-up may still create its account, so the lock is not a finding")
	default:
		r.report.Note("%s are reserved: sign-ups may still create their accounts, so the locks are not findings", phrase.Count(n, "lock"))
	}
}

// verifyTables makes the check incomplete if a table was deleted and created again during the check. The items of the
// old table say nothing about the new one.
func (r *run) verifyTables(ctx context.Context) error {
	if r.o.ExportOnly() {
		return nil
	}
	for _, from := range r.sources {
		now, err := r.consistent.Describe(ctx, from.Name)
		if err != nil {
			return err
		}
		if was := r.t.DescriptionOf(from.Name).ID; was != now.ID {
			r.report.Incomplete("the table %s was deleted and created again during the check: check it again", from.Name)
		}
	}
	return nil
}

// noteRegions notes, at most once, that other Regions write the tables: a missing item then confirms nothing. The
// tables' descriptions name such Regions, and the items that were read may name them, too.
func (r *run) noteRegions() {
	if why := r.t.Regions().Unproven(); why != "" && !r.regionsNoted {
		r.regionsNoted = true
		r.report.Note("the check cannot confirm that something is missing: %s", why)
	}
}

// noteLimits notes three limits that are known before the check begins. The baseline may be of another table.
// Other Regions may write the table. The requested kinds of findings may be impossible in the layout.
func (r *run) noteLimits() {
	if n := r.o.Known.OtherTables(r.t.Name, r.t.ID); n > 0 {
		r.report.Note("the baseline has %s of a different table that was also called %s: the check reports such findings again",
			phrase.Count(n, "finding"), r.t.Name)
	}
	r.noteRegions()
	switch {
	case r.t.Layout.Empty():
		r.report.Note(
			"no accounts, locks or counters were recognised: the check compares only keys that are made from other attributes",
		)
	case !r.drift.wanted() && !r.o.WantsLocks() && !r.o.WantsCounters():
		r.report.Note("the layout %s has no derived keys: there was nothing to look for", r.t.Layout.Name)
	case !r.drift.wanted() && !r.o.WantsLocks() && len(r.t.Layout.Counters) == 0:
		r.report.Note("the layout %s has no counters: there was nothing to look for", r.t.Layout.Name)
	case len(r.rules.All) == 0 && !r.values.wanted() && len(r.o.Only) > 0 && !r.o.WantsCounters() && !r.drift.wanted():
		r.report.Note("the layout %s has no locks: there was nothing to look for", r.t.Layout.Name)
	}
}
