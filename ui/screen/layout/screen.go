// Package layout is the screen of a table's layout, with the evidence for each line. A person
// corrects and accepts the layout here. Start reading at Screen.
package layout

import (
	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/client"
	"tallylock/dynamo/guess"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/kit"
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
	near  []guess.Candidate // the nearest layouts, if the table's own layout has no accounts
	all   bool              // unset settings are shown, too
	list  kit.List
	rows  rows
	asked bool // the person was warned about unaccepted corrections
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

func (s *Screen) selected() row {
	if s.list.Cursor < len(s.rows) {
		return s.rows[s.list.Cursor]
	}
	return row{}
}

// Leaving implements screen.Unsaved.
func (s *Screen) Leaving(here bool, by keymap.Action) tea.Cmd {
	if !s.corrected() || s.asked || s.taught != nil { // examples are not dropped, so no warning is needed
		return nil
	}
	s.asked = true
	keep := s.Keys.Key(keymap.Accept) + " accepts them, "
	if !here {
		keep = s.Keys.Key(keymap.Back) + " goes back to them, "
	}
	return s.Say("The corrections are not accepted yet: " + keep + s.Keys.Key(by) + " drops them.")
}

// Left implements screen.Unsaved.
func (s *Screen) Left() tea.Cmd {
	if !s.corrected() || s.taught != nil {
		return nil
	}
	return s.Say("The corrections are dropped.")
}

// About implements screen.Screen.
func (s *Screen) About() string { return "the layout of " + s.table.Name }

// Content implements screen.Screen.
func (s *Screen) Content() screen.Content {
	c := screen.Content{
		Top:   screen.Path(s.Session, s.table.Name, "layout", s.from()),
		List:  &s.list,
		Rows:  s.rows,
		Depth: 4,
		Cover: screen.Cover(s.Session, task.Describing),
		Hints: s.Commands().Hints(s.Session),
	}
	c.Cover.Left = s.rows.counted(s.list.Cursor)
	c.Cover.Right = []kit.Span{kit.Muted.Of(s.judged())}
	c.DetailBelow = func(d *kit.Block) { s.selected().detail(d, false) }
	c.DetailSide = func(d *kit.Block) {
		s.selected().detail(d, true)
		d.Gap()
		s.Commands().YouCan(s.Session, d, 1)
	}
	if len(s.rows) == 0 {
		c.EmptyState = s.nothing
		return c
	}
	if s.Size.Wide() && !s.empty() {
		c.AfterRows = s.written
	}
	c.Intro = func(d *kit.Block) {
		d.Verdict(s.standing())
		d.Gap()
	}
	c.Heads = s.rows.heads
	return c
}

// signOf returns the sign for the fit of a rule or of a whole layout.
func signOf(standing layout.Standing) kit.Sign {
	switch standing {
	case layout.Supported:
		return kit.Sign{Glyph: kit.GlyphHeld, Style: kit.Good, Word: "supported", Quiet: true}
	case layout.Contradicted:
		return kit.Sign{Glyph: kit.GlyphNo, Style: kit.Bad, Word: "contradicted"}
	}
	return kit.Sign{Glyph: kit.GlyphUnknown, Style: kit.Warn, Word: "guessed"}
}

// standing returns the state of the whole layout, as a sign and a sentence. The worst problem
// decides.
func (s *Screen) standing() (kit.Sign, string) {
	t, rules := s.table, s.table.Layout.Rules()
	key := func(action keymap.Action, text string) string { return " " + s.Keys.Key(action) + " " + text + "." }
	unsure := func(word string) kit.Sign { return kit.Sign{Glyph: kit.GlyphUnknown, Style: kit.Warn, Word: word} }
	fine := kit.Sign{Glyph: kit.GlyphHeld, Style: kit.Text}
	switch leases, against := t.Sample.Leases(), against(t); {
	case t.Layout.Empty() && leases != "":
		fine.Word = "leases"
		return fine, "This table keeps " + leases + ": they are temporary, and keep no value unique."
	case t.Layout.Empty() && len(s.near) > 0:
		return unsure("unknown"), "No layout was recognised." + key(keymap.Open, "starts from the nearest one")
	case t.Layout.Empty():
		return unsure("unknown"), "No layout was recognised." + key(keymap.Examples, "points at examples")
	case against != "":
		return signOf(layout.Contradicted), say.Sentence(against)
	case len(rules) == 0 && len(t.Layout.Accounts) > 0:
		return unsure("no rules"), "No rule for unique values yet." + key(keymap.Examples, "points at examples")
	case len(s.questions()) > 0:
		return unsure("question"), "Press " + s.Keys.Key(keymap.Open) + " to choose an answer, or " + s.Keys.Key(keymap.Examples) +
			" to point at another example."
	case s.corrected():
		return unsure("guessed"), s.lacking() + key(keymap.Accept, "accepts it") + key(keymap.Save, "writes it to the config")
	case !t.Layout.State().Sure():
		return unsure("guessed"), "No change uses a guess." + key(keymap.Accept, "accepts one constraint or counter") +
			key(keymap.Save, "writes the layout to the config")
	case len(rules) == 0:
		fine.Word = "counters"
		return fine, "This table keeps counters, and no known accounts."
	case len(t.Layout.Constraints()) == 0:
		fine.Word = "no locks"
		return fine, "The config names the unique values. Without locks, the table cannot confirm that these values are unique."
	}
	return kit.Sign{Glyph: kit.GlyphHeld, Style: kit.Good, Word: "supported"}, "The items support this layout."
}

// against says what contradicts the layout of a table; empty if nothing does.
func against(t *dynamo.Table) string {
	for _, f := range t.Fit.All() {
		if f.Standing() == layout.Contradicted {
			return f.Why()
		}
	}
	return ""
}

// lacking says how a draft fits, and which values it leaves without a lock.
func (s *Screen) lacking() string {
	most, text := 0, "It fits."
	if len(s.table.Layout.Constraints()) == 0 {
		text = "No change uses a guess."
	}
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

// nothing draws the reason why there are no rows.
func (s *Screen) nothing(d *kit.Block) {
	_, busy := s.Tasks.Since(task.Describing)
	err := dynamo.Unrecognised(s.table, "recognising the layout of "+s.table.Name)
	heading := "No layout was recognised, and no items were read."
	can := []kit.Hint{s.Hint(keymap.Examples, "list the items")}
	switch {
	case busy:
		screen.Skeleton(d)
		return
	case s.table.Sample.Vacant():
		heading = "This table is empty, so its layout is unknown."
		can = []kit.Hint{s.Hint(keymap.Reload, "read it again")}
	case client.KindOf(err) == client.NoLayout:
		screen.Failed(s.Session, d, err, s.Hint(keymap.Examples, "list the items"))
		return
	case err != nil:
		screen.Failed(s.Session, d, err)
		return
	}
	d.Gap()
	d.Para(4, kit.Heading, heading)
	d.Gap()
	d.Keys(4, can...)
}
