package embedded

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/uuid"
)

// tableRequest is a request that only names a table.
type tableRequest struct{ TableName string }

// bareName returns the name of a table. Its argument is the name or the ARN of the table.
func bareName(name string) string {
	if strings.HasPrefix(name, "arn:") {
		_, name, _ = strings.Cut(name, ":table/")
	}
	return name
}

func createTable(e *Engine, r *createTableRequest, w *writer) error {
	t, err := r.build()
	if err != nil {
		return err
	}
	t.id, t.created = uuid.NewString(), e.now()
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.tables[t.name] != nil {
		return refuse("ResourceInUseException", "Table already exists: %s", t.name)
	}
	e.tables[t.name] = t
	return w.json("TableDescription", t.describe("ACTIVE"))
}

func deleteTable(e *Engine, r *tableRequest, w *writer) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	t, err := e.table(r.TableName)
	if err != nil {
		return err
	}
	if t.protected {
		return invalid(
			"Resource cannot be deleted as it is currently protected against deletion. Disable deletion protection first.",
		)
	}
	delete(e.tables, t.name)
	return w.json("TableDescription", t.describe("DELETING"))
}

func describeTable(e *Engine, r *tableRequest, w *writer) error {
	e.mu.RLock()
	defer e.mu.RUnlock()
	t, err := e.table(r.TableName)
	if err != nil {
		return err
	}
	return w.json("Table", t.describe("ACTIVE"))
}

type listTablesRequest struct {
	ExclusiveStartTableName string
	Limit                   *int
}

const maxTablesListed = 100

func listTables(e *Engine, r *listTablesRequest, w *writer) error {
	limit := maxTablesListed
	if r.Limit != nil {
		limit = *r.Limit
	}
	if limit < 1 || limit > maxTablesListed {
		return invalid("1 validation error detected: Value '%d' at 'limit' failed to satisfy constraint: 1 to %d", limit,
			maxTablesListed)
	}
	after := bareName(r.ExclusiveStartTableName)
	if after != "" {
		if err := checkName("exclusiveStartTableName", after); err != nil {
			return err
		}
	}
	e.mu.RLock()
	names := sortedKeys(e.tables)
	e.mu.RUnlock()
	for len(names) > 0 && names[0] <= after {
		names = names[1:]
	}
	more := len(names) > limit
	names = names[:min(limit, len(names))]
	w.key("TableNames")
	w.list(len(names), func(i int) {
		w.comma()
		w.buf = appendString(w.buf, names[i])
	})
	if more {
		w.string("LastEvaluatedTableName", names[limit-1])
	}
	return nil
}

// description is the table description in the answer of DescribeTable.
type description struct {
	TableName, TableId, TableArn, TableStatus string
	CreationDateTime                          json.RawMessage
	ItemCount, TableSizeBytes                 int64
	AttributeDefinitions                      []attributeDefinition
	KeySchema                                 []keyElement
	BillingModeSummary                        *billing    `json:",omitempty"`
	TableClassSummary                         *tableClass `json:",omitempty"`
	ProvisionedThroughput                     throughput
	WarmThroughput                            warmth
	DeletionProtectionEnabled                 bool
	replicaDescriptions
	GlobalSecondaryIndexes []indexDescription `json:",omitempty"`
	LocalSecondaryIndexes  []indexDescription `json:",omitempty"`
}

type indexDescription struct {
	IndexName, IndexArn       string
	KeySchema                 []keyElement
	Projection                projection
	ItemCount, IndexSizeBytes int64
	IndexStatus               string      `json:",omitempty"` // this and the fields below are only for global indexes
	Backfilling               *bool       `json:",omitempty"` // only while IndexStatus is CREATING
	ProvisionedThroughput     *throughput `json:",omitempty"`
	WarmThroughput            *warmth     `json:",omitempty"`
}

type billing struct{ BillingMode string }

type tableClass struct{ TableClass string }

// warmth is the throughput that a table or an index serves without a warm-up.
type warmth struct {
	ReadUnitsPerSecond, WriteUnitsPerSecond int64
	Status                                  string
}

