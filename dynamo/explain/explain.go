// Package explain collects the known past of a value and its lock: from the journal, from times and ids in items, and
// from exports. The result is a list of events, oldest first. An event names its source, and is not a verdict. Start at
// Of and Event; items.go, journal.go and exports.go have the three sources.
package explain

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/client"
	"tallylock/dynamo/find"
	"tallylock/dynamo/idtime"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/verdict"
)

// Kind is a kind of event.
type Kind string

// The kinds of events. The journal and the incremental exports have changes of a lock, and of an account that holds
// the value. A full export has the state at one time. An attribute or an id only claims a time.
const (
	LockMade      Kind = "lock-made"
	LockMoved     Kind = "lock-moved" // the lock names another owner
	LockDeleted   Kind = "lock-deleted"
	LockChanged   Kind = "lock-changed"   // the lock has other attributes, and the same owner
	LockRewritten Kind = "lock-rewritten" // the lock was written, but did not change
	LockMarked    Kind = "lock-marked"    // a release set its mark
	LockUnmarked  Kind = "lock-unmarked"  // a release removed its mark
	LockFilled    Kind = "lock-filled"    // a backfill put the lock at some time from At to Until

	AccountMade    Kind = "account-made"    // the account was created with the value
	AccountDeleted Kind = "account-deleted" // the account was deleted with the value
	ValueGained    Kind = "value-gained"    // the account changed its value to this one
	ValueLost      Kind = "value-lost"      // the account changed its value to another one
	AccountWritten Kind = "account-written" // the journal has a change of an account that holds the value

	LockThere  Kind = "lock-there"  // the lock existed at the time of a full export, or exists now
	LockAbsent Kind = "lock-absent" // the lock did not exist at the time of a full export, or does not exist now
	ValueHeld  Kind = "value-held"  // an account held the value at the time of a full export, or now

	ClaimsMade    Kind = "claims-made"    // an attribute or an id claims the time of creation
	ClaimsWritten Kind = "claims-written" // an attribute claims the time of a write
	ClaimsExpiry  Kind = "claims-expiry"  // an attribute claims the time of removal by TTL
	ClaimsTime    Kind = "claims-time"    // an attribute has a time, and its name does not say which event it belongs to

	Gap Kind = "gap" // no export covers the time from At to Until, or the time after At
)

// SourceKind is the kind of place where an event was found.
type SourceKind string

// The kinds of sources.
const (
	FromJournal   SourceKind = "journal"
	FromAttribute SourceKind = "attribute"
	FromID        SourceKind = "id"
	FromExport    SourceKind = "export"    // a full export
	FromIncrement SourceKind = "increment" // an incremental export
	FromRead      SourceKind = "read"      // the items as they are now
)

// Source is the place where an event was found.
type Source struct {
	Kind SourceKind
	// Receipt is the receipt in the journal.
	Receipt string
	// Attribute is the name of the attribute. ID is the kind of the id. OfLock is set if they belong to the lock;
	// otherwise they belong to an account.
	Attribute string
	ID        idtime.Kind
	OfLock    bool
	// From and To are the window of an incremental export. For a full export, both are its time.
	From, To time.Time
	// Dir is the place of the export.
	Dir string
}

// Event is one fact about the past of a value and its lock.
type Event struct {
	Kind Kind
	// At is the time of the event. Until is the end of a gap, or the last time when a backfill may have put the lock.
	// Until is zero if the gap has no end, or if this time is unknown. If OrEarlier is set, the event is the net change of
	// an export's window: At is the time of the item's last write in the window, and the event happened then or earlier in
	// the window.
	At, Until  time.Time
	OrEarlier  bool
	Constraint string
	Value      string
	// Table and Key are the item of the event: the lock or the account.
	Table string
	Key   attr.Key
	// Owner is the owner that the lock names after the event. Before is the owner that the lock named before.
	Owner, Before string
	// Other is the other value of an account that gained or lost the value.
	Other string
	// NoZone is set if an attribute has a time without a time zone. At is then the time if the zone is UTC.
	NoZone bool
	// TTL is set if the removal was likely by TTL: the time to live of the old image had passed.
	TTL bool
	// Uncertain is set if the outcome of the change in the journal is unknown.
	Uncertain bool
	// Undoes is the receipt that the change undid. Who made the change, AskedBy asked for it, and Reason is the person's
	// reason.
	Undoes, Who, AskedBy, Reason string
	Source                       Source
}

