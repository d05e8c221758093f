// Package finding holds the findings of a check of a whole table, their kinds, and the summary. It writes
// findings as JSON, reads them again, and compares them with the findings of an earlier check. Start at
// Finding. A new kind is a row of the table in kind.go.
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

// Finding is one problem in a table. Its JSON is a contract: names are added and never
// changed. It has everything that is needed to find the items again. Its texts are the
// table's texts, not sanitised.
type Finding struct {
	Kind Kind `json:"finding"`
	// Table is the accounts' table; TableID distinguishes it from an earlier table of that
	// name.
	Table   string `json:"table"`
	TableID string `json:"table_id,omitempty"`
	// Constraint and Value are the lock's. Value is read from the lock's key. For an
	// unnormalised-value it is the value that the account's lock should keep.
	Constraint string `json:"constraint,omitempty"`
	Value      string `json:"value,omitempty"`
	// Lock is the key of the lock, even if the lock is missing. For an unnormalised-value it is
	// the key of the wrong lock, which exists.
	Lock attr.Item `json:"lock,omitempty"`
	// LockTable is the lock's table if it is not Table.
	LockTable string `json:"lock_table,omitempty"`
	// Digests is set if the constraint has both unclaimed locks that keep digests and accounts
	// without a lock. They may belong together, so none of them is repaired together with others.
	Digests bool `json:"digests,omitempty"`
	// Owner is the account that the lock names, in the lock's spelling; empty if it names
	// none.
	Owner string `json:"owner,omitempty"`
	// Accounts are the keys of the accounts that hold the value. For a stale-lock it is the key
	// of the owner, which holds another value. MoreAccounts counts the accounts of a
	// duplicate-value that are not listed for want of memory.
	Accounts     []attr.Item `json:"accounts"`
	MoreAccounts int         `json:"more_accounts,omitempty"`
	// Counter is the counter's name, Key its key, Attribute the attribute with its number, and
	// Seen the value of that attribute. HighestID is the highest id in use. For a drifted-key,
	// Attribute is the attribute that drifted.
	Counter   string    `json:"counter,omitempty"`
	Key       attr.Item `json:"key,omitempty"`
	Attribute string    `json:"attribute,omitempty"`
	// Attributes are all attributes that have drifted alike, Attribute first. It is empty if only
	// one attribute has drifted.
	Attributes []string   `json:"attributes,omitempty"`
	Expected   string     `json:"expected,omitempty"` // the value that Attribute should have, for a drifted-key
	Seen       attr.Value `json:"seen,omitzero"`
	HighestID  string     `json:"highest_id,omitempty"`
	// Items are the items that have a duplicate id; for a counter that is behind or missing, the
	// item with the highest id.
	Items []Place `json:"items,omitempty"`
	// Confirmed is set if another reading has shown the problem, too: it is no passing state of an
	// application at work.
	Confirmed bool `json:"confirmed"`
	// ID identifies the finding: every check gives the same finding the same ID. For a
	// duplicate-id it is the number that its Items carry.
	ID string `json:"id,omitempty"`
	// Question is the question that the finding waits for, or nil.
	Question *Question `json:"question,omitempty"`
	// Layout is the hash of the layout by which a finding about a lock was judged.
	Layout string `json:"layout,omitempty"`
	// SuspectLayout is set if so many locks of the constraint are orphaned, missing or spelt
	// differently, or so many keys have drifted, that the layout may be wrong. People must type
	// the number of findings before they repair many at once.
	SuspectLayout bool   `json:"suspect_layout,omitempty"`
	Detail        string `json:"detail"`             // a sentence
	Evidence      string `json:"evidence,omitempty"` // the readings, and the changes that they do not exclude

	// Relation is the lock with its accounts as they were read last. It is nil for findings that
	// do not come from the join of locks with accounts, such as those about counters.
	Relation *verdict.Relation `json:"-"`
}

// MarshalJSON writes the value of every finding about a constraint, even an empty value, since
// locks may have one.
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

// Question is a question that a person has to answer before a finding can be judged. It asks
// whether items of a shape hold the constraint's values under an attribute. With Tables, it
// asks which other tables put locks in the place of the constraint's locks.
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

// UnmarshalJSON reads the output of MarshalJSON.
func (q *Question) UnmarshalJSON(b []byte) error {
	*q = Question{}
	if string(b) == `"tables"` {
		q.Tables = true
		return nil
	}
	type plain Question
	return json.Unmarshal(b, (*plain)(q))
}

// Kept returns the value that the finding is about, or nil for a finding without a constraint.
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

// Number returns the number that several items carry. It is empty unless f is a duplicate-id.
func (f Finding) Number() string {
	if f.Kind == DuplicateID {
		return f.ID
	}
	return ""
}

// Rests splits Evidence into the readings and the changes that they do not exclude.
func (f Finding) Rests() (read, notExcluded string) {
	read, notExcluded, _ = strings.Cut(f.Evidence, NotExcluded)
	return read, notExcluded
}

// NotExcluded separates the two parts of Evidence.
const NotExcluded = " Not excluded: "

// Same returns a text that is equal for two findings of the same problem. A duplicate with one
// more account is another problem, unless not all accounts are listed.
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

// LockID returns an id of a lock of a table, whether the lock exists or not. The id stays the same when
// the verdict changes. accounts is the table of the accounts.
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
