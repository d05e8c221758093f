package find

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/find"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/verdict"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/say"
	"tallylock/ui/screen"
	"tallylock/ui/session"
	"tallylock/ui/task"
)

// List asks who holds each of several values. It shows the price first, then a row for each value.
type List struct {
	*session.Session
	one   func(account *attr.Key, answered func(*find.Answer)) *Screen // makes the screen of one value
	rows  []*asked
	list  kit.List
	table kit.Table[*asked]

	sweep    float64 // the price to read the whole table
	begun    bool    // a person has seen the price
	now      find.Progress
	units    float64 // the read units of earlier questions of this list
	changing []int   // the rows that the last change is about
	err      error
}

// mostValues is the maximum number of values in one list. `tallylock find` takes more.
const mostValues = 5000

// newList returns the list of values. Nothing is read until a person has seen the price.
func newList(s *session.Session, values []string, one func(*attr.Key, func(*find.Answer)) *Screen) *List {
	l := &List{Session: s, one: one, table: kit.Table[*asked]{Columns: listColumns}}
	for _, v := range values[:min(len(values), mostValues)] {
		r := &asked{value: v}
		r.byKey, l.sweep = find.SeveralCost(s.Table, []string{v}, nil)
		l.rows = append(l.rows, r)
	}
	return l
}

// all returns the indexes of all rows.
func (s *List) all() []int { return s.where(func(*asked) bool { return true }) }

// where returns the indexes of some rows.
func (s *List) where(is func(*asked) bool) (out []int) {
	for n, r := range s.rows {
		if is(r) {
			out = append(out, n)
		}
	}
	return out
}

func (s *List) values(rows []int) (out []string) {
	for _, n := range rows {
		out = append(out, s.rows[n].value)
	}
	return out
}

func (s *List) lines() askedRows { return askedRows{s.rows, &s.table, &s.Marks} }

// byKey returns the estimated price to read some rows by key.
func (s *List) byKey(rows []int) (units float64) {
	for _, n := range rows {
		units += s.rows[n].byKey
	}
	return units
}

// selected returns the selected row. A list has at least two rows.
func (s *List) selected() *asked { return s.rows[min(max(s.list.Cursor, 0), len(s.rows)-1)] }

// unread returns the rows without an answer. unknown returns the rows whose answer needs the whole table.
func (s *List) unread() []int { return s.where(func(r *asked) bool { return r.answer == nil }) }

func (s *List) unknown() []int {
	return s.where(func(r *asked) bool {
		return r.rel != nil && r.rel.Verdict == verdict.Unknown && r.answer.Whole != nil
	})
}

// denied reports whether a row needs the whole table, and the permission to read it is missing.
func (s *List) denied() bool {
	return slices.ContainsFunc(s.rows, func(r *asked) bool { return r.answer != nil && r.answer.ScanDenied })
}

// incomplete reports whether an answer is incomplete.
func (s *List) incomplete() bool {
	return slices.ContainsFunc(s.rows, func(r *asked) bool { return r.answer != nil && !r.answer.Complete })
}

// busy reports whether values are being read.
func (s *List) busy() bool {
	_, busy := s.Tasks.Since(task.FindingSeveral)
	return busy
}

// price returns the estimated price to read the list without another question. The price includes the whole table
// only if the table may be read without a question.
func (s *List) price() float64 {
	units := s.byKey(s.all())
	if dynamo.Affordable(s.Table) {
		units += s.sweep
	}
	return units
}

// Content implements screen.Screen.
func (s *List) Content() screen.Content {
	c := screen.Content{
		List: &s.list, Rows: s.lines(), Heads: s.table.Heads, Hints: s.hints(), Depth: 4, Cover: s.cover(), More: screen.More,
		Intro:       s.above,
		DetailBelow: func(d *kit.Block) { s.detail(d, false) },
		DetailSide:  func(d *kit.Block) { s.detail(d, true) },
	}
	if !s.begun { // nothing is known about a row yet
		c.Depth, c.DetailBelow, c.DetailSide = 0, nil, nil
	}
	c.Top = screen.Path(s.Session, "find", phrase.Count(len(s.rows), "value"), "")
	if s.err != nil && len(s.unread()) == len(s.rows) {
		c.Intro = nil
		c.Fail(s.Session, s.err)
	}
	return c
}

