package say

import (
	"slices"
	"strings"

	"tallylock/dynamo"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/schema"
	"tallylock/dynamo/verdict"
)

// Command returns a tallylock command about a value, with the flags of the table's connection. If a
// release repairs the problem, the command is the release. Otherwise it searches for the value. If
// no command is possible, why is the reason.
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

// NoCommand explains why no command can reach the tables of a connection. It is empty if a command
// can.
func NoCommand(c *dynamo.Connection) string { return onlyHere(c, "copies a command") }

// NoPlan explains why a saved plan is useless on a connection. It is empty if plans work.
func NoPlan(c *dynamo.Connection) string { return onlyHere(c, "saves a plan") }

// onlyHere explains that only this program can reach the demo's tables. It is empty for other
// connections.
func onlyHere(c *dynamo.Connection, does string) string {
	if _, _, ok := c.Reach(); !ok {
		return "the demo's tables exist only here; with real tables, this " + does
	}
	return ""
}

// asks returns the command that searches for a value. If the value is unreadable, the command
// searches for the account.
func asks(t *dynamo.Table, r *verdict.Relation) (line, why string) {
	text, readable := r.Constraint.Text(r.Value)
	switch {
	case readable:
		return TableCommand(t, append([]string{"find"}, scopeFlags(r.ScopeTerms())...), text), ""
	case r.Account != nil:
		return TableCommand(t, []string{"find"}, r.Account.Key.Hash.Value.Display()), ""
	}
	return "", "the lock keeps only a digest of its value"
}

// scopeFlags returns the flags for a scope. terms are NAME=VALUE.
func scopeFlags(terms []string) []string {
	var flags []string
	for _, term := range terms {
		flags = append(flags, "--scope", term)
	}
	return flags
}

// released reports whether a release of the lock repairs the problem.
func released(r *verdict.Relation) bool {
	switch r.Verdict {
	case verdict.Orphaned, verdict.Stale, verdict.Malformed:
		return r.Lock.Exists && r.Limited() == "" && !r.Misfit
	}
	return false
}

// FindingCommand returns the command about the value or the counter of a finding, or the reason why there is none.
func FindingCommand(t *dynamo.Table, f finding.Finding) (line, why string) {
	switch why := NoCommand(t.Connection()); {
	case f.Relation != nil:
		return Command(t, f.Relation)
	case why != "":
		return "", why
	case f.Counter != "":
		return TableCommand(t, []string{"counters"}), ""
	case f.Value != "":
		return TableCommand(t, []string{"find"}, f.Value), ""
	}
	return "", "no command for this row alone: `tallylock mend` takes the saved findings"
}

// RemedyCommand returns the command that repairs one finding, or shows more about it. It is empty
// if there is no such command.
func RemedyCommand(t *dynamo.Table, f finding.Finding) string {
	r := relationOf(t, f)
	if r == nil {
		return ""
	}
	line := ""
	switch f.Kind {
	case finding.OrphanedLock, finding.StaleLock:
		do, _ := dynamo.ReleaseRemedy(t, r) // on an error there is no command
		line = Do(do)
	case finding.DuplicateValue, finding.MissingLock, finding.ForeignLock, finding.UnnormalisedLock:
		line, _ = asks(t, r)
	}
	return line
}

// relationOf makes a relation of a finding about a lock. It has only the data of the finding: the lock, and the first
// account.
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

// CommandLine writes a tallylock command to paste into a POSIX shell.
func CommandLine(words []string, values ...string) string {
	if slices.ContainsFunc(values, func(v string) bool { return strings.HasPrefix(v, "-") }) {
		words = append(slices.Clone(words), "--")
	}
	line := "tallylock"
	for _, word := range slices.Concat(words, values) {
		line += " " + phrase.ShellWord(word)
	}
	return line
}

// TableCommand writes a tallylock command with the flags of a table.
func TableCommand(t *dynamo.Table, words []string, values ...string) string {
	return ConnectionCommand(t.Connection(), slices.Concat(words, []string{"--table", t.Name}), values...)
}

// ConnectionCommand writes a tallylock command with the flags of a connection.
func ConnectionCommand(c *dynamo.Connection, words []string, values ...string) string {
	return CommandLine(slices.Concat(words, c.Place()), values...)
}
