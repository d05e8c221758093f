package ui

import (
	tea "charm.land/bubbletea/v2"

	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/task"
)

// stop is where the focus of a dialog can be.
type stop int

const (
	stopWay stop = iota
	stopEntry
	stopReason
	stopType
	stopNo
	stopYes
)

// stops are the places that tab goes through, in order.
func (d *changeDialog) stops() []stop {
	var s []stop
	if len(d.ways) > 1 {
		s = append(s, stopWay)
	}
	if d.current().entry != nil {
		s = append(s, stopEntry)
	}
	s = append(s, stopReason)
	if d.plan != nil && d.plan.Typed != "" {
		s = append(s, stopType)
	}
	s = append(s, stopNo)
	if d.open() {
		s = append(s, stopYes)
	}
	return s
}

// move moves the focus. A field that is planned as a whole is planned when it is
// left.
func (d *changeDialog) move(by int) tea.Cmd {
	var cmd tea.Cmd
	if e := d.current().entry; d.focus == stopEntry && e.whole && d.plan == nil && d.refused == nil {
		cmd = d.replan()
	}
	d.focus = along(d.stops(), d.focus, by)
	return cmd
}

// fieldOf is the field with the cursor, nil while something else has the focus.
func (d *changeDialog) fieldOf() *kit.Field {
	switch d.focus {
	case stopEntry:
		return &d.current().entry.input
	case stopReason:
		return &d.reason
	case stopType:
		return &d.typing
	}
	return nil
}

func (d *changeDialog) key(msg tea.Msg) tea.Cmd {
	action, leaves := d.app.DialogAction(msg)
	key, _ := msg.(tea.KeyPressMsg)
	switch {
	case d.view != nil:
		return d.viewKey(action, key)
	case d.stage == working:
		if action == keymap.Leave {
			return d.leave()
		}
		return nil
	case d.stage == over:
		return d.resultKey(action, key.String())
	}
	if f := d.fieldOf(); f != nil && !leaves {
		return d.edit(f, msg)
	}
	if d.focus == stopWay && d.choose(key.String()) {
		return d.replan()
	}
	switch action {
	case keymap.Leave:
		return d.leave()
	case keymap.NextField:
		return d.move(1)
	case keymap.PreviousField:
		return d.move(-1)
	case keymap.ShowRequest:
		return d.showRequest()
	case keymap.CopyCommand:
		return d.copyCommand()
	case keymap.CopyRequest:
		if d.plan != nil {
			return d.app.CopyRequests(d.plan)
		}
	case keymap.Press:
		switch d.focus {
		case stopNo:
			return d.leave()
		case stopYes:
			return d.apply()
		default:
			return d.move(1)
		}
	}
	return nil
}

// viewKey takes a key while the request is looked at.
func (d *changeDialog) viewKey(action keymap.Action, key tea.KeyPressMsg) tea.Cmd {
	switch {
	case d.view.scroll(key):
	case action == keymap.CopyCommand:
		return d.copyCommand()
	case action == keymap.CopyRequest:
		return d.app.CopyRequests(d.plan)
	case action == keymap.Leave, action == keymap.ShowRequest, action == keymap.Press:
		d.view = nil
	}
	return nil
}

// edit takes a key or pasted text into a field.
func (d *changeDialog) edit(f *kit.Field, msg tea.Msg) tea.Cmd {
	if !f.Update(msg) || d.focus != stopEntry {
		return nil
	}
	if !d.current().entry.whole {
		return d.replan()
	}
	d.plan, d.refused = nil, nil
	d.app.Tasks.Drop(task.Planning)
	return nil
}

// choose goes to another way, and reports whether the key asked for that.
func (d *changeDialog) choose(key string) bool {
	by := 1
	switch key {
	case "right", "space", "l":
	case "left", "h":
		by = -1
	default:
		return false
	}
	d.way = (d.way + by + len(d.ways)) % len(d.ways)
	d.typing = kit.NewField("")
	return true
}

// copyCommand copies the change as commands of the AWS CLI.
func (d *changeDialog) copyCommand() tea.Cmd {
	if d.plan == nil {
		return nil
	}
	text, err := d.plan.Steps.Commands(d.conn.Connection)
	if err != nil {
		return d.app.Complain("Copying the change as a command: " + err.Error() + ".")
	}
	return d.app.Copy("the change as a command", text)
}
