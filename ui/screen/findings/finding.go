package findings

import (
	"context"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/say"
	"tallylock/ui/screen"
	"tallylock/ui/session"
	"tallylock/ui/task"
)

// single is the screen of one finding. It shows the evidence, and the current items:
// the lock on the left, and the accounts that hold its value on the right.
type single struct {
	*session.Session
	run   *run
	row   *row
	items []item
	list  kit.List
	now   map[string]attr.Item // the items as read last, by idOf; nil before the first reading
	at    time.Time            // the time of that reading
	err   error
}

func idOf(table string, key attr.Key) string { return table + "\x00" + key.ID() }

// mostItems is the maximum number of items to read and show, because a value may have
// very many claimants.
const mostItems = 50

// open shows the screen of a finding, and reads its items.
func open(s *session.Session, r *run, x *row) tea.Cmd {
	items := itemsOf(r.table, x.f)
	one := &single{Session: s, run: r, row: x, items: items[:min(len(items), mostItems)]}
	return tea.Batch(s.Send(one), one.read())
}

// read reads the items with strongly consistent reads.
func (s *single) read() tea.Cmd {
	t, items := s.run.table, s.items
	return task.Start(s.Tasks, task.Fetching, func(ctx context.Context) (map[string]attr.Item, error) {
		w, now := t.ConsistentReader(), map[string]attr.Item{}
		byTable := map[string][]attr.Key{}
		for _, p := range items {
			byTable[p.table] = append(byTable[p.table], p.key)
		}
		for table, keys := range byTable {
			found, err := w.Read(ctx, table, keys)
			if err != nil {
				return nil, err
			}
			for _, k := range keys {
				now[idOf(table, k)] = found[k.ID()]
			}
		}
		return now, nil
	}, func(now map[string]attr.Item, err error) tea.Cmd {
		if s.err = err; err == nil {
			s.now, s.at = now, s.Now()
		}
		return nil
	})
}

// selected returns the item at the cursor, and the item beside it; nil if there is no item beside it. If the
// cursor is on no item, it returns the first two items.
func (s *single) selected() (left, right *item) {
	if rows := s.lines().rows; s.list.Cursor < len(rows) {
		row := rows[s.list.Cursor]
		left, right = row.left.item, row.right.item
	}
	if left == nil && right == nil && len(s.items) > 0 {
		left = &s.items[0]
		if len(s.items) > 1 {
			right = &s.items[1]
		}
	}
	if left == nil {
		left, right = right, nil
	}
	return left, right
}

// Content implements screen.Screen.
func (s *single) Content() screen.Content {
	f := s.row.f
	c := screen.Content{List: &s.list, Rows: s.lines(), Hints: s.Commands().Hints(s.Session)}
	l := kit.NewLine(s.Styles, s.Size.Width, s.Ground())
	l.Put(kit.Text, " ")
	l.Put(kit.Muted, "findings")
	l.Put(kit.Faint, " "+kit.GlyphPath+" ")
	l.Put(kit.Muted, string(f.Kind))
	l.Put(kit.Faint, " "+kit.GlyphPath+" ")
	what, value := say.Subject(f)
	l.Fit(kit.Muted, what, 20)
	l.Put(kit.Text, " ")
	l.Middle(kit.Heading, value, s.Size.Width-l.At-2)
	c.Top = &screen.Heading{Line: l.Done(), From: 0, To: 0}
	c.Cover, c.More = &kit.Coverage{Part: 1, Working: -1}, screen.More
	switch {
	case s.err != nil:
		_, _, why, _ := say.Explain(s.err)
		c.Cover.Right = []kit.Span{kit.Warn.Of("the items could not be read: "), kit.Muted.Of(why)}
	case s.now == nil:
		c.Cover = screen.Cover(s.Session, task.Fetching)
		c.Cover.Right = []kit.Span{kit.Muted.Of("as the check read them")}
	default:
		c.Cover.Right = []kit.Span{kit.Muted.Of("items as they were at " + say.Clock(s.at) + ", consistent")}
	}
	return c
}

