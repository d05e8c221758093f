package record

import (
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/find"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/verdict"
)

// Answer is the JSON of the answer for one value. Its names are a contract.
type Answer struct {
	Query     string    `json:"query"`
	Table     string    `json:"table"`
	Complete  bool      `json:"complete"`
	ReadUnits float64   `json:"read_units"`
	Locks     []Lock    `json:"locks"`
	Unlocked  []Use     `json:"unlocked,omitempty"`
	Accounts  []Account `json:"accounts"`
	// LayoutState is guessed, accepted or described.
	LayoutState layout.State `json:"layout_state"`
	// Note is the difference between the answer and the question: "found as evelyn".
	Note string `json:"note,omitempty"`
}

// Lock is the JSON of a lock in an answer.
type Lock struct {
	// ID identifies the lock. Every search gives the same lock the same ID.
	ID         string   `json:"id"`
	Constraint string   `json:"constraint"`
	Value      string   `json:"value"`
	Key        attr.Key `json:"key"`
	Exists     bool     `json:"exists"`
	// FurtherLocks are the keys of further locks of the value, in other forms of the key.
	FurtherLocks []attr.Key `json:"further_locks,omitempty"`
	Verdict      string     `json:"verdict"`
	Provisional  bool       `json:"provisional"`
	Owner        *string    `json:"owner"`
	Claimants    []attr.Key `json:"claimants"`
	// MoreClaimants counts the accounts that hold the value and are not in Claimants.
	MoreClaimants int `json:"more_claimants,omitempty"`
	// ReservedUntil is the time until which the lock's account may still be written.
	ReservedUntil *time.Time `json:"reserved_until,omitempty"`
	// Attributes are the attributes of an existing lock besides its key.
	Attributes attr.Item `json:"attributes,omitzero"`
	// Since is the earliest time in the lock's attributes that is not in the future.
	Since    *time.Time `json:"since,omitempty"`
	Evidence string     `json:"evidence"`
}

// Use is the JSON of a value of a constraint without locks.
type Use struct {
	Constraint  string     `json:"constraint"`
	Value       string     `json:"value"`
	Verdict     string     `json:"verdict"`
	Provisional bool       `json:"provisional"`
	Accounts    []attr.Key `json:"accounts"`
	// MoreAccounts counts the accounts that hold the value and are not in Accounts.
	MoreAccounts int    `json:"more_accounts,omitempty"`
	Evidence     string `json:"evidence"`
}

// Account is the JSON of an account in an answer, with its values.
type Account struct {
	Key    attr.Key       `json:"key"`
	Values []AccountValue `json:"values"`
}

// AccountValue is the JSON of an account's value.
type AccountValue struct {
	Constraint string `json:"constraint"`
	Value      string `json:"value"`
	Verdict    string `json:"verdict"`
}

// AnswerOf returns the JSON of an answer. evidence describes the evidence for a lock, and sentence makes a sentence of
// a reason.
func AnswerOf(
	t *dynamo.Table, a *find.Answer, evidence func(*find.Answer, *verdict.Relation) string, sentence func(string) string,
) Answer {
	out := Answer{
		LayoutState: t.Layout.State(),

		Query:     a.Query,
		Table:     a.Table,
		Complete:  a.Complete,
		ReadUnits: a.ReadUnits,
		Locks:     []Lock{},
		Accounts:  []Account{},
		Note:      a.Note(),
	}
	for _, r := range a.Locks {
		out.Locks = append(out.Locks, lockOf(t, r, evidence(a, r)))
	}
	for _, u := range a.Unlocked {
		use := Use{
			Constraint:  u.Constraint.Name,
			Value:       u.Value,
			Verdict:     string(u.Verdict),
			Provisional: u.Provisional,
			Accounts:    []attr.Key{}, MoreAccounts: u.MoreClaimants,
			Evidence: u.Sentence(),
		}
		if u.Why != "" {
			use.Evidence += " " + sentence(u.Why)
		}
		for _, account := range u.Claimants {
			use.Accounts = append(use.Accounts, account.Key)
		}
		out.Unlocked = append(out.Unlocked, use)
	}
	for _, h := range a.Accounts {
		account := Account{Key: h.Key, Values: []AccountValue{}}
		for _, v := range h.Values {
			account.Values = append(account.Values, AccountValue{v.Constraint.Name, v.Value, v.Verdict.OfValue()})
		}
		out.Accounts = append(out.Accounts, account)
	}
	return out
}

func lockOf(t *dynamo.Table, r *verdict.Relation, evidence string) Lock {
	lock := Lock{
		ID:         finding.LockID(t.Name, r),
		Constraint: r.Constraint.Name, Value: r.Value, Key: r.Lock.Key, Exists: r.Lock.Exists, FurtherLocks: r.Lock.Further,
		Verdict: string(r.Verdict), Provisional: r.Provisional, Claimants: []attr.Key{}, MoreClaimants: r.MoreClaimants,
		Evidence: evidence,
	}
	if r.Lock.Owner != "" {
		lock.Owner = &r.Lock.Owner
	}
	if !r.Until.IsZero() {
		lock.ReservedUntil = &r.Until
	}
	if r.Lock.Exists {
		lock.Attributes = r.Lock.Attributes()
	}
	if since := r.Lock.Written(time.Now()).UTC(); !since.IsZero() {
		lock.Since = &since
	}
	for _, c := range r.Claimants {
		lock.Claimants = append(lock.Claimants, c.Key)
	}
	return lock
}
