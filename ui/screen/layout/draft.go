package layout

import (
	"context"
	"fmt"
	"reflect"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/layout/config"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/dialog"
	"tallylock/ui/kit"
	"tallylock/ui/message"
	"tallylock/ui/task"
	"tallylock/ui/words"
)

// draft is a layout that is being corrected, and the table as it is read by it.
type draft struct {
	table  *dynamo.Table
	config config.Layout
	past   []draft // before each correction
}

// draftOf is a table's layout as it is read by it.
func draftOf(t *dynamo.Table, past ...draft) draft {
	d := draft{table: t, config: config.Layout{Name: t.Name, Tables: []string{t.Name}}, past: past}
	if !t.Layout.Empty() {
		d.config = config.Of(t.Layout, t.Name)
		if !d.configured() {
			d.config.Name = t.Name
		}
	}
	return d
}

// Corrected reports whether it is not what the table is read by.
func (d *draft) Corrected() bool { return len(d.past) > 0 }

// configured reports whether the config describes the table.
func (d *draft) configured() bool {
	t := d.table
	if d.Corrected() {
		t = d.past[0].table
	}
	return t.Layout.Configured
}

func (d *draft) empty() bool { return len(d.config.Accounts)+len(d.config.Counters) == 0 }

// against is what contradicts it; empty where nothing does.
func (d *draft) against() string {
	for _, f := range d.table.Fit.All() {
		if f.Standing() == layout.Contradicted {
			return f.Why()
		}
	}
	return ""
}

// constraint is the rule that a part describes; nil where it has no locks, or is none.
func (d *draft) constraint(part config.Part) *layout.Constraint {
	if part.Kind != "constraint" {
		return nil
	}
	_, c := d.table.Layout.Constraint(part.Name)
	return c
}

// typable reports whether a setting comes out of a form as it went in. A control character
// cannot be typed, for one, and a field leaves it out.
func (d *draft) typable(part config.Part, setting config.Setting) bool {
	field := kit.NewField(setting.Text)
	same, err := d.config.With(part.Path, setting.Name, field.Value())
	return !setting.Set || err == nil && reflect.DeepEqual(same, d.config)
}

// toml is the draft as the config writes it.
func (d *draft) toml() string { return string(d.config.Annotated(words.LineNotes(d.table))) }

// judged says how many items it is judged by.
func (d *draft) judged() string {
	n, whole := d.table.Sample.Size()
	switch {
	case n == 0:
		return "no items to judge it by"
	case whole:
		return "judged by all " + phrase.Count(n, "item")
	}
	return "judged by " + phrase.Count(n, "item")
}

// from says where it is from.
func (d *draft) from() string {
	if d.Corrected() {
		return phrase.Count(len(d.past), "correction") + ", not accepted yet"
	}
	return words.Origin(d.table)
}

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
	correct func(text string) (config.Layout, error)
}

// settingForm corrects a setting.
func settingForm(s *Screen, part config.Part, setting config.Setting) *form {
	return &form{
		Screen: s,
		title:  [2]string{"Correct ", strings.TrimSpace(setting.Name + " of the " + part.Kind + " " + called(part))},
		label:  "line", placeholder: "empty: without it", field: kit.NewField(setting.Text),
		about: meaning(part.Kind, setting.Name), was: s.heading(part).text,
		correct: func(text string) (config.Layout, error) { return s.config.With(part.Path, setting.Name, text) },
	}
}

// accountForm adds the first account: its partition key is typed.
func accountForm(s *Screen) *form {
	a := config.Account{PK: "{id}"}
	about := meaning("account", "pk")
	if s.table.Schema.RangeName != "" {
		a.SK = "{pk}"
		about += " Its sort key is taken to be {pk}, the partition key once more; it can be corrected next."
	}
	return &form{
		Screen: s, title: [2]string{"Add ", "an account"}, label: "pk", placeholder: "such as USER#{id}",
		field: kit.NewField(a.PK), about: about,
		correct: func(text string) (config.Layout, error) {
			return s.config.WithAccount(a).With("account[0]", "pk", text)
		},
	}
}

// ruleForm adds a rule to the account that the cursor is on, or to the last one: its attribute
// is typed. Its keys are a guess to be corrected; on items that are nothing yet they are theirs.
func ruleForm(s *Screen, at row) *form {
	account := len(s.config.Accounts) - 1
	_, _ = fmt.Sscanf(at.part.Path, "account[%d]", &account)
	con := config.Constraint{PK: "UNIQ#{v}"}
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
		correct: func(text string) (config.Layout, error) {
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
	config, t, notes := w.config, w.table, words.LineNotes(w.table)
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
		if err != nil {
			w.err = err
			return nil
		}
		return tea.Batch(w.Send(message.ReadBy{Table: as}), w.Send(message.Close{}),
			w.Say("Written to "+w.Options.Config.Path+"."))
	})
}

// Leave implements dialog.Dialog.
func (w *writer) Leave() tea.Cmd {
	w.Tasks.Drop(task.Describing)
	return w.Send(message.Close{})
}
