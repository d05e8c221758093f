package ui

import (
	"reflect"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/layout"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/message"
	"tallylock/ui/task"
	"tallylock/ui/words"
)

// layoutForm is where one line is typed. What is typed is judged by the sample at once.
type layoutForm struct {
	s     *layoutScreen
	title [2]string // what it does, to what
	label string
	ghost string
	about string // what the line says
	was   string // how the rule fits before
	field kit.Field
	err   error
	// draft makes the draft of what was typed.
	draft func(text string) (layout.Config, error)
}

// newLayoutForm corrects a setting.
func newLayoutForm(s *layoutScreen, part layout.Part, setting layout.Setting) *layoutForm {
	f := &layoutForm{
		s: s, title: [2]string{"Correct ", strings.TrimSpace(setting.Name + " of the " + part.Kind + " " + called(part))},
		label: "line", ghost: "empty: without it", field: kit.NewField(setting.Text),
		about: meaning(part.Kind, setting.Name), was: s.heading(part).text,
	}
	f.draft = func(text string) (layout.Config, error) { return s.draft.With(part.Path, setting.Name, text) }
	return f
}

// typable reports whether a setting comes out of a form as it went in. A control character
// cannot be typed, for one, and a field leaves it out.
func (s *layoutScreen) typable(part layout.Part, setting layout.Setting) bool {
	field := kit.NewField(setting.Text)
	same, err := s.draft.With(part.Path, setting.Name, field.Value())
	return !setting.Set || err == nil && reflect.DeepEqual(same, s.draft)
}

// newRuleForm adds a rule: its attribute is typed, its keys are a guess to be corrected.
func newRuleForm(s *layoutScreen, account int, con layout.ConstraintConfig) *layoutForm {
	f := &layoutForm{s: s, title: [2]string{"Add ", "a rule"}, label: "attribute", ghost: "its name, such as email", field: kit.NewField(""), about: "The attribute of the account that its locks keep unique. Their keys are taken to be " + strings.TrimSuffix(con.PK+" / "+con.SK, " / ") + "; they can be corrected next."}
	f.draft = func(text string) (layout.Config, error) {
		con.Attribute = strings.TrimSpace(text)
		con.Name = con.Attribute
		return s.draft.WithConstraint(account, con), nil
	}
	return f
}

func (f *layoutForm) Draw() *kit.Box {
	a := f.s.app
	b := kit.NewBox(a.Styles, a.Size.Width, kit.Accent, kit.Heading.Of(f.title[0]), kit.Text.Of(f.title[1]))
	b.Width = min(max(kit.BoxWidth, a.Size.Width*2/3), a.Size.Width-2)
	b.Gap()
	if f.about != "" {
		b.Para(kit.Plain, kit.Text, f.about)
		b.Gap()
	}
	b.InputRow(f.label, &f.field, f.ghost, true, b.Inner(), "")
	switch {
	case f.err != nil:
		_, _, why, _ := words.Explain(f.err)
		b.Fact(kit.Must, "but", kit.Warn, words.Sentence(why))
	case f.was != "":
		b.Fact(kit.Plain, "now", kit.Muted, f.was)
	}
	b.Gap()
	b.Hints(kit.Hint{Key: a.Keys.Key(keymap.Press), Words: "judge it by the sample"}, kit.Hint{Key: a.Keys.Key(keymap.Leave), Words: "leave it"})
	return b
}

func (f *layoutForm) Key(msg tea.Msg) tea.Cmd {
	switch action, leaves := f.s.app.DialogAction(msg); {
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

// press judges what was typed.
func (f *layoutForm) Press(int) tea.Cmd {
	a := f.s.app
	draft, err := f.draft(f.field.Value())
	if err != nil {
		f.err = err
		return nil
	}
	return f.s.try(draft, func(err error) tea.Cmd {
		if err != nil {
			f.err = err
			return nil
		}
		a.Send(message.Close{})
		return f.s.tell(nil)
	})
}

func (f *layoutForm) Leave() tea.Cmd {
	f.s.app.Tasks.Drop(task.Describing)
	return f.s.app.Send(message.Close{})
}
