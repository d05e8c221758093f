// Package counters is the screen of the counters of all tables of the connection, with their
// rates. It speaks to the program in messages; start reading at Screen.
package counters

import (
	"fmt"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/check"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/screen"
	"tallylock/ui/session"
	"tallylock/ui/task"
	"tallylock/ui/words"
)

// Screen shows the counters of all tables of the connection, read again
// every few seconds.
type Screen struct {
	*session.Session
	found Found
	shown
	past   map[string]*history
	ids    map[string]seenIDs // by the counter's id: looked up when the tables were
	tables []*dynamo.Table    // nil: not looked for yet
	where  int                // tables that have counters
	denied int                // tables that could not be opened or read
	alone  bool               // the tables may not be listed: only the open one was looked at
	loop   int                // numbers the polling, so that there is one
	paused bool
	readAt time.Time
	pace   float64 // read units a second
	err    error
	whole  bool
}

// New is the screen; Visit fills it, and goes on filling it while it is looked at.
func New(s *session.Session, found Found) *Screen {
	return &Screen{Session: s, found: found, past: map[string]*history{}}
}

// Found answers what the last check of a table of the connection has summed up, and when it
// ended; nil where there was none, or it goes on.
type Found func(table string) (*check.Summary, time.Time)

// Reset forgets all counters, those on their way, too: another connection is looked at.
func (s *Screen) Reset() {
	s.Tasks.Drop(task.Polling)
	loop := s.loop + 1
	*s = *New(s.Session, s.found)
	s.ids, s.loop = map[string]seenIDs{}, loop
}

// mostLookedUp is of how many counters the highest id is looked up, where one read tells.
const mostLookedUp = 50

// Content implements screen.Screen.
func (s *Screen) Content() screen.Content {
	cols := columnsOf(s.Size.Width)
	end := s.readAt
	c := screen.Content{List: &s.cursor, Rows: list{s.rows, cols, end}, Depth: 4, Old: s.Offline != nil, Hints: s.Commands().Hints(s.Session), Blurred: s.look.Typing()}
	switch {
	case s.look.Typing():
		c.Hints = s.look.Hints()
	case s.Offline != nil:
		c.Hints = []kit.Hint{s.Hint(keymap.Open, "try now")}
	case s.look.On():
		c.Hints = append([]kit.Hint{s.Hint(keymap.Back, "show all")}, c.Hints...)
	}
	c.Top = s.look.Heading(s.Session, keymap.Filter, "letters of a counter or its table")
	c.Cover = s.cover()
	c.Heads = func(l *kit.Line) { cols.heads(l) }
	c.Beneath = func(d *kit.Block) { s.detail(d) }
	row, ok := s.selected()
	if ok {
		c.Read = func(d *kit.Block) { s.facts(d, row) }
	}
	if body := s.Size.Body(); s.Size.Wide() && ok && body-2-chartDepth >= min(len(s.rows), 6) {
		c.Depth = max(min(body-2-len(s.rows)-2, body*6/10), chartDepth)
		c.Split = split
		c.Beneath = func(d *kit.Block) { s.wideDetail(d) }
	}
	if len(s.rows) == 0 {
		c.Instead = s.state
		c.Heads = nil
		if s.err != nil && s.Offline != nil { // it says all there is to say
			c.Beneath = nil
		}
	}
	return c
}

// chartDepth is how many rows the facts of a counter need, with its chart beside
// them: it stands where enough of the list is left.
const chartDepth = 12

// split is where facts end and the chart begins on a wide screen.
const split = 54

func (s *Screen) cover() *kit.Coverage {
	c := &kit.Coverage{Part: 1, Working: -1}
	if s.Empty() {
		if since, busy := s.Tasks.Since(task.Polling); busy {
			c.Working = s.Phase(since)
		}
		return c
	}
	c.Left = s.placeIn(s.Size.Width)
	unit := "RU/s"
	if s.Size.Width >= 100 {
		unit = "read units a second"
		c.Right = []kit.Span{kit.Muted.Of(phrase.Count(len(s.all), "counter") + " in " + phrase.Count(s.where, "table") + " · ")}
	}
	quiet, silent := s.Silence()
	switch {
	case silent && s.Offline == nil:
		c.Right = []kit.Span{kit.Warn.Of(fmt.Sprintf("no answer for %.0f s", quiet.Seconds())), kit.Muted.Of(", as it was at " + words.Clock(s.readAt))}
	case s.Offline != nil:
		c.Right = []kit.Span{kit.Muted.Of("as it was at "), kit.Text.Of(words.Clock(s.readAt)), kit.Muted.Of(", " + words.Ago(s.Now().Sub(s.readAt)))}
	case s.paused:
		c.Right = append(c.Right, kit.Warn.Of("paused"), kit.Muted.Of(", as read at "+words.Clock(s.readAt)))
	default:
		c.Right = append(c.Right, kit.Muted.Of(fmt.Sprintf("read every %g s · %s %s", s.Options.Refresh.Seconds(), words.Units(s.pace), unit)))
	}
	if !s.whole {
		c.Right = append(c.Right, kit.Warn.Of(" · not all"))
	}
	if s.alone {
		c.Right = append(c.Right, kit.Warn.Of(" · this table only"))
	}
	if s.denied > 0 {
		c.Right = append(c.Right, kit.Warn.Of(" · "+phrase.Count(s.denied, "table")+" not readable"))
	}
	return c
}
