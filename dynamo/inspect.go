package dynamo

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/phrase"
)

// Inspection is one item and what its values mean.
type Inspection struct {
	Table  string
	Key    attr.Key
	Item   attr.Item // nil where the item does not exist
	Values []*Relation
	At     time.Time
	Units  float64
}

// Inspect reads one item, strongly consistent, and, where it is an account, the
// locks of its values, and judges those that no locks keep as a Browser does. seen are relations read before: an item by itself does not say who
// else holds its values, so their accounts are read again with it.
func (t *Table) Inspect(ctx context.Context, table string, key attr.Key, seen ...*Relation) (*Inspection, error) {
	r := t.conn.Reader()
	found, err := r.Get(ctx, table, []attr.Key{key}, true)
	if err != nil {
		return nil, err
	}
	in := &Inspection{Table: table, Key: key, Item: found[key.ID()], At: time.Now()}
	if kind, a := t.Match.account(in.Item); a != nil && table == t.Name {
		claims := map[string][]attr.Key{}
		for _, rel := range seen {
			if len(rel.Claimants) > 1 {
				id := lockID(rel.Lock.Table, rel.Lock.Key)
				claims[id] = nil
				for _, other := range rel.Claimants {
					claims[id] = append(claims[id], other.Key)
				}
			}
		}
		if in.Values, err = newLockReader(t, r).values(ctx, *a, nil, claims); err != nil {
			return nil, err
		}
		uses, err := inspectUnlocked(ctx, t, r, kind, a, seen)
		if err != nil {
			return nil, err
		}
		in.Values = append(in.Values, uses...)
	}
	in.Units = r.Units
	return in, nil
}

// Meaning says what an attribute's value means beyond its text: the kind of an
// id and the time it carries, a date hidden in a number, how many digits are
// exact. It is empty where there is nothing to say.
func Meaning(name string, v attr.Value, now time.Time) string {
	switch v.Kind {
	case attr.S:
		return idMeaning(v.Text, now)
	case attr.N:
		if at, unit, ok := epoch(name, v.Text); ok {
			if expiry(name) {
				return "expires " + at.Format(dateTime) + " UTC, " + ago(at, now)
			}
			return "as " + unit + ": " + at.Format(dateMillis) + " UTC"
		}
		if digits := len(strings.Trim(attr.CanonicalNumber(v.Text), "-.")); digits > 15 {
			return fmt.Sprintf("%d digits, exact", digits)
		}
	}
	return ""
}

const (
	dateTime   = "2006-01-02 15:04:05"
	dateMillis = "2006-01-02 15:04:05.000"
)

// idMeaning names the kind of an id, wherever in a key it stands.
func idMeaning(s string, now time.Time) string {
	if n := strings.LastIndexAny(s, "#:/"); n >= 0 {
		s = s[n+1:]
	}
	if len(s) == 36 {
		if id, err := uuid.Parse(s); err == nil {
			return uuidMeaning(id, now)
		}
	}
	if at, ok := ulidTime(s); ok {
		return "ULID, made " + at.Format(dateMillis) + " UTC, " + ago(at, now)
	}
	return ""
}

func uuidMeaning(id uuid.UUID, now time.Time) string {
	switch id.Version() {
	case 1, 2, 6:
		sec, nsec := id.Time().UnixTime()
		at := time.Unix(sec, nsec).UTC()
		return fmt.Sprintf("UUID v%d of %s UTC, %s", id.Version(), at.Format(dateMillis), ago(at, now))
	case 7:
		var ms int64
		for _, b := range id[:6] {
			ms = ms<<8 | int64(b)
		}
		at := time.UnixMilli(ms).UTC()
		return fmt.Sprintf("UUID v7 of %s UTC, %s", at.Format(dateMillis), ago(at, now))
	case 4:
		return "UUID v4, random"
	case 3, 5, 8:
		return fmt.Sprintf("UUID v%d", id.Version())
	}
	return ""
}

// crockford is the alphabet of a ULID (github.com/ulid/spec).
const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

func ulidTime(s string) (time.Time, bool) {
	if len(s) != 26 || s[0] > '7' || s != strings.ToUpper(s) {
		return time.Time{}, false
	}
	var ms int64
	for n, c := range s {
		at := strings.IndexRune(crockford, c)
		if at < 0 {
			return time.Time{}, false
		}
		if n < 10 {
			ms = ms<<5 | int64(at)
		}
	}
	at := time.UnixMilli(ms).UTC()
	// 26 letters may be something else: believe only times of this age.
	return at, at.Year() >= 2015 && at.Year() < 2100
}

// epoch reads a number as a point in time where its name says that it is one.
func epoch(name, text string) (at time.Time, unit string, ok bool) {
	low := strings.ToLower(name)
	if !expiry(name) && !strings.HasSuffix(name, "At") && !strings.Contains(low, "time") && !strings.Contains(low, "created") && !strings.Contains(low, "updated") && !strings.Contains(low, "date") {
		return at, "", false
	}
	n, whole := attr.Integer(text)
	if !whole || !n.IsInt64() {
		return at, "", false
	}
	switch v := n.Int64(); {
	case v > 1e8 && v < 1e10:
		return time.Unix(v, 0).UTC(), "seconds", true
	case v > 1e11 && v < 1e13:
		return time.UnixMilli(v).UTC(), "milliseconds", true
	}
	return at, "", false
}

func expiry(name string) bool {
	low := strings.ToLower(name)
	return strings.Contains(low, "expire") || strings.Contains(low, "expiry") || low == "ttl"
}

// ago says how far a time lies from now, as people say it.
func ago(at, now time.Time) string {
	d := now.Sub(at)
	future := d < 0
	if future {
		d = -d
	}
	var text string
	switch {
	case d < time.Minute:
		text = "less than a minute"
	case d < time.Hour:
		text = phrase.Count(int(d.Minutes()), "minute")
	case d < 48*time.Hour:
		text = phrase.Count(int(d.Hours()), "hour")
	case d < 2*365*24*time.Hour:
		text = phrase.Count(int(d.Hours()/24), "day")
	default:
		text = phrase.Count(int(d.Hours()/24/365), "year")
	}
	if future {
		return "in " + text
	}
	return text + " ago"
}
