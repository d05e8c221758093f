package findings

import (
	"errors"
	"fmt"
	"slices"

	"tallylock/dynamo/check"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/progress"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/say"
	"tallylock/ui/screen"
	"tallylock/ui/task"
)

// offer draws, in place of the findings, what a check does, its price, and the key that starts it.
func (s *Screen) offer(d *kit.Block) {
	t := s.Table
	if err := s.reading.Unreadable(); t != nil && t.Layout.Empty() && err != nil && !s.run().begun() {
		screen.Failed(s.Session, d, err) // the error is the reason why no layout was recognised
		return
	}
	d.Gap()
	switch {
	case t == nil:
		screen.NoTable(s.Session, d)
		return
	case !check.Checkable(t):
		why := "No known layout fits this table, so it cannot be checked."
		if t.Sample.Unread() {
			unread, _ := t.Connection().WhyUnread()
			why = "The layout is unknown, because " + unread + "."
		}
		d.Verdict(kit.Sign{Glyph: "!", Style: kit.Warn, Word: "no layout"}, why)
		d.Gap()
		d.Para(14, kit.Text, "Name one with --layout, or describe its keys under [[layout]] in the config.")
		return
	case !s.run().begun():
		what := "every lock against every account, every counter against the ids in use."
		if t.Layout.Empty() {
			what = "keys of indexes against the attributes that make them. No accounts or locks were recognised."
		}
		d.Para(4, kit.Heading, "Check this table: "+what)
		d.Gap()
	}
	if n := s.reading.Counts().Sure(); n > 0 {
		d.Fact("seen", (kit.Bad | kit.Bold).Of(phrase.Count(n, "problem")), kit.Text.Of(" in the listed accounts and locks"))
	}
	cost := s.cost()
	for _, f := range say.CheckPrice(cost) {
		d.LongFact(3, f.Label, f.Said[0].Text)
	}
	if cost.Beyond != "" {
		d.LongFact(3, "can cost", "more if very many values are broken or keep changing ("+s.Keys.Key(keymap.Detail)+")")
	}
	d.Fact("writes", kit.Text.Of("nothing"))
	d.Gap()
	if other := s.elsewhere(); other != nil {
		d.Para(4, kit.Warn, other.table.Name+" is being checked. One table is checked at a time.")
		return
	}
	d.Keys(4, s.Hint(keymap.Open, "check it"))
}

// beyond draws the costs that the price of a check does not include.
func (s *Screen) beyond(d *kit.Block) {
	if s.Table == nil || !check.Checkable(s.Table) {
		return
	}
	if beyond := s.cost().Beyond; beyond != "" {
		d.LongFact(3, "can add", beyond)
	}
}

// above draws the progress of a check, or its result, above the findings.
func (r *run) above(d *kit.Block) {
	if r.running {
		r.progress(d)
	} else {
		r.result(d)
	}
	for _, name := range r.suspicious {
		d.Para(1, kit.Bad|kit.Bold,
			fmt.Sprintf("! Many values of %s are broken. To repair many findings at once, type their number.", name))
	}
	if !r.Size.Short() {
		d.Gap()
	}
}

// progress draws a running check: its stage, its progress, the read units it has used,
// and the progress of each part of the table.
func (r *run) progress(d *kit.Block) {
	s := r.state
	d.Row(r.headline)
	d.Row(func(l *kit.Line) {
		l.Put(kit.Text, " ")
		switch {
		case s.Share > 0:
			l.Bar(min(s.Share, 0.99), l.Width-2)
		case r.paused():
			l.Run(kit.Faint, kit.RuleThin, l.Width-2)
		default:
			r.Working(l, task.Checking, l.Width-2)
		}
	})
	if !r.Size.Short() {
		d.Row(r.amount)
		d.Row(func(l *kit.Line) {
			l.Put(kit.Text, " ")
			switch {
			case len(s.Parts) == 0:
				followedUp(l, s)
			case s.Speed > 0 && !r.paused():
				l.Put(kit.Text, phrase.Number(int64(s.Speed+0.5)))
				l.Put(kit.Muted, " a second")
			}
			drawParts(l, s)
		})
		d.Row(func(l *kit.Line) {
			l.Put(kit.Text, " ")
			if len(s.Parts) > 0 {
				followedUp(l, s)
			}
			if s.More > 0 && s.Candidates == 0 && !r.paused() {
				l.Put(kit.Muted, say.Spared(s))
			}
			l.EndsIn(kit.Warn, say.Throttled(s), l.At+2, l.Width-1)
		})
	}
	for _, note := range s.Early {
		d.Para(1, kit.Warn, "! "+say.Sentence(note))
	}
}

