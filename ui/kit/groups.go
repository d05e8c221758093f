package kit

// Groups are the lines of a list with groups. A group has a heading and its rows, unless it is
// folded. A list embeds Groups, and draws the lines itself.
type Groups []Group

// Group has the number of rows in a group. Folded: the rows are hidden. Bare: the group has no heading.
type Group struct {
	Rows   int
	Folded bool
	Bare   bool
}

// heads returns the number of lines of a group's heading.
func (g Group) heads() int {
	if g.Bare {
		return 0
	}
	return 1
}

// Grouped is Groups together with the values that the groups show.
type Grouped[G any] struct {
	Groups
	All []G
}

// GroupsOf makes Grouped. of returns the group of a value.
func GroupsOf[G any](all []G, of func(G) Group) Grouped[G] {
	out := make(Groups, len(all))
	for n, one := range all {
		out[n] = of(one)
	}
	return Grouped[G]{out, all}
}

// Of returns the group of a line, and the row's index in the group. The index is −1 for the
// heading, or if there is no such line.
func (g Grouped[G]) Of(line int) (group G, place int) {
	n, place, ok := g.At(line)
	if !ok {
		return group, -1
	}
	return g.All[n], place
}

// lines returns the number of visible lines of a group.
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

// Row implements Source: a heading can be selected, too.
func (g Groups) Row(n int) (first, last int, ok bool) { return n, n, true }

// At returns the index of the group of a line, and the row's index in the group. The latter is −1
// for the heading. ok is false if there is no such line.
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

// Folded reports whether the group at a line is folded.
func (g Groups) Folded(line int) bool {
	group, _, ok := g.At(line)
	return ok && g[group].Folded
}

// Line returns the line of a row in a group. It returns the heading's line if place is −1 or the
// group is folded.
func (g Groups) Line(group, place int) int {
	line := g[:group].Len()
	if g[group].Folded {
		return line
	}
	return line + place + g[group].heads()
}

// Number returns the number of the row at a line, from 1, and the number of all rows. A heading
// counts as the first row of its group.
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

// Fold folds or unfolds the group at the cursor. folded has the names of the folded groups, and
// name returns the name of a group.
func Fold[G any, K comparable](s *List, g Grouped[G], folded map[K]bool, name func(G) K) {
	group, _, ok := g.At(s.Cursor)
	if !ok {
		return
	}
	s.Put(g.Line(group, -1))
	s.Moved = true
	k := name(g.All[group])
	folded[k] = !folded[k]
}

// FoldMark writes the mark before a group's heading.
func FoldMark(l *Line, folded bool) {
	mark := glyphOpen
	if folded {
		mark = GlyphMark
	}
	l.Put(Muted, mark)
	l.Put(Text, " ")
}
