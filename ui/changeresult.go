package ui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/change"
	"tallylock/dynamo/client"
	"tallylock/keymap"
)

// embedded is the Region of the demo, which lives and ends with the program.
const embedded = "embedded"

// drawResult is one of the answers a change can have, told apart by title,
// glyph and border; each says what to do next.
func (d *changeDialog) drawResult() *box {
	switch {
	case d.err != nil:
		return d.drawUnplanned()
	case d.batch != nil:
		return d.drawBatch()
	case d.receipt.Outcome == change.Applied:
		return d.drawApplied()
	case d.receipt.Outcome == change.Unknown:
		return d.drawUnknown()
	}
	return d.drawRefused()
}

// drawUnplanned is for what was refused, or failed, before anything was sent.
func (d *changeDialog) drawUnplanned() *box {
	a := d.app
	if r := refusalOf(d.err); r != nil {
		k, word := asBad, glyphNo+" Refused"
		if r.Reasons[0].Code == change.InOrder {
			k, word = asGood, glyphYes+" In order"
		}
		b := newBox(a.st, a.size.w, k, span{k | bold, word}, span{asMuted, " · "}, span{asBold, "nothing was sent"})
		b.gap()
		var said []string
		for _, reason := range r.Reasons {
			said = append(said, refusedWords(reason))
		}
		for _, words := range slices.Compact(said) { // of a batch all may have one
			b.para(must, asStrong, words)
		}
		b.gap()
		d.close(b)
		return b
	}
	kind, op, why, do := explain(d.err)
	b := newBox(a.st, a.size.w, asWarn, span{asWarn | bold, "! " + kind}, span{asMuted, " · "}, span{asBold, "nothing was sent"})
	b.gap()
	b.para(must, asStrong, sentence(why))
	b.gap()
	if op != "" {
		b.fact(plain, "tried", asText, op)
	}
	if do != "" {
		b.fact(must, "do", asText, do)
	}
	b.gap()
	d.close(b)
	return b
}

func (d *changeDialog) drawApplied() *box {
	a, r, p := d.app, d.receipt, d.receipt.Plan
	title := []span{{asGood | bold, glyphYes + " Applied"}, {asMuted, " · "}, {asBold, d.outcome()}}
	long := cellsShown(d.outcome()) > min(boxWidth, a.size.w-2)-18
	if long {
		title = title[:1]
	}
	b := newBox(a.st, a.size.w, asGood, title...)
	b.gap()
	if long {
		b.para(must, asStrong, sentence(d.outcome()))
		b.gap()
	}
	at := clock(d.doneAt())
	if r.Before != "" && p.Counter != "" {
		b.fact(must, "was", asText, fitNumber(r.Before, b.inner()-16))
		b.fact(must, "is", asStrong, fitNumber(r.After, b.inner()-16))
	}
	for _, l := range p.Lines {
		switch l.Label {
		case change.LabelDelete:
			b.timed("deleted", l.Text, at)
		case change.LabelPut:
			b.timed("put", l.Text, at)
		case change.LabelRemove:
			b.timed("removed", l.Text, at)
		case change.LabelSet:
			b.timed("set", afterText(l.Text, r), at)
		}
	}
	if n := len(r.Reads); n > 0 {
		b.timed("looked", "no account holds \""+p.Value+"\"", clock(r.Reads[n-1].At))
	}
	if proof := r.Proof(); proof != "" {
		b.fact(plain, "proven", asText, proof)
	}
	for _, reason := range r.Reasons {
		b.fact(must, "mind", asWarn, sentence(reason.Text))
	}
	if p.Reason != "" {
		b.fact(plain, "reason", asText, p.Reason)
	}
	b.gap()
	d.receiptRows(b)
	b.gap()
	if undo := d.undoes(); undo != "" {
		key := a.keys.Key(keymap.UndoThis)
		for n, words := range wrap(undo, b.inner()-13-cells(key)-2) {
			b.row(plain, func(l *line) {
				l.to(2)
				if n == 0 {
					l.put(asMuted, "undo")
					l.to(12)
					l.put(asKey, key)
				}
				l.to(13 + cells(key))
				l.put(asText, words)
			})
		}
	}
	b.row(plain, func(l *line) {
		l.to(2)
		l.put(asMuted, "tell")
		l.to(12)
		l.put(asKey, a.keys.Key(keymap.CopyCommand))
		l.put(asText, " copies a sentence for the ticket")
	})
	b.gap()
	b.choices([]string{"Done"}, 0, nil)
	b.gap()
	hints := []hint{{a.keys.Key(keymap.Press), "close"}, {a.keys.Key(keymap.CopyCommand), "copy"}}
	if d.undoes() != "" {
		hints = append(hints, hint{a.keys.Key(keymap.UndoThis), "undo"})
	}
	b.hints(hints...)
	return b
}

// undoes says what taking the change back would do; empty where that cannot be.
func (d *changeDialog) undoes() string {
	if d.err != nil || d.receipt.Outcome != change.Applied || d.batch != nil || d.app.whyUndoLast() != "" {
		return ""
	}
	return cmp.Or(d.receipt.Plan.Line(change.LabelUndo), "takes it back, if everything is as it was left")
}

