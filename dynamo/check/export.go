package check

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/scan"
)

// Export is tables as they were at a time: what DynamoDB's export to S3 wrote, there or
// downloaded. It takes the place of readings that need not be of this moment.
type Export struct {
	*scan.Export
	// inferred says what was inferred from the export itself, where no endpoint was
	// asked; else it is empty.
	inferred string
}

// OpenExport finds the exports in a directory and what is below it: by their
// manifests, or, where there are none, all files of one. It reads no items.
func OpenExport(dir string) (*Export, error) {
	e, err := scan.OpenExport(dir)
	if err != nil {
		return nil, err
	}
	return &Export{Export: e}, nil
}

// OpenExportIn opens the export in a folder of a bucket, by its manifests. It reads no
// items.
func OpenExportIn(ctx context.Context, objects scan.Objects, bucket, folder string) (*Export, error) {
	e, err := scan.OpenExportIn(ctx, objects, bucket, folder)
	if err != nil {
		return nil, err
	}
	return &Export{Export: e}, nil
}

// of is the export of one of a check's tables.
func (e *Export) of(t *dynamo.Table, name string, others bool) (*scan.TableExport, error) {
	var found []*scan.TableExport
	var have []string
	for _, one := range e.Tables {
		if one.Table == client.BareName(name) || one.Table == "" {
			found = append(found, one)
		}
		have = append(have, one.Table)
	}
	switch {
	case len(found) == 0:
		return nil, scan.WrongExport(e.Dir, fmt.Sprintf("there is no export of the table %s in it, only of %s", name, strings.Join(slices.Compact(slices.Sorted(slices.Values(have))), ", ")))
	case len(found) > 1:
		return nil, scan.WrongExport(e.Dir, fmt.Sprintf("there are %d exports of the table %s in it; name the directory of one", len(found), name))
	case found[0].Table == "" && others:
		return nil, scan.WrongExport(e.Dir, "the layout "+t.Layout.Name+" has its items in several tables, and without manifests it cannot be told which files are of which")
	case e.inferred == "" && found[0].ID != "" && t.DescriptionOf(name).ID != "" && found[0].ID != t.DescriptionOf(name).ID:
		return nil, scan.WrongExport(e.Dir, fmt.Sprintf("it is an export of another table of the name %s: one of the id %s, and there is now %s", name, found[0].ID, t.DescriptionOf(name).ID))
	}
	return found[0], nil
}

// offered asks whether what is to be read in the table's place is of this table.
func offered(r *run) error {
	if err := r.exports(); err != nil || r.o.Candidates == nil {
		return err
	}
	return r.o.Candidates.foundFor(r)
}

// exports finds the export of each table.
func (r *run) exports() error {
	if r.o.Export == nil {
		return nil
	}
	if r.o.Export.inferred != "" {
		r.remark("%s", r.o.Export.inferred)
	}
	for _, from := range r.sources {
		e, err := r.o.Export.of(r.t, from.name, len(r.sources) > 1)
		if err != nil {
			return err
		}
		from.export = e
		r.remark("items of %s are those of %s: what was written since then is not looked for", from.name, e)
		if e.At.IsZero() {
			r.remark("the export has no manifests: whether files of it are missing cannot be told")
			if r.o.exportOnly() && slices.ContainsFunc(r.rules.all, func(of *rule) bool { return of.Reserved.For > 0 }) {
				r.remark("the export does not tell its time: whether a lock is still reserved is judged by today's clock")
			}
		}
	}
	return nil
}

// asOf is the time that the items are of which the run judges: that of the export, where it
// reads nothing else and the export tells its time.
func asOf(r *run) time.Time {
	if e := r.sources[0].export; r.o.exportOnly() && e != nil && !e.At.IsZero() {
		return e.At
	}
	return time.Now()
}

// sampleItems is how many items of an export its keys and its layout are inferred from.
const sampleItems = 10_000

// Alone reports whether a table was opened by its export alone, and no endpoint was asked.
func (e *Export) Alone() bool { return e.inferred != "" }

