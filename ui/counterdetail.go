package ui

import (
	"fmt"
	"math/big"
	"strings"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
)

// detail is a counter in four rows.
func (s *countersScreen) detail(d *doc) {
	if s.app.offline != nil {
		s.app.offlineDetail(d)
		return
	}
	row, ok := s.selected()
	if !ok {
		s.list.gone(d)
		return
	}
	d.verdict(counterSign(row.Counter), counterSentence(row.Counter))
	d.fact("item", span{asText, row.Table + ": " + row.Key.String()}, span{asFaint, " " + glyphPath + " "}, span{asText, row.Attribute},
		span{asMuted, "   " + storesWords(row.Semantics)})
	if row.Next != "" {
		next := []span{{asText, fitNumber(row.Next, d.width-30)}, {asMuted, "   step "}, {asText, row.Step}}
		if row.HighestID != "" {
			next = append(next, span{asMuted, "   highest id "}, span{asText, fitNumber(row.HighestID, 20)}, span{asMuted, " in use"})
		}
		d.fact("next", next...)
	} else if full(row.Counter) {
		d.fact("next", span{asWarn, glyphAbsent}, span{asText, "   " + noRoom(row)})
	}
	if room, ok := roomWords(row); ok {
		d.fact("room", room...)
	}
}

// wideDetail is a counter's facts on the left and its chart on the right.
func (s *countersScreen) wideDetail(d *doc) {
	left := s.app.newDoc(countersSplit, d.height-1, d.ground, d.quiet)
	right := s.app.newDoc(d.width-countersSplit-1, d.height-1, d.ground, d.quiet)
	if row, ok := s.selected(); ok {
		s.facts(left, row)
		s.chart(right, row)
		d.lacks = left.lacks
	}
	d.lines = append(d.lines, beside(d.st, left.filled(), right.filled(), asFaint, d.ground)...)
	l := newLine(d.st, d.width, d.ground)
	l.run(asFaint, ruleThin, countersSplit)
	l.run(asFaint, wallUp, 1)
	l.run(asFaint, ruleThin, d.width)
	d.lines = append(d.lines, l.done())
}

func (s *countersScreen) facts(d *doc, row counterRow) {
	if s.app.offline != nil {
		s.app.offlineDetail(d)
		return
	}
	d.gap()
	d.row(func(l *line) {
		l.put(asText, " ")
		counterSign(row.Counter).draw(l)
	})
	d.para(3, asStrong, counterSentence(row.Counter))
	d.gap()
	d.fact("item", span{asText, row.Table + ": " + row.Key.String()}, span{asFaint, " " + glyphPath + " "}, span{asText, row.Attribute})
	d.fact("stores", span{asText, storesWords(row.Semantics)}, span{asMuted, ", step "}, span{asText, row.Step})
	if row.Next != "" {
		d.fact("next", span{asText, fitNumber(row.Next, d.width-15)})
	} else if full(row.Counter) {
		d.fact("next", span{asWarn, glyphAbsent})
		d.para(13, asText, noRoom(row))
	}
	if said, ok := highestWords(row, d.width-14); ok {
		d.fact("highest", said...)
	}
	pace := row.past.rate()
	if room, ok := roomWords(row); ok {
		d.fact("room", room[:min(len(room), 2)]...)
		if len(room) > 2 {
			d.fact("", span{asMuted, strings.TrimPrefix(room[2].text, ", ")})
		}
	}
	d.fact("writes", span{asText, rate(pace)}, span{asMuted, " of 1,000/s that one item takes"})
	d.row(func(l *line) {
		l.to(13)
		bar(l, pace/1000, 24)
		l.put(asMuted, " "+percent(pace/1000))
	})
	d.gap()
	s.app.youCan(d, 3, can{keymap.Bump, "bump, reserve, raise or lower it"}, can{keymap.Open, "open the item"}, can{keymap.Copy, "copy the number"}, can{keymap.CopyItem, "copy the item as JSON"})
}

func (s *countersScreen) chart(d *doc, row counterRow) {
	width := d.width - 9 - 3
	part := s.app.opts.Refresh
	if part <= 0 {
		part = time.Second
	}
	width = min(width, keep-1)
	end := s.readAt
	c := chart{parts: row.past.buckets(end, part, width), from: end.Add(-part * time.Duration(width)), to: end}
	d.gap()
	d.row(func(l *line) {
		l.to(2)
		l.fit(asStrong, row.Name, 24)
		l.words(asMuted, fmt.Sprintf(", numbers handed out a second, last %s", lasts(part*time.Duration(width))), l.width-l.at-1)
	})
	d.gap()
	c.draw(d, max(d.height-8, 3))
}

// highestWords say what is known of the highest id in use, in w cells.
func highestWords(row counterRow, w int) ([]span, bool) {
	switch {
	case row.Semantics == layout.Tally:
		return nil, false
	case row.HighestID != "":
		when := " in use, checked " + row.checked.Local().Format("15:04")
		return []span{{asText, fitNumber(row.HighestID, w-cells(when))}, {asMuted, when}}, true
	case len(row.Layout.IDs) == 0:
		return []span{{asAbsent, "not kept: the layout names no ids"}}, true
	case row.checked.IsZero():
		return []span{{asAbsent, "not looked for: a check tells"}}, true
	}
	return []span{{asAbsent, "no id in use"}, {asMuted, ", checked " + row.checked.Local().Format("15:04")}}, true
}