// outcome is what is true now, as the title has it: a number is never cut.
func (d *changeDialog) outcome() string {
	r, p := d.receipt, d.receipt.Plan
	if p.Counter != "" && r.Before != "" && p.Kind != change.KindReserve {
		return p.Counter + " is at " + fitNumber(r.After, 40-cellsShown(p.Counter))
	}
	return done(p, r)
}

// afterText is the line of what was set. A bump that was planned anew set
// another number than the one that was asked for.
func afterText(planned string, r change.Receipt) string {
	if r.After == "" {
		return planned
	}
	if name, _, ok := strings.Cut(planned, " = "); ok {
		return name + " = " + r.After
	}
	return planned
}

// doneAt is when the change was over.
func (d *changeDialog) doneAt() time.Time {
	if d.receipt.Done.IsZero() {
		return d.app.shown
	}
	return d.receipt.Done
}

func (d *changeDialog) receiptRows(b *box) {
	r := d.receipt
	who := ""
	if d.conn.Changer != nil && d.conn.Changer.Who != "" {
		who = ", by " + d.conn.Changer.Who
	}
	where := "  in the journal"
	if d.conn.Region() == embedded { // its journal goes with it
		where, who = "", strings.Replace(who, ", ", "  ", 1)
	}
	b.fact(plain, "receipt", asText, r.ID+where+who)
	paid := units(r.WriteUnits) + " write units"
	if r.ReadUnits > 0 {
		paid += ", " + units(r.ReadUnits) + " read units"
	}
	if r.Outcome == change.Refused && r.WriteUnits > 0 {
		paid += ", refused or not"
	}
	b.fact(plain, "paid", asText, paid)
}

func (d *changeDialog) drawRefused() *box {
	a, r := d.app, d.receipt
	title := []span{{asBad | bold, glyphNo + " Refused"}, {asMuted, " · "}, {asBold, "nothing was written"}}
	if r.Unmarked || slices.ContainsFunc(r.Reasons, left) {
		title[2].text = "the lock stays"
	}
	kind, op, why, do := "", "", "", ""
	if r.Err != nil {
		kind, op, why, do = explain(r.Err)
		title[0].text = glyphNo + " " + strings.ToUpper(kind[:1]) + kind[1:]
	}
	if stopped(r) {
		title[0].text = glyphNo + " Stopped"
	}
	b := newBox(a.st, a.size.w, asBad, title...)
	b.gap()
	if r.Err != nil {
		b.para(must, asStrong, sentence(why))
		b.gap()
		b.fact(plain, "tried", asText, op)
		if do != "" {
			b.fact(must, "do", asText, do)
		}
	}
	if mark := markWords(r); mark != "" {
		b.fact(must, "mark", asText, mark)
	}
	var slots []written
	if r.Plan != nil && len(r.Plan.Steps) > 0 {
		slots = writeWords(r.Plan.Steps[0])
	}
	for n, reason := range r.Reasons {
		if stopped(r) && left(reason) { // said beside the mark
			continue
		}
		if n > 0 || r.Err != nil {
			b.gap()
		}
		b.para(must, asStrong, refusedWords(reason))
		if reason.Slot >= 0 && reason.Slot < len(slots) && reason.Code == "ConditionalCheckFailed" {
			b.row(plain, func(l *line) {
				l.to(2)
				l.put(asMuted, fmt.Sprintf("%d  ", reason.Slot+1))
				l.words(asText, slots[reason.Slot].verb+" "+slots[reason.Slot].key, b.inner()-l.at-18)
				l.ends(asBad|bold, glyphNo+" changed since", b.inner()-2)
			})
		}
	}
	b.gap()
	d.receiptRows(b)
	b.gap()
	d.answers(b, "Look again", "Close")
	b.gap()
	d.resultHints(b)
	return b
}

// answers are the buttons of a result, or those of what is asked there.
func (d *changeDialog) answers(b *box, buttons ...string) {
	if why := d.asks(); why != nil {
		b.question(why.Asks, d.button)
		return
	}
	if d.kept != "" {
		b.fact(must, "kept", asText, d.kept)
		b.gap()
	}
	b.choices(buttons, d.button, nil)
}

// stopped reports whether a change was not refused, but stopped by the user.
func stopped(r change.Receipt) bool {
	return r.Outcome == change.Refused && r.Err != nil && client.KindOf(r.Err) == client.Cancelled
}

// markWords says what became of the mark of a release that was stopped half way;
// empty where none was put.
func markWords(r change.Receipt) string {
	if !stopped(r) {
		return ""
	}
	if n := slices.IndexFunc(r.Reasons, left); n >= 0 {
		return r.Reasons[n].Text
	}
	if r.Unmarked {
		return "taken off again"
	}
	return ""
}

// left reports whether a reason is that a mark was left on its lock.
func left(r change.Reason) bool { return r.Code == change.MarkLeft }

