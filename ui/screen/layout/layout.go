// Package layout is the screen of a table's layout, with the evidence for each line. A person
// corrects and accepts the layout here. Start reading at Screen.
package layout

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/answers"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/dialog/accept"
	"tallylock/ui/kit"
	"tallylock/ui/message"
	"tallylock/ui/say"
	"tallylock/ui/screen"
	"tallylock/ui/session"
	"tallylock/ui/task"
)

// Screen shows the parts of a table's layout. A person corrects lines in a draft, and the same
// sample judges at once how well the draft fits. The table uses the draft once it is accepted.
type Screen struct {
	*session.Session
	draft
	near  *dynamo.UnknownTable // the nearest layouts; nil if the layout has accounts
	all   bool                 // unset settings are shown, too
	list  kit.List
	rows  rows
	asked bool // the person was warned about unaccepted corrections
}

// New returns the screen. Show chooses the table.
func New(s *session.Session) *Screen { return &Screen{Session: s} }

// Show shows a table's own layout, without corrections.
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

// lay makes the rows again.
func (s *Screen) lay() {
	s.list.Hold(s.rows)
	s.rows = s.lines()
	s.list.Follow(s.rows)
	s.list.Lost, s.list.Cursor = false, kit.Nearest(s.rows, s.list.Cursor, 1)
}

