package guess

import (
	"tallylock/dynamo/attr"
)

// Sample is the data about a table that is known before its layout: its keys, its indexes and some
// of its items.
type Sample struct {
	Name    string
	Schema  attr.Schema
	Indexes map[string]string // the index names, by the attribute that is the partition key
	Sorted  []attr.Index      // the indexes that have a sort key
	Items   []attr.Item
	Whole   bool // Whole is set if Items has all items of the table
}
