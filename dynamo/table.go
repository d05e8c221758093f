package dynamo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

// Description is what DescribeTable says. Items and Bytes are refreshed by AWS
// about every six hours: they are estimates, and people must be told so.
type Description struct {
	Name    string
	ID      string // TableId
	Account string // that the table is in, by its ARN; empty where the endpoint does not say
	Schema  attr.Schema
	Indexes map[string]string // global index by its partition key attribute
	kinds   map[string]attr.Kind
	Items   int64
	Bytes   int64
	// Read units a second: provisioned or the on-demand limit, and what the table
	// takes at once when it is on demand. 0: not said, or no limit.
	ReadLimit, WarmReads int64
}

// ReadCapacity is how many read units a second the table gives, as far as its
// description says; 0 where it does not.
func (d Description) ReadCapacity() float64 {
	if d.ReadLimit > 0 {
		return float64(d.ReadLimit)
	}
	return float64(d.WarmReads)
}

// Table is an open table: its description and its layout.
type Table struct {
	Description
	Layout *layout.Layout
	conn   *Connection
	// unsampled is why no items could be read to tell the layout by; nil where
	// they could.
	unsampled error
	locks     map[string]Description // the tables that locks and ids are in, this one included
}

// errVacant is why no items could be read of a table that has none.
var errVacant = errors.New("the table is empty")

// Vacant reports whether the table had no items when its layout was looked for.
func (t *Table) Vacant() bool { return t.unsampled == errVacant }

// sampleSize is how many items a table's layout is inferred from: enough to
// meet each kind of item, and a few read units.
const sampleSize = 200

// Open describes a table and finds its layout: the config's where one names the
// table, else the one that fits a small sample. A table that no layout fits
// opens with an empty one: its items can be browsed.
func (c *Connection) Open(ctx context.Context, name string) (*Table, error) {
	d, err := c.Describe(ctx, name)
	if err != nil {
		return nil, err
	}
	t := &Table{Description: d, conn: c}
	if t.Layout, t.unsampled, err = c.layoutOf(ctx, d); err != nil {
		return nil, err
	}
	t.locks = map[string]Description{name: d}
	for _, other := range slices.Concat(t.Layout.LockTables(name), t.Layout.IDTables(name)) {
		if _, ok := t.locks[other]; !ok {
			if t.locks[other], err = c.Describe(ctx, other); err != nil {
				return nil, fmt.Errorf("the layout %s keeps locks or ids in %s: %w", t.Layout.Name, other, err)
			}
		}
	}
	return t, t.fits()
}

// fits refuses a layout whose keys the table cannot hold.
func (t *Table) fits() error {
	bad := func(what, table, why string) error {
		return &Error{Kind: Usage, Op: "opening " + table, Why: "the layout " + t.Layout.Name + " gives its " + what + " " + why, Do: "correct the layout in the config, or name another with --layout"}
	}
	for _, a := range t.Layout.Accounts {
		if t.Schema.RangeName != "" && a.SK.Empty() {
			return bad(a.Model+"s", t.Name, "no sort key, and the table has one ("+t.Schema.RangeName+")")
		}
		for _, con := range a.Constraints {
			lock := con.LockTable(t.Name)
			if con.Index != "" && t.indexKey(con.Index) == "" {
				return &Error{Kind: Usage, Op: "opening " + t.Name, Why: "the layout " + t.Layout.Name + " finds its " + con.Name + " by the index " + con.Index + ", which the table does not have", Do: "correct the layout in the config"}
			}
			if t.locks[lock].Schema.RangeName != "" && con.SK.Empty() {
				return bad(con.Name+" locks", lock, "no sort key, and the table has one ("+t.locks[lock].Schema.RangeName+")")
			}
		}
	}
	return nil
}

// Connection is the connection that the table was opened on.
func (t *Table) Connection() *Connection { return t.conn }

// SchemaOf is the key schema of this table, or of one that its locks or ids are in.
func (t *Table) SchemaOf(table string) attr.Schema { return t.locks[table].Schema }

// DescriptionOf describes this table, or one that its locks or ids are in.
func (t *Table) DescriptionOf(table string) Description { return t.locks[table] }

// IDOf is the TableId of this table, or of one that its locks or ids are in.
func (t *Table) IDOf(table string) string { return t.locks[table].ID }

// Describe asks what a table is.
func (c *Connection) Describe(ctx context.Context, name string) (Description, error) {
	how, err := c.reading().turn(ctx)
	if err != nil {
		return Description{}, c.Explain("opening the table "+name, err)
	}
	out, err := c.client.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &name}, how)
	if err != nil {
		return Description{}, c.Explain("opening the table "+name, err)
	}
	t := out.Table
	d := Description{
		Name: name, ID: aws.ToString(t.TableId), Account: accountOf(aws.ToString(t.TableArn)), Indexes: map[string]string{},
		Items: aws.ToInt64(t.ItemCount), Bytes: aws.ToInt64(t.TableSizeBytes),
	}
	if p := t.ProvisionedThroughput; p != nil {
		d.ReadLimit = aws.ToInt64(p.ReadCapacityUnits)
	}
	if o := t.OnDemandThroughput; o != nil && d.ReadLimit <= 0 {
		d.ReadLimit = max(aws.ToInt64(o.MaxReadRequestUnits), 0) // −1: none
	}
	if w := t.WarmThroughput; w != nil {
		d.WarmReads = aws.ToInt64(w.ReadUnitsPerSecond)
	}
	kinds := map[string]attr.Kind{}
	d.kinds = kinds
	for _, a := range t.AttributeDefinitions {
		kinds[aws.ToString(a.AttributeName)] = attr.Kind(a.AttributeType)
	}
	for _, k := range t.KeySchema {
		attribute := aws.ToString(k.AttributeName)
		if k.KeyType == types.KeyTypeHash {
			d.Schema.HashName, d.Schema.HashKind = attribute, kinds[attribute]
		} else {
			d.Schema.RangeName, d.Schema.RangeKind = attribute, kinds[attribute]
		}
	}
	for _, g := range t.GlobalSecondaryIndexes {
		for _, k := range g.KeySchema {
			attribute := aws.ToString(k.AttributeName)
			if _, have := d.Indexes[attribute]; k.KeyType == types.KeyTypeHash && !have && (g.IndexStatus == types.IndexStatusActive || g.IndexStatus == "") {
				d.Indexes[attribute] = aws.ToString(g.IndexName)
			}
		}
	}
	if d.Schema.HashName == "" {
		return d, &Error{Kind: Failed, Op: "opening the table " + name, Why: "the endpoint did not say what its keys are"}
	}
	return d, nil
}

