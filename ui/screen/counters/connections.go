package counters

import (
	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/counter"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/message"
	"tallylock/ui/safe"
	"tallylock/ui/say"
	"tallylock/ui/screen"
	"tallylock/ui/session"
)

// everywhere returns the command that lists the counters of all connections, or again only the counters of
// the open connection.
func (s *Screen) everywhere() screen.Command {
	c := screen.Command{
		Action: keymap.Everywhere, Words: "all connections",
		Why: screen.WhyIf(len(s.Connections) < 2, "the config names no other connection"),
	}
	if s.every {
		c.Words = "this connection only"
	}
	c.Run = func() tea.Cmd {
		s.Leave()
		s.cursor.Hold(s.list())
		s.every = !s.every
		for n := range s.of {
			if n != s.On {
				s.of[n] = newKnown(n) // forget its counters: unlisted counters are not polled
			}
		}
		s.fill()
		s.cursor.Follow(s.list())
		if s.cursor.Lost { // the person chose not to list the selected row any more
			s.cursor.Put(0)
		}
		return s.pollNow(false)
	}
	return c
}

// elsewhere returns the reason why a counter of another connection cannot be changed here. The header shows
// only the open connection, with its colour and whether it allows writes. elsewhere is empty for a counter of
// the open connection.
func elsewhere(s *session.Session, c counter.Counter) string {
	on := c.Open().Connection()
	if on == s.Connection().Connection {
		return ""
	}
	return "it is a counter of " + on.Name() + ": " + s.Keys.Key(keymap.Open) + " goes there first"
}

// goThere returns the command that opens the connection of group g, with the table of the selected counter.
// If the heading is selected, it opens the table of the group's first counter.
func (s *Screen) goThere(g group) screen.Command {
	return screen.Command{Action: keymap.Open, Words: "go there", Full: "go to its connection", Why: func() string {
		switch {
		case g.on == s.On:
			return g.name(s.Session) + " is open already"
		case len(g.all) == 0:
			return "no counter of " + g.name(s.Session) + " has been read"
		}
		return ""
	}, Run: func() tea.Cmd {
		on := g.all[0]
		if row, ok := s.selected(); ok {
			on = row
		}
		return s.Send(message.Place{On: g.on, Table: on.Open(), SameTab: true})
	}}
}

// fold folds the group at the cursor, or unfolds it.
func (s *Screen) fold() tea.Cmd {
	kit.Fold(&s.cursor, s.list().Grouped, s.folded, func(g group) int { return g.on })
	return nil
}

// name returns the connection's name.
func (k *known) name(s *session.Session) string { return s.Connections[k.on].Name() }

// stale reports whether the counters were read before the connection failed.
func (k *known) stale() bool { return k.err != nil && !k.readAt.IsZero() }

// moving is the width of the animation in a heading while its connection is read for the first time.
const moving = 6

// head draws the heading of a connection's counters.
func (s *Screen) head(l *kit.Line, g group) {
	c := s.Connections[g.on]
	l.Fit(c.Style()|kit.Bold, c.Name(), l.Width/3)
	if l.Width >= 100 && c.Where() != "" {
		l.Put(kit.Muted, "  "+safe.Text(c.Where()))
	}
	if word, look := c.Label(2); word != "" && (g.err == nil || c.Production) {
		l.Put(look, "  "+word)
	}
	if g.on == s.On {
		l.Put(kit.Accent, "  open")
	}
	l.Put(kit.Text, "   ")
	if g.err == nil {
		said := g.amount()
		if !g.readAt.IsZero() && !s.unasked(g.known) {
			said += ", read once at " + phrase.Clock(g.readAt)
		}
		if s.begins(g.known) {
			l.To(max(l.At, l.Width-2-kit.Width(said)-1-moving))
			s.Working(l, s.kind(g.known), min(moving, l.Width-2-kit.Width(said)-1-l.At))
		}
		l.Ends(kit.Muted, said, l.Width-2)
		return
	}
	e := say.Explain(g.err)
	l.Put(kit.Warn|kit.Bold, e.Kind)
	if g.stale() {
		l.Put(kit.Muted, ", as at "+phrase.Clock(g.readAt))
	}
	l.Words(kit.Text, ": "+e.Why, l.Width-l.At-1)
}

// amount returns how many counters a connection has, and how many have a problem.
func (k *known) amount() string {
	switch {
	case k.readAt.IsZero():
		return "not read yet"
	case len(k.all) == 0:
		return "no counters found"
	}
	said := phrase.Count(len(k.all), "counter")
	if bad := problems(k.all); bad > 0 {
		said += ", " + phrase.Count(bad, "problem")
	}
	return said
}

// connection draws the detail of a heading: the state of its connection.
func (s *Screen) connection(d *kit.Block, g group) {
	c := s.Connections[g.on]
	quiet, silent := s.silence(g.known)
	switch {
	case g.err != nil:
		e := say.Explain(g.err)
		d.Verdict(kit.Sign{Glyph: "!", Style: kit.Warn, Word: e.Kind}, say.Sentence(e.Why))
		if e.Do != "" {
			d.LongFact(3, "do", say.Sentence(e.Do))
		}
		again := s.Keys.Key(keymap.Reload) + " tries again"
		if session.IsTransient(g.err) {
			again = "automatic retry, or " + s.Keys.Key(keymap.Reload) + " now"
		}
		d.Fact("next", kit.Text.Of(again))
	case silent:
		d.Para(1, kit.Warn, say.Roughly(quiet)+" so far: "+say.Silence(safe.Text(c.Name()), c.Connection != nil && c.Throttled())+".")
	case g.readAt.IsZero() && !s.begins(g.known) && !s.unasked(g.known):
		d.Para(1, kit.Text, nothingRead(c))
		d.Fact("next", kit.Text.Of(s.Keys.Key(keymap.Reload)+" reads the counters once"))
	case g.readAt.IsZero():
		d.Para(1, kit.Text, "Looking for counters in the tables of "+safe.Text(c.Name())+".")
	case len(g.all) == 0:
		d.Para(1, kit.Text, whyNone(c))
	default:
		d.Para(1, kit.Text,
			say.Sentence(phrase.Count(len(g.all), "counter")+" in "+phrase.Count(g.where, "table")+" of "+safe.Text(c.Name())))
		if g.on != s.On {
			d.Para(1, kit.Muted, s.Keys.Key(keymap.Open)+" goes there: counters are changed on the open connection only.")
		}
	}
}
