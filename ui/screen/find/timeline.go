package find

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/client"
	"tallylock/dynamo/explain"
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

// Timeline shows the past of one value and its lock, from the journal and the items. It reads items only on request.
type Timeline struct {
	*session.Session
	rel    *verdict.Relation
	at     time.Time // when the relation was read
	past   *explain.Past
	list   kit.List
	table  kit.Table[explain.Event]
	err    error
	leaves bool // a reading was cancelled
}

// newTimeline returns the screen for a relation that was read at a time. read reads the journal.
func newTimeline(s *session.Session, rel *verdict.Relation, at time.Time) *Timeline {
	l := &Timeline{Session: s, rel: rel, at: at}
	l.table.Columns = []kit.Column[explain.Event]{
		{Head: "WHEN (UTC)", Cells: 19, Min: 16, Draw: drawWhen},
		{Head: "WHAT", Cells: 34, Min: 20, Grow: 1, Draw: func(line *kit.Line, e explain.Event, w int) {
			style := kit.Text
			if e.Source.Kind == explain.FromRead {
				style = kit.Muted
			}
			line.Words(style, say.EventBrief(e, l.Now()), w)
		}},
		{Head: "SOURCE", Cells: 24, Min: 20, Max: 60, Grow: 1, Draw: func(line *kit.Line, e explain.Event, w int) {
			line.Words(kit.Muted, say.BriefSource(e), w)
		}},
	}
	return l
}

// drawWhen draws the time of an event. A narrow column has no seconds.
func drawWhen(line *kit.Line, e explain.Event, w int) {
	layout := time.DateTime
	if w < len(layout) {
		layout = "2006-01-02 15:04"
	}
	line.Words(kit.Muted, e.At.UTC().Format(layout), w)
}

// read collects the past. If fresh is true, it reads the items again first.
func (s *Timeline) read(fresh bool) tea.Cmd {
	t, rel, at, o := s.Table, s.rel, s.at, explain.Options{Journal: s.Journal(), Now: s.Now()}
	guest, shows := s.Options.Guest, s.Shows()
	hidden := func(e explain.Event) bool {
		if guest == nil || e.Source.Kind != explain.FromJournal {
			return false
		}
		r, err := o.Journal.Record(e.Source.Receipt)
		return err != nil || r == nil || !shows(r)
	}
	type result struct {
		rel  *verdict.Relation
		past *explain.Past
	}
	return task.Start(s.Tasks, task.Explaining, func(ctx context.Context) (result, error) {
		if fresh {
			again, _, err := find.Reread(ctx, t, find.RereadOptions{PointsOnly: true}, rel)
			if err != nil {
				return result{}, err
			}
			rel, at = again[0], o.Now
		}
		past, err := explain.OfRelations(ctx, t, at, o, rel)
		if err == nil {
			past.Events = slices.DeleteFunc(past.Events, hidden)
		}
		return result{rel, past}, err
	}, func(r result, err error) tea.Cmd {
		if s.leaves = client.KindOf(err) == client.Cancelled && err != nil; s.leaves {
			return nil
		}
		if s.err = err; err != nil {
			return nil
		}
		if fresh {
			s.rel, s.at = r.rel, o.Now
		}
		s.past, s.list = r.past, kit.List{}
		return nil
	})
}

// Refresh implements screen.Refresher. It reads the lock, its accounts and the journal again.
func (s *Timeline) Refresh() tea.Cmd {
	return s.Reading(0, func() tea.Cmd { return s.read(!s.rel.Constraint.Lockless()) })
}

// below is the number of rows for the detail below the list.
const below = 5

// About implements screen.Screen.
func (s *Timeline) About() string { return "the past of a value" }

