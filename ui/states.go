package ui

import (
	"fmt"
	"strconv"

	"tallylock/dynamo"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/screen"
	"tallylock/ui/session"
	"tallylock/ui/task"
	"tallylock/ui/words"
)

// state is what stands in a list's place: never a blank screen.
type state struct {
	write func(d *kit.Block)
	heads bool // under the list's heads
}

// browseState is the state of the reading that accounts and locks share; write
// is nil where there are rows.
func (a *app) browseState(onlyProblems bool, n int) state {
	b := a.browse
	switch {
	case b == nil && a.opening != "":
		return state{write: screen.Skeleton, heads: true}
	case b == nil && a.Offline != nil:
		return state{write: func(d *kit.Block) { d.Gap(); screen.Offline(a.Session, d, a.unread()) }}
	case b == nil && a.openErr != nil:
		return state{write: func(d *kit.Block) { screen.Failed(a.Session, d, a.openErr) }}
	case b == nil:
		return state{write: func(d *kit.Block) { screen.NoTable(a.Session, d) }}
	}
	switch {
	case n > 0:
		return state{}
	case a.unjudged() && a.opening != "":
		return state{write: screen.Skeleton, heads: true}
	case b.err != nil:
		return state{write: func(d *kit.Block) { screen.Failed(a.Session, d, b.err) }}
	case !b.read && b.stopped:
		return state{write: func(d *kit.Block) { a.stoppedState(d) }}
	case !b.read:
		return state{write: screen.Skeleton, heads: true}
	case onlyProblems:
		return state{write: func(d *kit.Block) { a.noProblems(d) }, heads: true}
	case len(b.rows.items) > 0 && a.accounts.raw() && a.Tab == session.AccountsTab:
		return state{}
	}
	return state{write: func(d *kit.Block) { a.empty(d) }}
}

// readingDetail says what is awaited.
func (a *app) readingDetail(d *kit.Block) {
	c := a.Connection()
	d.Row(func(l *kit.Line) {
		l.Put(kit.Muted, " Reading the first page of ")
		l.Put(kit.Text, a.place())
		l.Put(kit.Muted, " in "+c.Where()+", as ")
		l.Put(kit.Text, c.Name())
		l.Put(kit.Muted, ".")
	})
	screen.Slow(a.Session, d, task.Opening)
}

func (a *app) stoppedState(d *kit.Block) {
	d.Gap()
	d.Gap()
	if !a.Table.Connection().ReadsUnasked() {
		d.Para(4, kit.Heading, "Nothing was read, since auto_read_units is 0.")
	} else {
		d.Para(4, kit.Heading, "Stopped before anything was read.")
	}
	d.Gap()
	a.Advice(d, keymap.Reload, "read the table")
	a.Advice(d, keymap.Tables, "choose another table")
}

func (a *app) noProblems(d *kit.Block) {
	d.Gap()
	b := a.browse
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
	a.Advice(d, keymap.OnlyProblems, "show all again")
}

// noAccounts says why a table's items are shown as they are, and what to do.
func (a *app) noAccounts(d *kit.Block) {
	t := a.Table
	if t == nil {
		d.Para(1, kit.Text, "These are the table's first items, as they are: "+a.awaits()+".")
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
		d.Para(14, kit.Text, a.Keys.Key(keymap.Layout)+" shows what was found of it, and takes what is right over.")
		d.Gap()
		return
	}
	d.Para(1, kit.Text, "This table keeps counters, no accounts: press "+a.Keys.Key(keymap.Counters)+". These are its items, as they are.")
	d.Gap()
}

// empty says what was found where accounts or locks were looked for.
func (a *app) empty(d *kit.Block) {
	b, t := a.browse, a.Table
	d.Gap()
	d.Gap()
	if b.view.Scanned == 0 {
		d.Para(4, kit.Heading, "This table is empty.")
		d.Gap()
		d.Para(4, kit.Text, "It was read to its end, and there is no item in it.")
		d.Gap()
		a.Advice(d, keymap.Reload, "read it again")
		a.Advice(d, keymap.Tables, "choose another table")
		return
	}
	d.Para(4, kit.Heading, "No "+a.Tab.String()+" found here.")
	d.Gap()
	sofar := "items read so far"
	if b.view.Complete {
		sofar = "items"
	}
	switch {
	case len(t.Layout.Accounts) == 0 && t.Layout.Empty():
		d.Para(4, kit.Text, fmt.Sprintf("No layout that we know fits this table. The keys of its %d %s begin with:", b.view.Scanned, sofar))
	case len(t.Layout.Accounts) == 0:
		d.Para(4, kit.Text, fmt.Sprintf("The layout %s keeps counters here. The keys of its %d %s begin with:", t.Layout.Name, b.view.Scanned, sofar))
	case a.Tab == session.LocksTab && len(t.Layout.Constraints()) == 0:
		d.Para(4, kit.Text, fmt.Sprintf("The layout %s has no locks: it says by unique = true which values no two accounts may hold. The keys of its %d %s begin with:", t.Layout.Name, b.view.Scanned, sofar))
	case a.Tab == session.LocksTab:
		d.Para(4, kit.Text, fmt.Sprintf("The layout %s looks for locks, and none of the %d %s is one. Their keys begin with:", t.Layout.Name, b.view.Scanned, sofar))
	default:
		d.Para(4, kit.Text, fmt.Sprintf("The layout %s looks for keys that begin with %s. None of the %d %s has one. Their keys begin with:",
			t.Layout.Name, t.Layout.Accounts[0].PK.Prefix(), b.view.Scanned, sofar))
	}
	d.Gap()
	for _, p := range b.view.Prefixes[:min(len(b.view.Prefixes), 5)] {
		d.Row(func(l *kit.Line) {
			l.To(6)
			l.Fit(kit.Strong, p.Text, 24)
			l.Ends(kit.Text, words.Units(float64(p.Items)), 38)
			l.To(40)
			l.Run(kit.Fill, "▆", max(1, p.Items*(l.Width-44)/max(int(b.view.Scanned), 1)))
		})
	}
	d.Gap()
	if len(t.Layout.Counters) > 0 {
		a.Advice(d, keymap.Counters, "look at the counters")
	}
	a.Advice(d, keymap.Tables, "choose another table")
	if !b.view.Complete {
		a.Advice(d, keymap.Pause, fmt.Sprintf("read on: the rest of the table is about %s read units", words.Units(max(dynamo.LookCost(t).Units-b.view.Units, 1))))
	}
}
