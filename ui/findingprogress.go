package ui

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"tallylock/dynamo/check"
	"tallylock/dynamo/phrase"
)

// runProgress is a check under way: what it is doing, how far it is, what it has
// used, and how far each part of the table is.
func (a *app) runProgress(d *doc, r *checkRun) {
	s := r.state
	doing, about, done, total := a.doingNow(r)
	k, took := asBold, minutes(r.took(a.now()))+" so far"
	switch since := r.gate.Since(); {
	case r.stopping:
		doing, about = "Stopping", ""
	case !since.IsZero():
		k, about = asWarn|bold, ": nothing is sent, and what was read stays"
		doing = "Paused since " + clock(since)
	case s.Left > 0:
		took += ", about " + minutes(s.Left) + " to go"
	}
	far := ""
	if total > 0 {
		far = percent(part(done, total)) + " · provisional"
	}
	d.row(func(l *line) {
		l.put(asText, " ")
		l.put(k, doing)
		middle := l.width - 2 - cells(far) - 2 - cells(took)
		if l.at+cells(about)+2 <= middle {
			l.put(asMuted, about)
		}
		if l.at+2 <= middle {
			l.to(max(min(l.width/2, middle), l.at+2))
			l.put(asMuted, took)
		}
		l.ends(asWarn, far, l.width-1)
	})
	d.row(func(l *line) {
		l.put(asText, " ")
		switch {
		case total > 0:
			bar(l, part(done, total), l.width-2)
		case r.paused():
			l.run(asFaint, ruleThin, l.width-2)
		default:
			a.working(l, checking, l.width-2)
		}
	})
	if a.size.short() {
		return
	}
	d.row(func(l *line) {
		l.put(asText, " ")
		switch {
		case s.Stage == check.Confirming:
			l.put(asText, group(done)+" of "+group(total))
		case s.Stage == check.Waiting:
			l.put(asText, lasts(time.Duration(done)*time.Millisecond)+" of "+lasts(time.Duration(total)*time.Millisecond))
		default:
			l.put(asText, group(s.Items))
			if s.Expected > s.Items {
				l.put(asMuted, " of about "+group(s.Expected))
			}
			l.put(asMuted, " items")
		}
		l.ends(asMuted, a.used(r), l.width-1)
	})
	d.row(func(l *line) {
		l.put(asText, " ")
		switch {
		case len(s.Parts) == 0:
			followedUp(l, s)
		case s.Speed > 0 && !r.paused():
			l.put(asText, group(int64(s.Speed+0.5)))
			l.put(asMuted, " a second")
		}
		drawParts(l, s)
	})
	d.row(func(l *line) {
		l.put(asText, " ")
		if len(s.Parts) > 0 {
			followedUp(l, s)
		}
		if s.More > 0 && s.Candidates == 0 && !r.paused() {
			l.put(asMuted, "about "+minutes(s.More)+" more where something does not fit")
		}
		l.ends(asWarn, hampered(s), l.width-1)
	})
}

// doingNow is what a check does, in a word and more, and how much of it is done.
func (a *app) doingNow(r *checkRun) (doing, about string, done, total int64) {
	s := r.state
	done, total = s.Items, s.Expected
	switch s.Stage {
	case check.Beginning:
		return "Beginning", "", done, total
	case check.Reading:
		return "Reading", " every item once", done, total
	case check.ReadingMore:
		return "Reading", " every item once more: more does not fit than was expected", done, total
	case check.Waiting:
		total = r.table.Connection().Settle().Milliseconds()
		done = total - min(max(s.Until.Sub(a.now()).Milliseconds(), 0), total)
		return "Waiting", " for what was under way to be seen", done, total
	case check.LookingAgain:
		return "Looking again", " at every account, for " + phrase.Count(s.Candidates, "value") + " that " + fits(s.Candidates) + " not fit", done, total
	case check.Confirming:
		return "Confirming", " each lock with its accounts", done, total
	case check.Preparing:
		return "Preparing", "", done, total
	case check.FindingKeys:
		return "Finding long keys", "", done, total
	case check.RePolling:
		return "Watching what is left", "", done, total
	case check.ReadingCounters:
		return "Reading counters", "", done, total
	}
	return "", "", done, total
}

func fits(n int) string {
	if n == 1 {
		return "does"
	}
	return "do"
}

// followedUp says how many values did not fit.
func followedUp(l *line, s check.State) {
	if s.Candidates > 0 {
		l.put(asText, phrase.Count(s.Candidates, "value"))
		l.put(asMuted, " followed up")
	}
}

// drawParts ends a row with how far the parts of the table are: a bar each, which
// is full only where a part has ended.
func drawParts(l *line, s check.State) {
	if len(s.Parts) == 0 {
		return
	}
	bars := [8]string{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"}
	label := phrase.Count(s.Segments, "part") + "  "
	slowest := slices.Min(s.Parts)
	said := "  the slowest at " + percent(slowest)
	if slowest == 0 || s.Ended == s.Segments {
		said = "  " + group(int64(s.Ended)) + " ended"
	}
	l.to(l.width - 1 - cells(label) - len(s.Parts) - cells(said))
	l.put(asMuted, label)
	l.on(field)
	for _, part := range s.Parts {
		n := min(int(part*7), 6)
		if part == 1 {
			n = 7
		}
		l.run(asFill, bars[n], 1)
	}
	l.on(base)
	l.put(asMuted, said)
}

// used is the read units that a check has used, of how many, and to how many a
// second it is held, or how many it uses.
func (a *app) used(r *checkRun) string {
	unit, every := " RU", "/s"
	if a.listWidth() >= 90 {
		unit, every = " read units", " a second"
	}
	said := units(r.state.Units)
	if most := r.cost.Units(); !r.cost.Uncounted && r.state.Units <= most { // a small table's estimate leaves out much
		said += " of about " + units(round(r.cost.Units()))
	}
	said += unit
	switch {
	case r.pace > 0:
		said += ", held to " + units(round(r.pace)) + every
	case r.state.Rate > 0 && !r.paused():
		said += ", " + units(round(r.state.Rate)) + every
	}
	return said
}

// hampered says how often requests had to be sent again.
func hampered(s check.State) string {
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
	return group(n) + " times"
}

// minutes writes how long something takes: "0:21", "1:41", "2:03:10".
func minutes(d time.Duration) string {
	s := int(d.Seconds() + 0.5)
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}
