package item

import (
	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/message"
	"tallylock/ui/screen"
	"tallylock/ui/session"
	"tallylock/ui/words"
)

// counter is what an item is that was opened as one.
type counter struct{ dynamo.Counter }

// again is what the counter holds now. The ids that it was held against stay those of before.
func (c counter) again(in *dynamo.Inspection) *counter {
	now := dynamo.CounterAt(c.Open(), c.Layout, in.Key, in.Item)
	now.TakeIDs(c.HighestID, c.IDsChecked)
	return &counter{now}
}

// commands are what can be done with it.
func (c counter) commands(s *session.Session) screen.Commands {
	return screen.Commands{
		{
			Action: keymap.Bump,
			Words:  "bump",
			Full:   "bump, reserve, raise",
			Why:    func() string { return s.WhyBump(c.Counter) },
			Run:    func() tea.Cmd { return s.Send(message.Bump{Counter: c.Counter}) },
		},
		{
			Action: keymap.Mend,
			Words:  "mend",
			Full:   "mend it",
			Why:    func() string { return s.WhyMendCounter(c.Counter) },
			Run:    func() tea.Cmd { return s.Send(message.MendCounter{Counter: c.Counter}) },
		},
	}
}

// beneath is the counter in four rows.
func (c counter) beneath(d *kit.Block) {
	d.Verdict(words.Counter(c.Counter), words.CounterSentence(c.Counter))
	for _, f := range c.facts() {
		d.Fact(f.Label, f.Said...)
	}
}

// beside is the counter on a wide screen.
func (c counter) beside(d *kit.Block) {
	d.Sign(words.Counter(c.Counter))
	d.Para(1, kit.Strong, words.CounterSentence(c.Counter))
	d.Gap()
	for _, f := range c.facts() {
		d.LongFact(1, f.Label, f.Said[0].Text)
	}
	d.Gap()
}

func (c counter) facts() []kit.Fact {
	fact := func(label, text string) kit.Fact { return kit.Fact{Label: label, Said: []kit.Span{kit.Text.Of(text)}} }
	facts := []kit.Fact{fact("counter", c.Name), fact("stores", words.Stores(c.Counter)+", step "+c.Step)}
	if c.HighestID != "" {
		facts = append(facts, fact("highest", phrase.Group(c.HighestID)+" in use"))
	}
	return facts
}
