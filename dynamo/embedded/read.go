package embedded

import "cmp"

// keysAndProjection has the keys of the items to read from one table, and a projection.
type keysAndProjection struct {
	legacy
	Keys                     []item
	ConsistentRead           bool
	ExpressionAttributeNames map[string]string `json:",omitempty"`
	ProjectionExpression     *string           `json:",omitempty"`
}

type getItemRequest struct {
	legacy
	TableName                string
	Key                      item
	ConsistentRead           bool
	ExpressionAttributeNames map[string]string
	ProjectionExpression     *string
	ReturnConsumedCapacity   capacityDetail
}

type batchGetItemRequest struct {
	RequestItems           map[string]keysAndProjection
	ReturnConsumedCapacity capacityDetail
}

const (
	maxBatchGet   = 100
	maxBatchBytes = 16 << 20
)

func getItem(e *Engine, r *getItemRequest, w *writer) error {
	if err := cmp.Or(r.legacy.refuse(), r.ReturnConsumedCapacity.check()); err != nil {
		return err
	}
	projection, err := projectionOf(r.ProjectionExpression, r.ExpressionAttributeNames)
	if err != nil {
		return err
	}
	e.mu.RLock()
	defer e.mu.RUnlock()
	t, found, err := e.lookUp(r.TableName, r.Key)
	if err != nil {
		return err
	}
	if found.key != "" {
		w.key("Item")
		w.entry(found, projection)
	}
	return w.capacity(t.name, consumption{table: readCost(found.size, r.ConsistentRead)}, r.ReturnConsumedCapacity)
}

// lookUp reads one item. If the item does not exist, the entry's key is empty. The caller holds the lock.
func (e *Engine) lookUp(table string, key item) (*table, entry, error) {
	t, err := e.table(table)
	if err != nil {
		return nil, entry{}, err
	}
	if err := t.key.checkKey(key); err != nil {
		return nil, entry{}, err
	}
	return t, t.get(t.key.encode(key)), nil
}

// projectionOf parses the projection of a request that has no other expressions. The result nil means all
// attributes.
func projectionOf(text *string, names map[string]string) (*pathTree, error) {
	subs, err := newSubstitutions(names, nil)
	if err != nil {
		return nil, err
	}
	if text == nil {
		if names != nil {
			return nil, invalid("ExpressionAttributeNames can only be specified when using expressions")
		}
		return nil, nil
	}
	tree, err := parseProjection(*text, subs)
	if err != nil {
		return nil, err
	}
	return tree, subs.allUsed()
}

// entry writes a stored item, or only its projection.
func (w *writer) entry(e entry, projection *pathTree) {
	if projection == nil {
		w.raw(e.data)
		return
	}
	w.element(projection.project(e.decode(nil)))
}

func batchGetItem(e *Engine, r *batchGetItemRequest, w *writer) error {
	n := 0
	for _, keys := range r.RequestItems {
		n += len(keys.Keys)
		if err := cmp.Or(keys.legacy.refuse(), atLeastOne("keys", len(keys.Keys))); err != nil {
			return err
		}
	}
	if n > maxBatchGet {
		return invalid("Too many items requested for the BatchGetItem call")
	}
	if err := cmp.Or(atLeastOne("requestItems", n), r.ReturnConsumedCapacity.check()); err != nil {
		return err
	}
	e.mu.RLock()
	defer e.mu.RUnlock()
	used := map[string]*consumption{}
	unprocessed := map[string]keysAndProjection{}
	size := 0
	w.object("Responses")
	for _, name := range sortedKeys(r.RequestItems) {
		keys := r.RequestItems[name]
		projection, err := projectionOf(keys.ProjectionExpression, keys.ExpressionAttributeNames)
		if err != nil {
			return err
		}
		w.key(name)
		w.buf = append(w.buf, '[')
		seen := map[string]bool{}
		var left []item // keys of items that do not fit into the answer
		for _, key := range keys.Keys {
			t, found, err := e.lookUp(name, key)
			if err != nil {
				return err
			}
			if k := t.key.encode(key); seen[k] {
				return invalid("Provided list of item keys contains duplicates")
			} else {
				seen[k] = true
			}
			if size += found.size; size > maxBatchBytes {
				left = append(left, key)
				continue
			}
			touch(used, t.name).table += readCost(found.size, keys.ConsistentRead)
			if found.key != "" {
				w.entry(found, projection)
			}
		}
		w.buf = append(w.buf, ']')
		if keys.Keys = left; left != nil {
			unprocessed[name] = keys
		}
	}
	w.end()
	return cmp.Or(w.json("UnprocessedKeys", unprocessed), w.capacities(used, r.ReturnConsumedCapacity, plain))
}