// accountOf is the account that an ARN names.
func accountOf(arn string) string {
	if parts := strings.Split(arn, ":"); len(parts) > 5 {
		return parts[4]
	}
	return ""
}

// TableNames lists the tables of the connection.
func (c *Connection) TableNames(ctx context.Context) ([]string, error) {
	var names []string
	pages := dynamodb.NewListTablesPaginator(c.client, &dynamodb.ListTablesInput{})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, c.Explain("listing the tables", err)
		}
		names = append(names, page.TableNames...)
	}
	slices.Sort(names)
	return names, nil
}

// layoutOf finds the layout of a table.
func (c *Connection) layoutOf(ctx context.Context, d Description) (l *layout.Layout, unsampled, err error) {
	for _, cfg := range c.options.Layouts {
		if cfg.Name == c.options.Layout || (c.options.Layout == "" && slices.Contains(cfg.Tables, d.Name)) {
			l, err := cfg.Build()
			return l, nil, err
		}
	}
	presets, err := layout.Presets()
	if err != nil {
		return nil, nil, err
	}
	only := c.options.Layout
	sample := layout.Sample{Table: d.Name, Schema: d.Schema, Indexes: d.Indexes}
	r := c.reading()
	if keys := layout.CounterKeys(presets, d.Schema); len(keys) > 0 {
		found, err := r.get(ctx, d.Name, keys, true)
		if err != nil && KindOf(err) != Denied {
			return nil, nil, err
		}
		for _, item := range found {
			sample.Items = append(sample.Items, item)
		}
	}
	page, err := r.scan(ctx, d.Name, scanInput{Limit: sampleSize})
	if err != nil {
		if KindOf(err) != Denied {
			return nil, nil, err
		}
		unsampled = err
	}
	for _, item := range page.Items {
		if k, ok := d.Schema.KeyOf(item); ok && !slices.ContainsFunc(sample.Items, func(have attr.Item) bool {
			other, _ := d.Schema.KeyOf(have)
			return other.Equal(k)
		}) {
			sample.Items = append(sample.Items, item)
		}
	}
	l = layout.Infer(presets, sample, only)
	if unsampled == nil && len(sample.Items) == 0 && page.Last == nil {
		unsampled = errVacant
	}
	if err := r.probe(ctx, d, l, sample.Items); err != nil && KindOf(err) != Denied {
		return nil, nil, err
	}
	if l.Empty() && only != "" {
		return nil, nil, &Error{Kind: Usage, Op: "opening " + d.Name, Why: "the layout " + only + " does not fit the keys of the table", Do: "name another with --layout, or describe the table's own in the config"}
	}
	return l, unsampled, nil
}

// NoLayout is the error of a question about accounts, asked of a table where none
// are known.
func (t *Table) NoLayout(op string) error {
	e := &Error{Kind: NoLayout, Op: op, Why: "no layout that we know fits the table " + t.Name, Do: "name one with --layout, or describe the table's keys under [[layout]] in the config"}
	switch {
	case t.unsampled == errVacant:
		e.Why, e.Do = "the table "+t.Name+" is empty", "try again when there is something in it, or name its layout with --layout"
	case t.unsampled != nil:
		e.Why = "the layout of the table " + t.Name + " could not be recognised, since the permission dynamodb:Scan is denied"
		e.Do = "name it, for example with --layout uniq, or describe it under [[layout]] in the config"
	case !t.Layout.Empty():
		e.Why = "the table " + t.Name + " keeps counters, and no accounts that we know"
		e.Do = "run: tallylock counters --table " + t.Name
	}
	return e
}

// Unrecognised is NoLayout where it is a missing permission that kept the layout
// from being recognised, and nil otherwise.
func (t *Table) Unrecognised(op string) error {
	if t.unsampled == nil || t.unsampled == errVacant || !t.Layout.Empty() {
		return nil
	}
	return t.NoLayout(op)
}

// checkLayout refuses the name of a layout that there is none of.
func (o Options) checkLayout() error {
	if o.Layout == "" || slices.ContainsFunc(o.Layouts, func(c layout.Config) bool { return c.Name == o.Layout }) {
		return nil
	}
	presets, err := layout.Presets()
	if err != nil {
		return err
	}
	var names []string
	for _, p := range presets {
		if p.Name == o.Layout {
			return nil
		}
		names = append(names, p.Name)
	}
	return &Error{Kind: Usage, Op: "choosing the layout " + o.Layout, Why: "there is neither a layout nor a preset of that name", Do: "use one of: " + strings.Join(names, ", ")}
}
