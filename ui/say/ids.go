package say

import (
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/idtime"
)

// Made says when an item was created, from the time in an id of its key. It is empty if there is no such id. The time
// may be wrong, because the maker of the id chose it.
func Made(key attr.Key, now time.Time) string {
	for _, part := range []attr.Value{key.Hash.Value, key.Range.Value} {
		for _, token := range strings.FieldsFunc(part.Text, func(r rune) bool { return strings.ContainsRune("#/:|@ ", r) }) {
			if kind, at, ok := idtime.Recognise(token, now); ok {
				return at.Local().Format("2 January 2006 15:04") + ", by its id: " + idKinds[kind]
			}
		}
	}
	return ""
}

// idKinds has the words for a kind of ids that contain their time.
var idKinds = map[idtime.Kind]string{
	idtime.UUIDv1: "a UUID of version 1", idtime.UUIDv6: "a UUID of version 6", idtime.UUIDv7: "a UUID of version 7",
	idtime.ULID: "a ULID", idtime.KSUID: "a KSUID",
	idtime.Snowflake: "a Snowflake id, if it uses Twitter's epoch",
}

// Meaning explains an attribute's value: the kind of an id and the time in it, a number that is a
// time, or the count of exact digits. It is empty for other values.
func Meaning(name string, v attr.Value, now time.Time) string {
	switch v.Kind {
	case attr.S:
		return idMeaning(v.Text, now)
	case attr.N:
		if at, unit, ok := epoch(name, v.Text); ok {
			if expiry(name) {
				return "expires " + at.Format(time.DateTime) + " UTC, " + fromNow(at, now)
			}
			return "as " + unit + ": " + at.Format(dateMillis) + " UTC"
		}
		if digits := len(strings.Trim(attr.CanonicalNumber(v.Text), "-.")); digits > 15 {
			return fmt.Sprintf("%d digits, exact", digits)
		}
	}
	return ""
}

const dateMillis = "2006-01-02 15:04:05.000"

// idMeaning explains an id. The id is the whole text, or the end of a key.
func idMeaning(s string, now time.Time) string {
	if n := strings.LastIndexAny(s, "#:/"); n >= 0 {
		s = s[n+1:]
	}
	_, at, timed := idtime.Recognise(s, now)
	made := at.UTC().Format(dateMillis) + " UTC, " + fromNow(at, now)
	id, err := uuid.Parse(s)
	switch {
	case len(s) == 36 && err == nil && timed:
		return fmt.Sprintf("UUID v%d of %s", id.Version(), made)
	case len(s) == 36 && err == nil && id.Version() == 4:
		return "UUID v4, random"
	case len(s) == 36 && err == nil && id.Version() >= 1 && id.Version() <= 8:
		return fmt.Sprintf("UUID v%d", id.Version())
	case len(s) == 26 && timed:
		return "ULID, made " + made
	case len(s) == 27 && timed:
		return "KSUID, made " + made
	}
	return ""
}

// epoch reads a number as a Unix time, if the attribute's name suggests a time.
func epoch(name, text string) (at time.Time, unit string, ok bool) {
	low := strings.ToLower(name)
	if !expiry(name) && !strings.HasSuffix(name, "At") && !strings.Contains(low, "time") &&
		!strings.Contains(low, "created") &&
		!strings.Contains(low, "updated") &&
		!strings.Contains(low, "date") {
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

// fromNow writes how far a time is from now: "3 h ago", "in 10 days".
func fromNow(at, now time.Time) string {
	if at.After(now) {
		return "in " + Roughly(at.Sub(now))
	}
	return Ago(now.Sub(at))
}
