package counters

import (
	"cmp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/counter"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/dialog/change"
	"tallylock/ui/message"
	"tallylock/ui/record"
	"tallylock/ui/relation"
	"tallylock/ui/screen"
	"tallylock/ui/words"
)

// Commands implements screen.Screen.
func (s *Screen) Commands() screen.Commands {
	none := screen.WhyIf(s.Empty(), "no counter has been read")
	pause := screen.Command{Action: keymap.Pause, Full: "pause, go on", Run: s.pause}
	switch {
	case s.Empty(): // it works, but is not what anybody wants to know then
	case s.stopped():
		pause.Words = "go on"
	default:
		pause.Words = "pause"
	}
	var policies screen.Commands
	if s.Empty() {
		policies = screen.Policies(s.Session, s.of[s.On].err)
	}
	return slices.Concat(policies, s.about(), screen.Commands{
		s.everywhere(),
		{Action: keymap.NextProblem, Words: "next problem", Why: none},
		{Action: keymap.PreviousProblem, Why: none},
		pause,
		{Action: keymap.Sort, Words: "sort", Full: "another order", Why: none, Run: s.sort},
		{Action: keymap.Filter, Full: "only rows with letters", Why: none, Run: s.look.Open},
		{Action: keymap.Save, Full: "save the list to a file", Why: none, Run: func() tea.Cmd { return s.Send(toSave(s)) }},
		{Action: keymap.Reload, Full: "read again", Run: func() tea.Cmd { return s.Poll(true) }},
		relation.UndoLast(s.Session),
		{Action: keymap.Release, Why: func() string { return "locks are released on their own screen" }},
	})
}

// about are what can be done with the selected counter.
func (s *Screen) about() screen.Commands {
	row, ok := s.selected()
	none := s.none()
	on := func(why func(counter.Counter) string) func() string {
		return func() string {
			if !ok {
				return none
			}
			return cmp.Or(elsewhere(s.Session, row.Counter), why(row.Counter))
		}
	}
	open := screen.Command{
		Action: keymap.Open,
		Words:  "item",
		Full:   "open the item",
		Why:    screen.WhyIf(!ok, none),
		Run:    func() tea.Cmd { return s.Send(openItem(row.Counter)) },
	}
	if g, _, some := s.at(); s.every && some && (!ok || elsewhere(s.Session, row.Counter) != "") {
		open = s.goThere(g)
	}
	return append(screen.Commands{
		{
			Action: keymap.Bump,
			Words:  "bump",
			Full:   "bump, reserve, raise",
			Why:    on(s.WhyBump),
			Run:    func() tea.Cmd { return change.AskBump(s.Session, row.Counter, row.moving()) },
		},
		{
			Action: keymap.Mend,
			Words:  "mend",
			Full:   "mend it",
			Why:    on(s.WhyMendCounter),
			Run:    func() tea.Cmd { return change.AskMendCounter(s.Session, row.Counter, row.moving()) },
		},
		open,
		{
			Action: keymap.Fold,
			Full:   "fold a connection",
			Why:    screen.WhyIf(!s.every, "there is one connection here"),
			Run:    s.fold,
		},
	}, screen.Copies(s.Session, copied(row, ok, none))...)
}

// none says what to do where no counter is selected, but the heading of a connection.
func (s *Screen) none() string {
	if _, _, some := s.at(); some {
		return "select a counter"
	}
	return "no counter is selected"
}

// copied is what is copied of a counter, if one is selected; none says why not.
func copied(row row, ok bool, none string) screen.Selected {
	if !ok {
		return screen.Selected{None: none}
	}
	return screen.Selected{
		Cell:  screen.Form{Hint: "copy", Words: "the value", Text: screen.Plain(row.Value)},
		Whole: screen.JSON("the item", row.Item),
		Key:   func() (attr.Key, string) { return row.Key, "" },
		Command: func() (string, string) { // lists the table's counters
			if why := words.NoCommand(row.Open().Connection()); why != "" {
				return "", why
			}
			return words.TableCommand(row.Open(), []string{"counters"}), ""
		},
	}
}

// openItem shows the item of a counter, as the counter where it is no sum of several.
func openItem(c counter.Counter) message.OpenItem {
	m := message.OpenItem{Owner: c.Open(), Table: c.Table, Key: c.Key}
	if c.Shards == 0 {
		m.Counter = &c
	}
	return m
}

// sort puts the counters in the next order, with the cursor on the first.
func (s *shown) sort() tea.Cmd {
	s.order = (s.order + 1) % orders
	for _, k := range s.of {
		s.order.sort(k.all)
	}
	s.narrow()
	s.cursor.Put(0)
	return nil
}

// toSave asks for the file that the counters are saved to, as they were read last.
func toSave(s *Screen) message.Save {
	return message.SaveList("Save the counters", "counters.csv", func() message.Listed {
		var all []counter.Counter
		var read []string
		for _, g := range s.groups {
			for _, row := range g.rows {
				all = append(all, row.Counter)
			}
			if at := words.Clock(g.readAt); s.every && len(g.rows) > 0 {
				read = append(read, "of "+g.name(s.Session)+" at "+at)
			} else if !s.every {
				read = []string{"at " + at}
			}
		}
		return message.Listed{
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
