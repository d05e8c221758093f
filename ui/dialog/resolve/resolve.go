// Package resolve is the dialog that resolves a change with an unknown outcome. Start reading at
// Ask.
package resolve

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/dialog"
	"tallylock/ui/kit"
	"tallylock/ui/message"
	"tallylock/ui/safe"
	"tallylock/ui/say"
	"tallylock/ui/session"
	"tallylock/ui/task"
)

// resolve reads the items of an open change, shows the result, and asks what to do. "Leave it open" has the focus
// first.
type resolve struct {
	*session.Session
	conn session.Connection
	rec  *journal.Record

	found  *change.Resolution // nil until the outcome is read
	err    error              // why Examine failed
	broken error              // why the journal cannot be trusted; nil if it can
	on     int                // the focus: 0 is "Leave it open", −1 is the field, n+1 is choice n
	typing kit.Field

	*dialog.Work                 // the choice that is being applied; nil otherwise
	did          change.Action   // the choice that was applied
	receipt      *change.Receipt // its outcome; nil until then
}

var _ dialog.Worker = (*resolve)(nil) // the program finds a Worker by a type assertion

// Ask reads the outcome of an open change, and asks what to do about it. No limit of read units stops it: an outcome
// must not stay unknown.
func Ask(s *session.Session, r *journal.Record) tea.Cmd {
	d := &resolve{Session: s, conn: *s.ConnectionOf(r), rec: r, typing: kit.NewField("")}
	return tea.Batch(s.Send(message.Ask{Dialog: d}), d.examine())
}

// examine reads the outcome of the change.
func (d *resolve) examine() tea.Cmd {
	type known struct {
		found  *change.Resolution
		broken error
	}
	d.found, d.err, d.broken, d.on = nil, nil, nil, 0
	return task.Start(d.Tasks, task.Planning, func(ctx context.Context) (known, error) {
		s, err := d.conn.Changer.Examine(ctx, d.conn.Connection, d.rec)
		if err != nil {
			return known{}, err
		}
		return known{s, d.conn.Changer.Journal.CheckChain("resolving " + d.rec.Receipt)}, nil
	}, func(k known, err error) tea.Cmd {
		d.found, d.broken, d.err = k.found, k.broken, err
		return nil
	})
}

// examineAgain is the choice to read the outcome again later.
const examineAgain change.Action = "look again"

// choices returns the buttons besides "Leave it open".
func (d *resolve) choices() []change.Choice {
	switch {
	case d.found == nil:
		return nil
	case !d.found.Later.IsZero():
		return append(
			slices.Clone(d.found.Choices),
			change.Choice{
				Do:    examineAgain,
				Title: "Look again",
				Words: "Reads the present state. A reading after " + phrase.Clock(d.found.Later) + " can show more.",
				Safe:  true,
			},
		)
	}
	return d.found.Choices
}

// typed returns the text that a person must type before a choice that does more than remove a mark; empty if none. If
// the journal was edited, the text is the receipt, and every choice but examineAgain needs it.
func (d *resolve) typed() string {
	if d.found == nil {
		return ""
	}
	if d.broken != nil {
		return d.rec.Receipt
	}
	for _, c := range d.found.Choices {
		if want := d.found.Typed(c.Do); want != "" && d.WhyWriteOn(d.conn, d.rec.Table) == "" {
			return want
		}
	}
	return ""
}

// whyBlocked says why a choice is off; empty if it is on.
func (d *resolve) whyBlocked(c change.Choice) string {
	if d.broken != nil && c.Do != examineAgain {
		switch {
		case d.found.Typed(c.Do) != "":
			return "The journal was edited. Run: tallylock journal --resolve --write --trust-journal"
		case d.typing.Value() != d.rec.Receipt:
			return c.Words + " Type the receipt first, because the journal was edited."
		}
	}
	if !c.Sends {
		return ""
	}
	if why := d.WhyWriteOn(d.conn, d.rec.Table); why != "" {
		return why
	}
	if want := d.typed(); d.broken == nil && want != "" && !c.Safe && !safe.Repeats(d.typing.Value(), want) {
		return c.Words + " Type the text above first."
	}
	return ""
}

// apply applies a choice.
func (d *resolve) apply(c change.Choice) tea.Cmd {
	if c.Do == examineAgain {
		return d.examine()
	}
	if why := d.whyBlocked(c); why != "" {
		return d.Say(say.Sentence(why))
	}
	if d.broken != nil {
		d.found.Trust() // typing the receipt confirms that the person trusts the journal
	}
	d.Work, d.did = &dialog.Work{Session: d.Session}, c.Do
	return d.Work.Apply(func(ctx context.Context, report func(change.Progress)) []change.Receipt {
		return []change.Receipt{d.conn.Changer.Resolve(ctx, d.found, c.Do, report)}
	}, func(made []change.Receipt) tea.Cmd {
		d.Work, d.receipt = nil, &made[0]
		return d.Send(message.Changed{Made: made})
	})
}

func (d *resolve) Key(msg tea.Msg) tea.Cmd {
	action, leaves := d.DialogAction(msg)
	if d.on < 0 && d.asks() && !leaves {
		d.typing.Update(msg)
		return nil
	}
	return dialog.Act(d, action, &d.on, d.stops())
}

// asks reports whether the dialog asks what to do.
func (d *resolve) asks() bool { return !d.Busy() && d.receipt == nil }