// Commands implements screen.Screen.
func (s *single) Commands() screen.Commands {
	left, right := s.selected()
	return slices.Concat(
		repairs(s.Session, s.run, s.row),
		screen.Commands{s.opening(keymap.Open, "open the item", left), s.opening(keymap.OtherSide, "open the other", right)},
		screen.Copies(s.Session, copied(s.run, s.row)),
		screen.Commands{{Action: keymap.Reload, Words: "read again", Run: s.read}, {Action: keymap.Back, Words: "back"}},
	)
}

// opening returns the command that opens one of the items; one is nil if there is none.
func (s *single) opening(action keymap.Action, words string, one *item) screen.Command {
	return screen.Command{Action: action, Words: words, Why: func() string {
		switch {
		case one != nil:
			return ""
		case s.row.f.Kind.OnAbsence():
			return "there is no account to show"
		}
		return "there is no item to show"
	}, Run: func() tea.Cmd {
		return s.Send(screen.Item{Owner: s.run.table, Table: one.table, Key: one.key})
	}}
}

// About implements screen.Screen.
func (s *single) About() string {
	kind := string(s.row.f.Kind)
	return say.Article(kind) + " " + kind
}

// Refresh implements screen.Refresher. It reads the items again.
func (s *single) Refresh() tea.Cmd { return s.read() }

// line is one line of the screen: text across the whole width, or a left and a
// right side.
type line struct {
	kit.TextRow
	sign  kit.Sign // replaces the label, if set
	sides bool     // the line has sides in place of text
	left  side
	right side
}

// side is half a line: an attribute of an item, or a heading.
type side struct {
	item  *item
	head  string
	note  kit.Span
	name  string
	value kit.Span
}

type lines struct {
	rows   []line
	middle int // the column of the right side; 0 if there is none
	words  int // the column of the text after a label
	names  int // the width of the attribute names
}

func (s lines) Len() int { return len(s.rows) }

func (s lines) Row(n int) (int, int, bool) {
	row := s.rows[n]
	if row.sides {
		return n, n, row.left.item != nil || row.right.item != nil
	}
	return n, n, !row.Head
}

func (s lines) Draw(l *kit.Line, n int, selected bool) {
	row := s.rows[n]
	if row.sign.Glyph != "" {
		row.sign.Draw(l)
		l.To(s.words)
		l.Put(row.Text.Style, row.Text.Text)
		return
	}
	if !row.sides {
		kit.TextList{Rows: []kit.TextRow{row.TextRow}, Column: s.words}.Draw(l, 0, selected)
		return
	}
	end := l.Width
	if s.middle > 0 {
		end = s.middle - 2
	}
	row.left.draw(l, 2, end, s.names)
	if s.middle > 0 {
		l.To(s.middle - 2)
		l.Put(kit.Faint, kit.Wall)
		l.To(s.middle)
		row.right.draw(l, s.middle, l.Width, s.names)
	}
}

// draw draws a side between the columns from and end. names is the width of the attribute names.
func (s side) draw(l *kit.Line, from, end, names int) {
	if s.head != "" {
		l.Words(kit.Muted, s.head, end-l.At)
		if s.note.Text != "" {
			l.Put(kit.Text, "  ")
			l.Words(s.note.Style, s.note.Text, end-l.At)
		}
		return
	}
	l.Fit(kit.Muted, s.name, min(names, end-l.At))
	l.To(from + names + 2)
	l.Fit(s.value.Style, s.value.Text, end-l.At-1)
}

// notExcludedColumn is the column of the text after the longest label.
const notExcludedColumn = 2 + len("not excluded") + 2

