package explain

import (
	"slices"
	"strings"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/idtime"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/schema"
	"tallylock/dynamo/verdict"
)

// Items returns the events that the items of relations claim: the times in the attributes of each lock and of its
// accounts, and the times in the ids of the accounts and of the lock's owner. The meaning of an attribute follows from
// its name alone.
func Items(t *dynamo.Table, now time.Time, rels ...*verdict.Relation) []Event {
	var events []Event
	for _, s := range subjects(rels) {
		accounts := slices.Clone(s.Claimants)
		if s.Account != nil {
			accounts = append(accounts, *s.Account)
		}
		if s.OwnerAccount != nil {
			accounts = append(accounts, *s.OwnerAccount)
		}
		if s.Lock.Exists {
			events = append(events, s.times(s.Lock.Table, s.Lock.Key, s.Lock.Attributes(), Source{OfLock: true})...)
			events = append(events, s.ownersID(now, accounts)...)
		}
		known := map[string]bool{}
		for _, a := range accounts {
			if known[a.Key.ID()] {
				continue
			}
			known[a.Key.ID()] = true
			if kind, at, ok := idIn(now, a.Key.Hash.Value.Text, a.Key.Range.Value.Text); ok {
				events = append(events, s.event(ClaimsMade, at, Source{Kind: FromID, ID: kind}).about(t.Name, a.Key))
			}
			rest := schema.Lock{Key: a.Key, Item: a.Item}.Attributes()
			events = append(events, s.times(t.Name, a.Key, rest, Source{})...)
		}
	}
	return events
}

// ownersID returns the time in the id of the lock's owner, if this owner is not among the accounts that were read.
func (s subject) ownersID(now time.Time, accounts []schema.Account) []Event {
	kind, at, ok := idIn(now, s.Lock.Owner)
	if !ok || slices.ContainsFunc(accounts, func(a schema.Account) bool {
		return a.ID == s.Lock.Owner || strings.Contains(a.Key.Hash.Value.Text, s.Lock.Owner)
	}) {
		return nil
	}
	e := s.event(ClaimsMade, at, Source{Kind: FromID, ID: kind, OfLock: true}).about(s.Lock.Table, s.Lock.Key)
	e.Owner = s.Lock.Owner
	return []Event{e}
}

// idIn returns the time in the first id of some texts. A text may be a key with several parts. Any 24 hexadecimal
// digits may be an ObjectId.
func idIn(now time.Time, texts ...string) (kind idtime.Kind, at time.Time, ok bool) {
	for _, text := range texts {
		for _, token := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("#/:|@ ", r) }) {
			if kind, at, ok = idtime.Recognise(token, now); ok {
				return kind, at, true
			}
			if at, ok = idtime.ObjectID.Of(token, time.Time{}); ok && idtime.Plausible(at, now) {
				return idtime.ObjectID, at, true
			}
		}
	}
	return "", time.Time{}, false
}

// times returns an event for each attribute of an item that is a time. It looks into maps, one level deep.
func (s subject) times(table string, key attr.Key, attributes attr.Item, source Source) (events []Event) {
	source.Kind = FromAttribute
	take := func(name string, v attr.Value) {
		kind, named := claimOf(name)
		at, zoned, ok := layout.TimeOf(numeric(v))
		if !ok || !named && !isDate(v) || name == schema.MarkAttribute {
			return // a number is a time only if the name says so
		}
		source.Attribute = name
		e := s.event(kind, at, source).about(table, key)
		e.NoZone = !zoned
		events = append(events, e)
	}
	for _, name := range attributes.Names() {
		v := attributes[name]
		take(name, v)
		for _, inner := range attr.Item(v.Map).Names() {
			take(name+"."+inner, v.Map[inner])
		}
	}
	return events
}

// numeric returns the number in a text of digits, because applications also write milliseconds as texts. It returns
// any other value unchanged.
func numeric(v attr.Value) attr.Value {
	if v.Kind == attr.S && v.Text != "" && strings.Trim(v.Text, "0123456789") == "" {
		return attr.Number(v.Text)
	}
	return v
}

// isDate reports whether a value is a text with a date. A date is a time, even if the attribute's name does not say so.
func isDate(v attr.Value) bool { return v.Kind == attr.S && strings.Contains(v.Text, "-") }

// claims lists parts of names that suggest the meaning of a time, in lower case.
var claims = []struct {
	kind  Kind
	parts []string
}{
	{ClaimsExpiry, []string{"expire", "expiry", "ttl", "timetolive", "validuntil", "deleteafter"}},
	{ClaimsMade, []string{"creat", "made", "register", "signup", "signedup", "joined", "inserted", "born", "since"}},
	{ClaimsWritten, []string{"updat", "modif", "chang", "written", "saved", "touched"}},
	{ClaimsTime, []string{"time", "date", "epoch", "when"}},
}

// claimOf returns the event that an attribute claims, by its name. named is false if the name suggests no time.
func claimOf(name string) (kind Kind, named bool) {
	low := strings.NewReplacer("_", "", "-", "", ".", "").Replace(strings.ToLower(name))
	for _, c := range claims {
		if slices.ContainsFunc(c.parts, func(part string) bool { return strings.Contains(low, part) }) {
			return c.kind, true
		}
	}
	return ClaimsTime, strings.HasSuffix(name, "At") || strings.HasSuffix(name, "_at") || strings.HasSuffix(name, "On")
}
