package ui

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/layout"
	"tallylock/keymap"
	"tallylock/ui/message"
	"tallylock/ui/screen"
	"tallylock/ui/task"
)

// Commands implements screen.Commander.
func (s *layoutScreen) Commands() screen.Commands {
	open := map[bool]string{true: "take it over", false: "correct it"}
	return screen.Commands{
		{Action: keymap.Open, Words: open[s.selected().setting.Name == ""], Why: s.whySelected, Run: s.open},
		{Action: keymap.Accept, Words: "accept", Why: s.whyAccept, Run: s.accept},
		{Action: keymap.NextProblem, Words: "next unsure", Why: s.whySure},
		{Action: keymap.Save, Words: "write to config", Why: s.whyWrite, Run: s.askWrite},
		{Action: keymap.Bump, Words: "add a rule", Why: s.whyAdd, Run: s.add},
		{Action: keymap.DeleteAccount, Words: "take out", Why: s.whyRemove, Run: s.remove},
		{Action: keymap.Undo, Words: "undo", Why: s.whyUndo, Run: s.undo},
		{Action: keymap.Mend, Words: "answer", Why: s.whyAnswer, Run: s.answer},
		{Action: keymap.OtherSide, Words: "recognise anew", Why: s.whyForget, Run: s.forget},
		{Action: keymap.CopyItem, Words: "copy as TOML", Why: s.whyEmpty, Run: s.copyAll},
		{Action: keymap.Copy, Words: "copy the line", Why: s.whySetting, Run: s.copyLine},
		{Action: keymap.Fold, Words: "all settings", Why: s.whyEmpty, Run: s.fold},
		{Action: keymap.Reload, Words: "read more", Why: s.whyMore, Run: s.more},
		{Action: keymap.Back, Words: "back"},
	}
}

func (s *layoutScreen) whySure() string {
	if s.rows.unsure() == 0 {
		return "no line is unsure"
	}
	return ""
}

func (s *layoutScreen) whySelected() string {
	if !s.selected().selectable() {
		return "nothing is selected"
	}
	return ""
}

func (s *layoutScreen) whySetting() string {
	if !s.selected().setting.Set {
		return "this is not a line of the layout"
	}
	return ""
}

func (s *layoutScreen) whyEmpty() string {
	if len(s.draft.Accounts)+len(s.draft.Counters) == 0 {
		return "there is no layout yet"
	}
	return ""
}

// open corrects a line, or takes over what could become one.
func (s *layoutScreen) open() tea.Cmd {
	row := s.selected()
	switch {
	case row.near != nil:
		return s.try(s.table.Candidate(*row.near), s.tell)
	case row.shape != nil:
		pk, sk := row.shape.Templates("id")
		return s.try(s.draft.WithAccount(s.model(layout.AccountConfig{PK: pk, SK: sk})), s.tell)
	}
	if !s.typable(row.part, row.setting) {
		return s.app.Complain("This line cannot be typed as it is. " + s.app.Keys.Key(keymap.CopyItem) + " copies the layout, to be corrected in the config.")
	}
	return s.app.Send(message.Ask{Dialog: newLayoutForm(s, row.part, row.setting)})
}

// model gives a kind of account a name where there are others.
func (s *layoutScreen) model(a layout.AccountConfig) layout.AccountConfig {
	if n := len(s.draft.Accounts); n > 0 {
		a.Model = fmt.Sprintf("account-%d", n+1)
	}
	return a
}

func (s *layoutScreen) whyAccept() string {
	switch why := s.whyEmpty(); {
	case why != "":
		return why
	case s.corrected():
		return ""
	case s.table.Kept != nil && len(s.app.differs.of(s.table)) == 0:
		return "it is accepted already"
	case s.table.Kept == nil && s.table.Layout.Configured:
		return "the config describes it already"
	}
	return ""
}

// accept keeps the layout, and has the table be read by it.
func (s *layoutScreen) accept() tea.Cmd {
	a, t := s.app, s.table
	if s.configured() { // which goes before what is kept
		return tea.Batch(a.use(a.On, t, a.Tab), a.Say("Used until you leave. The config goes before: "+a.Keys.Key(keymap.CopyItem)+" on the layout copies what to put there."))
	}
	return task.Start(a.Tasks, task.Describing, func(context.Context) (*dynamo.Kept, error) { return t.Keep() }, func(kept *dynamo.Kept, err error) tea.Cmd {
		if err != nil {
			return s.failed(err)
		}
		t.Kept = kept
		a.differs = noted{}
		return tea.Batch(a.use(a.On, t, a.Tab), a.Say("Accepted, and kept for this table."))
	})
}

// configured reports whether the config describes the table.
func (s *layoutScreen) configured() bool {
	t := s.table
	if s.corrected() {
		t = s.past[0].table
	}
	return t.Layout.Configured && t.Kept == nil
}

func (s *layoutScreen) whyAdd() string {
	if s.table.Unread() || s.table.Vacant() || s.whyEmpty() == "" || s.selected().selectable() || len(s.rows) == 0 {
		return ""
	}
	return "nothing is selected"
}

