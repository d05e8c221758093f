package findings

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/change"
	"tallylock/dynamo/change/mend"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	asks "tallylock/ui/dialog/change"
	"tallylock/ui/dialog/save"
	"tallylock/ui/record"
	"tallylock/ui/say"
	"tallylock/ui/screen"
)

// Commands implements screen.Screen.
func (s *Screen) Commands() screen.Commands {
	r := s.run()
	var err error // the error that the screen shows in place of findings
	switch {
	case !r.begun():
		err = s.reading.Unreadable()
	case r.failed():
		err = r.err
	}
	return slices.Concat(screen.Policies(s.Session, err), s.running(r), s.selected(r), s.listed(r),
		screen.Commands{asks.UndoLast(s.Session)})
}

// running returns the commands for a running check: stop and pause.
func (s *Screen) running(r *run) screen.Commands {
	why := screen.WhyIf(!r.running, "no check is under way")
	stop := screen.Command{Action: keymap.Stop, Words: "stop, keep what was found", Why: why, Run: s.Stop}
	stop.Full = "stop, keep findings"
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
	repairs, open := r.repairs(x), s.opening(r)
	mark, to := r.marking(x)
	rows := screen.Commands{open, mark, to}
	if n := len(r.marked); n > 0 {
		repairs.Change(keymap.Mend, func(c *screen.Command) {
			*c = screen.Command{
				Action: keymap.Mend, Words: "mend " + phrase.Number(n), Full: "mend the " + phrase.Number(n) + " marked",
				Marked: true, Why: func() string { return s.WhyPlan(r.table.Name) },
				Run: func() tea.Cmd { return r.mend(r.markedRows()...) },
			}
		})
		// The likeliest next command marks the end of the range.
		rows = screen.Commands{to, open, mark}
	}
	other := r.none()
	if x != nil {
		other = "press " + s.Keys.Key(keymap.Open) + " to see its items side by side"
	}
	return slices.Concat(repairs, rows, screen.Copies(s.Session, r.copied(x)),
		screen.Commands{{Action: keymap.OtherSide, Why: screen.WhyIf(true, other)}})
}

// opening returns the command that opens the finding at the cursor. On a heading, it folds the
// group. Without findings, it checks the table.
func (s *Screen) opening(r *run) screen.Command {
	c := screen.Command{Action: keymap.Open, Words: "open", Full: "open or fold the group", Run: r.fold}
	x := r.selected()
	if x != nil {
		c.Full, c.Run = "see its items now", func() tea.Cmd { return r.open(x) }
		if len(say.FindingItems(r.table, x.f)) == 1 {
			c.Full = "see the item now"
		}
	}
	switch {
	case x != nil:
	case len(r.all)+len(r.suspects) == 0:
		c.Words, c.Full, c.Why, c.Run = "", "", s.whyCheck, s.check
		if !r.begun() {
			c.Words = "check the table"
		}
		if !r.offers() {
			c.Why = func() string { return cmp.Or(s.whyCheck(), "press "+s.Keys.Key(keymap.Reload)+" to check again") }
		}
	case len(r.groups) == 0: // no finding passes the filter
		c.Why = screen.WhyIf(true, "no matching finding: press "+s.Keys.Key(keymap.Back)+" to show all again")
	}
	return c
}

// listed returns the commands for all findings, such as filter, save and check again.
func (s *Screen) listed(r *run) screen.Commands {
	nothing, none := "", ""
	switch {
	case len(r.all)+len(r.suspects) == 0:
		nothing = "there are no findings"
		none = nothing
	case len(r.groups) == 0:
		none = "no matching finding"
	}
	whyAll, why := screen.WhyIf(true, nothing), screen.WhyIf(true, none)
	save := screen.Command{Action: keymap.Save, Words: "save", Full: "save all to a file", Why: why, Run: r.save}
	switch {
	case s.WhyNoFiles() != "":
		save.Why = s.WhyNoFiles
	case len(r.all) == 0:
		save.Why = screen.WhyIf(true, "there are no findings")
	case len(r.marked) > 0:
		save.Full, save.Why = "save the marked findings", whyAll
	case r.filter.On():
		save.Full = "save these to a file"
	}
	again := screen.Command{Action: keymap.Reload, Full: "check the table again", Why: s.whyCheck, Run: s.again}
	if r.begun() {
		again.Words = "check again"
	}
	return screen.Commands{
		{Action: keymap.Filter, Words: "filter", Full: "filter rows", Why: whyAll, Run: r.filter.Open},
		{Action: keymap.Fold, Words: "fold", Full: "fold a group", Why: why, Run: r.fold},
		save,
		again,
		{Action: keymap.Sort, Why: screen.WhyIf(true, "sorted by kind and value")},
		{Action: keymap.NextProblem, Why: whyAll},
		{Action: keymap.PreviousProblem, Why: whyAll},
	}
}

// none returns the reason why commands for a finding do nothing if no finding is selected.
func (r *run) none() string {
	if len(r.groups) > 0 {
		return "select a finding"
	}
	return "no finding is selected"
}

// copied describes a finding for copying. x is nil if no finding is selected.
func (r *run) copied(x *row) screen.Selected {
	switch {
	case x == nil:
		return screen.Selected{None: r.none()}
	case x.suspect:
		return screen.Selected{None: whySuspect}
	}
	return screen.Selected{
		Cell: screen.Form{
			Hint:  "copy",
			Words: "the finding in words",
			Name:  "this finding in words",
			Text:  screen.Plain(say.FindingInWords(x.f)),
		},
		Whole: screen.Form{Words: "it as JSON", Name: "the finding as JSON", Text: func() (string, error) {
			line, err := attr.Line(x.f, "") // the same line as of `check --output jsonl`
			return string(line), err
		}},
		Key: func() (attr.Key, string) {
			if items := say.FindingItems(r.table, x.f); len(items) > 0 {
				return items[0].Key, ""
			}
			return attr.Key{}, "this finding names no item"
		},
		Command: func() (string, string) { return say.FindingCommand(r.table, x.f) },
	}
}

