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
	guard, look := guardWord(f.Session, cmp.Or(f.ownTable(), f.Wanted))
	unit := " RU"
	if f.Size.Width >= 100 {
		unit = " read units"
	}
	cost, spending := say.Units(c.Units()), kit.Muted
	if limit := c.SessionLimit(); limit > 0 && (f.Size.Width >= kit.MinWidth+20 || c.SessionSpent()) {
		cost += " of " + say.Units(limit)
	}
	if cost += unit; c.SessionSpent() {
		spending = kit.Warn | kit.Bold
	}
	if !c.ReportsUnits() {
		cost = "no" + unit + " reported"
	}
	regions, worry := regionsWord(f.Table)
	warnings := slices.DeleteFunc([]kit.Span{worry.Of(regions), kit.Warn.Of(guessWord(f.Session))},
		func(s kit.Span) bool { return s.Text == "" })
	right := f.Size.Width - 1 - kit.Width(cost) - 3 - kit.Width(guard)
	for _, s := range warnings {
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
	for _, s := range warnings {
		l.Put(s.Style, s.Text)
		l.Put(kit.Text, "   ")
	}
	l.Put(look|kit.Bold, guard)
	l.Put(kit.Text, "   ")
	l.Put(spending, cost)
	return l.Done()
}

const pathMark = " " + kit.GlyphPath + " "

// shortPath returns the names of the connection and the table, and between them the connection's Region
// or address, where. They must fit into w cells. shortPath first drops the port of the address, then the
// whole address, because half of it looks like another address. Then it cuts the connection's name, and
// last the table's.
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

func guardWord(s *session.Session, table string) (string, kit.Style) {
	c := s.Connection()
	switch {
	case s.Offline != nil && s.Offline.LoggedOut():
		return "LOGGED OUT", kit.Warn
	case s.Offline != nil:
		return "OFFLINE", kit.Warn
	case !c.WritesTo(table):
		return "READ-ONLY", kit.Muted
	case c.GuardOf(table) == client.GuardType:
		return "WRITE · TYPED", kit.Warn
	}
	return "WRITE", kit.Warn
}

// guessWord returns "guessed" if the layout of the open table is only guessed; empty otherwise.
func guessWord(s *session.Session) string {
	if t := s.Table; t == nil || s.Tab.Place != "" || t.Layout.Empty() || t.Layout.State().Sure() {
		return ""
	}
	return "guessed"
}

// regionsWord describes the Regions of a table with replicas, and returns the style for the words. It is
// empty for a table in one Region.
func regionsWord(t *dynamo.Table) (string, kit.Style) {
	if t == nil {
		return "", kit.Muted
	}
	r := t.Regions()
	if r.Unproven() != "" {
		return safe.Text(r.String()), kit.Warn | kit.Bold
	}
	return safe.Text(r.String()), kit.Muted
}
