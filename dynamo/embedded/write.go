package embedded

import "cmp"

// action has the parameters of one PutItem, UpdateItem or DeleteItem. It can also be part of a transaction,
// and then it may be a ConditionCheck.
type action struct {
	legacy
	TableName                           string
	Key                                 item
	Item                                item
	ConditionExpression                 *string
	UpdateExpression                    *string
	ExpressionAttributeNames            map[string]string
	ExpressionAttributeValues           expressionValues
	ReturnValues                        string
	ReturnValuesOnConditionCheckFailure string
	ReturnConsumedCapacity              capacityDetail
	ReturnItemCollectionMetrics         metricsDetail

	verb      verb
	condition condition
	update    *update
}

type verb string

const (
	verbPut    verb = "Put"
	verbUpdate verb = "Update"
	verbDelete verb = "Delete"
	verbCheck  verb = "ConditionCheck"
)

const maxItem = 400 << 10

func putItem(e *Engine, r *action, w *writer) error {
	return e.write(r, verbPut, w, "NONE", "ALL_OLD")
}

func deleteItem(e *Engine, r *action, w *writer) error {
	return e.write(r, verbDelete, w, "NONE", "ALL_OLD")
}

func updateItem(e *Engine, r *action, w *writer) error {
	return e.write(r, verbUpdate, w, "NONE", "ALL_OLD", "ALL_NEW", "UPDATED_OLD", "UPDATED_NEW")
}

// write runs a request with one action, and writes the answer. The parameter returns lists the values that
// are valid for the request's ReturnValues.
func (e *Engine) write(r *action, v verb, w *writer, returns ...string) error {
	if err := cmp.Or(
		oneOf("returnValues", r.ReturnValues, append(returns, "")...),
		r.ReturnItemCollectionMetrics.check(), r.ReturnConsumedCapacity.check(), r.parse(v),
	); err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	t, err := e.table(r.TableName)
	if err != nil {
		return err
	}
	done, err := r.evaluate(t)
	if err != nil {
		return err
	}
	used := e.apply([]outcome{done}, alone)
	if answer := r.returned(done); answer != nil {
		w.item("Attributes", answer)
	}
	if metrics := collectionMetrics([]outcome{done}, r.ReturnItemCollectionMetrics)[t.name]; metrics != nil {
		if err := w.json("ItemCollectionMetrics", metrics[0]); err != nil {
			return err
		}
	}
	return w.capacity(t.name, *used[t.name], r.ReturnConsumedCapacity)
}

// parse parses the action's expressions. It also makes the checks that need no table.
func (r *action) parse(v verb) error {
	r.verb = v
	if err := cmp.Or(r.legacy.refuse(),
		oneOf("returnValuesOnConditionCheckFailure", r.ReturnValuesOnConditionCheckFailure, "", "NONE", "ALL_OLD")); err != nil {
		return err
	}
	if v == verbPut && r.Item == nil || v != verbPut && r.Key == nil {
		return invalid(
			"1 validation error detected: Value null at the item or key of %s failed to satisfy constraint: Member must not be null",
			v,
		)
	}
	if r.ConditionExpression == nil && v == verbCheck {
		return invalid(
			"1 validation error detected: Value null at 'conditionExpression' failed to satisfy constraint: Member must not be null",
		)
	}
	if r.UpdateExpression != nil && v != verbUpdate {
		return invalid("UpdateExpression is no parameter of %s", v)
	}
	if r.ConditionExpression == nil && r.UpdateExpression == nil &&
		(r.ExpressionAttributeNames != nil || r.ExpressionAttributeValues != nil) {
		return invalid("ExpressionAttributeNames and ExpressionAttributeValues can only be specified when using expressions")
	}
	subs, err := newSubstitutions(r.ExpressionAttributeNames, r.ExpressionAttributeValues)
	if err != nil {
		return err
	}
	if r.UpdateExpression != nil {
		if r.update, err = parseUpdate(*r.UpdateExpression, subs); err != nil {
			return err
		}
	}
	if r.ConditionExpression != nil {
		if r.condition, err = parseCondition("ConditionExpression", *r.ConditionExpression, subs); err != nil {
			return err
		}
	}
	return subs.allUsed()
}

// place returns the key under which the action's item is stored.
func (r *action) place(t *table) (string, error) {
	if r.verb == verbPut {
		if err := t.key.checkItem(r.Item); err != nil {
			return "", err
		}
		return t.key.encode(r.Item), nil
	}
	if err := t.key.checkKey(r.Key); err != nil {
		return "", err
	}
	return t.key.encode(r.Key), nil
}

// outcome is the planned effect of an action.
type outcome struct {
	change
	old, new item // nil if there is no item
}

