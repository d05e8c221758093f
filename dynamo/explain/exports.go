package explain

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/scan"
	"tallylock/dynamo/schema"
	"tallylock/dynamo/verdict"
)

// Exports are exports of the tables of a layout.
type Exports struct {
	Full       []*scan.TableExport
	Increments []*scan.Increment
	// Skipped lists the tables in the exports that the layout does not use.
	Skipped []string
}

// Add adds the exports of one place. full may be nil.
func (x *Exports) Add(full *scan.Export, increments []*scan.Increment) {
	if full != nil {
		x.Full = append(x.Full, full.Tables...)
	}
	x.Increments = append(x.Increments, increments...)
}

// Check refuses exports that cannot be put in order, or belong to another table of the same name. It leaves out the
// exports of tables that the layout does not use, and sorts the others. It reads no items.
func (x *Exports) Check(t *dynamo.Table) error {
	used := map[string]string{} // the full names of the layout's tables, by their bare names
	for _, name := range t.Tables() {
		used[client.BareName(name)] = name
	}
	skip := func(table string) bool {
		_, uses := used[table]
		if !uses && !slices.Contains(x.Skipped, table) {
			x.Skipped = append(x.Skipped, table)
		}
		return !uses
	}
	all := len(x.Full) + len(x.Increments)
	for _, one := range x.Full {
		if one.At.IsZero() {
			return scan.WrongExport(one.Dir(), "the summary manifest is missing, so the time and the table of the export are unknown")
		}
	}
	x.Full = slices.DeleteFunc(x.Full, func(one *scan.TableExport) bool { return skip(one.Table) })
	x.Increments = slices.DeleteFunc(x.Increments, func(one *scan.Increment) bool { return skip(one.Table) })
	if all > 0 && len(x.Full)+len(x.Increments) == 0 {
		return &client.Error{
			Kind: client.Usage, Op: "reading the exports",
			Why: "they are exports of " + phrase.List(x.Skipped) + ", but the layout uses only " + phrase.List(t.Tables()),
			Do:  "name exports of the tables of the layout",
		}
	}
	for _, one := range x.Full {
		if err := sameTable(t, used[one.Table], one.ID, one.Dir()); err != nil {
			return err
		}
	}
	for _, one := range x.Increments {
		if err := sameTable(t, used[one.Table], one.ID, one.Dir()); err != nil {
			return err
		}
		if err := one.NeedsOldImages(); err != nil {
			return err
		}
	}
	slices.SortStableFunc(x.Full, func(a, b *scan.TableExport) int { return a.At.Compare(b.At) })
	slices.SortStableFunc(x.Increments, func(a, b *scan.Increment) int { return a.From.Compare(b.From) })
	return x.overlap()
}

// sameTable refuses an export of an older, deleted table with the same name.
func sameTable(t *dynamo.Table, name, id, dir string) error {
	today := t.DescriptionOf(name).ID
	if id == "" || today == "" || id == today {
		return nil
	}
	return scan.WrongExport(dir, fmt.Sprintf(
		"this is an export of a different table that was also called %s: its table had the id %s, today's table has %s", name, id, today))
}

// overlap refuses windows of one table that overlap, because a change in both windows would become two events. The
// exports are sorted.
func (x *Exports) overlap() error {
	last := map[string]*scan.Increment{}
	for _, one := range x.Increments {
		before := last[one.Table]
		if before != nil && one.From.Before(before.To) {
			return &client.Error{
				Kind: client.Usage, Op: "reading the exports of " + one.Table,
				Why: fmt.Sprintf("%s in %s and %s in %s overlap, so a change could be listed twice", before, before.Dir(), one, one.Dir()),
				Do:  "leave out one of the two exports",
			}
		}
		last[one.Table] = one
	}
	return nil
}

// lacks lists the tables of relations without an export: the lock tables and the accounts' table.
func (x *Exports) lacks(t *dynamo.Table, rels []*verdict.Relation) (tables []string) {
	exported := map[string]bool{}
	for _, one := range x.Full {
		exported[one.Table] = true
	}
	for _, one := range x.Increments {
		exported[one.Table] = true
	}
	add := func(table string) {
		if !exported[client.BareName(table)] && !slices.Contains(tables, table) {
			tables = append(tables, table)
		}
	}
	add(t.Name)
	for _, s := range subjects(rels) {
		if len(s.lockKeys()) > 0 {
			add(s.Lock.Table)
		}
	}
	return tables
}

// Gaps returns an event for each time that no export of a table covers: between two exports, and after the last one.
func (x *Exports) Gaps() (events []Event) {
	type span struct{ from, to time.Time }
	byTable := map[string][]span{}
	for _, one := range x.Full {
		byTable[one.Table] = append(byTable[one.Table], span{one.At, one.At})
	}
	for _, one := range x.Increments {
		byTable[one.Table] = append(byTable[one.Table], span{one.From, one.To})
	}
	for table, spans := range byTable {
		slices.SortFunc(spans, func(a, b span) int { return a.from.Compare(b.from) })
		until := spans[0].to
		for _, s := range spans[1:] {
			if s.from.After(until) {
				events = append(events, Event{
					Kind: Gap, At: until.UTC(), Until: s.from.UTC(), Table: table,
					Source: Source{Kind: FromExport, From: until.UTC(), To: s.from.UTC()},
				})
			}
			if s.to.After(until) {
				until = s.to
			}
		}
		events = append(events, Event{
			Kind: Gap, At: until.UTC(), Table: table, Source: Source{Kind: FromExport, From: until.UTC()},
		})
	}
	Sort(events)
	return events
}

