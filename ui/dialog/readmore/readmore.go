// Package readmore holds the dialog that asks whether a session that has reached its limit of read
// units may read on. Start reading at Ask.
package readmore

import (
	tea "charm.land/bubbletea/v2"

	"tallylock/ui/dialog"
	"tallylock/ui/kit"
	"tallylock/ui/message"
	"tallylock/ui/say"
	"tallylock/ui/session"
)

type readMore struct {
	*session.Session
	asked  session.ReadMore
	then   func() tea.Cmd // continues the other automatic reads
	choice dialog.Choice
}

// The buttons.
const (
	more = iota
	notNow
)

// Ask asks whether the session may read on. If it may, it calls then, which continues the other automatic reads.
func Ask(s *session.Session, m session.ReadMore, then func() tea.Cmd) tea.Cmd {
	if s.Options.Guest != nil {
		return s.Complain(whyNotMore(m.Over[0], m.Units))
	}
	d := &readMore{Session: s, asked: m, then: then}
	d.choice = dialog.Choice{
		Buttons: []string{"Read up to " + say.Units(m.Over[0].SessionStep()) + " more", "Not now"}, Leave: "not now",
	}
	return s.Send(message.Ask{Dialog: d})
}

// whyNotMore says why a guest's session cannot read this number of units; 0 is an unknown number.
func whyNotMore(on session.Connection, units float64) string {
	own, limit := on.UnitsLeft(), say.ReadUnits(on.SessionLimit())
	shared, until := on.Pool()
	takes := "This takes " + say.Price(units) + ". "
	switch {
	case on.PoolSpent():
		why, do := on.WhyUnread()
		return say.Sentence(why) + " " + say.Sentence(do)
	case on.UnitsSpent():
		return "This session has used its " + limit + " on " + on.Name() + ". A new session has the same limit."
	case own >= shared:
		return takes + "The sessions of this server have only " + say.ReadUnits(shared) + " left until " +
			until.Format("15:04") + "."
	}
	return takes + "This session has only " + say.ReadUnits(own) + " left on " + on.Name() + ", of " + limit + "."
}

func (d *readMore) Draw() *kit.Box {
	b := kit.NewBox(d.Styles, d.Size.Width, kit.Accent, kit.Heading.Of("Read on?"))
	b.Gap()
	for _, c := range d.asked.Over {
		b.Para(kit.Must, kit.Strong, "This session has used "+say.Units(c.Units())+" of its "+
			say.ReadUnits(c.SessionLimit())+" on "+c.Name()+".")
	}
	b.Gap()
	price := "unknown before it is read"
	if d.asked.Units > 0 {
		price = say.Price(d.asked.Units)
	}
	b.Fact(kit.Must, "price", kit.Text, price)
	b.Fact(kit.Note, "limit", kit.Muted, "session_read_units in the config")
	b.Gap()
	d.choice.Draw(b, d.Session)
	return b
}

func (d *readMore) Key(msg tea.Msg) tea.Cmd { return d.choice.Key(d, d.Session, msg) }

func (d *readMore) Press(n int) tea.Cmd {
	if n == notNow {
		return d.Leave()
	}
	for _, c := range d.asked.Over {
		c.ReadMore()
	}
	return tea.Batch(d.Send(message.Close{}), d.asked.Then(), d.then())
}

func (d *readMore) Leave() tea.Cmd { return d.Send(message.Close{}) }