// Options select the sources besides the items.
type Options struct {
	// Journal and Exports may be nil. The exports must have passed Exports.Check.
	Journal *journal.Journal
	Exports *Exports
	// Reading is called before each export is read, with its name and place. It may be nil.
	Reading func(what, dir string)
	Now     time.Time
}

// Past is the result of Of.
type Past struct {
	Events []Event // the oldest first
	// Windows counts the incremental exports. NoTTL lists the tables whose TTL settings could not be read, so that
	// no removal by TTL is known. TTLOff lists the tables that have no TTL now, but from which something was deleted in
	// a window. If there are exports, NoExport lists the other tables of the locks and the accounts.
	Windows                 int
	NoTTL, TTLOff, NoExport []string
}

// Of returns the past of the values and locks of an answer, from all sources.
func Of(ctx context.Context, t *dynamo.Table, a *find.Answer, o Options) (*Past, error) {
	rels := slices.Concat(a.Locks, a.Unlocked)
	for _, h := range a.Accounts {
		if h.ByID {
			rels = append(rels, h.Values...)
		}
	}
	return OfRelations(ctx, t, a.At, o, rels...)
}

// OfRelations returns the past of relations, from all sources. read is the time when the relations were read.
func OfRelations(
	ctx context.Context, t *dynamo.Table, read time.Time, o Options, rels ...*verdict.Relation,
) (*Past, error) {
	p := &Past{Events: append(Items(t, o.Now, rels...), now(t, read, rels)...)}
	if o.Journal != nil {
		done, err := Journal(ctx, o.Journal, t, rels...)
		if err != nil {
			return nil, err
		}
		p.Events = append(p.Events, done...)
	}
	if x := o.Exports; x != nil {
		ttl, err := p.timesToLive(ctx, t, x)
		if err != nil {
			return nil, err
		}
		reading := o.Reading
		if reading == nil {
			reading = func(string, string) {}
		}
		found, err := x.Read(ctx, t, ttl, reading, rels...)
		if err != nil {
			return nil, err
		}
		p.Events, p.Windows, p.NoExport = append(p.Events, found...), len(x.Increments), x.lacks(t, rels)
		p.noteTTLOff(found, ttl)
	}
	p.Events = relevant(p.Events)
	Sort(p.Events)
	return p, nil
}

// timesToLive reads the TTL attributes of the tables with incremental exports. It records the tables whose settings
// cannot be read: for these, the past does not say whether TTL removed an item.
func (p *Past) timesToLive(ctx context.Context, t *dynamo.Table, x *Exports) (map[string]string, error) {
	ttl := map[string]string{}
	for _, one := range x.Increments {
		if _, known := ttl[one.Table]; known {
			continue
		}
		name, err := t.Connection().Reader().TimeToLive(ctx, fullName(t, one.Table))
		switch {
		case err != nil && client.KindOf(err) == client.Cancelled:
			return nil, err
		case err != nil:
			p.NoTTL = append(p.NoTTL, one.Table)
		}
		ttl[one.Table] = name
	}
	return ttl, nil
}

// noteTTLOff records the tables with deletions that have no TTL now. A window may be from a time when TTL was on.
func (p *Past) noteTTLOff(found []Event, ttl map[string]string) {
	for _, e := range found {
		deleted := e.Kind == LockDeleted || e.Kind == AccountDeleted
		if deleted && ttl[e.Table] == "" && !slices.Contains(p.NoTTL, e.Table) && !slices.Contains(p.TTLOff, e.Table) {
			p.TTLOff = append(p.TTLOff, e.Table)
		}
	}
}

// Dated reports whether the past has more than the items as they are now.
func (p *Past) Dated() bool {
	return slices.ContainsFunc(p.Events, func(e Event) bool { return e.Source.Kind != FromRead })
}