func (d *changeDialog) drawUnknown() *box {
	a, r := d.app, d.receipt
	b := newBox(a.st, a.size.w, asWarn, span{asWarn | bold, "? Not known"}, span{asMuted, " · "}, span{asBold, "the answer was lost"})
	b.gap()
	words := "It may have happened or not."
	if r.Plan != nil && r.Plan.Kind == change.KindRelease {
		words = fmt.Sprintf("The lock on \"%s\" may be gone or not.", r.Plan.Value)
	} else if r.Plan != nil && r.Plan.Done != "" {
		words = fmt.Sprintf("Perhaps %s, and perhaps nothing has changed.", r.Plan.Done)
	}
	b.para(must, asStrong, words+" The same request was sent again, and no answer came; nothing else is sent unasked.")
	b.gap()
	if r.Plan != nil {
		for _, l := range r.Plan.Lines {
			if l.Label == change.LabelDelete || l.Label == change.LabelSet {
				b.fact(plain, string(l.Label), asText, l.Text)
			}
		}
	}
	for _, reason := range r.Reasons {
		b.fact(plain, "so far", asText, reason.Text)
	}
	if r.Err != nil {
		_, _, why, _ := explain(r.Err)
		b.fact(plain, "why", asText, why)
	}
	b.gap()
	where := "  in the journal as not known"
	if d.conn.Region() == embedded {
		where = ""
	}
	b.fact(plain, "receipt", asText, r.ID+where)
	b.para(note, asText, "Looking again reads what is there now.")
	b.gap()
	b.choices([]string{"Look again", "Close"}, d.button, nil)
	b.gap()
	d.resultHints(b)
	return b
}

func (d *changeDialog) close(b *box) {
	a := d.app
	if d.asks() != nil {
		d.answers(b)
		b.gap()
		d.resultHints(b)
		return
	}
	d.answers(b, "Close")
	b.gap()
	b.hints(hint{a.keys.Key(keymap.Press), "close"}, hint{a.keys.Key(keymap.CopyCommand), "copy"})
}

func (d *changeDialog) resultHints(b *box) {
	a := d.app
	b.hints(hint{a.keys.Key(keymap.NextField), "next"}, hint{a.keys.Key(keymap.Press), "press"},
		hint{a.keys.Key(keymap.CopyCommand), "copy"}, hint{a.keys.Key(keymap.Leave), "close"})
}

// timed is a fact with the time at its end.
func (b *box) timed(label, text, at string) {
	b.row(must, func(l *line) {
		l.to(2)
		l.put(asMuted, label)
		l.to(12)
		l.fit(asText, text, b.inner()-12-len(at)-4)
		l.ends(asMuted, at, b.inner()-2)
	})
}

// resultKey takes a key on a result. Arrows up and down scroll what became of a batch.
func (d *changeDialog) resultKey(action keymap.Action, key string) tea.Cmd {
	why := d.asks()
	scrolls := d.batch != nil && (why == nil || key == "up" || key == "down")
	if scrolls && (action == keymap.NextField || action == keymap.PreviousField) {
		d.top++
		if action == keymap.PreviousField {
			d.top -= 2
		}
		return nil
	}
	switch action {
	case keymap.UndoThis:
		if d.undoes() != "" {
			d.app.hide()
			return tea.Batch(d.app.refresh(), d.app.askUndoLast())
		}
	case keymap.Leave:
		return d.leave()
	case keymap.NextField, keymap.PreviousField:
		if why != nil {
			n, by := len(replies(why.Asks)), 1
			if action == keymap.PreviousField {
				by = -1
			}
			d.button = (d.button + by + n) % n
		} else if d.err == nil && d.receipt.Outcome != change.Applied {
			d.button = 1 - d.button
		}
	case keymap.Press:
		return d.pressResult()
	case keymap.CopyCommand:
		if d.batch != nil && d.err == nil {
			return d.app.copy("what became of them", d.batchInWords())
		}
		return d.app.copy("what became of it", d.inWords())
	}
	return nil
}

// pressResult presses the button with the focus: look again, or close.
func (d *changeDialog) pressResult() tea.Cmd {
	if d.asks() != nil {
		return d.reply(d.button)
	}
	if d.button == 1 {
		d.app.hide()
		return nil
	}
	return d.leave()
}

// inWords is the outcome as a sentence for a ticket.
func (d *changeDialog) inWords() string {
	if d.err != nil {
		return "Nothing was sent: " + d.err.Error()
	}
	r := d.receipt
	s := d.doneAt().Format("2006-01-02 15:04:05 MST") + ": "
	switch r.Outcome {
	case change.Applied:
		s += done(r.Plan, r) + "."
	case change.Unknown:
		s += "sent, and not known what became of it."
	default:
		word := "refused"
		if stopped(r) {
			word = "stopped"
		}
		if mark := markWords(r); mark != "" {
			s += word + ", the lock stays. Its mark: " + sentence(mark)
		} else {
			s += word + ", nothing was written."
		}
	}
	for _, reason := range r.Reasons {
		if stopped(r) && left(reason) {
			continue
		}
		s += " " + sentence(reason.Text)
	}
	return s + " Receipt " + r.ID + "."
}
