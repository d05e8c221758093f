package ui

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tallylock/dynamo"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/kit"
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
		return state{write: ghosts, heads: true}
	case b == nil && a.Offline != nil:
		return state{write: func(d *kit.Block) { d.Gap(); a.offlineDetail(d) }}
	case b == nil && a.openErr != nil:
		return state{write: func(d *kit.Block) { a.errorState(d, a.openErr) }}
	case b == nil:
		return state{write: func(d *kit.Block) { a.noTable(d) }}
	}
	switch {
	case n > 0:
		return state{}
	case b.err != nil:
		return state{write: func(d *kit.Block) { a.errorState(d, b.err) }}
	case !b.read && b.stopped:
		return state{write: func(d *kit.Block) { a.stoppedState(d) }}
	case !b.read:
		return state{write: ghosts, heads: true}
	case onlyProblems:
		return state{write: func(d *kit.Block) { a.noProblems(d) }, heads: true}
	case len(b.rows.items) > 0 && len(a.Table.Layout.Accounts) == 0 && a.tab == accountsTab:
		return state{}
	}
	return state{write: func(d *kit.Block) { a.empty(d) }}
}

// ghosts are rows that have not come yet.
func ghosts(d *kit.Block) {
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
}

func (a *app) noTable(d *kit.Block) {
	d.Gap()
	d.Gap()
	d.Para(4, kit.Heading, "No table is open.")
	d.Gap()
	a.Advice(d, keymap.Tables, "choose a table")
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
		d.Para(4, kit.Text, words.Percent(part(b.view.Scanned, b.view.Expected))+" of the table is read; the rest was not judged.")
	}
	d.Gap()
	a.Advice(d, keymap.OnlyProblems, "show all again")
}

