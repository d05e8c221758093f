package browse

import (
	"cmp"
	"strconv"

	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/screen"
	"tallylock/ui/session"
	"tallylock/ui/task"
	"tallylock/ui/words"
)

// Instead has a state of the reading stand in a list's place where there are no rows: never
// a blank screen.
func Instead(r *Reading, c *screen.Content, n *Narrowing, rows int) {
	write, heads := state(r, n, rows)
	if write == nil {
		return
	}
	c.Instead, c.Beside = write, nil
	if !heads {
		if !r.Begun() || r.Offline == nil { // it says all there is to say
			c.Beneath = nil
		}
		c.Heads, c.Above = nil, nil
	}
}

// state is what stands in a list's place, and whether the list's heads stand over it; nil
// where there are rows.
func state(r *Reading, narrow *Narrowing, n int) (write func(d *kit.Block), heads bool) {
	b := r.pass
	switch {
	case b == nil && r.Opening != "":
		return screen.Skeleton, true
	case b == nil && r.Offline != nil:
		return func(d *kit.Block) { d.Gap(); screen.Offline(r.Session, d, true) }, false
	case b == nil && r.Failed != nil:
		return func(d *kit.Block) { screen.Failed(r.Session, d, r.Failed) }, false
	case b == nil:
		return func(d *kit.Block) { screen.NoTable(r.Session, d) }, false
	}
	switch {
	case n > 0:
		return nil, false
	case r.Unjudged() && r.Opening != "":
		return screen.Skeleton, true
	case b.err != nil:
		return func(d *kit.Block) { screen.Failed(r.Session, d, b.err) }, false
	case !b.read && b.stopped:
		return func(d *kit.Block) { stopped(r, d) }, false
	case !b.read:
		return screen.Skeleton, true
	case r.Unjudged() && r.Failed != nil: // no account is among the first items
		return func(d *kit.Block) { screen.Failed(r.Session, d, r.Failed) }, false
	case r.Unjudged():
		return screen.Skeleton, true
	case narrow.Looking():
		return screen.Skeleton, true
	case narrow.On() && narrow.all().len() > 0:
		return func(d *kit.Block) { screen.NoneFits(r.Session, d, "row that was read") }, true
	case narrow.OnlyProblems:
		return func(d *kit.Block) { noProblems(r, d) }, true
	case len(b.rows.Items) > 0 && r.Raw() && r.Tab == session.AccountsTab:
		return nil, false
	}
	return func(d *kit.Block) { empty(r, d) }, false
}

// Awaiting says in a detail's place what is awaited, and reports whether anything is.
func Awaiting(r *Reading, d *kit.Block) bool {
	switch b := r.pass; {
	case r.Offline != nil:
		screen.Offline(r.Session, d, b == nil)
	case b == nil && r.Opening != "" || b != nil && b.awaited():
		firstPage(r, d)
	default:
		return false
	}
	return true
}

// firstPage says that the first page is being read.
func firstPage(r *Reading, d *kit.Block) {
	c, name := r.Connection(), cmp.Or(r.Wanted, "tables")
	if r.Table != nil {
		name = r.Table.Name
	}
	d.Row(func(l *kit.Line) {
		l.Put(kit.Muted, " Reading the first page of ")
		l.Put(kit.Text, name)
		l.Put(kit.Muted, " in "+c.Where()+", as ")
		l.Put(kit.Text, c.Name())
		l.Put(kit.Muted, ".")
	})
	screen.Slow(r.Session, d, task.Opening)
}

func stopped(r *Reading, d *kit.Block) {
	d.Gap()
	d.Gap()
	if !r.Table.Connection().ReadsUnasked() {
		d.Para(4, kit.Heading, "Nothing was read, since auto_read_units is 0.")
	} else {
		d.Para(4, kit.Heading, "Stopped before anything was read.")
	}
	d.Gap()
	r.Advice(d, keymap.Reload, "read the table")
	r.Advice(d, keymap.Tables, "choose another table")
}

func noProblems(r *Reading, d *kit.Block) {
	d.Gap()
	b := r.pass
	judged := phrase.Group(strconv.Itoa(b.rows.judged))
	switch {
	case b.view.Complete && b.rows.unjudged == 0:
		d.Para(4, kit.Heading, "Nothing in this table is broken.")
	case b.rows.judged == 0:
		d.Para(4, kit.Heading, "Nothing was judged yet.")
	default:
		d.Para(4, kit.Heading, "None of the "+judged+" values that were judged is broken.")
	}
	if b.rows.unjudged > 0 {
		d.Para(4, kit.Text, phrase.Count(b.rows.unjudged, "value")+" could not be judged: who holds them is not known.")
	}
	if !b.view.Complete {
		d.Para(4, kit.Text, words.Percent(words.Part(b.view.Scanned, b.view.Expected))+" of the table is read; the rest was not judged.")
	}
	d.Gap()
	r.Advice(d, keymap.OnlyProblems, "show all again")
}

// NoAccounts says why a table's items are shown as they are, and what to do.
func NoAccounts(r *Reading, d *kit.Block) {
	t := r.Table
	if t == nil {
		d.Para(1, kit.Text, "These are the table's first items, as they are: "+r.awaits()+".")
		d.Gap()
		return
	}
	if t.Layout.Empty() && t.Sample.Unread() {
		d.Verdict(kit.Sign{Glyph: "!", Style: kit.Warn, Word: "no layout"}, "Nothing was read to recognise the layout by, since auto_read_units is 0.")
		d.Para(14, kit.Text, "Name one with --layout, describe it under [[layout]] in the config, or set auto_read_units to 120 or more.")
		d.Gap()
		return
	}
	if t.Layout.Empty() {
		if leases := t.Sample.Leases(); leases != "" {
			d.Verdict(kit.Sign{Glyph: "●", Style: kit.Text, Word: "leases"}, "This table keeps "+leases+": they come and go, and keep no value unique. They are shown as they are.")
			d.Gap()
			return
		}
		d.Verdict(kit.Sign{Glyph: "!", Style: kit.Warn, Word: "no layout"}, "No layout was recognised in this table: its items are shown as they are.")
		d.Para(14, kit.Text, r.Keys.Key(keymap.Layout)+" shows what was found, and can take it over.")
		d.Gap()
		return
	}
	d.Para(1, kit.Text, "This table keeps counters, no accounts: press "+r.Keys.Key(keymap.Counters)+". These are its items, as they are.")
	d.Gap()
}
