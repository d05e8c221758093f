package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/keymap"
	"tallylock/ui/dialog"
	"tallylock/ui/kit"
	"tallylock/ui/message"
	"tallylock/ui/task"
	"tallylock/ui/words"
)

func (s *layoutScreen) whyWrite() string {
	switch why := s.whyEmpty(); {
	case why != "":
		return why
	case s.app.Options.Config.Write == nil:
		return "the demo leaves your config alone, unless --config names one"
	case s.configured():
		return "the config describes this table already: put there what " + s.app.Keys.Key(keymap.CopyItem) + " copies"
	}
	return ""
}

// layoutWrite asks before the config is written.
type layoutWrite struct {
	s   *layoutScreen
	on  int
	err error
}

func (s *layoutScreen) askWrite() tea.Cmd {
	return s.app.Send(message.Ask{Dialog: &layoutWrite{s: s}})
}

func (w *layoutWrite) Draw() *kit.Box {
	a := w.s.app
	b := kit.NewBox(a.Styles, a.Size.Width, kit.Accent, kit.Heading.Of("Write the layout to the config"))
	b.Gap()
	b.Fact(kit.Must, "file", kit.Strong, a.Options.Config.Path)
	b.Fact(kit.Plain, "so", kit.Text, "it is put behind what stands there, which stays as it is; the table is read by it from then on")
	if w.err != nil {
		_, _, why, do := words.Explain(w.err)
		b.Fact(kit.Must, "but", kit.Warn, words.Sentence(why)+" "+words.Sentence(do))
	}
	b.Gap()
	b.Buttons([]string{"No, leave it", "Write", "Copy as TOML"}, w.on, nil)
	b.Gap()
	b.Hints(kit.Hint{Key: a.Keys.Key(keymap.NextField), Words: "next"}, kit.Hint{Key: a.Keys.Key(keymap.Press), Words: "press"}, kit.Hint{Key: a.Keys.Key(keymap.Leave), Words: "leave it"})
	return b
}

func (w *layoutWrite) Key(msg tea.Msg) tea.Cmd {
	switch action, _ := w.s.app.DialogAction(msg); action {
	case keymap.Leave:
		return w.Leave()
	case keymap.NextField:
		w.on = dialog.Cycle([]int{0, 1, 2}, w.on, 1)
	case keymap.PreviousField:
		w.on = dialog.Cycle([]int{0, 1, 2}, w.on, -1)
	case keymap.Press:
		return w.Press(w.on)
	}
	return nil
}

func (w *layoutWrite) Press(n int) tea.Cmd {
	s := w.s
	a := s.app
	switch n {
	case 0:
		return w.Leave()
	case 2:
		return tea.Batch(a.Send(message.Close{}), s.copyAll())
	}
	config, t := s.draft, s.table
	notes := map[[2]string]string{}
	for _, line := range dynamo.LinesOf(t) {
		notes[[2]string{line.Section, line.Setting}] = s.note(line.Section, line.Setting)
	}
	return task.Start(a.Tasks, task.Describing, func(ctx context.Context) (*dynamo.Table, error) {
		as, err := t.As(ctx, config)
		if err == nil {
			err = a.Options.Config.Write(config, func(section, setting string) string { return notes[[2]string{section, setting}] })
		}
		if err == nil {
			as.Layout.Configured = true // it is now
			t.Connection().Described(config)
			_, err = t.Connection().Forget(ctx, t.Name) // the config goes before it
		}
		return as, err
	}, func(as *dynamo.Table, err error) tea.Cmd {
		if err != nil {
			w.err = err
			return nil
		}
		a.Send(message.Close{})
		a.differs = noted{}
		return tea.Batch(a.use(a.On, as, a.Tab), a.Say("Written to "+a.Options.Config.Path+"."))
	})
}

func (w *layoutWrite) Leave() tea.Cmd {
	w.s.app.Tasks.Drop(task.Describing)
	return w.s.app.Send(message.Close{})
}

// noted is how the layout that a sample shows differs from the one that was accepted.
type noted struct {
	table *dynamo.Table
	lines []string
}

func (n noted) of(t *dynamo.Table) []string {
	if n.table != t {
		return nil
	}
	return n.lines
}

// compare looks in the background whether a sample shows another layout than the one that
// was accepted for the table.
func (a *app) compare(t *dynamo.Table) tea.Cmd {
	a.differs = noted{}
	a.Tasks.Drop(task.Comparing)
	if t.Kept == nil {
		return nil
	}
	return task.Start(a.Tasks, task.Comparing, t.Differs, func(lines []string, err error) tea.Cmd {
		if err != nil || len(lines) == 0 || a.Table != t {
			return nil
		}
		a.differs = noted{t, lines}
		if s, on := a.top().(*layoutScreen); on {
			s.lay()
			return nil
		}
		return a.Say("A sample shows another layout than the accepted one, which is used: " + a.Keys.Key(keymap.Layout) + ".")
	})
}
