package ui

import (
	"tallylock/dynamo/change"
	"tallylock/keymap"
)

func (d *settleDialog) draw() *box {
	a := d.app
	frame := asWarn
	if d.conn.Production {
		frame = asBad
	}
	title := "Settle an open change"
	if d.stage == over {
		return d.drawSettled()
	}
	b := newBox(a.st, a.size.w, frame, span{asBold, title})
	b.gap()
	b.para(must, asStrong, d.rec.What)
	b.fact(plain, "sent", asText, d.rec.At.Local().Format("2006-01-02 15:04:05")+", by "+whose(d.rec.Who))
	b.gap()
	switch {
	case d.stage == working:
		d.drawWorking(b)
	case d.err != nil:
		_, _, why, do := explain(d.err)
		b.para(must, asWarn, "! "+sentence(why))
		b.para(plain, asText, sentence(do))
		b.gap()
		b.choices([]string{"Leave it open"}, 0, nil)
	case d.found == nil:
		b.row(must, func(l *line) {
			l.to(2)
			l.put(asMuted, "Reading what became of it ")
			a.working(l, planning, 20)
		})
		b.gap()
		b.choices([]string{"Leave it open"}, 0, nil)
	default:
		d.drawFound(b)
	}
	b.gap()
	hints := []hint{{a.keys.Key(keymap.NextField), "next"}, {a.keys.Key(keymap.Press), "press"}, {a.keys.Key(keymap.Leave), "leave it open"}}
	if d.stage == working {
		hints = []hint{{a.keys.Key(keymap.Leave), "stop"}}
	}
	b.hints(hints...)
	return b
}

// drawFound is what reads tell, and the choices, one under the other.
func (d *settleDialog) drawFound(b *box) {
	s := d.found
	b.para(must, asText, s.Words)
	b.gap()
	if d.broken != nil {
		_, _, why, _ := explain(d.broken)
		b.para(must, asWarn, "! "+sentence(why))
		b.gap()
	}
	for _, f := range s.Facts {
		b.fact(plain, "found", asText, f.Item+"  "+f.Text)
	}
	b.gap()
	b.choice(0, "Leave it open", d.on == 0, false)
	if want := d.typed(); want != "" {
		b.gap()
		b.inputRow("type", &d.typing, want, d.on < 0, max(28, len(want)), "to open what sends")
	}
	for n, c := range d.choices() {
		why := d.shut(c)
		b.gap()
		b.choice(n+1, c.Title, d.on == n+1, why != "")
		if why == "" {
			why = c.Words
		}
		for _, row := range wrap(sentence(why), b.inner()-8) {
			b.row(plain, func(l *line) {
				l.to(5)
				l.put(asMuted, row)
			})
		}
	}
}

func (d *settleDialog) drawWorking(b *box) {
	b.row(must, func(l *line) {
		l.to(2)
		l.words(asText, stageWord(d.progress.Stage), 9)
		l.to(12)
		d.app.stageProgress(l, d.progress)
	})
	b.gap()
	b.choices([]string{"Stop"}, 0, nil)
}

// drawSettled says what was done.
func (d *settleDialog) drawSettled() *box {
	a, r := d.app, d.receipt
	look, title := asGood, glyphYes+" Settled"
	words := "it is " + string(r.Outcome)
	switch {
	case r.Err != nil || r.Outcome == change.Unknown && d.doing.Do != change.GiveUp:
		look, title, words = asWarn, glyphUnknown+" Still open", "it is not known what became of it"
	case r.Outcome == change.Unknown:
		words = "closed as not known"
	}
	b := newBox(a.st, a.size.w, look, span{look | bold, title}, span{asMuted, " · "}, span{asBold, words})
	b.gap()
	b.para(must, asStrong, d.rec.What)
	if len(r.Reasons) > 0 || r.Err != nil {
		b.gap()
	}
	for _, reason := range r.Reasons {
		b.para(must, asText, sentence(reason.Text))
	}
	if r.Err != nil {
		_, _, why, do := explain(r.Err)
		b.para(must, asText, sentence(why))
		b.para(plain, asText, sentence(do))
	}
	b.gap()
	b.fact(plain, "receipt", asText, r.ID)
	b.gap()
	b.choices([]string{"Done"}, 0, nil)
	b.gap()
	b.hints(hint{a.keys.Key(keymap.Press), "close"})
	return b
}