// try judges a corrected layout, and shows it as the draft.
func (s *Screen) try(config config.Layout, done func(error) tea.Cmd) tea.Cmd {
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

// tell says how many items a draft was judged by.
func (s *Screen) tell(err error) tea.Cmd {
	if err != nil {
		return s.Fail(err)
	}
	return s.Say(say.Sentence(s.judged()))
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
	c.Beneath = func(d *kit.Block) { s.detail(d, s.selected(), false) }
	c.Beside = func(d *kit.Block) {
		s.detail(d, s.selected(), true)
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
		d.Verdict(s.standing())
		d.Gap()
	}
	c.Heads = func(l *kit.Line) {
		cols := s.rows.columns(l.Width)
		kit.Heads(l, kit.Cell{Column: 2, Text: "LINE"}, kit.Cell{Column: cols.value, Text: "VALUE"},
			kit.Cell{Column: cols.seen, Text: "WHAT WAS SEEN"})
	}
	return c
}

// guessed is the sign for a layout that nobody has accepted.
var guessed = kit.Sign{Glyph: kit.GlyphUnknown, Style: kit.Warn, Word: "guessed"}

// standing returns the state of the whole layout, as a sign and a sentence. The worst problem
// decides.
func (s *Screen) standing() (kit.Sign, string) {
	t := s.table
	key := func(action keymap.Action, text string) string { return " " + s.Keys.Key(action) + " " + text + "." }
	if t.Layout.Empty() {
		if leases := t.Sample.Leases(); leases != "" {
			return kit.Sign{Glyph: kit.GlyphHeld, Style: kit.Text, Word: "leases"}, "This table keeps " + leases + ": they come and go, and keep no value unique."
		}
		text := "No layout was recognised."
		if s.near != nil && len(s.near.Nearest) > 0 {
			text += key(keymap.Open, "starts from the nearest one")
		} else {
			text += key(keymap.Open, "on items says that they are the accounts")
		}
		return kit.Sign{Glyph: kit.GlyphUnknown, Style: kit.Warn, Word: "unknown"}, text
	}
	switch worst := s.against(); {
	case worst != "":
		return kit.Sign{Glyph: kit.GlyphNo, Style: kit.Bad, Word: "contradicted"}, say.Sentence(worst)
	case len(t.Layout.Rules()) == 0 && len(t.Layout.Accounts) > 0:
		return kit.Sign{Glyph: kit.GlyphUnknown, Style: kit.Warn, Word: "no rules"}, "No rule says yet which values are unique." + key(keymap.Bump, "on items that look like locks adds one")
	case s.Corrected():
		return guessed, s.lacking() + key(keymap.Accept, "accepts it") + key(keymap.Save, "writes it to the config")
	case !t.Layout.State().Sure():
		return guessed, "Nothing is written by a guess." + key(keymap.Accept, "accepts one constraint or counter") +
			key(keymap.Save, "writes the layout to the config")
	case len(t.Layout.Rules()) == 0:
		return kit.Sign{Glyph: kit.GlyphHeld, Style: kit.Text, Word: "counters"}, "This table keeps counters, and no accounts that we know."
	case len(t.Layout.Constraints()) == 0:
		return kit.Sign{Glyph: kit.GlyphHeld, Style: kit.Text, Word: "no locks"}, "The config says which values are unique. Without locks, nothing in the table shows whether that is right."
	}
	return kit.Sign{Glyph: kit.GlyphHeld, Style: kit.Good, Word: "supported"}, "What was seen of the table supports this layout."
}

// lacking says how a draft fits, and which values it leaves without a lock.
func (s *Screen) lacking() string {
	most, text := 0, "It fits."
	for _, c := range s.table.Layout.Constraints() {
		fit := s.table.Fit.Of(c)
		if fit.Rule.Standing == layout.Thin {
			return say.Sentence(fit.Rule.Text)
		}
		if miss := fit.Values - fit.Locked; miss > most {
			most = miss
			text = "It fits. " + phrase.Number(miss) + " of " + phrase.Number(fit.Values) + " " + c.Name + " values have no lock."
		}
	}
	return text
}

// nothing says why there are no rows.
func nothing(s *session.Session, d *kit.Block, t *dynamo.Table) {
	if _, busy := s.Tasks.Since(task.Describing); busy {
		screen.Skeleton(d)
		return
	}
	if t.Sample.Vacant() {
		d.Gap()
		d.Para(4, kit.Heading, "This table is empty: nothing shows what its layout is.")
		d.Gap()
		d.Keys(4, s.Hint(keymap.Bump, "describe it all the same"), s.Hint(keymap.Reload, "read it again"))
		return
	}
	if err := dynamo.Unrecognised(t, "recognising the layout of "+t.Name); err != nil {
		var here []kit.Hint
		if client.KindOf(err) == client.NoLayout {
			here = append(here, s.Hint(keymap.Bump, "describe it here"))
		}
		screen.Failed(s, d, err, here...)
		return
	}
	d.Gap()
	d.Para(4, kit.Heading, "No layout was recognised, and no items were seen to describe one by.")
	d.Gap()
	d.Keys(4, s.Hint(keymap.Bump, "describe it all the same"))
}

// acceptable returns the part's constraint or counter, for a person to accept. A part without
// either returns the first one that is not accepted yet. The result is nil if all are accepted.
func (d *draft) acceptable(part config.Part) *dynamo.Unaccepted {
	t := d.table
	if t.Connection() == nil {
		return nil
	}
	var first *dynamo.Unaccepted
	for _, c := range t.Layout.Rules() {
		of := &dynamo.Unaccepted{Table: t, Constraint: c, Hash: t.Answers.HashOf(c), Tables: !t.TablesSaid(c)}
		if part.Kind == "constraint" && c.Name == part.Name {
			return of
		}
		if first == nil && (!c.State.Sure() || of.Tables) {
			first = of
		}
	}
	for n, c := range t.Layout.Counters {
		of := &dynamo.Unaccepted{Table: t, Counter: c, Hash: t.Answers.CounterHash(c)}
		if strings.HasPrefix(part.Path+".", fmt.Sprintf("counter[%d].", n)) {
			return of
		}
		if first == nil && !c.State.Sure() {
			first = of
		}
	}
	return first
}

// state returns the state of a constraint or a counter; empty for nil.
func state(of *dynamo.Unaccepted) layout.State {
	switch {
	case of == nil:
		return ""
	case of.Constraint != nil:
		return of.Constraint.State
	}
	return of.Counter.State
}

// whyNotAccepted says why the part cannot be accepted; empty if it can.
func (s *Screen) whyNotAccepted(at row) string {
	of := s.acceptable(at.part)
	switch {
	case s.configured() && s.Corrected():
		return ""
	case s.empty():
		return "there is no layout yet"
	case of == nil && s.configured(), state(of) == layout.Described:
		return "the config describes it already"
	case of == nil, state(of) == layout.Accepted && !of.Tables:
		return "it is accepted already"
	}
	return ""
}

// accept asks whether the layout matches the application. If the config describes the table,
// corrections are only used until the person leaves: the config counts.
func (s *Screen) accept(at row) tea.Cmd {
	if s.configured() && s.Corrected() {
		return tea.Batch(s.Send(message.ReadBy{Table: s.table}), s.Say("Used until you leave, as a guess. The config counts: "+
			s.Keys.Key(keymap.CopyItem)+" on the layout copies what to put there."))
	}
	return accept.Ask(s.Session, s.acceptable(at.part), func(*dynamo.Table) tea.Cmd {
		return s.Say("Accepted, and stored for this table.")
	})
}

// said returns the entry with a person's answer for a row: about a place, about nowhere_else, or
// the acceptance of the row's part. A part with nothing to accept returns the only acceptance, if
// there is exactly one. It is nil if there is none.
func (s *Screen) said(at row) *answers.Entry {
	switch {
	case at.place != nil:
		return at.place.Said()
	case at.setting.Name == "nowhere_else":
		return s.saidNowhereElse(at.part.Name)
	}
	of := s.acceptable(at.part)
	accepted := slices.DeleteFunc(s.table.Answers.Said(), func(e answers.Entry) bool { return !e.Accepts() })
	for n, e := range accepted {
		if of != nil && e.Hash == of.Hash || of == nil && len(accepted) == 1 {
			return &accepted[n]
		}
	}
	return nil
}

// saidNowhereElse returns the answer that nothing else holds a constraint's values; nil if there is
// none.
func (s *Screen) saidNowhereElse(name string) *answers.Entry {
	for _, e := range s.table.Answers.Said() {
		if e.NowhereElse && e.Constraint == name {
			return &e
		}
	}
	return nil
}

// forget takes back the answer for a row. If the answer was an acceptance, the screen shows the
// layout that a sample suggests.
func (s *Screen) forget(at row) tea.Cmd {
	if ask := s.Leaving(true, keymap.OtherSide); ask != nil {
		return ask
	}
	t, e := s.table, s.said(at)
	if !e.Accepts() {
		return s.forgetAnswer(e)
	}
	return task.Start(s.Tasks, task.Describing, func(ctx context.Context) (*dynamo.Table, error) {
		if err := t.Answers.Forget(e.ID); err != nil {
			return nil, err
		}
		return t.Connection().Open(ctx, t.Name)
	}, func(t *dynamo.Table, err error) tea.Cmd {
		if err != nil {
			return s.Fail(err)
		}
		return tea.Batch(s.Send(message.ReadBy{Table: t}), s.Send(s), s.Show(t),
			s.Say("Taken back. This is what a sample shows."))
	})
}

// forgetAnswer takes back an answer about items outside the layout.
func (s *Screen) forgetAnswer(e *answers.Entry) tea.Cmd {
	if err := s.table.Answers.Forget(e.ID); err != nil {
		return s.Fail(err)
	}
	return s.Send(message.Told{Then: func(err error) tea.Cmd {
		if err != nil {
			return s.Fail(err)
		}
		text := "Taken back. The locks stay until somebody answers again."
		if e.NowhereElse {
			text = "Taken back. A release reads all tables again."
		}
		return tea.Batch(s.Refresh(), s.Say(text))
	}})
}

// Refresh shows the current answers.
func (s *Screen) Refresh() tea.Cmd {
	if s.table.Answers.Recall(); !s.Corrected() {
		s.draft = draftOf(s.table)
	}
	s.lay()
	return nil
}
