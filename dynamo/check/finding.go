package check

import (
	"bytes"
	"cmp"
	"encoding/json"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
)

// Finding is one thing that is wrong. Its JSON is a contract: names are added,
// and never changed. It holds all that is needed to look at the thing again.
// Texts are as the table has them: they are not sanitised.
type Finding struct {
	Kind Kind `json:"finding"`
	// Table is the accounts' table, and TableID tells it from another of that name.
	Table   string `json:"table"`
	TableID string `json:"table_id,omitempty"`
	// Constraint and Value say what the lock keeps. Value is what the lock's key
	// says; of an unnormalised-value, what the account's lock should say.
	Constraint string `json:"constraint,omitempty"`
	Value      string `json:"value,omitempty"`
	// Lock is the key of the lock, or of the one that is missing; of an
	// unnormalised-value it is that of the wrong one, which exists.
	Lock attr.Item `json:"lock,omitempty"`
	// LockTable is the lock's table where it is not the accounts'.
	LockTable string `json:"lock_table,omitempty"`
	// Owner is whom the lock names, as it does; empty where it names nobody.
	Owner string `json:"owner,omitempty"`
	// Accounts are the keys of the accounts that hold the value: of those that were
	// found. Of a stale-lock it is the owner, which holds another. MoreAccounts is how
	// many of a duplicate-value are not listed: a check's memory bounds them.
	Accounts     []attr.Item `json:"accounts"`
	MoreAccounts int         `json:"more_accounts,omitempty"`
	// Counter is what the counter is called, Key its key, Attribute where the
	// number stands, Seen what stands there; HighestID the highest id in use.
	Counter   string     `json:"counter,omitempty"`
	Key       attr.Item  `json:"key,omitempty"`
	Attribute string     `json:"attribute,omitempty"`
	Expected  string     `json:"expected,omitempty"` // of a drifted-key: what Attribute should say
	Seen      attr.Value `json:"seen,omitzero"`
	HighestID string     `json:"highest_id,omitempty"`
	// ID is the id that two items carry, and Items are those; of a counter that is
	// behind or missing it is the item with the highest id.
	ID    string  `json:"id,omitempty"`
	Items []Place `json:"items,omitempty"`
	// Confirmed: it was read again, and is no passing state of the application's.
	Confirmed bool `json:"confirmed"`
	// Layout is the hash of the layout that it was judged by, of findings of locks.
	Layout string `json:"layout,omitempty"`
	// SuspectLayout: very many locks of the constraint are orphaned, or in another
	// spelling. Before many of them are mended together their number has to be typed.
	SuspectLayout bool   `json:"suspect_layout,omitempty"`
	Detail        string `json:"detail"`             // a sentence
	Evidence      string `json:"evidence,omitempty"` // what was read, when, and what it does not exclude

	// Relation is the lock with its accounts as they were read last; nil for
	// findings of counters.
	Relation *dynamo.Relation `json:"-"`
}

// MarshalJSON writes the value of every finding about a lock: there are locks that
// keep an empty one.
func (f Finding) MarshalJSON() ([]byte, error) {
	type plain Finding
	said := struct {
		Kind       Kind    `json:"finding"`
		Table      string  `json:"table"`
		TableID    string  `json:"table_id,omitempty"`
		Constraint string  `json:"constraint,omitempty"`
		Value      *string `json:"value,omitempty"`
		plain
	}{f.Kind, f.Table, f.TableID, f.Constraint, f.Kept(), plain(f)}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(said)
	return b.Bytes(), err
}

// Kept is the value that the finding is about, nil where it is about none: of a
// counter or an id.
func (f Finding) Kept() *string {
	if f.Constraint == "" {
		return nil
	}
	return &f.Value
}

// Place is where an item is. Table is empty where that is the accounts'.
type Place struct {
	Table string    `json:"table,omitempty"`
	Key   attr.Item `json:"key"`
}

// Subject is what the finding is about in one word: a value, an id, a counter's
// name.
func (f Finding) Subject() string { return cmp.Or(f.Value, f.ID, f.Counter, f.Attribute) }

// Summary is what a check read and found. Its JSON is a contract, too.
type Summary struct {
	Table   string `json:"table"`
	TableID string `json:"table_id,omitempty"`
	Layout  string `json:"layout"`
	// Items, Accounts and Locks are how many the first pass read. Counts of an
	// application at work are never exact.
	Items    int64 `json:"items"`
	Accounts int64 `json:"accounts"`
	Locks    int64 `json:"locks"`
	// Findings counts what was found; Known what the baseline lists already.
	Findings map[Kind]int `json:"findings"`
	Known    int          `json:"known,omitempty"`
	// Complete: the whole table was read, and everything that was left over was looked
	// into; what would not hold still for that is Unsettled. Confirmed: every finding
	// was made sure of.
	Complete  bool    `json:"complete"`
	Confirmed bool    `json:"confirmed"`
	ReadUnits float64 `json:"read_units"`
	Seconds   float64 `json:"seconds"` // without those in which it was held back
	// Why says what kept the check from being complete.
	Why string `json:"why,omitempty"`
	// Assumptions are what the confirmed findings rest on besides what was read of
	// each.
	Assumptions []string `json:"assumptions,omitempty"`
	// Unsettled is how many values changed while they were looked at, and were not
	// judged: what is broken to stay is found by the next check.
	Unsettled int `json:"unsettled,omitempty"`
	// Reserved is how many locks have no account and may still get one: they are no findings.
	Reserved int `json:"reserved,omitempty"`
	// Marks are locks that a release marked and left: harmless.
	Marks []Mark `json:"marks,omitempty"`
	// MoreMarks is how many are not listed.
	MoreMarks int `json:"more_marks,omitempty"`
	// Notes are what was not looked for, and why, and what people should know.
	Notes []string `json:"notes,omitempty"`
	// Counters are those that were read, with the highest id in use.
	Counters []CounterState `json:"counters,omitempty"`
	// MoreCounters is how many were read and are not listed.
	MoreCounters int `json:"more_counters,omitempty"`
	// Throttled is how often a request was turned away and sent again.
	Throttled int64 `json:"throttled,omitempty"`
	// Quotes are the texts of the table that Notes have in them.
	Quotes []string `json:"-"`
}

// Mark is a lock on which a release left its mark.
type Mark struct {
	Constraint string    `json:"constraint"`
	Value      string    `json:"value"`
	Lock       attr.Item `json:"lock"`
}

// CounterState is a counter and the highest id in use, nil where there is none
// or where ids are is not known.
type CounterState struct {
	Counter   string  `json:"counter"`
	Value     *string `json:"value"`
	HighestID *string `json:"highest_id"`
}

// Found is how many findings there are.
func (s Summary) Found() int {
	n := 0
	for _, count := range s.Findings {
		n += count
	}
	return n
}