// stops returns the stops of the focus: "Leave it open", the field, the choices.
func (d *resolve) stops() []int {
	stops := []int{0}
	if d.typed() != "" {
		stops = append(stops, -1)
	}
	for n := range d.choices() {
		stops = append(stops, n+1)
	}
	return stops
}

// Press leaves the change open, or applies a choice. In the field it moves the focus to the first
// choice.
func (d *resolve) Press(n int) tea.Cmd {
	if n < 0 {
		d.on = dialog.Cycle(d.stops(), n, 1)
		return nil
	}
	if d.asks() && n > 0 && n <= len(d.choices()) {
		d.on = n
		return d.apply(d.choices()[n-1])
	}
	return d.Leave()
}

func (d *resolve) Leave() tea.Cmd {
	switch {
	case d.Busy():
		d.Stop()
		return nil
	case d.receipt != nil:
		return tea.Batch(d.Send(message.Close{}), d.Send(message.Refresh{}))
	}
	d.Tasks.Drop(task.Planning)
	return tea.Batch(d.Send(message.Close{}), d.Say("The change stays open."))
}

// foundRows is the number of rows that the answer usually takes: they are kept free, so that the dialog does not grow.
const foundRows = 8

func (d *resolve) Draw() *kit.Box {
	frame := kit.Warn
	if d.conn.Production {
		frame = kit.Bad
	}
	if d.receipt != nil {
		return d.drawResolved()
	}
	b := kit.NewBox(d.Styles, d.Size.Width, frame, kit.Heading.Of("Resolve an open change"))
	b.Gap()
	b.Para(kit.Must, kit.Strong, d.rec.What)
	b.Fact(kit.Must, "sent", kit.Text, d.rec.At.Local().Format("2006-01-02 15:04:05")+", by "+say.Maker(d.rec))
	b.Gap()
	switch {
	case d.Busy():
		d.WriteStages(b)
	case d.found != nil:
		d.drawFound(b)
	default:
		if d.err != nil {
			dialog.WriteError(b, d.err)
		} else {
			b.Row(kit.Must, func(l *kit.Line) {
				l.To(2)
				l.Put(kit.Muted, "Reading the outcome ")
				d.Working(l, task.Planning, 20)
			})
			for range foundRows {
				b.Gap()
			}
		}
		b.Gap()
		b.Buttons([]string{"Leave it open"}, 0, nil)
	}
	b.Gap()
	hints := []kit.Hint{
		d.Hint(keymap.NextField, "next"),
		d.Hint(keymap.Press, "press"),
		d.Hint(keymap.Leave, "leave it open"),
	}
	if d.Busy() {
		hints = []kit.Hint{d.Hint(keymap.Leave, "stop")}
	}
	b.Hints(hints...)
	return b
}

// drawFound draws the result of the reads, then the choices, one below the other.
func (d *resolve) drawFound(b *kit.Box) {
	s := d.found
	b.Para(kit.Must, kit.Text, s.Words)
	b.Gap()
	if d.broken != nil {
		b.Para(kit.Must, kit.Warn, "! "+say.Sentence(say.Explain(d.broken).Why))
		b.Gap()
	}
	for _, f := range s.Facts {
		b.Fact(kit.Must, "found", kit.Text, f.String())
	}
	b.Gap()
	b.Button(0, "Leave it open", d.on == 0, false)
	if want := d.typed(); want != "" {
		b.Gap()
		b.InputRow("type", &d.typing, want, d.on < 0, max(18, len(want)+3), "to enable the other buttons")
	}
	for n, c := range d.choices() {
		why := d.whyBlocked(c)
		b.Gap()
		b.Button(n+1, c.Title, d.on == n+1, why != "")
		if why == "" {
			why = c.Words
		}
		for _, row := range kit.Wrap(say.Sentence(why), b.Inner()-8) {
			b.Row(kit.Must, func(l *kit.Line) {
				l.To(5)
				l.Put(kit.Muted, row)
			})
		}
	}
}

// drawResolved draws the outcome of the applied choice.
func (d *resolve) drawResolved() *kit.Box {
	r := d.receipt
	sign, text := say.Resolved(*r, d.did)
	b := dialog.NewResult(d.Session, sign, text)
	b.Gap()
	b.Para(kit.Must, kit.Strong, d.rec.What)
	if len(r.Reasons) > 0 || r.Err != nil {
		b.Gap()
	}
	for _, reason := range r.Reasons {
		b.Para(kit.Must, kit.Text, say.Sentence(say.Reason(reason)))
	}
	if r.Err != nil {
		e := say.Explain(r.Err)
		b.Para(kit.Must, kit.Text, say.Sentence(e.Why))
		b.Para(kit.Must, kit.Text, say.Sentence(e.Do))
	}
	b.Gap()
	b.Fact(kit.Must, "receipt", kit.Text, r.ID)
	b.Gap()
	b.Buttons([]string{"Done"}, 0, nil)
	b.Gap()
	b.Hints(d.Hint(keymap.Press, "close"))
	return b
}

// Why says why a change of the journal cannot be resolved; empty if it can.
func Why(s *session.Session, r *journal.Record) string {
	c := s.ConnectionOf(r)
	switch {
	case !r.Open:
		return "its outcome is known"
	case s.WhyViewer() != "":
		return s.WhyViewer()
	case c == nil:
		return s.WhyElsewhere(r)
	case c.Changer == nil:
		return "changes are off on " + c.Name()
	}
	return ""
}