// headline draws the stage of a check, its duration, and its progress in percent.
func (r *run) headline(l *kit.Line) {
	doing, about := say.CheckStage(r.state)
	k, took := kit.Heading, say.Roughly(r.Now().Sub(r.began)-r.gate.Held())+" so far"
	switch since := r.gate.Since(); {
	case r.stopping:
		doing, about = "Stopping", ""
	case !since.IsZero():
		k, about = kit.Warn|kit.Bold, ": nothing is sent, and the findings stay"
		doing = "Paused since " + phrase.Clock(since)
	case say.Outage(r.state, r.Now()):
		k, doing, about = kit.Warn|kit.Bold, "No answer for "+say.Roughly(r.Now().Sub(r.state.Silent)), ": asking again"
	case r.state.Left > 0:
		took += ", about " + say.Roughly(r.state.Left) + " to go"
	}
	far := ""
	if r.state.Share > 0 {
		far = say.Percent(min(r.state.Share, 0.99)) + " · provisional"
	}
	l.Put(kit.Text, " ")
	l.Put(k, doing)
	middle := l.Width - 2 - kit.Width(far) - 2 - kit.Width(took)
	if l.At+kit.Width(about)+2 <= middle {
		l.Put(kit.Muted, about)
	}
	if l.At+2 <= middle {
		l.To(max(min(l.Width/2, middle), l.At+2))
		l.Put(kit.Muted, took)
	}
	l.Ends(kit.Warn, far, l.Width-1)
}

// amount draws how much of the current stage is done, and the read units that the check has used. It adds their
// estimated total, and their limit per second or else the current rate.
func (r *run) amount(l *kit.Line) {
	s := r.state
	l.Put(kit.Text, " ")
	switch s.Stage {
	case progress.Confirming:
		l.Put(kit.Text, phrase.Number(s.Items)+" of "+phrase.Number(s.Expected))
	case progress.Waiting:
		total := r.table.Connection().Settle()
		done := total - min(max(s.Until.Sub(r.Now()), 0), total)
		l.Put(kit.Text, say.Lasts(done)+" of "+say.Lasts(total))
		l.Put(kit.Muted, " for writes in progress")
	default:
		l.Put(kit.Text, phrase.Number(s.Items))
		if s.Expected > s.Items {
			l.Put(kit.Muted, " of about "+phrase.Number(s.Expected))
		}
		l.Put(kit.Muted, " items")
	}
	unit, every := r.units()
	used, of, pace := say.Units(s.Units), "", ""
	if most := r.cost.Units(); !r.cost.Uncounted && s.Units <= most { // a small table's estimate may be too low
		of = " of about " + say.Estimate(most)
	}
	switch {
	case r.pace > 0:
		pace = ", held to " + say.Estimate(r.pace) + every
	case s.Rate > 0 && !r.paused():
		pace = ", " + say.Estimate(s.Rate) + every
	}
	for _, text := range []string{used + of + unit + pace, used + of + unit, used + unit} {
		if l.At+3+kit.Width(text)+1 <= l.Width {
			l.Ends(kit.Muted, text, l.Width-1)
			return
		}
	}
}

// units returns the words for read units and for a second, which are short in a narrow list.
func (r *run) units() (unit, every string) {
	if r.ListWidth() >= 90 {
		return " read units", " a second"
	}
	return " RU", "/s"
}

// followedUp draws how many values the check reads again, because they looked wrong.
func followedUp(l *kit.Line, s progress.State) {
	if s.Candidates > 0 {
		l.Put(kit.Text, phrase.Count(s.Candidates, "value"))
		l.Put(kit.Muted, " followed up")
	}
}

