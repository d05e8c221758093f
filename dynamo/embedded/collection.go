package embedded

// An item collection has the items with one partition key, in the table and in its local indexes. Only a
// table with a local index has item collections (API Reference, "ItemCollectionMetrics").

// metricsDetail is the value of ReturnItemCollectionMetrics.
type metricsDetail string

func (d metricsDetail) check() error {
	return oneOf("returnItemCollectionMetrics", string(d), "", "NONE", "SIZE")
}

// collectionMetric has the key of an item collection, and a lower and an upper bound of its size.
type collectionMetric struct {
	ItemCollectionKey   item
	SizeEstimateRangeGB [2]int
}

// collectionMetrics returns the item collections that the outcomes changed, by table. The result is empty if
// the request does not want them. The caller holds the lock, and has applied the outcomes.
func collectionMetrics(outcomes []outcome, detail metricsDetail) map[string][]collectionMetric {
	if detail != "SIZE" {
		return nil
	}
	out := map[string][]collectionMetric{}
	seen := map[string]bool{}
	for _, o := range outcomes {
		it := o.new
		if it == nil {
			it = o.old
		}
		pk, ok := it.get(o.table.key.partition.name)
		if !ok || !o.table.hasLocalIndex() { // if a deletion found no item, there are no attributes
			continue
		}
		prefix := string(partitionKey(pk))
		if seen[o.table.name+"\x00"+prefix] {
			continue
		}
		seen[o.table.name+"\x00"+prefix] = true
		gigabytes := o.table.collectionSize(prefix) >> 30
		out[o.table.name] = append(out[o.table.name], collectionMetric{
			ItemCollectionKey:   item{{o.table.key.partition.name, pk}},
			SizeEstimateRangeGB: [2]int{gigabytes, gigabytes + 1},
		})
	}
	return out
}

func (t *table) hasLocalIndex() bool {
	for _, x := range t.indexes {
		if x.local {
			return true
		}
	}
	return false
}

// collectionSize returns the size of an item collection in bytes. prefix is the prefix of its stored keys.
func (t *table) collectionSize(prefix string) int {
	size := 0
	sum := func(e entry) bool {
		size += e.size
		return true
	}
	within := span{prefix, after(prefix)}
	t.walk(within, false, sum)
	for _, x := range t.indexes {
		if x.local {
			x.walk(within, false, sum)
		}
	}
	return size
}

// collections writes the item collections of each table, if the request wants them.
func (w *writer) collections(outcomes []outcome, detail metricsDetail) error {
	metrics := collectionMetrics(outcomes, detail)
	if len(metrics) == 0 {
		return nil
	}
	return w.json("ItemCollectionMetrics", metrics)
}
