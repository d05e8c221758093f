package ui

import (
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/check"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/screen"
	"tallylock/ui/task"
	"tallylock/ui/words"
)

// findingsScreen is the check of the open table: what it would cost, how it goes,
// and what it finds. A check goes on while something else is looked at, and what
// it found stays until the table is checked again.
type findingsScreen struct {
	app  *app
	runs map[runPlace]*checkRun
}

// runPlace is the table that a check is of.
type runPlace struct {
	conn  int
	table string
}

func (s *findingsScreen) place() runPlace { return runPlace{s.app.On, s.app.Table.Name} }

// run is the check of the open table; nil where there was none.
func (s *findingsScreen) run() *checkRun {
	if s.app.Table == nil {
		return nil
	}
	return s.runs[s.place()]
}

// elsewhere is the check of another table that is under way; nil for none.
func (s *findingsScreen) elsewhere() *checkRun {
	for at, r := range s.runs {
		if r.running && at != s.place() {
			return r
		}
	}
	return nil
}

// enter comes to the screen: a check that costs no more than a question may by
// itself begins at once.
func (s *findingsScreen) enter() tea.Cmd {
	t := s.app.Table
	if s.run() != nil || s.elsewhere() != nil || t.Layout.Empty() {
		return nil
	}
	if cost := check.Estimate(t, s.app.Options.Check); cost.Uncounted || cost.Units() > t.Connection().AutoReadUnits() {
		return nil
	}
	return s.start(false)
}

// stop ends the check that is under way; what it found stays. It is nil where
// there is nothing to stop.
func (s *findingsScreen) stop() tea.Cmd {
	for _, r := range s.runs {
		if r.running && !r.stopping {
			r.stopping = true
			s.app.Tasks.Cancel(task.Checking)
			return s.app.Say("Stopped. What was found stays.")
		}
	}
	return nil
}

// back takes back one thing after the other: the filter, the marks, the check.
func (s *findingsScreen) back() tea.Cmd {
	r := s.run()
	switch {
	case r == nil:
	case r.field.Value() != "":
		r.field = kit.NewField("")
		r.filter()
	case len(r.marked) > 0:
		clear(r.marked)
	case r.running:
		return s.stop()
	}
	return nil
}

func (s *findingsScreen) Content() screen.Content {
	a, r := s.app, s.run()
	if r == nil {
		return screen.Content{List: &kit.List{}, Rows: findingList{}, Instead: s.before, Cover: &kit.Coverage{Part: 1, Working: -1, Right: []kit.Span{kit.Muted.Of("nothing was read for this")}}, Hints: s.hints()}
	}
	rows := r.lines(a.ListWidth())
	c := screen.Content{List: &r.list, Rows: rows, Depth: 4, Hints: s.hints(), Blurred: r.typing, Cover: s.cover(r)}
	if r.typing || r.field.Value() != "" {
		top, end := a.Question(&r.field, r.typing, "a value, an account, a counter or a kind")
		c.Top = &screen.Heading{Line: top, From: 1, To: end}
	}
	c.Above = func(d *kit.Block) { a.runAbove(d, r) }
	c.Heads = func(l *kit.Line) {
		cols := findingColumnsOf(l.Width)
		kit.Heads(l, kit.Cell{Column: 2, Text: "FINDING"}, kit.Cell{Column: cols.value, Text: "VALUE"}, kit.Cell{Column: cols.who, Text: "ACCOUNT"}, kit.Cell{Column: cols.sure, Text: "SURE"})
	}
	row := r.selected()
	c.Beneath = func(d *kit.Block) { a.findingBeneath(d, r, row) }
	if a.Size.Wide() {
		c.Beside = func(d *kit.Block) { a.findingBeside(d, r, row) }
	}
	if rows.Len() == 0 {
		c.Instead, c.Heads, c.Beneath, c.Beside = func(d *kit.Block) { s.nothing(d, r) }, nil, nil, nil
		if r.failed() {
			c.Above = nil // the error says it all
		}
	}
	return c
}

