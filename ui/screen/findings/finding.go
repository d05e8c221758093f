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
	items []say.FindingItem
	list  kit.List
	now   map[string]map[string]attr.Item // the items by table and key, as read last; nil before the first reading
	at    time.Time                       // the time of that reading
	err   error
}

// mostItems is the maximum number of items to read and show, because a value may have
// very many claimants.
const mostItems = 50

// open shows the screen of a finding, and reads its items.
func (r *run) open(x *row) tea.Cmd {
	items := say.FindingItems(r.table, x.f)
	one := &single{Session: r.Session, run: r, row: x, items: items[:min(len(items), mostItems)]}
	return tea.Batch(r.Send(one), one.read())
}

// read reads the items with strongly consistent reads.
func (s *single) read() tea.Cmd {
	t, items := s.run.table, s.items
	return task.Start(s.Tasks, task.Fetching, func(ctx context.Context) (map[string]map[string]attr.Item, error) {
		keys, now := map[string][]attr.Key{}, map[string]map[string]attr.Item{}
		for _, i := range items {
			keys[i.Table] = append(keys[i.Table], i.Key)
		}
		w := t.SnapshotReader()
		for table := range keys {
			var err error
			if now[table], err = w.Read(ctx, table, keys[table]); err != nil {
				return nil, err
			}
		}
		return now, nil
	}, func(now map[string]map[string]attr.Item, err error) tea.Cmd {
		if s.err = err; err == nil {
			s.now, s.at = now, s.Now()
		}
		return nil
	})
}

// Refresh implements screen.Refresher. It reads the items again.
func (s *single) Refresh() tea.Cmd { return s.read() }

// About implements screen.Screen.
func (s *single) About() string {
	kind := string(s.row.f.Kind)
	return say.Article(kind) + " " + kind
}

// Commands implements screen.Screen.
func (s *single) Commands() screen.Commands {
	left, right := s.selected()
	return slices.Concat(
		s.run.repairs(s.row),
		screen.Commands{s.opening(keymap.Open, "open the item", left), s.opening(keymap.OtherSide, "open the other item", right)},
		screen.Copies(s.Session, s.run.copied(s.row)),
		screen.Commands{{Action: keymap.Reload, Words: "read again", Run: s.read}, {Action: keymap.Back, Words: "back"}},
	)
}

// opening returns the command that opens one of the items; i is nil if there is none.
func (s *single) opening(action keymap.Action, words string, i *say.FindingItem) screen.Command {
	none := "there is no item to show"
	if s.row.f.Kind.OnAbsence() {
		none = "there is no account to show"
	}
	return screen.Command{
		Action: action,
		Words:  words,
		Why:    screen.WhyIf(i == nil, none),
		Run: func() tea.Cmd {
			return s.Send(screen.Item{Owner: s.run.table, Table: i.Table, Key: i.Key})
		},
	}
}

// selected returns the item at the cursor, and the item beside it; nil if there is no item beside it. If the
// cursor is on no item, it returns the first two items.
func (s *single) selected() (left, right *say.FindingItem) {
	var found []*say.FindingItem
	if rows := s.lines().rows; s.list.Cursor < len(rows) {
		found = rows[s.list.Cursor].items()
	}
	if len(found) == 0 {
		for n := range s.items[:min(len(s.items), 2)] {
			found = append(found, &s.items[n])
		}
	}
	found = append(found, nil, nil)
	return found[0], found[1]
}

// Content implements screen.Screen.
func (s *single) Content() screen.Content {
	c := screen.Content{List: &s.list, Rows: s.lines(), Hints: s.Commands().Hints(s.Session), More: screen.More}
	l := kit.NewLine(s.Styles, s.Size.Width, s.Ground())
	l.Put(kit.Muted, " findings")
	l.Put(kit.Faint, " "+kit.GlyphPath+" ")
	l.Put(kit.Muted, string(s.row.f.Kind))
	l.Put(kit.Faint, " "+kit.GlyphPath+" ")
	what, value := say.Subject(s.row.f)
	l.Fit(kit.Muted, what, 20)
	l.Put(kit.Text, " ")
	l.Middle(kit.Heading, value, s.Size.Width-l.At-2)
	c.Top = &screen.Heading{Line: l.Done()}
	c.Cover = screen.Cover(s.Session)
	switch {
	case s.err != nil:
		c.Cover.Right = []kit.Span{kit.Warn.Of("the items could not be read: "), kit.Muted.Of(say.Explain(s.err).Why)}
	case s.now == nil:
		c.Cover = screen.Cover(s.Session, task.Fetching)
		c.Cover.Right = []kit.Span{kit.Muted.Of("as the check read them")}
	default:
		c.Cover.Right = []kit.Span{kit.Muted.Of("items as they were at " + phrase.Clock(s.at) + ", consistent")}
	}
	return c
}

// line is one line of the screen: a text across the whole width, or one side for each column of items.
type line struct {
	kit.TextRow
	sign  kit.Sign // replaces the label, if set
	sides []side   // in place of text
}

// items returns the items of a line, from left to right.
func (l line) items() []*say.FindingItem {
	var out []*say.FindingItem
	for _, sd := range l.sides {
		if sd.item != nil {
			out = append(out, sd.item)
		}
	}
	return out
}

// side is an attribute of an item. Without an item, it is a heading, with a note as its value.
type side struct {
	item  *say.FindingItem
	name  string
	value kit.Span
}

type lines struct {
	rows   []line
	middle int // the column of the right side; 0 if there is none
	words  int // the column of the text after a label
	names  int // the width of the attribute names
}

// Len implements kit.Source.
func (s lines) Len() int { return len(s.rows) }

