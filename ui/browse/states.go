package browse

import (
	"cmp"
	"strconv"

	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/screen"
	"tallylock/ui/task"
	"tallylock/ui/words"
)

// Instead has a state of the reading stand in a list's place where there are no rows: never
// a blank screen.
func Instead(n *Narrowing, c *screen.Content, rows int) {
	r := n.reading
	write, heads := state(n, rows)
	if write == nil {
		return
	}
	c.Instead, c.Beside = write, nil
	if !heads {
		if !r.Begun() || r.Offline == nil { // it says all there is to say
			c.Beneath = nil
		}
		c.Heads, c.Above, c.Beside = nil, nil, screen.Permits(r.Session, failure(r))
	}
}

// state is what stands in a list's place, and whether the list's heads stand over it; nil
// where there are rows.
func state(n *Narrowing, rows int) (write func(d *kit.Block), heads bool) {
	r, b := n.reading, n.reading.pass
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
	case rows > 0:
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
	case n.Looking():
		return screen.Skeleton, true
	case n.On() && n.all().Len() > 0:
		return func(d *kit.Block) { screen.NoneFits(r.Session, d, "row that was read") }, true
	case n.OnlyProblems:
		return func(d *kit.Block) { noProblems(r, d) }, true
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
		l.Put(kit.Muted, " Reading ")
		l.Put(kit.Text, name)
		l.Put(kit.Muted, " at "+c.Where()+" (connection ")
		l.Put(kit.Text, c.Name())
		l.Put(kit.Muted, ").")
	})
	screen.Slow(r.Session, d, task.Opening)
}

func stopped(r *Reading, d *kit.Block) {
	said := "Stopped before anything was read."
	if !r.Table.Connection().ReadsUnasked() {
		why, _ := r.Table.Connection().WhyUnread()
		said = "Nothing was read, since " + why + "."
	}
	screen.Nothing(d, said, "", r.Hint(keymap.Reload, "read the table"), r.Hint(keymap.Tables, "choose another table"))
}

func noProblems(r *Reading, d *kit.Block) {
	d.Gap()
	b := r.pass
	judged := phrase.Group(strconv.Itoa(b.counts.judged))
	switch {
	case b.view.Complete && b.counts.unjudged == 0:
		d.Para(4, kit.Heading, "Nothing in this table is broken.")
	case b.counts.judged == 0:
		d.Para(4, kit.Heading, "Nothing was judged yet.")
	default:
		d.Para(4, kit.Heading, "None of the "+judged+" values that were judged is broken.")
	}
	if b.counts.unjudged > 0 {
		d.Para(4, kit.Text, phrase.Count(b.counts.unjudged, "value")+" could not be judged: who holds them is not known.")
	}
	if !b.view.Complete {
		d.Para(4, kit.Text,
			words.Percent(words.Part(b.view.Scanned, b.view.Expected))+" of the table is read; the rest was not judged.")
	}
	d.Gap()
	d.Keys(4, r.Hint(keymap.OnlyProblems, "show all again"))
}
