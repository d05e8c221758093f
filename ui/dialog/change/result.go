package change

import (
	"cmp"
	"time"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/keymap"
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
	button   int
	top      int             // the first visible row of a batch's outcomes
	rows     int             // how far a batch's outcomes can scroll, in rows
	query    *question.Query // the question about a refusal; nil if there is none, or after its answer
	decided  string          // the effect of a reply that needs no further plan
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
	if !r.applied() || r.WhyUndoLast() != "" {
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
	if len(r.buttons()) > 1 {
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
	if r.rows > 0 {
		h = append(h, kit.Hint{Key: "↑↓", Words: "scroll"})
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

// resultKey handles a key on the result. Up and down scroll a list of outcomes.
func (d *ask) resultKey(action keymap.Action, key string) tea.Cmd {
	r := d.result
	by := 1
	if action == keymap.PreviousField {
		by = -1
	}
	switch action {
	case keymap.UndoThis:
		if r.undoWords() != "" {
			return tea.Batch(d.Send(message.Close{}), d.Send(message.Refresh{}), AskUndoLast(d.Session))
		}
	case keymap.WatchValue:
		if r.applied() && freed(r.first()) {
			t, rel := r.first().Released()
			return tea.Batch(d.Send(message.Close{}), d.Send(message.Refresh{}), d.Send(message.Watch{Table: t, Relation: rel}))
		}
	case keymap.Leave:
		return d.Leave()
	case keymap.NextField, keymap.PreviousField:
		if n := len(r.buttons()); r.several() && (n == 1 || key == "up" || key == "down") {
			r.top += by
		} else {
			r.button = (r.button + by + n) % n
		}
	case keymap.Press:
		return d.pressResult()
	case keymap.CopyCommand:
		return r.copy()
	}
	if q := r.query; q != nil {
		q.Widens(key)
	}
	return nil
}

// pressResult presses the focused button: a reply, "Look again", or "Close".
func (d *ask) pressResult() tea.Cmd {
	switch {
	case d.result.query != nil:
		return d.reply(d.result.button)
	case d.result.button == 1:
		return d.Send(message.Close{})
	}
	return d.Leave()
}

// writeAll draws the outcomes of a batch, as many rows as fit.
func (r *result) writeAll(b *kit.Box) {
	rows := r.list(b.Inner() - 4)
	page := max(r.Size.Height-13, 3)
	if r.query != nil || r.decided != "" {
		page = max(page-6, 3)
	}
	r.rows = max(len(rows)-page, 0)
	r.top = max(min(r.top, r.rows), 0)
	for _, row := range rows[r.top:min(r.top+page, len(rows))] {
		b.Row(kit.Must, func(l *kit.Line) {
			l.To(2)
			for _, s := range row {
				l.Put(s.Style, s.Text)
			}
		})
	}
}

// list returns the outcomes of a batch as rows of width w.
func (r *result) list(w int) [][]kit.Span {
	var out [][]kit.Span
	for _, one := range r.receipts {
		sign := say.Mended(one)
		if say.NothingToDo(one) {
			sign.Style = kit.Muted
		}
		what := cmp.Or(one.Plan.Constraint, "counter")
		out = append(
			out,
			[]kit.Span{
				(sign.Style | kit.Bold).Of(sign.Glyph),
				kit.Muted.Of(" " + what + " "),
				kit.Strong.Of(one.Plan.Subject()),
				kit.Muted.Of("   " + one.ID),
			},
		)
		for _, why := range say.WhyReceipt(one) {
			for _, row := range kit.Wrap(why, w-2) {
				out = append(out, []kit.Span{kit.Text.Of("  " + row)})
			}
		}
	}
	return out
}
