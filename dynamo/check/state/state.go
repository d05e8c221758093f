// Package state has the state that a check leaves for the checks of later increments, and its file. The state
// has the sums of the join: each lock key whose locks and claims do not cancel out, with everything that is
// known about the locks and accounts of this key. All other keys of the table have the sum zero, so the size
// of the state depends on the number of open keys, and not on the size of the table.
//
// A sketch has the same sums, hashed by a seed of one process. The state has them decoded, with the keys
// themselves. So a later check can use another seed and another size of the sketch. Start at State.
package state

import (
	"errors"
	"fmt"
	"iter"
	"time"

	"tallylock/dynamo/attr"
)

// State has the known facts about a table at one moment, At.
type State struct {
	// Table is the name of the accounts' table. Layout is the hash of its layout.
	Table  string `json:"table"`
	Layout string `json:"layout"`
	// Base is the time of the full export. At is the end of the last window, or Base if there was none.
	// Windows counts the windows since Base.
	Base    time.Time `json:"base"`
	At      time.Time `json:"at"`
	Windows int       `json:"windows"`
	// Tables are the tables of the layout, the accounts' table first.
	Tables []Table `json:"tables"`
	Rules  []Rule  `json:"rules"`
	// Items and Accounts count the items and accounts of all tables at the moment At.
	Items    int64 `json:"items"`
	Accounts int64 `json:"accounts"`
	// Marks are locks with a leftover release mark. MoreMarks counts the marked locks that Marks leaves out.
	Marks     []Mark `json:"marks,omitempty"`
	MoreMarks int64  `json:"more_marks,omitempty"`
	// Keys are the open keys. The file has them on lines of their own.
	Keys Keys `json:"-"`
}

// Keys are the open keys of a state. There may be very many, and a Key is large. So All makes each Key only when it
// yields the Key.
type Keys interface {
	Len() int
	All() iter.Seq[*Key]
}

// Listed are open keys in memory.
type Listed []Key

// Len returns the number of keys.
func (l Listed) Len() int { return len(l) }

// All yields all keys in order.
func (l Listed) All() iter.Seq[*Key] {
	return func(yield func(*Key) bool) {
		for n := range l {
			if !yield(&l[n]) {
				return
			}
		}
	}
}

// Table is a table of the layout. Two tables of the same name have different IDs.
type Table struct {
	Name   string      `json:"name"`
	ID     string      `json:"id"`
	Schema attr.Schema `json:"schema"`
}

// Rule is a constraint, with the counts of its locks and claims.
type Rule struct {
	Constraint string `json:"constraint"`
	// Owned: the join compares the owners of the locks, too.
	Owned bool `json:"owned,omitempty"`
	// Guessed: the layout only guessed the constraint, so the join did not compare its locks.
	Guessed bool `json:"guessed,omitempty"`
	// Locks counts the locks, and Named the locks that name an owner. Claims counts the claims of accounts, and
	// Unfolded the claims of values that folding changes.
	Locks    int64 `json:"locks"`
	Named    int64 `json:"named"`
	Claims   int64 `json:"claims"`
	Unfolded int64 `json:"unfolded"`
	// Impossible counts the values of accounts for which no lock can be made.
	Impossible int64 `json:"impossible,omitempty"`
}

// Mark is a lock with a leftover release mark.
type Mark struct {
	Table      string    `json:"table"`
	Lock       attr.Item `json:"lock"`
	Constraint string    `json:"constraint"`
	Value      Text      `json:"value"`
}

// Key is an open key: the claims and the locks with this key do not cancel out.
type Key struct {
	// Table and Lock are the table and the key of the lock, in the constraint's first form.
	Table      string    `json:"table"`
	Lock       attr.Item `json:"lock"`
	Constraint string    `json:"constraint"`
	Value      Text      `json:"value"`
	// Sums has the claims minus the locks, by owner. Each Sum is not zero, and each owner occurs once.
	Sums []Sum `json:"sums"`
	// Locks are the items with this key that were read. An item that was not read may exist or not.
	Locks []Lock `json:"locks,omitempty"`
	// Accounts are the accounts that are known to claim the key. There may be more.
	Accounts []Account `json:"accounts,omitempty"`
	// Former are the owners that earlier locks named.
	Former []Text `json:"former,omitempty"`
	// Owners are accounts that a lock may name, as far as they were read. If Whole is set, these are all existing
	// accounts in the partition OwnersOf.
	Owners   []Owner `json:"owners,omitempty"`
	OwnersOf Text    `json:"owners_of,omitempty"`
	Whole    bool    `json:"whole,omitempty"`
}

// Sum is the number of claims minus the number of locks. Owner is the partition key of the account. It is empty if
// the join does not compare owners, or if a lock names no owner.
type Sum struct {
	Owner Text  `json:"owner,omitempty"`
	Count int64 `json:"count"`
}

