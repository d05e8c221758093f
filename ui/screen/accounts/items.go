package accounts

import (
	"slices"

	"tallylock/dynamo/attr"
	"tallylock/keymap"
	"tallylock/ui/kit"
)

// toItem puts the cursor on the values of an item that was shown as it is, or on the value
// that it locks; at the top, where nobody has moved it, it stays there. Where neither is shown
// nothing is selected.
func (s *shown) toItem(key attr.Key) {
	before := s.list.Cursor
	if before == 0 {
		s.list.Put(0)
		return
	}
	rows, _ := s.rows().(relationList)
	at := slices.IndexFunc(rows.rows, func(row row) bool {
		return row.Relation.Account != nil && row.Relation.Account.Key.Equal(key) || row.Relation.Lock.Key.Equal(key)
	})
	if at >= 0 {
		s.list.Put(at)
		return
	}
	s.list.Put(before)
	s.list.Lost, s.list.At = true, before
}

// whyItems says why a table's items are shown as they are, and what to do.
func (s *Screen) whyItems(d *kit.Block) {
	t := s.Table
	if t == nil {
		d.Para(1, kit.Text, "These are the table's first items, as they are: "+s.reading.Awaits()+".")
		d.Gap()
		return
	}
	if t.Layout.Empty() && t.Sample.Unread() {
		why, do := t.Connection().WhyUnread()
		d.Verdict(kit.Sign{Glyph: "!", Style: kit.Warn, Word: "no layout"},
			"Nothing was read to recognise the layout by, since "+why+".")
		d.Para(14, kit.Text, "Name one with --layout, describe it under [[layout]] in the config, or "+do+".")
		d.Gap()
		return
	}
	if t.Layout.Empty() {
		if leases := t.Sample.Leases(); leases != "" {
			d.Verdict(kit.Sign{Glyph: "●", Style: kit.Text, Word: "leases"},
				"This table keeps "+leases+": they come and go, and keep no value unique. They are shown as they are.")
			d.Gap()
			return
		}
		d.Verdict(kit.Sign{Glyph: "!", Style: kit.Warn, Word: "no layout"},
			"No layout was recognised in this table: its items are shown as they are.")
		d.Para(14, kit.Text, s.Keys.Key(keymap.Layout)+" shows what was found, and can take it over.")
		d.Gap()
		return
	}
	d.Para(1, kit.Text,
		"This table keeps counters, no accounts: press "+s.Keys.Key(keymap.Counters)+". These are its items, as they are.")
	d.Gap()
}
