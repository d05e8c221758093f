// Package counters is the screen of the counters of all tables of the connection, or of all
// connections, with their rates. It speaks to the program in messages; start reading at Screen.
package counters

import (
	"time"

	"tallylock/dynamo/check"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/screen"
	"tallylock/ui/session"
)

// Screen shows the counters of all tables of the open connection, or of all connections, read
// again every few seconds. A counter of another connection than the open one is only looked at.
type Screen struct{ polling }

// New is the screen; Visit fills it, and goes on filling it while it is looked at.
func New(s *session.Session, found Found) *Screen {
	return &Screen{
		polling{
			shown: shown{
				Session: s,
				of:      unknown(len(s.Connections)),
				folded:  map[int]bool{},
				table:   kit.Table[*row]{Columns: columns},
			},
			found: found,
		},
	}
}

// Found answers what the last check of a table of a connection, by its number, has summed up,
// and when it ended; nil where there was none, or it goes on.
type Found func(on int, table string) (*check.Summary, time.Time)

// Reset forgets all counters, those on their way, too: another connection is looked at. Those
// of all connections stay: each says whose it is.
func (s *Screen) Reset() {
	s.Leave()
	if !s.every {
		*s = *New(s.Session, s.found)
	}
}

// Content implements screen.Screen.
func (s *Screen) Content() screen.Content {
	rows := s.list()
	c := screen.Content{
		List:    &s.cursor,
		Rows:    rows,
		Depth:   4,
		Old:     s.Offline != nil && !s.every,
		Hints:   s.Commands().Hints(s.Session),
		Blurred: s.look.Typing(),
	}
	switch {
	case s.look.Typing():
		c.Hints = s.look.Hints()
	case c.Old:
		c.Hints = []kit.Hint{s.Hint(keymap.Open, "try now")}
	case s.look.On():
		c.Hints = append([]kit.Hint{s.Hint(keymap.Back, "show all")}, c.Hints...)
	}
	c.Top = s.look.Heading(s.Session, "letters of a counter or its table")
	c.Cover = s.cover()
	c.Heads = s.table.Heads
	c.Beneath = func(d *kit.Block) { s.detail(d) }
	c.Read = c.Beneath
	row, ok := s.selected()
	if ok {
		c.Read = func(d *kit.Block) { s.facts(d, row) }
	}
	if body := s.Size.Body(); s.Size.Wide() && (ok || s.every) && body-2-chartDepth >= min(rows.Len(), 6) {
		c.Depth = max(min(body-2-rows.Len()-2, body*6/10), chartDepth)
		c.Split = split
		c.Beneath = func(d *kit.Block) { s.wideDetail(d, c.Depth) }
		c.Read = c.Beneath
	}
	if rows.Len() == 0 {
		c.Instead, c.Beside = s.state, screen.Permits(s.Session, s.of[s.On].err)
		c.Heads = nil
		if s.of[s.On].err != nil && s.Offline != nil { // it says all there is to say
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
