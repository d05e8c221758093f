package dynamo

import (
	"math/big"
	"slices"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

// SumShards shows the shards of a counter as one, with their sum; other counters stay as
// they are. A sum is for reading: no item holds it.
func SumShards(counters []Counter) []Counter {
	var out []Counter
	at := map[string]int{}
	for _, c := range counters {
		name, ok := c.shardOf()
		if !ok {
			out = append(out, c)
			continue
		}
		id := c.Table + "\x00" + name + "\x00" + c.Attribute
		n, known := at[id]
		if !known {
			at[id] = len(out)
			c.Name, c.Shards = name, 1
			out = append(out, c)
			continue
		}
		sum := &out[n]
		sum.Shards++
		for _, fault := range c.Faults {
			if !slices.Contains(sum.Faults, fault) {
				sum.Faults = append(slices.Clone(sum.Faults), fault)
			}
		}
		have, ok1 := attr.Integer(sum.Value)
		more, ok2 := attr.Integer(c.Value)
		switch {
		case ok1 && ok2:
			sum.Value = new(big.Int).Add(have, more).String()
		case ok2:
			sum.Value = c.Value // the other is no number, which is among the faults
		}
	}
	return out
}

// shardOf is the name of the counter that this is a shard of; false where it is none.
func (c *Counter) shardOf() (string, bool) {
	if c.Layout == nil || c.Semantics != layout.Tally {
		return "", false
	}
	return c.Layout.ShardOf(c.Table, c.table.Schema, c.Key)
}
