package change

import (
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/change/plan"
	"tallylock/keymap"
	"tallylock/ui/dialog"
	"tallylock/ui/kit"
	"tallylock/ui/say"
	"tallylock/ui/task"
)

// drawForm draws the form: the plan with its conditions and its price, the reason, and the buttons.
func (d *ask) drawForm() *kit.Box {
	o := d.option()
	frame, heading, title := kit.Accent, kit.Heading, o.title
	if d.plan != nil {
		title = d.plan.Title
	}
	if d.conn.Connection != d.Connection().Connection { // the header names the open connection
		title += " on " + d.conn.Name()
	}
	if d.conn.Production {
		frame, heading, title = kit.Bad, kit.Bad|kit.Bold, title+" in PRODUCTION"
	}
	b := kit.NewBox(d.Styles, d.Size.Width, frame, heading.Of(title))
	b.Gap()
	from := b.Len()
	d.drawPlan(b)
	d.room = max(d.room, b.Len()-from)
	for b.Len()-from < d.room { // keep the fields in place when the plan arrives
		b.Gap()
	}
	b.Gap()
	if len(d.options) > 1 {
		d.optionRow(b)
	}
	if e := o.entry; e != nil {
		b.InputRow(e.label, &e.input, e.placeholder, d.focus == stopEntry, 42, e.remark)
	}
	to := "journal"
	switch {
	case d.onlyAsks():
		to = "queue"
	case d.conn.WhyReadOnly() != "":
		to = "plan"
	}
	why := "the reason, for the " + to
	if d.reasonNeeded() {
		why = "the reason: it is required"
	}
	if d.recalls() {
		why += " · " + olderReason + " as before"
	}
	b.InputRow("reason", &d.reason.Field, why, d.focus == stopReason, 48, "")
	if d.types() { // this row replaces the remark, so the dialog does not grow
		what, _, _ := strings.Cut(d.plan.Button, " ")
		b.InputRow("type", &d.typing, d.plan.Typed, d.focus == stopType, 18, typedWhat(d.plan)+" to enable "+what)
	} else if o.entry == nil {
		with := "your name"
		if o.queued != nil {
			with += " and " + o.queued.entry.AskedBy + "'s"
		}
		b.Fact(kit.Note, "", kit.Muted, "written to the "+to+" with "+with)
	}
	if d.plan != nil && d.denied() != "" { // other obstacles show in the fields
		b.Fact(kit.Must, "blocked", kit.Warn, d.denied())
	}
	b.Gap()
	d.askButtons(b)
	return b
}

// drawPlan draws the plan, or why there is none yet.
func (d *ask) drawPlan(b *kit.Box) {
	switch {
	case d.plan != nil:
		b.Para(kit.Must, kit.Strong, d.plan.Sentence)
		b.Gap()
		for _, l := range d.plan.Lines {
			look := kit.Text
			if l.Warns() {
				look = kit.Warn
			}
			b.Fact(kit.Must, string(l.Label), look, l.Text)
		}
		if d.moving && (d.plan.Kind == plan.KindBump || d.plan.Kind == plan.KindReserve) {
			b.Fact(kit.Must, "moving", kit.Text, "The counter is in use: your numbers start where it is when the write arrives.")
		}
		if d.moving && d.plan.Collides != "" {
			b.Fact(kit.Must, "while", kit.Warn, "Your application's own write may fail once (details: "+d.Keys.Key(keymap.ShowRequest)+").")
		}
	case d.refused != nil:
		if r, ok := errors.AsType[*plan.Refusal](d.refused); ok {
			for _, reason := range r.Reasons {
				if reason.Code == plan.NotANumber && d.typed() == "" { // nothing typed yet: ask, do not complain
					b.Para(kit.Must, kit.Strong, say.Sentence(say.Reason(reason)))
					continue
				}
				b.Para(kit.Must, kit.Bad, kit.GlyphNo+" "+say.Sentence(say.Reason(reason)))
			}
			return
		}
		dialog.WriteError(b, d.refused)
	case d.lacks() != "":
		b.Para(kit.Must, kit.Strong, d.lacks())
	default:
		if e := d.option().entry; e != nil && e.about != "" {
			b.Para(kit.Must, kit.Strong, e.about)
		}
		b.Row(kit.Must, func(l *kit.Line) {
			l.To(2)
			if _, busy := d.Tasks.Since(task.Planning); !busy {
				l.Put(kit.Muted, d.Keys.Key(keymap.NextField)+" shows the change.")
				return
			}
			l.Put(kit.Muted, "Reading the present state ")
			d.Working(l, task.Planning, 20)
		})
	}
}

