package change

import (
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"tallylock/dynamo/change/plan"
	"tallylock/keymap"
	"tallylock/ui/dialog"
	"tallylock/ui/kit"
	"tallylock/ui/safe"
	"tallylock/ui/say"
	"tallylock/ui/session"
	"tallylock/ui/task"
)

// draw draws the form: the plan with its conditions and its price, the reason, and the buttons.
func (f *form) draw() *kit.Box {
	o := f.option()
	frame, title := kit.Accent, o.title
	if f.plan != nil {
		title = f.plan.Title
	}
	if f.conn.Connection != f.Connection().Connection { // the header names the open connection
		title += " on " + f.conn.Name()
	}
	if f.conn.Production {
		frame, title = kit.Bad, title+" in PRODUCTION"
	}
	b := kit.NewBox(f.Styles, f.Size.Width, frame, (frame | kit.Bold).Of(title))
	if frame == kit.Accent {
		b.Title[0].Style = kit.Heading
	}
	b.Gap()
	from := b.Len()
	f.drawPlan(b)
	if o.entry != nil { // keep the field in place while the plan grows
		f.room = max(f.room, b.Len()-from)
		for b.Len()-from < f.room {
			b.Gap()
		}
	}
	b.Gap()
	if len(f.options) > 1 {
		f.optionRow(b)
	}
	if e := o.entry; e != nil {
		b.InputRow(e.label, &e.input, e.placeholder, f.focus == stopEntry, 42, e.remark)
	}
	why := "why, for the journal"
	switch {
	case f.reasonNeeded():
		why = "why: there is no change without one"
	case f.conn.WhyReadOnly() != "":
		why = "why, for the plan"
	}
	b.InputRow("reason", &f.reason.Field, f.reason.placeholder(why), f.focus == stopReason, 48, "")
	if f.plan != nil && f.plan.Typed != "" {
		b.Gap()
		what, _, _ := strings.Cut(f.plan.Button, " ")
		b.InputRow("type", &f.typing, f.plan.Typed, f.focus == stopType, 18, typedWhat(f.plan)+" to enable "+what)
	} else if o.entry == nil {
		b.Row(kit.Note, func(l *kit.Line) {
			l.To(12)
			to := "journal"
			if f.conn.WhyReadOnly() != "" {
				to = "plan"
			}
			l.Put(kit.Muted, "written to the "+to+" with your name")
		})
	}
	if f.plan != nil && f.denied() != "" { // other obstacles show in the fields
		b.Fact(kit.Must, "blocked", kit.Warn, f.denied())
	}
	b.Gap()
	f.askButtons(b)
	return b
}

// drawPlan draws the plan, or why there is none yet.
func (f *form) drawPlan(b *kit.Box) {
	switch {
	case f.plan != nil:
		b.Para(kit.Must, kit.Strong, f.plan.Sentence)
		b.Gap()
		for _, l := range f.plan.Lines {
			look := kit.Text
			if l.Warns() {
				look = kit.Warn
			}
			b.Fact(kit.Must, string(l.Label), look, l.Text)
		}
		if f.moving && (f.plan.Kind == plan.KindBump || f.plan.Kind == plan.KindReserve) {
			b.Fact(kit.Must, "moving", kit.Text, "Others count now: it starts from the number that it says by then.")
		}
		if f.moving && f.plan.Collides != "" {
			b.Fact(kit.Must, "while", kit.Warn, "A simultaneous UpdateItem may fail (details: "+f.Keys.Key(keymap.ShowRequest)+").")
		}
	case f.refused != nil:
		if r, ok := errors.AsType[*plan.Refusal](f.refused); ok {
			for _, reason := range r.Reasons {
				if reason.Code == plan.NotANumber && f.typed() == "" { // nothing typed yet: ask, do not complain
					b.Para(kit.Must, kit.Strong, say.Sentence(say.Reason(reason)))
					continue
				}
				b.Para(kit.Must, kit.Bad, kit.GlyphNo+" "+say.Sentence(say.Reason(reason)))
			}
			return
		}
		dialog.WriteError(b, f.refused)
	case f.lacks() != "":
		b.Para(kit.Must, kit.Strong, f.lacks())
	default:
		if e := f.option().entry; e != nil && e.about != "" {
			b.Para(kit.Must, kit.Strong, e.about)
		}
		b.Row(kit.Must, func(l *kit.Line) {
			l.To(2)
			if _, busy := f.Tasks.Since(task.Planning); !busy {
				l.Put(kit.Muted, f.Keys.Key(keymap.NextField)+" shows what would be done.")
				return
			}
			l.Put(kit.Muted, "Reading again what is there now ")
			f.Working(l, task.Planning, 20)
		})
	}
}

