package findings

import (
	"cmp"
	"slices"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/check"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/relation"
	"tallylock/ui/screen"
	"tallylock/ui/words"
)

// Commands implements screen.Screen.
func (s *Screen) Commands() screen.Commands {
	r := s.run()
	if r == nil {
		r = &run{} // that has found nothing
	}
	return slices.Concat(
		screen.Policies(s.Session, whyNone(s, r)), s.running(r), s.selected(r), s.listed(r),
		screen.Commands{relation.UndoLast(s.Session)},
	)
}

// whyNone is the error that stands in place of findings.
func whyNone(s *Screen, r *run) error {
	switch {
	case s.run() == nil:
		return s.unread()
	case r.failed() && len(r.all) == 0:
		return r.err
	}
	return nil
}

// running are what can be done with a check that is under way.
func (s *Screen) running(r *run) screen.Commands {
	why := func() string {
		if !r.running {
			return "no check is under way"
		}
		return ""
	}
	stop := screen.Command{
		Action: keymap.Stop,
		Words:  "stop, keep what was found",
		Full:   "stop, keep findings",
		Why:    why,
		Run:    s.Stop,
	}
	pause := screen.Command{Action: keymap.Pause, Words: "pause", Why: why, Run: r.pause}
	if r.paused() {
		pause.Words = "read on"
		return screen.Commands{pause, stop}
	}
	return screen.Commands{stop, pause}
}

// selected are what can be done with the finding at the cursor, or those that are marked.
func (s *Screen) selected(r *run) screen.Commands {
	x := r.selected()
	mark := screen.Command{
		Action: keymap.Mark,
		Full:   "mark all of this kind",
		Why:    func() string { return whyMark(s.Session, r) },
		Run:    func() tea.Cmd { return mark(s.Session, r) },
		With:   []keymap.Action{keymap.MarkTo},
		Both:   "mark, all up to here",
	}
	if x != nil {
		mark.Words, mark.Full = "mark", "mark to mend"
	}
	mend := repairs(s.Session, r, x)
	if len(r.marked) > 0 {
		mend[0] = mending(s.Session, r)
	}
	to := screen.Command{
		Action: keymap.MarkTo,
		Words:  "mark to here",
		Full:   "mark all up to here",
		Run:    func() tea.Cmd { return markTo(s.Session, r) },
	}
	if len(r.marked) == 0 {
		to = screen.MarkFrom(s.Session, x == nil, mark.Why, func() { r.marked[x] = true })
	}
	marks := screen.Commands{s.opening(r), mark, to}
	if len(r.marked) > 0 { // the range's end first
		marks = screen.Commands{to, s.opening(r), mark}
	}
	return slices.Concat(
		mend, marks,
		screen.Copies(s.Session, copied(r, x)),
		screen.Commands{{Action: keymap.OtherSide, Why: func() string {
			if x == nil {
				return r.none()
			}
			return "press " + s.Keys.Key(keymap.Open) + " to see its items side by side"
		}}},
	)
}

// opening opens the finding at the cursor, or folds its group. Where nothing was found it
// checks the table.
func (s *Screen) opening(r *run) screen.Command {
	c := screen.Command{Action: keymap.Open, Words: "open", Full: "open or fold the group", Run: r.fold}
	if x := r.selected(); x != nil {
		c.Full, c.Run = "see its items now", func() tea.Cmd { return open(s.Session, r, x) }
		if len(itemsOf(r.table, x.f)) == 1 {
			c.Full = "see the item now"
		}
	}
	switch {
	case len(r.all) == 0:
		c.Words, c.Full, c.Why, c.Run = "", "", s.whyCheck, s.check
		if !s.offers() {
			c.Why = func() string { return cmp.Or(s.whyCheck(), "press "+s.Keys.Key(keymap.Reload)+" to check again") }
		}
	case len(r.groups) == 0: // only the filter leaves none
		c.Why = screen.WhyIf(true, "no finding fits: press "+s.Keys.Key(keymap.Back)+" to show all again")
	}
	if s.run() == nil {
		c.Words = "check the table"
	}
	return c
}

// listed are what can be done with all findings, and with their list.
func (s *Screen) listed(r *run) screen.Commands {
	why := func() string {
		if len(r.all) == 0 {
			return "nothing was found yet"
		}
		return ""
	}
	again := screen.Command{
		Action: keymap.Reload,
		Words:  "check again",
		Full:   "check the table again",
		Why:    s.whyCheck,
		Run:    s.again,
	}
	if s.run() == nil {
		again.Words = "" // for the first time
	}
	none := func() string {
		if len(r.all) > 0 && len(r.groups) == 0 {
			return "no finding fits"
		}
		return why()
	}
	save := screen.Command{
		Action: keymap.Save,
		Words:  "save",
		Full:   "save all to a file",
		Why:    none,
		Run:    func() tea.Cmd { return s.Send(r.toSave()) },
	}
	switch {
	case len(r.marked) > 0:
		save.Full, save.Why = "save the marked", why
	case r.look.On():
		save.Full = "save these to a file"
	}
	return screen.Commands{
		{Action: keymap.Filter, Words: "filter", Full: "only rows with letters", Why: why, Run: r.look.Open},
		{Action: keymap.Fold, Words: "fold", Full: "fold a group", Why: none, Run: r.fold},
		save,
		again,
		{Action: keymap.Sort, Why: screen.WhyIf(true, "sorted by kind and value")},
		{Action: keymap.NextProblem, Why: why},
		{Action: keymap.PreviousProblem, Why: why},
	}
}

func (s *Screen) hints() []kit.Hint {
	if s.Typing() {
		return s.run().look.Hints()
	}
	return s.Commands().Hints(s.Session)
}

// About implements screen.Screen.
func (s *Screen) About() string {
	r := s.run()
	if r == nil || r.selected() == nil {
		return "findings"
	}
	kind := string(r.selected().f.Kind)
	return "findings, " + words.Article(kind) + " " + kind
}

// copied is what is copied of a finding, which may be nil.
func copied(r *run, x *row) screen.Selected {
	if x == nil {
		return screen.Selected{None: r.none()}
	}
	t := r.table
	return screen.Selected{
		Cell: screen.Form{
			Hint:  "copy",
			Words: "it in words",
			Name:  "this finding in words",
			Text:  func() (string, error) { return inWords(x.f), nil },
		},
		Whole: screen.Form{Words: "it as JSON", Name: "the finding as JSON", Text: func() (string, error) {
			line, err := attr.Line(x.f, "") // as `check --output jsonl` writes it
			return string(line), err
		}},
		Key: func() (attr.Key, string) {
			if items := itemsOf(t, x.f); len(items) > 0 {
				return items[0].key, ""
			}
			return attr.Key{}, "no item is named by this finding"
		},
		Command: func() (string, string) { return command(t, x.f) },
	}
}

// command is the command about the value of a finding, or why there is none.
func command(t *dynamo.Table, f check.Finding) (line, why string) {
	switch {
	case f.Relation != nil:
		return words.Command(t, f.Relation)
	case words.NoCommand(t.Connection()) != "":
		return "", words.NoCommand(t.Connection())
	case f.Counter != "":
		return t.Command([]string{"counters"}), ""
	case f.Value != "":
		return t.Command([]string{"find"}, f.Value), ""
	}
	return "", "no command is about this alone: `tallylock mend` takes the saved findings"
}

// none says what to do where no finding is selected, but the head of a group.
func (r *run) none() string {
	if len(r.groups) > 0 {
		return "select a finding"
	}
	return "no finding is selected"
}
