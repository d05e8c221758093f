package check_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

func accountKey(id string) doc { return doc{"PK": str("ACCT#" + id), "SK": str("PROFILE")} }
func lockKey(v string) doc     { return doc{"PK": str("UNIQ#" + v), "SK": str("LOCK")} }

func accountItem(id, v string) doc {
	item := accountKey(id)
	item["username"] = str(v)
	return item
}

func (w *world) lockItem(id, v string) doc {
	item := lockKey(v)
	if w.owned {
		item["owner"] = str(id)
	}
	return item
}

// write sends one transaction of the application. It reports false if DynamoDB cancels the transaction, because an item
// of putNew exists already.
func (w *world) write(actions ...types.TransactWriteItem) bool {
	_, err := w.app.TransactWriteItems(context.Background(), &dynamodb.TransactWriteItemsInput{TransactItems: actions})
	if _, refused := errors.AsType[*types.TransactionCanceledException](err); refused {
		return false
	}
	if err != nil {
		w.t.Error(err)
	}
	return err == nil
}

func put(item doc) types.TransactWriteItem {
	return types.TransactWriteItem{Put: &types.Put{TableName: aws.String(worldTable), Item: item}}
}

func putNew(item doc) types.TransactWriteItem {
	a := put(item)
	a.Put.ConditionExpression = aws.String("attribute_not_exists(PK)")
	return a
}

func remove(key doc) types.TransactWriteItem {
	return types.TransactWriteItem{Delete: &types.Delete{TableName: aws.String(worldTable), Key: key}}
}

// These functions are the application's transactions. Each notes the new state of the values that it changed. A correct
// application uses only the first three. The others cause inconsistencies.

func (w *world) signUp(id, v string) {
	if w.write(putNew(accountItem(id, v)), putNew(w.lockItem(id, v))) {
		w.set(id, v)
		w.lock(v, id)
		w.note(v, id)
	}
}

func (w *world) leave(id string) {
	v := w.accounts[id]
	if w.write(remove(accountKey(id)), remove(lockKey(v))) {
		w.unset(id)
		delete(w.locks, v)
		w.note(v, id)
	}
}

func (w *world) change(id, v string) {
	had := w.accounts[id]
	if w.write(put(accountItem(id, v)), putNew(w.lockItem(id, v)), remove(lockKey(had))) {
		w.set(id, v)
		w.lock(v, id)
		delete(w.locks, had)
		w.note(v, id)
		w.note(had, id)
	}
}

// strand changes an account's value, but leaves the lock of the old value.
func (w *world) strand(id, v string) {
	had := w.accounts[id]
	if w.write(put(accountItem(id, v)), putNew(w.lockItem(id, v))) {
		w.set(id, v)
		w.lock(v, id)
		w.note(v, id)
		w.note(had, id)
	}
}

// expire deletes an account as DynamoDB's TTL does: the lock stays.
func (w *world) expire(id string) {
	v := w.accounts[id]
	if w.write(remove(accountKey(id))) {
		w.unset(id)
		w.note(v, id)
	}
}

// imports writes an account without a lock.
func (w *world) imports(id, v string) {
	if w.write(put(accountItem(id, v))) {
		w.set(id, v)
		w.note(v, id)
	}
}

// unlock deletes a lock, as somebody does by hand.
func (w *world) unlock(v string) {
	if w.write(remove(lockKey(v))) {
		delete(w.locks, v)
		w.note(v, "")
	}
}

func (w *world) set(id, v string) {
	w.former[id] = w.accounts[id]
	w.accounts[id] = v
}

func (w *world) unset(id string) {
	w.former[id] = w.accounts[id]
	delete(w.accounts, id)
}

func (w *world) lock(v, id string) {
	if w.locks[v] = id; !w.owned {
		w.locks[v] = nobody
	}
}

// nobody stands for the owner of a lock that names no owner.
const nobody = "nobody"

// moment is the state of one value from a point in time on.
type moment struct {
	at      time.Time
	value   string
	holders []string
	lock    string // the owner that the lock names; empty without a lock
	owner   bool   // the owner exists
}

// note notes the state of a value after a transaction of the account id. It also notes the state of each other value
// whose lock names this account.
func (w *world) note(v, id string) {
	for _, other := range w.values() {
		if w.locks[other] == id && other != v {
			w.keep(other)
		}
	}
	w.keep(v)
}

func (w *world) keep(v string) {
	m := moment{at: time.Now(), value: v, lock: w.locks[v]}
	_, m.owner = w.accounts[m.lock]
	for id, held := range w.accounts {
		if held == v {
			m.holders = append(m.holders, id)
		}
	}
	if m.lock == "" {
		w.freed[v] = m.at
	}
	if all := w.history[v]; len(all) == 0 || !all[len(all)-1].same(m) {
		w.history[v] = append(all, m)
	}
}

// during returns each state that a value had at some time between from and to.
func (w *world) during(v string, from, to time.Time) []moment {
	var out []moment
	for _, m := range w.history[v] {
		if m.at.After(to) {
			break
		}
		if !m.at.After(from) {
			out = out[:0] // the earlier states had ended by the time from
		}
		out = append(out, m)
	}
	return out
}

func (w *world) values() []string { return slices.Sorted(maps.Keys(w.history)) }

// is reports whether a finding of this kind is true in the state m.
func (m moment) is(kind string) bool {
	switch kind {
	case "orphaned-lock":
		return m.lock != "" && len(m.holders) == 0 && !m.owner
	case "stale-lock":
		return m.lock != "" && len(m.holders) == 0 && m.owner
	case "foreign-lock":
		return m.lock != "" && m.lock != nobody && len(m.holders) == 1 && m.holders[0] != m.lock
	case "missing-lock":
		return m.lock == "" && len(m.holders) == 1
	case "duplicate-value":
		return len(m.holders) > 1
	}
	return false
}

func (m moment) same(o moment) bool {
	slices.Sort(m.holders)
	slices.Sort(o.holders)
	return m.lock == o.lock && m.owner == o.owner && slices.Equal(m.holders, o.holders)
}

func (m moment) String() string {
	return fmt.Sprintf("%s %s: held by %q, locked for %q, who exists %v", m.at.Format("04:05.000"), m.value, m.holders, m.lock, m.owner)
}
