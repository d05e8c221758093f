// Package finding has the findings of a check, their kinds, and the summary. It writes findings as JSON,
// reads them, and compares them with the findings of an earlier check. Start at Finding. To add a kind,
// add a row to the table in kind.go.
package finding

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/verdict"
)

// Finding is one problem in a table. Its JSON is a contract: names may be added, but never changed. It
// has all that a reader needs to find the items again. Its texts come from the table and may contain
// control characters.
type Finding struct {
	Kind Kind `json:"finding"`
	// Table is the name of the accounts' table. TableID distinguishes that table from an earlier table with the same
	// name.
	Table   string `json:"table"`
	TableID string `json:"table_id,omitempty"`
	// Constraint and Value describe the lock: Value is the value in its key. For an unnormalised-value, Value is the
	// value of the missing lock.
	Constraint string `json:"constraint,omitempty"`
	Value      string `json:"value,omitempty"`
	// Lock is the key of the lock, which may be missing. For an unnormalised-value, it is the key of the existing lock
	// in another spelling.
	Lock attr.Item `json:"lock,omitempty"`
	// LockTable is the name of the lock's table. It is empty if the lock is in Table.
	LockTable string `json:"lock_table,omitempty"`
	// Digests: the constraint has unclaimed locks with digests, and also accounts without locks. A digest hides the
	// value, so one of these locks may be the lock of one of these accounts. A change that mends many findings leaves
	// such a finding out if the finding is not confirmed.
	Digests bool `json:"digests,omitempty"`
	// Owner is the account that the lock names, as the lock spells it. It is empty if the lock names no account.
	Owner string `json:"owner,omitempty"`
	// Accounts are the keys of the accounts that hold the value. For a stale-lock, Accounts has the owner, which holds
	// another value. MoreAccounts counts the accounts of a duplicate-value that did not fit in memory.
	Accounts     []attr.Item `json:"accounts"`
	MoreAccounts int         `json:"more_accounts,omitempty"`
	// Counter is the counter's name, and Key is its key. Attribute is the attribute with the counter's number, and Seen
	// is the value of this attribute. HighestID is the highest id in use. For a drifted-key, Attribute is the attribute
	// with the wrong key.
	Counter   string    `json:"counter,omitempty"`
	Key       attr.Item `json:"key,omitempty"`
	Attribute string    `json:"attribute,omitempty"`
	// Attributes are all attributes with the same wrong key, Attribute first. It is empty if only one attribute has the
	// key.
	Attributes []string   `json:"attributes,omitempty"`
	Expected   string     `json:"expected,omitempty"` // for a drifted-key: the value that Attribute should have
	Seen       attr.Value `json:"seen,omitzero"`
	HighestID  string     `json:"highest_id,omitempty"`
	// Items are the items with a duplicate id. For a counter-behind or counter-missing, Items has the item with the
	// highest id.
	// MoreItems counts the further items with a duplicate id.
	Items     []Place `json:"items,omitempty"`
	MoreItems int     `json:"more_items,omitempty"`
	// Confirmed: a second reading showed the problem, too. So the problem is not just a write in
	// progress.
	Confirmed bool `json:"confirmed"`
	// AlsoPossible lists other kinds that the finding may have. Only a check of increments has such findings, since it
	// does not read the items that did not change.
	AlsoPossible []Kind `json:"also_possible,omitempty"`
	// ID identifies the finding. Every check gives the same problem the same ID. For a duplicate-id, ID is the
	// duplicate id itself.
	ID string `json:"id,omitempty"`
	// Question is the question that a person must answer before the finding can be judged, or nil.
	Question *Question `json:"question,omitempty"`
	// Layout is the hash of the constraint, counter or derived key by which the check judged the finding. It is empty if
	// the counter or the derived key is only guessed.
	Layout string `json:"layout,omitempty"`
	// SuspectLayout: very many findings are about the same constraint or the same derived key, so the layout may be
	// wrong. People must then type the number of findings before they repair many at once.
	SuspectLayout bool   `json:"suspect_layout,omitempty"`
	Detail        string `json:"detail"`             // the problem in words
	Evidence      string `json:"evidence,omitempty"` // the readings, and the changes that they cannot exclude

	// Relation has the lock and its accounts, as the last reading found them. It is nil for findings that do not
	// compare locks with accounts, such as those about counters.
	Relation *verdict.Relation `json:"-"`
}

