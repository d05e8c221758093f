package findings

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/mend"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	asks "tallylock/ui/dialog/change"
	"tallylock/ui/dialog/save"
	"tallylock/ui/kit"
	"tallylock/ui/record"
	"tallylock/ui/relation"
	"tallylock/ui/say"
	"tallylock/ui/screen"
	"tallylock/ui/session"
)

// Commands implements screen.Screen.
func (s *Screen) Commands() screen.Commands {
	r := s.run()
	if r == nil {
		r = &run{} // a check without findings
	}
	return slices.Concat(
		screen.Policies(s.Session, whyNone(s, r)), s.running(r), s.selected(r), s.listed(r),
		screen.Commands{relation.UndoLast(s.Session)},
	)
}

// whyNone returns the error that the screen shows in place of findings; nil if there is none.
func whyNone(s *Screen, r *run) error {
	switch {
	case s.run() == nil:
		return s.reading.Unreadable()
	case r.failed() && len(r.all) == 0:
		return r.err
	}
	return nil
}

// running returns the commands for a running check: stop and pause.
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

// selected returns the commands for the finding at the cursor, or for the marked findings.
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
	lines := r.lines()
	to := screen.MarkTo(s.Session, &r.list, lines, func(from, to int) tea.Cmd {
		var rows []*row
		for n := from; n <= to; n++ {
			if g, i := lines.Of(n); i >= 0 && !r.marked[g.rows[i]] {
				rows = append(rows, g.rows[i])
			}
		}
		return markRows(s.Session, r, rows)
	})
	if len(r.marked) == 0 {
		to = screen.MarkFrom(s.Session, x == nil, mark.Why, func() { r.marked[x] = true })
	}
	marks := screen.Commands{s.opening(r), mark, to}
	if len(r.marked) > 0 { // the end of the range is the likeliest command
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

// opening returns the command that opens the finding at the cursor. On a heading, it folds the
// group. Without findings, it checks the table.
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
	case len(r.groups) == 0: // no finding passes the filter
		c.Why = screen.WhyIf(true, "no finding fits: press "+s.Keys.Key(keymap.Back)+" to show all again")
	}
	if s.run() == nil {
		c.Words = "check the table"
	}
	return c
}

// listed returns the commands for the list of findings, such as filter, save and check again.
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
		again.Words = "" // there is no check to repeat
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
		Run:    func() tea.Cmd { return save.Ask(s.Session, r.toSave()) },
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
	return "findings, " + say.Article(kind) + " " + kind
}

// copied describes a finding for copying. x is nil if no finding is selected.
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
			line, err := attr.Line(x.f, "") // the same line as of `check --output jsonl`
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

// command returns the shell command for the value of a finding, or the reason why there is none.
func command(t *dynamo.Table, f finding.Finding) (line, why string) {
	switch {
	case f.Relation != nil:
		return say.Command(t, f.Relation)
	case say.NoCommand(t.Connection()) != "":
		return "", say.NoCommand(t.Connection())
	case f.Counter != "":
		return say.TableCommand(t, []string{"counters"}), ""
	case f.Value != "":
		return say.TableCommand(t, []string{"find"}, f.Value), ""
	}
	return "", "no command is about this alone: `tallylock mend` takes the saved findings"
}

// none returns the reason why commands for a finding do nothing if no finding is selected.
func (r *run) none() string {
	if len(r.groups) > 0 {
		return "select a finding"
	}
	return "no finding is selected"
}

// mostMarked is the maximum number of findings to mend at once here. A person cannot review
// more than that; `tallylock mend` mends any number.
const mostMarked = 100

// whyMark returns the reason why the finding at the cursor, or its group, cannot be marked; empty if it can.
func whyMark(s *session.Session, r *run) string {
	if len(r.groups) == 0 {
		return r.none()
	}
	if x := r.selected(); x != nil && !r.marked[x] {
		return whyMarkOne(s, r, x)
	}
	return ""
}

// whyMarkOne returns the reason why a finding cannot be marked; empty if it can.
func whyMarkOne(s *session.Session, r *run, x *row) string {
	if len(r.marked) >= mostMarked {
		return fmt.Sprintf("%d are mended together at most; `tallylock mend` takes any number from a file", mostMarked)
	}
	return whyMend(s, x)
}

// mark marks the finding at the cursor, or all findings of a group if the cursor is on the
// heading. If all are marked already, it removes their marks.
func mark(s *session.Session, r *run) tea.Cmd {
	lines := r.lines()
	g, n := lines.Of(r.list.Cursor)
	if n < 0 {
		return markRows(s, r, g.rows)
	}
	cmd := markRows(s, r, g.rows[n:n+1])
	if cmd == nil {
		r.list.Move(lines, 1)
	}
	return cmd
}

// markRows marks those of the findings that can be marked. If all are marked already, it removes
// their marks.
func markRows(s *session.Session, r *run, rows []*row) tea.Cmd {
	why, marked := "", 0
	for _, x := range rows {
		if r.marked[x] {
			continue
		}
		if no := whyMarkOne(s, r, x); no != "" {
			why = no
			continue
		}
		r.marked[x] = true
		marked++
	}
	switch {
	case marked == 0 && why != "":
		return s.Say(say.Sentence(why))
	case marked == 0:
		for _, x := range rows {
			delete(r.marked, x)
		}
	}
	return nil
}

