package findings

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"tallylock/dynamo/check"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/progress"
	"tallylock/dynamo/check/setting"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/say"
	"tallylock/ui/screen"
	"tallylock/ui/session"
	"tallylock/ui/task"
)

// checkReport draws the progress of a check, or its result, above the findings.
type checkReport struct {
	*session.Session
	*run
}

func (r checkReport) above(d *kit.Block) {
	if r.running {
		r.progress(d)
		for _, note := range r.state.Early {
			d.Para(1, kit.Warn, "! "+say.Sentence(note))
		}
	} else {
		r.result(d)
	}
	for _, name := range r.suspicious {
		d.Para(1, kit.Bad|kit.Bold,
			fmt.Sprintf("! Very much of %s is broken. Mending many of these at once asks for their number.", name))
	}
	if !r.Size.Short() {
		d.Gap()
	}
}

// result draws the result of a check: what it has read, and why it is incomplete, if it is.
func (r checkReport) result(d *kit.Block) {
	sum := r.summary
	d.Row(func(l *kit.Line) {
		l.Put(kit.Text, " ")
		switch {
		case !sum.Complete:
			l.Put(kit.Warn|kit.Bold, "! Incomplete")
		case sum.Unsettled > 0:
			l.Put(kit.Warn|kit.Bold, "? Checked but for "+phrase.Count(sum.Unsettled, "value"))
		case sum.Reach() == finding.Guess:
			l.Put(kit.Warn|kit.Bold, "? Checked by a guessed layout")
		case sum.Reach() == finding.Partly:
			l.Put(kit.Warn|kit.Bold, "? Checked in part")
		default:
			l.Put(kit.Good, kit.GlyphYes)
			l.Put(kit.Heading, " Checked")
		}
		l.Put(kit.Muted, "  "+r.counted())
		unit := " RU, "
		if r.ListWidth() >= 90 {
			unit = " read units, "
		}
		right := say.Units(sum.ReadUnits) + unit + say.Lasts(time.Duration(sum.Seconds*float64(time.Second)))
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
	for _, note := range slices.Concat(say.NotChecked(r.summary), say.Notes(r.summary)) {
		d.Para(1, kit.Muted, note)
	}
}

// counted returns how many items, accounts and locks a check has read.
func (r *run) counted() string {
	sum := r.summary
	if sum.Items == 0 || sum.Accounts+sum.Locks == 0 {
		return phrase.Count(int(r.read()), "item")
	}
	return phrase.Count(int(sum.Items), "item") + ", " + phrase.Count(int(sum.Accounts), "account") + ", " + phrase.Count(int(sum.Locks), "lock")
}

// whyIncomplete returns the reason why a check is incomplete; empty if it is complete.
func (r checkReport) whyIncomplete() string {
	again := " What was found stays. " + r.Keys.Key(keymap.Reload) + " checks again."
	if len(r.all) == 0 {
		again = "" // the offer below the report has the key
	}
	switch {
	case r.summary.Complete:
		return ""
	case errors.Is(r.err, errCeiling):
		return fmt.Sprintf(
			"It takes more than was expected. What begins unasked may read %s read units: %s checks the whole table.",
			say.Units(r.table.Connection().AutoReadUnits()), r.Keys.Key(keymap.Reload),
		)
	case r.stopped():
		return r.howFar() + again
	case r.err != nil:
		_, _, why, do := say.Explain(r.err)
		return strings.TrimSpace(say.Sentence(why)+" "+say.Sentence(do)) + again
	}
	return say.Sentence(r.summary.Why)
}

// howFar says how far a check was when it was stopped.
func (r *run) howFar() string {
	s := r.state
	if s.Stage > progress.ReadingMore || s.Stage == progress.Preparing {
		if s.Stage == progress.LookingAgain && s.Expected > 0 {
			return "The table was read once, and a second time to " + say.Percent(say.Part(s.Items, s.Expected)) + " when it was stopped: what is not confirmed stays so."
		}
		return "The table was read once, and the check was stopped before the second reading: what is not confirmed stays so."
	}
	if total := r.table.Items; total > r.read() {
		return fmt.Sprintf("Stopped after %s of about %s items.", phrase.Number(r.read()), phrase.Number(total))
	}
	return "Stopped after " + phrase.Count(int(r.read()), "item") + "."
}

// progress draws a running check: its stage, its progress, the read units it has used,
// and the progress of each part of the table.
func (r checkReport) progress(d *kit.Block) {
	d.Row(r.headline)
	d.Row(func(l *kit.Line) {
		l.Put(kit.Text, " ")
		switch {
		case r.state.Share > 0:
			l.Bar(min(r.state.Share, 0.99), l.Width-2)
		case r.paused():
			l.Run(kit.Faint, kit.RuleThin, l.Width-2)
		default:
			r.Working(l, task.Checking, l.Width-2)
		}
	})
	if r.Size.Short() {
		return
	}
	d.Row(r.amount)
	s := r.state
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
		l.Ends(kit.Warn, throttled(s), l.Width-1)
	})
}

