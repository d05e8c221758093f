package ui

import (
	"tallylock/keymap"
	"tallylock/ui/kit"
)

// tips reports whether the line of what to try first is shown: over the list that it speaks
// of, once values can be found.
func (a *app) tips() bool {
	return a.tip && a.Table != nil && len(a.stack) == 0 && a.Tab.Browses()
}

// closesTip has the line go with the first find, or with a key that does nothing else then.
func (a *app) closesTip(action keymap.Action) bool {
	if !a.tips() || action != keymap.Back && action != keymap.Find {
		return false
	}
	a.tip = false
	return action == keymap.Back
}

// tipLine is what the README begins with, as a thing to do.
func (a *app) tipLine() string {
	l := kit.NewLine(a.Styles, a.Size.Width, kit.Raise)
	l.Put(kit.Strong, ` Somebody says "alan" is taken. Press `)
	l.Put(kit.Key, a.Keys.Key(keymap.Find))
	l.Put(kit.Strong, " and type alan.")
	l.Ends(kit.Muted, a.Keys.Key(keymap.Back)+" closes this", a.Size.Width-1)
	return l.Done()
}
