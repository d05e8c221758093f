package client

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"tallylock/dynamo/attr"
)

// AnotherRegion stands for the other Regions of a global table of version 2017, because the description
// of such a table does not name them.
const AnotherRegion = "another Region"

// Description is the answer of DescribeTable. Items and Bytes are estimates, since AWS updates them about
// every six hours. Screens must say that they are estimates.
type Description struct {
	Name    string
	ID      string    // TableId
	Created time.Time // CreationDateTime; zero if unknown
	Account string    // the account in the table's ARN; empty if unknown
	Region  string    // the Region in the table's ARN; empty if unknown
	// Replicas are the Regions of the table's replicas. The table's own Region may be among them. Strong is
	// true if the replicas are strongly consistent with each other (MRSC).
	Replicas []string
	Strong   bool
	Schema   attr.Schema
	Indexes  map[string]string // maps a partition key attribute to the name of a global index
	Sorted   []attr.Index      // indexes with a sort key, local ones first
	// Queryable has all indexes that can be queried, local ones first.
	Queryable []attr.Index
	// Kinds maps the key attributes of the table and its indexes to their types.
	Kinds map[string]attr.Kind
	Items int64
	Bytes int64
	// ReadLimit is the provisioned capacity or the on-demand limit. WarmReads is the read rate that an
	// on-demand table serves without a warm-up. Both are in read units a second. 0 means unknown or no
	// limit.
	ReadLimit, WarmReads int64
}

// Identity returns a text that distinguishes a table from a later table of the same name. It is the
// TableId, or else the CreationDateTime. It is empty if the endpoint gives neither.
func (d Description) Identity() string {
	if d.ID == "" && !d.Created.IsZero() {
		return "created " + d.Created.UTC().Format(time.RFC3339Nano)
	}
	return d.ID
}

// ReadCapacity returns the table's read capacity, in read units a second, as the description has it; 0 if
// unknown.
func (d Description) ReadCapacity() float64 {
	if d.ReadLimit > 0 {
		return float64(d.ReadLimit)
	}
	return float64(d.WarmReads)
}

// Describe reads the description of a table.
func (c *Client) Describe(ctx context.Context, name string) (Description, error) {
	return c.Reader().Describe(ctx, name)
}

// Describe reads the description of a table. It keeps to the context's pace (see Pace.Keep).
func (r *Reader) Describe(ctx context.Context, name string) (Description, error) {
	c := r.client
	in := &dynamodb.DescribeTableInput{TableName: &name}
	out, err := ask(ctx, r, "opening the table "+name, in, c.sdk.DescribeTable)
	if err != nil {
		return Description{}, err
	}
	d, err := descriptionOf(name, out.Table)
	if err != nil {
		return d, err
	}
	meant := d
	meant.Name = cmp.Or(aws.ToString(out.Table.TableName), name) // name may be an ARN
	c.others.meet(ctx, c, name, meant)
	c.strong.Store(name, d.Strong)
	return d, nil
}

// descriptionOf converts the SDK's description. It returns an error if the description lacks the table's
// keys.
func descriptionOf(name string, t *types.TableDescription) (Description, error) {
	d := Description{
		Name: name, ID: aws.ToString(t.TableId), Created: aws.ToTime(t.CreationDateTime),
		Account: accountOf(aws.ToString(t.TableArn)),
		Region:  regionOf(aws.ToString(t.TableArn)), Indexes: map[string]string{},
		Items: aws.ToInt64(t.ItemCount), Bytes: aws.ToInt64(t.TableSizeBytes),
	}
	if p := t.ProvisionedThroughput; p != nil {
		d.ReadLimit = aws.ToInt64(p.ReadCapacityUnits)
	}
	if o := t.OnDemandThroughput; o != nil && d.ReadLimit <= 0 {
		d.ReadLimit = max(aws.ToInt64(o.MaxReadRequestUnits), 0) // DynamoDB writes −1 for no limit
	}
	if w := t.WarmThroughput; w != nil {
		d.WarmReads = aws.ToInt64(w.ReadUnitsPerSecond)
	}
	for _, r := range t.Replicas {
		if r.ReplicaStatus != types.ReplicaStatusCreationFailed {
			d.Replicas = append(d.Replicas, aws.ToString(r.RegionName))
		}
	}
	if len(d.Replicas) == 0 && t.GlobalTableVersion != nil {
		d.Replicas = []string{AnotherRegion}
	}
	d.Strong = t.MultiRegionConsistency == types.MultiRegionConsistencyStrong
	kinds := map[string]attr.Kind{}
	d.Kinds = kinds
	for _, a := range t.AttributeDefinitions {
		kinds[aws.ToString(a.AttributeName)] = attr.Kind(a.AttributeType)
	}
	d.Schema, _ = schemaOf(t.KeySchema, kinds)
	d.Queryable = queryableIndexes(t, kinds)
	for _, x := range d.Queryable {
		if x.Schema.RangeName != "" {
			d.Sorted = append(d.Sorted, x)
		}
		if by := x.Schema.HashName; !x.Local && d.Indexes[by] == "" {
			d.Indexes[by] = x.Name
		}
	}
	if d.Schema.HashName == "" {
		return d, &Error{
			Kind: Failed,
			Op:   "opening the table " + name,
			Why:  "the endpoint did not send the table's keys",
		}
	}
	return d, nil
}

