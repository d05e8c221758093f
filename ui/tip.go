package ui

import (
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/session"
)

// tips reports whether the line of what to try first is shown: over the list that it speaks
// of, once values can be found.
func (f *frame) tips() bool {
	return f.tip && f.watcher.value == nil && f.Table != nil && len(f.screens.stack) == 0 && f.Tab.Browses()
}

// tipLine is what the README begins with, as a thing to do; where it is narrow, without why.
func tipLine(w *session.Window) string {
	find, closes := w.Keys.Key(keymap.Find), w.Keys.Key(keymap.Back)+" closes this"
	why := `Somebody says "alan" is taken. `
	if kit.Width(why+"Press  and type alan."+find+closes)+4 > w.Size.Width {
		why = ""
	}
	l := kit.NewLine(w.Styles, w.Size.Width, kit.Raise)
	l.Put(kit.Strong, " "+why+"Press ")
	l.Put(kit.Key, find)
	l.Put(kit.Strong, " and type alan.")
	l.Ends(kit.Muted, closes, w.Size.Width-1)
	return l.Done()
}
