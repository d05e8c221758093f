// Package ids compares counters with the ids in use. While the tables are read, the workers of a Reading keep
// the highest ids of each counter. Then the Check reads the counters. Start at Check.
package ids

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/join"
	"tallylock/dynamo/check/progress"
	"tallylock/dynamo/check/report"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/client"
	"tallylock/dynamo/counter"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/verdict"
)

// Check compares counters with the ids in use.
type Check struct {
	Table      *dynamo.Table
	Options    *setting.Options
	Report     *report.Report
	Progress   *progress.Tracker
	Consistent *dynamo.SnapshotReader
	Sources    []*join.Source
	*Reading   // the result of the first pass
	// Uncompared is the reason why counters were not compared with the ids in use; empty if they were.
	Uncompared string
}

// Counters reads the counters, compares them with the ids in use, and reports findings. It runs after all ids are read.
// A counter only rises: if it is lower than an id now, it was lower when the id was written.
func (c *Check) Counters(ctx context.Context) error {
	if len(c.Table.Layout.Counters) == 0 {
		return nil
	}
	c.Progress.Enter(progress.Phase{Stage: progress.ReadingCounters})
	defer c.Progress.Leave()
	counters, err := c.readCounters(ctx)
	if c.Options.Confirm == setting.ConfirmNone && client.KindOf(err) == client.Denied {
		c.Uncompared = "the permission dynamodb:BatchGetItem is missing"
		c.Report.Note("counters were not compared with the ids in use: %s", c.Uncompared)
		return nil
	}
	if err != nil {
		return err
	}
	var behind []*Series
	for _, counter := range counters {
		m := c.Series[c.seriesOf(counter)]
		if m == nil {
			m = &Series{Counter: counter.Layout, Key: counter.Key}
		}
		compared, moment := c.comparable(counter.Layout)
		if !compared {
			m = &Series{Counter: m.Counter, Key: m.Key}
		}
		if len(m.highest) > 0 {
			counter.HighestID = m.highest[0].ID
		}
		if len(c.Report.Summary.Counters) < listedCounters {
			c.Report.Summary.Counters = append(c.Report.Summary.Counters,
				finding.CounterState{
					Counter: counter.Name, Value: attr.NullIfEmpty(counter.Value), HighestID: attr.NullIfEmpty(counter.HighestID),
				})
		} else {
			c.Report.Summary.MoreCounters++
		}
		switch {
		case len(m.highest) == 0, counter.Exists && !counter.Layout.Behind(counter.Value, counter.HighestID):
		case moment:
			c.Report.Emit(c.findingOfIDs(counter, m.highest[0], verdict.ReadTogether,
				fmt.Sprintf("Counter and ids are from %s, a snapshot of one moment.", c.Sources[0].Export)))
		case c.Options.Confirm == setting.ConfirmNone || !setting.SureIDs(counter.Layout):
			read := "counter read at " + phrase.Clock(counter.ReadAt) + ", after all ids; nothing was read again."
			if c.Options.ExportOnly() {
				read = "counter and ids come from exports, perhaps of two different times."
			}
			c.Report.Emit(c.findingOfIDs(counter, m.highest[0], verdict.ReadOnce, "Provisional: "+read))
		default:
			behind = append(behind, m)
		}
		for _, name := range counter.Faults {
			if finding.Kind(name) != finding.CounterMissing { // only its ids show that a counter is missing
				e := verdict.ItemFacts{Read: verdict.ReadAgain, Guessed: !counter.Layout.State.Sure()}
				if c.Options.Confirm == setting.ConfirmNone && !moment {
					e.Read = verdict.ReadOnce
				}
				c.Report.Emit(c.findingOf(finding.Kind(name), counter, e, "Read at "+phrase.Clock(counter.ReadAt)+", strongly consistent."))
			}
		}
	}
	return c.confirmBehind(ctx, behind)
}

// comparable reports whether a counter may be compared with its ids. If the ids come from a later export than the
// counter, the counter would wrongly seem behind. moment is set if both come from full exports of the same time.
func (c *Check) comparable(l *layout.Counter) (compared, moment bool) {
	own := c.Sources[0].Export
	if !c.Options.ExportOnly() || own == nil {
		return true, false
	}
	moment = !own.At.IsZero()
	for _, from := range c.Sources {
		if slices.ContainsFunc(l.IDs, func(ids layout.IDs) bool { return ids.TableOf(c.Table.Name) == from.Name }) {
			if from.Export.At.After(own.At) {
				c.Uncompared = "the export of the ids is later than the export of the counter"
				return false, false
			}
			moment = moment && from.Export.At.Equal(own.At)
		}
	}
	return true, moment
}

