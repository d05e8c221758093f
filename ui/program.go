package ui

import (
	"cmp"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/keymap"
	"tallylock/ui/dialog/change"
	"tallylock/ui/dialog/question"
	"tallylock/ui/dialog/save"
	"tallylock/ui/dialog/settle"
	"tallylock/ui/message"
	"tallylock/ui/screen/find"
	"tallylock/ui/screen/item"
	"tallylock/ui/session"
	"tallylock/ui/words"
)

// receive acts on what a screen or a dialog asks of the program.
func (a *app) receive(m any) tea.Cmd {
	switch m := m.(type) {
	case message.Push:
		a.push(m.Screen)
	case message.Leave:
		return a.leave()
	case message.Ask:
		a.dialog, a.Shown, a.Covered = m.Dialog, a.Now(), true
	case message.Close:
		a.dialog, a.Covered = nil, false
		return a.lookFirst()
	case message.Refresh:
		return a.refresh()
	case message.Told:
		return m.Then(a.retold())
	case message.OpenTable:
		if ask := a.unaccepted(keymap.Open); ask != nil {
			return ask
		}
		if m.Opened != nil {
			return a.opened(m.On, m.Opened, a.Tab)
		}
		return a.open(m.On, m.Name)
	case message.ReadBy:
		return a.use(a.On, m.Table, a.Tab)
	case message.SeeLayout:
		return a.showLayout()
	case message.OpenItem:
		return a.openItem(m.Owner, m.Table, m.Key)
	case message.Watch:
		return a.watch(m)
	case message.Changed:
		return tea.Batch(a.journal.Changed(), a.recount())
	case message.ShowLock:
		return a.showLock(m.Relation)
	case message.ShowAccount:
		return a.showAccount(m.Relation)
	case message.ReadAhead:
		return a.readAhead()
	case message.OpenAgain:
		return a.retryOpen()
	case message.Judged:
		return a.judged(m.Table)
	case message.NotOpened:
		return a.notOpened(m.Err)
	}
	return a.question(m)
}

// question asks what a screen or a dialog wants to have asked.
func (a *app) question(m any) tea.Cmd {
	switch m := m.(type) {
	case message.Save:
		return save.Ask(a.Session, m)
	case message.Answer:
		return question.Ask(a.Session, m.Question)
	case message.Release:
		if m.Relation == nil {
			return change.AskReleases(a.Session)
		}
		return change.AskRelease(a.Session, m.Table, m.Relation)
	case message.Mend:
		if q := m.Table.Fit.AskOf(m.Relation); q != nil {
			return question.Ask(a.Session, q)
		}
		return change.AskMend(a.Session, m.Table, m.Relation)
	case message.ChangeValue:
		return change.AskValue(a.Session, m.Table, m.Values...)
	case message.DeleteAccount:
		return change.AskDelete(a.Session, m.Table, m.Relation)
	case message.Bump:
		return change.AskBump(a.Session, m.Counter, m.Moving)
	case message.MendCounter:
		return change.AskMendCounter(a.Session, m.Counter, m.Moving)
	case message.MendFindings:
		return change.AskFindings(a.Session, m)
	case message.UndoLast:
		return change.AskUndoLast(a.Session)
	case message.Undo:
		return change.AskUndo(a.Session, *a.ConnectionOf(m.Record), m.Record)
	case message.Settle:
		return settle.Ask(a.Session, m.Record)
	}
	return nil
}

// recount reads the counters again, if they are looked at: one of them may have been
// counted on since it was changed, and is then not set back.
func (a *app) recount() tea.Cmd {
	if a.Tab != session.CountersTab || a.Offline != nil {
		return nil
	}
	return a.counters.Poll()
}

// inGrace reports whether the dialog has only just opened: a key that was on its
// way to the screen must not answer it.
func (a *app) inGrace() bool { return a.Now().Sub(a.Shown) < a.grace }

// retold has the other open layouts of the connection's tables go by what was just said.
func (a *app) retold() error {
	var err error
	if a.Table != nil {
		err = a.Table.Fit.Decisions.Recall()
	}
	return cmp.Or(err, a.findings.Recall())
}

// openItem opens an item of a table, or of one of its locks.
func (a *app) openItem(owner *dynamo.Table, table string, key attr.Key) tea.Cmd {
	s := item.New(a.Session, owner, table, key, func() []*dynamo.Relation {
		if a.Table != owner {
			return nil
		}
		return a.browse.View().Relations
	})
	a.push(s)
	return s.Refresh()
}

// ask opens the question who holds a value.
func (a *app) ask() tea.Cmd {
	if why := a.whyFind(); why != "" {
		return a.Say(words.Sentence(why))
	}
	if s, ok := a.top().(*find.Screen); ok {
		s.Ask()
		return nil
	}
	a.push(find.New(a.Session))
	return nil
}