// add adds a rule to the account that the cursor is on, or to the last one; on items that
// are nothing yet they are its locks. Where there is no account, it adds one.
func (s *layoutScreen) add() tea.Cmd {
	account := len(s.draft.Accounts) - 1
	if account < 0 {
		a := layout.AccountConfig{PK: "{id}"}
		if s.table.Schema.RangeName != "" {
			a.SK = "{pk}"
		}
		return s.try(s.draft.WithAccount(a), s.tell)
	}
	row := s.selected()
	_, _ = fmt.Sscanf(row.part.Path, "account[%d]", &account)
	shape := row.shape
	if shape == nil {
		for _, r := range s.rows {
			if r.shape != nil {
				shape = r.shape
				break
			}
		}
	}
	con := layout.ConstraintConfig{PK: "UNIQ#{v}"}
	if s.table.Schema.RangeName != "" {
		con.SK = "{pk}"
	}
	if shape != nil {
		con.PK, con.SK = shape.Templates("v")
	}
	return s.app.Send(message.Ask{Dialog: newRuleForm(s, account, con)})
}

func (s *layoutScreen) whyRemove() string {
	if s.selected().part.Path == "" {
		return "this is not a part of the layout"
	}
	return ""
}

// remove takes the part out that the cursor is in.
func (s *layoutScreen) remove() tea.Cmd {
	part := s.selected().part
	return s.try(s.draft.Without(part.Path), func(err error) tea.Cmd {
		if err != nil {
			return s.failed(err)
		}
		return s.app.Say("Taken out: the " + part.Kind + " " + part.Name + ". " + s.app.Keys.Key(keymap.Undo) + " puts it back.")
	})
}

func (s *layoutScreen) whyUndo() string {
	if !s.corrected() {
		return "nothing was corrected"
	}
	return ""
}

func (s *layoutScreen) undo() tea.Cmd {
	last := len(s.past) - 1
	before := s.past[last]
	s.past = s.past[:last]
	s.take(before.table)
	return nil
}

func (s *layoutScreen) question() *dynamo.Question {
	if c := s.constraint(s.selected().part); c != nil && s.table.Connection() != nil {
		return s.table.Fit.Ask(c)
	}
	return nil
}

func (s *layoutScreen) whyAnswer() string {
	if s.question() == nil {
		return "there is no question about this line"
	}
	return ""
}

func (s *layoutScreen) answer() tea.Cmd { return s.app.Send(message.Answer{Question: s.question()}) }

func (s *layoutScreen) whyForget() string {
	if s.table.Kept == nil {
		return "no layout was accepted for this table"
	}
	return ""
}

// forget takes the accepted layout away, and shows what is recognised.
func (s *layoutScreen) forget() tea.Cmd {
	a, t := s.app, s.table
	return task.Start(a.Tasks, task.Describing, func(ctx context.Context) (*dynamo.Table, error) {
		if _, err := t.Connection().Forget(ctx, t.Name); err != nil {
			return nil, err
		}
		return t.Connection().Open(ctx, t.Name)
	}, func(t *dynamo.Table, err error) tea.Cmd {
		if err != nil {
			return s.failed(err)
		}
		a.differs = noted{}
		return tea.Batch(a.use(a.On, t, a.Tab), a.showLayout(), a.Say("Forgotten. This is what a sample shows."))
	})
}

func (s *layoutScreen) whyMore() string {
	if _, whole := s.table.Sampled(); whole && !s.table.Vacant() {
		return "all items were read"
	}
	return ""
}

// more reads a larger sample, and judges the draft by it.
func (s *layoutScreen) more() tea.Cmd {
	a, name, on := s.app, s.table.Name, s.table.Connection()
	draft, corrected := s.draft, s.corrected()
	return task.Start(a.Tasks, task.Describing, func(ctx context.Context) ([2]*dynamo.Table, error) {
		t, err := on.OpenWithin(ctx, name, sampleMore)
		if err != nil || !corrected {
			return [2]*dynamo.Table{t, t}, err
		}
		as, err := t.As(ctx, draft)
		return [2]*dynamo.Table{t, as}, err
	}, func(read [2]*dynamo.Table, err error) tea.Cmd {
		if err != nil {
			return s.failed(err)
		}
		cmd := tea.Batch(a.use(a.On, read[0], a.Tab))
		a.push(s)
		again := s.of(read[0])
		if corrected {
			s.past = []layoutDraft{{read[0], s.draft}}
			s.take(read[1])
		}
		return tea.Batch(cmd, again, s.tell(nil))
	})
}

func (s *layoutScreen) fold() tea.Cmd {
	s.all = !s.all
	s.lay()
	return nil
}

func (s *layoutScreen) copyLine() tea.Cmd {
	row := s.selected()
	return s.app.Copy(row.setting.Name, row.setting.Text)
}

func (s *layoutScreen) copyAll() tea.Cmd {
	return s.app.Copy("the layout as TOML", string(s.draft.Annotated(s.note)))
}

// note is what was seen of a line, as a comment.
func (s *layoutScreen) note(section, setting string) string {
	for _, line := range dynamo.LinesOf(s.table) {
		if line.Section == section && line.Setting == setting {
			return strings.TrimSpace(map[bool]string{true: "? "}[line.Unsure] + line.Text)
		}
	}
	return ""
}
