package counters

import (
	"math/big"
	"strings"
	"time"

	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
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
			next = append(next, kit.Muted.Of("   highest id "), kit.Text.Of(say.FitNumber(row.HighestID, 20)),
				kit.Muted.Of(" in use"))
		}
		d.Fact("next", next...)
	} else if say.NoneLeft(row.Counter) {
		d.Fact("next", kit.Warn.Of(kit.GlyphAbsent), kit.Text.Of("   "+noRoom(row)))
	}
	if room, ok := roomWords(row); ok {
		d.Fact("room", room...)
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

// wideDetail draws a counter's facts on the left and its chart on the right,
// in depth rows. With the focus, it has as many rows as the facts need.
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
		d.Para(13, kit.Text, noRoom(row))
	}
	if said, ok := highestWords(row, d.Width-14); ok {
		d.Fact("highest", said...)
	}
	if room, ok := roomWords(row); ok {
		d.Fact("room", room[:min(len(room), 2)]...)
		if len(room) > 2 {
			d.Fact("", kit.Muted.Of(strings.TrimPrefix(room[2].Text, ", ")))
		}
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
	const most = " of 1,000/s that one item takes"
	if pace == 0 {
		d.Fact("writes", kit.Text.Of("none seen"), kit.Muted.Of(most))
		return
	}
	d.Fact("writes", kit.Text.Of(say.Rate(pace)), kit.Muted.Of(most))
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
	bars := kit.Bars(width, row.past.n)
	shown := part * time.Duration(bars)
	of := ", numbers handed out a second"
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

// highestWords describes the highest id in use in w cells, or says why it is unknown. ok is false for a
// tally, which has no ids.
func highestWords(row row, w int) ([]kit.Span, bool) {
	switch {
	case row.Semantics == layout.Tally:
		return nil, false
	case row.HighestID != "":
		when := " in use, checked " + row.checked.Local().Format("15:04")
		return []kit.Span{kit.Text.Of(say.FitNumber(row.HighestID, w-kit.Width(when))), kit.Muted.Of(when)}, true
	case row.Layout.Resets != "":
		return []kit.Span{kit.Absent.Of("not compared: the counter is set back " + row.Layout.Resets)}, true
	case len(row.Layout.IDs) == 0:
		return []kit.Span{kit.Absent.Of("not kept: the layout names no ids")}, true
	case row.checked.IsZero():
		return []kit.Span{kit.Absent.Of("not looked for: a check tells")}, true
	}
	return []kit.Span{
		kit.Absent.Of("no id in use"),
		kit.Muted.Of(", checked " + row.checked.Local().Format("15:04")),
	}, true
}

// noRoom returns the reason why a counter has no next number.
func noRoom(row row) string {
	if limit := row.Layout.Limit(); limit != "" {
		return "no room left: " + limit
	}
	return "no room left: 38 digits are all that DynamoDB keeps"
}

// roomWords says how many numbers are left up to the limit of the layout, and how long they
// last. Without such a limit, it counts the numbers up to 2^53; a double is not exact above that.
// Above 2^53, it says by how much, and how far it is to 10^38, the limit of DynamoDB.
func roomWords(row row) ([]kit.Span, bool) {
	n, ok := say.WholeNumber(row.Value)
	if !ok || row.Semantics == layout.Tally {
		return nil, false
	}
	if room, ok := row.Layout.Room(row.Value); ok {
		style := kit.Text
		if len(room.String()) < 3 {
			style = kit.Warn
		}
		said := []kit.Span{style.Of(phrase.Group(room.String())), kit.Muted.Of(" left: " + row.Layout.Limit())}
		if lasts := until(row, new(big.Int).Mul(room, row.Layout.Step)); lasts != "" {
			said = append(said, kit.Muted.Of(lasts))
		}
		return said, true
	}
	limit := new(big.Int).Lsh(big.NewInt(1), 53)
	left := new(big.Int).Sub(limit, n)
	if left.Sign() <= 0 {
		rest := new(big.Int).Exp(big.NewInt(10), big.NewInt(38), nil)
		rest.Sub(rest, n)
		end := "10^38 is out of reach"
		if r := rest.String(); len(r) <= 20 {
			end = say.FitNumber(r, 20) + " to 10^38"
		}
		return []kit.Span{
			kit.Warn.Of("passed 2^53"),
			kit.Muted.Of(" by " + say.FitNumber(left.Neg(left).String(), 24)),
			kit.Muted.Of(", " + end),
		}, true
	}
	s := []kit.Span{kit.Text.Of(phrase.Group(left.String())), kit.Muted.Of(" to 2^53")}
	if lasts := until(row, left); lasts != "" {
		s = append(s, kit.Muted.Of(lasts))
	}
	return s, true
}
