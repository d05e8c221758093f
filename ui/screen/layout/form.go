package layout

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/layout"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/message"
	"tallylock/ui/task"
	"tallylock/ui/words"
)

// form is where one line is typed. What is typed is judged by the sample at once.
type form struct {
	*Screen
	title       [2]string // what it does, to what
	label       string
	placeholder string
	about       string // what the line says
	was         string // how the rule fits before
	field       kit.Field
	err         error
	// correct is the layout with what was typed.
	correct func(text string) (layout.Config, error)
}

// settingForm corrects a setting.
func settingForm(s *Screen, part layout.Part, setting layout.Setting) *form {
	return &form{
		Screen: s,
		title:  [2]string{"Correct ", strings.TrimSpace(setting.Name + " of the " + part.Kind + " " + called(part))},
		label:  "line", placeholder: "empty: without it", field: kit.NewField(setting.Text),
		about: meaning(part.Kind, setting.Name), was: s.heading(part).text,
		correct: func(text string) (layout.Config, error) { return s.config.With(part.Path, setting.Name, text) },
	}
}

// accountForm adds the first account: its partition key is typed.
func accountForm(s *Screen) *form {
	a := layout.AccountConfig{PK: "{id}"}
	about := meaning("account", "pk")
	if s.table.Schema.RangeName != "" {
		a.SK = "{pk}"
		about += " Its sort key is taken to be {pk}, the partition key once more; it can be corrected next."
	}
	return &form{
		Screen: s, title: [2]string{"Add ", "an account"}, label: "pk", placeholder: "such as USER#{id}",
		field: kit.NewField(a.PK), about: about,
		correct: func(text string) (layout.Config, error) {
			return s.config.WithAccount(a).With("account[0]", "pk", text)
		},
	}
}

// ruleForm adds a rule to the account that the cursor is on, or to the last one: its attribute
// is typed. Its keys are a guess to be corrected; on items that are nothing yet they are theirs.
func ruleForm(s *Screen, at row) *form {
	account := len(s.config.Accounts) - 1
	_, _ = fmt.Sscanf(at.part.Path, "account[%d]", &account)
	con := layout.ConstraintConfig{PK: "UNIQ#{v}"}
	if s.table.Schema.RangeName != "" {
		con.SK = "{pk}"
	}
	if shape := s.rows.shape(at); shape != nil {
		con.PK, con.SK = shape.Templates("v")
	}
	return &form{
		Screen: s, title: [2]string{"Add ", "a rule"}, label: "attribute", placeholder: "its name, such as email",
		field: kit.NewField(""),
		about: "The attribute of the account that its locks keep unique. Their keys are taken to be " + strings.TrimSuffix(con.PK+" / "+con.SK, " / ") + "; they can be corrected next.",
		correct: func(text string) (layout.Config, error) {
			con.Attribute = strings.TrimSpace(text)
			con.Name = con.Attribute
			return s.config.WithConstraint(account, con), nil
		},
	}
}

// Draw implements dialog.Dialog.
func (f *form) Draw() *kit.Box {
	b := kit.NewBox(f.Styles, f.Size.Width, kit.Accent, kit.Heading.Of(f.title[0]), kit.Text.Of(f.title[1]))
	b.Width = min(max(kit.BoxWidth, f.Size.Width*2/3), f.Size.Width-2)
	b.Gap()
	if f.about != "" {
		b.Para(kit.Must, kit.Text, f.about)
		b.Gap()
	}
	b.InputRow(f.label, &f.field, f.placeholder, true, b.Inner(), "")
	switch {
	case f.err != nil:
		_, _, why, _ := words.Explain(f.err)
		b.Fact(kit.Must, "but", kit.Warn, words.Sentence(why))
	case f.was != "":
		b.Fact(kit.Must, "now", kit.Muted, f.was)
	}
	b.Gap()
	b.Hints(f.Hint(keymap.Press, "judge it by the sample"), f.Hint(keymap.Leave, "leave it"))
	return b
}

// Key implements dialog.Dialog.
func (f *form) Key(msg tea.Msg) tea.Cmd {
	switch action, leaves := f.DialogAction(msg); {
	case leaves && action == keymap.Leave:
		return f.Leave()
	case leaves && action == keymap.Press:
		return f.Press(0)
	case leaves:
		return nil
	}
	if f.field.Update(msg) {
		f.err = nil
	}
	return nil
}

// Press implements dialog.Dialog: it judges what was typed.
func (f *form) Press(int) tea.Cmd {
	config, err := f.correct(f.field.Value())
	if err != nil {
		f.err = err
		return nil
	}
	return f.try(config, func(err error) tea.Cmd {
		if err != nil {
			f.err = err
			return nil
		}
		return tea.Batch(f.Send(message.Close{}), f.tell(nil))
	})
}

// Leave implements dialog.Dialog.
func (f *form) Leave() tea.Cmd {
	f.Tasks.Drop(task.Describing)
	return f.Send(message.Close{})
}
