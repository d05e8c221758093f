package counters

import (
	"fmt"
	"time"

	"tallylock/dynamo/phrase"
	"tallylock/ui/kit"
	"tallylock/ui/screen"
	"tallylock/ui/task"
	"tallylock/ui/words"
)

// cover is the completeness line.
func (s *Screen) cover() *kit.Coverage {
	if s.Empty() {
		return screen.Cover(s.Session, task.Polling)
	}
	c := screen.Cover(s.Session)
	all, open := s.total(), s.of[s.On]
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
	quiet, silent := s.Silence()
	switch {
	case silent && s.Offline == nil && !s.every:
		c.Right = []kit.Span{
			kit.Warn.Of(fmt.Sprintf("no answer for %.0f s", quiet.Seconds())),
			kit.Muted.Of(", as it was at " + words.Clock(open.readAt)),
		}
	case s.Offline != nil && !s.every:
		c.Right = []kit.Span{
			kit.Muted.Of("as it was at "),
			kit.Text.Of(words.Clock(open.readAt)),
			kit.Muted.Of(", " + words.Ago(s.Now().Sub(open.readAt))),
		}
	case s.stopped() && s.every:
		c.Right = append(c.Right, kit.Warn.Of("paused"))
	case s.stopped():
		c.Right = append(c.Right, kit.Warn.Of("paused"))
		if on := s.Connection(); on.Connection != nil && on.SessionSpent() {
			c.Right = append(c.Right, kit.Warn.Of(", session_read_units reached"))
		}
		c.Right = append(c.Right, kit.Muted.Of(", as read at "+words.Clock(open.readAt)))
	default:
		at := ""
		if aged := s.Now().Sub(open.readAt); !s.every && max(aged, all.every) >= old {
			at = "at " + words.Clock(open.readAt) + ", "
		}
		c.Right = append(c.Right, kit.Muted.Of(
			fmt.Sprintf("read %severy %g s · %s %s", at, all.every.Seconds(), words.Units(all.pace), unit)))
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

// old is how old counters may be, or become, before their time is shown.
const old = 10 * time.Second

// total is what is known of all connections that are listed.
func (s *shown) total() known {
	sum := known{whole: true}
	for _, n := range s.listed() {
		k := s.of[n]
		sum.all = append(sum.all, k.all...)
		sum.where, sum.denied, sum.pace = sum.where+k.where, sum.denied+k.denied, sum.pace+k.pace
		sum.every = max(sum.every, k.every)
		sum.whole, sum.alone = sum.whole && (k.whole || k.readAt.IsZero()), sum.alone || k.alone && !s.every
	}
	return sum
}