// headline draws the stage of a check, its duration, and its progress in percent.
func (r checkReport) headline(l *kit.Line) {
	doing, about, _, _ := r.doing()
	k, took := kit.Heading, say.Roughly(r.took(r.Now()))+" so far"
	switch since := r.gate.Since(); {
	case r.stopping:
		doing, about = "Stopping", ""
	case !since.IsZero():
		k, about = kit.Warn|kit.Bold, ": nothing is sent, and what was read stays"
		doing = "Paused since " + say.Clock(since)
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

// amount draws how much of the current stage is done, and the read units used.
func (r checkReport) amount(l *kit.Line) {
	_, _, done, total := r.doing()
	l.Put(kit.Text, " ")
	switch s := r.state; s.Stage {
	case progress.Confirming:
		l.Put(kit.Text, phrase.Number(done)+" of "+phrase.Number(total))
	case progress.Waiting:
		l.Put(kit.Text,
			say.Lasts(time.Duration(done)*time.Millisecond)+" of "+say.Lasts(time.Duration(total)*time.Millisecond))
		l.Put(kit.Muted, " for writes in progress")
	default:
		l.Put(kit.Text, phrase.Number(s.Items))
		if s.Expected > s.Items {
			l.Put(kit.Muted, " of about "+phrase.Number(s.Expected))
		}
		l.Put(kit.Muted, " items")
	}
	l.Ends(kit.Muted, r.used(), l.Width-1)
}

// doing describes the current stage of a check: doing is its name, and about says more. done and total
// count items, or milliseconds while the check waits.
func (r checkReport) doing() (doing, about string, done, total int64) {
	s := r.state
	done, total = s.Items, s.Expected
	if s.Stage == progress.Waiting {
		total = r.table.Connection().Settle().Milliseconds()
		done = total - min(max(s.Until.Sub(r.Now()).Milliseconds(), 0), total)
	}
	doing, about = say.CheckStage(s)
	return doing, about, done, total
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

// used returns the read units that a check has used, the estimated total, and the limit
// of units per second. Without a limit, it returns the current rate.
func (r checkReport) used() string {
	unit, every := " RU", "/s"
	if r.ListWidth() >= 90 {
		unit, every = " read units", " a second"
	}
	said := say.Units(r.state.Units)
	if most := r.cost.Units(); !r.cost.Uncounted && r.state.Units <= most { // a small table's estimate may be too low
		said += " of about " + say.Units(say.RoundUnits(r.cost.Units()))
	}
	said += unit
	switch {
	case r.pace > 0:
		said += ", held to " + say.Units(say.RoundUnits(r.pace)) + every
	case r.state.Rate > 0 && !r.paused():
		said += ", " + say.Units(say.RoundUnits(r.state.Rate)) + every
	}
	return said
}

// throttled says how often requests were throttled or sent again.
func throttled(s progress.State) string {
	var said []string
	if s.Throttled > 0 {
		why := ""
		if reasons := slices.Sorted(maps.Keys(s.Reasons)); len(reasons) > 0 {
			why = " (" + strings.Join(reasons, ", ") + ")"
		}
		said = append(said, "throttled "+times(s.Throttled)+why)
	}
	if s.Repeated > 0 {
		said = append(said, "asked again "+times(s.Repeated))
	}
	return strings.Join(said, " · ")
}

func times(n int64) string {
	switch n {
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return phrase.Number(n) + " times"
}

// before draws the screen of a table that was not checked yet: what a check does, and its price.
func (s *Screen) before(d *kit.Block) {
	t := s.Table
	if err := s.reading.Unreadable(); t != nil && t.Layout.Empty() && err != nil {
		screen.Failed(s.Session, d, err) // the error is the reason why no layout was recognised
		return
	}
	d.Gap()
	if t == nil {
		screen.NoTable(s.Session, d)
		return
	}
	if !check.Checkable(t) {
		why := "No layout that we know fits this table, so there is nothing to check it by."
		if t.Sample.Unread() {
			unread, _ := t.Connection().WhyUnread()
			why = "Nothing was read to recognise the layout by, since " + unread + "."
		}
		d.Verdict(kit.Sign{Glyph: "!", Style: kit.Warn, Word: "no layout"}, why)
		d.Gap()
		d.Para(14, kit.Text, "Name one with --layout, or describe its keys under [[layout]] in the config.")
		return
	}
	what := "every lock against every account, every counter against the ids in use."
	if t.Layout.Empty() {
		what = "keys of indexes against the attributes that they are made of. No accounts or locks were recognised."
	}
	d.Para(4, kit.Heading, "Check this table: "+what)
	s.offer(d)
}

// offer draws the problems that are known without a check, the price of a check, and the key that starts it.
func (s *Screen) offer(d *kit.Block) {
	d.Gap()
	if n := s.reading.Counts().Sure(); n > 0 {
		d.Fact("seen", (kit.Bad | kit.Bold).Of(phrase.Count(n, "problem")), kit.Text.Of(" while listing accounts and locks"))
	}
	cost := setting.Estimate(s.Table, s.Options.Check)
	price(d, cost)
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
func beyond(s *Screen, d *kit.Block) {
	if s.Table == nil || !check.Checkable(s.Table) {
		return
	}
	if beyond := setting.Estimate(s.Table, s.Options.Check).Beyond; beyond != "" {
		d.LongFact(3, "can add", beyond)
	}
}

// price draws the estimated cost and duration of a check.
func price(d *kit.Block, c progress.Cost) {
	if c.Uncounted {
		d.LongFact(3, "costs",
			"not known: the endpoint does not say yet how large the table is. What is used is shown all the time, and it can be stopped.")
		return
	}
	d.Fact("items", kit.Text.Of("about "+phrase.Number(c.Items)))
	d.LongFact(3, "costs", say.CheckCost(c))
	switch {
	case c.Time > 0:
		d.LongFact(
			3,
			"takes",
			fmt.Sprintf("about %s, at %s read units a second, which leaves the application the rest", say.Roughly(c.Time),
				say.Units(say.RoundUnits(c.Pace))),
		)
	default:
		d.LongFact(3, "takes", "as long as the endpoint does: it names no capacity to keep to")
	}
}

// nothing says, in place of an empty list, why it has no findings.
func (r checkReport) nothing(d *kit.Block) {
	switch {
	case len(r.all) > 0:
		screen.NoneFits(r.Session, d, "finding")
	case r.running:
		d.Para(1, kit.Muted, "Broken locks are listed once the table has been read twice.")
		suspected(d, r.state.Suspects)
	case r.summary.Complete:
		d.Gap()
		if n := r.summary.Unsettled; n > 0 {
			d.Para(4, kit.Warn|kit.Bold, "? Nothing was found, but "+phrase.Count(n, "value")+" could not be judged.")
			d.Gap()
			d.Para(4, kit.Text, r.wasRead())
			return
		}
		said, good := say.CheckOutcome(r.summary)
		if good {
			d.Para(4, kit.Good|kit.Bold, kit.GlyphHeld+" "+said)
		} else {
			d.Para(4, kit.Warn|kit.Bold, "? "+said)
		}
		d.Gap()
		d.Para(4, kit.Text, r.wasRead())
		for _, line := range say.Checked(r.summary) {
			d.Para(4, kit.Text, line)
		}
		if r.summary.Locks == 0 || !good {
			return
		}
		belongs := "Each lock belongs to the account that uses its value"
		if r.summary.Reserved > 0 {
			belongs += ", or is reserved"
		}
		d.Para(4, kit.Text, belongs+", and each value has its lock.")
	case r.failed():
		screen.Failed(r.Session, d, r.err)
	}
}

// wasRead says what a check has read.
func (r checkReport) wasRead() string {
	s := r.summary
	said := "Read " + phrase.Count(int(s.Items), "item") + " by " + say.Clock(r.ended)
	if s.Locks == 0 {
		return said + "; this table has no locks."
	}
	return said + ": " + phrase.Count(int(s.Accounts), "account") + ", " + phrase.Count(int(s.Locks), "lock") + "."
}

// suspected lists locks for which the first reading found no account. The list is muted and has question
// marks, because the second reading may show that a lock is in order.
func suspected(d *kit.Block, all []progress.Suspect) {
	if len(all) == 0 {
		return
	}
	sign := say.Kind(finding.OrphanedLock)
	d.Gap()
	d.Para(1, kit.Heading, "Suspected, not confirmed yet: no account was found so far for")
	for _, one := range all {
		d.Row(func(l *kit.Line) {
			l.Put(kit.Muted, "   "+sign.Glyph+"? ")
			l.Fit(kit.Muted, one.Constraint, 10)
			l.To(17)
			l.Fit(kit.Text, one.Value, l.Width-l.At-1)
		})
	}
}
