package layout

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/layout"
	"tallylock/keymap"
	"tallylock/ui/dialog"
	"tallylock/ui/kit"
	"tallylock/ui/message"
	"tallylock/ui/task"
)

// writer asks before the draft is written to the config.
type writer struct {
	*Screen
	choice dialog.Choice
	err    error
}

func (w *writer) why() string {
	switch {
	case w.empty():
		return "there is no layout yet"
	case w.Options.Config.Write == nil:
		return "the demo leaves your config alone, unless --config names one"
	case w.configured():
		return "the config describes this table already: put there what " + w.Keys.Key(keymap.CopyItem) + " copies"
	}
	return ""
}

func (w *writer) ask() tea.Cmd {
	w.choice = dialog.Choice{Buttons: []string{"No, leave it", "Write", "Copy as TOML"}, Leave: "leave it"}
	return w.Send(message.Ask{Dialog: w})
}

// Draw implements dialog.Dialog.
func (w *writer) Draw() *kit.Box {
	b := kit.NewBox(w.Styles, w.Size.Width, kit.Accent, kit.Heading.Of("Write the layout to the config"))
	b.Gap()
	b.Fact(kit.Must, "file", kit.Strong, w.Options.Config.Path)
	b.Fact(kit.Must, "so", kit.Text,
		"Appended to the file; the rest stays as it is. The table is read by it from then on.")
	dialog.WriteFailure(b, w.err)
	b.Gap()
	w.choice.Draw(b, w.Session)
	return b
}

// Key implements dialog.Dialog.
func (w *writer) Key(msg tea.Msg) tea.Cmd { return w.choice.Key(w, w.Session, msg) }

// Press implements dialog.Dialog.
func (w *writer) Press(n int) tea.Cmd {
	switch n {
	case 0:
		return w.Leave()
	case 2:
		return tea.Batch(w.Send(message.Close{}), w.Copy("the layout as TOML", w.toml()))
	}
	return w.write()
}

func (w *writer) write() tea.Cmd {
	config, t, notes := w.config, w.table, w.notes()
	return task.Start(w.Tasks, task.Describing, func(ctx context.Context) (*dynamo.Table, error) {
		as, err := dynamo.OpenAs(ctx, t, config)
		if err == nil {
			err = w.Options.Config.Write(config, notes)
		}
		if err == nil {
			as.Layout.Configured = true // it is now
			as.Layout.SetState(layout.Described)
			t.Connection().Described(config)
		}
		return as, err
	}, func(as *dynamo.Table, err error) tea.Cmd {
		if err != nil {
			w.err = err
			return nil
		}
		return tea.Batch(w.Send(message.Close{}), w.Send(message.ReadBy{Table: as}),
			w.Say("Written to "+w.Options.Config.Path+"."))
	})
}

// Leave implements dialog.Dialog.
func (w *writer) Leave() tea.Cmd {
	w.Tasks.Drop(task.Describing)
	return w.Send(message.Close{})
}
