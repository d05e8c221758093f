package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"tallylock/keymap"
	"tallylock/ui/dialog"
	"tallylock/ui/dialog/help"
	"tallylock/ui/kit"
	"tallylock/ui/screen"
	"tallylock/ui/screen/findings"
	"tallylock/ui/session"
	"tallylock/ui/task"
	"tallylock/ui/words"
)

func (a *app) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case task.Done:
		if a.Tasks.Finish(msg) {
			return msg.Apply()
		}
	case task.Later:
		return msg.Apply()
	case tea.WindowSizeMsg:
		a.Size = kit.Size{Width: msg.Width, Height: msg.Height}
		return a.readAhead()
	case tea.BackgroundColorMsg:
		if a.Options.Theme == session.Auto {
			a.Restyle(msg.IsDark())
		}
	case tea.ColorProfileMsg:
		a.Colours = kit.ColoursOf(msg.Profile)
		a.Restyle(a.Styles.Dark)
	case tea.KeyPressMsg:
		return a.key(msg)
	case tea.PasteMsg:
		return a.paste(msg)
	case tea.MouseWheelMsg:
		return a.wheel(msg.Mouse())
	case tea.MouseClickMsg:
		return a.click(msg.Mouse())
	}
	return nil
}

func (a *app) key(msg tea.KeyPressMsg) tea.Cmd {
	a.Status.Text, a.Status.Error = "", false // it covers a line, and has been read
	switch msg.String() {
	case keymap.Interrupt:
		return a.interrupt()
	case keymap.Suspend:
		return a.suspend()
	}
	if a.Size.TooSmall() { // what cannot be seen is not answered
		if action, _ := a.Keys.Action(keymap.Screen, msg.String()); action == keymap.Quit && a.dialog == nil {
			return tea.Quit
		}
		return nil
	}
	if a.dialog != nil {
		if a.inGrace() && msg.String() != "esc" {
			return nil
		}
		action, _ := a.Keys.Action(keymap.Dialog, msg.String())
		if a.frame.scroll.key(msg.String(), action == keymap.Press) {
			return nil
		}
		return a.dialog.Key(msg)
	}
	if s, ok := a.typing(); ok {
		return s.Typed(msg)
	}
	action, ok := a.Keys.Action(keymap.Screen, msg.String())
	if !ok || a.frame.closesTip(action) {
		return nil
	}
	return a.act(action)
}

// interrupt is ctrl+c: it first cancels what somebody waits for, and never
// leaves a write unreported; then it quits.
func (a *app) interrupt() tea.Cmd {
	if d, ok := a.dialog.(dialog.Worker); ok && d.AtWork() {
		if d.ToldToStop() {
			return tea.Quit // Run waits for the outcome, and tells it
		}
		return a.dialog.Leave()
	}
	if a.Tasks.Interrupt() {
		return a.Say("Stopped. ctrl+c again quits.")
	}
	if cmd := a.findings.Stop(); cmd != nil {
		return cmd
	}
	return tea.Quit
}

// suspend gives the terminal back to the shell until it says fg; a change under way is not
// left half made for that long.
func (a *app) suspend() tea.Cmd {
	if d, ok := a.dialog.(dialog.Worker); ok && d.AtWork() {
		return a.Say("Not while a change is under way.")
	}
	return tea.Suspend
}

