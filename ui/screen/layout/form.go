package layout

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/layout/config"
	"tallylock/keymap"
	"tallylock/ui/dialog"
	"tallylock/ui/kit"
	"tallylock/ui/message"
	"tallylock/ui/say"
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
	title       [2]string // the verb, and its object
	label       string
	placeholder string
	about       string // the meaning of the line
	was         string // how the rule fits so far
	// correct returns the layout with the typed text.
	correct func(text string) (config.Layout, error)
}

// typing returns the part of a form that has a field with this text.
func (s *Screen) typing(text string) asking {
	field := kit.NewField(text)
	return asking{s, dialog.Choice{Field: &field, On: dialog.InField}}
}

// settingForm returns the form that corrects a setting.
func (s *Screen) settingForm(part config.Part, setting config.Setting) *form {
	return &form{
		asking: s.typing(setting.Text),
		title:  [2]string{"Correct ", strings.TrimSpace(setting.Name + " of the " + part.Kind + " " + called(part))},
		label:  "line", placeholder: "empty: without it",
		about: say.Setting(part.Kind, setting.Name), was: s.heading(part).seen.Text,
		correct: func(text string) (config.Layout, error) { return s.config.With(part.Path, setting.Name, text) },
	}
}

// addForm returns the form that adds a rule by its attribute: to the selected account, or to the last one. The keys
// of the locks are those of the selected items, or a guess that can be corrected. If there is no account yet, the
// form adds one, by its partition key.
func (s *Screen) addForm(at row) *form {
	sk, about := "", ""
	if s.table.Schema.RangeName != "" {
		sk = "{pk}"
		about = " Its sort key is taken to be {pk}, the partition key once more; it can be corrected next."
	}
	account := len(s.config.Accounts) - 1
	if account < 0 {
		a := config.Account{PK: "{id}", SK: sk}
		return &form{
			asking: s.typing(a.PK), title: [2]string{"Add ", "an account"}, label: "pk", placeholder: "such as USER#{id}",
			about: say.Setting("account", "pk") + about,
			correct: func(text string) (config.Layout, error) {
				return s.config.WithAccount(a).With("account[0]", "pk", text)
			},
		}
	}
	_, _ = fmt.Sscanf(at.part.Path, "account[%d]", &account)
	con := config.Constraint{PK: "UNIQ#{v}", SK: sk}
	shaped := func(r row) bool { return r.shape != nil }
	if n := slices.IndexFunc(s.rows, shaped); shaped(at) {
		con.PK, con.SK = at.shape.Templates("v")
	} else if n >= 0 {
		con.PK, con.SK = s.rows[n].shape.Templates("v")
	}
	return &form{
		asking: s.typing(""), title: [2]string{"Add ", "a rule"},
		label: "attribute", placeholder: "its name, such as email",
		about: "The attribute of the account that its locks keep unique. Their keys are taken to be " + say.Keys(con.PK, con.SK) + "; they can be corrected next.",
		correct: func(text string) (config.Layout, error) {
			con.Attribute = strings.TrimSpace(text)
			con.Name = con.Attribute
			return s.config.WithConstraint(account, con), nil
		},
	}
}

func (f *form) Draw() *kit.Box {
	b := kit.NewBox(f.Styles, f.Size.Width, kit.Accent, kit.Heading.Of(f.title[0]), kit.Text.Of(f.title[1]))
	b.Width = min(max(kit.BoxWidth, f.Size.Width*2/3), f.Size.Width-2)
	b.Gap()
	if f.about != "" {
		b.Para(kit.Must, kit.Text, f.about)
		b.Gap()
	}
	b.InputRow(f.label, f.Field, f.placeholder, true, b.Inner(), "")
	if f.Err == nil && f.was != "" {
		b.Fact(kit.Must, "now", kit.Muted, f.was)
	}
	dialog.WriteFailure(b, f.Err)
	b.Gap()
	b.Hints(f.Hint(keymap.Press, "judge it by the sample"), f.Hint(keymap.Leave, "leave it"))
	return b
}

func (f *form) Key(msg tea.Msg) tea.Cmd { return f.Choice.Key(f, f.Session, msg) }

// Press judges the typed text.
func (f *form) Press(int) tea.Cmd {
	config, err := f.correct(f.Field.Value())
	if f.Err = err; err != nil {
		return nil
	}
	return f.try(config, func(err error) tea.Cmd {
		if f.Err = err; err != nil {
			return nil
		}
		return tea.Batch(f.Send(message.Close{}), f.tell(nil))
	})
}

// writer is the dialog that writes the draft to the config.
type writer struct{ asking }

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
	w.Choice = dialog.Choice{Buttons: []string{"No, leave it", "Write", "Copy as TOML"}, Leave: "leave it"}
	return w.Send(message.Ask{Dialog: w})
}

func (w *writer) Draw() *kit.Box {
	b := kit.NewBox(w.Styles, w.Size.Width, kit.Accent, kit.Heading.Of("Write the layout to the config"))
	b.Gap()
	b.Fact(kit.Must, "file", kit.Strong, w.Options.Config.Path)
	b.Fact(kit.Must, "so", kit.Text,
		"Appended to the file; the rest stays as it is. The table is read by it from then on.")
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
		return tea.Batch(w.Send(message.UseLayout{Table: as}), w.Send(message.Close{}),
			w.Say("Written to "+w.Options.Config.Path+"."))
	})
}
