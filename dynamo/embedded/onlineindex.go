package embedded

import "slices"

// UpdateTable adds, changes and removes global indexes of a table that has items (Developer Guide, "Managing
// Global Secondary Indexes").

// createIndex adds an index to the table, and fills it. DynamoDB takes the types of the new keys from the
// request, even if the table has defined them.
func (r *updateTableRequest) createIndex(t *table, d indexDefinition) error {
	if t.index(d.IndexName) != nil {
		return invalid("Attempting to create an index which already exists")
	}
	if len(r.AttributeDefinitions) == 0 {
		return invalid("One or more parameter values were invalid: AttributeDefinitions is not specified for index: %s",
			d.IndexName)
	}
	x, err := r.AttributeDefinitions.index(t, d, false, map[string]bool{})
	if err != nil {
		return err
	}
	if err := t.checkTypes(x.key); err != nil {
		return err
	}
	if err := d.bill(x, t.onDemand); err != nil {
		return err
	}
	if t.globalIndexes() == maxGlobalIndexes {
		return refuse("LimitExceededException", "GlobalSecondaryIndex count exceeds the per-table limit of %d",
			maxGlobalIndexes)
	}
	t.backfill(x)
	t.indexes = append(t.indexes, x)
	return nil
}

// backfill fills a new index with the table's items. An item with an invalid key attribute is left out, as on
// AWS.
func (t *table) backfill(x *index) {
	t.walk(span{}, false, func(base entry) bool {
		x.replace(entry{}, x.entry(t, base, base.decode(nil)))
		return true
	})
}

// checkTypes returns an error if the key of a new index has an attribute that is defined with another type.
func (t *table) checkTypes(key keySchema) error {
	for i, a := range key.attributes() {
		was, defined := t.attributes.find(a.name)
		if defined && was != a.kind.String() {
			role := [...]string{"HASH", "RANGE"}[i]
			return invalid(
				"One or more parameter values were invalid: Attributes cannot be redefined. Please check that your attribute has the same type as previously defined. Existing schema: Schema:[SchemaElement: key{%s:%s:%s}] New schema: Schema:[SchemaElement: key{%s:%s:%s}]",
				a.name, was, t.role(a.name), a.name, a.kind, role,
			)
		}
	}
	return nil
}

// role returns the key type of an attribute in the table or in the first index that has it in its key.
func (t *table) role(name string) string {
	for _, key := range t.schemas() {
		switch name {
		case key.partition.name:
			return "HASH"
		case key.sort.name:
			return "RANGE"
		}
	}
	return ""
}

// schemas returns the key schema of the table, and then those of its indexes.
func (t *table) schemas() []keySchema {
	out := []keySchema{t.key}
	for _, x := range t.indexes {
		out = append(out, x.key)
	}
	return out
}

// define sets the table's attribute definitions: the old and the new ones that are part of a key.
func (t *table) define(more attributeDefinitions) {
	var out attributeDefinitions
	for _, d := range slices.Concat(t.attributes, more) {
		if _, twice := out.find(d.AttributeName); !twice && t.role(d.AttributeName) != "" {
			out = append(out, d)
		}
	}
	t.attributes = out
}

func (t *table) globalIndexes() int {
	n := 0
	for _, x := range t.indexes {
		if !x.local {
			n++
		}
	}
	return n
}

// with returns an index with the same entries and another throughput. A reader of the table may use the old
// one.
func (x *index) with(p throughput) *index {
	out := *x
	out.throughput = p
	return &out
}

// place returns the place of a global index among the table's indexes. verb is the action of the request:
// update or delete.
func (t *table) place(name, verb string) (int, error) {
	i := slices.IndexFunc(t.indexes, func(x *index) bool { return x.name == name })
	switch {
	case i < 0:
		return 0, refuse(notFound, "Requested resource not found: Index %s for table %s", name, t.name)
	case t.indexes[i].local:
		return 0, invalid("Cannot %s an index that is not a GlobalSecondaryIndex: %s", verb, name)
	}
	return i, nil
}

func (t *table) deleteIndex(name string) error {
	i, err := t.place(name, "delete")
	if err != nil {
		return err
	}
	t.indexes = slices.Delete(t.indexes, i, i+1)
	return nil
}

// apply changes the throughput of an index.
func (u *throughputUpdate) apply(t *table) error {
	i, err := t.place(u.IndexName, "update")
	if err != nil {
		return err
	}
	x, p := t.indexes[i], u.ProvisionedThroughput
	others := u.OnDemandThroughput != nil || u.WarmThroughput != nil
	switch {
	case t.onDemand && (p != nil || !others):
		return invalid(
			"One or more parameter values were invalid: The only Updates for index: %s when TableThroughputMode is PAY_PER_REQUEST can be to OnDemandThroughput, WarmThroughput",
			x.name,
		)
	case p == nil && others:
		return nil
	case p == nil:
		return invalid(
			"One or more parameter values were invalid: Both ReadCapacityUnits and WriteCapacityUnits must be specified for index: %s",
			x.name,
		)
	case *p == x.throughput:
		return sameThroughput("the index "+x.name, "index "+x.name, *p)
	}
	if err := p.check("provisionedThroughput"); err != nil {
		return err
	}
	t.indexes[i] = x.with(*p)
	return nil
}
