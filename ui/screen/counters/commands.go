package counters

import (
	"cmp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/counter"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/dialog/change"
	"tallylock/ui/dialog/save"
	"tallylock/ui/message"
	"tallylock/ui/record"
	"tallylock/ui/say"
	"tallylock/ui/screen"
)

// Commands implements screen.Screen.
func (s *Screen) Commands() screen.Commands {
	none := screen.WhyIf(s.empty(), "no counter has been read")
	pause := screen.Command{Action: keymap.Pause, Full: "pause, go on", Run: s.pause}
	switch {
	case s.empty(): // pausing works, but an empty list needs no hint for it
	case s.stopped():
		pause.Words = "go on"
	default:
		pause.Words = "pause"
	}
	var policies screen.Commands
	if s.empty() {
		policies = screen.Policies(s.Session, s.open().err)
	}
	return slices.Concat(policies, s.about(), screen.Commands{s.everywhere()}, s.look.Commands(none), screen.Commands{
		{Action: keymap.NextProblem, Words: "next problem", Why: none},
		{Action: keymap.PreviousProblem, Why: none},
		pause,
		{Action: keymap.Sort, Words: "sort", Full: "another order", Why: none, Run: s.sort},
		{
			Action: keymap.Save,
			Full:   "save the list to a file",
			Why:    func() string { return cmp.Or(s.WhyNoFiles(), none()) },
			Run:    func() tea.Cmd { return save.Ask(s.Session, toSave(s)) },
		},
		{Action: keymap.Reload, Full: "read again", Run: func() tea.Cmd { return s.pollNow(true) }},
		change.UndoLast(s.Session),
		{Action: keymap.Release, Why: func() string { return "locks are released on their own screen" }},
	})
}

// about returns the commands for the selected counter.
func (s *Screen) about() screen.Commands {
	row, ok := s.selected()
	none := s.none()
	not := none
	if ok {
		not = elsewhere(s.Session, row.Counter)
	}
	open := screen.Command{
		Action: keymap.Open,
		Words:  "item",
		Full:   "open the item",
		Why:    screen.WhyIf(!ok, none),
		Run:    func() tea.Cmd { return s.Send(openItem(row.Counter)) },
	}
	if g, _, some := s.at(); s.every && some && not != "" {
		open = s.goThere(g)
	}
	return slices.Concat(change.CounterRepairs(s.Session, row.Counter, row.moving(), not), screen.Commands{
		open,
		s.checkIDs(row, cmp.Or(not, row.whyNoCheck())),
		{
			Action: keymap.Fold,
			Full:   "fold a connection",
			Why:    screen.WhyIf(!s.every, "only one connection is shown"),
			Run:    s.fold,
		},
	}, screen.Copies(s.Session, copied(row, ok, none)))
}

// checkIDs returns the command that checks the table of a counter whose ids were not read. The check shows its price
// before it reads more than the limit of automatic reads. why is the reason why there is nothing to check.
func (s *Screen) checkIDs(r row, why string) screen.Command {
	return screen.Command{
		Action: keymap.CheckIDs, Words: "check ids", Full: "check its ids", Why: screen.WhyIf(why != "", why),
		Run: func() tea.Cmd {
			return s.Send(message.Place{On: s.On, Table: r.Open(), Tab: keymap.Findings})
		},
	}
}

// whyNoCheck returns the reason why no check is needed to compare a counter with its ids; empty if a check is needed.
func (r *row) whyNoCheck() string {
	switch {
	case r.Layout == nil || r.Semantics == layout.Tally:
		return "it hands out no ids"
	case r.Layout.Resets != "":
		return "it is reset " + r.Layout.Resets + ", so ids above it are normal"
	case len(r.Layout.IDs) == 0:
		return "the layout does not say where its ids are"
	case r.IDsChecked:
		return "its ids are already checked"
	}
	return ""
}

// none returns the reason why commands for a counter do nothing if no counter is selected.
func (s *Screen) none() string {
	if _, _, some := s.at(); some {
		return "select a counter"
	}
	return "no counter is selected"
}

// copied describes the selected counter for copying. ok is false if no counter is selected; none is then the
// reason why nothing can be copied.
func copied(row row, ok bool, none string) screen.Selected {
	if !ok {
		return screen.Selected{None: none}
	}
	return screen.Selected{
		Cell:  screen.Form{Hint: "copy", Words: "the value", Text: screen.Plain(row.Value)},
		Whole: screen.JSON("the item", row.Item),
		Key:   func() (attr.Key, string) { return row.Key, "" },
		Command: func() (string, string) { // lists the table's counters
			if why := say.NoCommand(row.Open().Connection()); why != "" {
				return "", why
			}
			return say.TableCommand(row.Open(), []string{"counters"}), ""
		},
	}
}

// openItem returns the message that shows the item of a counter. The item is opened as a counter, unless the
// counter is the sum of several items.
func openItem(c counter.Counter) screen.Item {
	m := screen.Item{Owner: c.Open(), Table: c.Table, Key: c.Key}
	if c.Shards == 0 {
		m.Counter = &c
	}
	return m
}

// sort switches to the next order. The cursor stays on its counter.
func (s *Screen) sort() tea.Cmd {
	s.cursor.Hold(s.list())
	s.order = (s.order + 1) % orders
	for _, k := range s.of {
		s.order.sort(k.all)
	}
	s.fill()
	s.cursor.Follow(s.list())
	return nil
}

// toSave asks for a file for the listed counters, as read last.
func toSave(s *Screen) save.File {
	return save.List("Save the counters", "counters.csv", func() save.Listed {
		var all []counter.Counter
		var read []string
		for _, g := range s.groups {
			for _, row := range g.rows {
				all = append(all, row.Counter)
			}
			if at := phrase.Clock(g.readAt); s.every && len(g.rows) > 0 {
				read = append(read, "of "+g.name(s.Session)+" at "+at)
			} else if !s.every {
				read = []string{"at " + at}
			}
		}
		return save.Listed{
			What: phrase.Count(len(all), "counter"),
			Of:   ", as read " + strings.Join(read, ", "),
			List: func() record.List {
				return record.Counters(all, s.every)
			},
		}
	})
}

// About implements screen.Screen.
func (s *Screen) About() string {
	if row, ok := s.selected(); ok {
		return "counters, " + row.Name
	}
	return "counters"
}
