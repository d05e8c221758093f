package counters

import (
	"strings"
	"time"

	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/layout"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/say"
	"tallylock/ui/screen"
)

// detail draws the selected counter in four rows, or the connection of a selected heading.
func (s *Screen) detail(d *kit.Block) {
	g, place, ok := s.at()
	switch {
	case s.Offline != nil && g.on == s.On:
		screen.Offline(s.Session, d, s.empty())
		return
	case !ok:
		s.cursor.Gone(d)
		return
	case place < 0:
		s.connection(d, g)
		return
	}
	row := g.rows[place]
	d.Verdict(say.Counter(row.Counter), say.CounterSentence(row.Counter))
	d.Fact("item", s.owner(g), kit.Text.Of(row.Table+": "+row.Key.String()), kit.Faint.Of(" "+kit.GlyphPath+" "),
		kit.Text.Of(row.Attribute), kit.Muted.Of("   "+say.Stores(row.Counter)))
	if row.Next != "" {
		next := []kit.Span{
			kit.Text.Of(say.FitNumber(row.Next, d.Width-30)),
			kit.Muted.Of("   step "),
			kit.Text.Of(row.Step),
		}
		if row.HighestID != "" {
			highest := "   highest id "
			if !row.IDsChecked {
				highest = "   id "
			}
			next = append(next, kit.Muted.Of(highest), kit.Text.Of(say.FitNumber(row.HighestID, 20)), kit.Muted.Of(" in use"))
		}
		if row.whyNoCheck() == "" {
			next = append(append(next, kit.Text.Of("   ")), s.toCheck(row)...)
		}
		d.Fact("next", next...)
	} else if say.NoneLeft(row.Counter) {
		d.Fact("next", kit.Warn.Of(kit.GlyphAbsent), kit.Text.Of("   "+say.NoRoom(row.Counter)))
	}
	if rooms := row.rooms(); rooms != nil {
		d.Fact("room", rooms[0]...)
	}
	if said := noticed(row); said != nil {
		d.Fact("noticed", said...)
	}
}

// owner returns the name of a counter's connection if all connections are listed; empty otherwise.
func (s *Screen) owner(g group) kit.Span {
	if !s.every {
		return kit.Text.Of("")
	}
	return s.Connections[g.on].Style().Of(g.name(s.Session) + " " + kit.GlyphPath + " ")
}

// wideDetail draws a counter's facts on the left and its chart on the right, in depth rows. While the detail has the
// focus, it has as many rows as the facts need.
func (s *Screen) wideDetail(d *kit.Block, depth int) {
	left := s.Block(split, d.Height-1, d.Ground, d.Quiet)
	left.Whole = d.Whole
	row, ok := s.selected()
	if ok {
		s.facts(left, row)
	} else {
		left.Gap()
		s.detail(left)
	}
	d.Truncated = ok && left.Truncated
	if d.Whole {
		left.Height = max(len(left.Lines), depth-1)
	}
	right := s.Block(d.Width-split-1, left.Height, d.Ground, d.Quiet)
	if ok {
		g, _, _ := s.at()
		chart(right, row, g.every, !s.stopped() && (s.Offline == nil || g.on != s.On))
	}
	d.Lines = append(d.Lines, kit.Beside(d.Styles, left.Filled(), right.Filled(), kit.Faint, d.Ground)...)
	l := kit.NewLine(d.Styles, d.Width, d.Ground)
	l.Run(kit.Faint, kit.RuleThin, split)
	l.Run(kit.Faint, kit.WallUp, 1)
	l.Run(kit.Faint, kit.RuleThin, d.Width)
	d.Lines = append(d.Lines, l.Done())
}