func touch(used map[string]*consumption, table string) *consumption {
	if used[table] == nil {
		used[table] = &consumption{}
	}
	return used[table]
}

func atLeastOne(parameter string, n int) error {
	if n > 0 {
		return nil
	}
	return invalid(
		"1 validation error detected: Value at '%s' failed to satisfy constraint: Member must have length greater than or equal to 1",
		parameter,
	)
}

type transactGetItemsRequest struct {
	TransactItems          []struct{ Get *transactGet }
	ReturnConsumedCapacity capacityDetail
}

type transactGet struct {
	TableName                string
	Key                      item
	ExpressionAttributeNames map[string]string
	ProjectionExpression     *string
}

const (
	maxTransacted   = 100
	maxTransactSize = 4 << 20
)

func transactGetItems(e *Engine, r *transactGetItemsRequest, w *writer) error {
	n := len(r.TransactItems)
	if err := cmp.Or(atLeastOne("transactItems", n), atMostTransacted(n),
		r.ReturnConsumedCapacity.check()); err != nil {
		return err
	}
	projections, err := r.projections()
	if err != nil {
		return err
	}
	e.mu.RLock()
	defer e.mu.RUnlock()
	found, reasons, err := e.lookUpAll(r)
	if err := cmp.Or(err, cancelled(reasons)); err != nil {
		return err
	}
	used := map[string]*consumption{}
	size := 0
	w.key("Responses")
	w.list(n, func(i int) {
		size += found[i].size
		touch(used, bareName(r.TransactItems[i].Get.TableName)).table += 2 * readCost(found[i].size, true)
		w.begin()
		if found[i].key != "" {
			w.key("Item")
			w.entry(found[i], projections[i])
		}
		w.end()
	})
	if size > maxTransactSize {
		return invalid("The items of a transaction may have 4 MB together")
	}
	return w.capacities(used, r.ReturnConsumedCapacity, transactedRead)
}

// projections parses the projection of each element of TransactItems. An element without a key is an error.
func (r *transactGetItemsRequest) projections() ([]*pathTree, error) {
	var out []*pathTree
	for _, slot := range r.TransactItems {
		if slot.Get == nil || slot.Get.Key == nil {
			return nil, invalid(
				"1 validation error detected: Value null at 'transactItems.member.get' or its key failed to satisfy constraint: Member must not be null",
			)
		}
		projection, err := projectionOf(slot.Get.ProjectionExpression, slot.Get.ExpressionAttributeNames)
		if err != nil {
			return nil, err
		}
		out = append(out, projection)
	}
	return out, nil
}

// lookUpAll reads the item of each element of TransactItems. An invalid key becomes the reason of its
// element. Two elements for one item are an error. The caller holds the lock.
func (e *Engine) lookUpAll(r *transactGetItemsRequest) ([]entry, []reason, error) {
	found := make([]entry, len(r.TransactItems))
	reasons := make([]reason, len(r.TransactItems))
	seen := map[string]bool{}
	for i, slot := range r.TransactItems {
		t, err := e.table(slot.Get.TableName)
		if err == nil {
			err = t.checkTransacted()
		}
		if err != nil {
			return nil, nil, err
		}
		reasons[i].code = codeNone
		if err := t.key.checkKey(slot.Get.Key); err != nil {
			reasons[i] = reasonOf(err)
			continue
		}
		key := t.key.encode(slot.Get.Key)
		if seen[t.name+"\x00"+key] {
			return nil, nil, invalid(sameItemTwice)
		}
		seen[t.name+"\x00"+key] = true
		found[i] = t.get(key)
	}
	return found, reasons, nil
}

func atMostTransacted(n int) error {
	if n <= maxTransacted {
		return nil
	}
	return invalid(
		"1 validation error detected: Value at 'transactItems' failed to satisfy constraint: Member must have length less than or equal to %d",
		maxTransacted,
	)
}

const sameItemTwice = "Transaction request cannot include multiple operations on one item"
