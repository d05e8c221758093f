package ui

import (
	"strings"

	"tallylock/dynamo/change"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/task"
	"tallylock/ui/words"
)

func (d *changeDialog) draw() *kit.Box {
	switch {
	case d.view != nil:
		return d.view.draw()
	case d.stage == working:
		return d.drawWorking()
	case d.stage == over:
		return d.drawResult()
	}
	return d.drawAsking()
}

// drawAsking is the question: the sentence, what is written and only if what,
// the price, a reason, and the buttons.
func (d *changeDialog) drawAsking() *kit.Box {
	a, w := d.app, d.current()
	frame, title := kit.Accent, w.title
	if d.plan != nil {
		title = d.plan.Title
	}
	if d.conn.Production {
		frame, title = kit.Bad, title+" in PRODUCTION"
	}
	b := kit.NewBox(a.Styles, a.Size.Width, frame, (frame | kit.Bold).Of(title))
	if frame == kit.Accent {
		b.Title[0].Style = kit.Heading
	}
	b.Gap()
	d.drawPlan(b)
	b.Gap()
	if len(d.ways) > 1 {
		d.wayRow(b)
	}
	if e := w.entry; e != nil {
		b.InputRow(e.label, &e.input, e.ghost, d.focus == stopEntry, 42, e.remark)
	}
	ghost := "why, for the journal"
	if d.reasonNeeded() {
		ghost = "why: there is no change without one"
	}
	b.InputRow("reason", &d.reason, ghost, d.focus == stopReason, 48, "")
	if d.plan != nil && d.plan.Typed != "" {
		b.Gap()
		what, _, _ := strings.Cut(d.plan.Button, " ")
		b.InputRow("type", &d.typing, d.plan.Typed, d.focus == stopType, 20, typedWhat(d.plan)+", to open "+what)
	} else if w.entry == nil {
		b.Row(kit.Note, func(l *kit.Line) {
			l.To(12)
			l.Put(kit.Muted, "written to the journal with your name")
		})
	}
	d.shutRow(b)
	b.Gap()
	d.askButtons(b)
	return b
}

// drawPlan is what would be done, or why there is nothing to do yet.
func (d *changeDialog) drawPlan(b *kit.Box) {
	switch {
	case d.plan != nil:
		b.Para(kit.Must, kit.Strong, d.plan.Sentence)
		b.Gap()
		for _, l := range d.plan.Lines {
			b.Fact(kit.Plain, string(l.Label), kit.Text, l.Text)
		}
		if d.hot && d.plan.Collides != "" {
			b.Fact(kit.Plain, "while", kit.Warn, d.plan.Collides)
		}
	case d.refused != nil:
		if r := refusalOf(d.refused); r != nil {
			for _, reason := range r.Reasons {
				b.Para(kit.Must, kit.Bad, kit.GlyphNo+" "+words.Sentence(reason.Text))
			}
			return
		}
		_, _, why, do := words.Explain(d.refused)
		b.Para(kit.Must, kit.Warn, "! "+words.Sentence(why))
		b.Para(kit.Plain, kit.Text, words.Sentence(do))
	case d.lacks() != "":
		b.Para(kit.Must, kit.Strong, d.lacks())
	default:
		b.Row(kit.Must, func(l *kit.Line) {
			l.To(2)
			if _, busy := d.app.Tasks.Since(task.Planning); !busy {
				l.Put(kit.Muted, d.app.Keys.Key(keymap.NextField)+" shows what would be done.")
				return
			}
			l.Put(kit.Muted, "Reading again what is there now ")
			d.app.Working(l, task.Planning, 20)
		})
	}
}

// wayRow is the choice between the ways.
func (d *changeDialog) wayRow(b *kit.Box) {
	b.Row(kit.Must, func(l *kit.Line) {
		l.To(2)
		l.Put(kit.Muted, "how")
		l.To(12)
		for n, w := range d.ways {
			k, g, mark := kit.Muted, kit.Base, "  "
			switch {
			case n == d.way && d.focus == stopWay:
				k, g, mark = kit.Heading, kit.Focused, kit.GlyphMark+" "
			case n == d.way:
				k, g, mark = kit.Strong, kit.Unfocused, kit.GlyphMark+" "
			}
			l.On(g)
			l.Words(k, mark+w.word, b.Inner()-l.At-2)
			l.Put(kit.Text, " ")
			l.On(kit.Base)
			l.Put(kit.Text, " ")
		}
	})
}

// typedWhat says what has to be typed.
func typedWhat(p *change.Plan) string {
	switch {
	case p.Typed == p.Counter:
		return "its name"
	case p.Kind == change.KindDeleteAccount, p.Account != "" && p.Typed == p.Account:
		return "its id"
	case p.Value == "": // several together
		if _, ok := words.WholeNumber(p.Typed); ok {
			return "their number"
		}
		return "these words"
	}
	return "the value"
}

// shutRow says what keeps the change from being made, where that is not to be
// seen from the fields.
func (d *changeDialog) shutRow(b *kit.Box) {
	if d.plan == nil {
		return
	}
	if why := d.whyPlanDenied(); why != "" {
		b.Fact(kit.Must, "shut", kit.Warn, why)
	}
}

func (d *changeDialog) askButtons(b *kit.Box) {
	a := d.app
	on := -1
	switch d.focus {
	case stopNo:
		on = 0
	case stopYes:
		on = 1
	}
	yes := d.current().title
	if d.plan != nil {
		yes = d.plan.Button
	}
	b.Buttons([]string{"No, leave it", yes}, on, func(n int) bool { return n == 1 && !d.open() })
	b.Gap()
	hints := []kit.Hint{{Key: a.Keys.Key(keymap.NextField), Words: "next"}, {Key: a.Keys.Key(keymap.Press), Words: "press"}}
	if d.focus == stopWay {
		hints = append(hints, kit.Hint{Key: "←→", Words: "choose"})
	}
	if d.plan != nil && d.fieldOf() == nil {
		hints = append(hints, kit.Hint{Key: a.Keys.Key(keymap.ShowRequest), Words: "request"})
		if _, err := d.conn.CommandFlags(); err == nil && b.Width == kit.BoxWidth {
			hints = append(hints, kit.Hint{Key: a.Keys.Key(keymap.CopyCommand), Words: "command"})
		}
	}
	b.Hints(append(hints, kit.Hint{Key: a.Keys.Key(keymap.Leave), Words: "leave it"})...)
}