// exportedCounters returns each counter that has an item in the export. It also returns a counter without an item if
// its key is known: the key is fixed, or the check has read ids of the counter.
func (c *Check) exportedCounters() (all []counter.Counter) {
	for _, name := range slices.Sorted(maps.Keys(c.Series)) {
		m := c.Series[name]
		if m.Exported != nil || m.Key.Hash.Name != "" {
			key := m.Key
			if k, ok := c.Table.Schema.KeyOf(m.Exported); ok {
				key = k
			}
			all = append(all, counter.At(c.Table, m.Counter, key, m.Exported))
		}
	}
	return all
}

// listedCounters is the largest number of counters that a summary lists.
const listedCounters = 1000

// readCounters reads the counters, strongly consistent. It reads each counter with a fixed key, and each counter whose
// number is in its key. It reads a counter of a family if the pass has read ids of the counter, or has found a faulty
// value. If the check reads only an export, the counters come from the export.
func (c *Check) readCounters(ctx context.Context) ([]counter.Counter, error) {
	t := c.Table
	var out []counter.Counter
	if !c.Options.ExportOnly() &&
		slices.ContainsFunc(t.Layout.Counters, func(l *layout.Counter) bool { return l.KeyIsValue(t.Schema) }) {
		var all []counter.Counter
		err := c.Consistent.With(ctx, func(ctx context.Context, r *client.Reader) (err error) {
			all, _, err = counter.ReadWith(ctx, t, r)
			return err
		})
		if err != nil {
			return nil, err
		}
		for _, counter := range all {
			if counter.Layout.KeyIsValue(t.Schema) {
				out = append(out, counter)
			}
		}
	}
	if err := c.addFixed(); err != nil {
		return nil, err
	}
	if c.Options.ExportOnly() {
		return c.exportedCounters(), nil
	}
	var names []string
	for _, name := range slices.Sorted(maps.Keys(c.Series)) {
		if c.Series[name].Key.Hash.Name != "" {
			names = append(names, name)
		}
	}
	for some := range slices.Chunk(names, 100) {
		var keys []attr.Key
		for _, name := range some {
			keys = append(keys, c.Series[name].Key)
		}
		found, err := c.Consistent.Read(ctx, t.Name, keys)
		if err != nil {
			return nil, err
		}
		for _, name := range some {
			m := c.Series[name]
			out = append(out, counter.At(t, m.Counter, m.Key, found[m.Key.ID()]))
		}
	}
	return out, nil
}

// addFixed adds a series for each counter that has a fixed key but no series yet.
func (c *Check) addFixed() error {
	t := c.Table
	for n, l := range t.Layout.Counters {
		if !l.Fixed(t.Schema) {
			continue
		}
		k, err := l.Key(t.Schema)
		if err != nil {
			return &client.Error{
				Kind:   client.Usage,
				Op:     "reading the counters of " + t.Name,
				Why:    err.Error(),
				Remedy: t.Correct(),
				Err:    err,
			}
		}
		if name := NameOf(n, k); c.Series[name] == nil {
			c.Series[name] = &Series{Counter: l, Key: k}
		}
	}
	return nil
}

func (c *Check) seriesOf(counter counter.Counter) string {
	key := counter.Key
	if counter.Layout.KeyIsValue(c.Table.Schema) {
		key = attr.Key{}
	}
	return NameOf(slices.Index(c.Table.Layout.Counters, counter.Layout), key)
}

// findingOfIDs returns the finding of a counter that is missing or behind the id of an item.
func (c *Check) findingOfIDs(
	counter counter.Counter, highest Item, read verdict.ItemsRead, evidence string,
) finding.Finding {
	kind := finding.CounterMissing
	if counter.Exists {
		kind = finding.CounterBehind
	}
	// A write in another Region becomes visible late, so the facts include the Regions.
	f := c.findingOf(kind, counter, verdict.ItemFacts{
		Read: read, Several: true, Guessed: !setting.SureIDs(counter.Layout), Regions: c.Table.Regions(),
	}, evidence)
	f.Items = []finding.Place{c.PlaceOf(highest)}
	return f
}

