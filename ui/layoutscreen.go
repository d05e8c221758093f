package ui

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/screen"
	"tallylock/ui/task"
	"tallylock/ui/words"
)

// layoutScreen shows the parts of a table's layout with what was seen of each line. Lines
// are corrected in a draft, whose fit is judged at once by the same sample; the table is
// read by it when it is accepted.
type layoutScreen struct {
	app   *app
	table *dynamo.Table // read by the draft
	draft layout.Config
	past  []layoutDraft        // before each correction
	near  *dynamo.UnknownTable // what came near, where no accounts were recognised
	list  kit.List
	rows  layoutRows
	all   bool // settings that are not set are shown, too
	asked bool // to leave with corrections
}

// layoutDraft is a draft that was.
type layoutDraft struct {
	table *dynamo.Table
	draft layout.Config
}

// sampleMore is how many read units a larger sample may take.
const sampleMore = 480

func (a *app) showLayout() tea.Cmd {
	if a.Table == nil {
		return a.Say("Open a table first: " + a.Keys.Key(keymap.Tables) + ".")
	}
	if _, on := a.top().(*layoutScreen); on {
		return nil
	}
	s := &layoutScreen{app: a}
	a.push(s)
	return s.of(a.Table)
}

// needsLayout reports whether a table's layout is what has to be looked at first.
func needsLayout(t *dynamo.Table) bool {
	if t.Layout.Empty() {
		return !t.Vacant() && t.Leases() == "" && dynamo.Unrecognised(t, "") == nil
	}
	return slices.ContainsFunc(t.Fit.All(), func(f layout.Fit) bool { return f.Standing() == layout.Contradicted })
}

// of shows a table's own layout.
func (s *layoutScreen) of(t *dynamo.Table) tea.Cmd {
	s.past, s.near = nil, nil
	s.take(t)
	if len(t.Layout.Accounts) > 0 {
		return nil
	}
	return task.Start(s.app.Tasks, task.Describing, func(ctx context.Context) (dynamo.UnknownTable, error) {
		return t.Unknown(ctx)
	}, func(u dynamo.UnknownTable, err error) tea.Cmd {
		if err != nil {
			return s.failed(err)
		}
		u = u.Masked()
		s.near = &u
		s.list.Put(0)
		s.lay()
		return nil
	})
}

// take shows a table as it is read by its layout.
func (s *layoutScreen) take(t *dynamo.Table) {
	s.table, s.asked = t, false
	if s.draft = (layout.Config{Name: t.Name, Tables: []string{t.Name}}); !t.Layout.Empty() {
		s.draft = t.Layout.Config(t.Name)
		if !s.configured() {
			s.draft.Name = t.Name
		}
	}
	s.lay()
}

// lay makes the rows.
func (s *layoutScreen) lay() {
	s.list.Hold(s.rows)
	s.rows = s.layoutRows()
	s.list.Follow(s.rows)
	s.list.Lost, s.list.Cursor = false, kit.Nearest(s.rows, s.list.Cursor, 1)
}

// try judges a draft, and shows it.
func (s *layoutScreen) try(draft layout.Config, done func(error) tea.Cmd) tea.Cmd {
	before := layoutDraft{s.table, s.draft}
	return task.Start(s.app.Tasks, task.Describing, func(ctx context.Context) (*dynamo.Table, error) {
		return before.table.As(ctx, draft)
	}, func(t *dynamo.Table, err error) tea.Cmd {
		if err == nil {
			s.past = append(s.past, before)
			s.take(t)
		}
		return done(err)
	})
}

// tell says what a draft was judged by.
func (s *layoutScreen) tell(err error) tea.Cmd {
	if err != nil {
		return s.failed(err)
	}
	return s.app.Say(words.Sentence(s.judged()))
}

func (s *layoutScreen) failed(err error) tea.Cmd {
	_, _, why, do := words.Explain(err)
	return s.app.Complain(words.Sentence(why) + " " + words.Sentence(do))
}

// judged says how many items the layout is judged by.
func (s *layoutScreen) judged() string {
	n, whole := s.table.Sampled()
	switch {
	case n == 0:
		return "no items to judge it by"
	case whole:
		return "judged by all " + phrase.Count(n, "item")
	}
	return "judged by " + phrase.Count(n, "item")
}

// corrected reports whether the draft is not what the table is read by.
func (s *layoutScreen) corrected() bool { return len(s.past) > 0 }

