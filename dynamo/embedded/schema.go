package embedded

import (
	"cmp"
	"slices"
	"strings"
)

// createTableRequest has the parameters of CreateTable.
type createTableRequest struct {
	TableName                 string
	AttributeDefinitions      attributeDefinitions
	KeySchema                 []keyElement
	GlobalSecondaryIndexes    []indexDefinition
	LocalSecondaryIndexes     []indexDefinition
	BillingMode               string
	ProvisionedThroughput     *throughput
	DeletionProtectionEnabled bool
	TableClass                string
	Tags                      []tag
	StreamSpecification       struct{ StreamEnabled bool }
	replicaParameters
}

type attributeDefinition struct{ AttributeName, AttributeType string }

// attributeDefinitions are the types of the key attributes in a request.
type attributeDefinitions []attributeDefinition

type keyElement struct{ AttributeName, KeyType string }

type throughput struct{ ReadCapacityUnits, WriteCapacityUnits int64 }

type indexDefinition struct {
	IndexName             string
	KeySchema             []keyElement
	Projection            projection
	ProvisionedThroughput *throughput
}

// projection says which attributes an index has besides the keys.
type projection struct {
	ProjectionType   string
	NonKeyAttributes []string `json:",omitempty"`
}

const (
	projectAll     = "ALL"
	projectKeys    = "KEYS_ONLY"
	projectInclude = "INCLUDE"
)

const (
	maxGlobalIndexes = 20
	maxLocalIndexes  = 5
)

// build checks the request and returns the new table. The caller sets the table's id and creation time.
func (r *createTableRequest) build() (*table, error) {
	if err := cmp.Or(checkName("tableName", r.TableName), checkTableClass(r.TableClass)); err != nil {
		return nil, err
	}
	if r.StreamSpecification.StreamEnabled {
		return nil, invalid("Streams are not supported here")
	}
	t := &table{
		store:      newStore(),
		name:       r.TableName,
		attributes: r.AttributeDefinitions,
		protected:  r.DeletionProtectionEnabled,
		class:      r.TableClass,
		replicas:   r.replicas(),
	}
	if err := cmp.Or(r.bill(t), t.tags.add(r.Tags)); err != nil {
		return nil, err
	}
	used := map[string]bool{}
	var err error
	if t.key, err = r.AttributeDefinitions.schema(r.KeySchema, used); err != nil {
		return nil, err
	}
	if len(r.GlobalSecondaryIndexes) > maxGlobalIndexes || len(r.LocalSecondaryIndexes) > maxLocalIndexes {
		return nil, invalid(
			"One or more parameter values were invalid: A table may have %d global and %d local secondary indexes",
			maxGlobalIndexes, maxLocalIndexes,
		)
	}
	for i, d := range slices.Concat(r.GlobalSecondaryIndexes, r.LocalSecondaryIndexes) {
		if t.index(d.IndexName) != nil {
			return nil, invalid("One or more parameter values were invalid: Duplicate index name: %s", d.IndexName)
		}
		x, err := r.AttributeDefinitions.index(t, d, i >= len(r.GlobalSecondaryIndexes), used)
		if err != nil {
			return nil, err
		}
		if err := d.bill(x, t.onDemand); err != nil {
			return nil, err
		}
		t.indexes = append(t.indexes, x)
	}
	if len(used) != len(r.AttributeDefinitions) {
		return nil, invalid(
			"One or more parameter values were invalid: Number of attributes in KeySchema does not exactly match number of attributes defined in AttributeDefinitions",
		)
	}
	return t, nil
}

func (r *createTableRequest) bill(t *table) error {
	if err := oneOf("billingMode", r.BillingMode, "", "PROVISIONED", "PAY_PER_REQUEST"); err != nil {
		return err
	}
	t.onDemand = r.BillingMode == "PAY_PER_REQUEST"
	p := r.ProvisionedThroughput
	switch {
	case t.onDemand && p != nil:
		return invalid(
			"One or more parameter values were invalid: Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST",
		)
	case t.onDemand:
		return nil
	case p == nil || p.ReadCapacityUnits < 1 || p.WriteCapacityUnits < 1:
		return invalid(
			"One or more parameter values were invalid: ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED",
		)
	}
	t.throughput = *p
	return nil
}

// schema parses a key schema, and adds the names of its attributes to used.
func (all attributeDefinitions) schema(elements []keyElement, used map[string]bool) (keySchema, error) {
	var key keySchema
	if len(elements) < 1 || len(elements) > 2 || elements[0].KeyType != "HASH" ||
		len(elements) == 2 && elements[1].KeyType != "RANGE" {
		return key, invalid(
			"1 validation error detected: Value at 'keySchema' failed to satisfy constraint: a HASH key, then at most one RANGE key",
		)
	}
	places := []*keyAttribute{&key.partition, &key.sort}
	for i, e := range elements {
		kindName, ok := all.find(e.AttributeName)
		if len(e.AttributeName) > 255 {
			return key, invalid("1 validation error detected: Value at 'keySchema.%d.member.attributeName' failed to satisfy "+
				"constraint: Member must have length less than or equal to 255", i+1)
		}
		if !ok || e.AttributeName == "" {
			return key, invalid(
				"One or more parameter values were invalid: Some index key attributes are not defined in AttributeDefinitions. Keys: [%s], AttributeDefinitions: [%s]",
				e.AttributeName, all.names(),
			)
		}
		k := kindOf(kindName)
		if !k.isScalar() {
			return key, oneOf("attributeDefinitions.member.attributeType", kindName, "B", "N", "S")
		}
		*places[i] = keyAttribute{e.AttributeName, k}
		used[e.AttributeName] = true
	}
	if key.partition.name == key.sort.name {
		return key, invalid("Both the Hash Key and the Range Key element in the KeySchema have the same name")
	}
	return key, nil
}