// repairs returns the commands that mend a finding, or release its lock. The command to release has a hint
// only if the finding cannot be mended. x is nil if no finding is selected.
func repairs(s *session.Session, r *run, x *row) screen.Commands {
	if x == nil {
		none := r.none()
		all := none
		if len(r.groups) > 0 {
			all += ", or mark all with " + s.Keys.Key(keymap.Mark)
		}
		return screen.Commands{
			{Action: keymap.Mend, Why: screen.WhyIf(true, all)},
			{Action: keymap.Release, Why: screen.WhyIf(true, none)},
		}
	}
	one := func() tea.Cmd { return mendRows(s, r, x) }
	c := screen.Commands{
		{Action: keymap.Mend, Words: "mend", Full: "mend it", Why: func() string { return whyMend(s, x) }, Run: one},
		{Action: keymap.Release, Why: func() string { return whyRelease(s, x) }, Run: one},
	}
	if c[0].Refuses() != "" {
		c[1].Words, c[1].Full = "release", "release the lock"
	}
	return c
}

// mending returns the command that mends all marked findings.
func mending(s *session.Session, r *run) screen.Command {
	marked := phrase.Number(len(r.marked))
	return screen.Command{
		Action: keymap.Mend, Words: "mend " + marked, Full: "mend the " + marked + " marked",
		Why:    func() string { return s.WhyPlan(r.table.Name) },
		Marked: true,
		Run:    func() tea.Cmd { return mendRows(s, r, r.markedRows()...) },
	}
}

// whyNothing returns the reason why a finding needs no change any more; empty if it still does.
func whyNothing(x *row) string {
	if x.done() {
		return "it is " + x.mended.sign.Word
	}
	return ""
}

// whyMend returns the reason why a finding cannot be mended here; empty if it can.
func whyMend(s *session.Session, x *row) string {
	if why := whyNothing(x); why != "" {
		return why
	}
	if why := say.ByHand(x.f); why != "" {
		switch x.f.Kind {
		case finding.DuplicateValue:
			why += ": " + s.Keys.Key(keymap.ChangeValue) + " on accounts"
		case finding.MalformedLock:
			why += "; " + s.Keys.Key(keymap.Release) + " releases the lock"
		}
		return why
	}
	return s.WhyPlan(lockTableOf(x.f), mend.Verbs(x.f.Kind, x.f.Owner)...)
}

// whyRelease returns the reason why the lock of a finding cannot be released here; empty if it can.
func whyRelease(s *session.Session, x *row) string {
	if why := whyNothing(x); why != "" {
		return why
	}
	if x.f.Kind.Rests() != finding.OnAbsence {
		return "only a lock whose value no account uses is released"
	}
	return s.WhyPlan(lockTableOf(x.f), mend.ReleaseVerbs(x.f.Owner)...)
}

// mendRows asks whether to mend findings. The row of each finding then shows the outcome of its change. If a
// person stops the change, its row stays unchanged.
func mendRows(s *session.Session, r *run, rows ...*row) tea.Cmd {
	m := asks.Findings{Table: r.table, After: func(n int, receipt change.Receipt) {
		if say.Stopped(receipt) {
			return
		}
		rows[n].mended = outcomeOf(receipt)
		delete(r.marked, rows[n])
		r.recount()
	}}
	for _, x := range rows {
		m.All = append(m.All, x.f)
	}
	return asks.AskFindings(s, m)
}

// outcome is the outcome of a change that should mend a finding.
type outcome struct {
	sign kit.Sign
	why  string
	done bool // the finding needs no change any more
}

// outcomeOf describes the outcome of a change that should mend a finding.
func outcomeOf(r change.Receipt) *outcome {
	now := &outcome{sign: say.Mended(r), done: r.Outcome == journal.Applied || say.NothingToDo(r)}
	if r.Outcome == journal.Applied {
		now.why = say.Sentence(say.Done(r.Plan, r))
		if r.Plan.Counter != "" { // the counter's name is the first word, and must keep its case
			now.why = say.Done(r.Plan, r) + "."
		}
		now.why += " Receipt " + r.ID + "."
	}
	if why := say.WhyReceipt(r); len(why) > 0 {
		now.why = why[0]
	}
	return now
}

// toSave asks for a file for the marked findings, or else those that
// pass the filter. The file has the summary of the check only if it has all findings.
func (r *run) toSave() save.File {
	return save.List("Save the findings", filepath.Base(r.table.Name)+"-findings.jsonl", func() save.Listed {
		_, left := r.lines().Number(-1)
		l := save.Listed{Of: " of " + r.table.Name, Tail: "`tallylock mend` takes the JSON.", List: r.toList}
		switch {
		case len(r.marked) > 0:
			l.What = phrase.Count(len(r.marked), "marked finding")
		case left < len(r.all):
			l.What = phrase.Number(left) + " of the " + phrase.Count(len(r.all), "finding")
		default:
			l.What = phrase.Count(left, "finding")
		}
		if r.running {
			l.Of = " so far" + l.Of
		}
		return l
	})
}

// toList returns the content of the file.
func (r *run) toList() record.List {
	var all []finding.Finding
	for _, x := range r.all {
		if r.marked[x] || len(r.marked) == 0 && r.wanted(x) {
			all = append(all, x.f)
		}
	}
	var summary *finding.Summary
	if !r.running && len(all) == len(r.all) {
		summary = &r.summary
	}
	return record.Findings(all, summary)
}
