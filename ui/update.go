package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"tallylock/keymap"
	"tallylock/ui/dialog"
	"tallylock/ui/kit"
	"tallylock/ui/safe"
	"tallylock/ui/say"
	"tallylock/ui/screen"
	"tallylock/ui/session"
	"tallylock/ui/task"
)

func (a *app) update(msg tea.Msg) tea.Cmd {
	if a.ending {
		switch msg.(type) {
		case tea.KeyPressMsg, tea.PasteMsg, tea.MouseWheelMsg, tea.MouseClickMsg:
			return nil
		}
	}
	switch msg := msg.(type) {
	case ending:
		a.ending = true
		a.Tasks.Cancel(task.Adopting) // an adoption can continue later
	case task.Done:
		if a.Tasks.Finish(msg) {
			return msg.Apply()
		}
	case task.Later:
		return msg.Apply()
	case tea.WindowSizeMsg:
		a.Size = kit.Size{Width: msg.Width, Height: msg.Height}
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
	case resumed:
		if !msg.stopped {
			return a.Say("Cannot suspend: there is no shell to return to.")
		}
	}
	return nil
}

// changing reports whether a change of a table is running.
func (a *app) changing() bool {
	_, changing := a.Tasks.Since(task.Changing)
	_, adopting := a.Tasks.Since(task.Adopting)
	return changing || adopting
}

func (a *app) key(msg tea.KeyPressMsg) tea.Cmd {
	a.Status.Text, a.Status.Error = "", false // a key closes the message, because it covers a line of the screen
	switch msg.String() {
	case keymap.Interrupt:
		return a.interrupt()
	case keymap.Suspend:
		return a.suspend()
	}
	if a.Size.TooSmall() { // a person cannot answer a screen that is not drawn
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
	if action, ok := a.Keys.On(keymap.Screen, msg.String(), a.commands(a.top()).Has); ok {
		return a.act(action)
	}
	return a.Say(safe.Text(msg.String()) + " does nothing here. " + a.Keys.Key(keymap.Help) + " shows the keys.")
}

// interrupt handles ctrl+c. It first cancels the work that a person waits for; with no such work, it
// quits. It never leaves the outcome of a write unreported.
func (a *app) interrupt() tea.Cmd {
	if d, ok := a.dialog.(dialog.Worker); ok && d.Busy() {
		if d.Stopping() {
			return tea.Quit // Run waits for the outcome and reports it
		}
		return a.dialog.Leave()
	}
	if a.Tasks.Interrupt() {
		return a.Say("Stopped. ctrl+c again quits.")
	}
	for _, t := range a.tabs {
		if s, ok := t.(screen.Stopper); ok {
			if cmd := s.Stop(); cmd != nil {
				return cmd
			}
		}
	}
	return tea.Quit
}

// suspend gives the terminal back to the shell until its fg. It refuses during a change, because a suspended change
// would stay incomplete.
func (a *app) suspend() tea.Cmd {
	if a.Options.Guest != nil {
		return a.Say("An SSH session cannot be suspended. " + a.Keys.Key(keymap.Quit) + " ends it.")
	}
	if d, ok := a.dialog.(dialog.Worker); ok && d.Busy() {
		return a.Say("Wait: a change is in progress.")
	}
	return stopProcess()
}

// act runs an action on the screen on top, or says why the action does nothing there.
func (a *app) act(action keymap.Action) tea.Cmd {
	if action == keymap.Reload {
		clear(a.Denied) // roles and tables may have changed
		if c := a.Connection().Connection; c != nil {
			c.DropSamples()
		}
		follow := a.followConfig(true)
		return tea.Batch(follow, a.run(action))
	}
	return a.run(action)
}

// run runs an action, or says why the action does nothing.
func (a *app) run(action keymap.Action) tea.Cmd {
	if a.showsOutage() && (action == keymap.Open || action == keymap.Reload) {
		return a.TryNow()
	}
	all := a.commands(a.top())
	if why := refuses(a.Session, all, action); why != "" {
		return a.Say(say.Sentence(why))
	}
	return all.Act(action)
}

// back undoes one step, the first of these that applies: a task that a person waits for, the focus of the
// detail, watching a value, loading the first rows, a screen on top, a filter, a move to another tab, a step
// within the tab, a move to another table. Otherwise it closes the tip.
func (a *app) back() tea.Cmd {
	if a.Tasks.Interrupt() {
		return a.Say("Stopped.")
	}
	if a.inDetail() {
		return a.readDetail()
	}
	if w := a.watcher.end(); w != nil {
		return a.Say("Stopped watching " + w.quoted() + ".")
	}
	if a.browse.Begun() && !a.browse.Read() && len(a.stack) == 0 && a.Tasks.Cancel(task.Paging) {
		return nil
	}
	if len(a.stack) > 0 {
		return a.leave()
	}
	if f, ok := a.tab().(screen.Filtered); ok && f.All() {
		return nil
	}
	if a.leadsToTab() {
		return a.goBack()
	}
	if cmd, used := a.tab().Back(); used {
		return cmd
	}
	if len(a.history) > 0 {
		return a.goBack()
	}
	a.frame.tip = false
	return nil
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
