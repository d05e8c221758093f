// Package queue has the screen of the plans that wait for an operator, for people who work over SSH. It sends messages
// to the program. Start reading at Screen.
package queue

import (
	"context"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/change/queue"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/message"
	"tallylock/ui/say"
	"tallylock/ui/screen"
	"tallylock/ui/session"
	"tallylock/ui/task"
)

// Tab is the tab of the queue.
var Tab = &session.Tab{Name: "queue", Action: keymap.Queue, Place: "queue"}

// every is the time between two readings of the queue.
const every = 3 * time.Second

// Screen lists the plans that the person may see: the open plans first, then the newest.
type Screen struct {
	*session.Session
	known
	read  bool
	err   error // the error of the last reading
	list  kit.List
	table kit.Table[line]
	look  screen.Filter
	loop  int // counts the loops of polling: only the latest loop continues
}

// New returns the screen. Receive begins to read the queue.
func New(s *session.Session) *Screen {
	return &Screen{Session: s, table: kit.Table[line]{Columns: columns}}
}

// Info implements screen.Tab.
func (s *Screen) Info() *session.Tab { return Tab }

// WhyNot implements screen.Tab.
func (s *Screen) WhyNot() string { return s.Options.Guest.WhyNotAsked() }

// Enter implements screen.Tab.
func (s *Screen) Enter() tea.Cmd { return s.poll() }

// Leave implements screen.Tab. Polling goes on, for the count beside the name of the tab.
func (s *Screen) Leave() {}

// Back implements screen.Tab.
func (s *Screen) Back() (tea.Cmd, bool) { return nil, false }

// Badge implements screen.Tab. It counts the waiting plans.
func (s *Screen) Badge() (int, bool) {
	n := 0
	for _, e := range s.all {
		if e.State == queue.Waiting {
			n++
		}
	}
	return n, false
}

// Receive implements screen.Tab. It reads the queue at the start, and after each change.
func (s *Screen) Receive(event any) tea.Cmd {
	switch event.(type) {
	case message.Started, message.Queued, message.Changed:
		return s.poll()
	}
	return nil
}

// Refresh implements screen.Refresher.
func (s *Screen) Refresh() tea.Cmd { return s.poll() }

// known is the result of reading the queue. changed is the time of the folder's last change before that, and
// readAt is the time of the reading.
type known struct {
	all             []*queue.Entry
	problems        []queue.Problem
	changed, readAt time.Time
}

// The queue is read again after mostAge, even if its folder has not changed, because plans expire. If the folder
// changed less than settled before a reading, the reading may miss a later change, because file systems keep coarse
// times.
const (
	mostAge = 30 * time.Second
	settled = time.Second
)

// current reports whether a reading is still current. changed is the time of the folder's last change.
func (k known) current(changed, now time.Time) bool {
	return changed.Equal(k.changed) && k.readAt.Sub(changed) > settled && now.Sub(k.readAt) < mostAge
}

// readQueue reads the queue, unless the earlier reading is still current.
func readQueue(guest *session.Guest, before known) (known, error) {
	now := time.Now()
	changed, err := guest.Queue.Changed()
	if err != nil || before.current(changed, now) {
		return before, err
	}
	k := known{changed: changed, readAt: now}
	k.all, k.problems, err = guest.Queue.List(guest.Person())
	return k, err
}

// poll reads the queue now, and again after each pause.
func (s *Screen) poll() tea.Cmd {
	guest := s.Options.Guest
	if guest.WhyNotAsked() != "" {
		return nil
	}
	s.loop++
	loop := s.loop
	before := s.known
	return task.Start(s.Tasks, task.Queueing, func(context.Context) (known, error) {
		return readQueue(guest, before)
	}, func(k known, err error) tea.Cmd {
		if s.read, s.err = true, err; err == nil {
			s.take(k)
		}
		return s.Tasks.After(every, func() tea.Cmd {
			if s.loop != loop {
				return nil
			}
			return s.poll()
		})
	})
}

