package layout

import (
	"cmp"
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/answers"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
	"tallylock/keymap"
	"tallylock/ui/dialog/accept"
	"tallylock/ui/dialog/question"
	"tallylock/ui/message"
	"tallylock/ui/screen"
	"tallylock/ui/session"
	"tallylock/ui/task"
)

// Commands implements screen.Screen.
func (s *Screen) Commands() screen.Commands {
	at := s.selected()
	_, whole := s.table.Sample.Size()
	blank := screen.WhyIf(s.empty(), "there is no layout yet")
	sure := screen.WhyIf(s.rows.unsure() == 0, "no line is uncertain")
	return slices.Concat(screen.Policies(s.Session, dynamo.Unrecognised(s.table, "")), s.first(at), screen.Commands{
		{Action: keymap.Layout, Why: screen.WhyIf(true, "this is the layout screen")},
		{Action: keymap.NextProblem, Words: "next unsure", Why: sure},
		{Action: keymap.PreviousProblem, Why: sure},
	}, s.edits(at), s.adopts(at), screen.Copies(s.Session, screen.Selected{
		Cell: screen.Form{
			Hint:  "copy the line",
			Words: "the line",
			Name:  at.setting.Name,
			Why:   screen.WhyIf(!at.setting.Set, "this is not a line of the layout")(),
			Text:  screen.Plain(at.setting.Text),
		},
		Whole: screen.Form{
			Hint:  "copy as TOML",
			Words: "the layout as TOML",
			Why:   blank(),
			Text:  func() (string, error) { return s.toml(), nil },
		},
	}), screen.Commands{
		{Action: keymap.AllSettings, Words: "all settings", Why: blank, Run: func() tea.Cmd {
			s.all = !s.all
			s.lay()
			return nil
		}},
		{
			Action: keymap.Reload,
			Words:  "read more",
			Why:    screen.WhyIf(whole && !s.table.Sample.Vacant(), "all items were read"),
			Run:    func() tea.Cmd { return s.Reading(0, s.more) },
		},
		{Action: keymap.Back, Words: "back"},
	})
}

// first returns the likeliest commands of a row: to open it, to accept the layout, to write it, and to answer about
// the row.
func (s *Screen) first(at row) screen.Commands {
	write := &writer{asking{Screen: s}}
	open := screen.Command{
		Action: keymap.Open,
		Words:  at.verb,
		Why:    screen.WhyIf(!at.selectable(), "nothing is selected"),
		Run:    func() tea.Cmd { return s.open(at) },
	}
	accept := screen.Command{
		Action: keymap.Accept,
		Words:  "accept",
		Why:    func() string { return s.whyNotAccepted(at) },
		Run:    func() tea.Cmd { return s.accept(at) },
	}
	save := screen.Command{
		Action: keymap.Save, Words: "to config", Full: "write it to the config", Why: write.why, Run: write.ask,
	}
	answer := screen.Command{Action: keymap.Answer, Why: screen.WhyIf(true, screen.Elsewhere)}
	c := s.constraint(at.part)
	switch {
	case at.place != nil:
		answer.Words = "answer"
		answer.Why = func() string { return cmp.Or(s.WhyViewer(), screen.WhyIf(s.corrected(), notAccepted)()) }
		answer.Run = func() tea.Cmd { return question.Ask(s.Session, at.place.Question()) }
	case c != nil:
		answer.Full, answer.Why = "exclude other holders", func() string { return s.whyNotSaid(at.part, c) }
		answer.Run = func() tea.Cmd { return question.AskNowhereElse(s.Session, s.table, c) }
	}
	if at.place != nil || c != nil && at.setting.Name == nowhereElse {
		open.Why, open.Run = answer.Why, answer.Run
	}
	if s.corrected() {
		return screen.Commands{accept, save, open, answer}
	}
	return screen.Commands{open, answer, accept, save}
}

