package change

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/dialog"
	"tallylock/ui/kit"
	"tallylock/ui/say"
	"tallylock/ui/session"
)

// draw draws the result. Each outcome has its own title, glyph, border and text. Each text says
// what to do next.
func (r *result) draw() *kit.Box {
	sign, heading := r.title()
	b := dialog.NewResult(r.Session, sign, heading)
	long := r.applied() && kit.ValueWidth(heading) > min(kit.BoxWidth, r.Size.Width-2)-18
	if long {
		b.Title = b.Title[:1]
	}
	b.Gap()
	if long {
		b.Para(kit.Must, kit.Strong, say.Sentence(heading))
		b.Gap()
	}
	switch one := r.first(); {
	case r.several():
		r.writeAll(b)
	case one.Outcome == journal.Applied:
		r.writeApplied(b, one)
	case one.Outcome == journal.Unknown:
		writeUnknown(b, one)
	default:
		r.writeRefused(b, one)
	}
	b.Gap()
	if r.err == nil {
		r.writePaid(b)
		b.Gap()
	}
	if r.applied() {
		r.writeNext(b)
		b.Gap()
	}
	r.writeButtons(b)
	b.Gap()
	b.Hints(r.hints()...)
	return b
}

// title returns the sign for the outcome, and the state after it.
func (r *result) title() (sign kit.Sign, heading string) {
	one := r.first()
	switch {
	case r.several():
		return say.ResultOfAll(r.receipts, r.wording.thing, r.wording.done)
	case r.err != nil:
		return say.NotPlanned(one)
	}
	sign, heading = say.Result(one)
	if one.Outcome == journal.Applied {
		heading = say.DoneShort(one)
	}
	return sign, heading
}

func (r *result) writeApplied(b *kit.Box, one change.Receipt) {
	p, at := one.Plan, phrase.Clock(r.doneAt())
	if one.Before != "" && p.Counter != "" {
		b.Fact(kit.Must, "was", kit.Text, say.FitNumber(one.Before, b.Inner()-16))
		b.Fact(kit.Must, "is", kit.Strong, say.FitNumber(one.After, b.Inner()-16))
	}
	for _, l := range p.Lines {
		switch l.Label {
		case plan.LabelDelete:
			b.Timed("deleted", l.Text, at)
		case plan.LabelPut:
			b.Timed("put", l.Text, at)
		case plan.LabelRemove:
			b.Timed("removed", l.Text, at)
		case plan.LabelSet:
			b.Timed("set", afterText(l.Text, one), at)
		}
	}
	if n := len(one.Reads); n > 0 {
		b.Timed("looked", "no account holds \""+p.Subject()+"\"", phrase.Clock(one.Reads[n-1].At))
	}
	if proof := one.Proof(); proof != "" {
		b.Fact(kit.Must, "proven", kit.Text, proof)
	}
	for _, reason := range one.Reasons {
		b.Fact(kit.Must, "mind", kit.Warn, say.Sentence(say.Reason(reason)))
	}
	if p.Reason != "" {
		b.Fact(kit.Must, "reason", kit.Text, p.Reason)
	}
}

// afterText returns the line for a written attribute. A bump that was planned again has written
// another number than the first plan said.
func afterText(planned string, r change.Receipt) string {
	if r.Plan.Counter == "" || r.After == "" {
		return planned
	}
	if name, _, ok := strings.Cut(planned, " = "); ok {
		return name + " = " + r.After
	}
	return planned
}

