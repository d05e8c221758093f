package ui

import (
	"strings"

	"tallylock/dynamo/change"
	"tallylock/keymap"
)

func (d *changeDialog) draw() *box {
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
func (d *changeDialog) drawAsking() *box {
	a, w := d.app, d.current()
	frame, title := asAccent, w.title
	if d.plan != nil {
		title = d.plan.Title
	}
	if d.conn.Production {
		frame, title = asBad, title+" in PRODUCTION"
	}
	b := newBox(a.st, a.size.w, frame, span{look(frame.role()) | bold, title})
	if frame == asAccent {
		b.title[0].look = asBold
	}
	b.gap()
	d.drawPlan(b)
	b.gap()
	if len(d.ways) > 1 {
		d.wayRow(b)
	}
	if e := w.entry; e != nil {
		b.inputRow(e.label, &e.input, e.ghost, d.focus == stopEntry, 42, e.remark)
	}
	ghost := "why, for the journal"
	if d.reasonNeeded() {
		ghost = "why: there is no change without one"
	}
	b.inputRow("reason", &d.reason, ghost, d.focus == stopReason, 48, "")
	if d.plan != nil && d.plan.Typed != "" {
		b.gap()
		what, _, _ := strings.Cut(d.plan.Button, " ")
		b.inputRow("type", &d.typing, d.plan.Typed, d.focus == stopType, 20, typedWhat(d.plan)+", to open "+what)
	} else if w.entry == nil {
		b.row(note, func(l *line) {
			l.to(12)
			l.put(asMuted, "written to the journal with your name")
		})
	}
	d.shutRow(b)
	b.gap()
	d.askButtons(b)
	return b
}

// drawPlan is what would be done, or why there is nothing to do yet.
func (d *changeDialog) drawPlan(b *box) {
	switch {
	case d.plan != nil:
		b.para(must, asStrong, d.plan.Sentence)
		b.gap()
		for _, l := range d.plan.Lines {
			b.fact(plain, string(l.Label), asText, l.Text)
		}
		if d.hot && d.plan.Collides != "" {
			b.fact(plain, "while", asWarn, d.plan.Collides)
		}
	case d.refused != nil:
		if r := refusalOf(d.refused); r != nil {
			for _, reason := range r.Reasons {
				b.para(must, asBad, glyphNo+" "+sentence(reason.Text))
			}
			return
		}
		_, _, why, do := explain(d.refused)
		b.para(must, asWarn, "! "+sentence(why))
		b.para(plain, asText, sentence(do))
	case d.lacks() != "":
		b.para(must, asStrong, d.lacks())
	default:
		b.row(must, func(l *line) {
			l.to(2)
			if _, busy := d.app.flights.busy(planning); !busy {
				l.put(asMuted, d.app.keys.Key(keymap.NextField)+" shows what would be done.")
				return
			}
			l.put(asMuted, "Reading again what is there now ")
			d.app.working(l, planning, 20)
		})
	}
}

// wayRow is the choice between the ways.
func (d *changeDialog) wayRow(b *box) {
	b.row(must, func(l *line) {
		l.to(2)
		l.put(asMuted, "how")
		l.to(12)
		for n, w := range d.ways {
			k, g, mark := asMuted, base, "  "
			switch {
			case n == d.way && d.focus == stopWay:
				k, g, mark = asBold, button, glyphMark+" "
			case n == d.way:
				k, g, mark = asStrong, field, glyphMark+" "
			}
			l.on(g)
			l.words(k, mark+w.word, b.inner()-l.at-2)
			l.put(asText, " ")
			l.on(base)
			l.put(asText, " ")
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
		if _, ok := whole(p.Typed); ok {
			return "their number"
		}
		return "these words"
	}
	return "the value"
}

// shutRow says what keeps the change from being made, where that is not to be
// seen from the fields.
func (d *changeDialog) shutRow(b *box) {
	if d.plan == nil {
		return
	}
	if why := d.whyPlanDenied(); why != "" {
		b.fact(must, "shut", asWarn, why)
	}
}

func (d *changeDialog) askButtons(b *box) {
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
	b.choices([]string{"No, leave it", yes}, on, func(n int) bool { return n == 1 && !d.open() })
	b.gap()
	hints := []hint{{a.keys.Key(keymap.NextField), "next"}, {a.keys.Key(keymap.Press), "press"}}
	if d.focus == stopWay {
		hints = append(hints, hint{"←→", "choose"})
	}
	if d.plan != nil && d.fieldOf() == nil {
		hints = append(hints, hint{a.keys.Key(keymap.ShowRequest), "request"})
		if _, err := d.conn.CommandFlags(); err == nil && b.width == boxWidth {
			hints = append(hints, hint{a.keys.Key(keymap.CopyCommand), "command"})
		}
	}
	b.hints(append(hints, hint{a.keys.Key(keymap.Leave), "leave it"})...)
}
