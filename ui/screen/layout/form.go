package layout

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/layout/config"
	"tallylock/keymap"
	"tallylock/ui/dialog"
	"tallylock/ui/items"
	"tallylock/ui/kit"
	"tallylock/ui/message"
	"tallylock/ui/say"
	"tallylock/ui/session"
	"tallylock/ui/task"
)

// asking is the part that both dialogs of the screen share.
type asking struct {
	*Screen
	dialog.Choice
}

func (a *asking) Leave() tea.Cmd {
	a.Tasks.Drop(task.Describing)
	return a.Send(message.Close{})
}

// form is the dialog for one line. The sample judges the typed text at once.
type form struct {
	asking
	title string
	about string // the meaning of the line
	was   string // how the rule fits so far

	section, setting string // the line
}

// settingForm returns the form that corrects a setting.
func (s *Screen) settingForm(part config.Part, setting config.Setting) *form {
	field := kit.NewField(setting.Text)
	return &form{
		asking: asking{s, dialog.Choice{Field: &field, On: dialog.InField}},
		title:  strings.TrimSpace(setting.Name + " of the " + part.Kind + " " + called(part)),
		about:  say.Setting(part.Kind, setting.Name), was: s.heading(part).seen.Text,
		section: part.Path, setting: setting.Name,
	}
}

func (f *form) Draw() *kit.Box {
	b := kit.NewBox(f.Styles, f.Size.Width, kit.Accent, kit.Heading.Of("Correct "), kit.Text.Of(f.title))
	b.Width = min(max(kit.BoxWidth, f.Size.Width*2/3), f.Size.Width-2)
	b.Gap()
	if f.about != "" {
		b.Para(kit.Must, kit.Text, f.about)
		b.Gap()
	}
	b.InputRow("line", f.Field, "leave empty to remove", true, b.Inner(), "")
	if f.Err == nil && f.was != "" {
		b.Fact(kit.Must, "now", kit.Muted, f.was)
	}
	dialog.WriteFailure(b, f.Err)
	b.Gap()
	b.Hints(f.Hint(keymap.Press, "try it on the sample"), f.Hint(keymap.Leave, "leave it"))
	return b
}

func (f *form) Key(msg tea.Msg) tea.Cmd { return f.Choice.Key(f, f.Session, msg) }

// Press judges the typed text.
func (f *form) Press(int) tea.Cmd {
	text := f.Field.Value()
	config, err := f.config.With(f.section, f.setting, text)
	if f.Err = err; err != nil {
		return nil
	}
	done := func(err error) tea.Cmd {
		if f.Err = items.Explain(err); err != nil {
			return nil
		}
		return tea.Batch(f.Send(message.Close{}), f.tell(nil))
	}
	if f.taught != nil {
		return items.Learn(f.Session, f.table, f.lesson.WithAnswer(f.taught.Answer(f.section, f.setting, text)), done)
	}
	return f.try(config, done)
}

// writer is the dialog that writes the draft to the config.
type writer struct{ asking }

func (w *writer) why() string {
	switch {
	case w.Options.Guest != nil:
		return w.Options.Guest.WhyServer()
	case w.empty():
		return "there is no layout yet"
	case len(w.questions()) > 0:
		return unanswered
	case w.Options.Config.Write == nil:
		return "the demo changes no config, unless --config names one"
	case w.configured():
		return "the config already describes this table: " + w.Keys.Key(keymap.CopyItem) + " copies the lines for it"
	}
	return ""
}

func (w *writer) ask() tea.Cmd {
	w.Choice = dialog.Choice{Buttons: []string{"No, leave it", "Write", "Copy as TOML"}, Leave: "leave it"}
	return w.Send(message.Ask{Dialog: w})
}

func (w *writer) Draw() *kit.Box {
	b := kit.NewBox(w.Styles, w.Size.Width, kit.Accent, kit.Heading.Of("Write the layout to the config"))
	b.Gap()
	b.Fact(kit.Must, "file", kit.Strong, w.Options.Config.Path)
	b.Fact(kit.Must, "so", kit.Text,
		"Appends the layout to the file and changes nothing else. The table then uses it.")
	dialog.WriteFailure(b, w.Err)
	b.Gap()
	w.Choice.Draw(b, w.Session)
	return b
}

func (w *writer) Key(msg tea.Msg) tea.Cmd { return w.Choice.Key(w, w.Session, msg) }

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
	config, t, notes := w.config, w.table, say.LineNotes(w.table)
	return task.Start(w.Tasks, task.Describing, func(ctx context.Context) (*dynamo.Table, error) {
		as, err := dynamo.OpenAs(ctx, t, config)
		if err == nil {
			err = w.Options.Config.Write(config, notes)
		}
		if err == nil {
			err = as.SetDescribed(config)
		}
		return as, err
	}, func(as *dynamo.Table, err error) tea.Cmd {
		if w.Err = err; err != nil {
			return nil
		}
		w.Examples = session.Examples{}
		return tea.Batch(w.Send(message.UseLayout{Table: as}), w.Send(message.Close{}),
			w.Say("Written to "+w.Options.Config.Path+"."))
	})
}
