// Package accept is the dialog in which a person accepts a guessed constraint or counter. Start
// reading at Ask.
package accept

import (
	"cmp"
	"context"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
	"tallylock/ui/dialog"
	"tallylock/ui/kit"
	"tallylock/ui/message"
	"tallylock/ui/say"
	"tallylock/ui/session"
	"tallylock/ui/task"
)

// acceptance shows a constraint or a counter with its evidence. It changes no table, so it also
// works on a read-only connection.
type acceptance struct {
	*session.Session
	of      *dynamo.Unaccepted
	counter layout.Counter // with the meaning that the person chose
	// tables is the field for the other tables that put locks into the lock table.
	tables kit.Field
	dialog.Choice
	// then continues the person's command. It gets the table with the accepted layout.
	then func(*dynamo.Table) tea.Cmd
}

// dialogWidth is the smallest width that fits the buttons.
const dialogWidth = 78

// The buttons. A constraint has no button for another meaning.
const (
	no = iota
	yes
	meaning
)

// Ask asks whether a guess matches the application. Afterwards it calls the function then with the table that has the
// accepted layout.
func Ask(s *session.Session, of *dynamo.Unaccepted, then func(*dynamo.Table) tea.Cmd) tea.Cmd {
	if s.WhyViewer() != "" {
		return s.Say("The layout is only a guess, so changes are off. An operator can accept it.")
	}
	d := &acceptance{Session: s, of: of, then: then, tables: kit.NewField("")}
	d.Choice = dialog.Choice{Buttons: []string{"Not now", "This is how our application does it"}, Leave: "not now"}
	if d.asksTables() {
		d.Field, d.Off = &d.tables, func(n int) bool { return n == yes && d.unsaid() }
	}
	switch {
	case d.described():
		d.Buttons = d.Buttons[:1]
	case of.Counter != nil:
		d.counter = *of.Counter
		d.Buttons = append(d.Buttons, "Other meaning")
	}
	return task.Start(s.Tasks, task.Planning, func(ctx context.Context) (*dynamo.Table, error) {
		return dynamo.Reaccepted(ctx, of)
	}, func(as *dynamo.Table, err error) tea.Cmd {
		if as != nil { // somebody has accepted it since this table was opened
			return then(as)
		}
		d.Err = err
		return s.Send(message.Ask{Dialog: d})
	})
}

// asksTables reports whether the dialog asks which other tables put locks into the lock table.
func (d *acceptance) asksTables() bool { return d.of.Tables && !d.described() }

// unsaid reports whether the dialog asks for the other tables, and the person has not typed their names yet.
func (d *acceptance) unsaid() bool {
	return d.asksTables() && strings.TrimSpace(d.tables.Value()) == ""
}

// described reports whether the constraint is described in the config. Then only the config can
// name the other tables.
func (d *acceptance) described() bool {
	return d.of.Constraint != nil && d.of.Constraint.State == layout.Described
}

func (d *acceptance) Draw() *kit.Box {
	b := kit.NewBox(d.Styles, d.Size.Width, kit.Accent, kit.Heading.Of("Is this how your application does it?"))
	b.Width = min(max(dialogWidth, d.Size.Width*2/3), d.Size.Width-2)
	b.Gap()
	if d.described() {
		b.Para(kit.Must, kit.Strong, say.Sentence("no person has said which other tables put locks into "+
			d.of.Table.LockTable(d.of.Constraint)))
		b.Fact(kit.Must, "so", kit.Text, say.Sentence(say.Do(d.of.Remedy())))
	} else {
		b.Para(kit.Must, kit.Text, "The layout is only a guess, so changes are off until you accept it.")
		b.Gap()
		d.layout(b)
	}
	if d.asksTables() {
		b.Gap()
		b.Para(kit.Must, kit.Strong, "Which other tables put locks into "+d.of.Table.LockTable(d.of.Constraint)+"?")
		b.InputRow("tables", &d.tables, "the word none, or names separated by commas", d.On == dialog.InField, b.Inner(), "")
	}
	dialog.WriteFailure(b, d.Err)
	b.Gap()
	d.Choice.Draw(b, d.Session)
	return b
}

// layout draws what the person would accept, and the evidence for it.
func (d *acceptance) layout(b *kit.Box) {
	t, accepted := d.of.Table, config.Layout{}
	var evidence []string
	if c := d.of.Constraint; c != nil {
		accepted, evidence = config.Only(t.Layout, c), dynamo.EvidenceOf(t, c)
	} else {
		accepted = config.OnlyCounter(t.Layout, &d.counter)
		b.Fact(kit.Must, "number", kit.Strong, "the "+d.counter.Semantics.Words())
		if d.counter.Evidence != "" {
			evidence = append(evidence, d.counter.Evidence)
		}
	}
	for _, part := range accepted.Parts() {
		if part.Path == "" {
			continue
		}
		label := map[string]string{"constraint": "locks of"}[part.Kind]
		b.Fact(kit.Must, cmp.Or(label, part.Kind), kit.Strong, part.Name)
		for _, setting := range part.Settings {
			if setting.Set && setting.Name != "name" && setting.Name != "model" {
				b.Fact(kit.Note, "", kit.Text, setting.Name+" = "+setting.Text)
			}
		}
	}
	for _, text := range evidence {
		b.Fact(kit.Note, "seen", kit.Muted, say.Sentence(text))
	}
}

func (d *acceptance) Key(msg tea.Msg) tea.Cmd { return d.Choice.Key(d, d.Session, msg) }

// Press accepts, and continues the person's command.
func (d *acceptance) Press(n int) tea.Cmd {
	switch n {
	case dialog.InField:
		d.On = yes
		return nil
	case no:
		return d.Leave()
	case meaning:
		all := []layout.Semantics{layout.Last, layout.Next, layout.Tally}
		d.counter.Semantics = all[(slices.Index(all, d.counter.Semantics)+1)%len(all)]
		return nil
	}
	if d.unsaid() {
		d.On = dialog.InField
		return nil
	}
	of, counter, asks, named := d.of, d.counter, d.asksTables(), d.tables.Value()
	return task.Start(d.Tasks, task.Planning, func(ctx context.Context) (*dynamo.Table, error) {
		switch {
		case asks:
			tables, err := of.Table.AlsoIn(ctx, of.Constraint, named)
			if err != nil {
				return nil, err
			}
			return dynamo.Accept(ctx, of.Table, of.Constraint, tables)
		case of.Counter == nil:
			return dynamo.Accept(ctx, of.Table, of.Constraint, nil)
		case counter.Semantics == layout.Tally:
			counter.IDs = nil
		}
		return dynamo.AcceptCounter(ctx, of.Table, &counter)
	}, func(as *dynamo.Table, err error) tea.Cmd {
		if err != nil {
			d.Err = err
			return nil
		}
		return tea.Sequence(d.Send(message.Close{}), d.Send(message.Accepted{Table: as, Was: of.Table}), d.then(as))
	})
}

func (d *acceptance) Leave() tea.Cmd {
	d.Tasks.Drop(task.Planning)
	return d.Send(message.Close{})
}
