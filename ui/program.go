package ui

import (
	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/keymap"
	"tallylock/ui/message"
	"tallylock/ui/screen/find"
	"tallylock/ui/screen/item"
)

// receive acts on what a screen or a dialog asks of the program.
func (a *app) receive(m any) tea.Cmd {
	switch m := m.(type) {
	case message.Push:
		a.push(m.Screen)
	case message.Leave:
		return a.leave()
	case message.OpenTable:
		if m.Opened != nil {
			return a.opened(m.On, m.Opened, a.Tab)
		}
		return a.open(m.On, m.Name)
	case message.OpenItem:
		return a.openItemOf(m.Owner, m.Table, m.Key)
	case message.Release:
		return a.askRelease(m.Table, m.Relation)
	case message.Mend:
		return a.askMend(m.Table, m.Relation)
	case message.ChangeValue:
		return a.askValue(m.Table, m.Values...)
	case message.DeleteAccount:
		return a.askDelete(m.Table, m.Relation)
	case message.Bump:
		return a.askBump(m.Counter, m.Moving)
	case message.MendCounter:
		return a.askMendCounter(m.Counter, m.Moving)
	case message.MendFindings:
		return a.askMendFindings(m)
	case message.SaveFindings:
		return a.askSave(m)
	case message.UndoLast:
		return a.askUndoLast()
	case message.Settle:
		return a.askSettle(m.Record)
	case message.Undo:
		return a.askUndo(*a.ConnectionOf(m.Record), m.Record)
	case message.Changed:
		return a.journal.Changed()
	}
	return nil
}

// openItem opens an item of the open table, or of one of its locks.
func (a *app) openItem(table string, key attr.Key) tea.Cmd { return a.openItemOf(a.Table, table, key) }

func (a *app) openItemOf(owner *dynamo.Table, table string, key attr.Key) tea.Cmd {
	s := item.New(a.Session, owner, table, key, func() []*dynamo.Relation {
		if a.browse == nil || a.Table != owner {
			return nil
		}
		return a.browse.view.Relations
	})
	a.push(s)
	return s.Refresh()
}

// ask opens the question who holds a value.
func (a *app) ask() tea.Cmd {
	switch {
	case a.Table == nil:
		return a.Say("Open a table first: " + a.Keys.Key(keymap.Tables) + ".")
	case a.Table.Vacant():
		return a.Say("This table is empty: there is nothing to find.")
	case len(a.Table.Layout.Accounts) == 0:
		return a.Say("No layout tells what accounts look like here, so nothing can be found by value.")
	}
	if s, ok := a.top().(*find.Screen); ok {
		s.Ask()
		return nil
	}
	a.push(find.New(a.Session))
	return nil
}
