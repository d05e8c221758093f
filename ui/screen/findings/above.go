package findings

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"tallylock/dynamo/check"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/session"
	"tallylock/ui/words"
)

// report is how a check goes, or what became of it, above what it has found.
type report struct {
	*session.Session
	*run
}

func (r report) above(d *kit.Block) {
	if r.running {
		r.progress(d)
		for _, note := range r.state.Early {
			d.Para(1, kit.Warn, "! "+words.Sentence(note))
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

// result says what a check has read, and what kept it from being complete.
func (r report) result(d *kit.Block) {
	sum := r.summary
	d.Row(func(l *kit.Line) {
		l.Put(kit.Text, " ")
		switch {
		case !sum.Complete:
			l.Put(kit.Warn|kit.Bold, "! Incomplete")
		case sum.Unsettled > 0:
			l.Put(kit.Warn|kit.Bold, "? Checked but for "+phrase.Count(sum.Unsettled, "value"))
		case sum.Reach() == check.Guess:
			l.Put(kit.Warn|kit.Bold, "? Checked by a guessed layout")
		case sum.Reach() == check.Partly:
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
		right := words.Units(sum.ReadUnits) + unit + words.Lasts(time.Duration(sum.Seconds*float64(time.Second)))
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
	for _, note := range r.notes() {
		d.Para(1, kit.Muted, note)
	}
}

// counted is what a check has read.
func (r *run) counted() string {
	sum := r.summary
	if sum.Items == 0 || sum.Accounts+sum.Locks == 0 {
		return phrase.Count(int(r.read()), "item")
	}
	return phrase.Count(int(sum.Items), "item") + ", " + phrase.Count(int(sum.Accounts), "account") + ", " + phrase.Count(int(sum.Locks), "lock")
}

// whyIncomplete says what kept a check from being complete; empty where it is.
func (r report) whyIncomplete() string {
	again := " What was found stays. " + r.Keys.Key(keymap.Reload) + " checks again."
	if len(r.all) == 0 {
		again = "" // that is said below
	}
	switch {
	case r.summary.Complete:
		return ""
	case errors.Is(r.err, errCeiling):
		return fmt.Sprintf(
			"It takes more than was expected. What begins unasked may read %s read units: %s checks the whole table.",
			words.Units(r.table.Connection().AutoReadUnits()), r.Keys.Key(keymap.Reload),
		)
	case r.stopped():
		return r.howFar() + again
	case r.err != nil:
		_, _, why, do := words.Explain(r.err)
		return strings.TrimSpace(words.Sentence(why)+" "+words.Sentence(do)) + again
	}
	return words.Sentence(r.summary.Why)
}

// howFar says how far a check came that was stopped.
func (r *run) howFar() string {
	s := r.state
	if s.Stage > check.ReadingMore || s.Stage == check.Preparing {
		if s.Stage == check.LookingAgain && s.Expected > 0 {
			return "The table was read once, and a second time to " + words.Percent(words.Part(s.Items, s.Expected)) + " when it was stopped: what is not confirmed stays so."
		}
		return "The table was read once, and the check was stopped before the second reading: what is not confirmed stays so."
	}
	if total := r.table.Items; total > r.read() {
		return fmt.Sprintf("Stopped after %s of about %s items.", phrase.Number(r.read()), phrase.Number(total))
	}
	return "Stopped after " + phrase.Count(int(r.read()), "item") + "."
}

// notes is what people should know besides the findings.
func (r *run) notes() []string {
	var notes []string
	if unjudged := r.summary.Unjudged(); unjudged != "" {
		notes = append(notes, unjudged)
	}
	if n := len(r.summary.Marks) + r.summary.MoreMarks; n > 0 {
		bear := " bear"
		if n == 1 {
			bear = " bears"
		}
		notes = append(notes, phrase.Count(n, "lock")+bear+" the marker of a release that was not finished; it is harmless.")
	}
	notes = append(notes, words.NotChecked(r.summary)...)
	for _, n := range r.summary.Notes {
		notes = append(notes, words.Sentence(n))
	}
	return notes
}
