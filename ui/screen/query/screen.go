// Package query is the screen of one partition's items, from the open table or from one of its
// indexes. It reads a further page only on request. It sends messages to the program. Start reading
// at Screen.
package query

import (
	"cmp"
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/find"
	"tallylock/keymap"
	"tallylock/ui/items"
	"tallylock/ui/kit"
	"tallylock/ui/say"
	"tallylock/ui/screen"
	"tallylock/ui/session"
	"tallylock/ui/task"
)

// Screen shows the items that a query returns.
type Screen struct {
	*session.Session
	query *find.Query
	list  kit.List
	rows  []items.Row
	table items.Table
	after attr.Item // the start of the next page; nil if there is none
	units float64
	read  bool // at least one page has arrived
	err   error
}

// New returns the screen of a query. Refresh reads the first page.
func New(s *session.Session, q *find.Query) *Screen {
	return &Screen{Session: s, query: q}
}

// Refresh implements screen.Refresher. It reads the first page again.
func (s *Screen) Refresh() tea.Cmd { return s.page(nil) }

// page reads the page that begins at start. nil means the first page, which replaces all earlier
// rows.
func (s *Screen) page(start attr.Item) tea.Cmd {
	return s.Reading(0, func() tea.Cmd { return s.ask(start) })
}

func (s *Screen) ask(start attr.Item) tea.Cmd {
	q := s.query
	return task.Start(s.Tasks, task.Querying, func(ctx context.Context) (client.Page, error) {
		return q.Page(ctx, start)
	}, func(p client.Page, err error) tea.Cmd {
		if err != nil && client.KindOf(err) == client.Cancelled {
			return nil
		}
		if err != nil && s.read {
			return s.Fail(err)
		}
		if s.err = err; err != nil {
			return nil
		}
		s.list.Hold(s.items())
		if start == nil {
			s.rows, s.units = nil, 0
		}
		s.rows = append(s.rows, items.Rows(p.Items, q.Table.Schema)...)
		s.units, s.after, s.read = s.units+p.Units, p.Last, true
		s.list.Follow(s.items())
		return nil
	})
}

func (s *Screen) items() items.List {
	s.table.Fit(s.rows)
	return items.List{Rows: s.rows, Table: &s.table}
}

func (s *Screen) selected() (items.Row, bool) {
	if !s.list.Lost && s.list.Cursor < len(s.rows) {
		return s.rows[s.list.Cursor], true
	}
	return items.Row{}, false
}

// Content implements screen.Screen.
func (s *Screen) Content() screen.Content {
	rows := s.items()
	c := screen.Content{
		List:  &s.list,
		Rows:  rows,
		Heads: s.table.Heads,
		Depth: 2,
		Hints: s.Commands().Hints(s.Session),
		Cover: s.cover(),
	}
	from := s.query.Table.Name
	if s.query.Index != "" {
		from += " " + kit.GlyphPath + " " + s.query.Index
	}
	c.Top = screen.Path(s.Session, from, s.query.String(), "")
	if s.Examples.On {
		c.Intro = func(d *kit.Block) {
			items.Pointed(s.Session, d)
			d.Gap()
		}
	}
	row, ok := s.selected()
	c.DetailBelow = func(d *kit.Block) {
		if ok {
			row.Below(d, s.part())
		}
	}
	c.DetailSide = func(d *kit.Block) {
		if ok {
			row.Beside(d, s.part())
			s.Commands().YouCan(s.Session, d, 1)
		}
	}
	if len(s.rows) == 0 {
		c.Heads, c.DetailSide, c.EmptyState = nil, screen.Permits(s.Session, s.err), s.nothing
	}
	return c
}

// nothing draws the reason why there are no rows.
func (s *Screen) nothing(d *kit.Block) {
	_, busy := s.Tasks.Since(task.Querying)
	query := ": " + s.query.String() + "."
	switch {
	case s.err != nil:
		screen.Failed(s.Session, d, s.err)
	case !s.read && busy:
		d.Gap()
		screen.Slow(s.Session, d, task.Querying)
	case !s.read: // stopped, or replaced by another query
		screen.Nothing(d, "Stopped before anything was read"+query, "", s.Hint(keymap.Reload, "ask again"))
	case s.after != nil:
		screen.Nothing(d, "This page has no items"+query, "")
	default:
		screen.Nothing(d, "No items"+query, "Partition keys must match exactly.")
	}
}

// part returns the words for an index that has only some attributes; empty if all attributes are there.
func (s *Screen) part() string {
	if !s.query.Part {
		return ""
	}
	return " in the index"
}

// item returns the words for the selected item in the message about a copy.
func (s *Screen) item() string {
	if s.query.Part {
		return "the item in the index"
	}
	return "the item"
}

func (s *Screen) cover() *kit.Coverage {
	c := screen.Cover(s.Session, task.Querying, task.Describing)
	if !s.read {
		return c
	}
	c.Left = []kit.Span{kit.Muted.Of(say.Position(s.list.Number(), len(s.rows), s.after != nil))}
	c.Right = []kit.Span{kit.Muted.Of(say.ReadUnits(s.units) + " · ")}
	switch {
	case s.after != nil:
		c.Right = append(c.Right, kit.Warn.Of("there may be more"))
	case s.query.Late:
		c.Right = append(c.Right, kit.Muted.Of("all, eventually consistent"))
	default:
		c.Right = append(c.Right, kit.Muted.Of("all, consistent"))
	}
	return c
}

// save asks for a file for the items so far.
func (s *Screen) save() tea.Cmd {
	return items.Save(s.Session, s.query.Table, func() string {
		of := " with " + s.query.String() + s.part()
		if s.after != nil {
			of += ", perhaps more"
		}
		return of
	}, func() []items.Row { return s.rows })
}

// About implements screen.Screen.
func (s *Screen) About() string { return "the items of a partition" }

// Commands implements screen.Screen.
func (s *Screen) Commands() screen.Commands {
	row, ok := s.selected()
	const noneSelected = "no item is selected"
	none, copied := screen.WhyIf(!ok, noneSelected), screen.Selected{None: noneSelected}
	if ok {
		copied = row.Selected(s.item())
	}
	more := screen.Command{
		Action: keymap.Pause,
		Words:  "read on",
		Why:    s.whyOn,
		Run:    func() tea.Cmd { return s.page(s.after) },
	}
	var at *items.Row
	if ok {
		at = &row
	}
	point := items.Pointing{Session: s.Session, Table: s.query.Table, Row: at, Part: s.query.Part}
	return slices.Concat(screen.Policies(s.Session, s.err), point.Commands(), screen.Commands{
		{Action: keymap.Open, Words: "open", Full: "open the item", Why: none, Run: func() tea.Cmd {
			return s.Send(screen.Item{Owner: s.query.Table, Table: s.query.Table.Name, Key: row.Key})
		}},
		more,
	}, screen.Copies(s.Session, copied), screen.Commands{
		{
			Action: keymap.Save,
			Words:  "save",
			Full:   "save the list to a file",
			Why: func() string {
				return cmp.Or(s.WhyNoFiles(), screen.WhyIf(len(s.rows) == 0, "there is nothing to save")())
			},
			Run: s.save,
		},
		{Action: keymap.Reload, Words: "ask again", Run: s.Refresh},
		{Action: keymap.Back, Words: "back"},
	})
}

// whyOn says why no further page can be read.
func (s *Screen) whyOn() string {
	switch {
	case !s.read:
		return "nothing has been read yet"
	case s.after == nil:
		return "all pages were read"
	}
	return ""
}