// Open opens a table by its export alone. Some items of each exported table stand for an
// endpoint: its layout is inferred from them as from a table's. That will do for a
// check with ConfirmNone, which reads all else from the export itself. keys are the
// names of the table's key attributes; none: as the items show. An empty name is the
// only table's.
func (e *Export) Open(ctx context.Context, o dynamo.Options, name string, keys []string) (*dynamo.Table, error) {
	name = client.BareName(name) // nobody is asked who would know it by its ARN
	if name == "" && len(e.Tables) == 1 {
		name = e.Tables[0].Table
	}
	if name == "" || len(e.Tables) > 1 && !slices.ContainsFunc(e.Tables, func(one *scan.TableExport) bool { return one.Table == name }) {
		return nil, &client.Error{
			Kind: client.Usage,
			Op:   "choosing the table",
			Why:  "the export in " + e.Dir + " does not tell which",
			Do:   "name it with --table",
		}
	}
	tables, own, err := e.sample(ctx, name, keys)
	if err != nil {
		return nil, err
	}
	o.Transport = tables
	conn, err := dynamo.Connect(ctx, o)
	if err != nil {
		return nil, err
	}
	t, err := conn.Open(ctx, name)
	if err != nil {
		if client.KindOf(err) == client.NoTable {
			return nil, scan.WrongExport(e.Dir, "the layout keeps locks or ids in a table that it has no export of, or not one whose keys can be told: "+err.Error())
		}
		return nil, err
	}
	t.ID = own.ID
	e.inferred = fmt.Sprintf("no endpoint was asked: the keys of %s are taken to be %s, and which items expire is not known", name, keyNames(t.Schema))
	if !t.Layout.Configured {
		e.inferred += "; the layout " + t.Layout.Name + " was told by " + scan.Count(min(t.Items, sampleItems)) + " of the export"
	}
	return t, nil
}

// sample reads some items of each table; own is the export of the table of that name.
func (e *Export) sample(ctx context.Context, name string, keys []string) (tables offline, own *scan.TableExport, err error) {
	tables = offline{}
	for _, one := range e.Tables {
		table := cmp.Or(one.Table, name)
		if tables[table] != nil {
			continue // which of the two is meant is asked later
		}
		items, err := one.Head(ctx, sampleItems)
		if err != nil {
			return nil, nil, err
		}
		said := keys
		if table != name {
			said = nil
		}
		schema, err := inferKeys(table, items, said)
		if err != nil && table != name {
			continue // the layout may do without it
		} else if err != nil {
			return nil, nil, err
		}
		if tables[table] = newOfflineTable(schema, items); table == name {
			own = one
		}
	}
	if own == nil {
		return nil, nil, scan.WrongExport(e.Dir, "there is no export of the table "+name+" in it")
	}
	return tables, own, nil
}

// inferKeys tells the keys of a table by its items: every item has them, of one type,
// and no two items have the same. What is the only such attribute is the key; of
// several it is those that are called PK and SK, however they are spelt.
func inferKeys(table string, items []attr.Item, said []string) (attr.Schema, error) {
	have := map[string]attr.Kind{}
	for n, item := range items {
		if n == 0 {
			for name, v := range item {
				have[name] = v.Kind
			}
		}
		maps.DeleteFunc(have, func(name string, kind attr.Kind) bool {
			return item[name].Kind != kind || kind != attr.S && kind != attr.N && kind != attr.B
		})
	}
	all := slices.Sorted(maps.Keys(have))
	called := func(name string) []string {
		return slices.DeleteFunc(slices.Clone(all), func(one string) bool { return strings.ToLower(strings.Trim(one, "_")) != name })
	}
	names := slices.Concat(called("pk"), called("sk"))
	switch {
	case len(said) > 2:
		return attr.Schema{}, noKeys(table, "a key has two parts at most")
	case len(said) > 0:
		names = said
	case len(all) == 1:
		names = all
	case len(called("pk")) != 1 || len(called("sk")) > 1:
		return attr.Schema{}, noKeys(table, fmt.Sprintf("every item has %s", cmp.Or(strings.Join(all, ", "), "no attribute in common with the others")))
	}
	for _, name := range names {
		if have[name] == "" {
			return attr.Schema{}, noKeys(table, "not every item has "+name+", as text, a number or bytes of one type")
		}
	}
	schema := attr.Schema{HashName: names[0], HashKind: have[names[0]]}
	if len(names) == 2 {
		schema.RangeName, schema.RangeKind = names[1], have[names[1]]
	}
	seen := map[string]bool{}
	for _, item := range items {
		key, _ := schema.KeyOf(item)
		if seen[key.ID()] {
			return attr.Schema{}, noKeys(table, "several items have the same "+keyNames(schema))
		}
		seen[key.ID()] = true
	}
	return schema, nil
}

func keyNames(s attr.Schema) string {
	if s.RangeName == "" {
		return s.HashName
	}
	return s.HashName + " and " + s.RangeName
}

// noKeys is the error of an export that does not tell its table's keys.
func noKeys(table, why string) error {
	return &client.Error{
		Kind: client.Usage,
		Op:   "telling the keys of " + table + " by its export",
		Why:  why,
		Do:   "name them with --keys, partition key first, such as --keys PK,SK",
	}
}
