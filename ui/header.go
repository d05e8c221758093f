package ui

import (
	"cmp"
	"slices"
	"strings"

	"tallylock/dynamo"
	"tallylock/dynamo/client"
	"tallylock/ui/kit"
	"tallylock/ui/safe"
	"tallylock/ui/say"
	"tallylock/ui/session"
)

// header draws row 0: the connection, the table, warnings, whether writes are allowed, and the units spent.
func (f *frame) header() string {
	c := f.Connection()
	g := kit.Raise
	if c.Production {
		g = kit.Production
	}
	l := kit.NewLine(f.Styles, f.Size.Width, g)
	l.Put(kit.Text, " ")
	l.Put(kit.Key, "tallylock")
	l.Put(kit.Text, "  ")
	if c.Production {
		l.Put(kit.Heading, "PRODUCTION")
		l.Put(kit.Text, "  ")
	}
	unit, wide := " RU", f.Size.Width >= 100
	if wide {
		unit = " read units"
	}
	cost, spending := say.Units(c.Units()), kit.Muted
	if limit := c.SessionLimit(); limit > 0 && (wide || c.UnitsSpent()) {
		cost += " of " + say.Units(limit)
	}
	if cost += unit; c.UnitsSpent() {
		spending = kit.Warn | kit.Bold
	}
	if !c.ReportsUnits() {
		cost = "no" + unit + " reported"
	}
	ends := []kit.Span{
		regionsWord(f.Table), kit.Warn.Of(guessWord(f.Session)), guardWord(f.Session, cmp.Or(f.ownTable(), f.Wanted)),
		spending.Of(cost),
	}
	ends = slices.DeleteFunc(ends, func(s kit.Span) bool { return s.Text == "" })
	right := f.Size.Width + 2
	for _, s := range ends {
		right -= kit.Width(s.Text) + 3
	}
	path := shortPath(right-l.At-2, f.Styles.Cut, safe.Text(c.Name()), safe.Text(c.Where()), safe.Text(f.place()))
	for n, part := range path {
		k := kit.Muted
		switch {
		case n == len(path)-1:
			k = kit.Heading
		case n == 0 && c.Colour != "":
			k = c.Style() | kit.Bold
		}
		if n > 0 {
			l.Put(kit.Faint, pathMark)
		}
		l.Put(k, part)
	}
	l.To(right)
	for n, s := range ends {
		if n > 0 {
			l.Put(kit.Text, "   ")
		}
		l.Put(s.Style, s.Text)
	}
	return l.Done()
}

const pathMark = " " + kit.GlyphPath + " "

// shortPath returns the name of the connection, its Region or address (the parameter where), and the name of the table.
// They must fit into w cells. shortPath first drops the port of the address, and then the whole address, because half
// an address looks like another address. Then it cuts the name of the connection, and last the name of the table.
func shortPath(w int, cut, name, where, table string) []string {
	path := []string{name, where, table}
	if where == "" { // not connected yet
		path = []string{name, table}
	}
	over := func() int { return kit.Width(strings.Join(path, pathMark)) - w }
	if o := over(); o > 0 && where != "" {
		path[1] = say.ShortPlace(kit.Width(where)-o, where)
	}
	if over() > 0 {
		path = []string{name, table}
	}
	if o := over(); o > 0 {
		path[0] = kit.CutMiddle(name, max(kit.Width(name)-o, min(kit.Width(name), w/3)), cut)
	}
	if o := over(); o > 0 {
		path[1] = kit.CutMiddle(table, max(kit.Width(table)-o, 1), cut)
	}
	return path
}

// guardWord says whether the table can be written, or that the endpoint is unreachable.
func guardWord(s *session.Session, table string) kit.Span {
	c, warn := s.Connection(), kit.Warn|kit.Bold
	switch {
	case s.Offline != nil && s.Offline.LoggedOut():
		return warn.Of("LOGGED OUT")
	case s.Offline != nil:
		return warn.Of("OFFLINE")
	case !c.WritesTo(table):
		return (kit.Muted | kit.Bold).Of("READ-ONLY")
	case c.GuardOf(table) == client.GuardType:
		return warn.Of("WRITE · TYPED")
	}
	return warn.Of("WRITE")
}

// guessWord returns "guessed" if the layout of the open table is only a guess, and otherwise "".
func guessWord(s *session.Session) string {
	if t := s.Table; t == nil || s.Tab.Place != "" || t.Layout.Empty() || t.Layout.State().Sure() {
		return ""
	}
	return "guessed"
}

// regionsWord describes the Regions of a table with replicas. It is empty for a table in one Region.
func regionsWord(t *dynamo.Table) kit.Span {
	if t == nil {
		return kit.Span{}
	}
	r, look := t.Regions(), kit.Muted
	if r.Unproven() != "" {
		look = kit.Warn | kit.Bold
	}
	return look.Of(safe.Text(r.String()))
}
