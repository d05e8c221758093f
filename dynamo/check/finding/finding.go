// Package finding holds what a check of a whole table reports: its findings with their kinds, and the
// summary. It writes them as JSON, reads them again, and compares them with those of an earlier check.
// Start at Finding; a new kind is a row of the table in kind.go.
package finding

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/verdict"
)

// Finding is one thing that is wrong. Its JSON is a contract: names are added and never
// changed. It has everything that is needed to find the items again. Its texts are as the
// table has them, not sanitised.
type Finding struct {
	Kind Kind `json:"finding"`
	// Table is the accounts' table; TableID distinguishes it from an earlier table of that
	// name.
	Table   string `json:"table"`
	TableID string `json:"table_id,omitempty"`
	// Constraint and Value are the lock's. Value is read from the lock's key; for an
	// unnormalised-value it is what the account's lock should keep.
	Constraint string `json:"constraint,omitempty"`
	Value      string `json:"value,omitempty"`
	// Lock is the key of the lock, or of the missing one. For an unnormalised-value it is the
	// key of the wrong lock, which exists.
	Lock attr.Item `json:"lock,omitempty"`
	// LockTable is the lock's table if it is not Table.
	LockTable string `json:"lock_table,omitempty"`
	// Digests: the constraint has locks that keep digests and that no account claims, and accounts
	// without a lock. They may belong together, so neither is mended with others.
	Digests bool `json:"digests,omitempty"`
	// Owner is the account that the lock names, in the lock's spelling; empty if it names
	// none.
	Owner string `json:"owner,omitempty"`
	// Accounts are the keys of the accounts that were found to hold the value; for a
	// stale-lock, of the owner, which holds another value. MoreAccounts is how many accounts
	// of a duplicate-value are not listed for want of memory.
	Accounts     []attr.Item `json:"accounts"`
	MoreAccounts int         `json:"more_accounts,omitempty"`
	// Counter is the counter's name, Key its key, Attribute the attribute with the number and
	// Seen its value. HighestID is the highest id in use.
	Counter   string    `json:"counter,omitempty"`
	Key       attr.Item `json:"key,omitempty"`
	Attribute string    `json:"attribute,omitempty"`
	// Attributes are all attributes that have drifted alike, Attribute first; empty if only one has.
	Attributes []string   `json:"attributes,omitempty"`
	Expected   string     `json:"expected,omitempty"` // for a drifted-key: what Attribute should be
	Seen       attr.Value `json:"seen,omitzero"`
	HighestID  string     `json:"highest_id,omitempty"`
	// Items are the items that have a duplicate id; for a counter that is behind or missing, the
	// item with the highest id.
	Items []Place `json:"items,omitempty"`
	// Confirmed: it was read again, and is no passing state of an application at work.
	Confirmed bool `json:"confirmed"`
	// ID identifies the finding: every check that finds it gives it the same one. For a
	// duplicate-id it is the number that its Items carry.
	ID string `json:"id,omitempty"`
	// Question is the question that the finding waits for; nil if it waits for none.
	Question *Question `json:"question,omitempty"`
	// Layout is the hash of the layout that a finding about a lock was judged by.
	Layout string `json:"layout,omitempty"`
	// SuspectLayout: so many locks of the constraint are orphaned, missing or spelt
	// differently that the layout may be wrong. People must type the number of them before
	// they repair many at once.
	SuspectLayout bool   `json:"suspect_layout,omitempty"`
	Detail        string `json:"detail"`             // a sentence
	Evidence      string `json:"evidence,omitempty"` // what was read, when, and what that does not exclude

	// Relation is the lock with its accounts as they were read last; nil for findings about
	// counters.
	Relation *verdict.Relation `json:"-"`
}

// MarshalJSON writes the value of every finding about a lock, even an empty one, which locks
// may have.
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

// Question is what a person has to decide before a finding can be judged: whether items of a
// shape hold the constraint's values under an attribute, or, with Tables, which other tables
// put locks where the constraint's are.
type Question struct {
	Table      string `json:"table"`
	Constraint string `json:"constraint"`
	Items      string `json:"items"`
	Attribute  string `json:"attribute"`
	Tables     bool   `json:"-"`
}

// MarshalJSON writes "tables" for a question about tables, else its four parts.
func (q Question) MarshalJSON() ([]byte, error) {
	if q.Tables {
		return []byte(`"tables"`), nil
	}
	type plain Question
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(plain(q))
	return b.Bytes(), err
}

// UnmarshalJSON reads what MarshalJSON writes.
func (q *Question) UnmarshalJSON(b []byte) error {
	*q = Question{}
	if string(b) == `"tables"` {
		q.Tables = true
		return nil
	}
	type plain Question
	return json.Unmarshal(b, (*plain)(q))
}

// Kept returns the value that the finding is about, nil for a counter or an id.
func (f Finding) Kept() *string {
	if f.Constraint == "" {
		return nil
	}
	return &f.Value
}

// Place is an item's table and key. Table is empty for the accounts' table.
type Place struct {
	Table string    `json:"table,omitempty"`
	Key   attr.Item `json:"key"`
}

// Subject returns the one word that the finding is about: a value, an id, or the name of a
// counter or an attribute.
func (f Finding) Subject() string { return cmp.Or(f.Value, f.Number(), f.Counter, f.Attribute) }

// Number returns the number that several items carry, empty unless it is a duplicate-id.
func (f Finding) Number() string {
	if f.Kind == DuplicateID {
		return f.ID
	}
	return ""
}

// Rests splits the evidence into what was read and what that does not exclude.
func (f Finding) Rests() (read, notExcluded string) {
	read, notExcluded, _ = strings.Cut(f.Evidence, NotExcluded)
	return read, notExcluded
}

// NotExcluded separates the two parts of Evidence.
const NotExcluded = " Not excluded: "

// Same returns a text that is equal for two findings of the same thing. A duplicate with one
// more account is another thing, unless not all accounts are listed.
func (f Finding) Same() string {
	said := []any{f.Kind, f.Table, f.Constraint, f.Value, f.LockTable, f.Lock, f.Counter, f.Number()}
	switch f.Kind.info().same {
	case sameAccounts:
		said = []any{f.Kind, f.Table, sortedTexts(f.Accounts)}
	case sameKey:
		said = []any{f.Kind, f.Table, f.Attribute, sortedTexts(f.Accounts)}
	case sameHolders:
		if f.MoreAccounts == 0 {
			said = append(said, sortedTexts(f.Accounts))
		}
	case sameItems:
		said = append(said, sortedTexts(f.Items))
	case sameSubject:
	}
	text, err := json.Marshal(said)
	if err != nil {
		return string(f.Kind) + err.Error()
	}
	return string(text)
}

// Hash returns a short hash of Same: the ID of most findings.
func (f Finding) Hash() string { return shortHash(f.Same()) }

// LockID identifies a lock of a table, whether it exists or not: it stays the same when the verdict
// changes. accounts is the table of the accounts.
func LockID(accounts string, r *verdict.Relation) string {
	said, _ := json.Marshal([]any{accounts, r.Constraint.Name, r.Value, r.Lock.Table, r.Lock.Key}) // no key fails
	return shortHash(string(said))
}

func shortHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// sortedTexts returns the JSON of keys, sorted.
func sortedTexts[K any](keys []K) []string {
	var texts []string
	for _, k := range keys {
		text, _ := json.Marshal(k) // no key fails
		texts = append(texts, string(text))
	}
	slices.Sort(texts)
	return texts
}