// mostMarked is the maximum number of findings to mend at once here. A person cannot review
// more than that; `tallylock mend` mends any number.
const mostMarked = 100

// marking returns the commands that mark findings, in order to mend several together. x is nil if no
// finding is selected.
func (r *run) marking(x *row) (mark, to screen.Command) {
	lines := r.lines()
	one := screen.Command{Words: "mark", Full: "mark to mend", Why: func() string { return r.whyMark(x) }}
	var group []*row
	if g, _ := lines.Of(r.list.Cursor); x == nil && !r.list.Lost {
		group = g.rows
		one.Words, one.Full, one.Why = "", "mark all of this kind", func() string { return r.whyMark(group...) }
	}
	return screen.Marking[*row]{
		Session: r.Session, List: &r.list, Lines: lines, Row: lines.row, Group: group, Any: len(r.marked) > 0,
		Has: func(x *row) bool { return r.marked[x] }, Why: func(x *row) string { return r.whyMark(x) },
		Toggle: func(x *row) {
			if r.marked[x] {
				delete(r.marked, x)
			} else {
				r.marked[x] = true
			}
		},
		Noun: "finding", Done: "mended",
	}.Commands(one)
}

// whyMark returns the reason why none of the findings can be marked; empty if one of them can be marked, or is marked
// already.
func (r *run) whyMark(rows ...*row) string {
	why := r.none()
	for _, x := range rows {
		switch {
		case x != nil && r.marked[x]:
			return ""
		case len(r.marked) >= mostMarked:
			why = fmt.Sprintf("at most %d can be mended together; `tallylock mend` takes any number from a file", mostMarked)
		default:
			why = r.whyMend(x)
		}
		if why == "" {
			break
		}
	}
	return why
}

// repairs returns the commands that mend a finding, or release its lock. The command to release has a hint
// only if the finding cannot be mended. x is nil if no finding is selected.
func (r *run) repairs(x *row) screen.Commands {
	one := func() tea.Cmd { return r.mend(x) }
	mend := screen.Command{
		Action: keymap.Mend, Words: "mend", Full: "mend it", Why: func() string { return r.whyMend(x) }, Run: one,
	}
	release := screen.Command{Action: keymap.Release, Why: func() string { return r.whyRelease(x) }, Run: one}
	if mend.Refuses() != "" {
		release.Words, release.Full = "release", "release the lock"
	}
	return screen.Commands{mend, release}
}

// whyUnneeded returns the reason why there is nothing to change: no finding is selected, or it needs no change any
// more. It is empty if a finding needs a change.
func (r *run) whyUnneeded(x *row) string {
	switch {
	case x == nil:
		return r.none()
	case x.done():
		return "it is " + say.Mended(*x.mended).Word
	case x.suspect:
		return whySuspect
	}
	return ""
}

// whyMend returns the reason why a finding cannot be mended here; empty if it can.
func (r *run) whyMend(x *row) string {
	if why := r.whyUnneeded(x); why != "" {
		if x == nil && len(r.groups) > 0 {
			why += ", or mark all with " + r.Keys.Key(keymap.Mark)
		}
		return why
	}
	switch why := say.ByHand(x.f); {
	case x.f.Kind == finding.DuplicateValue:
		return why + ": " + r.Keys.Key(keymap.ChangeValue) + " on accounts"
	case x.f.Kind == finding.MalformedLock:
		return why + "; " + r.Keys.Key(keymap.Release) + " releases the lock"
	case why != "":
		return why
	}
	return r.WhyPlan(cmp.Or(x.f.LockTable, x.f.Table), mend.Verbs(x.f.Kind, x.f.Owner)...)
}

// whyRelease returns the reason why the lock of a finding cannot be released here; empty if it can.
func (r *run) whyRelease(x *row) string {
	switch why := r.whyUnneeded(x); {
	case why != "":
		return why
	case !x.f.Kind.OnAbsence():
		return "you can release only a lock that no account uses"
	}
	return r.WhyPlan(cmp.Or(x.f.LockTable, x.f.Table), mend.ReleaseVerbs(x.f.Owner)...)
}

// mend asks whether to mend findings. The row of each finding then shows the outcome of its change. If a
// person stops the change, its row stays unchanged.
func (r *run) mend(rows ...*row) tea.Cmd {
	m := asks.Findings{Table: r.table, After: func(n int, receipt change.Receipt) {
		if say.Stopped(receipt) {
			return
		}
		rows[n].mended = &receipt
		delete(r.marked, rows[n])
		r.regroup()
	}}
	for _, x := range rows {
		m.All = append(m.All, x.f)
	}
	return asks.AskFindings(r.Session, m)
}

// save asks for a file for the marked findings, or else for the findings that pass the filter.
func (r *run) save() tea.Cmd {
	file := filepath.Base(r.table.Name) + "-findings.jsonl"
	return save.Ask(r.Session, save.List("Save the findings", file, func() save.Listed {
		left := 0
		for _, x := range r.all {
			if r.wanted(x) {
				left++
			}
		}
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
	}))
}

// toList returns the content of the file. It has the summary of the check only if it has all findings.
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
