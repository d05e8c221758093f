package layout

import (
	"context"
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
	"tallylock/keymap"
	"tallylock/ui/dialog/question"
	"tallylock/ui/message"
	"tallylock/ui/say"
	"tallylock/ui/screen"
	"tallylock/ui/task"
)

// Commands implements screen.Screen.
func (s *Screen) Commands() screen.Commands {
	at := s.selected()
	open := map[bool]string{true: "take it over", false: "edit"}
	_, whole := s.table.Sample.Size()
	blank := screen.WhyIf(s.empty(), "there is no layout yet")
	write := &writer{Screen: s}
	first := screen.Commands{
		{
			Action: keymap.Open,
			Words:  open[at.setting.Name == ""],
			Why:    screen.WhyIf(!at.selectable(), "nothing is selected"),
			Run:    func() tea.Cmd { return s.open(at) },
		},
		{
			Action: keymap.Accept, Words: "accept",
			Why: func() string { return s.whyNotAccepted(at) }, Run: func() tea.Cmd { return s.accept(at) },
		},
		{Action: keymap.Save, Words: "to config", Full: "write it to the config", Why: write.why, Run: write.ask},
	}
	switch c := s.constraint(at.part); {
	case at.place != nil:
		why := screen.WhyIf(s.Corrected(), "the corrections are not accepted")
		answer := func() tea.Cmd { return question.Ask(s.Session, at.place.Question()) }
		first[0] = screen.Command{Action: keymap.Open, Why: why, Run: answer}
		first = slices.Insert(first, 0, screen.Command{Action: keymap.Mend, Words: "answer", Why: why, Run: answer})
	case c != nil:
		first = append(first, s.saying(c))
	}
	if s.Corrected() {
		first = screen.Commands{first[1], first[2], first[0]}
	}
	return slices.Concat(screen.Policies(s.Session, dynamo.Unrecognised(s.table, "")), first, screen.Commands{
		{Action: keymap.Layout, Why: screen.WhyIf(true, "this is it")},
		{Action: keymap.NextProblem, Words: "next unsure", Why: screen.WhyIf(s.rows.unsure() == 0, "no line is unsure")},
	}, s.edits(at), screen.Copies(s.Session, screen.Selected{
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
		{Action: keymap.Fold, Other: true, Words: "all settings", Why: blank, Run: silent(func() {
			s.all = !s.all
			s.lay()
		})},
		{
			Action: keymap.Reload,
			Words:  "read more",
			Why:    screen.WhyIf(whole && !s.table.Sample.Vacant(), "all items were read"),
			Run:    func() tea.Cmd { return s.Reading(0, s.more) },
		},
		{Action: keymap.Back, Words: "back"},
	})
}

// saying returns the command that asks whether any item outside the layout holds a constraint's
// values.
func (s *Screen) saying(c *layout.Constraint) screen.Command {
	_, _, said := c.Answers.All()
	return screen.Command{
		Action: keymap.Mend, Full: "nothing else holds it",
		Why: func() string {
			switch {
			case s.Corrected():
				return "the corrections are not accepted"
			case said && s.saidNowhereElse(c.Name) == nil:
				return "the config says it already"
			case said:
				return "it is said already: " + s.Keys.Key(keymap.OtherSide) + " on nowhere_else takes it back"
			}
			return ""
		},
		Run: func() tea.Cmd { return question.AskNowhereElse(s.Session, s.table, c) },
	}
}

// edits returns the commands that correct the layout, and the one that takes an answer back.
func (s *Screen) edits(at row) screen.Commands {
	addable := s.table.Sample.Unread() || s.table.Sample.Vacant() || !s.empty() || at.selectable() || len(s.rows) == 0
	return screen.Commands{
		{
			Action: keymap.Bump,
			Other:  true,
			Words:  "add a rule",
			Why:    screen.WhyIf(!addable, "nothing is selected"),
			Run: func() tea.Cmd {
				if len(s.config.Accounts) == 0 {
					return s.Send(message.Ask{Dialog: accountForm(s)})
				}
				return s.Send(message.Ask{Dialog: ruleForm(s, at)})
			},
		},
		{
			Action: keymap.DeleteAccount,
			Other:  true,
			Words:  "take out",
			Why:    screen.WhyIf(at.part.Path == "", "this is not a part of the layout"),
			Run:    func() tea.Cmd { return s.remove(at.part) },
		},
		{
			Action: keymap.Undo,
			Words:  "undo",
			Why:    screen.WhyIf(!s.Corrected(), "nothing was corrected"),
			Run:    silent(func() { s.take(s.past[len(s.past)-1]) }),
		},
		{
			Action: keymap.OtherSide,
			Other:  true,
			Words:  "take back",
			Why:    screen.WhyIf(s.said(at) == nil, "nobody has accepted this here"),
			Run:    func() tea.Cmd { return s.forget(at) },
		},
	}
}

// silent makes a command's Run from a function that starts no task.
func silent(run func()) func() tea.Cmd {
	return func() tea.Cmd {
		run()
		return nil
	}
}

// open edits a line, or takes over a suggestion.
func (s *Screen) open(at row) tea.Cmd {
	switch {
	case at.near != nil:
		return s.try(dynamo.CandidateOf(s.table.Name, *at.near), s.tell)
	case at.shape != nil:
		a := config.Account{}
		a.PK, a.SK = at.shape.Templates("id")
		if n := len(s.config.Accounts); n > 0 { // the existing accounts keep their names
			a.Model = "account-" + strconv.Itoa(n+1)
		}
		return s.try(s.config.WithAccount(a), s.tell)
	case at.setting.Name == "nowhere_else" && s.constraint(at.part) != nil:
		ask := s.saying(s.constraint(at.part))
		if why := ask.Refuses(); why != "" {
			return s.Complain(say.Sentence(why))
		}
		return ask.Run()
	case !s.typable(at.part, at.setting):
		return s.Complain("This line cannot be typed as it is. " + s.Keys.Key(keymap.CopyItem) + " copies the layout, to be corrected in the config.")
	}
	return s.Send(message.Ask{Dialog: settingForm(s, at.part, at.setting)})
}

// remove removes a part from the layout.
func (s *Screen) remove(part config.Part) tea.Cmd {
	return s.try(s.config.Without(part.Path), func(err error) tea.Cmd {
		if err != nil {
			return s.Fail(err)
		}
		return s.Say("Taken out: the " + part.Kind + " " + part.Name + ". " + s.Keys.Key(keymap.Undo) + " puts it back.")
	})
}

// sampleMore limits the read units of a larger sample.
const sampleMore = 480

// more reads a larger sample, and judges the draft by it.
func (s *Screen) more() tea.Cmd {
	name, on, before := s.table.Name, s.table.Connection(), s.draft
	return task.Start(s.Tasks, task.Describing, func(ctx context.Context) ([2]*dynamo.Table, error) {
		t, err := on.OpenWithin(ctx, name, sampleMore)
		if err != nil || !before.Corrected() {
			return [2]*dynamo.Table{t, t}, err
		}
		as, err := dynamo.OpenAs(ctx, t, before.config)
		return [2]*dynamo.Table{t, as}, err
	}, func(read [2]*dynamo.Table, err error) tea.Cmd {
		if err != nil {
			return s.Fail(err)
		}
		cmd := tea.Batch(s.Send(message.ReadBy{Table: read[0]}), s.Send(s), s.Show(read[0]))
		if before.Corrected() {
			s.take(draftOf(read[1], s.draft))
		}
		return tea.Batch(cmd, s.tell(nil))
	})
}
