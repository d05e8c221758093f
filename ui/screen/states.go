package screen

import (
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/session"
)

// Skeleton are rows that have not come yet.
func Skeleton(d *kit.Block) {
	for n, w := range [6]int{15, 4, 14, 6, 18, 8} {
		d.Row(func(l *kit.Line) {
			if n%2 == 0 {
				l.To(2)
				l.Run(kit.Faint, kit.RuleDash, 10)
				l.To(14)
				l.Put(kit.Faint, kit.TreeFirst)
			} else {
				l.To(14)
				l.Put(kit.Faint, kit.TreeLast)
			}
			l.To(16)
			l.Run(kit.Faint, kit.RuleDash, 5+3*(n%2))
			l.To(25)
			l.Run(kit.Faint, kit.RuleDash, w)
		})
	}
}

// NoTable says that no table is open.
func NoTable(s *session.Session, d *kit.Block) {
	Nothing(d, "No table is open.", "", s.Hint(keymap.Tables, "choose a table"))
}

// Nothing stands in place of rows that are not there: why, in a heading and more, and what can
// be done.
func Nothing(d *kit.Block, heading, more string, can ...kit.Hint) {
	d.Gap()
	d.Gap()
	d.Para(4, kit.Heading, heading)
	d.Gap()
	if more != "" {
		d.Para(4, kit.Text, more)
		d.Gap()
	}
	d.Keys(4, can...)
}