// counterSentence says what a counter's value means, or what is wrong with it.
func counterSentence(c dynamo.Counter) string {
	v := phrase.Group(c.Value)
	for _, f := range c.Faults {
		switch f {
		case layout.CounterMissing:
			if c.Item != nil {
				return "Its item exists, but has no attribute " + c.Attribute + "."
			}
			return "The counter does not exist: nothing has been handed out yet, or it was deleted."
		case layout.CounterBehind:
			return fmt.Sprintf("It says %s, but %s is in use and will be given out again.", v, phrase.Group(c.HighestID))
		case layout.CounterNotNumber:
			if c.Item.At(c.Attribute).Kind == attr.N {
				return fmt.Sprintf("It holds %s, which is no whole number from 0 on. ADD works on it, and goes on from there.", c.Value)
			}
			return fmt.Sprintf("It holds \"%s\", which is no number: ADD fails on it.", c.Value)
		case layout.CounterOffStep:
			return fmt.Sprintf("It says %s, which is not in the series: every %sth number from %s on.", v, c.Step, c.Layout.Offset)
		case layout.CounterUnsafe:
			if seen := asDouble(c.Value); seen != c.Value {
				return fmt.Sprintf("%s is exact here and in the table; a reader that keeps numbers in a double sees %s.", v, phrase.Group(seen))
			}
			return v + " is exact; not every number after it is so in a reader that keeps numbers in a double."
		}
	}
	switch c.Semantics {
	case layout.Next:
		return v + " is the next number to hand out."
	case layout.Tally:
		return "It counts " + v + " and hands out no numbers."
	}
	if c.Next == "" {
		return v + " is the last number handed out."
	}
	return v + " is the last number handed out; the next is " + phrase.Group(c.Next) + "."
}

// noRoom is why a counter has no next number.
func noRoom(row counterRow) string {
	if limit := row.Layout.Limit(); limit != "" {
		return "no room left: " + limit
	}
	return "no room left: 38 digits are all that DynamoDB keeps"
}

// full reports whether a counter that hands out numbers has none left.
func full(c dynamo.Counter) bool {
	_, ok := whole(c.Value)
	return ok && c.Exists && c.Next == "" && c.Semantics != layout.Tally
}

// asDouble is what a number becomes in a reader that keeps it in a double. This
// is the one place where a table's number meets one, to show what it does to it.
func asDouble(digits string) string {
	n, ok := whole(digits)
	if !ok {
		return digits
	}
	f, _ := new(big.Float).SetInt(n).Float64()
	out, _ := big.NewFloat(f).Int(nil)
	return out.String()
}

func storesWords(s layout.Semantics) string {
	switch s {
	case layout.Next:
		return "the next number to hand out"
	case layout.Tally:
		return "a count of items"
	}
	return "the last number handed out"
}

// roomWords says how many numbers are left before readers that keep them in a
// double go wrong, and how long that takes; past that, how many DynamoDB keeps.
func roomWords(row counterRow) ([]span, bool) {
	n, ok := whole(row.Value)
	if !ok || row.Semantics == layout.Tally {
		return nil, false
	}
	if room, ok := row.Layout.Room(row.Value); ok {
		style := asText
		if len(room.String()) < 3 {
			style = asWarn
		}
		return []span{{style, phrase.Group(room.String())}, {asMuted, " left: " + row.Layout.Limit()}}, true
	}
	limit := new(big.Int).Lsh(big.NewInt(1), 53)
	left := new(big.Int).Sub(limit, n)
	if left.Sign() <= 0 {
		rest := new(big.Int).Exp(big.NewInt(10), big.NewInt(38), nil)
		rest.Sub(rest, n)
		end := "10^38 is out of reach"
		if r := rest.String(); len(r) <= 20 {
			end = fitNumber(r, 20) + " to 10^38"
		}
		return []span{
			{asWarn, "passed 2^53"},
			{asMuted, " by " + fitNumber(left.Neg(left).String(), 24)},
			{asMuted, ", " + end},
		}, true
	}
	s := []span{{asText, phrase.Group(left.String())}, {asMuted, " to 2^53"}}
	if pace := row.past.rate(); pace > 0 {
		seconds, _ := new(big.Float).Quo(new(big.Float).SetInt(left), big.NewFloat(pace)).Float64()
		s = append(s, span{asMuted, ", " + far(seconds) + " at " + rate(pace)})
	}
	return s, true
}

// far says how long something takes, roughly.
func far(seconds float64) string {
	const day = 86400
	switch {
	case seconds < 120:
		return fmt.Sprintf("about %.0f s", seconds)
	case seconds < 2*3600:
		return fmt.Sprintf("about %.0f minutes", seconds/60)
	case seconds < 2*day:
		return fmt.Sprintf("about %.0f hours", seconds/3600)
	case seconds < 700*day:
		return fmt.Sprintf("about %.0f days", seconds/day)
	case seconds < 200*365*day:
		return fmt.Sprintf("about %.0f years", seconds/365/day)
	}
	return "centuries"
}
