package embedded

import (
	"cmp"
	"slices"
	"strings"
)

// The error texts are DynamoDB's, as the project ack-api-quirks measured them on AWS, and as the tests of dynalite have
// them.

// updateTableRequest has the parameters of UpdateTable. The engine accepts the parameters of the type *struct{} and
// ignores them, because their effect would be invisible to a client.
type updateTableRequest struct {
	TableName                   string
	AttributeDefinitions        attributeDefinitions
	BillingMode                 string
	ProvisionedThroughput       *throughput
	GlobalSecondaryIndexUpdates []indexUpdate
	DeletionProtectionEnabled   *bool
	TableClass                  string
	SSESpecification            *struct{}
	OnDemandThroughput          *struct{}
	WarmThroughput              *struct{}
	StreamSpecification         *struct{ StreamEnabled bool }
	ReplicaUpdates              []struct{}
	MultiRegionConsistency      string
}

// indexUpdate has exactly one of its three actions.
type indexUpdate struct {
	Create *indexDefinition
	Update *throughputUpdate
	Delete *struct{ IndexName string }
}

type throughputUpdate struct {
	IndexName             string
	ProvisionedThroughput *throughput
	OnDemandThroughput    *struct{}
	WarmThroughput        *struct{}
}

func (u indexUpdate) name() string {
	switch {
	case u.Create != nil:
		return u.Create.IndexName
	case u.Update != nil:
		return u.Update.IndexName
	}
	return u.Delete.IndexName
}

// updateTable changes a table at once. But the answer says that the change has begun, as DynamoDB's answer
// does: the table is UPDATING, a new index is CREATING and a removed index is DELETING. The next DescribeTable
// says ACTIVE.
func updateTable(e *Engine, r *updateTableRequest, w *writer) error {
	if err := r.check(); err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	old, err := e.table(r.TableName)
	if err != nil {
		return err
	}
	fresh := *old
	fresh.indexes = slices.Clone(old.indexes)
	if err := r.apply(&fresh); err != nil {
		return err
	}
	e.tables[fresh.name] = &fresh
	return w.json("TableDescription", r.describe(old, &fresh))
}

// check makes the checks that need no table.
func (r *updateTableRequest) check() error {
	switch stream := r.StreamSpecification; {
	case stream != nil && stream.StreamEnabled:
		return invalid("Streams are not supported here")
	case stream != nil:
		return invalid("Table has no stream to disable: TableName: %s", bareName(r.TableName))
	}
	if len(r.ReplicaUpdates) > 0 || r.MultiRegionConsistency != "" {
		return invalid("Replicas are not supported here: CreateTable makes a table that says it has replicas")
	}
	if err := cmp.Or(oneOf("billingMode", r.BillingMode, "", "PROVISIONED", "PAY_PER_REQUEST"),
		r.ProvisionedThroughput.check("provisionedThroughput"), checkTableClass(r.TableClass)); err != nil {
		return err
	}
	if err := cmp.Or(r.checkParts(), r.checkIndexUpdates()); err != nil {
		return err
	}
	switch {
	case r.BillingMode == "PROVISIONED" && r.ProvisionedThroughput == nil:
		return invalid(
			"One or more parameter values were invalid: ProvisionedThroughput must be specified when BillingMode is PROVISIONED",
		)
	case r.BillingMode == "PAY_PER_REQUEST" && r.ProvisionedThroughput != nil:
		return errThroughputOnDemand
	}
	return nil
}

var errThroughputOnDemand = invalid(
	"One or more parameter values were invalid: Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST",
)

// checkParts returns an error if the request changes nothing. Some changes must be alone in their request: then another
// change is an error, too.
func (r *updateTableRequest) checkParts() error {
	parts := []struct {
		given bool
		alone string // DynamoDB's name for a part that must be alone in its request; empty for other parts
	}{
		{r.SSESpecification != nil, "Server-Side Encryption modification"},
		{r.TableClass != "", "TableClass modification"},
		{r.DeletionProtectionEnabled != nil, "DeletionProtection modification"},
		{r.WarmThroughput != nil, "WarmThroughput"},
		{r.BillingMode != "", ""},
		{r.ProvisionedThroughput != nil, ""},
		{len(r.GlobalSecondaryIndexUpdates) > 0, ""},
		{r.OnDemandThroughput != nil, ""},
	}
	n, alone := 0, ""
	for _, p := range parts {
		if p.given {
			n++
			if alone == "" {
				alone = p.alone
			}
		}
	}
	switch {
	case n == 0:
		return invalid(
			"At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, GlobalSecondaryIndexUpdates, SSESpecification, ReplicaUpdates, MultiAccountReplicaReady, ReplicaTransitRoleArn, MultiRegionConsistency, DeletionProtectionEnabled, OnDemandThroughput, WarmThroughput or TableClass is required",
		)
	case n > 1 && alone != "":
		return invalid("One or more parameter values were invalid: %s must be the only operation in the request", alone)
	}
	return nil
}

