package ui

import (
	"fmt"
	"strings"
	"time"

	"tallylock/dynamo/check"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/screen"
	"tallylock/ui/words"
)

// before says what a check would cost, where none was made yet.
func (s *findingsScreen) before(d *kit.Block) {
	a, t := s.app, s.app.Table
	if t != nil && t.Layout.Empty() && a.browse != nil && a.browse.err != nil {
		screen.Failed(a.Session, d, a.browse.err) // why nothing tells the layout
		return
	}
	d.Gap()
	if t == nil {
		screen.NoTable(a.Session, d)
		return
	}
	if t.Layout.Empty() {
		why := "No layout that we know fits this table, so there is nothing to check it by."
		if t.Unread() {
			why = "Nothing was read to recognise the layout by, since auto_read_units is 0."
		}
		d.Verdict(kit.Sign{Glyph: "!", Style: kit.Warn, Word: "no layout"}, why)
		d.Gap()
		d.Para(14, kit.Text, "Name one with --layout, or describe its keys under [[layout]] in the config.")
		return
	}
	d.Para(4, kit.Heading, "Check this table: every lock against every account, every counter against the ids in use.")
	d.Gap()
	a.price(d, check.Estimate(t, a.Options.Check))
	d.Fact("writes", kit.Text.Of("nothing"))
	d.Gap()
	if other := s.elsewhere(); other != nil {
		d.Para(4, kit.Warn, other.table.Name+" is being checked. One table is checked at a time.")
		return
	}
	a.Advice(d, keymap.Open, "check it")
}

// price says what a check costs at most.
func (a *app) price(d *kit.Block, c check.Cost) {
	if c.Uncounted {
		d.LongFact(3, "costs", "not known: the endpoint does not say yet how large the table is. What is used is shown all the time, and it can be stopped.")
		return
	}
	d.Fact("items", kit.Text.Of("about "+group(c.Items)))
	d.LongFact(3, "costs", fmt.Sprintf("about %s read units: %s to read it once, %s to look again where something does not fit", words.Units(words.RoundUnits(c.Units())), words.Units(words.RoundUnits(c.First)), words.Units(words.RoundUnits(c.Again))))
	if c.Beyond != "" {
		d.LongFact(3, "not in it", c.Beyond)
	}
	switch {
	case c.Time > 0:
		d.LongFact(3, "takes", fmt.Sprintf("about %s, at %s read units a second, which leaves the application the rest", words.Minutes(max(c.Time, time.Second)), words.Units(words.RoundUnits(c.Pace))))
	default:
		d.LongFact(3, "takes", "as long as the endpoint does: it names no capacity to keep to")
	}
}

func group(n int64) string { return phrase.Group(fmt.Sprint(n)) }

// runAbove is how a check goes, or what became of it.
func (a *app) runAbove(d *kit.Block, r *checkRun) {
	if r.running {
		a.runProgress(d, r)
		for _, note := range r.state.Early {
			d.Para(1, kit.Warn, "! "+words.Sentence(note))
		}
	} else {
		a.runResult(d, r)
	}
	for _, name := range r.suspicious {
		d.Para(1, kit.Bad|kit.Bold, fmt.Sprintf("! Very much of %s is broken. Mending many of these at once asks for their number.", name))
	}
	if !a.Size.Short() {
		d.Gap()
	}
}

// runResult says what a check has read, and what kept it from being complete.
func (a *app) runResult(d *kit.Block, r *checkRun) {
	sum := r.summary
	d.Row(func(l *kit.Line) {
		l.Put(kit.Text, " ")
		switch {
		case !sum.Complete:
			l.Put(kit.Warn|kit.Bold, "! Incomplete")
		case sum.Unsettled > 0:
			l.Put(kit.Warn|kit.Bold, "? Checked but for "+phrase.Count(sum.Unsettled, "value"))
		default:
			l.Put(kit.Good, kit.GlyphYes)
			l.Put(kit.Heading, " Checked")
		}
		l.Put(kit.Muted, "  "+countedWords(r))
		unit := " RU, "
		if a.ListWidth() >= 90 {
			unit = " read units, "
		}
		right := words.Units(sum.ReadUnits) + unit + words.Lasts(time.Duration(sum.Seconds*float64(time.Second)))
		if l.At+kit.Width(right)+3 < l.Width {
			l.Ends(kit.Muted, right, l.Width-1)
		}
	})
	if why := a.whyIncomplete(r); why != "" {
		d.Para(1, kit.Warn, why)
	}
	if a.Size.Short() {
		return
	}
	for _, note := range notesOf(r) {
		d.Para(1, kit.Muted, note)
	}
}