// noAccounts says why a table's items are shown as they are, and what to do.
func (a *app) noAccounts(d *kit.Block) {
	t := a.Table
	if t.Layout.Empty() && t.Unread() {
		d.Verdict(kit.Sign{Glyph: "!", Style: kit.Warn, Word: "no layout"}, "Nothing was read to recognise the layout by, since auto_read_units is 0.")
		d.Para(14, kit.Text, "Name one with --layout, describe it under [[layout]] in the config, or set auto_read_units to 120 or more.")
		d.Gap()
		return
	}
	if t.Layout.Empty() {
		if leases := t.Leases(); leases != "" {
			d.Verdict(kit.Sign{Glyph: "●", Style: kit.Text, Word: "leases"}, "This table keeps "+leases+": they come and go, and keep no value unique. They are shown as they are.")
			d.Gap()
			return
		}
		d.Verdict(kit.Sign{Glyph: "!", Style: kit.Warn, Word: "no layout"}, "No layout was recognised in this table: its items are shown as they are.")
		d.Para(14, kit.Text, "What was found of it: "+t.Command([]string{"layout"}))
		d.Para(14, kit.Text, "Then name a preset with --layout, or describe its keys under [[layout]] in the config.")
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
	d.Para(4, kit.Heading, "No "+a.tab.String()+" found here.")
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
	case a.tab == locksTab:
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

// errorState says what was tried, why it failed and what to do; for a denied
// permission also what still works.
func (a *app) errorState(d *kit.Block, err error) {
	kind, op, why, do := words.Explain(err)
	d.Gap()
	col := max(13, 3+kit.Width(kind)+2)
	for n, row := range kit.Wrap(words.Sentence(why), d.Width-col-1) {
		d.Row(func(l *kit.Line) {
			if n == 0 {
				l.Put(kit.Warn|kit.Bold, " ! "+kind)
			}
			l.To(col)
			l.Put(kit.Heading, row)
		})
	}
	d.Gap()
	d.LongFact(3, "tried", op)
	if do != "" {
		d.LongFact(3, "do", words.Sentence(do))
	}
	c := a.Connection()
	d.Fact("on", kit.Text.Of(c.Where()), kit.Muted.Of(", as "+c.Name()))
	if known, ok := errors.AsType[*client.Error](err); ok && known.Kind == client.Denied {
		a.stillWorks(d, strings.TrimPrefix(known.Permission, "dynamodb:"))
	}
	d.Gap()
	a.Advice(d, keymap.Reload, "try again")
	a.Advice(d, keymap.Tables, "choose another table")
}

// stillWorks says what a missing permission leaves.
func (a *app) stillWorks(d *kit.Block, denied string) {
	type thing struct {
		words  string
		action keymap.Action
		uses   string // permissions that it does not work without
		other  string // why it does not work here whatever the permissions
	}
	things := []thing{
		{"accounts, locks", keymap.Accounts, "DescribeTable Scan BatchGetItem", ""},
		{"find a value", keymap.Find, "DescribeTable GetItem", ""},
		{"counters", keymap.Counters, "DescribeTable BatchGetItem", ""},
		{"other tables", keymap.Tables, "DescribeTable", ""},
		{"release, bump", "", "UpdateItem DeleteItem TransactWriteItems", ""},
	}
	if a.Table == nil {
		things[0].other, things[1].other = "no table is open", "no table is open"
		things[2].uses += " ListTables" // which tables have any
	} else if len(a.Table.Layout.Counters) == 0 {
		things[2].uses += " ListTables"
	}
	if a.Table != nil && len(a.Table.Layout.Accounts) == 0 {
		things[1].other = "name a --layout"
	}
	if a.WhyWrite(a.wanted) != "" {
		things[4].other = "read-only"
	}
	if denied == "ListTables" {
		things[3].words = "a table by its name"
		things = append(things, thing{"the list of tables", "", "ListTables", ""})
	}
	var works, not []thing
	for _, t := range things {
		switch {
		case slices.ContainsFunc(strings.Fields(t.uses), func(name string) bool { return strings.Contains(denied, name) }):
			t.other = denied
			not = append(not, t)
		case t.other != "":
			not = append(not, t)
		case t.action != "":
			works = append(works, t)
		}
	}
	d.Gap()
	d.Row(func(l *kit.Line) {
		l.To(3)
		l.Put(kit.Muted, "STILL WORKS")
		l.To(38)
		l.Put(kit.Muted, "DOES NOT")
	})
	for n := range max(len(works), len(not)) {
		d.Row(func(l *kit.Line) {
			if n < len(works) {
				l.To(3)
				l.Put(kit.Good, kit.GlyphYes)
				l.Put(kit.Text, " "+works[n].words)
				l.To(26)
				l.Put(kit.Key, a.Keys.Key(works[n].action))
			}
			if n < len(not) {
				l.To(38)
				l.Put(kit.Bad, kit.GlyphNo)
				l.Put(kit.Muted, " "+not[n].words)
				l.To(59)
				l.Words(kit.Muted, not[n].other, l.Width-l.At-1)
			}
		})
	}
}

// offlineDetail says what is wrong, and what that means for what is shown.
func (a *app) offlineDetail(d *kit.Block) {
	o := a.Offline
	_, _, why, do := words.Explain(o.Err)
	d.Row(func(l *kit.Line) {
		l.Put(kit.Warn|kit.Bold, " ! offline")
		l.To(13)
		l.Words(kit.Strong, words.Sentence(why), l.Width-l.At-1)
	})
	d.Fact("why", kit.Text.Of(strings.TrimSuffix(do, ".")))
	d.Row(func(l *kit.Line) {
		l.To(3)
		l.Put(kit.Muted, "next")
		l.To(13)
		left := max(o.Next.Sub(a.Now()), 0)
		if left == 0 {
			l.Put(kit.Text, "tries again now   ")
			a.Working(l, a.Trying(), 16)
			return
		}
		l.Put(kit.Text, fmt.Sprintf("tries again in %d s, after %s", int(left.Seconds()+0.99), words.Plural(o.Tries, "try", "tries")))
		l.Put(kit.Text, "   ")
		total := o.Next.Sub(o.Began)
		bar(l, 1-float64(left)/float64(max(total, 1)), 16)
	})
	so := "what is shown stays; nothing can be changed until it is back"
	if a.tab == countersTab && len(a.counters.rows) == 0 || a.tab.browses() && a.browse == nil {
		so = "nothing was read yet; it begins as soon as the endpoint answers"
	}
	d.Fact("so", kit.Text.Of(so))
}

// bar draws how much of something is done.
func bar(l *kit.Line, part float64, width int) {
	done := int(part * float64(width))
	l.Run(kit.Accent, kit.RuleHeavy, min(max(done, 0), width))
	l.Run(kit.Faint, kit.RuleThin, width-max(done, 0))
}