// Read reads the exports. It returns their events about the relations, and the gaps between the exports. reading is
// called before each export with its name and place. The exports must have passed Check.
func (x *Exports) Read(
	ctx context.Context, t *dynamo.Table, ttl map[string]string, reading func(what, dir string), rels ...*verdict.Relation,
) ([]Event, error) {
	all := subjects(rels)
	events := x.Gaps()
	for _, one := range x.Full {
		reading(one.String(), one.Dir())
		found, err := readFull(ctx, t, one, all)
		if err != nil {
			return nil, err
		}
		events = append(events, found...)
	}
	for _, one := range x.Increments {
		reading(one.String(), one.Dir())
		found, err := readIncrement(ctx, t, one, ttl[one.Table], all)
		if err != nil {
			return nil, err
		}
		events = append(events, found...)
	}
	return events, nil
}

// reader finds the events of the subjects in the items of one export. Each worker of a scan has its own reader.
type reader struct {
	t        *dynamo.Table
	table    string // the full name of the exported table
	schema   attr.Schema
	subjects []subject
	locks    map[string][]int // the subjects by the keys of their locks
	source   Source
	ttl      string
	claims   [2][]layout.Claim
	events   []Event
	there    []bool // set for each subject whose lock is in a full export
	wrong    bool   // the keys of the export do not fit the table
}

func newReader(t *dynamo.Table, table string, all []subject, source Source) *reader {
	table = fullName(t, table)
	r := &reader{
		t: t, table: table, schema: t.SchemaOf(table), subjects: all, locks: map[string][]int{}, source: source,
		there: make([]bool, len(all)),
	}
	for n, s := range all {
		if s.Lock.Table != table {
			continue
		}
		for _, key := range s.lockKeys() {
			r.locks[key.ID()] = append(r.locks[key.ID()], n)
		}
	}
	return r
}

// fullName returns the name of a table as the layout has it. An export has the bare name.
func fullName(t *dynamo.Table, table string) string {
	for _, name := range t.Tables() {
		if client.BareName(name) == table {
			return name
		}
	}
	return table
}

// readIncrement reads the changes of an incremental export.
func readIncrement(
	ctx context.Context, t *dynamo.Table, x *scan.Increment, ttl string, all []subject,
) (events []Event, err error) {
	var readers []*reader
	source := Source{Kind: FromIncrement, From: x.From.UTC(), To: x.To.UTC(), Dir: x.Dir()}
	_, err = x.Scan(ctx, scan.Options{Whole: true}, func() scan.ChangeVisitor {
		r := newReader(t, x.Table, all, source)
		r.ttl = ttl
		readers = append(readers, r)
		return r
	})
	if err != nil {
		return nil, err
	}
	for _, r := range readers {
		if r.wrong {
			return nil, r.wrongKeys(x.Dir())
		}
		events = append(events, r.events...)
	}
	return events, nil
}

// wrongKeys returns the error for an export whose keys do not fit the table.
func (r *reader) wrongKeys(dir string) error {
	return scan.WrongExport(dir, "its items do not have the keys of the table "+r.table)
}

// readFull reads a full export: a snapshot of the table.
func readFull(ctx context.Context, t *dynamo.Table, x *scan.TableExport, all []subject) (events []Event, err error) {
	var readers []*reader
	source := Source{Kind: FromExport, From: x.At.UTC(), To: x.At.UTC(), Dir: x.Dir()}
	_, err = x.Scan(ctx, scan.Options{Whole: true}, func() scan.Visitor {
		readers = append(readers, newReader(t, x.Table, all, source))
		return readers[len(readers)-1]
	})
	if err != nil {
		return nil, err
	}
	first := newReader(t, x.Table, all, source)
	for n, s := range all {
		if s.Lock.Table != first.table || len(s.lockKeys()) == 0 {
			continue
		}
		if !slices.ContainsFunc(readers, func(r *reader) bool { return r.there[n] }) {
			events = append(events, s.event(LockAbsent, x.At, source).about(first.table, s.Lock.Key))
		}
	}
	for _, r := range readers {
		if r.wrong {
			return nil, r.wrongKeys(x.Dir())
		}
		events = append(events, r.events...)
	}
	return events, nil
}