// Row implements kit.Source.
func (s lines) Row(n int) (int, int, bool) {
	row := s.rows[n]
	return n, n, len(row.items()) > 0 || len(row.sides) == 0 && !row.Head
}

// Draw implements kit.Source.
func (s lines) Draw(l *kit.Line, n int, _ bool) {
	row := s.rows[n]
	switch {
	case row.sign.Glyph != "":
		row.sign.Draw(l)
		l.To(s.words)
		l.Put(row.Text.Style, row.Text.Text)
	case len(row.sides) == 0:
		row.TextRow.Draw(l, s.words)
	case len(row.sides) == 1:
		row.sides[0].draw(l, 2, l.Width, s.names)
	default:
		row.sides[0].draw(l, 2, s.middle-2, s.names)
		l.To(s.middle - 2)
		l.Put(kit.Faint, kit.Wall)
		l.To(s.middle)
		row.sides[1].draw(l, s.middle, l.Width, s.names)
	}
}

// draw draws a side between the columns from and end. names is the width of the attribute names.
func (s side) draw(l *kit.Line, from, end, names int) {
	if s.item != nil {
		l.Fit(kit.Muted, s.name, min(names, end-l.At))
		l.To(from + names + 2)
		l.Fit(s.value.Style, s.value.Text, end-l.At-1)
		return
	}
	l.Words(kit.Muted, s.name, end-l.At)
	if s.value.Text != "" {
		l.Put(kit.Text, "  ")
		l.Words(s.value.Style, s.value.Text, end-l.At)
	}
}

// lines lays out the finding for the width of the window.
func (s *single) lines() lines {
	f, sign := s.row.f, say.Finding(s.row.f)
	out := lines{words: max(2+len("not excluded")+2, 2+2+kit.Width(sign.Word)+2)}
	add := func(label string, k kit.Style, text string) {
		for _, row := range kit.TextRows(label, k, text, s.Size.Width-out.words-2) {
			out.rows = append(out.rows, line{TextRow: row})
		}
	}
	gap := line{TextRow: kit.TextRow{Head: true}}
	read, not := f.SplitEvidence()
	add("", kit.Strong, f.Detail)
	if len(out.rows) > 0 { // a very small window has no rows
		out.rows[0].sign = sign
	}
	if s.row.mended != nil {
		sign, why := say.Mended(*s.row.mended), say.MendedWhy(*s.row.mended)
		add(sign.Word, sign.Style|kit.Bold, strings.TrimSpace(sign.Glyph+" "+why))
	}
	if f.SuspectLayout {
		add("but", kit.Bad|kit.Bold, say.Sentence(say.Suspect))
	}
	add("read", kit.Text, read)
	add("not excluded", kit.Text, say.Sentence(not))
	if f.HighestID != "" {
		add("highest id", kit.Text, phrase.Group(f.HighestID)+" is in use")
	}
	add("so", kit.Text, say.Sentence(say.FindingMeans(f)))
	out.rows = append(out.rows, gap)
	if len(s.items) > 0 {
		s.layItems(&out)
		out.rows = append(out.rows, gap)
	}
	add("rests on", kit.Muted, strings.Join(s.run.restsOn(s.row), " "))
	return out
}

// layItems lays out the items: side by side in a wide window, otherwise one below the other.
func (s *single) layItems(out *lines) {
	columns := [][]side{s.sides(s.items)}
	if s.Size.Wide() && len(s.items) > 1 {
		columns = [][]side{s.sides(s.items[:1]), s.sides(s.items[1:])}
		out.middle = s.Size.Width/2 + 1
	}
	var rows []line
	for n, column := range columns {
		for at, sd := range column {
			if at == len(rows) {
				rows = append(rows, line{sides: make([]side, len(columns))})
			}
			rows[at].sides[n] = sd
			if sd.item != nil {
				out.names = max(out.names, min(kit.ValueWidth(sd.name), 20))
			}
		}
	}
	out.rows = append(out.rows, rows...)
}

// sides lays out items, one below the other.
func (s *single) sides(items []say.FindingItem) []side {
	var out []side
	for n := range items {
		i := &items[n]
		now := s.now[i.Table][i.Key.ID()]
		if s.now == nil {
			now = i.Seen
		}
		head := side{name: i.Label}
		switch {
		case s.now == nil:
		case now == nil && i.Seen != nil:
			head.value = kit.Warn.Of("has gone since the check")
		case now == nil:
			head.value = kit.Absent.Of("does not exist")
		case i.Seen != nil && !now.Equal(i.Seen):
			head.value = kit.Warn.Of("has changed since the check")
		case i.Gone:
			head.value = kit.Warn.Of("exists now")
		}
		if i.Table != s.run.table.Name {
			head.name += " in " + i.Table
		}
		if len(out) > 0 {
			out = append(out, side{})
		}
		out = append(out, head)
		key, names := i.Key.Item(), []string{i.Key.Hash.Name}
		if i.Key.Range.Name != "" {
			names = append(names, i.Key.Range.Name)
		}
		for _, name := range names {
			out = append(out, side{item: i, name: name, value: kit.Strong.Of(key[name].Display())})
		}
		for _, name := range now.Names() {
			if !slices.Contains(names, name) {
				out = append(out, side{item: i, name: name, value: s.styleOf(name).Of(now[name].Display())})
			}
		}
	}
	return out
}

// styleOf returns the style of an attribute. It emphasises the attributes that the finding is about.
func (s *single) styleOf(name string) kit.Style {
	f := s.row.f
	_, c := s.run.table.Layout.Constraint(f.Constraint)
	if name == f.Attribute || c != nil && (name == c.Attribute || name == c.Owner) {
		return kit.Strong
	}
	return kit.Text
}