// optionRow draws the options.
func (d *ask) optionRow(b *kit.Box) {
	b.Row(kit.Must, func(l *kit.Line) {
		l.To(2)
		l.Put(kit.Muted, "how")
		l.To(12)
		for n, o := range d.options {
			k, g, mark := kit.Muted, kit.Base, "  "
			switch {
			case n == d.at && d.focus == stopOption:
				k, g, mark = kit.Heading, kit.Focused, kit.GlyphMark+" "
			case n == d.at:
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
	case p.Kind.IsBackfill():
		return "the constraint"
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

func (d *ask) askButtons(b *kit.Box) {
	o := d.option()
	yes := o.title
	switch {
	case d.onlyAsks():
		yes = "Ask an operator"
	case d.plan != nil:
		yes = d.plan.Button
	}
	b.Buttons([]string{"No, leave it", yes}, d.focus, func(n int) bool { return n == stopYes && !d.open() })
	b.Gap()
	hints := []kit.Hint{d.Hint(keymap.NextField, "next")}
	if d.focus == stopOption {
		hints = append(hints, kit.Hint{Key: "←→", Words: "choose"})
	}
	if d.focus == stopReason && d.recalls() {
		hints = append(hints, kit.Hint{Key: olderReason, Words: "earlier"})
	}
	if d.plan != nil {
		hints = append(hints, d.Hint(keymap.ShowRequest, "request"))
		switch {
		case o.run != nil:
		case d.Options.Guest != nil && !d.onlyAsks() && o.queued == nil && d.Options.Guest.WhyNotAsked() == "":
			hints = append(hints, d.Hint(keymap.SavePlan, "ask another"))
		case d.Options.Guest == nil && say.NoPlan(d.conn.Connection) == "":
			hints = append(hints, d.Hint(keymap.SavePlan, "plan"))
		}
	}
	b.Hints(append(hints, d.Hint(keymap.Press, "press"), d.Hint(keymap.Leave, "leave it"))...)
}

// request shows the requests that a plan sends, and the equivalent AWS CLI commands.
type request struct {
	dialog.Text
	// commands is set if the lines include AWS CLI commands. own is the tallylock command; empty if there is none.
	commands bool
	own      string
}

// request returns the requests of the plan; nil if there is no plan yet.
func (d *ask) request() (*request, error) {
	if d.plan == nil {
		return nil, nil
	}
	v := &request{Text: dialog.Text{Session: d.Session, Other: 8}}
	if d.moving && d.plan.Collides != "" {
		v.Add(kit.Warn, strings.Join(kit.Wrap(d.plan.Collides, v.Width()), "\n"))
		v.Add(kit.Text, "")
	}
	for n, s := range d.plan.Steps {
		body, err := s.Body()
		if err != nil {
			return nil, err
		}
		if n > 0 {
			v.Add(kit.Text, "")
		}
		head := "TransactWriteItems, " + string(s.Name)
		if s.Only != "" {
			head += ", only if " + s.Only
		}
		v.Add(kit.Muted, head)
		v.Add(kit.Text, say.PrettyJSON(body, v.Width()))
	}
	if text, err := say.AWSCommands(d.conn.Connection, d.plan.Steps); err == nil {
		v.commands = true
		v.Add(kit.Text, "")
		v.Add(kit.Muted, "As commands of the AWS CLI")
		v.Add(kit.Text, strings.TrimSuffix(text, "\n"))
	}
	if v.own = say.PlanCommand(d.plan); v.own != "" {
		v.Add(kit.Text, "")
		v.Add(kit.Muted, "As a command of tallylock")
		v.Add(kit.Text, v.own)
	}
	return v, nil
}

func (v *request) draw() *kit.Box {
	b := v.NewBox("The request")
	b.Gap()
	v.Text.Draw(b)
	b.Gap()
	hints := []kit.Hint{v.Hint(keymap.CopyRequest, "copy JSON")}
	if v.commands {
		hints = append(hints, v.Hint(keymap.CopyCommand, "aws"))
	}
	if v.own != "" {
		hints = append(hints, v.Hint(keymap.CopyOwnCommand, "tallylock"))
	}
	v.DrawHints(b, append(hints, v.Hint(keymap.Leave, "back"))...)
	return b
}

// copyCommand copies the change as AWS CLI commands.
func (d *ask) copyCommand() tea.Cmd {
	if why := say.NoCommand(d.conn.Connection); why != "" {
		return d.Say(say.Sentence(why))
	}
	text, err := say.AWSCommands(d.conn.Connection, d.plan.Steps)
	if err != nil {
		return d.Complain("Copying the change as a command: " + say.Error(err) + ".")
	}
	return d.Copy("the change as a command", text)
}

// viewKey handles a key while the request is shown.
func (d *ask) viewKey(action keymap.Action, key string) tea.Cmd {
	switch {
	case d.view.Scroll(key):
	case action == keymap.CopyCommand:
		return d.copyCommand()
	case action == keymap.CopyRequest:
		return d.CopyRequests(d.plan)
	case action == keymap.CopyOwnCommand && d.view.own != "":
		return d.CopyCommand("the tallylock command", d.view.own)
	case action == keymap.Leave, action == keymap.ShowRequest, action == keymap.Press:
		d.view = nil
	}
	return nil
}