func (p throughput) warmth(onDemand bool) warmth {
	if onDemand {
		return warmth{12000, 4000, "ACTIVE"} // the values of a new table on AWS
	}
	return warmth{p.ReadCapacityUnits, p.WriteCapacityUnits, "ACTIVE"}
}

func (k keySchema) elements() []keyElement {
	out := []keyElement{{k.partition.name, "HASH"}}
	if k.sort.name != "" {
		out = append(out, keyElement{k.sort.name, "RANGE"})
	}
	return out
}

func (t *table) describe(status string) description {
	ms := t.created.UnixMilli()
	d := description{
		TableName: t.name, TableId: t.id, TableArn: t.arn(), TableStatus: status,
		CreationDateTime: fmt.Appendf(nil, "%d.%03d", ms/1000, ms%1000),
		ItemCount:        int64(t.tree.Len()), TableSizeBytes: t.bytes,
		AttributeDefinitions: t.attributes, KeySchema: t.key.elements(),
		ProvisionedThroughput: t.throughput, WarmThroughput: t.throughput.warmth(t.onDemand),
		DeletionProtectionEnabled: t.protected,
		replicaDescriptions:       t.replicas.describe(),
	}
	if t.onDemand {
		d.BillingModeSummary = &billing{"PAY_PER_REQUEST"}
	}
	if t.class != "" {
		d.TableClassSummary = &tableClass{t.class}
	}
	for _, x := range t.indexes {
		if x.local {
			d.LocalSecondaryIndexes = append(d.LocalSecondaryIndexes, t.describeIndex(x))
		} else {
			d.GlobalSecondaryIndexes = append(d.GlobalSecondaryIndexes, t.describeIndex(x))
		}
	}
	return d
}

func (t *table) describeIndex(x *index) indexDescription {
	d := indexDescription{
		IndexName:      x.name,
		IndexArn:       t.arn() + "/index/" + x.name,
		KeySchema:      x.key.elements(),
		Projection:     x.projection,
		ItemCount:      int64(x.tree.Len()),
		IndexSizeBytes: x.bytes,
	}
	if !x.local {
		warm := x.throughput.warmth(t.onDemand)
		d.IndexStatus, d.ProvisionedThroughput, d.WarmThroughput = "ACTIVE", &x.throughput, &warm
	}
	return d
}

// The engine stores the setting for time to live, but it never deletes expired items. Clients have to expect
// expired items from DynamoDB, too, since DynamoDB may take days to delete them.

type timeToLiveRequest struct {
	TableName               string
	TimeToLiveSpecification *struct {
		AttributeName string
		Enabled       bool
	}
}

func describeTimeToLive(e *Engine, r *tableRequest, w *writer) error {
	e.mu.RLock()
	defer e.mu.RUnlock()
	t, err := e.table(r.TableName)
	if err != nil {
		return err
	}
	w.object("TimeToLiveDescription")
	if t.ttl == "" {
		w.string("TimeToLiveStatus", "DISABLED")
	} else {
		w.string("TimeToLiveStatus", "ENABLED")
		w.string("AttributeName", t.ttl)
	}
	w.end()
	return nil
}

func updateTimeToLive(e *Engine, r *timeToLiveRequest, w *writer) error {
	s := r.TimeToLiveSpecification
	if s == nil || s.AttributeName == "" {
		return invalid(
			"1 validation error detected: Value null at 'timeToLiveSpecification' failed to satisfy constraint: Member must not be null",
		)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	t, err := e.table(r.TableName)
	switch {
	case err != nil:
		return err
	case s.Enabled && t.ttl != "":
		return invalid("TimeToLive is already enabled")
	case !s.Enabled && t.ttl == "":
		return invalid("TimeToLive is already disabled")
	case !s.Enabled && t.ttl != s.AttributeName:
		return invalid("TimeToLive is active on a different AttributeName: current AttributeName is %s", t.ttl)
	case s.Enabled:
		t.ttl = s.AttributeName
	default:
		t.ttl = ""
	}
	w.object("TimeToLiveSpecification")
	w.string("AttributeName", s.AttributeName)
	w.bool("Enabled", s.Enabled)
	w.end()
	return nil
}