// act does what a key asks for: what every screen has in common here, the rest
// on the screen.
func (a *app) act(action keymap.Action) tea.Cmd {
	s := a.top()
	c := s.Content()
	switch action {
	case keymap.Quit:
		if ask := a.unaccepted(keymap.Quit); ask != nil {
			return ask
		}
		return tea.Quit
	case keymap.Detail:
		if why := a.why(s, action); why != "" {
			return a.Say(words.Sentence(why))
		}
		a.readDetail()
		return nil
	case keymap.Help:
		ask := help.Ask(a.Session, help.Subject{Top: a.top, Why: a.why, Through: looksThrough})
		a.Shown = a.Shown.Add(-a.grace) // it changes nothing: any key may close it at once
		return ask
	case keymap.Back:
		return a.back()
	case keymap.Tables:
		return a.showTables()
	case keymap.Layout:
		return a.showLayout()
	case keymap.Find:
		if looksThrough(s) {
			break
		}
		return askOn(a, s)
	case keymap.Accounts:
		return a.switchToOpen(session.AccountsTab)
	case keymap.Locks:
		return a.switchToOpen(session.LocksTab)
	case keymap.Counters:
		return a.switchTo(session.CountersTab)
	case keymap.Findings:
		return a.switchToOpen(session.FindingsTab)
	case keymap.Journal:
		return a.switchTo(session.JournalTab)
	case keymap.NextProblem, keymap.PreviousProblem:
		return a.problem(c, action)
	}
	if action == keymap.Reload {
		a.forget()
	}
	if showsOutage(a.screens) && (action == keymap.Open || action == keymap.Reload) {
		return a.TryNow()
	}
	if a.inDetail() && a.pane.scroll(action) {
		return nil
	}
	if c.List != nil && c.Rows != nil && moved(c, action) {
		return a.readFor(true)
	}
	if c.List != nil && c.List.Lost && c.Instead == nil && aboutSelected(action) && !(action == keymap.Release && len(a.Marks.Order) > 0) {
		return a.Say("Nothing is selected: the row is gone.")
	}
	if why := a.why(s, action); why != "" {
		return a.Say(words.Sentence(why))
	}
	return s.Commands().Act(action)
}

// askOn asks the table, and says so on a screen where the key looks through the list, as a rule.
func askOn(a *app, s screen.Screen) tea.Cmd {
	asked := a.ask()
	if _, ok := s.(*findings.Screen); ok && a.top() != s {
		return tea.Batch(asked, a.Say("There is no finding to look through: this asks the table."))
	}
	return asked
}

// aboutSelected reports whether an action is about the selected row.
func aboutSelected(action keymap.Action) bool {
	switch action {
	case keymap.Open, keymap.OtherSide, keymap.Fold, keymap.Release, keymap.Mend, keymap.ChangeValue, keymap.DeleteAccount,
		keymap.Mark, keymap.MarkTo, keymap.Bump, keymap.Copy, keymap.CopyItem, keymap.CopyKey, keymap.CopyLine:
		return true
	}
	return false
}

// back cancels what is awaited, or closes what is on top.
func (a *app) back() tea.Cmd {
	if a.Tasks.Interrupt() {
		return a.Say("Stopped.")
	}
	if a.inDetail() {
		a.readDetail()
		return nil
	}
	if w := a.watched.end(); w != nil {
		return a.Say(w.quoted() + " is no longer watched.")
	}
	if a.browse.Begun() && !a.browse.Read() && len(a.stack) == 0 && a.Tasks.Cancel(task.Paging) {
		return nil
	}
	if len(a.stack) > 0 {
		return a.leave()
	}
	if f, ok := a.tabScreen().(screen.Filtered); ok && f.All() {
		return nil
	}
	if len(a.trail) > 0 {
		return a.goBack()
	}
	if a.crossed != nil {
		return a.switchTo(*a.crossed)
	}
	if a.Tab == session.FindingsTab {
		return a.findings.Back()
	}
	if len(a.Marks.Order) > 0 {
		a.Marks.Clear()
		return nil
	}
	return tea.Batch(a.accounts.ShowAll(), a.locks.ShowAll())
}

// moved moves the cursor, and reports whether the action was one that does.
func moved(c screen.Content, action keymap.Action) bool {
	half := max(c.List.Height/2, 1)
	switch action {
	case keymap.Down:
		c.List.Move(c.Rows, 1)
	case keymap.Up:
		c.List.Move(c.Rows, -1)
	case keymap.First:
		c.List.Jump(c.Rows, -c.Rows.Len())
	case keymap.Last:
		c.List.Jump(c.Rows, c.Rows.Len())
	case keymap.HalfPageDown:
		c.List.Jump(c.Rows, half)
	case keymap.HalfPageUp:
		c.List.Jump(c.Rows, -half)
	case keymap.PageDown:
		c.List.Jump(c.Rows, c.List.Height)
	case keymap.PageUp:
		c.List.Jump(c.Rows, -c.List.Height)
	default:
		return false
	}
	return true
}

func (a *app) paste(msg tea.PasteMsg) tea.Cmd {
	msg.Content = strings.TrimRight(msg.Content, "\r\n")
	if a.dialog != nil {
		if a.Size.TooSmall() {
			return nil
		}
		return a.dialog.Key(msg)
	}
	if s, ok := a.typing(); ok {
		return s.Typed(msg)
	}
	return nil
}
