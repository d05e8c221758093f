package screen

import (
	"cmp"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/verdict"
	"tallylock/ui/say"
	"tallylock/ui/session"
)

// ValueRow is the selected value of a screen, with its lock and its account.
type ValueRow struct {
	*verdict.Relation        // nil if no value is selected
	None              string // why no value is selected, or what to do about that; empty: "nothing is selected"
	OfLock            bool   // the row stands for the lock, if it exists; otherwise it stands for the account
}

// Why returns a function for Command.Why. The function calls not with the selected value, and returns its result. If no
// value is selected, the function returns the reason why.
func (v ValueRow) Why(not func(*verdict.Relation) string) func() string {
	return func() string {
		if v.Relation == nil {
			return cmp.Or(v.None, "nothing is selected")
		}
		return not(v.Relation)
	}
}

// WhyItem returns the reason why the row has no item to open or copy; empty if it has one.
func (v ValueRow) WhyItem() string {
	return v.Why(func(r *verdict.Relation) string {
		if r.Account == nil && !r.Lock.Exists {
			return say.NoItem
		}
		return ""
	})()
}

// showsLock reports whether the row stands for its lock.
func (v ValueRow) showsLock() bool { return v.Account == nil || v.OfLock && v.Lock.Exists }

// Item returns the item that the row stands for, as a target. t is the table of the accounts.
func (v ValueRow) Item(t *dynamo.Table) Item {
	if v.showsLock() {
		return Item{Owner: t, Table: v.Lock.Table, Key: v.Lock.Key}
	}
	return Item{Owner: t, Table: t.Name, Key: v.Account.Key}
}

// Copied returns the texts that a person can copy from the row. The row must be of the open table.
func (v ValueRow) Copied(s *session.Session) Selected {
	why := v.WhyItem()
	if v.Relation == nil {
		return Selected{None: why}
	}
	out := Selected{
		None:    why,
		Cell:    Form{Hint: "copy", Words: "the value", Text: Plain(v.Value)},
		Command: func() (string, string) { return say.Command(s.Table, v.Relation) },
	}
	switch {
	case why != "":
		return out
	case v.showsLock():
		out.Whole, out.Of = JSON("the lock", v.Lock.Item), "the lock's key"
		out.Key = func() (attr.Key, string) { return v.Lock.Key, "" }
	default:
		out.Whole, out.Of = JSON("the account", v.Account.Item), "the account's key"
		out.Key = func() (attr.Key, string) { return v.Account.Key, "" }
	}
	return out
}