// Content implements screen.Screen.
func (s *Timeline) Content() screen.Content {
	rows := s.events()
	if s.err != nil {
		rows.all = nil // the old rows would hide the error
	}
	c := screen.Content{
		List: &s.list, Rows: rows, Heads: s.table.Heads, Depth: below, Hints: s.Commands().Hints(s.Session),
		Top: screen.Path(s.Session, "find", s.rel.Constraint.Name+" "+s.rel.Shown()+", its past", ""),
	}
	c.Cover = screen.Cover(s.Session, task.Explaining)
	c.DetailBelow, c.DetailSide = s.detail, s.detail
	if len(rows.all) == 0 {
		c.Heads, c.DetailBelow, c.DetailSide, c.EmptyState = nil, nil, nil, s.nothing
		return c
	}
	c.Cover.Left = []kit.Span{kit.Muted.Of(say.Position(s.list.Number(), len(rows.all), false))}
	c.Cover.Right = []kit.Span{kit.Muted.Of("journal and items · no exports")}
	return c
}

// nothing draws the reason why there are no events.
func (s *Timeline) nothing(d *kit.Block) {
	_, busy := s.Tasks.Since(task.Explaining)
	switch {
	case s.err != nil:
		screen.Failed(s.Session, d, s.err)
	case busy:
		d.Gap()
		d.Para(1, kit.Muted, "Reading the journal for "+s.rel.Shown()+".")
		screen.Slow(s.Session, d, task.Explaining)
	case s.leaves || s.past == nil:
		screen.Nothing(d, "Stopped before the journal was read.", "", s.Hint(keymap.Reload, "read again"))
	default:
		screen.Nothing(d, say.NoDates, s.fromExports(), s.Hint(keymap.Back, "back"))
	}
}

// fromExports says how exports join the timeline.
func (s *Timeline) fromExports() string {
	return "Exports to S3 may have dates: tallylock explain " + phrase.ShellWord(s.rel.Shown()) + " --export DIR"
}

// detail draws the selected event: what happened, when, and the source with its limits.
func (s *Timeline) detail(d *kit.Block) {
	rows := s.events()
	if s.list.Cursor >= len(rows.all) {
		return
	}
	e := rows.all[s.list.Cursor]
	d.Para(1, kit.Heading, say.EventText(e, s.Now()))
	d.Para(1, kit.Text, phrase.UTC(e.At)+", "+say.EventFoot(e, s.Now()))
	d.Para(1, kit.Muted, e.Table+" "+kit.GlyphPath+" "+e.Key.String())
	switch e.Source.Kind {
	case explain.FromAttribute:
		d.Para(1, kit.Muted, "The name of an attribute suggests its meaning. Nothing proves the meaning.")
	case explain.FromID:
		d.Para(1, kit.Muted, "The maker of an id chose the time in it.")
	}
	if d.Height > below {
		d.Gap()
		d.Para(1, kit.Muted, s.fromExports())
	}
}

// Commands implements screen.Screen.
func (s *Timeline) Commands() screen.Commands {
	const none = "there is no timeline yet"
	copied := screen.Selected{None: none}
	if len(s.events().all) > 0 {
		copied.None = "this is an event, not an item"
		copied.Cell = screen.Form{
			Hint: "copy", Words: "this timeline",
			Text: func() (string, error) { return say.PastText(s.past, s.Now()), nil },
		}
	}
	return slices.Concat(screen.Policies(s.Session, s.err), screen.Copies(s.Session, copied), screen.Commands{
		{Action: keymap.Back, Words: "back"},
		{Action: keymap.Reload, Words: "read again", Run: s.Refresh},
	})
}

// events returns the rows of the list. A past without dates has no rows.
func (s *Timeline) events() eventRows {
	if s.past == nil || !s.past.Dated() {
		return eventRows{nil, &s.table}
	}
	return eventRows{s.past.Events, &s.table}
}

// eventRows shows events as a list.
type eventRows struct {
	all   []explain.Event
	table *kit.Table[explain.Event]
}

func (r eventRows) Len() int                        { return len(r.all) }
func (r eventRows) Row(n int) (int, int, bool)      { return n, n, true }
func (r eventRows) Draw(l *kit.Line, n int, _ bool) { r.table.Draw(l, r.all[n]) }
