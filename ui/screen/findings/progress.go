package findings

import (
	"maps"
	"slices"
	"strings"
	"time"

	"tallylock/dynamo/check"
	"tallylock/dynamo/phrase"
	"tallylock/ui/kit"
	"tallylock/ui/task"
	"tallylock/ui/words"
)

// progress is a check under way: what it is doing, how far it is, what it has
// used, and how far each part of the table is.
func (r report) progress(d *kit.Block) {
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
			l.Put(kit.Muted, words.Spared(s))
		}
		l.Ends(kit.Warn, throttled(s), l.Width-1)
	})
}

// headline is what a check is doing, for how long, and how far it is.
func (r report) headline(l *kit.Line) {
	doing, about, _, _ := r.doing()
	k, took := kit.Heading, words.Roughly(r.took(r.Now()))+" so far"
	switch since := r.gate.Since(); {
	case r.stopping:
		doing, about = "Stopping", ""
	case !since.IsZero():
		k, about = kit.Warn|kit.Bold, ": nothing is sent, and what was read stays"
		doing = "Paused since " + words.Clock(since)
	case r.state.Left > 0:
		took += ", about " + words.Roughly(r.state.Left) + " to go"
	}
	far := ""
	if r.state.Share > 0 {
		far = words.Percent(min(r.state.Share, 0.99)) + " · provisional"
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

// amount is how much of what it is doing a check has done, and what it has used.
func (r report) amount(l *kit.Line) {
	_, _, done, total := r.doing()
	l.Put(kit.Text, " ")
	switch s := r.state; s.Stage {
	case check.Confirming:
		l.Put(kit.Text, phrase.Number(done)+" of "+phrase.Number(total))
	case check.Waiting:
		l.Put(kit.Text,
			words.Lasts(time.Duration(done)*time.Millisecond)+" of "+words.Lasts(time.Duration(total)*time.Millisecond))
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

// doing is what a check does, in a word and more, and how much of it is done.
func (r report) doing() (doing, about string, done, total int64) {
	s := r.state
	done, total = s.Items, s.Expected
	if s.Stage == check.Waiting {
		total = r.table.Connection().Settle().Milliseconds()
		done = total - min(max(s.Until.Sub(r.Now()).Milliseconds(), 0), total)
	}
	doing, about = words.CheckStage(s)
	return doing, about, done, total
}

// followedUp says how many values did not fit.
func followedUp(l *kit.Line, s check.State) {
	if s.Candidates > 0 {
		l.Put(kit.Text, phrase.Count(s.Candidates, "value"))
		l.Put(kit.Muted, " followed up")
	}
}

// drawParts ends a row with how far the parts of the table are: a bar each, which
// is full only where a part has ended.
func drawParts(l *kit.Line, s check.State) {
	if len(s.Parts) == 0 {
		return
	}
	bars := [8]string{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"}
	label := phrase.Count(s.Segments, "part") + "  "
	slowest := slices.Min(s.Parts)
	said := "  the slowest at " + words.Percent(slowest)
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

// used is the read units that a check has used, of how many, and to how many a
// second it is held, or how many it uses.
func (r report) used() string {
	unit, every := " RU", "/s"
	if r.ListWidth() >= 90 {
		unit, every = " read units", " a second"
	}
	said := words.Units(r.state.Units)
	if most := r.cost.Units(); !r.cost.Uncounted && r.state.Units <= most { // a small table's estimate leaves out much
		said += " of about " + words.Units(words.RoundUnits(r.cost.Units()))
	}
	said += unit
	switch {
	case r.pace > 0:
		said += ", held to " + words.Units(words.RoundUnits(r.pace)) + every
	case r.state.Rate > 0 && !r.paused():
		said += ", " + words.Units(words.RoundUnits(r.state.Rate)) + every
	}
	return said
}

// throttled says how often requests had to be sent again.
func throttled(s check.State) string {
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