// writePaid draws the receipt of the change, and its price.
func (r *result) writePaid(b *kit.Box) {
	one, demo := r.first(), r.conn.Region() == session.Embedded // the demo's journal is gone when the program ends
	who := ""
	if c := r.conn.Changer; c != nil && one.Plan != nil && cmp.Or(c.AppliedBy, c.Who) != "" {
		who = "by " + say.Makers(cmp.Or(c.AppliedBy, c.Who), "", one.Plan.AskedBy)
	}
	guest := r.Options.Guest != nil
	switch {
	case r.several():
		paid, read := 0.0, 0.0
		for _, each := range r.receipts {
			paid, read = paid+each.WriteUnits, read+each.ReadUnits
		}
		if guest && who != "" {
			b.Fact(kit.Must, "made", kit.Text, who)
		}
		b.Fact(kit.Must, "paid", kit.Text, say.Paid(paid, read))
		return
	case one.Outcome == journal.Unknown:
		where := "  in the journal as unknown"
		if demo {
			where = ""
		}
		b.Fact(kit.Must, "receipt", kit.Text, one.ID+where)
		if guest && who != "" {
			b.Fact(kit.Must, "sent", kit.Text, who)
		}
		b.Para(kit.Note, kit.Text, closingIsSafe(r.Keys, demo))
		return
	}
	where := "  in the journal"
	switch {
	case demo && who != "":
		where, who = "", "  "+who
	case demo:
		where = ""
	case who != "":
		who = ", " + who
	}
	if one.ID == "" {
		b.Fact(kit.Must, "receipt", kit.Muted, "none: nothing was sent")
		return
	}
	b.Fact(kit.Must, "receipt", kit.Text, one.ID+where+who)
	b.Fact(kit.Must, "paid", kit.Text, say.Paid(one.WriteUnits, one.ReadUnits))
}

// writeNext draws what a person can do after the change.
func (r *result) writeNext(b *kit.Box) {
	if undo := r.undoWords(); undo != "" {
		key := r.Keys.Key(keymap.UndoThis)
		for n, text := range kit.Wrap(undo, b.Inner()-13-kit.Width(key)-2) {
			b.Row(kit.Must, func(l *kit.Line) {
				l.To(2)
				if n == 0 {
					l.Put(kit.Muted, "undo")
					l.To(12)
					l.Put(kit.Key, key)
				}
				l.To(13 + kit.Width(key))
				l.Put(kit.Text, text)
			})
		}
		if r.conn.Region() != session.Embedded { // no other program reaches the demo's journal
			b.Fact(kit.Note, "", kit.Muted, "tallylock undo "+r.first().ID)
		}
	}
	if why := whyUndoLast(r.Session); why != "" {
		b.Fact(kit.Must, "stays", kit.Text, say.Sentence(why))
	}
	b.Row(kit.Must, func(l *kit.Line) {
		l.To(2)
		l.Put(kit.Muted, "tell")
		l.To(12)
		l.Put(kit.Key, r.Keys.Key(keymap.CopyCommand))
		l.Put(kit.Text, " copies a sentence for the ticket")
	})
}

// writeButtons draws the buttons. If there is a question, the meanings of its replies come first.
func (r *result) writeButtons(b *kit.Box) {
	if q := r.query; q != nil {
		q.WriteReplies(b)
		b.Gap()
	} else if r.decided != "" {
		b.Fact(kit.Must, "kept", kit.Text, r.decided)
		b.Gap()
	}
	b.Buttons(r.Buttons, r.On, nil)
}

// closingIsSafe says where to find the outcome after the dialog is closed.
func closingIsSafe(keys *keymap.Map, demo bool) string {
	if demo {
		return "Press Look again to read the items once more."
	}
	return fmt.Sprintf("You can close this dialog. To learn the outcome later, press %s on the change in the journal (%s).",
		keys.Key(keymap.Mend), keys.Key(keymap.Journal))
}

func (r *result) writeRefused(b *kit.Box, one change.Receipt) {
	if one.Err != nil {
		e := say.Explain(one.Err)
		b.Para(kit.Must, kit.Strong, say.Sentence(e.Why))
		b.Gap()
		if e.Op != "" {
			label := "tried"
			if say.Stopped(one) {
				label = "while"
			}
			b.Fact(kit.Must, label, kit.Text, e.Op)
		}
		if e.Do != "" {
			b.Fact(kit.Must, "do", kit.Text, e.Do)
		}
		dialog.WriteConfigLines(b, one.Err)
	}
	if mark := say.Mark(one); mark != "" {
		b.Fact(kit.Must, "mark", kit.Text, mark)
	}
	last := ""
	for n, reason := range one.Reasons {
		if say.Stopped(one) && say.AboutMark(reason) { // the line about the mark says this
			continue
		}
		text := say.WhyRefused(one, reason)
		if r.err != nil && text == last { // plans of one batch may repeat a reason
			continue
		}
		last = text
		if r.err == nil && (n > 0 || one.Err != nil) {
			b.Gap()
		}
		b.Para(kit.Must, kit.Strong, text)
	}
	writeSlots(b, one, phrase.Clock(r.doneAt()))
}