// optionRow draws the options.
func (f *form) optionRow(b *kit.Box) {
	b.Row(kit.Must, func(l *kit.Line) {
		l.To(2)
		l.Put(kit.Muted, "how")
		l.To(12)
		for n, o := range f.options {
			k, g, mark := kit.Muted, kit.Base, "  "
			switch {
			case n == f.at && f.focus == stopOption:
				k, g, mark = kit.Heading, kit.Focused, kit.GlyphMark+" "
			case n == f.at:
				k, g, mark = kit.Strong, kit.Unfocused, kit.GlyphMark+" "
			}
			l.On(g)
			l.Words(k, mark+o.word, b.Inner()-l.At-2)
			l.Put(kit.Text, " ")
			l.On(kit.Base)
			l.Put(kit.Text, " ")
		}
	})
}

// typedWhat returns the name of the text that a person has to type.
func typedWhat(p *plan.Plan) string {
	switch {
	case p.Typed == p.Counter:
		return "the name"
	case p.Kind == plan.KindDeleteAccount, p.Account != "" && p.Typed == p.Account:
		return "the id"
	case p.Value == "": // a batch
		if _, ok := say.WholeNumber(p.Typed); ok {
			return "the number"
		}
		return "these words"
	}
	return "the value"
}

func (f *form) askButtons(b *kit.Box) {
	on := -1
	switch f.focus {
	case stopNo:
		on = 0
	case stopYes:
		on = 1
	}
	yes := f.option().title
	if f.plan != nil {
		yes = f.plan.Button
	}
	b.Buttons([]string{"No, leave it", yes}, on, func(n int) bool { return n == 1 && !f.open() })
	b.Gap()
	hints := []kit.Hint{f.Hint(keymap.NextField, "next")}
	if f.focus == stopOption {
		hints = append(hints, kit.Hint{Key: "←→", Words: "choose"})
	}
	if f.focus == stopReason && !f.Reasons.Given.Empty() {
		hints = append(hints, kit.Hint{Key: olderReason, Words: "earlier"})
	}
	if f.plan != nil {
		hints = append(hints, f.Hint(keymap.ShowRequest, "request"))
		if say.NoPlan(f.conn.Connection) == "" {
			hints = append(hints, f.Hint(keymap.SavePlan, "plan"))
		}
	}
	b.Hints(append(hints, f.Hint(keymap.Press, "press"), f.Hint(keymap.Leave, "leave it"))...)
}

// request shows the requests that a plan sends, and the equivalent AWS CLI commands.
type request struct {
	*session.Session
	lines []kit.Span
	top   int
	// commands is set if the lines include AWS CLI commands.
	commands bool
}

// request returns the requests of the plan; nil if there is no plan yet.
func (f *form) request() (*request, error) {
	if f.plan == nil {
		return nil, nil
	}
	v := &request{Session: f.Session}
	if f.moving && f.plan.Collides != "" {
		v.add(kit.Warn, strings.Join(kit.Wrap(f.plan.Collides, v.width()), "\n"))
		v.add(kit.Text, "")
	}
	for n, s := range f.plan.Steps {
		body, err := s.Body()
		if err != nil {
			return nil, err
		}
		if n > 0 {
			v.add(kit.Text, "")
		}
		head := "TransactWriteItems, " + string(s.Name)
		if s.Only != "" {
			head += ", only if " + s.Only
		}
		v.add(kit.Muted, head)
		v.add(kit.Text, say.PrettyJSON(body, v.width()))
	}
	if text, err := say.AWSCommands(f.conn.Connection, f.plan.Steps); err == nil {
		v.commands = true
		v.add(kit.Text, "")
		v.add(kit.Muted, "As commands of the AWS CLI")
		v.add(kit.Text, strings.TrimSuffix(text, "\n"))
	}
	return v, nil
}