// Lock is a lock item, or the key of an item that is known to be absent or no lock.
type Lock struct {
	Key        attr.Item  `json:"key"`
	Exists     bool       `json:"exists,omitempty"`
	Constraint string     `json:"constraint,omitempty"`
	Value      Text       `json:"value,omitempty"`
	Owner      Text       `json:"owner,omitempty"`
	Mark       Text       `json:"mark,omitempty"`
	Since      attr.Value `json:"since,omitzero"`
	Malformed  bool       `json:"malformed,omitempty"`
}

// Account is an account that claims a key by a constraint.
type Account struct {
	Key        attr.Item `json:"key"`
	Constraint string    `json:"constraint"`
}

// Owner is an account that a lock may name, with the attributes that the layout needs. If Exists is not set, Item is
// only the key of a deleted account.
type Owner struct {
	Item   attr.Item `json:"item"`
	Exists bool      `json:"exists,omitempty"`
}

// Text is a text that may have any bytes. Its JSON is base 64.
type Text string

// MarshalJSON writes the text in base 64.
func (t Text) MarshalJSON() ([]byte, error) { return attr.JSON([]byte(t)) }

// UnmarshalJSON reads the JSON that MarshalJSON writes.
func (t *Text) UnmarshalJSON(data []byte) error {
	var b []byte
	err := attr.Strict(data, &b)
	*t = Text(b)
	return err
}

// MostSum limits the claims and locks of all open keys, because a check adds them one by one.
const MostSum = 1 << 26

// verify returns an error if the state contradicts itself.
func (s *State) verify() error {
	switch {
	case s.Table == "" || s.Layout == "" || len(s.Tables) == 0 || s.Tables[0].Name != s.Table:
		return errors.New("it has no table or no layout")
	case s.Base.IsZero() || s.At.Before(s.Base) || s.Windows < 0 || (s.Windows == 0) != s.At.Equal(s.Base):
		return errors.New("its times contradict each other")
	case s.Items < 0 || s.Accounts < 0 || s.MoreMarks < 0:
		return errors.New("it has a negative count")
	}
	for _, t := range s.Tables {
		if t.Name == "" || t.ID == "" || t.Schema.HashName == "" {
			return errors.New("a table has no name, no id or no key")
		}
	}
	for _, r := range s.Rules {
		if r.Constraint == "" || min(r.Locks, r.Named, r.Claims, r.Unfolded, r.Impossible) < 0 {
			return errors.New("a constraint has no name, or a negative count")
		}
	}
	for _, m := range s.Marks {
		schema, ok := s.schemaOf(m.Table)
		if !ok || !s.rule(m.Constraint) || !isKey(schema, m.Lock) {
			return errors.New("a marked lock has an unknown table or constraint, or no key")
		}
	}
	return nil
}

// schemaOf returns the key schema of a table of the state.
func (s *State) schemaOf(table string) (attr.Schema, bool) {
	for _, t := range s.Tables {
		if t.Name == table {
			return t.Schema, true
		}
	}
	return attr.Schema{}, false
}

// Names returns the names of the state's tables.
func (s *State) Names() (names []string) {
	for _, t := range s.Tables {
		names = append(names, t.Name)
	}
	return names
}

// rule reports whether the state has a constraint with this name.
func (s *State) rule(constraint string) bool {
	for _, r := range s.Rules {
		if r.Constraint == constraint {
			return true
		}
	}
	return false
}

// verifyKey returns an error if a key does not fit the state. sum is the sum of all counts so far.
func (s *State) verifyKey(k *Key, sum *int64) error {
	schema, ok := s.schemaOf(k.Table)
	switch {
	case !ok || !s.rule(k.Constraint) || !isKey(schema, k.Lock):
		return errors.New("it has an unknown table or constraint, or no key")
	case len(k.Sums) == 0:
		return errors.New("it has no sum")
	}
	owners := map[Text]bool{}
	for _, one := range k.Sums {
		if one.Count == 0 || one.Count > MostSum || one.Count < -MostSum || owners[one.Owner] {
			return errors.New("a sum is zero, too large or duplicate")
		}
		owners[one.Owner] = true
		*sum += max(one.Count, -one.Count)
	}
	if *sum > MostSum {
		return fmt.Errorf("the sums of all keys exceed %d", MostSum)
	}
	for _, l := range k.Locks {
		if !isKey(schema, l.Key) || l.Exists && !s.rule(l.Constraint) {
			return errors.New("a lock has an unknown constraint, or its key is missing")
		}
	}
	accounts := s.Tables[0].Schema
	for _, a := range k.Accounts {
		if !isKey(accounts, a.Key) || !s.rule(a.Constraint) {
			return errors.New("an account has an unknown constraint, or its key is missing")
		}
	}
	for _, o := range k.Owners {
		if _, ok := accounts.KeyOf(o.Item); !ok {
			return errors.New("an owner has no key")
		}
	}
	return nil
}

// isKey reports whether an item is a key of the table, and nothing more.
func isKey(s attr.Schema, item attr.Item) bool {
	key, ok := s.KeyOf(item)
	return ok && len(item) == len(key.Item())
}