// schemaOf returns the names and types of a key's attributes. ok is false if the key has no partition
// key, or more than two attributes.
func schemaOf(keys []types.KeySchemaElement, kinds map[string]attr.Kind) (s attr.Schema, ok bool) {
	for _, k := range keys {
		attribute := aws.ToString(k.AttributeName)
		if k.KeyType == types.KeyTypeHash && s.HashName == "" {
			s.HashName, s.HashKind = attribute, kinds[attribute]
		} else if s.RangeName == "" {
			s.RangeName, s.RangeKind = attribute, kinds[attribute]
		} else {
			return s, false
		}
	}
	return s, s.HashName != ""
}

// queryableIndexes returns the indexes that can be queried. It omits global indexes that are not active
// yet.
func queryableIndexes(t *types.TableDescription, kinds map[string]attr.Kind) (all []attr.Index) {
	add := func(name *string, keys []types.KeySchemaElement, has *types.Projection, local bool) {
		if schema, ok := schemaOf(keys, kinds); ok {
			part := has == nil || has.ProjectionType != types.ProjectionTypeAll
			all = append(all, attr.Index{Name: aws.ToString(name), Schema: schema, Local: local, Part: part})
		}
	}
	for _, l := range t.LocalSecondaryIndexes {
		add(l.IndexName, l.KeySchema, l.Projection, true)
	}
	for _, g := range t.GlobalSecondaryIndexes {
		if g.IndexStatus == types.IndexStatusActive || g.IndexStatus == "" {
			add(g.IndexName, g.KeySchema, g.Projection, false)
		}
	}
	return all
}

// BareName returns the name of a table, given its name or its ARN.
func BareName(table string) string {
	if arn, name, ok := strings.Cut(table, ":table/"); ok && strings.HasPrefix(arn, "arn:") {
		return name
	}
	return table
}

func accountOf(arn string) string {
	if parts := strings.Split(arn, ":"); len(parts) > 5 {
		return parts[4]
	}
	return ""
}

func regionOf(arn string) string {
	if parts := strings.Split(arn, ":"); len(parts) > 5 {
		return parts[3]
	}
	return ""
}

// TableNames lists the endpoint's tables that the client may open, sorted. If Options.Tables limits the client, it
// lists the allowed tables, and sends no request.
func (c *Client) TableNames(ctx context.Context) ([]string, error) {
	if c.tables != nil && !c.tables.person {
		return slices.Sorted(slices.Values(c.tables.open)), nil
	}
	var names []string
	var cursors Cursors
	in := &dynamodb.ListTablesInput{}
	for {
		page, err := c.sdk.ListTables(ctx, in)
		if err == nil && page.LastEvaluatedTableName != nil {
			err = cursors.Next("the list of tables", attr.Item{"TableName": attr.String(*page.LastEvaluatedTableName)})
		}
		if err = c.Explain("listing the tables", err); KindOf(err) == Denied && c.tables != nil {
			return slices.Sorted(slices.Values(c.tables.open)), nil
		}
		if err != nil {
			return nil, err
		}
		for _, name := range page.TableNames {
			if c.tables.opens(name) {
				names = append(names, name)
			}
		}
		if in.ExclusiveStartTableName = page.LastEvaluatedTableName; in.ExclusiveStartTableName == nil {
			names = append(names, c.tables.arns()...)
			slices.Sort(names)
			return names, nil
		}
	}
}

// called matches the characters that a table's name may have (Developer Guide, "Naming rules"). It does
// not limit the length: shortestName and longestName do. A pattern that limits the length takes most of a
// millisecond to compile, at each start.
var called = regexp.MustCompile(`^[A-Za-z0-9_.-]+$`)

const shortestName, longestName = 3, 255

// NameRules has the naming rules in words, for error messages.
const NameRules = `3 to 255 characters a-z, A-Z, 0-9, "_", "." and "-", or the table's ARN`

// MayBeCalled reports whether a table can have the given name. It accepts every ARN.
func MayBeCalled(table string) bool {
	fits := len(table) >= shortestName && len(table) <= longestName && called.MatchString(table)
	return fits || strings.HasPrefix(table, "arn:")
}
