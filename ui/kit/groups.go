package kit

// Groups are the lines of rows that stand in groups: a head each, and under it its rows,
// unless the group is folded. A list of groups embeds it, and draws its own lines.
type Groups []Group

// Group is how many rows a group has, and whether they are hidden. One that is bare has no
// head: its rows are all there is.
type Group struct {
	Rows   int
	Folded bool
	Bare   bool
}

// heads counts the lines of a group's head.
func (g Group) heads() int {
	if g.Bare {
		return 0
	}
	return 1
}

// GroupsOf makes groups of anything that is grouped.
func GroupsOf[T any](all []T, of func(T) Group) Groups {
	out := make(Groups, len(all))
	for n, one := range all {
		out[n] = of(one)
	}
	return out
}

// lines counts those of a group.
func (g Group) lines() int {
	if g.Folded {
		return g.heads()
	}
	return g.heads() + g.Rows
}

// Len implements Source.
func (g Groups) Len() int {
	n := 0
	for _, one := range g {
		n += one.lines()
	}
	return n
}

// Row implements Source: heads are selected, too.
func (g Groups) Row(n int) (first, last int, ok bool) { return n, n, true }

// At is the group of a line and the place in it; place −1 is the group's head. ok is false
// for no line.
func (g Groups) At(line int) (group, place int, ok bool) {
	for n, one := range g {
		if lines := one.lines(); line < lines {
			return n, line - one.heads(), line >= 0
		} else {
			line -= lines
		}
	}
	return 0, -1, false
}

// Folded reports whether the group of a line is folded.
func (g Groups) Folded(line int) bool {
	group, _, ok := g.At(line)
	return ok && g[group].Folded
}

// Line is the line of a place in a group: of its head where that is −1, or the group is folded.
func (g Groups) Line(group, place int) int {
	line := g[:group].Len()
	if g[group].Folded {
		return line
	}
	return line + place + g[group].heads()
}

// Number is that of the row at a line among all rows, from 1, and how many there are; a head
// counts as its first row.
func (g Groups) Number(line int) (at, of int) {
	group, place, ok := g.At(line)
	for n, one := range g {
		if ok && n == group {
			at = of + max(place+1, 1)
		}
		of += one.Rows
	}
	return at, of
}

// ToHead puts the cursor on the head of its group, and answers which that is.
func (s *List) ToHead(g Groups) (group int, ok bool) {
	group, _, ok = g.At(s.Cursor)
	if ok {
		s.Put(g.Line(group, -1))
		s.Moved = true
	}
	return group, ok
}

// FoldMark begins the head of a group.
func FoldMark(l *Line, folded bool) {
	mark := glyphOpen
	if folded {
		mark = GlyphMark
	}
	l.Put(Muted, mark)
	l.Put(Text, " ")
}
