package change

import (
	"fmt"
	"strings"

	"tallylock/dynamo/change"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/session"
	"tallylock/ui/words"
)

// draw draws the result. Outcomes differ in title, glyph, border and body; each says what to
// do next.
func (r *result) draw() *kit.Box {
	look, word, heading := r.title()
	title := []kit.Span{(look | kit.Bold).Of(word), kit.Muted.Of(" · "), kit.Heading.Of(heading)}
	long := r.applied() && kit.ValueWidth(heading) > min(kit.BoxWidth, r.Size.Width-2)-18
	if long {
		title = title[:1]
	}
	b := kit.NewBox(r.Styles, r.Size.Width, look, title...)
	b.Gap()
	if long {
		b.Para(kit.Must, kit.Strong, words.Sentence(heading))
		b.Gap()
	}
	switch one := r.first(); {
	case r.several():
		r.writeAll(b)
	case one.Outcome == change.Applied:
		r.writeApplied(b, one)
	case one.Outcome == change.Unknown:
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

// title is the outcome, and what is true now.
func (r *result) title() (look kit.Style, word, heading string) {
	one := r.first()
	switch {
	case r.several():
		return r.titleOfAll()
	case r.err != nil && one.Err != nil:
		kind, _, _, _ := words.Explain(r.err)
		return kit.Warn, "! " + kind, "nothing was sent"
	case r.err != nil && words.InOrder(one):
		return kit.Good, kit.GlyphYes + " In order", "nothing was sent"
	case r.err != nil:
		return kit.Bad, kit.GlyphNo + " Refused", "nothing was sent"
	}
	sign, heading := words.Result(one)
	if one.Outcome == change.Applied {
		heading = outcome(one)
	}
	return sign.Style, sign.Glyph + " " + sign.Word, heading
}

// outcome is what is true now, for the title: a number is never cut.
func outcome(r change.Receipt) string {
	p := r.Plan
	if p.Counter != "" && r.Before != "" && p.Kind != change.KindReserve {
		return p.Counter + " is at " + words.FitNumber(r.After, 40-kit.ValueWidth(p.Counter))
	}
	return words.Done(p, r)
}

func (r *result) writeApplied(b *kit.Box, one change.Receipt) {
	p, at := one.Plan, words.Clock(r.doneAt())
	if one.Before != "" && p.Counter != "" {
		b.Fact(kit.Must, "was", kit.Text, words.FitNumber(one.Before, b.Inner()-16))
		b.Fact(kit.Must, "is", kit.Strong, words.FitNumber(one.After, b.Inner()-16))
	}
	for _, l := range p.Lines {
		switch l.Label {
		case change.LabelDelete:
			b.Timed("deleted", l.Text, at)
		case change.LabelPut:
			b.Timed("put", l.Text, at)
		case change.LabelRemove:
			b.Timed("removed", l.Text, at)
		case change.LabelSet:
			b.Timed("set", afterText(l.Text, one), at)
		}
	}
	if n := len(one.Reads); n > 0 {
		b.Timed("looked", "no account holds \""+p.Value+"\"", words.Clock(one.Reads[n-1].At))
	}
	if proof := one.Proof(); proof != "" {
		b.Fact(kit.Must, "proven", kit.Text, proof)
	}
	for _, reason := range one.Reasons {
		b.Fact(kit.Must, "mind", kit.Warn, words.Sentence(reason.Text))
	}
	if p.Reason != "" {
		b.Fact(kit.Must, "reason", kit.Text, p.Reason)
	}
}

// afterText is the line of what was set. A bump that was planned again set another number
// than was asked for.
func afterText(planned string, r change.Receipt) string {
	if r.Plan.Counter == "" || r.After == "" {
		return planned
	}
	if name, _, ok := strings.Cut(planned, " = "); ok {
		return name + " = " + r.After
	}
	return planned
}

// writePaid draws where the change is recorded, and its price.
func (r *result) writePaid(b *kit.Box) {
	one, demo := r.first(), r.conn.Region() == session.Embedded // its journal goes with it
	switch {
	case r.several():
		paid, read := 0.0, 0.0
		for _, each := range r.receipts {
			paid, read = paid+each.WriteUnits, read+each.ReadUnits
		}
		b.Fact(kit.Must, "paid", kit.Text, words.Paid(paid, read))
		return
	case one.Outcome == change.Unknown:
		where := "  in the journal as unknown"
		if demo {
			where = ""
		}
		b.Fact(kit.Must, "receipt", kit.Text, one.ID+where)
		b.Para(kit.Note, kit.Text, closingIsSafe(r.Keys, demo))
		return
	}
	who := ""
	if r.conn.Changer != nil && r.conn.Changer.Who != "" {
		who = ", by " + r.conn.Changer.Who
	}
	where := "  in the journal"
	if demo {
		where, who = "", strings.Replace(who, ", ", "  ", 1)
	}
	if one.ID == "" {
		b.Fact(kit.Must, "receipt", kit.Muted, "none: nothing was sent")
		return
	}
	b.Fact(kit.Must, "receipt", kit.Text, one.ID+where+who)
	b.Fact(kit.Must, "paid", kit.Text, words.Paid(one.WriteUnits, one.ReadUnits))
}

// writeNext draws what can be done after a change.
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
		if r.conn.Region() != session.Embedded { // there no other program reaches the journal
			b.Fact(kit.Note, "", kit.Muted, "tallylock undo "+r.first().ID)
		}
	}
	if why := r.WhyUndoLast(); why != "" {
		b.Fact(kit.Must, "stays", kit.Text, words.Sentence(why))
	}
	b.Row(kit.Must, func(l *kit.Line) {
		l.To(2)
		l.Put(kit.Muted, "tell")
		l.To(12)
		l.Put(kit.Key, r.Keys.Key(keymap.CopyCommand))
		l.Put(kit.Text, " copies a sentence for the ticket")
	})
}

// writeButtons draws the buttons, below the meaning of the replies if there is a question.
func (r *result) writeButtons(b *kit.Box) {
	if q := r.question(); q != nil {
		q.WriteReplies(b)
		b.Gap()
	} else if r.decided != "" {
		b.Fact(kit.Must, "kept", kit.Text, r.decided)
		b.Gap()
	}
	b.Buttons(r.buttons(), r.button, nil)
}

// closingIsSafe says where to find the outcome later.
func closingIsSafe(keys *keymap.Map, demo bool) string {
	if demo {
		return "Look again reads what is there now."
	}
	return fmt.Sprintf("Closing is safe: %s on it in the journal (%s) finds out what became of it.", keys.Key(keymap.Mend),
		keys.Key(keymap.Journal))
}
