package record

import (
	"tallylock/dynamo"
	"tallylock/dynamo/attr"
)

// relation is the JSON of a value with its account and its lock. Its names are a contract,
// and those of `find`.
type relation struct {
	Table       string    `json:"table"` // of the account
	Constraint  string    `json:"constraint"`
	Value       string    `json:"value"`
	Account     *attr.Key `json:"account"`    // null where none was found
	LockTable   string    `json:"lock_table"` // empty where no locks are kept
	Lock        *attr.Key `json:"lock"`       // null where there is none
	Owner       *string   `json:"owner"`      // as the lock names it
	Verdict     string    `json:"verdict"`
	Provisional bool      `json:"provisional"`
}

// Relations are values of a table, with their accounts and locks.
func Relations(table string, all []*dynamo.Relation) List {
	return List{
		Heads: []string{"table", "constraint", "value", "account", "lock_table", "lock", "owner", "verdict", "provisional"},
		Rows:  rowsOf(all, func(r *dynamo.Relation) relation { return relationOf(table, r) }),
	}
}

func relationOf(table string, r *dynamo.Relation) relation {
	out := relation{
		Table: table, Constraint: r.Constraint.Name, Value: r.Value, LockTable: r.Lock.Table,
		Owner:   attr.NullIfEmpty(r.Lock.Owner),
		Verdict: string(r.Verdict), Provisional: r.Provisional,
	}
	if r.Account != nil {
		out.Account = &r.Account.Key
	}
	if r.Lock.Exists {
		out.Lock = &r.Lock.Key
	}
	return out
}
