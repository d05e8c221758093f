package counters

import (
	"strconv"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
	"tallylock/ui/kit"
	"tallylock/ui/words"
)

// row is a counter with its last values, and when its table was checked:
// what is known of the ids in use is of then.
type row struct {
	dynamo.Counter
	past    *history
	checked time.Time
}

// list is the counters as a list: under the name of their connection, where those of all
// connections are listed.
type list struct {
	kit.Groups

	groups []group
	cols   columns
	shown  *shown
}

// at is the group and the place in it of line n; place −1 is the group's head, or no line.
func (s list) at(n int) (group, int) {
	g, place, ok := s.At(n)
	if !ok {
		return group{}, -1
	}
	return s.groups[g], place
}

func (s list) Name(n int) string {
	g, place := s.at(n)
	name := strconv.Itoa(g.on) + "\x00"
	if place >= 0 {
		name += idOf(g.rows[place].Counter)
	}
	return name + kit.NameEnds
}

func (s list) Problem(n int) bool {
	g, place := s.at(n)
	return place >= 0 && len(g.rows[place].Faults) > 0
}

// columns are where the columns stand. A column that there is no room for
// is 0: what it says moves to the detail.
type columns struct {
	table, stores, valueFrom, valueEnd, nextFrom, nextEnd, spark, parts, rateEnd, highestFrom, highestEnd, health int
}

// heads writes the names of the columns.
func (c columns) heads(l *kit.Line) {
	l.To(2)
	l.Put(kit.Muted, "COUNTER")
	if c.table > 0 {
		l.To(c.table)
		l.Put(kit.Muted, "TABLE")
	}
	l.To(c.stores)
	l.Put(kit.Muted, "STORES")
	l.Ends(kit.Muted, "VALUE", c.valueEnd)
	if c.nextEnd > 0 {
		l.Ends(kit.Muted, "NEXT", c.nextEnd)
	}
	if c.spark > 0 {
		l.To(c.spark)
		l.Put(kit.Muted, "LAST 60 S")
	}
	if c.rateEnd > 0 {
		l.Ends(kit.Muted, "RATE", c.rateEnd)
	}
	if c.highestEnd > 0 {
		l.Ends(kit.Muted, "HIGHEST ID", c.highestEnd)
	}
	l.To(c.health)
	l.Put(kit.Muted, "HEALTH")
}

// longest is the room that 38 digits need with their separators.
const longest = 50

func columnsOf(width int) columns {
	if width < kit.WideWidth {
		c := columns{stores: 16, valueFrom: 21, valueEnd: 39, spark: 43, parts: 12, rateEnd: 62, health: 65}
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
	c := columns{table: 16, stores: 31, valueFrom: 39, parts: 15, health: width - 17}
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

func (s list) Draw(l *kit.Line, n int, _ bool) {
	g, place := s.at(n)
	if place < 0 {
		kit.FoldMark(l, s.Folded(n))
		s.shown.head(l, g)
		return
	}
	if s.shown.every && g.stale() {
		l.Quieten()
	}
	row, c := g.rows[place], s.cols
	end := c.stores
	if c.table > 0 {
		end = c.table
	}
	l.Fit(kit.Strong, row.Name, end-3)
	if c.table > 0 {
		l.To(c.table)
		l.Fit(kit.Muted, row.Table, c.stores-c.table-1)
	}
	l.To(c.stores)
	stores := string(row.Semantics)
	if row.Layout.Guess && len(stores) < c.valueFrom-c.stores {
		stores += "?"
	}
	l.Put(kit.Muted, stores)
	l.EndsIn(kit.Text, shownValue(row.Counter, c.valueEnd-c.valueFrom), c.valueFrom, c.valueEnd)
	if c.nextEnd > 0 {
		next := kit.GlyphAbsent
		if row.Next != "" {
			next = words.FitNumber(row.Next, c.nextEnd-c.nextFrom)
		}
		l.EndsIn(kit.Muted, next, c.nextFrom, c.nextEnd)
	}
	moves := row.Exists && row.past != nil && row.Next+row.Value != ""
	if c.spark > 0 && moves && row.past.n > 0 {
		l.To(c.spark)
		kit.Spark(l, row.past.buckets(row.ReadAt, time.Minute/time.Duration(c.parts), c.parts))
	}
	if c.rateEnd > 0 {
		pace, look := kit.GlyphAbsent, kit.Muted
		if moves {
			pace = words.Rate(row.past.rate())
			if _, _, ok := row.past.stalled(); ok {
				pace, look = "stands", kit.Warn
			}
		}
		l.EndsIn(look, pace, c.rateEnd-7, c.rateEnd)
	}
	if c.highestEnd > 0 {
		highest, k := shownHighest(row, c.highestEnd-c.highestFrom)
		l.EndsIn(k, highest, c.highestFrom, c.highestEnd)
	}
	l.To(c.health)
	sign := words.Counter(row.Counter)
	sign.Draw(l)
	if by := behindBy(row.Counter); by != "" && l.At+len(" by ")+len(by) < l.Width {
		l.Put(sign.Style|kit.Bold, " by "+by)
	}
}

// behindBy is how far a counter is behind the highest id in use; empty where it is
// not.
func behindBy(c dynamo.Counter) string {
	value, ok := words.WholeNumber(c.Value)
	highest, known := words.WholeNumber(c.HighestID)
	if !ok || !known || !words.HasFault(c, layout.CounterBehind) {
		return ""
	}
	if c.Semantics == layout.Next { // the number itself is still to be handed out
		highest.Add(highest, c.Layout.Step)
	}
	return phrase.Group(highest.Sub(highest, value).String())
}

// shownValue is a counter's value in w cells: a number whole, anything else
// between quotes.
func shownValue(c dynamo.Counter, w int) string {
	switch {
	case !c.Exists:
		return kit.GlyphAbsent
	case c.Next == "" && words.HasFault(c, layout.CounterNotNumber):
		return strconv.Quote(c.Value)
	}
	return words.FitNumber(c.Value, w)
}

// shownHighest is the highest id in use in w cells, as far as that is known.
func shownHighest(row row, w int) (string, kit.Style) {
	switch {
	case row.HighestID != "" && words.HasFault(row.Counter, layout.CounterBehind):
		return words.FitNumber(row.HighestID, w), kit.Bad
	case row.HighestID != "":
		return words.FitNumber(row.HighestID, w), kit.Muted
	case row.Semantics != layout.Tally && len(row.Layout.IDs) == 0:
		return "not kept", kit.Muted
	}
	return kit.GlyphAbsent, kit.Muted
}

// moving reports whether others move the counter at this moment.
func (r row) moving() bool { return r.past != nil && r.past.rate() > 0 }
