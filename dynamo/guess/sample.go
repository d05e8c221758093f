package guess

import (
	"tallylock/dynamo/attr"
)

// Sample is what is known of a table before its layout is: its keys, its indexes and
// some of its items.
type Sample struct {
	Name    string
	Schema  attr.Schema
	Indexes map[string]string // index name by the attribute that is its partition key
	Sorted  []attr.Index      // the indexes that have a sort key
	Items   []attr.Item
	Whole   bool // the items are all that there are
}