// edits returns the commands that correct the layout, and the command that takes an answer back.
func (s *Screen) edits(at row) screen.Commands {
	said := s.said(at)
	return screen.Commands{
		{
			Action: keymap.Examples,
			Words:  "examples",
			Full:   "choose examples",
			Why:    screen.WhyIf(s.table.Sample.Vacant(), "the table is empty"),
			Run:    s.point,
		},
		{
			Action: keymap.TakeOut,
			Words:  "take out",
			Why:    func() string { return s.whyNotRemoved(at.part) },
			Run:    func() tea.Cmd { return s.remove(at.part) },
		},
		{
			Action: keymap.Undo,
			Words:  "undo",
			Why:    screen.WhyIf(!s.corrected(), "there is no correction"),
			Run:    s.undo,
		},
		{
			Action: keymap.TakeBack,
			Words:  "take back",
			Why: func() string {
				return cmp.Or(s.WhyViewer(), screen.WhyIf(said == nil, "there is nothing to take back here")())
			},
			Run: func() tea.Cmd { return s.forget(said) },
		},
	}
}

// open edits a line, or takes over a suggestion.
func (s *Screen) open(at row) tea.Cmd {
	switch {
	case at.typed:
		return s.typeAnswer(at.choice)
	case at.choice != nil:
		return s.answer(at.choice, at.candidate)
	case at.near != nil:
		return s.try(dynamo.CandidateOf(s.table.Name, *at.near), s.tell)
	case at.shape != nil:
		return s.point()
	case !s.typable(at.part, at.setting):
		return s.Complain("This line cannot be edited here. " + s.Keys.Key(keymap.CopyItem) + " copies the layout: correct it in the config.")
	}
	return s.Send(message.Ask{Dialog: s.settingForm(at.part, at.setting)})
}

// remove removes a part from the layout.
func (s *Screen) remove(part config.Part) tea.Cmd {
	return s.try(s.config.Without(part.Path), func(err error) tea.Cmd {
		if err != nil {
			return s.Fail(err)
		}
		return s.Say("Removed: the " + part.Kind + " " + part.Name + ". " + s.Keys.Key(keymap.Undo) + " puts it back.")
	})
}

// whyNotRemoved returns the reason why a part cannot be taken out; empty if it can.
func (s *Screen) whyNotRemoved(part config.Part) string {
	switch {
	case part.Path == "":
		return "this is not a part of the layout"
	case s.taught != nil:
		return "it follows from the examples: " + s.Keys.Key(keymap.Undo) + " takes the last one back"
	}
	return ""
}

// point lists the items, for a person to point at examples.
func (s *Screen) point() tea.Cmd { return s.Send(screen.Examples{}) }

// unanswered is the reason why a layout with open questions is neither accepted nor written.
const unanswered = "a question is open: select an answer, and press enter"

// notAccepted is the reason why nobody can answer questions about a corrected layout.
const notAccepted = "the corrections are not accepted yet"

// nowhereElse is the setting that says that nothing outside the layout holds a constraint's values.
const nowhereElse = "nowhere_else"

// whyNotSaid says why a person cannot say that nothing else holds the values of c, the constraint of part.
func (s *Screen) whyNotSaid(part config.Part, c *layout.Constraint) string {
	_, _, said := c.Answers.All()
	switch {
	case s.WhyViewer() != "":
		return s.WhyViewer()
	case s.corrected():
		return notAccepted
	case said && s.said(row{part: part, setting: config.Setting{Name: nowhereElse}}) == nil:
		return "the config already answers this question"
	case said:
		return "this question is already answered: press " + s.Keys.Key(keymap.TakeBack) + " on " + nowhereElse +
			" to take the answer back"
	}
	return ""
}

// whyNotAccepted says why the part cannot be accepted; empty if it can.
func (s *Screen) whyNotAccepted(at row) string {
	of, described := s.acceptable(at.part), s.configured()
	if c, counter := s.constraint(at.part), s.counter(at.part); c != nil {
		described = c.State == layout.Described
	} else if counter != nil {
		described = counter.State == layout.Described
	}
	switch {
	case s.WhyViewer() != "":
		return s.WhyViewer()
	case len(s.questions()) > 0:
		return unanswered
	case s.configured() && s.corrected():
		return ""
	case s.empty():
		return "there is no layout yet"
	case of == nil && described, of != nil && of.Constraint != nil && of.Constraint.State == layout.Described:
		return "the config already describes it"
	case of == nil:
		return "it is already accepted"
	}
	return ""
}