// add adds a text, wrapped to the width.
func (v *request) add(k kit.Style, text string) {
	for _, paragraph := range strings.Split(text, "\n") {
		for _, row := range strings.Split(ansi.Hardwrap(safe.Text(paragraph), v.width(), true), "\n") {
			v.lines = append(v.lines, k.Of(row))
		}
	}
}

func (v *request) width() int { return max(min(v.Size.Width-2, requestWidth)-6, 8) }

// requestWidth is the largest width of the view.
const requestWidth = 100

// page returns how many lines are visible.
func (v *request) page() int { return max(v.Size.Height-8, 1) }

func (v *request) draw() *kit.Box {
	b := kit.NewBox(v.Styles, v.Size.Width, kit.Accent, kit.Heading.Of("What would be sent"))
	b.Width = min(v.Size.Width-2, requestWidth)
	v.top = max(min(v.top, len(v.lines)-v.page()), 0)
	b.Gap()
	for _, s := range v.lines[v.top:min(v.top+v.page(), len(v.lines))] {
		b.Row(kit.Must, func(l *kit.Line) {
			l.To(2)
			l.Put(s.Style, s.Text)
		})
	}
	b.Gap()
	b.Row(kit.Must, func(l *kit.Line) {
		l.To(2)
		hints := []kit.Hint{{Key: "↑↓", Words: "scroll"}, v.Hint(keymap.CopyRequest, "copy JSON")}
		if v.commands {
			hints = append(hints, v.Hint(keymap.CopyCommand, "copy command"))
		}
		kit.WriteHints(l, kit.WithKeys(append(hints, v.Hint(keymap.Leave, "back"))))
		if len(v.lines) > v.page() {
			l.Ends(kit.Muted, say.Position(min(v.top+v.page(), len(v.lines)), len(v.lines), false), b.Inner()-2)
		}
	})
	return b
}

// scroll scrolls, and reports whether the key does that.
func (v *request) scroll(key tea.KeyPressMsg) bool {
	switch key.String() {
	case "down", "j":
		v.top++
	case "up", "k":
		v.top--
	case "pgdown", "ctrl+d", "ctrl+f", "space":
		v.top += v.page()
	case "pgup", "ctrl+u", "ctrl+b":
		v.top -= v.page()
	case "home", "g":
		v.top = 0
	case "end", "G":
		v.top = len(v.lines)
	default:
		return false
	}
	return true
}

// copyCommand copies the change as AWS CLI commands.
func (f *form) copyCommand() tea.Cmd {
	if f.plan == nil {
		return nil
	}
	if why := say.NoCommand(f.conn.Connection); why != "" {
		return f.Say(say.Sentence(why))
	}
	text, err := say.AWSCommands(f.conn.Connection, f.plan.Steps)
	if err != nil {
		return f.Complain("Copying the change as a command: " + say.Error(err) + ".")
	}
	return f.Copy("the change as a command", text)
}

// viewKey handles a key while the request is shown.
func (d *ask) viewKey(action keymap.Action, key tea.KeyPressMsg) tea.Cmd {
	switch {
	case d.view.scroll(key):
	case action == keymap.CopyCommand:
		return d.form.copyCommand()
	case action == keymap.CopyRequest:
		return d.CopyRequests(d.form.plan)
	case action == keymap.Leave, action == keymap.ShowRequest, action == keymap.Press:
		d.view = nil
	}
	return nil
}