// cover is the completeness line.
func (s *findingsScreen) cover(r *checkRun) *kit.Coverage {
	c := &kit.Coverage{Part: 1, Working: -1}
	at, of := r.lines(80).place(r.list.Cursor)
	if r.list.Lost {
		at = 0
	}
	c.Left = []kit.Span{kit.Muted.Of(words.Position(at, of, r.running && of > 0))}
	if of < len(r.all) {
		c.Left = append(c.Left, kit.Muted.Of(", "+phrase.Count(len(r.all), "finding")+" in all"))
	}
	if n := len(r.marked); n > 0 {
		c.Left = append(c.Left, kit.Muted.Of(" · "), kit.Accent.Of(phrase.Group(strconv.Itoa(n))+" marked"))
	}
	when := r.ended.Local().Format("15:04")
	switch {
	case r.running:
		c.Right = []kit.Span{kit.Muted.Of("nothing has been written")}
	case !r.summary.Complete:
		c.Right = []kit.Span{kit.Warn.Of("incomplete"), kit.Muted.Of(", as of " + when)}
	case r.summary.Unsettled > 0:
		c.Right = []kit.Span{kit.Muted.Of("whole table · "), kit.Warn.Of(phrase.Count(r.summary.Unsettled, "value") + " not judged"), kit.Muted.Of(", as of " + when)}
	case r.summary.Confirmed:
		c.Right = []kit.Span{kit.Muted.Of("whole table · "), kit.Good.Of(kit.GlyphYes), kit.Muted.Of(" confirmed " + when)}
	default:
		c.Right = []kit.Span{kit.Muted.Of("whole table · read " + when)}
	}
	return c
}

func (s *findingsScreen) hints() []kit.Hint {
	a, r := s.app, s.run()
	switch {
	case r == nil && s.Why(keymap.Open) == "":
		return []kit.Hint{a.Hint(keymap.Open, "check the table")}
	case r == nil:
		return nil
	case r.typing:
		return []kit.Hint{{Key: "enter", Words: "done"}, {Key: "ctrl+u", Words: "clear"}, {Key: "esc", Words: "show all"}}
	}
	var h []kit.Hint
	if r.running {
		h = append(h, a.Hint(keymap.Stop, "stop, keep what was found"), a.Hint(keymap.Pause, "pause"))
		if r.paused() {
			h = []kit.Hint{a.Hint(keymap.Pause, "read on"), a.Hint(keymap.Stop, "stop, keep what was found")}
		}
	}
	if s.Why(keymap.Mend) == "" {
		h = append(h, a.Hint(keymap.Mend, s.mendHint(r)))
	} else if s.Why(keymap.Release) == "" {
		h = append(h, a.Hint(keymap.Release, "release"))
	}
	if len(r.groups) > 0 {
		h = append(h, a.Hint(keymap.Open, "open"))
	}
	if r.selected() != nil && s.Why(keymap.Mark) == "" {
		h = append(h, a.Hint(keymap.Mark, "mark"))
	}
	if len(r.all) > 0 {
		h = append(h, a.Hint(keymap.Find, "filter"), a.Hint(keymap.Fold, "fold"))
	}
	if r.selected() != nil {
		h = append(h, a.Hint(keymap.Copy, "copy"))
	}
	if s.Why(keymap.Save) == "" {
		h = append(h, a.Hint(keymap.Save, "save"))
	}
	if !r.running {
		h = append(h, a.Hint(keymap.Reload, "check again"))
	}
	return h
}

// mendHint says what would be mended.
func (s *findingsScreen) mendHint(r *checkRun) string {
	if n := len(r.marked); n > 0 {
		return "mend " + phrase.Group(strconv.Itoa(n))
	}
	return "mend"
}

func (s *findingsScreen) About() string {
	r := s.run()
	if r == nil || r.selected() == nil {
		return "findings"
	}
	f := r.selected().f
	kind := string(f.Kind)
	return "findings, " + words.Article(kind) + " " + kind
}

