package counters

import (
	"slices"
	"time"

	"tallylock/dynamo/phrase"
	"tallylock/ui/kit"
	"tallylock/ui/say"
)

// columns are the list's columns. To add a column, add it here. columnsOf fits some of them to their rows.
var columns = []kit.Column[*row]{
	{Head: nameHead, Cells: 13, Grow: 2, Draw: func(l *kit.Line, r *row, w int) { l.Fit(kit.Strong, r.Name, w) }},
	{
		Head:  tableHead,
		Cells: 14,
		Max:   40,
		Grow:  2,
		Spare: 3,
		Draw:  func(l *kit.Line, r *row, w int) { l.Fit(kit.Muted, r.Table, w) },
	},
	{Head: storesHead, Cells: 6, Min: 5, Draw: drawStores},
	{
		Head:  valueHead,
		Cells: 21,
		Max:   longest,
		Grow:  4,
		Right: true,
		Draw:  func(l *kit.Line, r *row, w int) { l.EndsIn(kit.Text, shownValue(r.Counter, w), l.At, l.At+w) },
	},
	{Head: nextHead, Cells: 21, Max: longest, Grow: 4, Gap: 2, Spare: 4, Right: true, Draw: drawNext},
	{Head: "LAST 60 S", Cells: 15, Min: 10, Max: 15, Gap: 2, Spare: 2, Draw: drawSpark},
	{Head: "RATE", Cells: 6, Spare: 1, Right: true, Draw: drawRate},
	{Head: highestHead, Cells: 10, Max: longest, Grow: 2, Gap: 3, Spare: 5, Right: true, Draw: drawHighest},
	{Head: roomHead, Cells: 13, Max: 21, Gap: 2, Spare: 6, Right: true, Draw: drawRoom},
	{Head: roomEndHead, Cells: 12, Min: 11, Spare: 7, Right: true, Draw: drawRoomEnd},
	{Head: "HEALTH", Cells: 14, Max: 24, Grow: 1, Gap: 2, Draw: drawHealth},
}

// The headings of the columns that columnsOf changes.
const (
	nameHead    = "COUNTER"
	tableHead   = "TABLE"
	storesHead  = "STORES"
	valueHead   = "VALUE"
	nextHead    = "NEXT"
	highestHead = "HIGHEST ID"
	roomHead    = "ROOM"
	roomEndHead = "RUNS OUT"
)

// widths are the widths of the longest texts in a list.
type widths struct{ name, table, number, highest int }

func (w *widths) add(r *row) {
	number := max(kit.Width(phrase.Group(r.Value)), kit.Width(phrase.Group(r.Next)))
	w.name, w.table = max(w.name, kit.Width(r.Name)), max(w.table, kit.Width(r.Table))
	w.number, w.highest = max(w.number, number), max(w.highest, kit.Width(phrase.Group(r.HighestID)))
}

// Columns of numbers are usually as wide as the longest number, up to a number above 2^53 with its separators. They
// grow up to 38 digits only if there is width to spare.
const (
	usual = 21
	least = 9
)

// columnsOf returns the columns of a list in an order, wide enough for its texts. In the order leastRoomFirst, the
// columns for the room and its end stay longer than other columns.
func columnsOf(o order, w widths) []kit.Column[*row] {
	out := slices.Clone(columns)
	for n := range out {
		c := &out[n]
		switch c.Head {
		case nameHead:
			c.Max = max(w.name, c.Cells)
		case tableHead:
			c.Max = min(max(w.table, c.Cells), c.Max)
		case valueHead, nextHead:
			c.Cells, c.Max = min(max(w.number, least), usual), min(max(w.number, least), longest)
		case highestHead:
			c.Max = min(max(w.highest, c.Cells), longest)
		}
		if o != leastRoomFirst {
			continue
		}
		switch {
		case c.Head == roomHead || c.Head == roomEndHead:
			c.Spare = 1
		case c.Head == storesHead:
			c.Spare = 2
		case c.Spare > 0:
			c.Spare += 2
		}
	}
	return out
}

// longest is the width of 38 digits with their separators.
const longest = 50

func drawStores(l *kit.Line, r *row, w int) {
	stores := string(r.Semantics)
	if r.Layout.Guess && len(stores) < w {
		stores += "?"
	}
	l.Words(kit.Muted, stores, w)
}

func drawNext(l *kit.Line, r *row, w int) {
	next := kit.GlyphAbsent
	if r.Next != "" {
		next = say.FitNumber(r.Next, w)
	}
	l.EndsIn(kit.Muted, next, l.At, l.At+w)
}

// drawSpark draws the rate over the last minute, in parts of 4, 5 or 6 seconds.
func drawSpark(l *kit.Line, r *row, w int) {
	parts := 10
	switch {
	case w >= 15:
		parts = 15
	case w >= 12:
		parts = 12
	}
	if r.moves() && len(r.past.all) > 0 {
		kit.Spark(l, r.past.buckets(r.ReadAt, time.Minute/time.Duration(parts), parts))
	}
}

func drawRate(l *kit.Line, r *row, w int) {
	pace, look := kit.GlyphAbsent, kit.Muted
	if r.moves() {
		pace = say.Rate(r.past.rate())
		if _, _, ok := r.past.stalled(); ok {
			pace, look = "stands", kit.Warn
		}
	}
	l.EndsIn(look, pace, l.At, l.At+w)
}

func drawHighest(l *kit.Line, r *row, w int) {
	highest, k := shownHighest(*r, w)
	l.EndsIn(k, highest, l.At, l.At+w)
}

func drawRoom(l *kit.Line, r *row, w int) {
	room, k := say.ShortRoom(r.Counter, w)
	l.EndsIn(k, room, l.At, l.At+w)
}

func drawRoomEnd(l *kit.Line, r *row, w int) {
	l.EndsIn(kit.Muted, say.RunsOut(r.Counter, r.past.rate(), r.ReadAt), l.At, l.At+w)
}

func drawHealth(l *kit.Line, r *row, _ int) {
	sign := say.Counter(r.Counter)
	sign.Draw(l)
	if by := behindBy(r.Counter); by != "" && l.At+len(" by ")+len(by) < l.Width {
		l.Put(sign.Style|kit.Bold, " by "+by)
	}
}
