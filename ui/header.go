package ui

import (
	"net"
	"strings"

	"tallylock/dynamo/client"
	"tallylock/ui/safe"
)

// header writes row 0.
func (a *app) header() string {
	c := a.connection()
	g := raise
	if c.Production {
		g = production
	}
	l := newLine(a.st, a.size.w, g)
	l.put(asText, " ")
	l.put(asKey, "tallylock")
	l.put(asText, "  ")
	if c.Production {
		l.put(asBold, "PRODUCTION")
		l.put(asText, "  ")
	}
	guard, look := a.guardWord()
	unit := " RU"
	if a.size.w >= 100 {
		unit = " read units"
	}
	cost := units(c.Units()) + unit
	if !c.ReportsUnits() {
		cost = "no" + unit + " reported"
	}
	regions, worry := a.regionsWord()
	right := a.size.w - 1 - cells(cost) - 3 - cells(guard)
	if regions != "" {
		right -= cells(regions) + 3
	}
	path := shortPath(right-l.at-2, a.st.cut, safe.Text(c.Name()), safe.Text(c.Where()), safe.Text(a.place()))
	for n, part := range path {
		k := asMuted
		switch {
		case n == len(path)-1:
			k = asBold
		case n == 0 && c.Colour != "":
			k = c.colour() | bold
		}
		if n > 0 {
			l.put(asFaint, pathMark)
		}
		l.put(k, part)
	}
	l.to(right)
	if regions != "" {
		l.put(worry, regions)
		l.put(asText, "   ")
	}
	l.put(look|bold, guard)
	l.put(asText, "   ")
	l.put(asMuted, cost)
	return l.done()
}

const pathMark = " " + glyphPath + " "

// shortPath is where one is, in w cells: the connection, its place and the table.
// The place loses its port first, and then goes: half an address reads as another.
// Only then is a name cut, that of the connection before that of the table.
func shortPath(w int, cut, name, where, table string) []string {
	path := []string{name, where, table}
	if where == "" { // not connected yet
		path = []string{name, table}
	}
	over := func() int { return cells(strings.Join(path, pathMark)) - w }
	if o := over(); o > 0 && where != "" {
		path[1] = shortPlace(cells(where)-o, where)
	}
	if over() > 0 {
		path = []string{name, table}
	}
	if o := over(); o > 0 {
		path[0] = cutMiddle(name, max(cells(name)-o, min(cells(name), w/3)), cut)
	}
	if o := over(); o > 0 {
		path[1] = cutMiddle(table, max(cells(table)-o, 1), cut)
	}
	return path
}

// shortPlace is a place without its port, if it has no room in w cells.
func shortPlace(w int, where string) string {
	if host, _, err := net.SplitHostPort(where); err == nil && cells(where) > w {
		return host
	}
	return where
}

func (a *app) guardWord() (string, look) {
	c := a.connection()
	switch {
	case a.offline != nil:
		return "OFFLINE", asWarn
	case !c.writesTo(a.wanted):
		return "READ-ONLY", asMuted
	case c.GuardOf(a.wanted) == client.GuardType:
		return "WRITE · TYPED", asWarn
	}
	return "WRITE", asWarn
}

// regionsWord says that the open table is written in several Regions; empty where it
// is in one.
func (a *app) regionsWord() (string, look) {
	if a.table == nil {
		return "", asMuted
	}
	r := a.table.Regions()
	if r.Unproven() != "" {
		return safe.Text(r.String()), asWarn | bold
	}
	return safe.Text(r.String()), asMuted
}