func (s *findingsScreen) Why(action keymap.Action) string {
	a, r := s.app, s.run()
	switch action {
	case keymap.Reload:
		switch {
		case r != nil && r.running:
			return "it is being checked"
		case a.Table != nil && a.Table.Layout.Empty():
			return "no layout tells what to check it by"
		}
		return ""
	case keymap.Open:
		if r == nil || len(r.groups) == 0 {
			return s.Why(keymap.Reload)
		}
		return ""
	case keymap.Stop, keymap.Pause:
		if r == nil || !r.running {
			return "no check is under way"
		}
		return ""
	case keymap.Find, keymap.NextProblem, keymap.PreviousProblem, keymap.Fold, keymap.Save:
		if r == nil || len(r.all) == 0 {
			return "nothing was found yet"
		}
		return ""
	case keymap.Copy, keymap.CopyItem, keymap.OtherSide:
		if r == nil || r.selected() == nil {
			return "no finding is selected"
		}
		if action == keymap.OtherSide {
			return "its items stand side by side: " + a.Keys.Key(keymap.Open)
		}
		return ""
	case keymap.Mend:
		if r != nil && len(r.marked) > 0 {
			return a.WhyWrite(r.table.Name)
		}
		if r == nil {
			return "no finding is selected"
		}
		return a.whyMendFinding(r.selected())
	case keymap.Mark:
		if r == nil || len(r.groups) == 0 {
			return "no finding is selected"
		}
		if row := r.selected(); row != nil && !r.marked[row] {
			return a.whyMarkFinding(r, row)
		}
		return ""
	case keymap.Release:
		if r == nil {
			return "no finding is selected"
		}
		return a.whyReleaseFinding(r.selected())
	case keymap.Bump:
		return "findings are mended"
	}
	return "not on findings"
}

func (s *findingsScreen) Act(action keymap.Action) tea.Cmd {
	a, r := s.app, s.run()
	if action == keymap.Reload || r == nil && action == keymap.Open {
		return s.start(true)
	}
	if r == nil {
		return nil
	}
	row := r.selected()
	switch action {
	case keymap.Stop:
		return s.stop()
	case keymap.Pause:
		r.pause()
	case keymap.Find:
		r.typing = true
	case keymap.Fold:
		r.fold()
	case keymap.Open:
		switch {
		case row != nil:
			return a.openFinding(r, row)
		case len(r.groups) > 0:
			r.fold()
		case !r.running:
			return s.start(true)
		}
	case keymap.Mend:
		if len(r.marked) > 0 {
			return a.askMendMarked(r)
		}
		return a.askMendFinding(r, row)
	case keymap.Release:
		return a.askMendFinding(r, row)
	case keymap.Mark:
		return s.mark(r)
	case keymap.Copy:
		return a.Copy("this finding in words", findingInWords(row.f))
	case keymap.CopyItem:
		return a.copyFinding(row.f)
	case keymap.Save:
		return s.askSave(r)
	}
	return nil
}

// typed takes a key of the field in.
func (s *findingsScreen) Typed(msg tea.Msg) tea.Cmd {
	r := s.run()
	if key, ok := msg.(tea.KeyPressMsg); ok {
		switch key.String() {
		case "enter":
			r.typing = false
			return nil
		case "esc":
			r.typing, r.field = false, kit.NewField("")
			r.filter()
			return nil
		case "up":
			r.list.Move(r.lines(80), -1)
			return nil
		case "down":
			r.list.Move(r.lines(80), 1)
			return nil
		}
	}
	if r.field.Update(msg) {
		r.filter()
	}
	return nil
}

// confirmed is what the tab's name ends in: how many findings are confirmed.
func (s *findingsScreen) confirmed() string {
	if r := s.run(); r != nil && r.sure > 0 {
		return " (" + phrase.Group(strconv.Itoa(r.sure)) + ")"
	}
	return ""
}

// Typing implements screen.Typist.
func (s *findingsScreen) Typing() bool {
	r := s.run()
	return r != nil && r.typing
}

// checkedLast is what the last check of a table of the connection has summed up, and when
// it ended.
func (a *app) checkedLast(table string) (*check.Summary, time.Time) {
	r := a.findings.runs[runPlace{a.On, table}]
	if r == nil || r.running {
		return nil, time.Time{}
	}
	return &r.summary, r.ended
}
