package ui

import (
	"fmt"
	"strings"
	"time"

	"tallylock/dynamo/check"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
)

// before says what a check would cost, where none was made yet.
func (s *findingsScreen) before(d *doc) {
	a, t := s.app, s.app.table
	if t != nil && t.Layout.Empty() && a.browse != nil && a.browse.err != nil {
		a.errorState(d, a.browse.err) // why nothing tells the layout
		return
	}
	d.gap()
	if t == nil {
		a.noTable(d)
		return
	}
	if t.Layout.Empty() {
		why := "No layout that we know fits this table, so there is nothing to check it by."
		if t.Unread() {
			why = "Nothing was read to recognise the layout by, since auto_read_units is 0."
		}
		d.verdict(sign{"!", asWarn, "no layout", false}, why)
		d.gap()
		d.para(14, asText, "Name one with --layout, or describe its keys under [[layout]] in the config.")
		return
	}
	d.para(4, asBold, "Check this table: every lock against every account, every counter against the ids in use.")
	d.gap()
	a.price(d, check.Estimate(t, a.opts.Check))
	d.fact("writes", span{asText, "nothing"})
	d.gap()
	if other := s.elsewhere(); other != nil {
		d.para(4, asWarn, other.table.Name+" is being checked. One table is checked at a time.")
		return
	}
	a.advice(d, keymap.Open, "check it")
}

// price says what a check costs at most.
func (a *app) price(d *doc, c check.Cost) {
	if c.Uncounted {
		d.told(3, "costs", "not known: the endpoint does not say yet how large the table is. What is used is shown all the time, and it can be stopped.")
		return
	}
	d.fact("items", span{asText, "about " + group(c.Items)})
	d.told(3, "costs", fmt.Sprintf("about %s read units: %s to read it once, %s to look again where something does not fit", units(round(c.Units())), units(round(c.First)), units(round(c.Again))))
	if c.Beyond != "" {
		d.told(3, "not in it", c.Beyond)
	}
	switch {
	case c.Time > 0:
		d.told(3, "takes", fmt.Sprintf("about %s, at %s read units a second, which leaves the application the rest", minutes(max(c.Time, time.Second)), units(round(c.Pace))))
	default:
		d.told(3, "takes", "as long as the endpoint does: it names no capacity to keep to")
	}
}

// round leaves away what an estimate cannot know.
func round(units float64) float64 {
	if units >= 10 {
		return float64(int64(units + 0.5))
	}
	return units
}

func group(n int64) string { return phrase.Group(fmt.Sprint(n)) }

// runAbove is how a check goes, or what became of it.
func (a *app) runAbove(d *doc, r *checkRun) {
	if r.running {
		a.runProgress(d, r)
		for _, note := range r.state.Early {
			d.para(1, asWarn, "! "+sentence(note))
		}
	} else {
		a.runResult(d, r)
	}
	for _, name := range r.suspicious {
		d.para(1, asBad|bold, fmt.Sprintf("! Very much of %s is broken. Mending many of these at once asks for their number.", name))
	}
	if !a.size.short() {
		d.gap()
	}
}

// runResult says what a check has read, and what kept it from being complete.
func (a *app) runResult(d *doc, r *checkRun) {
	sum := r.summary
	d.row(func(l *line) {
		l.put(asText, " ")
		switch {
		case !sum.Complete:
			l.put(asWarn|bold, "! Incomplete")
		case sum.Unsettled > 0:
			l.put(asWarn|bold, "? Checked but for "+phrase.Count(sum.Unsettled, "value"))
		default:
			l.put(asGood, glyphYes)
			l.put(asBold, " Checked")
		}
		l.put(asMuted, "  "+countedWords(r))
		unit := " RU, "
		if a.listWidth() >= 90 {
			unit = " read units, "
		}
		right := units(sum.ReadUnits) + unit + lasts(time.Duration(sum.Seconds*float64(time.Second)))
		if l.at+cells(right)+3 < l.width {
			l.ends(asMuted, right, l.width-1)
		}
	})
	if why := a.whyIncomplete(r); why != "" {
		d.para(1, asWarn, why)
	}
	if a.size.short() {
		return
	}
	for _, note := range notesOf(r) {
		d.para(1, asMuted, note)
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
	again := " What was found stays. " + a.keys.Key(keymap.Reload) + " checks again."
	if len(r.all) == 0 {
		again = "" // that is said below
	}
	switch {
	case r.summary.Complete:
		return ""
	case r.err == errCeiling:
		return fmt.Sprintf("It takes more than was expected. What begins unasked may read %s read units: %s checks the whole table.",
			units(r.table.Connection().AutoReadUnits()), a.keys.Key(keymap.Reload))
	case r.stopped():
		return r.howFar() + again
	case r.err != nil:
		_, _, why, do := explain(r.err)
		return strings.TrimSpace(sentence(why)+" "+sentence(do)) + again
	}
	return sentence(r.summary.Why)
}

// howFar says how far a check came that was stopped.
func (r *checkRun) howFar() string {
	s := r.state
	if s.Stage > check.ReadingMore || s.Stage == check.Preparing {
		if s.Stage == check.LookingAgain && s.Expected > 0 {
			return "The table was read once, and looked at again to " + percent(part(s.Items, s.Expected)) + " when it was stopped: what is not confirmed stays so."
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
		notes = append(notes, sentence(n))
	}
	return notes
}

// nothing stands in place of findings that are not there.
func (s *findingsScreen) nothing(d *doc, r *checkRun) {
	a := s.app
	switch {
	case len(r.all) > 0:
		d.gap()
		d.para(4, asBold, "No finding fits.")
		d.gap()
		a.advice(d, keymap.Back, "show all again")
	case r.running:
		d.para(1, asMuted, "What does not fit together is told when the whole table has been read, and looked at again.")
	case r.summary.Complete:
		d.gap()
		if n := r.summary.Unsettled; n > 0 {
			d.para(4, asWarn|bold, "? Nothing was found, but "+phrase.Count(n, "value")+" could not be judged.")
			d.gap()
			d.para(4, asText, fmt.Sprintf("%s were read until %s: %s, %s.", phrase.Count(int(r.summary.Items), "item"), clock(r.ended), phrase.Count(int(r.summary.Accounts), "account"), phrase.Count(int(r.summary.Locks), "lock")))
			return
		}
		d.para(4, asGood|bold, glyphHeld+" Nothing is wrong.")
		d.gap()
		d.para(4, asText, fmt.Sprintf("%s were read until %s: %s, %s.", phrase.Count(int(r.summary.Items), "item"), clock(r.ended), phrase.Count(int(r.summary.Accounts), "account"), phrase.Count(int(r.summary.Locks), "lock")))
		d.para(4, asText, "Each lock belongs to the account that calls for it, and each value has its lock.")
	case r.failed():
		a.errorState(d, r.err)
	default:
		d.gap()
		d.para(4, asBold, "Nothing was found so far.")
		d.gap()
		a.advice(d, keymap.Reload, "check again")
	}
}
