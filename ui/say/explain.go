package say

import (
	"fmt"
	"strings"
	"time"

	"tallylock/dynamo/explain"
	"tallylock/dynamo/idtime"
	"tallylock/dynamo/phrase"
)

// EventText says in a sentence what happened.
func EventText(e explain.Event, now time.Time) string {
	text := eventText(e, now)
	if e.TTL {
		text += " Likely by TTL: its time to live had passed."
	}
	if e.Undoes != "" {
		text += " This undoes " + e.Undoes + "."
	}
	if e.Uncertain {
		text += " The outcome of this change is unknown."
	}
	return text
}

// EventBrief is EventText without the key of the account, for a column.
func EventBrief(e explain.Event, now time.Time) string {
	return strings.Replace(EventText(e, now), "The account "+e.Key.Hash.Value.Display(), "The account", 1)
}

func eventText(e explain.Event, now time.Time) string {
	account, value, end := e.Key.Hash.Value.Display(), phrase.Quote(e.Value), "."
	if e.OrEarlier {
		end = ", at this time or earlier."
	}
	switch e.Kind {
	case explain.LockMade:
		return "The lock was put" + end + itNames(e.Owner)
	case explain.LockFilled:
		return backfilled(e) + itNames(e.Owner)
	case explain.LockMoved:
		return fmt.Sprintf("The lock moved from %s to %s%s", somebody(e.Before), somebody(e.Owner), end)
	case explain.LockDeleted:
		return "The lock was deleted" + end + itNamed(e.Before)
	case explain.LockChanged:
		return "Other attributes of the lock changed" + end + itNames(e.Owner)
	case explain.LockRewritten:
		return "The lock was written again without a change" + end + itNames(e.Owner)
	case explain.LockMarked:
		return "A release marked the lock" + end
	case explain.LockUnmarked:
		return "The mark of a release was removed from the lock" + end
	case explain.AccountMade:
		return fmt.Sprintf("The account %s was created with %s%s", account, value, end)
	case explain.AccountDeleted:
		return fmt.Sprintf("The account %s was deleted%s It held %s.", account, end, value)
	case explain.ValueGained, explain.ValueLost:
		return changed(e, account) + end
	case explain.AccountWritten:
		return fmt.Sprintf("A change wrote the account %s, which holds %s%s", account, value, end)
	case explain.Gap:
		return gap(e)
	}
	return claimText(e, account, now)
}

// backfilled says when a backfill put the lock.
func backfilled(e explain.Event) string {
	switch {
	case e.Until.IsZero():
		return "A backfill put the lock, at this time or later."
	case e.Until.Sub(e.At) < time.Second:
		return "A backfill put the lock."
	}
	return fmt.Sprintf("A backfill put the lock, between this time and %s.", phrase.UTC(e.Until))
}

// gap says which time no export covers.
func gap(e explain.Event) string {
	if e.Until.IsZero() {
		return fmt.Sprintf("No export covers %s after this time.", e.Table)
	}
	return fmt.Sprintf("No export covers %s until %s.", e.Table, phrase.UTC(e.Until))
}

// changed writes the beginning of a sentence: how an account gained or lost a value.
func changed(e explain.Event, account string) string {
	from, to := e.Other, e.Value
	if e.Kind == explain.ValueLost {
		from, to = to, from
	}
	switch {
	case e.Other != "":
		return fmt.Sprintf("The account %s changed its %s from %s to %s", account, e.Constraint, phrase.Quote(from), phrase.Quote(to))
	case e.Kind == explain.ValueGained:
		return fmt.Sprintf("The account %s got the %s %s", account, e.Constraint, phrase.Quote(to))
	}
	return fmt.Sprintf("The account %s gave up the %s %s", account, e.Constraint, phrase.Quote(from))
}

// claimText says what a snapshot shows, or what an attribute or an id claims.
func claimText(e explain.Event, account string, now time.Time) string {
	isNow := e.Source.Kind == explain.FromRead
	switch e.Kind {
	case explain.LockThere:
		if isNow {
			return "The lock exists." + itNames(e.Owner)
		}
		return "The lock existed." + itNamed(e.Owner)
	case explain.LockAbsent:
		if isNow {
			return "The lock does not exist."
		}
		return "The lock did not exist."
	case explain.ValueHeld:
		if isNow {
			return fmt.Sprintf("The account %s holds %s.", account, phrase.Quote(e.Value))
		}
		return fmt.Sprintf("The account %s held %s.", account, phrase.Quote(e.Value))
	}
	what := "The account " + account
	switch {
	case e.Source.Kind == explain.FromID && e.Source.OfLock:
		what = "The owner " + e.Owner
	case e.Source.OfLock:
		what = "The lock"
	}
	by := ", according to its attribute " + e.Source.Attribute + "."
	if e.Source.Kind == explain.FromID {
		by = ", according to its id."
	}
	switch {
	case e.Kind == explain.ClaimsMade:
		return what + " was created" + by
	case e.Kind == explain.ClaimsWritten:
		return what + " was changed" + by
	case e.Kind == explain.ClaimsExpiry && e.At.After(now):
		return what + " expires" + by
	case e.Kind == explain.ClaimsExpiry:
		return what + " expired" + by
	}
	return what + " has this time in its attribute " + e.Source.Attribute + "."
}

