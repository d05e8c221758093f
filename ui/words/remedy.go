package words

import (
	"slices"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/change"
	"tallylock/dynamo/check"
)

// Remedy says what puts findings of a kind in order.
func Remedy(k check.Kind) string {
	if len(change.MendVerbs(k)) > 0 {
		return remedy(k) + " To do so for all of them: tallylock mend."
	}
	return remedy(k)
}

func remedy(k check.Kind) string {
	switch k {
	case check.OrphanedLock:
		return "Release the lock: it is marked, everything is read again, and it is deleted if still no account calls for it."
	case check.StaleLock:
		return "Release the lock, while its owner still holds another value."
	case check.MissingLock:
		return "Put the lock, if there is still none. Find out what wrote the value without it."
	case check.ForeignLock:
		return "Give the lock to the account that holds the value."
	case check.DuplicateValue:
		return "Decide who keeps the value, and give the others another one. No program can know that."
	case check.UnnormalisedLock:
		return "Put the lock of the right spelling, and delete the wrong one. Then mend what writes the other spelling."
	case check.MalformedLock:
		return "Mend what wrote it first, then release the lock by itself: it is never mended together with others."
	case check.ExpiringAccount:
		return "Make the account's locks expire with it."
	case check.CounterBehind:
		return "Raise the counter to the highest id in use."
	case check.CounterMissing:
		return "Make the counter, at the highest id in use."
	case check.CounterNotNumber:
		return "Make the counter a number again, at the highest id in use."
	case check.CounterUnsafe:
		return "The number is right. Mend the programs that read it as a double."
	case check.CounterOffStep:
		return "Raise the counter to the next number of its series."
	case check.DuplicateID:
		return "Decide which item keeps the id, and have the application give the others new numbers."
	case check.DriftedKey:
		return "Have the application write the key anew whenever what it is made of changes, and save the item once more."
	}
	return ""
}

// FindingKeys are the keys that a finding is about: its lock's, and those of accounts and
// items.
func FindingKeys(t *dynamo.Table, f check.Finding) []attr.Key {
	var keys []attr.Key
	add := func(schema attr.Schema, item attr.Item) {
		if k, ok := schema.KeyOf(item); ok {
			keys = append(keys, k)
		}
	}
	lock := t.Schema
	if f.LockTable != "" {
		lock = t.SchemaOf(f.LockTable)
	}
	add(lock, f.Lock)
	for _, k := range append(slices.Clone(f.Accounts), f.Key) {
		add(t.Schema, k)
	}
	for _, at := range f.Items {
		schema := t.Schema
		if at.Table != "" {
			schema = t.SchemaOf(at.Table)
		}
		add(schema, at.Key)
	}
	return keys
}
