// Package idtime reads the time in an id, such as a ULID or a UUID of version 7. The maker of an id chooses the time,
// so the time may be wrong. The package imports nothing of tallylock.
package idtime

import (
	"encoding/binary"
	"encoding/hex"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/oklog/ulid/v2"
	"github.com/segmentio/ksuid"
)

// Kind is a kind of ids that contain the time of their making.
type Kind string

// The kinds (RFC 9562 for UUIDs; the MongoDB Manual, "ObjectId"; X, formerly Twitter, "Snowflake IDs").
const (
	UUIDv1    Kind = "uuidv1"
	UUIDv6    Kind = "uuidv6"
	UUIDv7    Kind = "uuidv7"
	ULID      Kind = "ulid"
	KSUID     Kind = "ksuid"
	ObjectID  Kind = "objectid"
	Snowflake Kind = "snowflake" // 22 bits after the milliseconds since an epoch that each company chooses
)

// Kinds lists the kinds.
func Kinds() []Kind { return []Kind{UUIDv1, UUIDv6, UUIDv7, ULID, KSUID, ObjectID, Snowflake} }

// TwitterEpoch is the epoch of Twitter's Snowflake ids.
var TwitterEpoch = time.UnixMilli(1288834974657).UTC()

// snowflakeBits is the number of bits after the time in a Snowflake id.
const snowflakeBits = 22

// Of reads the time in an id of a kind. epoch is only for Snowflake ids. Of reports false if the id is of another kind.
func (k Kind) Of(id string, epoch time.Time) (time.Time, bool) {
	switch k {
	case UUIDv1, UUIDv6, UUIDv7:
		if kind, at, ok := uuidTime(id); ok && kind == k {
			return at, true
		}
	case ULID:
		if u, err := ulid.ParseStrict(id); err == nil {
			return ulid.Time(u.Time()).UTC(), true
		}
	case KSUID:
		if u, err := ksuid.Parse(id); err == nil && u.String() == id { // Parse accepts other characters
			return u.Time().UTC(), true
		}
	case ObjectID:
		if b, err := hex.DecodeString(id); err == nil && len(b) == 12 {
			return time.Unix(int64(binary.BigEndian.Uint32(b)), 0).UTC(), true
		}
	case Snowflake:
		n, err := strconv.ParseInt(id, 10, 64)
		if err == nil && n > 0 && id[0] != '0' && id[0] != '+' && !epoch.IsZero() {
			return time.UnixMilli(n>>snowflakeBits + epoch.UnixMilli()).UTC(), true
		}
	}
	return time.Time{}, false
}

// uuidTime reads the time in a UUID of version 1, 6 or 7.
func uuidTime(id string) (kind Kind, at time.Time, ok bool) {
	u, err := uuid.Parse(id)
	if err != nil || len(id) != 36 {
		return "", at, false
	}
	told := u.Time()
	switch u.Version() {
	case 1:
		kind = UUIDv1
	case 6:
		// The library does not remove the version from the bits of the time.
		high := binary.BigEndian.Uint64(u[:8])
		kind, told = UUIDv6, uuid.Time(high>>16<<12|high&0xfff) //nolint:gosec // 60 bits
	case 7:
		kind = UUIDv7
	default:
		return "", at, false
	}
	return kind, time.Unix(told.UnixTime()).UTC(), true
}

// earliest is the earliest plausible time of an id. DynamoDB began in 2012, and a table may have ids that are some
// years older. A text with an earlier time, or with a time in the future, only looks like an id.
var earliest = time.Date(2005, 1, 1, 0, 0, 0, 0, time.UTC)

// Recognise returns the kind of an id and its time. It reports false if the text has none of the kinds, or if the time
// is not Plausible. A number counts as a Snowflake id of Twitter. Recognise does not try ObjectID.
func Recognise(id string, now time.Time) (Kind, time.Time, bool) {
	for _, k := range []Kind{UUIDv1, UUIDv6, UUIDv7, ULID, KSUID, Snowflake} {
		if k == Snowflake && (len(id) < 17 || len(id) > 19) {
			continue
		}
		if at, ok := k.Of(id, TwitterEpoch); ok {
			return k, at, Plausible(at, now)
		}
	}
	return "", time.Time{}, false
}

// Plausible reports whether a time may be the time of an id: it is after earliest, and at most a day in the future.
func Plausible(at, now time.Time) bool { return at.After(earliest) && at.Before(now.Add(24*time.Hour)) }
