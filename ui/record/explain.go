package record

import (
	"time"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/explain"
)

// Event is the JSON of one event in the past of a value. Its names are a contract.
type Event struct {
	Event explain.Kind `json:"event"`
	At    time.Time    `json:"at"`
	// Until is the end of a gap, or the last time when a backfill may have put the lock. A gap without an end lasts until
	// now.
	Until *time.Time `json:"until,omitempty"`
	// OrEarlier is true for the net change of an incremental export: the event happened at this time or earlier in the
	// window.
	OrEarlier bool `json:"or_earlier,omitempty"`
	// NoTimeZone is true if the attribute has no time zone. At is then the time if the zone is UTC.
	NoTimeZone bool   `json:"no_time_zone,omitempty"`
	Table      string `json:"table"`
	Constraint string `json:"constraint,omitempty"`
	Value      string `json:"value,omitempty"`
	// Key is the key of the lock or the account. A gap has no key.
	Key *attr.Key `json:"key,omitempty"`
	// Owner is the owner that the lock names after the event, and OwnerBefore the owner before it.
	Owner       *string `json:"owner,omitempty"`
	OwnerBefore *string `json:"owner_before,omitempty"`
	// OtherValue is the value that the account had before, or has afterwards.
	OtherValue *string `json:"other_value,omitempty"`
	// LikelyTTL is true if the time to live of the removed item had passed.
	LikelyTTL bool `json:"likely_ttl,omitempty"`
	// OutcomeUnknown is true if the outcome of the change in the journal is unknown.
	OutcomeUnknown bool        `json:"outcome_unknown,omitempty"`
	Undoes         *string     `json:"undoes,omitempty"`
	Who            *string     `json:"who,omitempty"`
	AskedBy        *string     `json:"asked_by,omitempty"` // the person who asked for the change over SSH
	Reason         *string     `json:"reason,omitempty"`
	Source         EventSource `json:"source"`
	// Text is the event as a sentence.
	Text string `json:"text"`
}

// EventSource is the JSON of the source of an event.
type EventSource struct {
	Kind    explain.SourceKind `json:"kind"`
	Receipt *string            `json:"receipt,omitempty"`
	// Attribute is the attribute with the time. ID is the kind of the id with the time. Of is lock or account.
	Attribute *string `json:"attribute,omitempty"`
	ID        *string `json:"id,omitempty"`
	Of        string  `json:"of,omitempty"`
	// Export is the place of the export. From and To are its window; both are the time of a full export.
	Export *string    `json:"export,omitempty"`
	From   *time.Time `json:"from,omitempty"`
	To     *time.Time `json:"to,omitempty"`
}

// EventOf returns the JSON of an event. text is the event as a sentence.
func EventOf(e explain.Event, text string) Event {
	out := Event{
		Event: e.Kind, At: e.At, Until: instant(e.Until), OrEarlier: e.OrEarlier, NoTimeZone: e.NoZone,
		Table: e.Table, Constraint: e.Constraint, Value: e.Value,
		Owner: attr.NullIfEmpty(e.Owner), OwnerBefore: attr.NullIfEmpty(e.Before), OtherValue: attr.NullIfEmpty(e.Other),
		LikelyTTL: e.TTL, OutcomeUnknown: e.Uncertain,
		Undoes: attr.NullIfEmpty(e.Undoes), Who: attr.NullIfEmpty(e.Who), AskedBy: attr.NullIfEmpty(e.AskedBy),
		Reason: attr.NullIfEmpty(e.Reason),
		Source: EventSource{
			Kind: e.Source.Kind, Receipt: attr.NullIfEmpty(e.Source.Receipt), Attribute: attr.NullIfEmpty(e.Source.Attribute),
			ID: attr.NullIfEmpty(string(e.Source.ID)), Export: attr.NullIfEmpty(e.Source.Dir),
			From: instant(e.Source.From), To: instant(e.Source.To),
		},
		Text: text,
	}
	if e.Key.Hash.Name != "" {
		out.Key = &e.Key
	}
	switch e.Source.Kind {
	case explain.FromAttribute, explain.FromID, explain.FromRead:
		out.Source.Of = "account"
		if e.Source.OfLock {
			out.Source.Of = "lock"
		}
	}
	return out
}

// instant returns a time in UTC; nil if it is zero.
func instant(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}
