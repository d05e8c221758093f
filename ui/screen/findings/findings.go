// Package findings is the screen of the check of a table: what it would cost, how it goes, and
// what it finds; and of a single finding. It speaks to the program in messages; start reading
// at Screen.
package findings

import (
	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/check"
	"tallylock/dynamo/phrase"
	"tallylock/ui/kit"
	"tallylock/ui/screen"
	"tallylock/ui/session"
	"tallylock/ui/words"
)

// Screen is the check of the open table: what it would cost, how it goes,
// and what it finds. A check goes on while something else is looked at, and what
// it found stays until the table is checked again.
type Screen struct {
	checks
	unread func() error // why the open table could not be read; nil where it could
	known  func() int   // how many problems listing it has shown for sure
}

// New is the screen; Visit fills it. unread answers why the open table could not be read, and
// known how many problems listing it has shown for sure.
func New(s *session.Session, unread func() error, known func() int) *Screen {
	return &Screen{checks: checks{s, map[target]*run{}}, unread: unread, known: known}
}

// Visit comes to the screen: a check that costs no more than a question may by
// itself begins at once.
func (s *Screen) Visit() tea.Cmd {
	t := s.Table
	if s.run() != nil || s.elsewhere() != nil || !check.Checkable(t) {
		return nil
	}
	if !s.cheap() {
		return nil
	}
	return s.start(false)
}

// Asked comes to the screen for a check that was asked for by its name. Only what costs no
// more than a question may by itself begins at once, in place of a check that nobody asked
// for; of all else the price is shown first, and the key that begins it.
func (s *Screen) Asked() tea.Cmd {
	r := s.run()
	switch {
	case s.Table == nil || !check.Checkable(s.Table) || r != nil && r.running && r.asked:
		return nil
	case s.cheap():
		return s.start(true)
	case r != nil && !r.running:
		return s.sayPrice()
	}
	return nil
}

// Back takes back one thing after the other: the marks, the check.
func (s *Screen) Back() tea.Cmd {
	r := s.run()
	switch {
	case r == nil:
	case len(r.marked) > 0:
		clear(r.marked)
	case r.running:
		return s.Stop()
	}
	return nil
}

// Content implements screen.Screen.
func (s *Screen) Content() screen.Content {
	r := s.run()
	if r == nil {
		return screen.Content{
			List:    &kit.List{},
			Rows:    list{},
			Instead: s.before,
			Beneath: func(*kit.Block) {},
			Read:    func(d *kit.Block) { beyond(s, d) },
			Cover:   &kit.Coverage{Part: 1, Working: -1, Right: []kit.Span{kit.Muted.Of("nothing was read for this")}},
			Hints:   s.hints(),
		}
	}
	rows := r.lines()
	c := screen.Content{List: &r.list, Rows: rows, Depth: 4, Hints: s.hints(), Blurred: r.look.Typing(), Cover: r.cover()}
	c.Top = r.look.Heading(s.Session, "a value, an account, a counter or a kind")
	c.Above = report{s.Session, r}.above
	c.Heads = r.columns.Heads
	selected := r.selected()
	c.Beneath = func(d *kit.Block) { r.beneath(d, selected) }
	if s.Size.Wide() {
		c.Beside = func(d *kit.Block) { s.beside(d, r, selected) }
		c.Below = r.kindsMean
	}
	if rows.Len() == 0 {
		c.Instead, c.Heads, c.Beneath, c.Beside = report{s.Session, r}.nothing, nil, nil, nil
		if r.running && s.Size.Wide() { // as wide as it is when the first finding comes
			c.Beside = sought
		}
		if s.offers() {
			c.Instead, c.Cover.Left = s.offer, nil
		}
		if r.failed() {
			c.Above, c.Beside = nil, screen.Permits(s.Session, r.err) // the error says it all
		}
	}
	return c
}

// cover is the completeness line.
func (r *run) cover() *kit.Coverage {
	c := &kit.Coverage{Part: 1, Working: -1}
	at, of := r.lines().Number(r.list.Cursor)
	if r.list.Lost {
		at = 0
	}
	c.Left = []kit.Span{kit.Muted.Of(words.Position(at, of, r.running && of > 0))}
	if of < len(r.all) {
		c.Left = append(c.Left, kit.Muted.Of(", "+phrase.Count(len(r.all), "finding")+" in all"))
	}
	if n := len(r.marked); n > 0 {
		c.Left = append(c.Left, kit.Muted.Of(" · "), kit.Accent.Of(phrase.Number(n)+" marked"))
	}
	when := r.ended.Local().Format("15:04")
	switch {
	case r.running:
		c.Right = []kit.Span{kit.Muted.Of("nothing has been written")}
	case !r.summary.Complete:
		c.Right = []kit.Span{kit.Warn.Of("incomplete"), kit.Muted.Of(", as of " + when)}
	case r.summary.Unsettled > 0:
		c.Right = []kit.Span{
			kit.Muted.Of("whole table · "),
			kit.Warn.Of(phrase.Count(r.summary.Unsettled, "value") + " not judged"),
			kit.Muted.Of(", as of " + when),
		}
	case r.summary.Confirmed && r.summary.Reach() == check.Nothing:
		c.Right = []kit.Span{kit.Muted.Of("whole table · "), kit.Good.Of(kit.GlyphYes), kit.Muted.Of(" confirmed " + when)}
	default:
		c.Right = []kit.Span{kit.Muted.Of("whole table · read " + when)}
	}
	return c
}

// All implements screen.Filtered.
func (s *Screen) All() bool {
	r := s.run()
	if r == nil || !r.look.Clear() {
		return false
	}
	r.filter()
	return true
}

// Typed takes a key of the field in.
func (s *Screen) Typed(msg tea.Msg) tea.Cmd {
	if r := s.run(); r.look.Typed(msg, &r.list, r.lines()) {
		r.filter()
	}
	return nil
}

// Typing implements screen.TextInput.
func (s *Screen) Typing() bool {
	r := s.run()
	return r != nil && r.look.Typing()
}