// evaluate returns the outcome of the action. It does not change the table.
func (r *action) evaluate(t *table) (outcome, error) {
	key, err := r.place(t)
	if err != nil {
		return outcome{}, err
	}
	before := t.get(key)
	var old item
	if before.key != "" {
		old = before.decode(nil)
	}
	if err := r.checkFor(t); err != nil {
		return outcome{}, err
	}
	if r.condition != nil && !r.condition.holds(old) {
		if r.ReturnValuesOnConditionCheckFailure == "ALL_OLD" {
			return outcome{}, conditionFailed(old)
		}
		return outcome{}, conditionFailed(nil)
	}
	if r.verb == verbCheck {
		return outcome{change: change{table: t, before: before, after: before}, old: old, new: old}, nil
	}
	fresh, err := r.result(old)
	if err != nil {
		return outcome{}, err
	}
	var after entry
	if fresh != nil {
		if err := t.checkNew(fresh, r.verb); err != nil {
			return outcome{}, err
		}
		after = newEntry(key, fresh)
	}
	return outcome{t.plan(before, after, old, fresh), old, fresh}, nil
}

// checkFor returns an error that does not depend on the stored item. DynamoDB finds such errors before it
// evaluates the condition.
func (r *action) checkFor(t *table) error {
	if r.verb == verbPut {
		return t.checkNew(r.Item, r.verb)
	}
	if r.update == nil {
		return nil
	}
	for _, name := range r.update.targets.names() {
		if t.key.has(name) {
			return invalid(
				"One or more parameter values were invalid: Cannot update attribute %s. This attribute is part of the key",
				name,
			)
		}
	}
	return nil
}

// result returns the item after the action; nil if the action deletes it.
func (r *action) result(old item) (item, error) {
	switch r.verb {
	case verbPut:
		return r.Item, nil
	case verbDelete:
		return nil, nil
	}
	base := old
	if base == nil {
		base = r.Key
	}
	if r.update == nil {
		return base, nil
	}
	fresh, err := r.update.apply(base)
	if err != nil {
		return nil, err
	}
	for _, a := range fresh {
		if a.value.depth() > maxDepth {
			return nil, errTooDeep()
		}
	}
	return fresh, nil
}

// returned returns the attributes that ReturnValues asks for; nil if there are none.
func (r *action) returned(o outcome) item {
	switch r.ReturnValues {
	case "ALL_OLD":
		return o.old
	case "ALL_NEW":
		return o.new
	}
	from := o.old
	if r.ReturnValues == "UPDATED_NEW" {
		from = o.new
	}
	if r.update == nil || from == nil || r.ReturnValues == "" || r.ReturnValues == "NONE" {
		return nil
	}
	if out := r.update.targets.project(from); len(out) > 0 {
		return out
	}
	return nil
}

type batchWriteItemRequest struct {
	RequestItems map[string][]struct {
		PutRequest    *struct{ Item item }
		DeleteRequest *struct{ Key item }
	}
	ReturnConsumedCapacity      capacityDetail
	ReturnItemCollectionMetrics metricsDetail
}

const maxBatchWrite = 25

func batchWriteItem(e *Engine, r *batchWriteItemRequest, w *writer) error {
	var actions []*action
	for _, name := range sortedKeys(r.RequestItems) {
		if err := atLeastOne("requestItems.member", len(r.RequestItems[name])); err != nil {
			return err
		}
		for _, request := range r.RequestItems[name] {
			a, v := &action{TableName: name}, verbPut
			switch put, del := request.PutRequest, request.DeleteRequest; {
			case put != nil && del == nil:
				a.Item = put.Item
			case del != nil && put == nil:
				a.Key, v = del.Key, verbDelete
			default:
				return invalid("Supplied a WriteRequest that has not exactly one of PutRequest and DeleteRequest")
			}
			if err := a.parse(v); err != nil {
				return err
			}
			actions = append(actions, a)
		}
	}
	if len(actions) > maxBatchWrite {
		return invalid("Too many items requested for the BatchWriteItem call")
	}
	if err := cmp.Or(atLeastOne("requestItems", len(actions)), r.ReturnItemCollectionMetrics.check(),
		r.ReturnConsumedCapacity.check()); err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	outcomes, reasons, err := e.evaluateAll(actions, "Provided list of item keys contains duplicates")
	if err != nil {
		return err
	}
	for _, r := range reasons {
		if r.code != codeNone {
			return invalid("%s", r.message)
		}
	}
	used := e.apply(outcomes, alone)
	w.object("UnprocessedItems")
	w.end()
	return cmp.Or(w.collections(outcomes, r.ReturnItemCollectionMetrics),
		w.capacities(used, r.ReturnConsumedCapacity, plain))
}
