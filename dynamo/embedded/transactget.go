package embedded

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
	if err := firstError(atLeastOne("transactItems", n), atMostTransacted(n),
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
	if err := firstError(err, cancelled(reasons)); err != nil {
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

// projections reads what is wanted of each item, and checks what needs no table.
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

// lookUpAll reads the item of each slot, or says why it cannot; no two slots may
// name one item. The caller holds the lock.
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