func (c *Check) findingOf(
	kind finding.Kind, counter counter.Counter, e verdict.ItemFacts, evidence string,
) finding.Finding {
	f := finding.Finding{
		Kind: kind, Counter: counter.Name, Attribute: counter.Attribute, HighestID: counter.HighestID,
		Layout:    config.HashOfCounter(counter.Layout),
		Confirmed: verdict.JudgeItems(e), Evidence: evidence,
		Seen: counter.Item.At(counter.Attribute),
	}
	if counter.Key.Hash.Name != "" {
		f.Key = counter.Key.Item()
	}
	v := phrase.Group(counter.Value)
	switch kind {
	case finding.CounterBehind:
		what := "the last number handed out"
		if counter.Semantics == layout.Next {
			what = "the next number to hand out"
		}
		f.Detail = fmt.Sprintf("The counter %s says that %s is %s, but %s is in use: numbers will be handed out again.",
			counter.Name, what, v, phrase.Group(counter.HighestID))
	case finding.CounterMissing:
		f.Detail = fmt.Sprintf("There is no counter %s, but ids up to %s are in use.", counter.Name,
			phrase.Group(counter.HighestID))
	case finding.CounterNotNumber:
		f.Detail = fmt.Sprintf("The counter %s holds %q, which is not stored as a number: ADD fails on it.", counter.Name, counter.Value)
		if f.Seen.Kind == attr.N {
			f.Detail = fmt.Sprintf(
				"The counter %s holds %s, which is not a whole number of 0 or more. ADD still works on it, and continues from there.",
				counter.Name, counter.Value,
			)
			if e.Guessed {
				f.Detail += " The layout was guessed: this item may not be a counter."
			}
		}
	case finding.CounterUnsafe:
		f.Detail = fmt.Sprintf("The counter %s is at %s, above 2^53 − 1: JavaScript and other readers round this number.",
			counter.Name, v)
	case finding.CounterOffStep:
		f.Detail = fmt.Sprintf("The counter %s is at %s, which is not in its series: the numbers are %s apart, and begin at %s.",
			counter.Name, v, counter.Layout.Step, counter.Layout.Offset)
	}
	return f
}

// PlaceOf returns the table and key of an item.
func (c *Check) PlaceOf(one Item) finding.Place {
	p := finding.Place{Key: one.Key.Item()}
	if one.From.Name != c.Table.Name {
		p.Table = one.From.Name
	}
	return p
}

// confirmBehind confirms that counters are behind or missing. It reads each counter together with the items that have
// its highest ids. After the pass read such an item, the counter may have risen, or the item may have been deleted.
func (c *Check) confirmBehind(ctx context.Context, all []*Series) error {
	if len(all) == 0 || !(c.Options.Wants(finding.CounterBehind) || c.Options.Wants(finding.CounterMissing)) {
		return nil
	}
	if c.Options.Confirm == setting.ConfirmFull {
		// If an application writes the item before the counter, the counter is behind for a moment.
		if err := progress.Pause(ctx, c.Table.Connection().Settle()); err != nil {
			return err
		}
	}
	for _, m := range all {
		counter, highest, apart, err := c.readTogether(ctx, m)
		if c.Report.Conflicting(err, 1) {
			continue
		}
		if err != nil {
			return err
		}
		if highest == nil {
			// No item has one of the highest ids any more.
			c.Report.UnsettledValue("", m.Counter.NameOf(c.Table.Name, c.Table.Schema, m.Key))
			continue
		}
		if counter.Exists && !counter.Layout.Behind(counter.Value, highest.ID) {
			continue
		}
		counter.HighestID = highest.ID
		read, how := verdict.ReadTogether, "together"
		if apart {
			read, how = verdict.ReadAgain, "one after the other"
		}
		c.Report.Emit(c.findingOfIDs(counter, *highest, read, fmt.Sprintf("The counter and %s were read %s at %s, after all ids.",
			highest.Key, how, phrase.Clock(counter.ReadAt))))
	}
	return nil
}

// readTogether reads a counter and the items with the highest ids at one moment. highest is the item with the highest
// id among the items that still have their id; nil if none has. apart is set if the endpoint could not read the items
// at one moment.
func (c *Check) readTogether(
	ctx context.Context, m *Series,
) (read counter.Counter, highest *Item, apart bool, err error) {
	key := m.Key
	if m.Counter.KeyIsValue(c.Table.Schema) {
		counters, err := c.readCounters(ctx)
		if err != nil {
			return read, nil, false, err
		}
		for _, now := range counters {
			if now.Layout == m.Counter {
				key = now.Key
			}
		}
	}
	var places []client.Address
	if key.Hash.Name != "" {
		places = append(places, client.Address{Table: c.Table.Name, Key: key})
	}
	for _, h := range m.highest {
		places = append(places, client.Address{Table: h.From.Name, Key: h.Key})
	}
	items, apart, err := c.Consistent.Moment(ctx, places)
	if err != nil {
		return read, nil, false, err
	}
	var own attr.Item
	if key.Hash.Name != "" {
		own, items = items[0], items[1:]
	}
	for n, item := range items {
		if c.StillHas(m.Counter, m.highest[n], item) {
			return counter.At(c.Table, m.Counter, key, own), &m.highest[n], apart, nil
		}
	}
	return read, nil, apart, nil
}

// StillHas reports whether an item still has the id that the pass read from it.
func (c *Check) StillHas(counter *layout.Counter, h Item, item attr.Item) bool {
	if item == nil {
		return false
	}
	for n := range counter.IDs {
		ids := &counter.IDs[n]
		if id, _, ok := ids.Of(h.From.Schema, item); ok && id == h.ID && ids.TableOf(c.Table.Name) == h.From.Name {
			return true
		}
	}
	return false
}
