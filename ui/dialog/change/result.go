package change

import (
	"cmp"
	"time"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/keymap"
	"tallylock/ui/dialog"
	"tallylock/ui/dialog/question"
	"tallylock/ui/kit"
	"tallylock/ui/message"
	"tallylock/ui/say"
	"tallylock/ui/session"
)

// result shows the outcome of a change, or of each change of a batch. If nothing was planned, it
// says why.
type result struct {
	*session.Session
	conn     session.Connection
	wording  wording
	receipts []change.Receipt // at least one, even if nothing was planned
	err      error            // why nothing was planned
	dialog.Choice
	query   *question.Query // the question about a refusal; nil if there is none, or after its answer
	decided string          // the effect of a reply that needs no further plan
}

func (r *result) first() change.Receipt { return r.receipts[0] }

// several reports whether the result lists several outcomes.
func (r *result) several() bool { return r.err == nil && r.wording.several() }

// applied reports whether this is the result of a single change, and the change was applied.
func (r *result) applied() bool {
	return r.err == nil && !r.several() && r.first().Outcome == journal.Applied
}

// doneAt returns the time at which the change ended.
func (r *result) doneAt() time.Time {
	if at := r.first().Done; !at.IsZero() {
		return at
	}
	return r.Shown
}

// undoWords says what undoing the change would do; empty if it cannot be undone.
func (r *result) undoWords() string {
	if !r.applied() || whyUndoLast(r.Session) != "" {
		return ""
	}
	return cmp.Or(r.first().Plan.Line(plan.LabelUndo), "undoes it, if nothing has changed since")
}

// freed reports whether a change freed a value. A freed value can be watched.
func freed(one change.Receipt) bool {
	_, rel := one.Released()
	return rel != nil
}

// buttons returns the labels of the result's buttons, or of the replies to its question.
func (r *result) buttons() []string {
	switch {
	case r.query != nil:
		return question.Replies
	case r.err != nil:
		return []string{"Close"}
	case r.several(), r.applied():
		return []string{"Done"}
	}
	return []string{"Look again", "Close"}
}

func (r *result) hints() []kit.Hint {
	h := []kit.Hint{r.Hint(keymap.Press, "close"), r.Hint(keymap.CopyCommand, "copy")}
	if len(r.Buttons) > 1 {
		h = []kit.Hint{
			r.Hint(keymap.NextField, "next"),
			r.Hint(keymap.Press, "press"),
			r.Hint(keymap.CopyCommand, "copy"),
			r.Hint(keymap.Leave, "close"),
		}
	}
	if q := r.query; q != nil {
		h = append(h, q.Hints()...)
	}
	if r.undoWords() != "" {
		h = append(h, r.Hint(keymap.UndoThis, "undo"))
	}
	if r.applied() && freed(r.first()) {
		h = append(h, r.Hint(keymap.WatchValue, "watch"))
	}
	return h
}

// copy copies the outcome as sentences for a ticket.
func (r *result) copy() tea.Cmd {
	switch {
	case r.err != nil:
		return r.Copy("a sentence for the ticket", "Nothing was sent: "+say.Error(r.err))
	case r.several():
		return r.Copy("the sentences for the ticket", say.Receipts(r.receipts))
	}
	return r.Copy("a sentence for the ticket", say.Receipt(r.first(), r.doneAt()))
}

// resultKey handles a key on the result.
func (d *ask) resultKey(msg tea.Msg) tea.Cmd {
	r := d.result
	switch action, _ := d.DialogAction(msg); action {
	case keymap.UndoThis:
		if r.undoWords() != "" {
			return tea.Batch(d.Send(message.Close{}), d.Send(message.Refresh{}), AskUndoLast(d.Session))
		}
	case keymap.WatchValue:
		if r.applied() && freed(r.first()) {
			t, rel := r.first().Released()
			return tea.Batch(d.Send(message.Close{}), d.Send(message.Refresh{}), d.Send(message.Watch{Table: t, Relation: rel}))
		}
	case keymap.CopyCommand:
		return r.copy()
	}
	if key, ok := msg.(tea.KeyPressMsg); ok && r.query != nil && r.query.Widens(key.String()) {
		return nil
	}
	return r.Key(d, d.Session, msg)
}

// pressResult presses a button of the result: a reply, "Look again", or "Close".
func (d *ask) pressResult(n int) tea.Cmd {
	switch {
	case d.result.query != nil:
		return d.reply(n)
	case n == 1:
		return d.Send(message.Close{})
	}
	return d.Leave()
}

// writeAll draws the outcomes of a batch.
func (r *result) writeAll(b *kit.Box) {
	for _, one := range r.receipts {
		sign := say.Mended(one)
		if say.NothingToDo(one) {
			sign.Style = kit.Muted
		}
		b.Row(kit.Must, func(l *kit.Line) {
			l.To(2)
			l.Put(sign.Style|kit.Bold, sign.Glyph)
			l.Put(kit.Muted, " "+subjectKind(one.Plan)+" ")
			l.Put(kit.Strong, one.Plan.Subject())
			l.Put(kit.Muted, "   "+one.ID)
		})
		for _, why := range say.WhyReceipt(one) {
			for _, row := range kit.Wrap(why, b.Inner()-6) {
				b.Row(kit.Must, func(l *kit.Line) {
					l.To(4)
					l.Put(kit.Text, row)
				})
			}
		}
	}
}
