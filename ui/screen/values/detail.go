package values

import (
	"slices"

	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/items"
	"tallylock/ui/kit"
	"tallylock/ui/reading"
	"tallylock/ui/screen"
)

// detail draws the selected row: a value, a raw item, or the heading of a group. wide is true beside the list.
func (s *Screen) detail(d *kit.Block, wide bool) {
	r := s.selected()
	row, isItem := s.item()
	switch {
	case reading.Awaiting(s.reading, d):
	case s.list.Lost:
		s.list.Gone(d)
	case r != nil && wide:
		screen.ValueBeside(d, s.reading.Layout(), r)
		s.youCan(d)
	case r != nil:
		screen.ValueBelow(d, r, s.reading.View().ReadAt)
	case isItem && wide:
		row.Beside(d, "")
		s.youCan(d)
	case isItem:
		row.Below(d, "")
	default:
		s.groupDetail(d)
	}
}

// youCan lists what a person can do with the selected row.
func (s *Screen) youCan(d *kit.Block) {
	at := s.value()
	var point screen.Commands
	if s.raw() {
		point = s.pointing()
	}
	slices.Concat(s.untilOpen(point, s.about(at)), s.copies(at), s.untilOpen(s.changes(at))).YouCan(s.Session, d, 1)
}

// groupDetail draws the detail of a selected heading: how many locks its group has, and how many are broken.
func (s *Screen) groupDetail(d *kit.Block) {
	rows := s.values()
	if s.list.Cursor >= rows.Len() {
		return
	}
	g, _ := rows.Of(s.list.Cursor)
	d.Row(func(l *kit.Line) {
		l.Put(kit.Text, " ")
		l.Put(kit.Heading, phrase.Count(g.total, "lock"))
		l.Put(kit.Text, " begin with ")
		l.Fit(kit.Strong, g.prefix, l.Width-l.At-10)
		if !rows.whole {
			l.Put(kit.Muted, ", so far")
		}
	})
	d.Row(func(l *kit.Line) {
		l.To(1)
		judged := "them"
		if g.judged < g.total {
			judged = "the " + phrase.Number(g.judged) + " checked"
		}
		switch {
		case g.judged == 0:
			l.Put(kit.Muted, "none of them was checked")
		case g.broken == 0:
			l.Put(kit.Muted, "none of "+judged+" is broken")
		default:
			l.Put(kit.Bad, phrase.Count(g.broken, "problem")+" among "+judged)
		}
		if left := g.total - g.judged; left > 0 && g.judged > 0 {
			l.Put(kit.Muted, "; "+phrase.Number(left)+" are not checked yet")
		}
	})
}

// whyItems says why the list shows raw items, and what to do.
func (s *Screen) whyItems(d *kit.Block) {
	t := s.Table
	switch {
	case s.Examples.On:
		items.Pointed(s.Session, d)
	case t == nil:
		d.Para(1, kit.Text, "These are the table's first items: "+s.reading.Awaits()+".")
	case t.Layout.Empty() && t.Sample.Unread():
		why, do := t.Connection().WhyUnread()
		d.Verdict(noLayout, "The layout is unknown, because "+why+".")
		d.Para(14, kit.Text, "Name one with --layout, describe it under [[layout]] in the config, or "+do+".")
	case t.Layout.Empty() && t.Sample.Leases() != "":
		d.Verdict(kit.Sign{Glyph: "●", Style: kit.Text, Word: "leases"},
			"This table keeps "+t.Sample.Leases()+": they are temporary, and keep no value unique. They are shown without a layout.")
	case t.Layout.Empty():
		d.Verdict(noLayout, "Press "+s.Keys.Key(keymap.IsAccount)+" on an account, then "+s.Keys.Key(keymap.ItsLock)+
			" on the lock of its value.")
	default:
		d.Para(1, kit.Text,
			"This table keeps counters, no accounts: press "+s.Keys.Key(keymap.Counters)+". These are its raw items.")
	}
	d.Gap()
}

// noLayout is the sign of a table without a layout.
var noLayout = kit.Sign{Glyph: "!", Style: kit.Warn, Word: "no layout"}