// conditionFailed reports whether a reason is a failed condition.
func conditionFailed(r plan.Reason) bool { return r.Code == plan.ConditionFailed }

// writeSlots draws each action of the request. Below an action whose condition failed, it draws the
// values from the plan and the values now.
func writeSlots(b *kit.Box, one change.Receipt, now string) {
	if one.Plan == nil || len(one.Plan.Steps) == 0 || !slices.ContainsFunc(one.Reasons, conditionFailed) {
		return
	}
	b.Gap()
	for n, w := range say.Writes(say.RefusedStep(one)) {
		why := slices.IndexFunc(one.Reasons,
			func(reason plan.Reason) bool { return conditionFailed(reason) && reason.Slot == n })
		sign := kit.Sign{Glyph: kit.GlyphYes, Style: kit.Good, Word: "as you saw it", Quiet: true}
		if why >= 0 {
			sign = kit.Sign{Glyph: kit.GlyphNo, Style: kit.Bad, Word: "changed since"}
		}
		b.Row(kit.Must, func(l *kit.Line) {
			l.To(2)
			l.Put(kit.Muted, fmt.Sprintf("%d  ", n+1))
			l.Words(kit.Text, w.Verb+" "+w.Key, b.Inner()-l.At-18)
			l.To(b.Inner() - 2 - len("x ") - kit.Width(sign.Word))
			sign.Draw(l)
		})
		if why >= 0 {
			writeDifferences(b, one.Reasons[why].Differs, phrase.Clock(one.Plan.At), now)
		}
	}
}

// writeDifferences draws, for each attribute, the value that the plan was made with and the value
// now.
func writeDifferences(b *kit.Box, differs []plan.Difference, read, now string) {
	wide := 0
	for _, d := range differs {
		wide = max(wide, kit.ValueWidth(d.Attribute))
	}
	for _, d := range differs {
		for _, side := range []struct {
			label, at, value string
			look             kit.Style
		}{
			{"read", read, attributeText(d.Was), kit.Text},
			{"now", now, attributeText(d.Now), kit.Bad | kit.Bold},
		} {
			b.Row(kit.Must, func(l *kit.Line) {
				l.To(5)
				l.Put(kit.Muted, side.label)
				l.To(10)
				l.Put(kit.Muted, side.at+"   ")
				l.Fit(kit.Muted, d.Attribute, min(wide, 16))
				l.Put(kit.Muted, "  ")
				l.Fit(side.look, side.value, b.Inner()-l.At-2)
			})
		}
	}
}

// attributeText returns an attribute's value, or a dash if the attribute does not exist.
func attributeText(v attr.Value) string {
	if !v.Exists() {
		return "—"
	}
	return v.Display()
}

func writeUnknown(b *kit.Box, one change.Receipt) {
	b.Para(kit.Must, kit.Strong, say.Lost(one))
	b.Gap()
	if !one.OnlyMarked() && one.Plan != nil {
		for _, l := range one.Plan.Lines {
			if l.Label == plan.LabelDelete || l.Label == plan.LabelSet {
				b.Fact(kit.Must, string(l.Label), kit.Text, l.Text)
			}
		}
	}
	for _, reason := range one.Reasons {
		if say.AboutMark(reason) {
			b.Fact(kit.Must, "mark", kit.Text, say.Reason(reason))
		}
	}
	err := one.Err
	for _, s := range one.Sent {
		if client.KindOf(s.Err) != client.Cancelled && !client.Answered(s.Err) {
			err = s.Err
		}
	}
	writeSendings(b, one.Sent)
	if err != nil {
		b.Fact(kit.Must, "why", kit.Text, say.Explain(err).Why)
	}
}

// writeSendings draws when the request was sent: the first time and the last two times.
func writeSendings(b *kit.Box, sent []plan.Sending) {
	skipped := max(len(sent)-3, 0)
	for n, s := range sent {
		label := "again"
		switch {
		case n == 0:
			label = "sent"
		case n <= skipped:
			continue
		}
		text := phrase.Clock(s.At) + "   " + say.Answered(s.Err) + " after " + say.Lasts(s.Took)
		if n == 0 && skipped > 0 {
			text += fmt.Sprintf(", then %s more", phrase.Count(skipped, "time"))
		}
		b.Fact(kit.Must, label, kit.Text, text)
	}
}