// countedWords is what a check has read.
func countedWords(r *checkRun) string {
	sum := r.summary
	if sum.Items == 0 || sum.Accounts+sum.Locks == 0 {
		return phrase.Count(int(r.read()), "item")
	}
	return phrase.Count(int(sum.Items), "item") + ", " + phrase.Count(int(sum.Accounts), "account") + ", " + phrase.Count(int(sum.Locks), "lock")
}

// whyIncomplete says what kept a check from being complete; empty where it is.
func (a *app) whyIncomplete(r *checkRun) string {
	again := " What was found stays. " + a.Keys.Key(keymap.Reload) + " checks again."
	if len(r.all) == 0 {
		again = "" // that is said below
	}
	switch {
	case r.summary.Complete:
		return ""
	case r.err == errCeiling:
		return fmt.Sprintf("It takes more than was expected. What begins unasked may read %s read units: %s checks the whole table.",
			words.Units(r.table.Connection().AutoReadUnits()), a.Keys.Key(keymap.Reload))
	case r.stopped():
		return r.howFar() + again
	case r.err != nil:
		_, _, why, do := words.Explain(r.err)
		return strings.TrimSpace(words.Sentence(why)+" "+words.Sentence(do)) + again
	}
	return words.Sentence(r.summary.Why)
}

// howFar says how far a check came that was stopped.
func (r *checkRun) howFar() string {
	s := r.state
	if s.Stage > check.ReadingMore || s.Stage == check.Preparing {
		if s.Stage == check.LookingAgain && s.Expected > 0 {
			return "The table was read once, and looked at again to " + words.Percent(part(s.Items, s.Expected)) + " when it was stopped: what is not confirmed stays so."
		}
		return "The table was read once, and stopped before it was looked at again: what is not confirmed stays so."
	}
	if total := r.table.Items; total > r.read() {
		return fmt.Sprintf("Stopped after %s of about %s items.", group(r.read()), group(total))
	}
	return "Stopped after " + phrase.Count(int(r.read()), "item") + "."
}

// notesOf is what people should know besides the findings.
func notesOf(r *checkRun) []string {
	var notes []string
	if unjudged := r.summary.Unjudged(); unjudged != "" {
		notes = append(notes, unjudged)
	}
	if n := len(r.summary.Marks) + r.summary.MoreMarks; n > 0 {
		bear := " bear"
		if n == 1 {
			bear = " bears"
		}
		notes = append(notes, phrase.Count(n, "lock")+bear+" the mark of a release that was not finished; it is harmless.")
	}
	for _, n := range r.summary.Notes {
		notes = append(notes, words.Sentence(n))
	}
	return notes
}

// nothing stands in place of findings that are not there.
func (s *findingsScreen) nothing(d *kit.Block, r *checkRun) {
	a := s.app
	switch {
	case len(r.all) > 0:
		d.Gap()
		d.Para(4, kit.Heading, "No finding fits.")
		d.Gap()
		a.Advice(d, keymap.Back, "show all again")
	case r.running:
		d.Para(1, kit.Muted, "What does not fit together is told when the whole table has been read, and looked at again.")
	case r.summary.Complete:
		d.Gap()
		if n := r.summary.Unsettled; n > 0 {
			d.Para(4, kit.Warn|kit.Bold, "? Nothing was found, but "+phrase.Count(n, "value")+" could not be judged.")
			d.Gap()
			d.Para(4, kit.Text, fmt.Sprintf("%s were read until %s: %s, %s.", phrase.Count(int(r.summary.Items), "item"), words.Clock(r.ended), phrase.Count(int(r.summary.Accounts), "account"), phrase.Count(int(r.summary.Locks), "lock")))
			return
		}
		d.Para(4, kit.Good|kit.Bold, kit.GlyphHeld+" Nothing is wrong.")
		d.Gap()
		d.Para(4, kit.Text, fmt.Sprintf("%s were read until %s: %s, %s.", phrase.Count(int(r.summary.Items), "item"), words.Clock(r.ended), phrase.Count(int(r.summary.Accounts), "account"), phrase.Count(int(r.summary.Locks), "lock")))
		belongs := "Each lock belongs to the account that calls for it"
		if r.summary.Reserved > 0 {
			belongs += ", or is reserved"
		}
		d.Para(4, kit.Text, belongs+", and each value has its lock.")
	case r.failed():
		screen.Failed(a.Session, d, r.err)
	default:
		d.Gap()
		d.Para(4, kit.Heading, "Nothing was found so far.")
		d.Gap()
		a.Advice(d, keymap.Reload, "check again")
	}
}
