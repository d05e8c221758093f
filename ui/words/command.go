package words

import (
	"tallylock/dynamo"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/schema"
	"tallylock/dynamo/verdict"
)

// Command is the tallylock command about a value, by the connection that its table was opened
// with: it releases the lock where that is what mends it, else it asks who holds the value.
// Where no command can say the value, why tells.
func Command(t *dynamo.Table, r *verdict.Relation) (line, why string) {
	if why := NoCommand(t.Connection()); why != "" {
		return "", why
	}
	if released(r) {
		do, err := dynamo.ReleaseRemedy(t, r)
		if err != nil {
			return "", Error(err)
		}
		return Do(do), ""
	}
	return asks(t, r)
}

// NoCommand says why no command reaches the tables of a connection; empty where one does.
func NoCommand(c *dynamo.Connection) string { return onlyHere(c, "copies a command") }

// NoPlan says why no saved plan could be applied on a connection; empty where one can.
func NoPlan(c *dynamo.Connection) string { return onlyHere(c, "saves a plan") }

// onlyHere says of the demo that nothing outside reaches its tables; empty for others.
func onlyHere(c *dynamo.Connection, does string) string {
	if _, _, ok := c.Reach(); !ok {
		return "the demo's tables live only in this program; elsewhere this " + does
	}
	return ""
}

// asks is the command that asks who holds a value, or where it cannot be read, what its
// account holds.
func asks(t *dynamo.Table, r *verdict.Relation) (line, why string) {
	text, readable := r.Constraint.Text(r.Value)
	switch {
	case readable:
		return TableCommand(t, append([]string{"find"}, scopeFlags(r.ScopeTerms())...), text), ""
	case r.Account != nil:
		return TableCommand(t, []string{"find"}, r.Account.Key.Hash.Value.Display()), ""
	}
	return "", "the lock keeps a digest, from which its value cannot be read"
}

// scopeFlags are the flags of a scope, which is given as NAME=VALUE.
func scopeFlags(terms []string) []string {
	var flags []string
	for _, term := range terms {
		flags = append(flags, "--scope", term)
	}
	return flags
}

// released reports whether releasing its lock mends a relation.
func released(r *verdict.Relation) bool {
	switch r.Verdict {
	case verdict.Orphaned, verdict.Stale, verdict.Malformed:
		return r.Lock.Exists && r.Limited() == "" && !r.Misfit
	}
	return false
}

// RemedyCommand is the command that puts one finding in order, or tells more of it; empty
// where there is none about it alone.
func RemedyCommand(t *dynamo.Table, f finding.Finding) string {
	r := relationOf(t, f)
	if r == nil {
		return ""
	}
	line := ""
	switch f.Kind {
	case finding.OrphanedLock, finding.StaleLock:
		do, _ := dynamo.ReleaseRemedy(t, r) // no JSON can be made of the key: no command
		line = Do(do)
	case finding.DuplicateValue, finding.MissingLock, finding.ForeignLock, finding.UnnormalisedLock:
		line, _ = asks(t, r)
	}
	return line
}

// relationOf is what a finding of a lock is about, as far as the finding itself says it: the
// lock, and the first account.
func relationOf(t *dynamo.Table, f finding.Finding) *verdict.Relation {
	_, con := t.Layout.Constraint(f.Constraint)
	if con == nil {
		con = t.Layout.UnlockedNamed(f.Constraint)
	}
	if con == nil {
		return nil
	}
	r := &verdict.Relation{Constraint: con, Value: f.Value, Lock: schema.Lock{Table: t.LockTable(con)}}
	r.Lock.Key, _ = t.SchemaOf(r.Lock.Table).KeyOf(f.Lock)
	if len(f.Accounts) > 0 {
		if key, ok := t.Schema.KeyOf(f.Accounts[0]); ok {
			r.Account = &schema.Account{Key: key}
		}
	}
	return r
}
