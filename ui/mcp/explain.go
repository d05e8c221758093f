package mcp

import (
	"context"
	"slices"
	"strings"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/explain"
	"tallylock/ui/record"
	"tallylock/ui/say"
)

func (s *server) explainTool() tool {
	return tool{
		name: "explain", title: "Show the past of a value", params: s.valueParams(), run: s.runExplain,
		about: "Shows the known past of a value and its lock, oldest first. The sources are the journal of tallylock, and " +
			"times and ids in items. An event is not a verdict: to judge the lock now, use find.",
		data: func() (map[string]any, error) {
			defs := map[string]any{}
			of, err := partOf("explain", defs)
			return object([]string{"events", "hidden"}, map[string]any{
				"events": of, "hidden": map[string]any{"type": "integer"},
			}, defs), err
		},
	}
}

// mostEvents limits the events in an answer. The newest events stay.
const mostEvents = 200

func (s *server) runExplain(ctx context.Context, c *call) (any, error) {
	t, a, err := s.findValue(ctx, c)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	past, err := explain.Of(ctx, t, a, explain.Options{Journal: journal.OpenReadOnly(s.Journal), Now: now})
	if err != nil {
		return nil, err
	}
	others, err := s.ofOtherTables(t)
	if err != nil {
		return nil, err
	}
	past.Events = slices.DeleteFunc(past.Events, others)
	events := past.Events[max(0, len(past.Events)-mostEvents):]
	out := []record.Event{}
	for _, e := range events {
		switch {
		case s.mask == nil:
			out = append(out, record.EventOf(e, say.EventText(e, now)))
		case e.Source.Kind != explain.FromAttribute || isTime(e.Source.Attribute):
			out = append(out, s.mask.event(t, e, a.Query))
		}
	}
	return map[string]any{"events": out, "hidden": len(past.Events) - len(out)}, nil
}

// ofOtherTables returns a function that reports whether an event comes from the journal, and belongs to a table outside
// the allow-list. Such events exist if another accounts table shares a lock table with t.
func (s *server) ofOtherTables(t *dynamo.Table) (func(explain.Event) bool, error) {
	all, err := journal.OpenReadOnly(s.Journal).Records()
	if err != nil {
		return nil, err
	}
	known := map[string]*journal.Record{} // by receipt
	for _, r := range all {
		known[r.Receipt] = r
	}
	return func(e explain.Event) bool {
		if e.Source.Kind != explain.FromJournal {
			return false
		}
		r := known[e.Source.Receipt]
		return r == nil || !plan.InTables(r, t.Connection().Opens)
	}, nil
}

// isTime reports whether the name of an attribute proves that its value is a time. The value of any other attribute may
// be private: a date of birth, or a number that looks like a time.
func isTime(attribute string) bool {
	low := strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(attribute))
	return slices.Contains([]string{
		"created", "createdat", "createdon", "createddate", "createdtime", "creationdate", "creationtime",
		"updated", "updatedat", "updatedon", "lastupdated", "lastupdatedat", "modified", "modifiedat", "lastmodified",
		"lastmodifiedat", "expiresat", "expireat", "ttl", "timetolive",
	}, low)
}

// event masks an event. It keeps the kind, the time, and the kind of the source.
func (m *mask) event(t *dynamo.Table, e explain.Event, query string) record.Event {
	out := record.Event{
		Event: e.Kind, At: e.At.UTC().Truncate(time.Second), NoTimeZone: e.NoZone, Table: m.table(t, e.Table),
		LikelyTTL: e.TTL, OutcomeUnknown: e.Uncertain, Source: record.EventSource{Kind: e.Source.Kind},
		Text: eventMeans[e.Kind], OrEarlier: e.OrEarlier,
	}
	if !e.Until.IsZero() {
		out.Until = new(e.Until.UTC().Truncate(time.Second))
	}
	if e.Constraint != "" {
		out.Constraint, out.Value = m.constraint(t, e.Constraint), m.value(e.Value, query)
	}
	kind := "account"
	if isOfLock(e) {
		kind = "lock"
	}
	if e.Key.Hash.Name != "" {
		key := m.key(kind, e.Key)
		out.Key = &key
	}
	if e.Owner != "" {
		owner := m.name("owner", e.Owner)
		out.Owner = &owner
	}
	if e.Before != "" {
		owner := m.name("owner", e.Before)
		out.OwnerBefore = &owner
	}
	if e.Other != "" {
		other := m.value(e.Other, query)
		out.OtherValue = &other
	}
	return out
}

// isOfLock reports whether the item of an event is a lock.
func isOfLock(e explain.Event) bool {
	switch e.Kind {
	case explain.LockMade, explain.LockFilled, explain.LockMoved, explain.LockDeleted, explain.LockChanged,
		explain.LockRewritten,
		explain.LockMarked, explain.LockUnmarked, explain.LockThere, explain.LockAbsent:
		return true
	}
	return e.Source.OfLock
}

// eventMeans has a sentence for each kind of event. The sentences contain no values, because answers to an assistant
// are masked.
var eventMeans = map[explain.Kind]string{
	explain.LockMade:       "The lock was put.",
	explain.LockFilled:     "A backfill put the lock. The exact time is unknown: it is between this time and the time in `until`.",
	explain.LockMoved:      "The lock moved to another owner.",
	explain.LockDeleted:    "The lock was deleted.",
	explain.LockChanged:    "Other attributes of the lock changed.",
	explain.LockRewritten:  "The lock was written again without a change.",
	explain.LockMarked:     "A release marked the lock.",
	explain.LockUnmarked:   "The mark of a release was removed from the lock.",
	explain.AccountMade:    "The account was created with the value.",
	explain.AccountDeleted: "The account was deleted. It held the value.",
	explain.ValueGained:    "The account changed its value to this one.",
	explain.ValueLost:      "The account changed its value to another one.",
	explain.AccountWritten: "A change wrote the account, which holds the value.",
	explain.LockThere:      "The lock exists, or existed at this time.",
	explain.LockAbsent:     "The lock does not exist, or did not exist at this time.",
	explain.ValueHeld:      "The account holds the value, or held it at this time.",
	explain.ClaimsMade:     "An attribute or an id of the item says that it was created at this time.",
	explain.ClaimsWritten:  "According to an attribute, the item was changed at this time.",
	explain.ClaimsExpiry:   "An attribute of the item says that it expires at this time.",
	explain.Gap:            "No source covers the time after this event.",
}
