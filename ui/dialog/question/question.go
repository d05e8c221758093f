// Package question holds the dialogs that ask a person about a layout. One asks whether items hold a value, because a
// verdict depends on that. The other asks whether items outside the layout hold values: then a release must read the
// whole table. Start reading at Ask.
package question

import (
	"cmp"
	"slices"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/answers"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/dialog"
	"tallylock/ui/kit"
	"tallylock/ui/message"
	"tallylock/ui/say"
	"tallylock/ui/session"
	"tallylock/ui/task"
)

// decision stores a person's decision in a file, and changes no table. So it also works on a
// read-only connection.
type decision struct {
	*session.Session
	dialog.Choice
}

// question asks whether items hold a value, because a verdict depends on it.
type question struct {
	decision
	about *Query
}

// Ask asks the question that a verdict depends on.
func Ask(s *session.Session, about *answers.Question) tea.Cmd {
	if why := s.WhyViewer(); why != "" {
		return s.Say(say.Sentence(why))
	}
	q := NewQuery(about)
	choice := dialog.Choice{Buttons: Replies, Leave: "not now", Hints: q.Hints()}
	return s.Send(message.Ask{Dialog: &question{decision{s, choice}, q}})
}

func (d *question) Draw() *kit.Box {
	b := kit.NewBox(d.Styles, d.Size.Width, kit.Accent, kit.Heading.Of("Your decision is needed"))
	b.Gap()
	b.Para(kit.Must, kit.Strong, say.Sentence(d.about.Question().Text))
	b.Gap()
	d.about.WriteReplies(b)
	d.end(b)
	return b
}

func (d *question) Key(msg tea.Msg) tea.Cmd {
	if key, ok := msg.(tea.KeyPressMsg); ok && d.about.Widens(key.String()) {
		return nil
	}
	return d.Choice.Key(d, d.Session, msg)
}

func (d *question) Press(n int) tea.Cmd {
	if AnswerOf(n) == layout.NoAnswer {
		return d.Leave()
	}
	return d.about.Answer(d.Session, n, d.stored("Saved. tallylock does not ask this again."))
}

// end draws why the decision could not be stored, and the buttons.
func (d *decision) end(b *kit.Box) {
	dialog.WriteFailure(b, d.Err)
	b.Gap()
	d.Choice.Draw(b, d.Session)
}

// stored returns a function that closes the dialog after the decision was stored, and shows said. If the decision could
// not be stored, the dialog stays.
func (d *decision) stored(said string) func(error) tea.Cmd {
	return func(err error) tea.Cmd {
		if d.Err = err; err != nil {
			return nil
		}
		return tea.Batch(d.Send(message.Close{}), d.Send(message.Refresh{}), d.Say(said))
	}
}

func (d *decision) Leave() tea.Cmd {
	d.Tasks.Drop(task.Planning)
	return d.Send(message.Close{})
}

// nowhereElse asks whether any item outside the layout holds values of a constraint.
type nowhereElse struct {
	decision
	table      *dynamo.Table
	constraint *layout.Constraint
	places     []answers.PlaceLine
	why        string // why "yes" would have no effect; empty if it has one
}

// The buttons.
const (
	no = iota
	yes
)

// AskNowhereElse asks whether any item outside the layout holds values of a constraint.
func AskNowhereElse(s *session.Session, t *dynamo.Table, c *layout.Constraint) tea.Cmd {
	if why := s.WhyViewer(); why != "" {
		return s.Say(say.Sentence(why))
	}
	d := &nowhereElse{decision: decision{Session: s}, table: t, constraint: c, why: t.Answers.WhySearch(c)}
	d.places = slices.DeleteFunc(t.Answers.PlaceLines(), func(p answers.PlaceLine) bool { return p.Constraint != c })
	d.Choice = dialog.Choice{
		Buttons: []string{"No", "Yes, nothing else holds them"}, Leave: "not now",
		Off: func(n int) bool { return n == yes && d.why != "" },
	}
	return s.Send(message.Ask{Dialog: d})
}

// mostPlaces limits the listed places.
const mostPlaces = 4

func (d *nowhereElse) Draw() *kit.Box {
	name := d.constraint.Name
	b := kit.NewBox(d.Styles, d.Size.Width, kit.Accent, kit.Heading.Of("Other holders of "+name))
	b.Gap()
	b.Para(kit.Must, kit.Strong, "Are the accounts of this layout the only items, in any table, that hold values of "+name+"?")
	b.Gap()
	b.Fact(kit.Must, "no", kit.Text, "A release first reads every item of all tables that the layout names.")
	b.Fact(kit.Must, "yes", kit.Text, "A release by owner then reads only the owner's account, not the whole table.")
	b.Fact(kit.Note, "", kit.Muted, "Your answer counts until the layout of "+name+" changes, or until you take it back: press "+
		d.Keys.Key(keymap.TakeBack)+" on the layout's line nowhere_else.")
	label := "seen"
	for _, p := range d.places[:min(len(d.places), mostPlaces)] {
		b.Fact(kit.Must, label, kit.Text, p.Items+" items, "+p.Attribute+": "+p.Seen()+": "+
			cmp.Or(p.AnswerWords(), "nobody has said whether they count"))
		label = ""
	}
	if more := len(d.places) - mostPlaces; more > 0 {
		b.Fact(kit.Must, "", kit.Text, "and "+phrase.Number(more)+" more: the layout screen lists them")
	}
	if len(d.places) == 0 {
		n, _ := d.table.Sample.Size()
		b.Fact(kit.Must, label, kit.Text, "no other item in a sample of "+phrase.Count(n, "item")+" has such a value"+
			"; a check reads all items")
	}
	if d.why != "" {
		b.Fact(kit.Must, "but", kit.Warn, say.Sentence(d.why)+" So a yes would have no effect.")
	}
	d.end(b)
	return b
}

func (d *nowhereElse) Key(msg tea.Msg) tea.Cmd { return d.Choice.Key(d, d.Session, msg) }

func (d *nowhereElse) Press(n int) tea.Cmd {
	switch {
	case n == no:
		return d.Leave()
	case d.why != "":
		return nil
	}
	return store(d.Session, func() error { return d.table.Answers.SayNowhereElse(d.constraint) },
		d.stored("Saved. A release by owner reads the owner's account only."))
}
