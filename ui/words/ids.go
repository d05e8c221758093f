package words

import (
	"encoding/binary"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/oklog/ulid/v2"
	"github.com/segmentio/ksuid"

	"tallylock/dynamo/attr"
)

// Made says when an item was made, where an id in its key tells; empty where none does. It
// is what the id says, whoever wrote it.
func Made(key attr.Key, now time.Time) string {
	for _, part := range []attr.Value{key.Hash.Value, key.Range.Value} {
		for _, token := range strings.FieldsFunc(part.Text, func(r rune) bool { return strings.ContainsRune("#/:|@ ", r) }) {
			if kind, at, ok := idTime(token, now); ok {
				return at.Local().Format("2 January 2006 15:04") + ", by its id: " + kind
			}
		}
	}
	return ""
}

// earliest is before any of the ids was invented that tell a time; what tells an earlier one,
// or one to come, is another kind of id that looks alike.
var earliest = time.Date(2005, 1, 1, 0, 0, 0, 0, time.UTC)

// idTime reads the time that an id tells of itself: a UUID of version 1, 6 or 7 (RFC 9562),
// a ULID, a KSUID, or a Snowflake as Twitter counts.
func idTime(id string, now time.Time) (kind string, at time.Time, ok bool) {
	switch len(id) {
	case 36:
		u, err := uuid.Parse(id)
		if v := u.Version(); err == nil && (v == 1 || v == 6 || v == 7) {
			told := u.Time()
			if v == 6 { // the library leaves the version among the bits of the time
				high := binary.BigEndian.Uint64(u[:8])
				told = uuid.Time(high>>16<<12 | high&0xfff) //nolint:gosec // 60 bits
			}
			kind, at = "a UUID of version "+strconv.Itoa(int(v)), time.Unix(told.UnixTime())
		}
	case ulid.EncodedSize:
		if u, err := ulid.ParseStrict(id); err == nil {
			kind, at = "a ULID", ulid.Time(u.Time())
		}
	case 27:
		if k, err := ksuid.Parse(id); err == nil {
			kind, at = "a KSUID", k.Time()
		}
	case 17, 18, 19:
		if n, err := strconv.ParseInt(id, 10, 64); err == nil && n > 0 && id[0] != '0' {
			const since, bits = 1288834974657, 22 // milliseconds; X, formerly Twitter, "Snowflake IDs"
			kind, at = "a Snowflake, if it counts as Twitter's do", time.UnixMilli(n>>bits+since)
		}
	}
	return kind, at, kind != "" && at.After(earliest) && at.Before(now.Add(24*time.Hour))
}
