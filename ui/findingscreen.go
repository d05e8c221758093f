package ui

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
	"tallylock/ui/screen"
	"tallylock/ui/task"
	"tallylock/ui/words"
)

// findingScreen is one finding with all that it rests on, and the items that it is
// about as they are now: the lock on one side, who holds its value on the other.
type findingScreen struct {
	app    *app
	run    *checkRun
	row    *findingRow
	places []place
	list   kit.List
	now    map[string]attr.Item // what was read of the places, by placeID
	at     time.Time            // when
	err    error
}

func placeID(table string, key attr.Key) string { return table + "\x00" + key.ID() }

// mostPlaces is how many items are read and shown; a value may have very many
// claimants.
const mostPlaces = 50

func (a *app) openFinding(r *checkRun, row *findingRow) tea.Cmd {
	places := placesOf(r.table, row.f)
	s := &findingScreen{app: a, run: r, row: row, places: places[:min(len(places), mostPlaces)]}
	a.push(s)
	return s.read()
}

// read reads the items, strongly consistent.
func (s *findingScreen) read() tea.Cmd {
	a, t, places := s.app, s.run.table, s.places
	return task.Start(a.Tasks, task.Fetching, func(ctx context.Context) (map[string]attr.Item, error) {
		w, now := t.ConsistentReader(), map[string]attr.Item{}
		byTable := map[string][]attr.Key{}
		for _, p := range places {
			byTable[p.table] = append(byTable[p.table], p.key)
		}
		for table, keys := range byTable {
			found, err := w.Read(ctx, table, keys)
			if err != nil {
				return nil, err
			}
			for _, k := range keys {
				now[placeID(table, k)] = found[k.ID()]
			}
		}
		return now, nil
	}, func(now map[string]attr.Item, err error) tea.Cmd {
		if s.err = err; err == nil {
			s.now, s.at = now, a.Now()
		}
		return nil
	})
}

// findingLine is a line of a finding: words across the screen, or what stands side
// by side.
type findingLine struct {
	kit.TextRow
	sign  kit.Sign // in place of the label
	sides bool
	left  side
	right side
}

// side is half a line: an attribute of an item, or a head.
type side struct {
	place *place
	head  string
	note  kit.Span
	name  string
	value kit.Span
}

type findingLines struct {
	rows   []findingLine
	middle int // where the right side begins; 0 for none
	words  int // where the words of a label begin
	names  int // the room for the names of attributes
}

func (s findingLines) Len() int { return len(s.rows) }

func (s findingLines) Row(n int) (int, int, bool) {
	row := s.rows[n]
	if row.sides {
		return n, n, row.left.place != nil || row.right.place != nil
	}
	return n, n, !row.Head
}