func itNames(owner string) string {
	if owner == "" {
		return ""
	}
	return " It names " + owner + "."
}

func itNamed(owner string) string {
	if owner == "" {
		return ""
	}
	return " It named " + owner + "."
}

func somebody(owner string) string {
	if owner == "" {
		return "nobody"
	}
	return owner
}

// BriefSource names the source of an event without its receipt: "journal, by ann: reason".
func BriefSource(e explain.Event) string {
	return strings.Replace(EventSource(e), "journal receipt "+e.Source.Receipt, "journal", 1)
}

// PastText writes a past as text for a ticket: a line for each event.
func PastText(p *explain.Past, now time.Time) string {
	var lines strings.Builder
	for _, e := range p.Events {
		fmt.Fprintf(&lines, "%s: %s (%s)\n", phrase.UTC(e.At), EventText(e, now), EventSource(e))
	}
	return lines.String()
}

// EventSource names the source of an event: "journal receipt R-…, by ann: reason".
func EventSource(e explain.Event) string {
	s := e.Source
	item := "account"
	if s.OfLock {
		item = "lock"
	}
	switch s.Kind {
	case explain.FromJournal:
		text := "journal receipt " + s.Receipt + ", by " + Makers(By(e.Who), "", e.AskedBy)
		if e.Reason != "" {
			text += ": " + e.Reason
		}
		return text
	case explain.FromAttribute:
		text := "attribute " + s.Attribute + " of the " + item
		if e.NoZone {
			text += ", without a time zone"
		}
		return text
	case explain.FromID:
		return "id (" + idNames[s.ID] + ") of the " + item
	case explain.FromIncrement:
		return "export " + minute(s.From) + " … " + minute(s.To)
	case explain.FromRead:
		return "read now"
	}
	if e.Kind == explain.Gap {
		return "gap in the exports"
	}
	return "full export of " + phrase.UTC(s.From)
}

// idNames names the kinds of ids.
var idNames = map[idtime.Kind]string{
	idtime.UUIDv1: "UUID v1", idtime.UUIDv6: "UUID v6", idtime.UUIDv7: "UUID v7", idtime.ULID: "ULID",
	idtime.KSUID: "KSUID", idtime.ObjectID: "perhaps an ObjectId",
	idtime.Snowflake: "Snowflake, if it uses Twitter's epoch",
}

// minute writes a time in UTC to the minute, or to the second if that is needed.
func minute(t time.Time) string {
	if t.Second() != 0 {
		return t.UTC().Format(time.DateTime)
	}
	return t.UTC().Format("2006-01-02 15:04")
}

// EventFoot says how long ago an event was, and names its source: "26 days ago · id (ULID) of the account".
func EventFoot(e explain.Event, now time.Time) string {
	if e.Source.Kind == explain.FromRead {
		return EventSource(e)
	}
	return fromNow(e.At, now) + " · " + EventSource(e)
}

// NoDates is the text for a past without any time.
const NoDates = "No dates: the items have no times, and the journal has no receipt of this lock."

// PastNotes lists what a reader of a past must know about its sources.
func PastNotes(p *explain.Past) (notes []string) {
	if p.Windows > 0 {
		notes = append(notes, "An incremental export has the net change of each item in its window, at the time of "+
			"the item's last write. Changes in between are unknown.")
	}
	notes = append(notes, PastGaps(p)...)
	if p.Has(explain.FromAttribute) {
		notes = append(notes, "The name of an attribute suggests its meaning. Nothing proves the meaning.")
	}
	if p.Has(explain.FromID) {
		notes = append(notes, "The maker of an id chose the time in it.")
	}
	return notes
}

// PastGaps lists what a past lacks, besides the times that no export covers.
func PastGaps(p *explain.Past) (notes []string) {
	if len(p.NoExport) > 0 {
		notes = append(notes, "There is no export of "+phrase.List(p.NoExport)+", so past changes there are unknown.")
	}
	for _, table := range p.NoTTL {
		notes = append(notes, "The TTL settings of "+table+" cannot be read, so removals by TTL are unknown.")
	}
	for _, table := range p.TTLOff {
		notes = append(notes, table+" has no TTL now. If it had TTL before, TTL may have caused removals in the exports.")
	}
	return notes
}