// drawParts draws the progress of the parts of the table at the end of a row. Each part
// has a bar, which is full only when the part has ended.
func drawParts(l *kit.Line, s progress.State) {
	if len(s.Parts) == 0 {
		return
	}
	bars := [8]string{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"}
	label := phrase.Count(s.Segments, "part") + "  "
	slowest := slices.Min(s.Parts)
	said := "  the slowest at " + say.Percent(slowest)
	if slowest == 0 || s.Ended == s.Segments {
		said = "  " + phrase.Number(s.Ended) + " ended"
	}
	l.To(l.Width - 1 - kit.Width(label) - len(s.Parts) - kit.Width(said))
	l.Put(kit.Muted, label)
	l.On(kit.Unfocused)
	for _, part := range s.Parts {
		n := min(int(part*7), 6)
		if part == 1 {
			n = 7
		}
		l.Run(kit.Fill, bars[n], 1)
	}
	l.On(kit.Base)
	l.Put(kit.Muted, said)
}

// result draws the result of a check: what it has read, and why it is incomplete, if it is.
func (r *run) result(d *kit.Block) {
	sum := r.summary
	d.Row(func(l *kit.Line) {
		l.Put(kit.Text, " ")
		if unsure := say.CheckUnsure(sum); unsure != "" {
			l.Put(kit.Warn|kit.Bold, unsure)
		} else {
			l.Put(kit.Good, kit.GlyphYes)
			l.Put(kit.Heading, " Checked")
		}
		read := phrase.Count(r.read(), "item")
		if sum.Accounts+sum.Locks > 0 {
			read += ", " + say.AccountsAndLocks(sum)
		}
		l.Put(kit.Muted, "  "+read)
		unit, _ := r.units()
		right := say.Units(sum.ReadUnits) + unit + ", " + say.Took(sum)
		if l.At+kit.Width(right)+3 < l.Width {
			l.Ends(kit.Muted, right, l.Width-1)
		}
	})
	if why := r.whyIncomplete(); why != "" {
		d.Para(1, kit.Warn, why)
	}
	if r.Size.Short() {
		return
	}
	for _, note := range slices.Concat(say.NotChecked(sum), say.Notes(sum)) {
		d.Para(1, kit.Muted, note)
	}
}

// whyIncomplete returns the reason why a check is incomplete; empty if it is complete.
func (r *run) whyIncomplete() string {
	again := " The findings stay. " + r.Keys.Key(keymap.Reload) + " checks again."
	if len(r.all) == 0 {
		again = "" // the offer below the report has the key
	}
	switch {
	case r.summary.Complete:
		return ""
	case errors.Is(r.err, errCeiling):
		return fmt.Sprintf(
			"The check needs more read units than expected. An automatic check may use only %s. %s checks the whole table.",
			say.ReadUnits(r.table.Connection().AutoReadUnits()), r.Keys.Key(keymap.Reload),
		)
	case r.stopped():
		return say.CheckStopped(r.state, r.read(), r.table.Items) + again
	case r.err != nil:
		return say.Explain(r.err).String() + again
	}
	return say.Sentence(r.summary.Why)
}

// nothing draws, in place of an empty list, the reason why it has no findings.
func (s *Screen) nothing(d *kit.Block) {
	r := s.run()
	switch {
	case len(r.all)+len(r.suspects) > 0:
		screen.NoneFits(r.Session, d, "finding")
		return
	case r.running:
		d.Para(1, kit.Muted, "Broken locks appear after the table has been read twice.")
		if n := s.reading.Counts().Sure(); n > 0 {
			d.Para(1, kit.Muted, "The lists of accounts and locks show "+phrase.Count(n, "problem")+" already.")
		}
		return
	}
	said, good := say.CheckOutcome(r.summary)
	d.Gap()
	switch {
	case r.summary.Unsettled > 0:
		d.Para(4, kit.Warn|kit.Bold, "? Found nothing, but could not judge "+phrase.Count(r.summary.Unsettled, "value")+".")
	case good:
		d.Para(4, kit.Good|kit.Bold, kit.GlyphHeld+" "+said)
	default:
		d.Para(4, kit.Warn|kit.Bold, "? "+said)
	}
	d.Gap()
	for _, line := range say.CheckRead(r.summary, r.ended) {
		d.Para(4, kit.Text, line)
	}
}

// cover returns the completeness line.
func (r *run) cover() *kit.Coverage {
	c := &kit.Coverage{Part: 1, Working: -1}
	at, of := r.lines().Number(r.list.Cursor)
	if r.list.Lost {
		at = 0
	}
	c.Left = []kit.Span{kit.Muted.Of(say.Position(at, of, r.running && of > 0))}
	if all := len(r.all) + len(r.suspects); of < all {
		c.Left = append(c.Left, kit.Muted.Of(", "+phrase.Count(all, "finding")+" in all"))
	}
	if n := len(r.marked); n > 0 {
		c.Left = append(c.Left, kit.Muted.Of(" · "), kit.Accent.Of(phrase.Number(n)+" marked"))
	}
	when := r.ended.Local().Format("15:04")
	if r.begun() && !r.running && r.summary.Complete {
		c.Reach = []string{"whole table"}
	}
	switch {
	case !r.begun():
		c.Right = []kit.Span{kit.Muted.Of("no check yet")}
	case r.running:
		c.Right = []kit.Span{kit.Muted.Of("nothing has been written")}
	case !r.summary.Complete:
		c.Right = []kit.Span{kit.Warn.Of("incomplete"), kit.Muted.Of(", as of " + when)}
	case r.summary.Unsettled > 0:
		unsettled := kit.Warn.Of(phrase.Count(r.summary.Unsettled, "value") + " not judged")
		c.Right = []kit.Span{unsettled, kit.Muted.Of(", as of " + when)}
	case r.summary.Confirmed && r.summary.Reach() == finding.Nothing:
		c.Right = []kit.Span{kit.Good.Of(kit.GlyphYes), kit.Muted.Of(" confirmed " + when)}
	default:
		c.Right = []kit.Span{kit.Muted.Of("read " + when)}
	}
	return c
}
