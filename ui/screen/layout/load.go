package layout

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/example"
	"tallylock/dynamo/layout/config"
	"tallylock/ui/items"
	"tallylock/ui/kit"
	"tallylock/ui/message"
	"tallylock/ui/say"
	"tallylock/ui/task"
)

// show shows a table's own layout, without corrections.
func (s *Screen) show(t *dynamo.Table) tea.Cmd {
	s.Tasks.Drop(task.Describing)
	*s = Screen{Session: s.Session}
	s.take(draftOf(t))
	if len(t.Layout.Accounts) > 0 {
		return nil
	}
	return task.Start(s.Tasks, task.Describing, func(context.Context) (dynamo.UnknownTable, error) {
		return t.Sample.Unknown().Masked(), nil
	}, func(u dynamo.UnknownTable, _ error) tea.Cmd {
		s.near = u.Nearest
		s.lay()
		s.list.Put(kit.Nearest(s.rows, 0, 1))
		return nil
	})
}

// learned shows the layout that follows from examples.
func (s *Screen) learned(taught *dynamo.Taught) {
	d := draftOf(taught.Table, draftOf(s.Examples.Table))
	if s.taught != nil && s.past[0].table == s.Examples.Table {
		d.past = append(slices.Clip(s.past), s.draft)
	}
	d.taught, d.lesson = taught, s.Examples.Lesson
	s.take(d)
	s.list.Put(kit.Nearest(s.rows, 0, 1))
}

// undo shows the draft before the last correction. A derivation that is still running ends without a result.
func (s *Screen) undo() tea.Cmd {
	s.Tasks.Drop(task.Describing)
	taught, before := s.taught != nil, s.past[len(s.past)-1]
	if s.take(before); !taught {
		return nil
	}
	s.Examples.Lesson, s.Examples.Taught, s.Examples.Refused = before.lesson, before.taught, ""
	s.list.Put(kit.Nearest(s.rows, 0, 1))
	return s.Say("The last example or answer is taken back.")
}

// answer derives the layout again, with an answer of a person.
func (s *Screen) answer(c *example.Choice, text string) tea.Cmd {
	lesson := s.lesson.WithAnswer(s.taught.Answer(c.Section, c.Setting, text))
	return items.Learn(s.Session, s.table, lesson, func(err error) tea.Cmd {
		if err != nil {
			return s.Fail(items.Explain(err))
		}
		return nil
	})
}

// typeAnswer asks for the text that answers a question.
func (s *Screen) typeAnswer(c *example.Choice) tea.Cmd {
	for _, part := range s.config.Parts() {
		if part.Path == c.Section {
			return s.Send(message.Ask{Dialog: s.settingForm(part, config.Setting{Name: c.Setting, Text: c.Chosen})})
		}
	}
	return nil
}

// Refresh shows the current answers.
func (s *Screen) Refresh() tea.Cmd {
	if s.table.Answers.Recall(); !s.corrected() {
		s.draft = draftOf(s.table)
	}
	s.lay()
	return nil
}

// try judges a corrected layout, and shows it as the draft.
func (s *Screen) try(config config.Layout, done func(error) tea.Cmd) tea.Cmd {
	before := s.draft
	return task.Start(s.Tasks, task.Describing, func(ctx context.Context) (*dynamo.Table, error) {
		return dynamo.OpenAs(ctx, before.table, config)
	}, func(t *dynamo.Table, err error) tea.Cmd {
		if err == nil {
			s.take(draftOf(t, append(slices.Clip(before.past), before)...))
		}
		return done(err)
	})
}

// tell says how many items a draft was judged by.
func (s *Screen) tell(err error) tea.Cmd {
	if err != nil {
		return s.Fail(items.Explain(err))
	}
	return s.Say(say.Sentence(s.judged()))
}

// sampleMore limits the read units of a larger sample.
const sampleMore = 480

// more reads a larger sample, and judges the draft by it.
func (s *Screen) more() tea.Cmd {
	name, on, before := s.table.Name, s.table.Connection(), s.draft
	var as *dynamo.Table // this table uses the corrected layout
	return s.reopen(func(ctx context.Context) (*dynamo.Table, error) {
		t, err := on.OpenWithin(ctx, name, sampleMore)
		if err == nil && before.corrected() && before.taught == nil {
			as, err = dynamo.OpenAs(ctx, t, before.config)
		}
		return t, err
	}, func() tea.Cmd {
		if before.taught != nil {
			s.Examples.Table = s.table
			return items.Learn(s.Session, s.table, before.lesson, s.tell)
		}
		if before.corrected() {
			s.take(draftOf(as, s.draft))
		}
		return s.tell(nil)
	})
}

// reopen opens the table again, and uses and shows its layout. It calls then at the end.
func (s *Screen) reopen(open func(context.Context) (*dynamo.Table, error), then func() tea.Cmd) tea.Cmd {
	return task.Start(s.Tasks, task.Describing, open, func(t *dynamo.Table, err error) tea.Cmd {
		if err != nil {
			return s.Fail(err)
		}
		return tea.Batch(s.Send(message.UseLayout{Table: t}), s.Send(s), s.show(t), then())
	})
}
