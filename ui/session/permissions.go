package session

import (
	"cmp"
	"slices"

	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/mend"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/client"
	"tallylock/dynamo/counter"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/verdict"
	"tallylock/keymap"
	"tallylock/ui/say"
)

// WhyDenied names a denied permission that these actions need on a table. It is empty if none is
// known to be denied.
func (s *Session) WhyDenied(c Connection, table string, verbs ...client.Verb) string {
	for _, v := range verbs {
		if s.Denied[Denial{c.Name(), table, Needs(v)}] {
			return "the permission dynamodb:" + Needs(v) + " is denied here"
		}
	}
	return ""
}

// WhyPlan says why no change with these actions can be planned for a table of the open connection.
// A read-only connection can plan changes: the plan is saved for somebody who may write.
func (s *Session) WhyPlan(table string, verbs ...client.Verb) string {
	if s.Table != nil && s.Table.DescriptionOf(table).Name != "" {
		if why := s.Table.Regions().Refuses(verbs...); why != "" {
			return why
		}
	}
	return s.whyPlanOn(s.Connection(), table, verbs...)
}

func (s *Session) whyPlanOn(c Connection, table string, verbs ...client.Verb) string {
	switch {
	case s.Offline != nil && s.Offline.LoggedOut():
		return "the credentials have expired"
	case s.Offline != nil:
		return "the endpoint cannot be reached"
	case c.Write() && c.NoJournal != nil:
		return c.WhyReadOnly()
	case c.GuardOf(table) == client.GuardDeny:
		return "the config has guard = \"deny\" for " + table + ", which no flag lifts"
	}
	return s.WhyDenied(c, table, verbs...)
}

// WhyWriteOn says why these actions cannot write to a table of a connection.
func (s *Session) WhyWriteOn(c Connection, table string, verbs ...client.Verb) string {
	if why := c.WhyReadOnly(); why != "" && s.Offline == nil {
		return why
	}
	return s.whyPlanOn(c, table, verbs...)
}

// WhyRelease says why a lock cannot be released from here.
func (s *Session) WhyRelease(r *verdict.Relation) string {
	switch {
	case r.Constraint.Lockless():
		return say.NoLocks(r) + ": there is nothing to release"
	case r.Unjudged:
		return say.NotJudged(r)
	case !r.Lock.Exists:
		return "there is no lock to release"
	case r.Verdict == verdict.Held, r.Verdict == verdict.Duplicate, r.Verdict == verdict.Foreign:
		return "not released: " + say.WhoHolds(r) + " \"" + r.Value + "\""
	}
	return s.WhyPlan(r.Lock.Table, mend.ReleaseVerbs(r.Lock.Owner)...)
}

// WhyMend says why a relation cannot be mended from here; empty if it can.
func (s *Session) WhyMend(r *verdict.Relation) string {
	if r.Unjudged {
		return say.NotJudged(r)
	}
	if s.Table != nil && s.Table.Answers.AskOf(r) != nil {
		return "" // Mend asks a question here, and writes nothing.
	}
	verbs, err := mend.Repairs(r)
	switch {
	case err != nil:
		return say.Error(err)
	case r.Spelt == nil && (r.Verdict == verdict.Orphaned || r.Verdict == verdict.Stale):
		return s.WhyRelease(r)
	}
	return s.WhyPlan(r.Lock.Table, verbs...)
}

// MendWord is the label of the mend key for a relation.
func (s *Session) MendWord(r *verdict.Relation) string {
	if s.Table != nil && r != nil && s.Table.Answers.AskOf(r) != nil {
		return "answer"
	}
	return "mend"
}

// WhyBump says why a counter cannot be set from here.
func (s *Session) WhyBump(c counter.Counter) string {
	switch {
	case !c.Exists && c.Layout.KeyIsValue(c.Open().Schema):
		return "the counter does not exist, and its first number is unknown"
	case c.Shards > 0:
		return summed(c)
	case slices.Contains(c.Faults, layout.CounterNotNumber):
		why := "it holds \"" + c.Value + "\", which is not a whole number"
		if s.WhyMendCounter(c) == "" {
			why += ": " + s.Keys.Key(keymap.Mend) + " mends it"
		}
		return why
	}
	return s.WhyPlan(c.Table, client.Update)
}

// summed says why a counter that is the sum of several items cannot be changed.
func summed(c counter.Counter) string {
	return "it is the sum of " + phrase.Count(c.Shards, "item") + ", and no item holds it"
}

