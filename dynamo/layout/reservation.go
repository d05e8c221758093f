package layout

import (
	"fmt"
	"math/big"
	"strings"
	"time"

	"tallylock/dynamo/attr"
)

// Reservation says that a lock may stand before its account does: an application that
// claims a value when somebody begins to sign up, and writes the account hours later.
type Reservation struct {
	For   time.Duration // how long at most; 0: locks never precede their accounts
	Since string        // the lock's attribute that says when it was put: a name, or a path
}

// clockSkew is how much longer a lock counts as reserved than it says: the application's
// clock has written what this machine's clock is compared with.
const clockSkew = 15 * time.Minute

// The times that a lock may say: before the first it is no time at all, numbers below
// the second are seconds, and the others milliseconds.
const (
	earliestSecond     = 100_000_000     // 1973
	firstMilliseconds  = 100_000_000_000 // as seconds it would be the year 5138
	latestMilliseconds = 100_000_000_000_000
)

// times are the ways in which ISO 8601 writes a time, and by how much it may be earlier
// or later than what is read: where no zone is written it may be any.
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

// How far zones are from UTC.
const (
	eastmost = 14 * time.Hour
	westmost = 12 * time.Hour
)

// Said is what a lock says of when it was put; no value where locks are never reserved.
func (r Reservation) Said(lock attr.Fields) attr.Value {
	if r.For == 0 {
		return attr.Value{}
	}
	return lock.At(r.Since)
}

// Until is when the reservation of a lock is over, by what the lock says of when it was
// put. It is never too early: of all times that may be meant it takes the latest. Its
// error says why that cannot be told; then the lock may be reserved.
func (r Reservation) Until(since attr.Value, now time.Time) (time.Time, error) {
	if !since.Exists() {
		return time.Time{}, fmt.Errorf("the lock has no %s", r.Since)
	}
	earliest, latest, ok := pointInTime(since)
	switch {
	case !ok || earliest.Unix() < earliestSecond:
		return time.Time{}, fmt.Errorf("the lock's %s is no time that can be read", r.Since)
	case earliest.After(now.Add(clockSkew)):
		return time.Time{}, fmt.Errorf("the lock's %s lies in the future", r.Since)
	}
	return latest.Add(r.For + clockSkew), nil
}

// Runs reports whether a lock that says this of when it was put is reserved still.
func (r Reservation) Runs(since attr.Value, now time.Time) bool {
	if r.For == 0 {
		return false
	}
	until, err := r.Until(since, now)
	return err == nil && now.Before(until)
}

// pointInTime reads a time, exactly: the earliest and the latest that may be meant.
func pointInTime(v attr.Value) (earliest, latest time.Time, ok bool) {
	switch v.Kind {
	case attr.N:
		n, whole := attr.Ceiling(v.Text) // of a fraction the later
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

// Words is For as a config writes it: "48h", and not "48h0m0s". It is empty where locks are
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
