package embedded

import (
	"cmp"
	"crypto/sha256"
	"slices"
	"strings"
	"time"
)

type transactWriteItemsRequest struct {
	ClientRequestToken          *string
	ReturnConsumedCapacity      capacityDetail
	ReturnItemCollectionMetrics metricsDetail
	TransactItems               []struct{ ConditionCheck, Put, Update, Delete *action }
}

func (r *transactWriteItemsRequest) actions() ([]*action, error) {
	n := len(r.TransactItems)
	if err := cmp.Or(atLeastOne("transactItems", n), atMostTransacted(n), r.ReturnItemCollectionMetrics.check(),
		r.ReturnConsumedCapacity.check()); err != nil {
		return nil, err
	}
	if r.ClientRequestToken != nil && (len(*r.ClientRequestToken) < 1 || len(*r.ClientRequestToken) > 36) {
		return nil, invalid(
			"1 validation error detected: Value at 'clientRequestToken' failed to satisfy constraint: 1 to 36 characters",
		)
	}
	out := make([]*action, 0, n)
	for _, slot := range r.TransactItems {
		verbs := [...]verb{verbCheck, verbPut, verbUpdate, verbDelete}
		var chosen *action
		for i, a := range [...]*action{slot.ConditionCheck, slot.Put, slot.Update, slot.Delete} {
			if a == nil {
				continue
			}
			if chosen != nil {
				return nil, invalid("TransactItems can only contain one of Check, Put, Update or Delete")
			}
			chosen = a
			a.ReturnValues = "" // DynamoDB ignores ReturnValues in a transaction
			if err := a.parse(verbs[i]); err != nil {
				return nil, err
			}
		}
		if chosen == nil || chosen.verb == verbUpdate && chosen.update == nil {
			return nil, invalid(
				"Invalid request: an element of TransactItems lacks its action, or an Update its UpdateExpression",
			)
		}
		out = append(out, chosen)
	}
	return out, nil
}

func transactWriteItems(e *Engine, r *transactWriteItemsRequest, w *writer) error {
	actions, err := r.actions()
	if err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, a := range actions {
		if t := e.tables[bareName(a.TableName)]; t != nil {
			if err := t.checkTransacted(); err != nil {
				return err
			}
		}
	}
	// The engine stays locked until the token is recorded. So a second request with the same token waits for
	// the first.
	digest := fingerprint(actions)
	if r.ClientRequestToken != nil {
		if first := e.tokens.find(*r.ClientRequestToken, e.now()); first != nil {
			if first.digest != digest {
				return refuse("IdempotentParameterMismatchException",
					"The request uses the same client token as a previous, but non-identical request")
			}
			return w.capacities(first.replayed, r.ReturnConsumedCapacity, transactedRead)
		}
	}
	outcomes, reasons, err := e.evaluateAll(actions, sameItemTwice)
	if err := cmp.Or(err, cancelled(reasons)); err != nil {
		return err
	}
	size := 0
	replayed := map[string]*consumption{}
	for _, o := range outcomes {
		size += max(o.before.size, o.after.size)
		touch(replayed, o.table.name).table += 2 * readCost(o.after.size, true)
	}
	if size > maxTransactSize {
		return invalid("The items of a transaction may have 4 MB together")
	}
	used := e.apply(outcomes, transacted)
	if r.ClientRequestToken != nil {
		e.tokens.record(*r.ClientRequestToken, digest, replayed, e.now())
	}
	return cmp.Or(w.collections(outcomes, r.ReturnItemCollectionMetrics),
		w.capacities(used, r.ReturnConsumedCapacity, transactedWrite))
}

// evaluateAll returns an outcome and a reason for each action. The reason says why the action failed; its code is
// codeNone if the action succeeded. If two actions have the same item, it returns an error; the parameter twice is the
// text of this error. The caller holds the lock.
func (e *Engine) evaluateAll(actions []*action, twice string) ([]outcome, []reason, error) {
	outcomes := make([]outcome, len(actions))
	reasons := make([]reason, len(actions))
	seen := map[string]bool{}
	for i, a := range actions {
		t, err := e.table(a.TableName)
		if err != nil {
			return nil, nil, err
		}
		if place, err := a.place(t); err == nil {
			if place = t.name + "\x00" + place; seen[place] {
				return nil, nil, invalid("%s", twice)
			}
			seen[place] = true
		}
		reasons[i].code = codeNone
		if outcomes[i], err = a.evaluate(t); err != nil {
			if asAPIError(err).early {
				return nil, nil, err
			}
			reasons[i] = reasonOf(err)
		}
	}
	return outcomes, reasons, nil
}

func reasonOf(err error) reason {
	refusal := asAPIError(err)
	code := codeValidation
	if refusal.kind == "ConditionalCheckFailedException" {
		code = codeConditionFailed
	}
	return reason{code, refusal.message, refusal.item}
}

// cancelled returns the error of a cancelled transaction if any of the actions failed.
func cancelled(reasons []reason) error {
	if !slices.ContainsFunc(reasons, func(r reason) bool { return r.code != codeNone }) {
		return nil
	}
	codes := make([]string, len(reasons))
	for i, r := range reasons {
		codes[i] = r.code
	}
	e := refuse("TransactionCanceledException",
		"Transaction cancelled, please refer cancellation reasons for specific reasons [%s]", strings.Join(codes, ", "))
	e.reasons = reasons
	return e
}

// fingerprint returns a hash of a transaction. A repeated token must come with the same transaction, but
// its JSON may be written differently. So the hash sorts names and values, and uses canonical numbers.
func fingerprint(actions []*action) [sha256.Size]byte {
	w := writer{}
	w.list(len(actions), func(i int) {
		a := actions[i]
		w.begin()
		w.string("verb", string(a.verb))
		w.string("table", bareName(a.TableName))
		w.item("key", a.Key)
		w.item("item", a.Item)
		for _, text := range []*string{a.ConditionExpression, a.UpdateExpression} {
			w.key("expression")
			if text != nil {
				w.buf = appendString(w.buf, *text)
			}
		}
		for _, name := range sortedKeys(a.ExpressionAttributeNames) {
			w.string(name, a.ExpressionAttributeNames[name])
		}
		for _, name := range sortedKeys(a.ExpressionAttributeValues) {
			w.key(name)
			w.buf = appendValue(w.buf, a.ExpressionAttributeValues[name])
		}
		w.string("onFailure", a.ReturnValuesOnConditionCheckFailure)
		w.end()
	})
	return sha256.Sum256(w.buf)
}

// tokenLife is the time for which a ClientRequestToken stays valid after its transaction.
const tokenLife = 10 * time.Minute

// tokens remembers completed transactions by their ClientRequestToken. It does not remember cancelled
// transactions: a retry runs them again.
type tokens struct {
	known map[string]*completed
	order []string // the tokens, oldest first
}

type completed struct {
	digest   [sha256.Size]byte
	replayed map[string]*consumption // the capacity of a replay, which DynamoDB counts as a read
	expires  time.Time
}

func (t *tokens) find(token string, now time.Time) *completed {
	for len(t.order) > 0 && !now.Before(t.known[t.order[0]].expires) {
		delete(t.known, t.order[0])
		t.order = t.order[1:]
	}
	return t.known[token]
}

func (t *tokens) record(token string, digest [sha256.Size]byte, replayed map[string]*consumption, now time.Time) {
	if t.known == nil {
		t.known = map[string]*completed{}
	}
	t.known[token] = &completed{digest, replayed, now.Add(tokenLife)}
	t.order = append(t.order, token)
}
