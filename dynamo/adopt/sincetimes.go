package adopt

import (
	"cmp"
	"math/big"
	"slices"
	"strings"
	"time"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/idtime"
	"tallylock/dynamo/layout"
)

// Times says which attributes have the times of an account's sign-up and of the last change of its value. A person
// chooses them: see Candidates.
type Times struct {
	// Created is the attribute with the time of the sign-up. Updated is the attribute with the time of the last change.
	// Each is a name or a path, and may be empty.
	Created string `json:"created,omitempty"`
	Updated string `json:"updated,omitempty"`
	// ID is the kind of the accounts' ids, if they contain the time of the sign-up. Epoch is only for Snowflake ids.
	ID    idtime.Kind `json:"id,omitempty"`
	Epoch time.Time   `json:"epoch,omitzero"`
}

// IDTime is the word in By for the time in the id.
const IDTime = "id"

// By lists the attributes with times, and IDTime if the id has a time. It is for the record.
func (t Times) By() string {
	var all []string
	for _, name := range []string{t.Created, t.Updated} {
		if name != "" {
			all = append(all, name)
		}
	}
	if t.ID != "" {
		all = append(all, IDTime)
	}
	return strings.Join(all, ", ")
}

// instant is a point in time that an account has.
type instant struct {
	at       time.Time
	zoneless bool
}

// instantOf reads a time in an attribute: a text in ISO 8601, or the time since 1970 as a number or a text of digits.
// The size of the number tells its unit. A time without a zone is read as UTC, and a day as its first moment.
func instantOf(v attr.Value) (instant, bool) {
	if v.Kind == attr.S {
		if _, ok := attr.Decimal(v.Text); ok {
			v = attr.Number(v.Text)
		}
	}
	if v.Kind == attr.N {
		v = inMilliseconds(v)
	}
	at, zoned, ok := layout.TimeOf(v)
	return instant{at: at, zoneless: !zoned}, ok
}

// TimeOf reads a time that a person types. The time needs a zone.
func TimeOf(text string) (time.Time, bool) {
	v := attr.String(text)
	if _, number := attr.Decimal(text); number {
		v = attr.Number(text)
	}
	at, zoned, ok := layout.TimeOf(v)
	return at, ok && zoned
}

// inMilliseconds converts a number of microseconds or nanoseconds.
func inMilliseconds(v attr.Value) attr.Value {
	n, ok := attr.Integer(v.Text)
	if !ok {
		return v
	}
	for _, unit := range []struct{ from, by int64 }{{1e17, 1e6}, {1e14, 1e3}} {
		if n.Cmp(big.NewInt(unit.from)) >= 0 {
			return attr.Number(n.Quo(n, big.NewInt(unit.by)).String())
		}
	}
	return v
}

// state says whether an account was made or changed after a time.
type state int

const (
	earlier state = iota
	came
	untimed
	future
)

// reading is the result of reading the times of an account.
type reading struct {
	state    state
	op       Operation
	at       time.Time
	zoneless bool
}

// clockSkew is how far the application's clock may be ahead of this machine's clock.
const clockSkew = 15 * time.Minute

// read reads the times of an account. An account that was made after since counts as a sign-up, even if it changed
// again.
func (t Times) read(item attr.Fields, id string, since, now time.Time) reading {
	var made, changed instant
	var isMade, isChanged bool
	if t.ID != "" {
		if at, ok := t.idTime(id); ok {
			made, isMade = instant{at: at}, true
		}
	}
	if t.Created != "" && !isMade {
		made, isMade = instantOf(item.At(t.Created))
	}
	if t.Updated != "" {
		changed, isChanged = instantOf(item.At(t.Updated))
	}
	for _, one := range []struct {
		instant
		ok bool
		op Operation
	}{{made, isMade, SignUp}, {changed, isChanged, Change}} {
		switch {
		case !one.ok || one.at.Before(since):
		case one.at.After(now.Add(clockSkew)):
			return reading{state: future}
		default:
			return reading{state: came, op: one.op, at: one.at, zoneless: one.zoneless}
		}
	}
	if !isMade && !isChanged || !isChanged && t.Updated != "" && isSet(item.At(t.Updated)) {
		return reading{state: untimed}
	}
	return reading{state: earlier}
}

// isSet reports whether an attribute has a value. An account without an update time was never changed, but an
// unreadable update time may be any time.
func isSet(v attr.Value) bool { return v.Exists() && v.Kind != attr.NULL }

// idTime reads the time in an id, or in its last part.
func (t Times) idTime(id string) (time.Time, bool) {
	if at, ok := t.ID.Of(id, t.Epoch); ok {
		return at, true
	}
	return t.ID.Of(id[strings.LastIndexAny(id, idSeparators)+1:], t.Epoch)
}

// idSeparators end a prefix of an id, as in user_01ARYZ6S41TSV4RRFFQ69G5FAV.
const idSeparators = "_" + layout.Separators

// Candidate is an attribute of accounts that has times, or the accounts' id.
type Candidate struct {
	Attribute string      `json:"attribute,omitempty"`
	ID        idtime.Kind `json:"id,omitempty"`
	// Of counts the sampled accounts, and Has the sampled accounts with a time.
	Has int `json:"has"`
	Of  int `json:"of"`
	// First and Last are the earliest and the latest time.
	First time.Time `json:"first"`
	Last  time.Time `json:"last"`
}

// Candidates lists the attributes, and the kinds of ids, in which more than half of the sampled accounts have a time in
// the past. It does not choose one: only a person knows the meaning of a time.
func Candidates(r *Rule) []Candidate {
	items, now := r.Table.Sample.Accounts(r.Kind), time.Now()
	found := map[Candidate]*Candidate{}
	note := func(which Candidate, at time.Time) {
		if at.After(now.Add(clockSkew)) {
			return // a time in the future does not count: it may be a TTL
		}
		c := found[which]
		if c == nil {
			c = &Candidate{Attribute: which.Attribute, ID: which.ID, First: at, Last: at}
			found[which] = c
		}
		c.Has++
		if at.Before(c.First) {
			c.First = at
		}
		if at.After(c.Last) {
			c.Last = at
		}
	}
	for _, item := range items {
		for _, path := range layout.Paths(item) {
			if i, ok := instantOf(item.At(path)); ok {
				note(Candidate{Attribute: path}, i.at)
			}
		}
		id, _ := r.Kind.Matches(r.Table.Schema, item)
		for _, kind := range idtime.Kinds() {
			at, ok := Times{ID: kind}.idTime(id) // without an epoch, no id is a Snowflake id
			if ok && idtime.Plausible(at, now) {
				note(Candidate{ID: kind}, at)
			}
		}
	}
	var all []Candidate
	for _, c := range found {
		if c.Of = len(items); 2*c.Has > c.Of {
			all = append(all, *c)
		}
	}
	slices.SortFunc(all, func(a, b Candidate) int {
		return cmp.Or(b.Has-a.Has, cmp.Compare(a.Attribute, b.Attribute), cmp.Compare(a.ID, b.ID))
	})
	return all
}