// MarshalJSON always writes the value of a finding about a constraint, since the value in a lock may be empty.
func (f Finding) MarshalJSON() ([]byte, error) {
	type plain Finding
	return attr.JSON(struct {
		Kind       Kind    `json:"finding"`
		Table      string  `json:"table"`
		TableID    string  `json:"table_id,omitempty"`
		Constraint string  `json:"constraint,omitempty"`
		Value      *string `json:"value,omitempty"`
		plain
	}{f.Kind, f.Table, f.TableID, f.Constraint, f.KeptValue(), plain(f)})
}

// Question asks whether the items of one shape hold values of the constraint in an attribute. If Tables is true, it
// asks for the other tables that put locks into the lock's table. The finding can be judged only after a person has
// answered.
type Question struct {
	Table      string `json:"table"`
	Constraint string `json:"constraint"`
	Items      string `json:"items"`
	Attribute  string `json:"attribute"`
	Tables     bool   `json:"-"`
}

// MarshalJSON writes "tables" for a question about tables. For any other question it writes an object.
func (q Question) MarshalJSON() ([]byte, error) {
	if q.Tables {
		return []byte(`"tables"`), nil
	}
	type plain Question
	return attr.JSON(plain(q))
}

// UnmarshalJSON reads the JSON that MarshalJSON writes.
func (q *Question) UnmarshalJSON(b []byte) error {
	*q = Question{}
	if string(b) == `"tables"` {
		q.Tables = true
		return nil
	}
	type plain Question
	return json.Unmarshal(b, (*plain)(q))
}

// KeptValue returns the value of a finding about a constraint. It returns nil for any other finding.
func (f Finding) KeptValue() *string {
	if f.Constraint == "" {
		return nil
	}
	return &f.Value
}

// Place is the table and key of an item. Table is empty for the accounts' table.
type Place struct {
	Table string    `json:"table,omitempty"`
	Key   attr.Item `json:"key"`
}

// Subject returns the subject of the finding: a value, an id, a counter or an attribute.
func (f Finding) Subject() string { return cmp.Or(f.Value, f.Number(), f.Counter, f.Attribute) }

// Number returns the number of a duplicate-id. It is empty for any other kind.
func (f Finding) Number() string {
	if f.Kind == DuplicateID {
		return f.ID
	}
	return ""
}

// SplitEvidence splits Evidence into its two parts: the readings, and the changes that they cannot exclude.
func (f Finding) SplitEvidence() (read, notExcluded string) {
	read, notExcluded, _ = strings.Cut(f.Evidence, NotExcluded)
	return read, notExcluded
}

// NotExcluded is the text between the two parts of Evidence.
const NotExcluded = " Not excluded: "

// Same returns a text that identifies the problem: two findings of the same problem have the same text. A duplicate
// with one more account is another problem. But if the finding does not list all accounts or items, their number does
// not matter.
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
		if f.MoreItems == 0 {
			said = append(said, sortedTexts(f.Items))
		}
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

// LockID returns an id of a value's lock. The lock may be missing, and the id does not depend on the
// verdict. accounts is the name of the accounts' table.
func LockID(accounts string, r *verdict.Relation) string {
	said, _ := json.Marshal([]any{accounts, r.Constraint.Name, r.Value, r.Lock.Table, r.Lock.Key}) // it cannot fail
	return shortHash(string(said))
}

func shortHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// sortedTexts returns the keys as JSON texts, sorted, so that the order of the keys does not matter.
func sortedTexts[K any](keys []K) []string {
	var texts []string
	for _, k := range keys {
		text, _ := json.Marshal(k) // it cannot fail
		texts = append(texts, string(text))
	}
	slices.Sort(texts)
	return texts
}