// take lists the entries. The cursor stays on its entry.
func (s *Screen) take(k known) {
	if len(s.all) > 0 {
		s.list.Hold(s.lines())
		defer func() { s.list.Follow(s.lines()) }()
	}
	s.known = k
}

// rows returns the entries that pass the filter.
func (s *Screen) rows() []*queue.Entry {
	want := s.look.Want()
	return slices.DeleteFunc(slices.Clone(s.all), func(e *queue.Entry) bool {
		return !screen.Holds(want, e.ID, e.AskedBy, e.DecidedBy, e.Shown.Sentence, e.Plan.Reason, string(e.State), tableOf(e))
	})
}

func (s *Screen) lines() lines { return lines{s.rows(), &s.table, s.Now()} }

// selected returns the selected entry; nil if none is selected.
func (s *Screen) selected() *queue.Entry {
	rows := s.rows()
	if s.list.Lost || s.list.Cursor >= len(rows) {
		return nil
	}
	return rows[s.list.Cursor]
}

// About implements screen.Screen.
func (s *Screen) About() string {
	if e := s.selected(); e != nil {
		return "queue, " + say.Article(string(e.State)) + " " + string(e.State) + " plan"
	}
	return "queue"
}

// Content implements screen.Screen.
func (s *Screen) Content() screen.Content {
	rows := s.lines()
	c := screen.Content{List: &s.list, Rows: rows, Depth: 5, Hints: s.Commands().Hints(s.Session)}
	s.look.Show(s.Session, &c, "a value, a person, a table or a reason")
	c.Cover = s.cover()
	if rows.Len() == 0 {
		c.EmptyState = s.state
		return c
	}
	c.Heads = s.table.Heads
	c.DetailBelow, c.DetailSide = s.beneath, s.beside
	return c
}

func (s *Screen) cover() *kit.Coverage {
	c := screen.Cover(s.Session)
	if !s.read {
		return c
	}
	waiting, _ := s.Badge()
	c.Left = []kit.Span{kit.Muted.Of(say.Position(s.list.Number(), s.lines().Len(), false) + " · " +
		phrase.Number(waiting) + " waiting")}
	c.Right = []kit.Span{kit.Muted.Of("kept on the server for 24 h")}
	switch {
	case s.err != nil:
		c.Right = []kit.Span{kit.Warn.Of("reload failed: " + say.Explain(s.err).Why)}
	case len(s.problems) > 0:
		c.Right = []kit.Span{kit.Warn.Of(phrase.Count(len(s.problems), "file") + " ignored: " + s.problems[0].File + ", " +
			s.problems[0].Why)}
	}
	return c
}

// state draws the reason why no plan is listed.
func (s *Screen) state(d *kit.Block) {
	switch {
	case s.err != nil:
		screen.Failed(s.Session, d, s.err)
	case !s.read:
		screen.Skeleton(d)
	case s.look.On():
		screen.NoneFits(s.Session, d, "plans")
	default:
		screen.Nothing(d, "No plan waits.", "A viewer asks for a change on accounts, locks, counters or findings. "+
			"The plan waits here until an operator applies or refuses it, or for 24 hours.")
	}
}

// All implements screen.Filtered.
func (s *Screen) All() bool { return s.look.Clear() }

// Typed implements screen.TextInput.
func (s *Screen) Typed(msg tea.Msg) tea.Cmd {
	if s.look.Typed(msg, &s.list, s.lines()) {
		s.list.Put(0)
	}
	return nil
}

// Typing implements screen.TextInput.
func (s *Screen) Typing() bool { return s.look.Typing() }

// tableOf returns the names of the tables whose rows the plan changes.
func tableOf(e *queue.Entry) string {
	var all []string
	for _, c := range e.Plan.Changes {
		if !slices.Contains(all, c.Table) {
			all = append(all, c.Table)
		}
	}
	return strings.Join(all, ", ")
}
