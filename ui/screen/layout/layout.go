// Package layout is the screen of a table's layout, with what was seen of each line, where it
// is corrected and accepted. Start reading at Screen.
package layout

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/layout"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/screen"
	"tallylock/ui/session"
	"tallylock/ui/task"
	"tallylock/ui/words"
)

// Screen shows the parts of a table's layout. Lines are corrected in a draft, whose fit is
// judged at once by the same sample; the table is read by it when it is accepted.
type Screen struct {
	*session.Session
	evidence
	list  kit.List
	rows  rows
	asked bool // to leave with corrections
}

// New is the screen; Show fills it.
func New(s *session.Session) *Screen { return &Screen{Session: s} }

// Needed reports whether a table's layout is what has to be looked at first.
func Needed(t *dynamo.Table) bool {
	if t.Layout.Empty() {
		return !t.Sample.Vacant() && t.Sample.Leases() == "" && dynamo.Unrecognised(t, "") == nil
	}
	return slices.ContainsFunc(t.Fit.All(), func(f layout.Fit) bool { return f.Standing() == layout.Contradicted })
}

// Show shows a table's own layout.
func (s *Screen) Show(t *dynamo.Table) tea.Cmd {
	s.Tasks.Drop(task.Describing)
	*s = Screen{Session: s.Session}
	s.take(draftOf(t))
	if len(t.Layout.Accounts) > 0 {
		return nil
	}
	return task.Start(s.Tasks, task.Describing, func(context.Context) (dynamo.UnknownTable, error) {
		return t.Sample.Unknown(), nil
	}, func(u dynamo.UnknownTable, _ error) tea.Cmd {
		u = u.Masked()
		s.near = &u
		s.list.Put(0)
		s.lay()
		return nil
	})
}

// take shows a draft.
func (s *Screen) take(d draft) {
	s.draft, s.asked = d, false
	s.lay()
}

// lay makes the rows.
func (s *Screen) lay() {
	s.list.Hold(s.rows)
	s.rows = s.lines()
	s.list.Follow(s.rows)
	s.list.Lost, s.list.Cursor = false, kit.Nearest(s.rows, s.list.Cursor, 1)
}

// try judges a correction, and shows it.
func (s *Screen) try(config layout.Config, done func(error) tea.Cmd) tea.Cmd {
	before := s.draft
	return task.Start(s.Tasks, task.Describing, func(ctx context.Context) (*dynamo.Table, error) {
		return dynamo.OpenAs(ctx, before.table, config)
	}, func(t *dynamo.Table, err error) tea.Cmd {
		if err == nil {
			s.take(draftOf(t, append(slices.Clip(before.past), before)...))
		}
		return done(err)
	})
}

// tell says what a draft was judged by.
func (s *Screen) tell(err error) tea.Cmd {
	if err != nil {
		return s.Fail(err)
	}
	return s.Say(words.Sentence(s.judged()))
}

func (s *Screen) selected() row {
	if s.list.Cursor < len(s.rows) {
		return s.rows[s.list.Cursor]
	}
	return row{}
}

// Leaving implements screen.Unsaved.
func (s *Screen) Leaving(here bool, by keymap.Action) tea.Cmd {
	if !s.Corrected() || s.asked {
		return nil
	}
	s.asked = true
	keep := s.Keys.Key(keymap.Accept) + " accepts them, "
	if !here {
		keep = s.Keys.Key(keymap.Back) + " goes back to them, "
	}
	return s.Say("The corrections are not accepted: " + keep + s.Keys.Key(by) + " drops them.")
}

// Left implements screen.Unsaved.
func (s *Screen) Left() tea.Cmd {
	if !s.Corrected() {
		return nil
	}
	return s.Say("The corrections are dropped.")
}

// About implements screen.Screen.
func (s *Screen) About() string { return "the layout of " + s.table.Name }

// Content implements screen.Screen.
func (s *Screen) Content() screen.Content {
	c := screen.Content{List: &s.list, Rows: s.rows, Depth: 4, Hints: s.Commands().Hints(s.Session)}
	l := kit.NewLine(s.Styles, s.Size.Width, s.Ground())
	l.Put(kit.Text, " ")
	l.Middle(kit.Muted, s.table.Name, 40)
	l.Put(kit.Faint, " "+kit.GlyphPath+" ")
	l.Put(kit.Heading, "layout")
	l.Ends(kit.Muted, s.from(), s.Size.Width-1)
	c.Top = &screen.Heading{Line: l.Done(), From: 0, To: 0}
	c.Cover = &kit.Coverage{
		Part:    1,
		Working: -1,
		Left:    s.rows.counted(s.list.Cursor),
		Right:   []kit.Span{kit.Muted.Of(s.judged())},
	}
	if since, busy := s.Tasks.Since(task.Describing); busy {
		c.Cover.Working = s.Phase(since)
	}
	c.Beneath = func(d *kit.Block) { s.detail(d, s.selected(), s.Keys, false) }
	c.Beside = func(d *kit.Block) {
		s.detail(d, s.selected(), s.Keys, true)
		d.Gap()
		s.Commands().YouCan(s.Session, d, 1)
	}
	if len(s.rows) == 0 {
		c.Instead = func(d *kit.Block) { nothing(s.Session, d, s.table) }
		return c
	}
	if s.Size.Wide() && !s.empty() {
		c.Below = s.written
	}
	c.Above = func(d *kit.Block) {
		d.Verdict(s.standing(s.Keys))
		d.Gap()
	}
	c.Heads = func(l *kit.Line) {
		cols := s.rows.columns(l.Width)
		kit.Heads(l, kit.Cell{Column: 2, Text: "LINE"}, kit.Cell{Column: cols.value, Text: "VALUE"},
			kit.Cell{Column: cols.seen, Text: "WHAT WAS SEEN"})
	}
	return c
}