// Has reports whether an event has a source of the given kind.
func (p *Past) Has(kind SourceKind) bool {
	return slices.ContainsFunc(p.Events, func(e Event) bool { return e.Source.Kind == kind })
}

// now returns the state of the relations as they were read.
func now(t *dynamo.Table, read time.Time, rels []*verdict.Relation) (events []Event) {
	for _, s := range subjects(rels) {
		source := Source{Kind: FromRead, OfLock: true}
		if len(s.lockKeys()) > 0 && !s.Lock.Unread {
			e := s.event(LockAbsent, read, source).about(s.Lock.Table, s.Lock.Key)
			if s.Lock.Exists {
				e.Kind, e.Owner = LockThere, s.Lock.Owner
			}
			events = append(events, e)
		}
		source.OfLock = false
		for _, a := range s.Claimants {
			events = append(events, s.event(ValueHeld, read, source).about(t.Name, a.Key))
		}
		if s.Account != nil && len(s.Claimants) == 0 {
			events = append(events, s.event(ValueHeld, read, source).about(t.Name, s.Account.Key))
		}
	}
	return events
}

// relevant leaves out the values that were never seen. One text may be both an email and a username, and usually is
// only one of them. If no value was ever seen, relevant leaves out nothing.
func relevant(events []Event) []Event {
	type value struct{ constraint, value string }
	seen := map[value]bool{}
	for _, e := range events {
		if e.Kind != LockAbsent && e.Kind != Gap {
			seen[value{e.Constraint, e.Value}] = true
		}
	}
	if len(seen) == 0 {
		return events
	}
	return slices.DeleteFunc(events, func(e Event) bool { return e.Kind != Gap && !seen[value{e.Constraint, e.Value}] })
}

// Sort sorts events, the oldest first. Among changes at one moment, the end of the old state comes before the beginning
// of the new state.
func Sort(events []Event) {
	slices.SortStableFunc(events, func(a, b Event) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(rank(a.Kind), rank(b.Kind)),
			strings.Compare(a.Constraint, b.Constraint), strings.Compare(a.Key.ID(), b.Key.ID()))
	})
}

// rank orders the events of one moment.
func rank(k Kind) int {
	switch k {
	case Gap:
		return 0
	case ValueLost, AccountDeleted, LockDeleted, LockUnmarked:
		return 1
	case ValueGained, AccountMade, AccountWritten, ValueHeld:
		return 3
	}
	return 2
}

// subject is a value whose past is wanted. Its lock may have several forms.
type subject struct {
	*verdict.Relation
}

// subjects returns the relations with a value, without repetitions. Relations may be nil.
func subjects(rels []*verdict.Relation) (all []subject) {
	known := map[string]bool{}
	for _, r := range rels {
		if r == nil || r.Impossible != nil || r.Subject() == "" || known[r.Subject()] {
			continue
		}
		known[r.Subject()] = true
		all = append(all, subject{r})
	}
	return all
}

func (s subject) event(kind Kind, at time.Time, source Source) Event {
	return Event{Kind: kind, At: at.UTC(), Constraint: s.Constraint.Name, Value: s.Shown(), Source: source}
}

// about returns e as an event of an item.
func (e Event) about(table string, key attr.Key) Event {
	e.Table, e.Key = table, key
	return e
}

// lockKeys lists the keys of the subject's lock. It is empty if the constraint has no locks.
func (s subject) lockKeys() []attr.Key {
	if s.Constraint.Lockless() || s.Lock.Key.Hash.Name == "" {
		return nil
	}
	return s.Constraint.Forms(s.Lock.Key)
}

// held reports whether an account item of a kind holds the subject's value. claims are the account's claims.
func (s subject) held(t *dynamo.Table, claims []layout.Claim, item attr.Fields, kind *layout.Account) bool {
	if !s.Constraint.Lockless() {
		return t.HasClaim(claims, s.Lock)
	}
	return slices.Contains(kind.Unlocked, s.Constraint) &&
		slices.Contains(s.Constraint.AppendValues(nil, item), s.Constraint.Normalised(s.Value))
}