// adopts returns the command that opens the adoption of a row's constraint; none for other rows.
func (s *Screen) adopts(at row) screen.Commands {
	if s.constraint(at.part) == nil {
		return nil
	}
	return screen.Commands{{
		Action: keymap.Adopt,
		Full:   "adopt the constraint",
		Why:    screen.WhyIf(s.corrected(), notAccepted),
		Run:    func() tea.Cmd { return s.Send(screen.Adopt{Constraint: at.part.Name}) },
	}}
}

// accept asks whether the layout matches the application. If the config describes the table, corrections cannot be
// accepted, because the config has priority. The program only uses the corrections until the person leaves.
func (s *Screen) accept(at row) tea.Cmd {
	if s.configured() && s.corrected() {
		s.Examples = session.Examples{}
		return tea.Batch(s.Send(message.UseLayout{Table: s.table}), s.Say("The layout is used as a guess until you leave the table. To keep it, copy it into the config: "+
			s.Keys.Key(keymap.CopyItem)+" on the layout screen."))
	}
	return accept.Ask(s.Session, s.acceptable(at.part), func(*dynamo.Table) tea.Cmd {
		return s.Say("Accepted, and stored for this table.")
	})
}

// said returns the entry with a person's answer for a row; nil if there is none. The answer is about a place or about
// nowhere_else, or it accepts the row's constraint or counter in its present form. For another row, said returns the
// only acceptance, if there is exactly one and nothing is left to accept.
func (s *Screen) said(at row) *answers.Entry {
	t := s.table
	hash := ""
	switch c, counter := s.constraint(at.part), s.counter(at.part); {
	case at.place != nil:
		return at.place.Said()
	case at.setting.Name == nowhereElse:
	case c != nil:
		hash = t.Answers.HashOf(c)
	case counter != nil:
		hash = t.Answers.CounterHash(counter)
	case s.acceptable(at.part) != nil:
		return nil // the acceptance belongs to another row
	}
	said := slices.DeleteFunc(t.Answers.Said(), func(e answers.Entry) bool {
		if at.setting.Name == nowhereElse {
			return !e.NowhereElse || e.Constraint != at.part.Name
		}
		return !e.Accepts() || hash != "" && e.Hash != hash
	})
	if len(said) != 1 {
		return nil
	}
	return &said[0]
}

// forget takes back an answer. If the answer was an acceptance, the screen shows the
// layout that a sample suggests.
func (s *Screen) forget(e *answers.Entry) tea.Cmd {
	if ask := s.Leaving(true, keymap.TakeBack); ask != nil {
		return ask
	}
	t := s.table
	if e.Accepts() {
		return s.reopen(func(ctx context.Context) (*dynamo.Table, error) {
			if err := t.Answers.Forget(e.ID); err != nil {
				return nil, err
			}
			return t.Connection().Open(ctx, t.Name)
		}, func() tea.Cmd { return s.Say("Answer removed. This layout comes from a sample.") })
	}
	text := "Answer removed. The locks stay until a person answers again."
	if e.NowhereElse {
		text = "Answer removed. A release now reads all tables of the layout."
	}
	return task.Start(s.Tasks, task.Describing, func(context.Context) (struct{}, error) {
		return struct{}{}, t.Answers.Forget(e.ID)
	}, func(_ struct{}, err error) tea.Cmd {
		if err != nil {
			return s.Fail(err)
		}
		return s.Send(message.LayoutAnswered{Then: func(err error) tea.Cmd {
			if err != nil {
				return s.Fail(err)
			}
			return tea.Batch(s.Refresh(), s.Say(text))
		}})
	})
}