func (r *updateTableRequest) checkIndexUpdates() error {
	seen := map[string]bool{}
	online := 0 // indexes to create or to delete
	for _, u := range r.GlobalSecondaryIndexUpdates {
		actions := 0
		for _, given := range [...]bool{u.Create != nil, u.Update != nil, u.Delete != nil} {
			if given {
				actions++
			}
		}
		switch {
		case actions == 0:
			return invalid(
				"One or more parameter values were invalid: One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, GlobalSecondaryIndexUpdate.Delete must not be null",
			)
		case actions > 1:
			return invalid(
				"One or more parameter values were invalid: Only one global secondary index action is allowed per GlobalSecondaryIndexUpdate object",
			)
		case seen[u.name()]:
			return invalid(
				"One or more parameter values were invalid: Only one global secondary index update per index is allowed simultaneously. Index: %s",
				u.name(),
			)
		}
		if err := checkName("indexName", u.name()); err != nil {
			return err
		}
		seen[u.name()] = true
		if u.Update == nil {
			online++
		}
	}
	switch {
	case online > 1:
		return refuse("LimitExceededException",
			"Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table")
	case online == 1 && r.ProvisionedThroughput != nil:
		return invalid(
			"One or more parameter values were invalid: You cannot create or delete index while updating table IOPS",
		)
	}
	return nil
}

// apply changes the table t, a copy that nobody else has.
func (r *updateTableRequest) apply(t *table) error {
	if err := r.bill(t); err != nil {
		return err
	}
	if r.DeletionProtectionEnabled != nil {
		t.protected = *r.DeletionProtectionEnabled
	}
	if r.TableClass != "" {
		t.class = r.TableClass
	}
	for _, u := range r.GlobalSecondaryIndexUpdates {
		var err error
		switch {
		case u.Create != nil:
			err = r.createIndex(t, *u.Create)
		case u.Update != nil:
			err = u.Update.apply(t)
		default:
			err = t.deleteIndex(u.Delete.IndexName)
		}
		if err != nil {
			return err
		}
	}
	t.define(r.AttributeDefinitions)
	return nil
}

// bill changes the billing mode and the throughput of the table.
func (r *updateTableRequest) bill(t *table) error {
	toOnDemand := r.BillingMode == "PAY_PER_REQUEST"
	toProvisioned := r.BillingMode == "PROVISIONED" && t.onDemand
	p := r.ProvisionedThroughput
	switch {
	case toOnDemand:
		t.onDemand, t.throughput = true, throughput{}
		for i, x := range t.indexes {
			t.indexes[i] = x.with(throughput{})
		}
		return nil
	case toProvisioned:
		t.onDemand = false
		if missing := r.unpriced(t); len(missing) > 0 {
			return invalid("One or more parameter values were invalid: ProvisionedThroughput must be specified for index: %s",
				strings.Join(missing, ","))
		}
	case p == nil:
		return nil
	case t.onDemand:
		return errThroughputOnDemand
	case *p == t.throughput:
		return sameThroughput("the table", "the table", *p)
	}
	t.throughput = *p
	return nil
}

// unpriced returns the table's global indexes for which the request has no throughput.
func (r *updateTableRequest) unpriced(t *table) []string {
	var out []string
	for _, x := range t.indexes {
		priced := slices.ContainsFunc(r.GlobalSecondaryIndexUpdates, func(u indexUpdate) bool {
			return u.name() == x.name && (u.Update == nil || u.Update.ProvisionedThroughput != nil)
		})
		if !x.local && !priced {
			out = append(out, x.name)
		}
	}
	return out
}

// sameThroughput returns the error for a request that would not change the throughput of a table or an index.
func sameThroughput(what, of string, p throughput) error {
	return invalid(
		"The provisioned throughput for %s will not change. The requested value equals the current value. Current ReadCapacityUnits provisioned for %s: %[3]d. Requested ReadCapacityUnits: %[3]d. Current WriteCapacityUnits provisioned for %[2]s: %[4]d. Requested WriteCapacityUnits: %[4]d. Refer to the Amazon DynamoDB Developer Guide for current limits and how to request higher limits.",
		what, of, p.ReadCapacityUnits, p.WriteCapacityUnits,
	)
}

// describe returns the description of the changed table while the change is under way.
func (r *updateTableRequest) describe(old, fresh *table) description {
	d := fresh.describe("UPDATING")
	for _, u := range r.GlobalSecondaryIndexUpdates {
		if u.Delete != nil {
			gone := old.describeIndex(old.index(u.Delete.IndexName))
			gone.IndexStatus = "DELETING"
			d.GlobalSecondaryIndexes = append(d.GlobalSecondaryIndexes, gone)
			continue
		}
		i := slices.IndexFunc(d.GlobalSecondaryIndexes, func(x indexDescription) bool { return x.IndexName == u.name() })
		x := &d.GlobalSecondaryIndexes[i]
		if x.IndexStatus = "UPDATING"; u.Create != nil {
			x.IndexStatus, x.Backfilling = "CREATING", new(bool)
			x.ItemCount, x.IndexSizeBytes = 0, 0
		}
	}
	return d
}
