package counters

import (
	"fmt"
	"time"

	"tallylock/dynamo/phrase"
	"tallylock/ui/kit"
	"tallylock/ui/say"
	"tallylock/ui/screen"
	"tallylock/ui/task"
)

// cover returns the completeness line.
func (s *Screen) cover() *kit.Coverage {
	if s.empty() {
		return screen.Cover(s.Session, task.Polling)
	}
	c := screen.Cover(s.Session)
	all, open := s.total(), s.open()
	c.Left = s.placeIn(s.Size.Width)
	unit := "RU/s"
	if s.Size.Width >= 100 {
		unit = "read units a second"
		where := phrase.Count(len(all.all), "counter") + " in " + phrase.Count(all.where, "table")
		if s.every {
			where += " of " + phrase.Count(len(s.of), "connection")
		}
		c.Right = []kit.Span{kit.Muted.Of(where + " · ")}
	}
	quiet, silent := s.silence(open)
	switch {
	case silent && s.Offline == nil && !s.every:
		c.Right = s.silent(quiet, open.readAt)
	case s.Offline != nil && !s.every:
		c.Right = screen.AsItWas(s.Session, open.readAt)
	case s.stopped() && s.every:
		c.Right = append(c.Right, kit.Warn.Of("paused"))
	case s.stopped():
		c.Right = append(c.Right, kit.Warn.Of("paused"))
		if on := s.Connection(); on.Connection != nil && on.UnitsSpent() {
			c.Right = append(c.Right, kit.Warn.Of(", "+on.Reached()))
		}
		c.Right = append(c.Right, kit.Muted.Of(", as read at "+phrase.Clock(open.readAt)))
	default:
		at := ""
		if aged := s.Now().Sub(open.readAt); !s.every && max(aged, all.every) >= old {
			at = "at " + phrase.Clock(open.readAt) + ", "
		}
		c.Right = append(c.Right, kit.Muted.Of(
			fmt.Sprintf("read %severy %g s · %s %s", at, all.every.Seconds(), say.Units(all.pace), unit)))
	}
	if !all.whole {
		c.Right = append(c.Right, kit.Warn.Of(" · not all"))
	}
	if all.alone {
		c.Right = append(c.Right, kit.Warn.Of(" · this table only"))
	}
	if all.denied > 0 {
		c.Right = append(c.Right, kit.Warn.Of(" · "+phrase.Count(all.denied, "table")+" not readable"))
	}
	return c
}

// silent says that the running poll takes long, why, and how old the list is.
func (s *Screen) silent(quiet time.Duration, read time.Time) []kit.Span {
	on := s.Connection()
	throttled := on.Connection != nil && on.Throttled()
	said := say.Roughly(quiet) + " so far: "
	switch wide := s.Size.Width >= 100; {
	case wide || throttled:
		said += say.Silence(on.Where(), throttled)
	default:
		said += "no answer"
	}
	return []kit.Span{kit.Warn.Of(said), kit.Muted.Of(", as at " + phrase.Clock(read))}
}

// old is a limit. If the last reading is at least this old, or if polls are at least this far apart, the
// completeness line shows the time of the reading.
const old = 10 * time.Second

// placeIn returns the left part of the completeness line: the position of the cursor, the number of problems,
// and the order.
func (s *Screen) placeIn(width int) []kit.Span {
	at, of := s.list().Number(s.cursor.Cursor)
	at = min(at, of) // the heading of an empty connection may come after the last counter
	if s.cursor.Lost {
		at = 0
	}
	out := []kit.Span{kit.Muted.Of(say.Position(at, of, false))}
	if s.look.On() {
		out = append(out, kit.Muted.Of(" found, of "+phrase.Number(len(s.total().all))+" that were read"))
		if width < 100 { // the line has no more room
			return out
		}
	}
	bad := 0
	for _, g := range s.groups {
		bad += problems(g.rows)
	}
	if bad > 0 {
		out = append(out, kit.Muted.Of(" · "), (kit.Bad | kit.Bold).Of(phrase.Count(bad, "problem")))
	}
	if word := s.order.words(); word != "" {
		out = append(out, kit.Muted.Of(" · "), kit.Text.Of(word))
	}
	return out
}
