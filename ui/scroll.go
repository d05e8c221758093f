package ui

import (
	"tallylock/ui/kit"
)

// scroll is how far a dialog is scrolled that the window is too low for.
type scroll struct {
	top   int  // the first row shown; below 0 the dialog shows what has the focus
	drawn int  // the first row that was shown
	over  int  // how many rows there is no room for
	reads bool // nothing in it has the focus
	away  bool // what has the focus is out of view
}

func (s *scroll) drew(b *kit.Box) {
	s.drawn, s.over, s.reads, s.away = b.Top, b.Over, b.Reads(), b.Away
}

// by scrolls so many rows.
func (s *scroll) by(rows int) { s.top = max(min(s.drawn+rows, s.over), 0) }

// key takes a key, and reports whether it scrolls. Any other shows what has the focus again;
// one that presses what is out of view does no more than that.
func (s *scroll) key(key string, presses bool) bool {
	const page = 6
	by := map[string]int{"pgdown": page, "pgup": -page}[key]
	if s.reads && by == 0 {
		by = map[string]int{"down": 1, "j": 1, "up": -1, "k": -1}[key]
	}
	if s.over == 0 || by == 0 {
		s.top = -1
		return presses && s.away
	}
	s.by(by)
	return true
}
