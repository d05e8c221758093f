package resolve

import (
	"tallylock/dynamo/change"
	"tallylock/keymap"
	"tallylock/ui/dialog"
	"tallylock/ui/kit"
	"tallylock/ui/task"
	"tallylock/ui/words"
)

func (d *resolve) Draw() *kit.Box {
	frame := kit.Warn
	if d.conn.Production {
		frame = kit.Bad
	}
	title := "Resolve an open change"
	if d.stage == over {
		return d.drawResolved()
	}
	b := kit.NewBox(d.Styles, d.Size.Width, frame, kit.Heading.Of(title))
	b.Gap()
	b.Para(kit.Must, kit.Strong, d.rec.What)
	b.Fact(kit.Must, "sent", kit.Text, d.rec.At.Local().Format("2006-01-02 15:04:05")+", by "+words.By(d.rec.Who))
	b.Gap()
	switch {
	case d.stage == working:
		d.drawWorking(b)
	case d.err != nil:
		_, _, why, do := words.Explain(d.err)
		b.Para(kit.Must, kit.Warn, "! "+words.Sentence(why))
		b.Para(kit.Must, kit.Text, words.Sentence(do))
		b.Gap()
		b.Buttons([]string{"Leave it open"}, 0, nil)
	case d.found == nil:
		b.Row(kit.Must, func(l *kit.Line) {
			l.To(2)
			l.Put(kit.Muted, "Reading what became of it ")
			d.Working(l, task.Planning, 20)
		})
		b.Gap()
		b.Buttons([]string{"Leave it open"}, 0, nil)
	default:
		d.drawFound(b)
	}
	b.Gap()
	hints := []kit.Hint{
		d.Hint(keymap.NextField, "next"),
		d.Hint(keymap.Press, "press"),
		d.Hint(keymap.Leave, "leave it open"),
	}
	if d.stage == working {
		hints = []kit.Hint{d.Hint(keymap.Leave, "stop")}
	}
	b.Hints(hints...)
	return b
}

// drawFound draws what reads tell, and the choices below each other.
func (d *resolve) drawFound(b *kit.Box) {
	s := d.found
	b.Para(kit.Must, kit.Text, s.Words)
	b.Gap()
	if d.broken != nil {
		_, _, why, _ := words.Explain(d.broken)
		b.Para(kit.Must, kit.Warn, "! "+words.Sentence(why))
		b.Gap()
	}
	for _, f := range s.Facts {
		b.Fact(kit.Must, "found", kit.Text, f.String())
	}
	b.Gap()
	b.Button(0, "Leave it open", d.on == 0, false)
	if want := d.typed(); want != "" {
		b.Gap()
		b.InputRow("type", &d.typing, want, d.on < 0, max(18, len(want)+3), "to enable what sends")
	}
	for n, c := range d.choices() {
		why := d.whyBlocked(c)
		b.Gap()
		b.Button(n+1, c.Title, d.on == n+1, why != "")
		if why == "" {
			why = c.Words
		}
		for _, row := range kit.Wrap(words.Sentence(why), b.Inner()-8) {
			b.Row(kit.Must, func(l *kit.Line) {
				l.To(5)
				l.Put(kit.Muted, row)
			})
		}
	}
}

func (d *resolve) drawWorking(b *kit.Box) {
	b.Row(kit.Must, func(l *kit.Line) {
		l.To(2)
		l.Words(kit.Text, dialog.StageWord(d.progress.Stage), 9)
		l.To(12)
		dialog.WriteProgress(d.Session, l, d.progress)
	})
	b.Gap()
	b.Buttons([]string{"Stop"}, 0, nil)
}

// drawResolved draws what was done.
func (d *resolve) drawResolved() *kit.Box {
	r := d.receipt
	look, title := kit.Good, kit.GlyphYes+" Resolved"
	text := "it is " + string(r.Outcome)
	switch {
	case r.Err != nil || r.Outcome == change.Unknown && d.doing.Do != change.GiveUp:
		look, title, text = kit.Warn, kit.GlyphUnknown+" Still open", "it is not known what became of it"
	case r.Outcome == change.Unknown:
		text = "closed as unknown"
	}
	b := kit.NewBox(d.Styles, d.Size.Width, look, (look | kit.Bold).Of(title), kit.Muted.Of(" · "), kit.Heading.Of(text))
	b.Gap()
	b.Para(kit.Must, kit.Strong, d.rec.What)
	if len(r.Reasons) > 0 || r.Err != nil {
		b.Gap()
	}
	for _, reason := range r.Reasons {
		b.Para(kit.Must, kit.Text, words.Sentence(reason.Text))
	}
	if r.Err != nil {
		_, _, why, do := words.Explain(r.Err)
		b.Para(kit.Must, kit.Text, words.Sentence(why))
		b.Para(kit.Must, kit.Text, words.Sentence(do))
	}
	b.Gap()
	b.Fact(kit.Must, "receipt", kit.Text, r.ID)
	b.Gap()
	b.Buttons([]string{"Done"}, 0, nil)
	b.Gap()
	b.Hints(d.Hint(keymap.Press, "close"))
	return b
}