func (s findingLines) Draw(l *kit.Line, n int, selected bool) {
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

// draw writes a side between two columns.
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

// notExcludedColumn is where words begin beside the longest of their labels.
const notExcludedColumn = 2 + len("not excluded") + 2

// lines lays the finding out for a width.
func (s *findingScreen) lines() findingLines {
	a, f := s.app, s.row.f
	sign := words.Finding(f)
	out := findingLines{words: max(notExcludedColumn, 2+2+kit.Width(sign.Word)+2)}
	say := func(label string, k kit.Style, text string) {
		if text == "" {
			return
		}
		for n, row := range kit.Wrap(text, a.Size.Width-out.words-2) {
			if n > 0 {
				label = ""
			}
			out.rows = append(out.rows, findingLine{TextRow: kit.TextRow{Label: label, Text: k.Of(row)}})
		}
	}
	read, not := f.Rests()
	say("", kit.Strong, f.Detail)
	out.rows[0].sign = sign
	if m := s.row.mended; m != nil {
		say(m.sign.Word, m.sign.Style|kit.Bold, strings.TrimSpace(m.sign.Glyph+" "+m.why))
	}
	if f.SuspectLayout {
		say("but", kit.Bad|kit.Bold, words.Sentence(words.Suspect))
	}
	say("read", kit.Text, read)
	if not != "" {
		say("not excluded", kit.Text, words.Sentence(not))
	}
	if f.HighestID != "" {
		say("highest id", kit.Text, phrase.Group(f.HighestID)+" is in use")
	}
	if so := words.FindingMeans(f); so != "" {
		say("so", kit.Text, words.Sentence(so))
	}
	gap := func() { out.rows = append(out.rows, findingLine{TextRow: kit.TextRow{Head: true}}) }
	gap()
	if len(s.places) > 0 {
		s.beside(&out)
		gap()
	}
	say("rests on", kit.Muted, strings.Join(restsOn(s.run, f), " "))
	return out
}

// beside lays the items out: side by side where there is room, else one under the
// other.
func (s *findingScreen) beside(out *findingLines) {
	left, right := s.block(s.places[:1]), s.block(s.places[1:])
	for _, sd := range slices.Concat(left, right) {
		out.names = max(out.names, min(kit.ValueWidth(sd.name), 20))
	}
	if !s.app.Size.Wide() || len(right) == 0 {
		if len(right) > 0 {
			left = append(left, side{})
		}
		for _, sd := range slices.Concat(left, right) {
			out.rows = append(out.rows, findingLine{sides: true, left: sd})
		}
		return
	}
	out.middle = s.app.Size.Width/2 + 1
	for n := range max(len(left), len(right)) {
		row := findingLine{sides: true}
		if n < len(left) {
			row.left = left[n]
		}
		if n < len(right) {
			row.right = right[n]
		}
		out.rows = append(out.rows, row)
	}
}

// block lays items out, one under the other.
func (s *findingScreen) block(places []place) []side {
	var out []side
	for n := range places {
		p := &places[n]
		item, known := s.now[placeID(p.table, p.key)]
		if !known {
			item = p.seen
		}
		head := side{head: p.what}
		switch {
		case !known:
		case item == nil:
			head.note = kit.Absent.Of("does not exist")
			if p.seen != nil {
				head.note = kit.Warn.Of("is gone since it was checked")
			}
		case p.seen != nil && !item.Equal(p.seen):
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
			out = append(out, side{place: p, name: name, value: kit.Strong.Of(key[name].Display())})
		}
		for _, name := range item.Names() {
			if !slices.Contains(names, name) {
				out = append(out, side{place: p, name: name, value: s.lookOf(name).Of(item[name].Display())})
			}
		}
	}
	return out
}

// lookOf is the look of an attribute: what the finding is about stands out.
func (s *findingScreen) lookOf(name string) kit.Style {
	f := s.row.f
	if name == f.Attribute {
		return kit.Strong
	}
	if _, c := s.run.table.Layout.Constraint(f.Constraint); c != nil && (name == c.Attribute || name == c.Owner) {
		return kit.Strong
	}
	return kit.Text
}

// selected is the item at the cursor, and the one beside it; nil for none.
func (s *findingScreen) selected() (left, right *place) {
	if rows := s.lines().rows; s.list.Cursor < len(rows) {
		row := rows[s.list.Cursor]
		left, right = row.left.place, row.right.place
	}
	if left == nil && right == nil && len(s.places) > 0 {
		left = &s.places[0]
		if len(s.places) > 1 {
			right = &s.places[1]
		}
	}
	if left == nil {
		left, right = right, nil
	}
	return left, right
}

func (s *findingScreen) Content() screen.Content {
	a, f := s.app, s.row.f
	c := screen.Content{List: &s.list, Rows: s.lines(), Hints: s.hints()}
	l := kit.NewLine(a.Styles, a.Size.Width, a.Ground())
	l.Put(kit.Text, " ")
	l.Put(kit.Muted, "findings")
	l.Put(kit.Faint, " "+kit.GlyphPath+" ")
	l.Put(kit.Muted, string(f.Kind))
	l.Put(kit.Faint, " "+kit.GlyphPath+" ")
	what, value := words.Subject(f)
	l.Fit(kit.Muted, what, 20)
	l.Put(kit.Text, " ")
	l.Middle(kit.Heading, value, a.Size.Width-l.At-2)
	c.Top = &screen.Heading{Line: l.Done(), From: 0, To: 0}
	c.Cover = &kit.Coverage{Part: 1, Working: -1}
	switch {
	case s.err != nil:
		_, _, why, _ := words.Explain(s.err)
		c.Cover.Right = []kit.Span{kit.Warn.Of("the items could not be read: "), kit.Muted.Of(why)}
	case s.now == nil:
		if since, busy := a.Tasks.Since(task.Fetching); busy {
			c.Cover.Working = a.Phase(since)
		}
		c.Cover.Right = []kit.Span{kit.Muted.Of("as the check read them")}
	default:
		c.Cover.Right = []kit.Span{kit.Muted.Of("items as they were at " + words.Clock(s.at) + ", consistent")}
	}
	return c
}

func (s *findingScreen) hints() []kit.Hint {
	a := s.app
	var h []kit.Hint
	if s.Why(keymap.Mend) == "" {
		h = append(h, a.Hint(keymap.Mend, "mend"))
	} else if s.Why(keymap.Release) == "" {
		h = append(h, a.Hint(keymap.Release, "release"))
	}
	if left, right := s.selected(); left != nil {
		h = append(h, a.Hint(keymap.Open, "open the item"))
		if right != nil {
			h = append(h, a.Hint(keymap.OtherSide, "open the other"))
		}
	}
	return append(h, a.Hint(keymap.Copy, "copy"), a.Hint(keymap.Reload, "read again"), a.Hint(keymap.Back, "back"))
}

func (s *findingScreen) About() string {
	kind := string(s.row.f.Kind)
	return words.Article(kind) + " " + kind
}

func (s *findingScreen) Why(action keymap.Action) string {
	switch action {
	case keymap.Open, keymap.OtherSide:
		left, right := s.selected()
		if left == nil || action == keymap.OtherSide && right == nil {
			return "no item is there"
		}
		return ""
	case keymap.Mend:
		return s.app.whyMendFinding(s.row)
	case keymap.Release:
		return s.app.whyReleaseFinding(s.row)
	case keymap.Copy, keymap.CopyItem, keymap.Reload:
		return ""
	}
	return "not on a finding"
}

func (s *findingScreen) Act(action keymap.Action) tea.Cmd {
	a := s.app
	left, right := s.selected()
	switch action {
	case keymap.Open:
		return a.openItemOf(s.run.table, left.table, left.key)
	case keymap.OtherSide:
		return a.openItemOf(s.run.table, right.table, right.key)
	case keymap.Copy:
		return a.Copy("this finding in words", findingInWords(s.row.f))
	case keymap.CopyItem:
		return a.copyFinding(s.row.f)
	case keymap.Mend, keymap.Release:
		return a.askMendFinding(s.run, s.row)
	case keymap.Reload:
		return s.read()
	}
	return nil
}

// Refresh reads again what the finding is about.
func (s *findingScreen) Refresh() tea.Cmd { return s.read() }