func (s *layoutScreen) selected() layoutRow {
	if s.list.Cursor < len(s.rows) {
		return s.rows[s.list.Cursor]
	}
	return layoutRow{}
}

func (s *layoutScreen) About() string { return "the layout of " + s.table.Name }

func (s *layoutScreen) Why(action keymap.Action) string {
	return s.Commands().Why(action, "not on a layout")
}

func (s *layoutScreen) Act(action keymap.Action) tea.Cmd { return s.Commands().Act(action) }

func (s *layoutScreen) Content() screen.Content {
	a := s.app
	c := screen.Content{List: &s.list, Rows: s.rows, Depth: 4, Hints: s.Commands().Hints(a.Session)}
	l := kit.NewLine(a.Styles, a.Size.Width, a.Ground())
	l.Put(kit.Text, " ")
	l.Middle(kit.Muted, s.table.Name, 40)
	l.Put(kit.Faint, " "+kit.GlyphPath+" ")
	l.Put(kit.Heading, "layout")
	l.Ends(kit.Muted, s.from(), a.Size.Width-1)
	c.Top = &screen.Heading{Line: l.Done(), From: 0, To: 0}
	c.Above = s.above
	c.Heads = func(l *kit.Line) {
		cols := s.rows.columns(l.Width)
		kit.Heads(l, kit.Cell{Column: 2, Text: "LINE"}, kit.Cell{Column: cols.value, Text: "VALUE"}, kit.Cell{Column: cols.seen, Text: "WHAT WAS SEEN"})
	}
	c.Beneath = s.beneath
	c.Beside = s.beside
	c.Cover = &kit.Coverage{Part: 1, Working: -1}
	if since, busy := a.Tasks.Since(task.Describing); busy {
		c.Cover.Working = a.Phase(since)
	}
	at, of := s.rows.place(s.list.Cursor)
	c.Cover.Left = []kit.Span{kit.Muted.Of(words.Position(at, of, false))}
	if n := s.rows.unsure(); n > 0 {
		c.Cover.Left = append(c.Cover.Left, kit.Muted.Of(" · "), (kit.Warn | kit.Bold).Of(phrase.Count(n, "line")+" not sure"))
	}
	c.Cover.Right = []kit.Span{kit.Muted.Of(s.judged())}
	if len(s.rows) == 0 {
		c.Heads = nil
		c.Instead = s.nothing
		c.Cover.Left = nil
	}
	return c
}

// from says where the layout is from.
func (s *layoutScreen) from() string {
	t := s.table
	switch {
	case s.corrected():
		return phrase.Count(len(s.past), "correction") + ", not accepted yet"
	case t.Kept != nil:
		return "accepted on " + t.Kept.Day()
	case t.Layout.Empty():
		return "not recognised"
	case t.Layout.Configured:
		return "from the config"
	case t.Layout.Preset != "" && t.Layout.Preset == t.Connection().LayoutNamed():
		return "the preset " + t.Layout.Preset + ", as named"
	case t.Layout.Preset != "":
		return "recognised as " + t.Layout.Preset
	}
	return "recognised"
}

// above says in a sentence how it stands.
func (s *layoutScreen) above(d *kit.Block) {
	if len(s.rows) == 0 {
		return
	}
	sign, text := s.standing()
	d.Verdict(sign, text)
	d.Gap()
}

// nothing says why there is nothing to show.
func (s *layoutScreen) nothing(d *kit.Block) {
	a, t := s.app, s.table
	if _, busy := a.Tasks.Since(task.Describing); busy {
		screen.Skeleton(d)
		return
	}
	if t.Vacant() {
		d.Gap()
		d.Para(4, kit.Heading, "This table is empty: nothing shows what its layout is.")
		d.Gap()
		a.Advice(d, keymap.Bump, "describe it all the same")
		a.Advice(d, keymap.Reload, "read it again")
		return
	}
	if err := dynamo.Unrecognised(t, "recognising the layout of "+t.Name); err != nil {
		screen.Failed(a.Session, d, err)
		if client.KindOf(err) == client.NoLayout {
			a.Advice(d, keymap.Bump, "describe it here")
		}
		return
	}
	d.Gap()
	d.Para(4, kit.Heading, "No layout was recognised, and no items were seen to describe one by.")
	d.Gap()
	a.Advice(d, keymap.Bump, "describe it all the same")
}
