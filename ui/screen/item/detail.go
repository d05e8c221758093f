package item

import (
	"tallylock/dynamo/counter"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/verdict"
	"tallylock/ui/kit"
	"tallylock/ui/say"
	"tallylock/ui/screen"
)

// about returns the relation of the selected attribute's value. If the attribute has none and the
// item is a lock, it returns the lock's relation; else nil.
func (s *Screen) about() *verdict.Relation {
	if row, ok := s.selected(); ok && row.rel != nil {
		return row.rel
	}
	return s.lockOf
}

// details adds the details of the selected attribute: below the list and beside it.
func (s *Screen) details(c *screen.Content) {
	c.DetailSide = func(d *kit.Block) {
		if s.in != nil && s.in.Item != nil && s.err == nil {
			s.beside(d)
		}
	}
	if s.in == nil || s.in.Item == nil || len(s.in.Values) == 0 && s.lockOf == nil && s.counter == nil {
		return
	}
	c.Depth = 4
	c.DetailBelow = func(d *kit.Block) {
		switch r := s.about(); {
		case s.counter != nil:
			d.Verdict(say.Counter(*s.counter), say.CounterSentence(*s.counter))
			for _, f := range counterFacts(*s.counter) {
				d.Fact(f.Label, f.Said...)
			}
		case r != nil:
			screen.ValueBelow(d, r, s.in.At)
		default:
			s.protected(d, 3)
		}
	}
	if s.Size.Wide() {
		c.AfterRows = func(d *kit.Block) { s.past.Draw(d, 2, s.Now()) }
	}
}

func (s *Screen) beside(d *kit.Block) {
	switch r := s.about(); {
	case s.counter != nil:
		d.Sign(say.Counter(*s.counter))
		d.Para(1, kit.Strong, say.CounterSentence(*s.counter))
		d.Gap()
		for _, f := range counterFacts(*s.counter) {
			d.LongFact(1, f.Label, f.Said[0].Text)
		}
		d.Gap()
	case r != nil:
		screen.ValueBeside(d, s.owner.Layout, r)
	case len(s.in.Values) > 0:
		d.Head(1, "VALUES OF THIS ACCOUNT")
		s.protected(d, 1)
		d.Gap()
	default:
		d.Para(1, kit.Muted, "By the layout of "+s.owner.Name+", it is neither an account nor a lock.")
		d.Gap()
	}
	s.Commands().YouCan(s.Session, d, 1)
	if !s.Size.Wide() {
		s.past.Draw(d, 1, s.Now())
	}
}

// protected lists the account's values, each with its verdict.
func (s *Screen) protected(d *kit.Block, col int) {
	for _, r := range s.in.Values {
		d.Row(func(l *kit.Line) {
			l.To(col)
			say.Verdict(r.Verdict, r.Provisional).Draw(l)
			l.To(col + 12)
			l.Fit(kit.Muted, r.Constraint.Name, 12)
			l.To(max(col+22, l.At+1))
			l.Fit(kit.Text, r.Shown(), l.Width-l.At-1)
		})
	}
}

// counterFacts returns the facts of an item that was opened as a counter.
func counterFacts(c counter.Counter) []kit.Fact {
	facts := []kit.Fact{kit.Text.Says("counter", c.Name), kit.Text.Says("stores", say.Stores(c)+", step "+c.Step)}
	if c.HighestID != "" {
		facts = append(facts, kit.Text.Says("highest", phrase.Group(c.HighestID)+" in use"))
	}
	return facts
}
