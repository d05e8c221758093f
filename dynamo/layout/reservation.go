package layout

import (
	"fmt"
	"math/big"
	"strings"
	"time"

	"tallylock/dynamo/attr"
)

// Reservation says how long a lock may exist before its account does. For example, an application
// puts the lock when a person begins to sign up, and writes the account hours later.
type Reservation struct {
	For   time.Duration // the longest time; 0 means that no lock exists before its account
	Since string        // the lock's attribute (a name or a path) with the time of the put
}

// clockSkew is added to each reservation, since the application's clock and this machine's clock
// may differ.
const clockSkew = 15 * time.Minute

// The limits of numbers that are times. A number below earliestSecond is not a time. A number below
// firstMilliseconds is in seconds. A number up to latestMilliseconds is in milliseconds.
const (
	earliestSecond     = 100_000_000     // 1973
	firstMilliseconds  = 100_000_000_000 // in seconds, this is the year 5138
	latestMilliseconds = 100_000_000_000_000
)

// times lists the formats of a time in ISO 8601. If a format has no time zone, the real time may differ from the parsed
// time. The fields earlier and later are the greatest distances of the real time before and after the parsed time.
var times = []struct {
	layout         string
	earlier, later time.Duration
}{
	{time.RFC3339, 0, 0},
	{"2006-01-02T15:04:05Z0700", 0, 0},
	{"20060102T150405Z0700", 0, 0},
	{"2006-01-02T15:04:05", eastmost, westmost},
	{"2006-01-02 15:04:05Z07:00", 0, 0},
	{"2006-01-02 15:04:05", eastmost, westmost},
	{"20060102T150405", eastmost, westmost},
	{"2006-01-02", eastmost, 24*time.Hour + westmost},
}

// The greatest offsets of time zones from UTC, to the east and to the west.
const (
	eastmost = 14 * time.Hour
	westmost = 12 * time.Hour
)

// Said returns the value of a lock's attribute Since: the time of the put. It returns the zero
// Value if locks are never reserved.
func (r Reservation) Said(lock attr.Fields) attr.Value {
	if r.For == 0 {
		return attr.Value{}
	}
	return lock.At(r.Since)
}

// Until returns the end of a lock's reservation. since is the attribute with the time of the
// put. If since may mean several times, Until uses the latest one. If the end is unknown, Until
// returns an error. Then the lock may still be reserved.
func (r Reservation) Until(since attr.Value, now time.Time) (time.Time, error) {
	if !since.Exists() {
		return time.Time{}, fmt.Errorf("the lock has no %s", r.Since)
	}
	earliest, latest, ok := pointInTime(since)
	switch {
	case !ok || earliest.Unix() < earliestSecond:
		return time.Time{}, fmt.Errorf("the lock's %s is not a readable time", r.Since)
	case earliest.After(now.Add(clockSkew)):
		return time.Time{}, fmt.Errorf("the lock's %s is in the future", r.Since)
	}
	return latest.Add(r.For + clockSkew), nil
}

// Runs reports whether the reservation of a lock has not ended yet. since is the attribute with the
// time of the put. Runs reports false if the end is unknown.
func (r Reservation) Runs(since attr.Value, now time.Time) bool {
	if r.For == 0 {
		return false
	}
	until, err := r.Until(since, now)
	return err == nil && now.Before(until)
}

// pointInTime reads a time. It returns the earliest and the latest time that v can mean.
func pointInTime(v attr.Value) (earliest, latest time.Time, ok bool) {
	switch v.Kind {
	case attr.N:
		n, whole := attr.Ceiling(v.Text) // Ceiling rounds a fraction up
		switch {
		case !whole || n.Sign() < 0 || n.Cmp(big.NewInt(latestMilliseconds)) >= 0:
			return earliest, latest, false
		case n.Cmp(big.NewInt(firstMilliseconds)) < 0:
			earliest = time.Unix(n.Int64(), 0).UTC()
		default:
			earliest = time.UnixMilli(n.Int64()).UTC()
		}
		return earliest, earliest, true
	case attr.S:
		for _, t := range times {
			if at, err := time.Parse(t.layout, v.Text); err == nil {
				return at.Add(-t.earlier).UTC(), at.Add(t.later).UTC(), true
			}
		}
	}
	return earliest, latest, false
}

// TimeOf reads a time: ISO 8601, or seconds or milliseconds since 1970. zoned is false if the text has no time
// zone: then at is the time if the zone is UTC. TimeOf reports false for other values, and for times before 1973.
func TimeOf(v attr.Value) (at time.Time, zoned, ok bool) {
	earliest, latest, ok := pointInTime(v)
	if ok = ok && earliest.Unix() >= earliestSecond; latest.After(earliest) {
		return earliest.Add(eastmost), false, ok
	}
	return earliest, true, ok
}

// Words returns For as people write it in a config: "48h", not "48h0m0s". It is empty if locks are
// never reserved.
func (r Reservation) Words() string {
	if r.For == 0 {
		return ""
	}
	text := r.For.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