// Visit implements scan.Visitor, for an item of a full export.
func (r *reader) Visit(row scan.Row, rest scan.Rest) {
	item := &scan.WholeRow{Row: row, Rest: rest}
	key, ok := r.schema.KeyOf(item)
	if !ok {
		r.wrong = true
		return
	}
	for _, n := range r.locks[key.ID()] {
		s := r.subjects[n]
		if whole := item.Item(); s.Constraint.Is.Holds(whole) {
			r.there[n] = true
			e := s.event(LockThere, r.source.From, r.source).about(r.table, key.Clone())
			e.Owner = s.ownerOf(r.table, key, whole)
			r.events = append(r.events, e)
		}
	}
	holds, _ := r.holding(item, 0)
	for n, yes := range holds {
		if yes {
			e := r.subjects[n].event(ValueHeld, r.source.From, r.source)
			r.events = append(r.events, e.about(r.table, key.Clone()))
		}
	}
}

// holding reports for each subject whether an account item holds its value. It is nil if the item is not an account.
// image is the number of the image in a change: each of its two images needs separate memory for claims.
func (r *reader) holding(item *scan.WholeRow, image int) (holds []bool, kind *layout.Account) {
	if item == nil || r.table != r.t.Name {
		return nil, nil
	}
	if kind = r.t.Layout.KindOf(r.schema, item); kind == nil {
		return nil, nil
	}
	r.claims[image] = kind.AppendClaims(r.claims[image][:0], r.t.Name, r.t.SchemaOf, item)
	for n, s := range r.subjects {
		if s.held(r.t, r.claims[image], item, kind) {
			if holds == nil {
				holds = make([]bool, len(r.subjects))
			}
			holds[n] = true
		}
	}
	return holds, kind
}

// VisitChange implements scan.ChangeVisitor.
func (r *reader) VisitChange(c *scan.Change) {
	key, ok := r.schema.KeyOf(&c.Keys)
	if !ok {
		r.wrong = true
		return
	}
	for _, n := range r.locks[key.ID()] {
		r.lockChanged(r.subjects[n], key, c)
	}
	before, was := r.holding(c.Old, 0)
	after, is := r.holding(c.New, 1)
	if before == nil && after == nil {
		return
	}
	for n, s := range r.subjects {
		had, has := before != nil && before[n], after != nil && after[n]
		if had == has {
			continue
		}
		e := s.event(ValueGained, c.At, r.source).about(r.table, key.Clone())
		e.OrEarlier = true
		switch {
		case had && c.New == nil:
			e.Kind, e.TTL = AccountDeleted, r.expired(c)
		case had:
			e.Kind, e.Other = ValueLost, s.otherValue(is, c.New)
		case c.Old == nil:
			e.Kind = AccountMade
		default:
			e.Other = s.otherValue(was, c.Old)
		}
		r.events = append(r.events, e)
	}
}

// otherValue returns the value that an account of a kind has instead of the subject's value. It is empty if the account
// has none or several.
func (s subject) otherValue(kind *layout.Account, item attr.Fields) string {
	if kind == nil || !slices.Contains(kind.Constraints, s.Constraint) && !slices.Contains(kind.Unlocked, s.Constraint) {
		return ""
	}
	v := item.At(s.Constraint.Attribute)
	if !v.Scalar() {
		return ""
	}
	return strings.Clone(v.Text)
}

// lockChanged adds the event of a changed lock.
func (r *reader) lockChanged(s subject, key attr.Key, c *scan.Change) {
	image := func(w *scan.WholeRow) attr.Item {
		if w == nil {
			return nil
		}
		if item := w.Item(); s.Constraint.Is.Holds(item) {
			return item
		}
		return nil // the item is not a lock
	}
	before, after := image(c.Old), image(c.New)
	if before == nil && after == nil {
		return
	}
	e := s.event(LockMade, c.At, r.source).about(r.table, key.Clone())
	e.Before, e.Owner, e.OrEarlier = s.ownerOf(r.table, e.Key, before), s.ownerOf(r.table, e.Key, after), true
	mark := func(item attr.Item) string { return item[schema.MarkAttribute].Text }
	switch {
	case before == nil:
	case after == nil:
		e.Kind, e.TTL = LockDeleted, r.expired(c)
	case e.Before != e.Owner:
		e.Kind = LockMoved
	case mark(before) == "" && mark(after) != "":
		e.Kind = LockMarked
	case mark(before) != "" && mark(after) == "":
		e.Kind = LockUnmarked
	case before.Equal(after):
		e.Kind = LockRewritten
	default:
		e.Kind = LockChanged
	}
	r.events = append(r.events, e)
}

// oldestTTL is the greatest age of a TTL time at which DynamoDB still deletes the item.
const oldestTTL = 5 * 365 * 24 * time.Hour

// expired reports whether DynamoDB may have removed the item, because the TTL time of the old image had passed.
// DynamoDB ignores a time that lies five years or more in the past.
func (r *reader) expired(c *scan.Change) bool {
	if r.ttl == "" || c.Old == nil || c.New != nil {
		return false
	}
	v := c.Old.At(r.ttl)
	seconds, whole := attr.Integer(v.Text)
	if v.Kind != attr.N || !whole || !seconds.IsInt64() {
		return false
	}
	at := seconds.Int64() // compared as seconds: a time.Time overflows for huge numbers
	return at > 0 && at <= c.At.Unix() && at > c.At.Add(-oldestTTL).Unix()
}