// find returns the type of an attribute. ok is false if there is no definition of the attribute.
func (all attributeDefinitions) find(name string) (kindName string, ok bool) {
	i := slices.IndexFunc(all, func(d attributeDefinition) bool { return d.AttributeName == name })
	if i < 0 {
		return "", false
	}
	return all[i].AttributeType, true
}

func (all attributeDefinitions) names() string {
	names := make([]string, len(all))
	for i, d := range all {
		names[i] = d.AttributeName
	}
	return strings.Join(names, ", ")
}

// index checks the definition of an index of the table t, and returns the new index. It adds the names of the
// key attributes to used.
func (all attributeDefinitions) index(t *table, d indexDefinition, local bool, used map[string]bool) (*index, error) {
	if err := checkName("indexName", d.IndexName); err != nil {
		return nil, err
	}
	key, err := all.schema(d.KeySchema, used)
	if err != nil {
		return nil, err
	}
	if local && (key.partition != t.key.partition || key.sort.name == "" || t.key.sort.name == "") {
		return nil, invalid(
			"One or more parameter values were invalid: A local secondary index has the table's HASH key and a RANGE key of its own. IndexName: %s",
			d.IndexName,
		)
	}
	p := d.Projection
	if err := oneOf("projection.projectionType", p.ProjectionType, projectAll, projectInclude, projectKeys); err != nil {
		return nil, err
	}
	if (p.ProjectionType == projectInclude) != (len(p.NonKeyAttributes) > 0) {
		return nil, invalid(
			"One or more parameter values were invalid: NonKeyAttributes go with the ProjectionType INCLUDE, and with no other",
		)
	}
	return &index{store: newStore(), name: d.IndexName, key: key, local: local, projection: p}, nil
}

// bill sets the throughput of an index. The throughput must be given, unless the index is local or on demand.
func (d indexDefinition) bill(x *index, onDemand bool) error {
	p := d.ProvisionedThroughput
	switch priced := !x.local && !onDemand; {
	case priced && p == nil:
		return invalid("One or more parameter values were invalid: ProvisionedThroughput must be specified for index: %s",
			x.name)
	case !priced && p != nil:
		return invalid("One or more parameter values were invalid: ProvisionedThroughput must not be specified for index: %s",
			x.name)
	case p != nil:
		x.throughput = *p
	}
	return p.check("provisionedThroughput")
}

// checkName returns an error if s cannot be the name of a table or an index.
func checkName(parameter, s string) error {
	const failed = "1 validation error detected: Value '%s' at '%s' failed to satisfy constraint: Member must "
	switch {
	case strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-") != "":
		return invalid(failed+"satisfy regular expression pattern: [a-zA-Z0-9_.-]+", s, parameter)
	case len(s) < 3:
		return invalid(failed+"have length greater than or equal to 3", s, parameter)
	case len(s) > 255:
		return invalid(failed+"have length less than or equal to 255", s, parameter)
	}
	return nil
}

// replicas has the Regions of a table's replicas. strong is true if the replicas are strongly consistent.
type replicas struct {
	regions []string
	strong  bool
}

// replicaParameters are parameters of CreateTable for a table with replicas. Only this engine has them: on
// AWS, UpdateTable adds replicas. The engine replicates nothing.
type replicaParameters struct {
	Replicas               []struct{ RegionName string }
	MultiRegionConsistency string
}

func (r replicaParameters) replicas() replicas {
	out := replicas{strong: r.MultiRegionConsistency == "STRONG"}
	for _, one := range r.Replicas {
		out.regions = append(out.regions, one.RegionName)
	}
	return out
}

// replicaDescriptions are the replicas in the answer of DescribeTable.
type replicaDescriptions struct {
	GlobalTableVersion     string               `json:",omitempty"`
	MultiRegionConsistency string               `json:",omitempty"`
	Replicas               []replicaDescription `json:",omitempty"`
}

type replicaDescription struct{ RegionName, ReplicaStatus string }

func (r replicas) describe() replicaDescriptions {
	var d replicaDescriptions
	for _, name := range r.regions {
		d.GlobalTableVersion, d.MultiRegionConsistency = "2019.11.21", "EVENTUAL"
		d.Replicas = append(d.Replicas, replicaDescription{name, "ACTIVE"})
	}
	if r.strong {
		d.MultiRegionConsistency = "STRONG"
	}
	return d
}

// checkTransacted returns an error if the table supports no transactions. This is so if the table has
// multi-Region strong consistency.
func (t *table) checkTransacted() error {
	if !t.replicas.strong {
		return nil
	}
	return invalid("Transactional operations are not supported on tables with multi-Region strong consistency: %s", t.name)
}

// check returns an error for a throughput below one unit. A request without a throughput is valid.
func (p *throughput) check(parameter string) error {
	const least = "greater than or equal to 1"
	switch {
	case p == nil:
		return nil
	case p.WriteCapacityUnits < 1:
		return outOfRange(parameter+".writeCapacityUnits", int(p.WriteCapacityUnits), least)
	case p.ReadCapacityUnits < 1:
		return outOfRange(parameter+".readCapacityUnits", int(p.ReadCapacityUnits), least)
	}
	return nil
}

func checkTableClass(class string) error {
	if slices.Contains([]string{"", "STANDARD", "STANDARD_INFREQUENT_ACCESS"}, class) {
		return nil
	}
	return invalid(
		"Invalid table-class parameter provided. Please try again with a valid table-class value: [STANDARD, STANDARD_INFREQUENT_ACCESS].",
	)
}
