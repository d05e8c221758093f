package session

import (
	"tallylock/dynamo/client"
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
// A read-only connection can plan changes: the plan is saved for a colleague who may write.
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
		return "the config has guard = \"deny\" for " + table + ", which no flag overrides"
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

// WhyNoFiles says why no file can be saved here; empty if one can.
func (s *Session) WhyNoFiles() string { return s.Options.Guest.WhyNoFiles() }

// WhyViewer says why a viewer may not do this; empty if the person is no viewer.
func (s *Session) WhyViewer() string { return s.Options.Guest.WhyViewer() }

// WhyBudget says why a viewer may not read this much at once on the open connection; empty if the person may.
func (s *Session) WhyBudget(units float64) string {
	on := s.Connection()
	most := on.AutoReadUnits()
	switch {
	case s.WhyViewer() == "" || units <= most:
		return ""
	case on.UnitsSpent():
		why, _ := on.WhyUnread()
		return why
	case on.UnitsLeft() <= most:
		return "only " + say.ReadUnits(most) + " are left for this session"
	}
	return "a viewer reads at most " + say.ReadUnits(most) + " at once; an operator can start this"
}

// Reached returns a short text for the limit of read units that the connection has reached.
func (c Connection) Reached() string {
	if c.PoolSpent() {
		return "hourly_read_units reached"
	}
	return "session_read_units reached"
}

// MaxUnits returns the limit of a reading that the person starts on the open connection, in read units; 0: no limit.
func (s *Session) MaxUnits() float64 {
	if s.WhyViewer() == "" {
		return 0
	}
	return s.Connection().AutoReadUnits()
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
