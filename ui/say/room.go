package say

import (
	"fmt"
	"math/big"
	"time"

	"tallylock/dynamo/counter"
	"tallylock/dynamo/phrase"
	"tallylock/ui/kit"
)

// Rooms says for each limit ahead of a counter how many numbers are left, and how long they last: a line for each
// limit, the nearest first. pace is how much the counter rises in a second, as observed until the time read; 0 if
// unknown. It returns nil for a counter that does not end.
func Rooms(c counter.Counter, pace float64, read time.Time) [][]kit.Span {
	var out [][]kit.Span
	for _, room := range c.Rooms() {
		passed, isPassed := pastDouble(c)
		left := kit.Text
		if len(room.Left.String()) < 3 {
			left = kit.Warn
		}
		line := []kit.Span{left.Of(FitNumber(room.Left.String(), 26))}
		switch {
		case room.Limit == counter.LayoutMax:
			line = append(line, kit.Muted.Of(" left: "+c.Layout.Limit()))
		case room.Limit == counter.Digits38 && isPassed:
			if line = []kit.Span{kit.Warn.Of("reached 2^53")}; passed != "0" {
				line = []kit.Span{kit.Warn.Of("passed 2^53"), kit.Muted.Of(" by " + FitNumber(passed, 24))}
			}
			more := roughly(room.Left.String())
			if digits := room.Left.String(); len(digits) <= 20 {
				more = phrase.Group(digits)
			}
			line = append(line, kit.Muted.Of(", "+more+" left until 10^38"))
		case room.Limit == counter.Digits38:
			continue // a nearer limit has its own line
		default:
			line = append(line, kit.Muted.Of(until(room)))
		}
		if lasts := lasting(room, pace, read); lasts != "" && !isPassed {
			line = append(line, kit.Muted.Of(", "+lasts+" at "+Rate(pace)))
		}
		out = append(out, line)
	}
	return out
}

// Left says how many numbers are left until a limit other than that of the layout.
func Left(room counter.Room) string { return phrase.Group(room.Left.String()) + until(room) }

func until(room counter.Room) string {
	said := " left until " + string(room.Limit)
	if room.Proposed {
		said += " if ids are 32-bit"
	}
	return said
}

// NoRoom says why a counter has no next number.
func NoRoom(c counter.Counter) string {
	if limit := c.Layout.Limit(); limit != "" {
		return "no room left: " + limit
	}
	return "no room left: a DynamoDB number has at most 38 digits"
}

// pastDouble returns the distance of a counter above 2^53. From 2^53 on, JavaScript reads some numbers wrongly. ok is
// false for a lower counter.
func pastDouble(c counter.Counter) (by string, ok bool) {
	n, whole := WholeNumber(c.Value)
	if !whole {
		return "", false
	}
	n.Sub(n, new(big.Int).Lsh(big.NewInt(1), 53))
	return n.String(), n.Sign() >= 0
}

// ShortRoom writes in w cells how many numbers are left until the nearest limit. A question mark follows if the numbers
// only look as if that limit applies.
func ShortRoom(c counter.Counter, w int) (string, kit.Style) {
	rooms := c.Rooms()
	if len(rooms) == 0 {
		return kit.GlyphAbsent, kit.Muted
	}
	digits, sure := rooms[0].Left.String(), ""
	if rooms[0].Proposed {
		sure = "?"
	}
	switch exact := phrase.Group(digits) + sure; {
	case len(exact) > w:
		return roughly(digits) + sure, kit.Muted
	case len(digits) < 3:
		return exact, kit.Warn
	default:
		return exact, kit.Text
	}
}

// roughly writes the size of a number of several digits: "about 9×10^15".
func roughly(digits string) string { return fmt.Sprintf("about %c×10^%d", digits[0], len(digits)-1) }

// RunsOut writes when the numbers until the nearest limit are used up, by the pace of the counter. A question mark
// follows if the numbers only look as if that limit applies.
func RunsOut(c counter.Counter, pace float64, read time.Time) string {
	rooms := c.Rooms()
	if len(rooms) == 0 {
		return kit.GlyphAbsent
	}
	span, ok := lastsFor(rooms[0].Rise, pace)
	sure := ""
	if rooms[0].Proposed {
		sure = "?"
	}
	switch {
	case pace <= 0:
		return kit.GlyphAbsent
	case !ok:
		return "centuries" + sure
	case span < day:
		return "in " + Roughly(span) + sure
	}
	return read.Add(span).Local().Format(date) + sure
}

const (
	day  = 24 * time.Hour
	date = "2 Jan 2006"
)

// lasting says how long the numbers of a room last, or until which day. It is empty without a pace.
func lasting(room counter.Room, pace float64, read time.Time) string {
	span, ok := lastsFor(room.Rise, pace)
	switch {
	case pace <= 0:
		return ""
	case !ok:
		return "centuries"
	case span < day:
		return "about " + Roughly(span)
	}
	return "until about " + read.Add(span).Local().Format(date)
}

// lastsFor returns how long a counter takes for a rise. It returns false without a pace, and for more than a century.
func lastsFor(rise *big.Int, pace float64) (time.Duration, bool) {
	const century = 100 * 365 * day
	if pace <= 0 {
		return 0, false
	}
	seconds := new(big.Float).Quo(new(big.Float).SetInt(rise), big.NewFloat(pace))
	if seconds.Cmp(big.NewFloat(century.Seconds())) > 0 {
		return 0, false
	}
	s, _ := seconds.Float64()
	return time.Duration(s * float64(time.Second)), true
}
