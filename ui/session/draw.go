package session

import (
	"tallylock/keymap"
	"tallylock/ui/kit"
)

// Ground is the ground of what is drawn: darker while a dialog stands over it.
func (s *Session) Ground() kit.Ground {
	if s.Covered {
		return kit.Backdrop
	}
	return kit.Base
}

// Question is row 1 of a list that is looked through: the field, or what is
// looked for. It answers where the words end, too.
func (s *Session) Question(in *kit.Field, typing bool, ghost string) (string, int) {
	l := kit.NewLine(s.Styles, s.Size.Width, s.Ground())
	l.Put(kit.Text, " ")
	l.Put(kit.Key, s.Keys.Key(keymap.Find))
	l.Put(kit.Text, " ")
	if typing {
		in.Draw(l, kit.Heading, s.Size.Width-l.At-1, ghost, true)
	} else {
		l.Fit(kit.Heading, in.Value(), s.Size.Width-l.At-1)
	}
	return l.Done(), min(4+max(kit.ValueWidth(in.Value()), 1), s.Size.Width)
}