// WhyMendCounter says why a counter cannot be mended from here.
func (s *Session) WhyMendCounter(c counter.Counter) string {
	if c.Shards > 0 {
		return summed(c)
	}
	if _, err := mend.CounterKind(c); err != nil {
		return say.Error(err)
	}
	return s.WhyPlan(c.Table, client.Update)
}

// WhyAccount says why the account of a relation, an item of a table, cannot be changed from here.
func (s *Session) WhyAccount(table string, r *verdict.Relation, verbs ...client.Verb) string {
	switch {
	case r.Unjudged:
		return say.NotJudged(r)
	case r.Account == nil:
		return say.NoAccount(r)
	}
	return s.WhyPlan(table, verbs...)
}

// WhyMark says why a lock cannot be marked for a release.
func (s *Session) WhyMark(r *verdict.Relation) string {
	switch {
	case r.Verdict == verdict.Malformed: // never released in bulk
		return "a malformed lock is released by itself: " + s.Keys.Key(keymap.Release)
	case r.Pending:
		return "a reserved lock is released by itself: " + s.Keys.Key(keymap.Release)
	}
	return s.WhyRelease(r)
}

// WhyReleases says why the marked locks cannot be released.
func (s *Session) WhyReleases() string {
	return s.WhyPlan(s.Table.Name, mend.ReleaseVerbs("")...)
}

// Denial is a permission on a table that DynamoDB denied to a connection.
type Denial struct{ Connection, Table, Permission string }

// Needs returns the IAM permission that an action of a transaction needs, without "dynamodb:".
func Needs(v client.Verb) string {
	switch v {
	case client.Put:
		return "PutItem"
	case client.Update:
		return "UpdateItem"
	case client.Delete:
		return "DeleteItem"
	}
	return "ConditionCheckItem"
}

// WhyUndoLast says why the last change cannot be undone.
func (s *Session) WhyUndoLast() string {
	switch {
	case s.Last.Kind == "":
		return "nothing was changed here yet"
	case s.Last.Connection.Connection != s.Connection().Connection:
		return "the last change was made on " + s.Last.Connection.Name() + ": go there first, or take it back in the journal, " + s.Keys.Key(
			keymap.Journal,
		)
	case s.Last.Made.ID == "":
		return "several changes were made together: each is undone by itself, in the journal"
	}
	r := s.Last.Made
	if why := r.WhyNotUndone(); why != "" {
		return why
	}
	if why := s.whyCounted(s.Last.Connection.Connection, r.Plan, cmp.Or(r.After, r.Plan.After),
		r.Done); why != "" {
		return why
	}
	return s.WhyWriteOn(s.Last.Connection, r.Plan.Table)
}

// WhyUndo says why a change of the journal cannot be undone, as far as this is known without
// reading the table. planned is nil until the plan has been read from the journal.
func (s *Session) WhyUndo(r *journal.Record, planned *plan.Plan) string {
	c := s.ConnectionOf(r)
	if why := plan.WhyNotUndone(r); why != "" {
		return why
	}
	switch {
	case c == nil:
		return s.Elsewhere(r)
	case planned == nil:
		return "its plan has not been read"
	}
	if why := plan.WhyNotUndoable(r, planned); why != "" {
		return why
	}
	if why := s.whyCounted(c.Connection, planned, planned.After, r.LastWritten()); why != "" {
		return why
	}
	return s.WhyWriteOn(*c, r.Table)
}

// WhyResolve says why a change of the journal cannot be resolved.
func (s *Session) WhyResolve(r *journal.Record) string {
	c := s.ConnectionOf(r)
	switch {
	case !r.Open:
		return "its outcome is known"
	case c == nil:
		return s.Elsewhere(r)
	case c.Changer == nil:
		return "no changes are made on " + c.Name()
	}
	return ""
}

// Elsewhere says why a change of the journal cannot be reached: its connection has not been chosen
// yet, or no connection reaches its Region.
func (s *Session) Elsewhere(r *journal.Record) string {
	for _, c := range s.Connections {
		if c.Connection == nil && c.Called == r.Connection {
			return "it was made on " + c.Called + ": choose it among the connections first, " + s.Keys.Key(keymap.Tables)
		}
	}
	return "it was made on " + r.Connection + ", " + r.Region + ", which no connection here reaches"
}