// above draws the price before the first reading, and later the values that are not read.
func (s *List) above(d *kit.Block) {
	text := ""
	unread, unknown := len(s.unread()), len(s.unknown())
	switch {
	case s.busy():
		return
	case !s.begun:
		s.offer(d)
		return
	case unread > 0:
		text = say.Plural(unread, "value is", "values are") + " not read yet: " + s.Keys.Key(keymap.Pause) + " reads the rest, " +
			say.Price(s.byKey(s.unread())) + "."
		if s.now.Limited {
			text = "Stopped at auto_read_units, " + say.Units(s.Connection().AutoReadUnits()) + ". " + text
		}
	case unknown > 0 && s.denied():
		text = say.Plural(unknown, "value is", "values are") + " unknown. Reading the whole table needs dynamodb:Scan, which is denied."
	case unknown > 0:
		text = say.Plural(unknown, "value is", "values are") + " unknown. " + s.Keys.Key(keymap.Pause) +
			" reads the whole table once, " + say.Price(s.byKey(s.unknown())+s.sweep) + "."
	default:
		return
	}
	d.Para(1, kit.Strong, text)
	d.Gap()
}

// offer draws the price of the list.
func (s *List) offer(d *kit.Block) {
	d.Gap()
	d.Para(1, kit.Heading, "Finding "+phrase.Count(len(s.rows), "value")+" takes "+say.Price(s.price())+".")
	limit := s.Connection().AutoReadUnits()
	if s.price() > limit {
		d.Para(1, kit.Strong, "This is more than auto_read_units, "+say.Units(limit)+".")
	}
	if dynamo.Affordable(s.Table) {
		d.Para(1, kit.Text, "Each lock is read by its key. If that is not enough, tallylock reads the whole table once.")
	} else {
		d.Para(1, kit.Text, "Each lock is read by its key. The whole table is not read: reading it takes "+say.Price(s.sweep)+" more.")
	}
	d.Gap()
	d.Keys(1, s.Hint(keymap.Open, "read them"), s.Hint(keymap.Back, "back"))
	d.Gap()
}

// cover shows the place of the cursor, how many values are read, and the price so far.
func (s *List) cover() *kit.Coverage {
	c := screen.Cover(s.Session, task.FindingSeveral)
	c.Left = []kit.Span{kit.Muted.Of(say.Position(s.list.Number(), len(s.rows), false))}
	if len(s.Marks.Order) > 0 {
		c.Left = append(c.Left, s.Marks.Words()...)
	}
	read := len(s.rows) - len(s.unread())
	if s.busy() {
		read = max(read, s.now.Read)
	}
	said := phrase.Number(read) + " of " + phrase.Number(len(s.rows)) + " read · "
	if s.busy() && s.now.Part > 0 {
		said = "reading the whole table, " + say.Percent(s.now.Part) + " · "
	}
	c.Right = []kit.Span{kit.Muted.Of(said + say.ReadUnits(s.units+s.now.Units))}
	if !s.begun {
		c.Right = []kit.Span{kit.Muted.Of(said + say.Price(s.price()))}
	}
	return c
}

// detail draws the selected value: the sentence of its verdict, and its items.
func (s *List) detail(d *kit.Block, beside bool) {
	r := s.selected()
	switch {
	case r.answer == nil:
		d.Para(1, kit.Muted, "Not read yet.")
	case r.rel == nil:
		d.Para(1, kit.Strong, say.NowhereKept(s.Table))
	case beside:
		screen.ValueBeside(d, s.Table.Layout, r.rel)
		s.Commands().YouCan(s.Session, d, 1)
	default:
		screen.ValueBelow(d, r.rel, r.answer.At)
	}
}

// About implements screen.Screen.
func (s *List) About() string {
	if r := s.selected().rel; r != nil {
		return "a list of values, " + say.Relation(r)
	}
	return "a list of values"
}

func (s *List) hints() []kit.Hint {
	if s.busy() {
		return slices.Concat([]kit.Hint{s.Hint(keymap.Back, "stop")}, s.Commands().Hints(s.Session))
	}
	return s.Commands().Hints(s.Session)
}

// Follow implements screen.Follower: nothing more is read.
func (s *List) Follow() tea.Cmd { return nil }
