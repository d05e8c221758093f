package question

import (
	"cmp"
	"slices"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/dialog"
	"tallylock/ui/kit"
	"tallylock/ui/message"
	"tallylock/ui/session"
	"tallylock/ui/words"
)

// nowhereElse asks whether nothing outside the layout holds the values of a constraint.
type nowhereElse struct {
	decision
	table      *dynamo.Table
	constraint *layout.Constraint
	places     []dynamo.PlaceLine
	why        string // why yes would have no effect
}

// The buttons.
const (
	no = iota
	yes
)

// AskNowhereElse asks whether nothing outside the layout holds the values of a constraint.
func AskNowhereElse(s *session.Session, t *dynamo.Table, c *layout.Constraint) tea.Cmd {
	d := &nowhereElse{decision: decision{Session: s}, table: t, constraint: c, why: t.WhyLook(c)}
	d.places = slices.DeleteFunc(t.PlaceLines(), func(p dynamo.PlaceLine) bool { return p.Constraint != c })
	d.choice = dialog.Choice{
		Buttons: []string{"No", "Yes, nothing else holds them"}, Leave: "not now",
		Off: func(n int) bool { return n == yes && d.why != "" },
	}
	return s.Send(message.Ask{Dialog: d})
}

// mostPlaces is how many places are listed.
const mostPlaces = 4

func (d *nowhereElse) Draw() *kit.Box {
	name := d.constraint.Name
	b := kit.NewBox(d.Styles, d.Size.Width, kit.Accent, kit.Heading.Of("Does nothing else hold values of "+name+"?"))
	b.Gap()
	b.Para(kit.Must, kit.Strong, "Are the accounts of this layout the only items, in any table, that hold values of "+name+"?")
	b.Gap()
	b.Fact(kit.Must, "no", kit.Text, "A release reads every item of all tables first.")
	b.Fact(kit.Must, "yes", kit.Text, "A release by owner then reads only the owner's account, not the whole table.")
	b.Fact(kit.Note, "", kit.Muted, "It holds until the layout of "+name+" changes, or "+d.Keys.Key(keymap.OtherSide)+
		" on nowhere_else takes it back.")
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
		b.Fact(kit.Must, label, kit.Text, "no other item with such a value, in a sample of "+phrase.Count(n, "item")+
			"; a check reads them all")
	}
	if d.why != "" {
		b.Fact(kit.Must, "but", kit.Warn, words.Sentence(d.why)+" So yes would have no effect.")
	}
	d.end(b)
	return b
}

func (d *nowhereElse) Key(msg tea.Msg) tea.Cmd { return d.choice.Key(d, d.Session, msg) }

func (d *nowhereElse) Press(n int) tea.Cmd {
	switch {
	case n == no:
		return d.Leave()
	case d.why != "":
		return nil
	}
	return d.store(func() error { return d.table.SayNowhereElse(d.constraint) },
		"Kept. A release by owner reads the owner's account only.")
}