func (s *Screen) facts(d *kit.Block, row row) {
	g, _, _ := s.at()
	if s.Offline != nil && g.on == s.On {
		screen.Offline(s.Session, d, s.empty())
		return
	}
	d.Gap()
	d.Sign(say.Counter(row.Counter))
	d.Para(3, kit.Strong, say.CounterSentence(row.Counter))
	d.Gap()
	d.Fact("item", s.owner(g), kit.Text.Of(row.Table+": "+row.Key.String()), kit.Faint.Of(" "+kit.GlyphPath+" "),
		kit.Text.Of(row.Attribute))
	d.Fact("stores", kit.Text.Of(say.Stores(row.Counter)), kit.Muted.Of(", step "), kit.Text.Of(row.Step))
	if row.Layout.Guess && row.Layout.Evidence != "" {
		d.Para(13, kit.Muted, "Recognised: "+row.Layout.Evidence+".")
	}
	if row.Next != "" {
		d.Fact("next", kit.Text.Of(say.FitNumber(row.Next, d.Width-15)))
	} else if say.NoneLeft(row.Counter) {
		d.Fact("next", kit.Warn.Of(kit.GlyphAbsent))
		d.Para(13, kit.Text, say.NoRoom(row.Counter))
	}
	if said, ok := s.highestWords(row, d.Width-14); ok {
		d.Fact("highest", said...)
	}
	label := "room"
	for _, room := range row.rooms() {
		d.Fact(label, room[:min(len(room), 2)]...)
		for _, more := range room[min(len(room), 2):] {
			d.Fact("", more.Style.Of(strings.TrimLeft(more.Text, ", ")))
		}
		label = ""
	}
	if said := noticed(row); said != nil {
		d.Fact("noticed", said...)
	}
	writes(d, row.past.rate())
	d.Gap()
	s.about().YouCan(s.Session, d, 3)
}

// writes draws a counter's writes per second, and their share of the 1,000 that one item allows.
func writes(d *kit.Block, pace float64) {
	if pace == 0 {
		d.Fact("writes", kit.Text.Of("none seen"), kit.Muted.Of("; item limit 1,000/s"))
		return
	}
	d.Fact("writes", kit.Text.Of(say.Rate(pace)), kit.Muted.Of(" of 1,000/s for one item"))
	d.Row(func(l *kit.Line) {
		l.To(13)
		l.Bar(pace/1000, 24)
		l.Put(kit.Muted, " "+say.Percent(pace/1000))
	})
}

// chart draws the numbers that were handed out, one bar for each part of the time. lives is true while the
// counter is being polled.
func chart(d *kit.Block, row row, part time.Duration, lives bool) {
	if _, ok := say.WholeNumber(row.Value); !ok {
		return
	}
	end := row.ReadAt
	if part <= 0 {
		part = time.Second
	}
	width := min(d.Width-9-3, keep-1)
	bars := kit.Bars(width, len(row.past.all))
	shown := part * time.Duration(bars)
	of := ", increase a second"
	switch read := row.past.read(end); {
	case read >= shown:
		of += ", last " + say.Roughly(shown)
	case read > 0:
		of += ", read for " + say.Roughly(read) + " so far"
	}
	c := kit.Chart{
		Parts: row.past.buckets(end, part, bars),
		Width: width,
		Part:  part,
		Read:  end.Add(-row.past.read(end)),
		To:    end,
		Lives: lives,
	}
	d.Gap()
	d.Row(func(l *kit.Line) {
		l.To(2)
		l.Fit(kit.Strong, row.Name, 24)
		l.Words(kit.Muted, of, l.Width-l.At-1)
	})
	d.Gap()
	c.Draw(d, max(d.Height-8, 3))
}

// toCheck says which key checks the ids of a counter, and what that costs.
func (s *Screen) toCheck(row row) []kit.Span {
	cost := setting.Estimate(row.Open(), s.Options.Check)
	price := say.Price(cost.Units())
	if cost.Uncounted {
		price = "price unknown"
	}
	return []kit.Span{kit.Key.Of(s.Keys.Key(keymap.CheckIDs)), kit.Muted.Of(" checks its ids: " + price)}
}

// highestWords describes the highest id in use in w cells, or says why it is unknown. ok is false for a
// tally, which has no ids.
func (s *Screen) highestWords(row row, w int) ([]kit.Span, bool) {
	switch {
	case row.Semantics == layout.Tally:
		return nil, false
	case row.HighestID != "":
		when := " in use, checked " + row.checked.Local().Format("15:04")
		if !row.IDsChecked {
			when = " in use, perhaps not the highest"
		}
		return []kit.Span{kit.Text.Of(say.FitNumber(row.HighestID, w-kit.Width(when))), kit.Muted.Of(when)}, true
	case row.Layout.Resets != "":
		return []kit.Span{kit.Absent.Of("not compared: the counter is reset " + row.Layout.Resets)}, true
	case len(row.Layout.IDs) == 0:
		return []kit.Span{kit.Absent.Of("unknown: the layout names no ids")}, true
	case row.whyNoCheck() == "":
		return s.toCheck(row), true
	}
	return []kit.Span{
		kit.Absent.Of("no id in use"),
		kit.Muted.Of(", checked " + row.checked.Local().Format("15:04")),
	}, true
}

// rooms says how many numbers are left before each limit, and how long they last.
func (r *row) rooms() [][]kit.Span { return say.Rooms(r.Counter, r.past.rate(), r.ReadAt) }