// lines lays out the finding for the width of the window.
func (s *single) lines() lines {
	f := s.row.f
	sign := say.Finding(f)
	out := lines{words: max(notExcludedColumn, 2+2+kit.Width(sign.Word)+2)}
	add := func(label string, k kit.Style, text string) {
		if text == "" {
			return
		}
		for n, row := range kit.Wrap(text, s.Size.Width-out.words-2) {
			if n > 0 {
				label = ""
			}
			out.rows = append(out.rows, line{TextRow: kit.TextRow{Label: label, Text: k.Of(row)}})
		}
	}
	read, not := f.Rests()
	add("", kit.Strong, f.Detail)
	if len(out.rows) > 0 { // a very small window has no rows
		out.rows[0].sign = sign
	}
	if m := s.row.mended; m != nil {
		add(m.sign.Word, m.sign.Style|kit.Bold, strings.TrimSpace(m.sign.Glyph+" "+m.why))
	}
	if f.SuspectLayout {
		add("but", kit.Bad|kit.Bold, say.Sentence(say.Suspect))
	}
	add("read", kit.Text, read)
	if not != "" {
		add("not excluded", kit.Text, say.Sentence(not))
	}
	if f.HighestID != "" {
		add("highest id", kit.Text, phrase.Group(f.HighestID)+" is in use")
	}
	if so := say.FindingMeans(f); so != "" {
		add("so", kit.Text, say.Sentence(so))
	}
	gap := func() { out.rows = append(out.rows, line{TextRow: kit.TextRow{Head: true}}) }
	gap()
	if len(s.items) > 0 {
		s.beside(&out)
		gap()
	}
	add("rests on", kit.Muted, strings.Join(restsOn(s.run, f), " "))
	return out
}

// beside lays out the items: side by side in a wide window, otherwise one below the
// other.
func (s *single) beside(out *lines) {
	left, right := s.block(s.items[:1]), s.block(s.items[1:])
	for _, sd := range slices.Concat(left, right) {
		out.names = max(out.names, min(kit.ValueWidth(sd.name), 20))
	}
	if !s.Size.Wide() || len(right) == 0 {
		if len(right) > 0 {
			left = append(left, side{})
		}
		for _, sd := range slices.Concat(left, right) {
			out.rows = append(out.rows, line{sides: true, left: sd})
		}
		return
	}
	out.middle = s.Size.Width/2 + 1
	for n := range max(len(left), len(right)) {
		row := line{sides: true}
		if n < len(left) {
			row.left = left[n]
		}
		if n < len(right) {
			row.right = right[n]
		}
		out.rows = append(out.rows, row)
	}
}

// block lays out items, one below the other.
func (s *single) block(items []item) []side {
	var out []side
	for n := range items {
		p := &items[n]
		now, known := s.now[idOf(p.table, p.key)]
		if !known {
			now = p.seen
		}
		head := side{head: p.what}
		switch {
		case !known:
		case now == nil:
			head.note = kit.Absent.Of("does not exist")
			if p.seen != nil {
				head.note = kit.Warn.Of("is gone since it was checked")
			}
		case p.seen != nil && !now.Equal(p.seen):
			head.note = kit.Warn.Of("has changed since it was checked")
		case p.gone:
			head.note = kit.Warn.Of("exists by now")
		}
		if p.table != s.run.table.Name {
			head.head += " in " + p.table
		}
		if len(out) > 0 {
			out = append(out, side{})
		}
		out = append(out, head)
		names := p.key.Item().Names()
		if p.key.Range.Name != "" {
			names = []string{p.key.Hash.Name, p.key.Range.Name}
		}
		key := p.key.Item()
		for _, name := range names {
			out = append(out, side{item: p, name: name, value: kit.Strong.Of(key[name].Display())})
		}
		for _, name := range now.Names() {
			if !slices.Contains(names, name) {
				out = append(out, side{item: p, name: name, value: s.lookOf(name).Of(now[name].Display())})
			}
		}
	}
	return out
}

// lookOf returns the style of an attribute. It emphasises the attributes that the finding is about.
func (s *single) lookOf(name string) kit.Style {
	f := s.row.f
	if name == f.Attribute {
		return kit.Strong
	}
	if _, c := s.run.table.Layout.Constraint(f.Constraint); c != nil && (name == c.Attribute || name == c.Owner) {
		return kit.Strong
	}
	return kit.Text
}
