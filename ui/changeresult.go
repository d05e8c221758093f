package ui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/change"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/session"
	"tallylock/ui/words"
)

// drawResult is one of the answers a change can have, told apart by title,
// glyph and border; each says what to do next.
func (d *changeDialog) drawResult() *kit.Box {
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
func (d *changeDialog) drawUnplanned() *kit.Box {
	a := d.app
	if r := refusalOf(d.err); r != nil {
		k, word := kit.Bad, kit.GlyphNo+" Refused"
		if r.Reasons[0].Code == change.InOrder {
			k, word = kit.Good, kit.GlyphYes+" In order"
		}
		b := kit.NewBox(a.Styles, a.Size.Width, k, (k | kit.Bold).Of(word), kit.Muted.Of(" · "), kit.Heading.Of("nothing was sent"))
		b.Gap()
		var said []string
		for _, reason := range r.Reasons {
			said = append(said, refusedWords(reason))
		}
		for _, text := range slices.Compact(said) { // of a batch all may have one
			b.Para(kit.Must, kit.Strong, text)
		}
		b.Gap()
		d.close(b)
		return b
	}
	kind, op, why, do := words.Explain(d.err)
	b := kit.NewBox(a.Styles, a.Size.Width, kit.Warn, (kit.Warn | kit.Bold).Of("! "+kind), kit.Muted.Of(" · "), kit.Heading.Of("nothing was sent"))
	b.Gap()
	b.Para(kit.Must, kit.Strong, words.Sentence(why))
	b.Gap()
	if op != "" {
		b.Fact(kit.Plain, "tried", kit.Text, op)
	}
	if do != "" {
		b.Fact(kit.Must, "do", kit.Text, do)
	}
	b.Gap()
	d.close(b)
	return b
}

func (d *changeDialog) drawApplied() *kit.Box {
	a, r, p := d.app, d.receipt, d.receipt.Plan
	title := []kit.Span{(kit.Good | kit.Bold).Of(kit.GlyphYes + " Applied"), kit.Muted.Of(" · "), kit.Heading.Of(d.outcome())}
	long := kit.ValueWidth(d.outcome()) > min(kit.BoxWidth, a.Size.Width-2)-18
	if long {
		title = title[:1]
	}
	b := kit.NewBox(a.Styles, a.Size.Width, kit.Good, title...)
	b.Gap()
	if long {
		b.Para(kit.Must, kit.Strong, words.Sentence(d.outcome()))
		b.Gap()
	}
	at := words.Clock(d.doneAt())
	if r.Before != "" && p.Counter != "" {
		b.Fact(kit.Must, "was", kit.Text, words.FitNumber(r.Before, b.Inner()-16))
		b.Fact(kit.Must, "is", kit.Strong, words.FitNumber(r.After, b.Inner()-16))
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
			b.Timed("set", afterText(l.Text, r), at)
		}
	}
	if n := len(r.Reads); n > 0 {
		b.Timed("looked", "no account holds \""+p.Value+"\"", words.Clock(r.Reads[n-1].At))
	}
	if proof := r.Proof(); proof != "" {
		b.Fact(kit.Plain, "proven", kit.Text, proof)
	}
	for _, reason := range r.Reasons {
		b.Fact(kit.Must, "mind", kit.Warn, words.Sentence(reason.Text))
	}
	if p.Reason != "" {
		b.Fact(kit.Plain, "reason", kit.Text, p.Reason)
	}
	b.Gap()
	d.receiptRows(b)
	b.Gap()
	if undo := d.undoes(); undo != "" {
		key := a.Keys.Key(keymap.UndoThis)
		for n, text := range kit.Wrap(undo, b.Inner()-13-kit.Width(key)-2) {
			b.Row(kit.Plain, func(l *kit.Line) {
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
	}
	b.Row(kit.Plain, func(l *kit.Line) {
		l.To(2)
		l.Put(kit.Muted, "tell")
		l.To(12)
		l.Put(kit.Key, a.Keys.Key(keymap.CopyCommand))
		l.Put(kit.Text, " copies a sentence for the ticket")
	})
	b.Gap()
	b.Buttons([]string{"Done"}, 0, nil)
	b.Gap()
	hints := []kit.Hint{{Key: a.Keys.Key(keymap.Press), Words: "close"}, {Key: a.Keys.Key(keymap.CopyCommand), Words: "copy"}}
	if d.undoes() != "" {
		hints = append(hints, kit.Hint{Key: a.Keys.Key(keymap.UndoThis), Words: "undo"})
	}
	b.Hints(hints...)
	return b
}

// undoes says what taking the change back would do; empty where that cannot be.
func (d *changeDialog) undoes() string {
	if d.err != nil || d.receipt.Outcome != change.Applied || d.batch != nil || d.app.WhyUndoLast() != "" {
		return ""
	}
	return cmp.Or(d.receipt.Plan.Line(change.LabelUndo), "takes it back, if everything is as it was left")
}

// outcome is what is true now, as the title has it: a number is never cut.
func (d *changeDialog) outcome() string {
	r, p := d.receipt, d.receipt.Plan
	if p.Counter != "" && r.Before != "" && p.Kind != change.KindReserve {
		return p.Counter + " is at " + words.FitNumber(r.After, 40-kit.ValueWidth(p.Counter))
	}
	return words.Done(p, r)
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

func (d *changeDialog) receiptRows(b *kit.Box) {
	r := d.receipt
	who := ""
	if d.conn.Changer != nil && d.conn.Changer.Who != "" {
		who = ", by " + d.conn.Changer.Who
	}
	where := "  in the journal"
	if d.conn.Region() == session.Embedded { // its journal goes with it
		where, who = "", strings.Replace(who, ", ", "  ", 1)
	}
	b.Fact(kit.Plain, "receipt", kit.Text, r.ID+where+who)
	paid := words.Units(r.WriteUnits) + " write units"
	if r.ReadUnits > 0 {
		paid += ", " + words.Units(r.ReadUnits) + " read units"
	}
	if r.Outcome == change.Refused && r.WriteUnits > 0 {
		paid += ", refused or not"
	}
	b.Fact(kit.Plain, "paid", kit.Text, paid)
}

func (d *changeDialog) drawRefused() *kit.Box {
	a, r := d.app, d.receipt
	title := []kit.Span{(kit.Bad | kit.Bold).Of(kit.GlyphNo + " Refused"), kit.Muted.Of(" · "), kit.Heading.Of("nothing was written")}
	if r.Unmarked || slices.ContainsFunc(r.Reasons, left) {
		title[2].Text = "the lock stays"
	}
	kind, op, why, do := "", "", "", ""
	if r.Err != nil {
		kind, op, why, do = words.Explain(r.Err)
		title[0].Text = kit.GlyphNo + " " + strings.ToUpper(kind[:1]) + kind[1:]
	}
	if stopped(r) {
		title[0].Text = kit.GlyphNo + " Stopped"
	}
	b := kit.NewBox(a.Styles, a.Size.Width, kit.Bad, title...)
	b.Gap()
	if r.Err != nil {
		b.Para(kit.Must, kit.Strong, words.Sentence(why))
		b.Gap()
		b.Fact(kit.Plain, "tried", kit.Text, op)
		if do != "" {
			b.Fact(kit.Must, "do", kit.Text, do)
		}
	}
	if mark := markWords(r); mark != "" {
		b.Fact(kit.Must, "mark", kit.Text, mark)
	}
	var slots []words.Write
	if r.Plan != nil && len(r.Plan.Steps) > 0 {
		slots = words.Writes(r.Plan.Steps[0])
	}
	for n, reason := range r.Reasons {
		if stopped(r) && left(reason) { // said beside the mark
			continue
		}
		if n > 0 || r.Err != nil {
			b.Gap()
		}
		b.Para(kit.Must, kit.Strong, refusedWords(reason))
		if reason.Slot >= 0 && reason.Slot < len(slots) && reason.Code == "ConditionalCheckFailed" {
			b.Row(kit.Plain, func(l *kit.Line) {
				l.To(2)
				l.Put(kit.Muted, fmt.Sprintf("%d  ", reason.Slot+1))
				l.Words(kit.Text, slots[reason.Slot].Verb+" "+slots[reason.Slot].Key, b.Inner()-l.At-18)
				l.Ends(kit.Bad|kit.Bold, kit.GlyphNo+" changed since", b.Inner()-2)
			})
		}
	}
	b.Gap()
	d.receiptRows(b)
	b.Gap()
	d.answers(b, "Look again", "Close")
	b.Gap()
	d.resultHints(b)
	return b
}

// answers are the buttons of a result, or those of what is asked there.
func (d *changeDialog) answers(b *kit.Box, buttons ...string) {
	if why := d.asks(); why != nil {
		writeQuestion(b, why.Asks, d.button)
		return
	}
	if d.kept != "" {
		b.Fact(kit.Must, "kept", kit.Text, d.kept)
		b.Gap()
	}
	b.Buttons(buttons, d.button, nil)
}

// stopped reports whether a change was not refused, but stopped by the user.
func stopped(r change.Receipt) bool {
	return words.Stopped(r)
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

func (d *changeDialog) drawUnknown() *kit.Box {
	a, r := d.app, d.receipt
	b := kit.NewBox(a.Styles, a.Size.Width, kit.Warn, (kit.Warn | kit.Bold).Of("? Not known"), kit.Muted.Of(" · "), kit.Heading.Of("the answer was lost"))
	b.Gap()
	text := "It may have happened or not."
	if r.Plan != nil && r.Plan.Kind == change.KindRelease {
		text = fmt.Sprintf("The lock on \"%s\" may be gone or not.", r.Plan.Value)
	} else if r.Plan != nil && r.Plan.Done != "" {
		text = fmt.Sprintf("Perhaps %s, and perhaps nothing has changed.", r.Plan.Done)
	}
	b.Para(kit.Must, kit.Strong, text+" The same request was sent again, and no answer came; nothing else is sent unasked.")
	b.Gap()
	if r.Plan != nil {
		for _, l := range r.Plan.Lines {
			if l.Label == change.LabelDelete || l.Label == change.LabelSet {
				b.Fact(kit.Plain, string(l.Label), kit.Text, l.Text)
			}
		}
	}
	for _, reason := range r.Reasons {
		b.Fact(kit.Plain, "so far", kit.Text, reason.Text)
	}
	if r.Err != nil {
		_, _, why, _ := words.Explain(r.Err)
		b.Fact(kit.Plain, "why", kit.Text, why)
	}
	b.Gap()
	where := "  in the journal as not known"
	if d.conn.Region() == session.Embedded {
		where = ""
	}
	b.Fact(kit.Plain, "receipt", kit.Text, r.ID+where)
	b.Para(kit.Note, kit.Text, "Looking again reads what is there now.")
	b.Gap()
	b.Buttons([]string{"Look again", "Close"}, d.button, nil)
	b.Gap()
	d.resultHints(b)
	return b
}

func (d *changeDialog) close(b *kit.Box) {
	a := d.app
	if d.asks() != nil {
		d.answers(b)
		b.Gap()
		d.resultHints(b)
		return
	}
	d.answers(b, "Close")
	b.Gap()
	b.Hints(kit.Hint{Key: a.Keys.Key(keymap.Press), Words: "close"}, kit.Hint{Key: a.Keys.Key(keymap.CopyCommand), Words: "copy"})
}

func (d *changeDialog) resultHints(b *kit.Box) {
	a := d.app
	b.Hints(kit.Hint{Key: a.Keys.Key(keymap.NextField), Words: "next"}, kit.Hint{Key: a.Keys.Key(keymap.Press), Words: "press"},
		kit.Hint{Key: a.Keys.Key(keymap.CopyCommand), Words: "copy"}, kit.Hint{Key: a.Keys.Key(keymap.Leave), Words: "close"})
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
			return d.app.Copy("what became of them", d.batchInWords())
		}
		return d.app.Copy("what became of it", d.inWords())
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
		s += words.Done(r.Plan, r) + "."
	case change.Unknown:
		s += "sent, and not known what became of it."
	default:
		word := "refused"
		if stopped(r) {
			word = "stopped"
		}
		if mark := markWords(r); mark != "" {
			s += word + ", the lock stays. Its mark: " + words.Sentence(mark)
		} else {
			s += word + ", nothing was written."
		}
	}
	for _, reason := range r.Reasons {
		if stopped(r) && left(reason) {
			continue
		}
		s += " " + words.Sentence(reason.Text)
	}
	return s + " Receipt " + r.ID + "."
}
