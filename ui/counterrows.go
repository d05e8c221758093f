package ui

import (
	"strconv"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
)

// counterRow is a counter with its last readings, and when its table was checked:
// what is known of the ids in use is of then.
type counterRow struct {
	dynamo.Counter
	past    *history
	checked time.Time
}

// counterList is the counters as a list.
type counterList struct {
	rows []counterRow
	cols counterColumns
	now  time.Time
}

func (s counterList) Len() int                   { return len(s.rows) }
func (s counterList) Row(n int) (int, int, bool) { return n, n, true }
func (s counterList) Name(n int) string          { return counterID(s.rows[n].Counter) }
func (s counterList) Problem(n int) bool         { return len(s.rows[n].Faults) > 0 }

// counterColumns are where the columns stand. A column that there is no room for
// is 0: what it says moves to the detail.
type counterColumns struct {
	table, stores, valueFrom, valueEnd, nextFrom, nextEnd, spark, parts, rateEnd, highestFrom, highestEnd, health int
}

// longest is the room that 38 digits need with their separators.
const longest = 50

func counterColumnsOf(width int) counterColumns {
	if width < wideWidth {
		c := counterColumns{stores: 16, valueFrom: 21, valueEnd: 39, spark: 43, parts: 12, rateEnd: 62, health: 65}
		if extra := width - 80; extra > 0 {
			c.valueEnd += extra
			c.spark, c.rateEnd, c.health = c.spark+extra, c.rateEnd+extra, c.health+extra
		} else if extra < 0 { // no bars
			c.spark, c.parts = 0, 0
			c.health = width - 16
			c.rateEnd = c.health - 2
			if c.rateEnd-7 <= c.valueEnd { // no rate: a number is never run into another
				c.rateEnd, c.valueEnd = 0, min(c.valueEnd, c.health-3)
			}
		}
		return c
	}
	c := counterColumns{table: 16, stores: 31, valueFrom: 39, parts: 15, health: width - 17}
	end := c.health - 3
	numbers := end - c.valueFrom - 3 - 2 - c.parts - 6
	if numbers >= 55 { // two numbers past 2^53 with their separators, and the words above an id
		ids := min(13+(numbers-55)/3, longest+3)
		c.highestFrom, c.highestEnd = end-ids+3, end
		numbers, end = numbers-ids, end-ids
	}
	if name := numbers - 2*longest; name > 0 {
		c.table, c.stores, c.valueFrom = c.table+name, c.stores+name, c.valueFrom+name
		numbers -= name
	}
	c.rateEnd = end
	c.spark = c.rateEnd - 6 - c.parts
	c.nextEnd = c.spark - 2
	c.nextFrom = c.nextEnd - numbers/2
	c.valueEnd = c.nextFrom - 3
	return c
}

func (s counterList) Draw(l *line, n int, _ bool) {
	row, c := s.rows[n], s.cols
	end := c.stores
	if c.table > 0 {
		end = c.table
	}
	l.fit(asStrong, row.Name, end-3)
	if c.table > 0 {
		l.to(c.table)
		l.fit(asMuted, row.Table, c.stores-c.table-1)
	}
	l.to(c.stores)
	l.put(asMuted, string(row.Semantics))
	value, k := shownValue(row.Counter, c.valueEnd-c.valueFrom)
	endsIn(l, k, value, c.valueFrom, c.valueEnd)
	if c.nextEnd > 0 {
		next := glyphAbsent
		if row.Next != "" {
			next = fitNumber(row.Next, c.nextEnd-c.nextFrom)
		}
		endsIn(l, asMuted, next, c.nextFrom, c.nextEnd)
	}
	moves := row.Exists && row.past != nil && row.Next+row.Value != ""
	if c.spark > 0 && moves && row.past.n > 0 {
		l.to(c.spark)
		drawSpark(l, row.past.buckets(s.now, time.Minute/time.Duration(c.parts), c.parts))
	}
	if c.rateEnd > 0 {
		pace := glyphAbsent
		if moves {
			pace = rate(row.past.rate())
		}
		endsIn(l, asMuted, pace, c.rateEnd-7, c.rateEnd)
	}
	if c.highestEnd > 0 {
		highest, k := shownHighest(row, c.highestEnd-c.highestFrom)
		endsIn(l, k, highest, c.highestFrom, c.highestEnd)
	}
	l.to(c.health)
	sign := counterSign(row.Counter)
	sign.draw(l)
	if by := behindBy(row.Counter); by != "" && l.at+len(" by ")+len(by) < l.width {
		l.put(sign.look|bold, " by "+by)
	}
}

// behindBy is how far a counter is behind the highest id in use; empty where it is
// not.
func behindBy(c dynamo.Counter) string {
	value, ok := whole(c.Value)
	highest, known := whole(c.HighestID)
	if !ok || !known || !hasFault(c, layout.CounterBehind) {
		return ""
	}
	if c.Semantics == layout.Next { // the number itself is still to be handed out
		highest.Add(highest, c.Layout.Step)
	}
	return phrase.Group(highest.Sub(highest, value).String())
}

// endsIn writes a text so that it ends before column end, and no further left
// than from.
func endsIn(l *line, k look, text string, from, end int) {
	w := cells(text)
	l.to(max(end-w, from))
	l.words(k, text, end-l.at)
}

// shownValue is a counter's value in w cells: a number whole, anything else
// between quotes.
func shownValue(c dynamo.Counter, w int) (string, look) {
	switch {
	case !c.Exists:
		return glyphAbsent, asText
	case c.Next == "" && hasFault(c, layout.CounterNotNumber):
		return strconv.Quote(c.Value), asText
	}
	return fitNumber(c.Value, w), asText
}

// shownHighest is the highest id in use in w cells, as far as that is known.
func shownHighest(row counterRow, w int) (string, look) {
	switch {
	case row.HighestID != "" && hasFault(row.Counter, layout.CounterBehind):
		return fitNumber(row.HighestID, w), asBad
	case row.HighestID != "":
		return fitNumber(row.HighestID, w), asMuted
	case row.Semantics != layout.Tally && len(row.Layout.IDs) == 0:
		return "not kept", asMuted
	}
	return glyphAbsent, asMuted
}

func hasFault(c dynamo.Counter, fault layout.CounterFault) bool {
	for _, f := range c.Faults {
		if f == fault {
			return true
		}
	}
	return false
}

// counterSign is a counter's health.
func counterSign(c dynamo.Counter) sign {
	for _, f := range c.Faults {
		switch f {
		case layout.CounterMissing:
			return sign{glyphMissing, asWarn, "missing", false}
		case layout.CounterNotNumber:
			return sign{glyphNotNumber, asBad, "not a number", false}
		case layout.CounterBehind:
			return sign{glyphBehind, asBad, "behind", false}
		case layout.CounterOffStep:
			return sign{glyphOffStep, asWarn, "off step", false}
		case layout.CounterUnsafe:
			return sign{glyphUnsafe, asWarn, "past 2^53", false}
		}
	}
	if c.Unjudged() {
		return sign{glyphNone, asMuted, "not checked", true}
	}
	return sign{glyphHeld, asGood, "ok", true}
}
