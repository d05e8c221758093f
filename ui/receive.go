package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/keymap"
	"tallylock/ui/dialog/readmore"
	"tallylock/ui/message"
	"tallylock/ui/screen"
	"tallylock/ui/session"
	"tallylock/ui/task"
)

// receive handles a message from a screen or a dialog. If the message needs reads and the session has
// reached its limit of read units, receive asks first.
func (a *app) receive(m any) tea.Cmd {
	if on, reads := readsOn(a.Session, m); reads {
		return a.Reading(0, func() tea.Cmd { return a.do(m) }, a.Connections[on])
	}
	return a.do(m)
}

// readsOn returns the index of the connection that the program reads from when it handles the message m.
// reads is false if m needs no reads at once.
func readsOn(s *session.Session, m any) (on int, reads bool) {
	switch m := m.(type) {
	case message.Place:
		return m.On, true
	case screen.Item:
		return s.On, true
	}
	return 0, false
}

func (a *app) do(m any) tea.Cmd {
	switch m := m.(type) {
	case session.ReadMore:
		return readmore.Ask(a.Session, m, a.enter)
	case message.Leave:
		return a.leave()
	case message.Ask:
		a.dialog, a.Shown, a.Covered, a.frame.scroll = m.Dialog, a.Now(), true, scroll{top: -1}
	case message.Close:
		a.dialog, a.Covered = nil, false
		return tea.Batch(a.followConfig(false), a.showUnseenLayout())
	case message.Refresh:
		return a.refresh()
	case message.LayoutAnswered:
		return a.recallAnswers(m.Then)
	case message.Pointed:
		return a.browse.Renew()
	case message.Accepted:
		return a.accepted(m.Was, m.Table)
	case message.Place:
		if ask := a.unaccepted(keymap.Open); ask != nil {
			return ask
		}
		return a.visit(m)
	case message.UseLayout:
		return a.use(a.On, m.Table, a.Tab)
	case message.Watch:
		return a.watcher.start(m)
	case message.Queued:
		return a.tell(m)
	case message.Changed:
		a.frame.tip = false
		if a.ending && len(m.Made) > 0 { // nobody sees the dialog any more
			a.Unreported.Store(&m.Made)
		}
		return a.tell(m)
	default:
		return a.show(m)
	}
	return nil
}

// inGrace reports whether the dialog opened less than a.grace ago. A key that a person meant for
// the screen before must not answer the dialog.
func (a *app) inGrace() bool { return a.Now().Sub(a.Shown) < a.grace }

// recallAnswers makes all open tables use the answer that a person has just given, and then calls the function then.
func (a *app) recallAnswers(then func(error) tea.Cmd) tea.Cmd {
	var all []*dynamo.Table
	for _, t := range a.tabs {
		if h, ok := t.(screen.Holder); ok {
			all = append(all, h.Tables()...)
		}
	}
	if a.Table != nil {
		all = append(all, a.Table)
	}
	return task.Start(a.Tasks, task.Planning, func(context.Context) (struct{}, error) {
		for _, t := range all {
			t.Answers.Recall()
		}
		return struct{}{}, nil
	}, func(_ struct{}, err error) tea.Cmd { return then(err) })
}

// refresh reads the current screen again after a change.
func (a *app) refresh() tea.Cmd {
	if own, ok := a.shownTab().(screen.Refresher); ok {
		return own.Refresh()
	}
	var cmds []tea.Cmd
	spent := a.Connection().UnitsSpent()
	if a.Tab.Table && !a.Tab.Lists || spent {
		a.browse.Outdated = true // the tab reads the table again when it is shown
	} else if a.Table != nil {
		cmds = append(cmds, a.browse.Reread())
	}
	if s, ok := a.top().(screen.Refresher); ok && !spent {
		cmds = append(cmds, s.Refresh())
	}
	return tea.Batch(cmds...)
}

// enter lets the tab that is shown read its missing data.
func (a *app) enter() tea.Cmd {
	if t := a.shownTab(); t != nil {
		return t.Enter()
	}
	return nil
}
