package reading

import (
	"cmp"
	"fmt"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/say"
	"tallylock/ui/screen"
	"tallylock/ui/task"
)

// EmptyState draws a state of the reading in place of a list without rows, so that the screen is never
// blank.
func EmptyState(n *Narrowing, c *screen.Content, rows int) {
	r := n.reading
	write, heads := state(n, rows)
	if write == nil {
		return
	}
	c.EmptyState, c.DetailSide = write, nil
	if !heads {
		if !r.Begun() || r.Offline == nil { // the state replaces the detail, too
			c.DetailBelow = nil
		}
		c.Heads, c.Intro, c.DetailSide = nil, nil, screen.Permits(r.Session, failure(r))
	}
}

// state returns the function that draws the state in place of the list; nil if the list has rows.
// heads reports whether the list's headings stay above it.
func state(n *Narrowing, rows int) (write func(d *kit.Block), heads bool) {
	r, b := n.reading, n.reading.tableRead
	switch {
	case b == nil && r.opening != "":
		return screen.Skeleton, true
	case b == nil && r.Offline != nil:
		return func(d *kit.Block) { d.Gap(); screen.Offline(r.Session, d, true) }, false
	case b == nil && r.failed != nil:
		return func(d *kit.Block) { screen.Failed(r.Session, d, r.failed) }, false
	case b == nil:
		return func(d *kit.Block) { screen.NoTable(r.Session, d) }, false
	}
	switch {
	case rows > 0:
		return nil, false
	case r.Unjudged() && r.opening != "":
		return screen.Skeleton, true
	case b.err != nil:
		return func(d *kit.Block) { screen.Failed(r.Session, d, b.err) }, false
	case !b.read && b.stopped:
		return func(d *kit.Block) { stopped(r, d) }, false
	case !b.read:
		return screen.Skeleton, true
	case r.Unjudged() && r.failed != nil: // the first items include no account
		return func(d *kit.Block) { screen.Failed(r.Session, d, r.failed) }, false
	case r.Unjudged():
		return screen.Skeleton, true
	case n.Looking():
		return screen.Skeleton, true
	case n.On() && n.Unfiltered().Len() > 0:
		return func(d *kit.Block) { screen.NoneFits(r.Session, d, "rows") }, true
	case n.OnlyProblems:
		return func(d *kit.Block) { noProblems(r, d) }, true
	}
	return func(d *kit.Block) { empty(n, d) }, false
}

// Awaiting draws, in place of a detail, what the screen waits for. It reports whether there is
// anything to wait for.
func Awaiting(r *Reading, d *kit.Block) bool {
	switch b := r.tableRead; {
	case r.Offline != nil:
		screen.Offline(r.Session, d, b == nil)
	case b == nil && r.opening != "" || b != nil && b.awaited():
		firstPage(r, d)
	default:
		return false
	}
	return true
}

// firstPage says that the first page is being read.
func firstPage(r *Reading, d *kit.Block) {
	name := cmp.Or(r.Wanted, "tables")
	if r.Table != nil {
		name = r.Table.Name
	}
	screen.Reading(r.Session, d, name, task.Opening)
}

func stopped(r *Reading, d *kit.Block) {
	said := "Stopped before anything was read."
	if !r.Table.Connection().ReadsUnasked() {
		why, _ := r.Table.Connection().WhyUnread()
		said = "Nothing was read, because " + why + "."
	}
	screen.Nothing(d, said, "", r.Hint(keymap.Reload, "read the table"), r.Hint(keymap.Tables, "choose another table"))
}

func noProblems(r *Reading, d *kit.Block) {
	d.Gap()
	b := r.tableRead
	judged := phrase.Number(b.counts.judged)
	switch {
	case b.view.Complete && b.counts.unjudged == 0:
		d.Para(4, kit.Heading, "No value in this table is broken.")
	case b.counts.judged == 0:
		d.Para(4, kit.Heading, "Nothing has been checked yet.")
	default:
		d.Para(4, kit.Heading, "None of the "+judged+" checked values is broken.")
	}
	if b.counts.unjudged > 0 {
		d.Para(4, kit.Text, phrase.Count(b.counts.unjudged, "value")+" with unknown holders.")
	}
	if !b.view.Complete {
		d.Para(4, kit.Text,
			say.Percent(say.Part(b.view.Scanned, b.view.Expected))+" of the table is read; the rest is unchecked.")
	}
	d.Gap()
	d.Keys(4, r.Hint(keymap.OnlyProblems, "show all again"))
}

// empty says what was read, if it included no accounts or no locks.
func empty(n *Narrowing, d *kit.Block) {
	r := n.reading
	b, t := r.tableRead, r.Table
	if b.view.Scanned == 0 {
		screen.Nothing(d, "This table is empty.", "It was read to its end, and has no items.",
			r.Hint(keymap.Reload, "read it again"), r.Hint(keymap.Tables, "choose another table"))
		return
	}
	sofar := "items read so far"
	if b.view.Complete {
		sofar = "items"
	}
	screen.Nothing(d, "No "+n.noun+" found here.", whyEmpty(r, n.noun, sofar))
	for _, p := range b.view.Prefixes[:min(len(b.view.Prefixes), 5)] {
		d.Row(func(l *kit.Line) {
			l.To(6)
			l.Fit(kit.Strong, p.Text, 24)
			l.Ends(kit.Text, say.Units(float64(p.Items)), 38)
			l.To(40)
			l.Run(kit.Fill, "▆", max(1, p.Items*(l.Width-44)/max(int(b.view.Scanned), 1)))
		})
	}
	d.Gap()
	var next []kit.Hint
	if len(t.Layout.Counters) > 0 {
		next = append(next, r.Hint(keymap.Counters, "look at the counters"))
	}
	next = append(next, r.Hint(keymap.Tables, "choose another table"))
	if !b.view.Complete {
		rest := say.ReadUnits(max(dynamo.AccountsCost(t).Units-b.view.Units, 1))
		next = append(next, r.Hint(keymap.Pause, "read on: the rest of the table costs about "+rest))
	}
	d.Keys(4, next...)
}

// whyEmpty says what the layout looks for, and introduces the list of what was read.
func whyEmpty(r *Reading, noun, sofar string) string {
	l, n := r.Table.Layout, r.tableRead.view.Scanned
	switch {
	case len(l.Accounts) == 0 && l.Empty():
		return fmt.Sprintf("No known layout fits this table. The keys of its %d %s begin with:", n, sofar)
	case len(l.Accounts) == 0:
		return fmt.Sprintf("The layout %s keeps counters here. The keys of its %d %s begin with:", l.Name, n, sofar)
	case noun == "locks" && len(l.Constraints()) == 0:
		says := "The layout %s has no locks. Its rules with unique = true allow each value for one account only."
		return fmt.Sprintf(says+" The keys of its %d %s begin with:", l.Name, n, sofar)
	case noun == "locks":
		says := "The layout %s looks for locks, but none of the %d %s is one. Their keys begin with:"
		return fmt.Sprintf(says, l.Name, n, sofar)
	}
	says := "The layout %s looks for keys that begin with %s. None of the %d %s has such a key. Their keys begin with:"
	return fmt.Sprintf(says, l.Name, l.Accounts[0].PK.Prefix(), n, sofar)
}

// Coverage returns the completeness line of accounts and locks. at and of are the cursor's place
// and the number of rows. order is the name of their order; empty for the order of reading.
func Coverage(n *Narrowing, at, of int, order string) *kit.Coverage {
	r, b := n.reading, n.reading.tableRead
	c := screen.Cover(r.Session, task.Opening, task.Paging, task.Describing, n.by)
	if b == nil {
		return c
	}
	if !b.read {
		c.Part = 0
		if b.awaited() {
			c.Right = []kit.Span{kit.Muted.Of("first page, " + say.Lasts(r.Now().Sub(b.began).Truncate(100*time.Millisecond)))}
		} else {
			c.Part, c.Right = 1, []kit.Span{kit.Muted.Of("nothing has been read")}
		}
		return c
	}
	c.Left = placeIn(n, at, of, order)
	v := b.view
	switch {
	case r.Unjudged():
		c.Part, c.Right = say.Part(v.Scanned, v.Expected), []kit.Span{kit.Warn.Of(r.Awaits())}
	case r.Old():
		c.Right = screen.AsItWas(r.Session, v.ReadAt)
	case v.Complete:
		c.Reach = []string{"whole table, " + phrase.Count(int(v.Scanned), "item"), "whole table"}
		c.Right = sureness(r, b)
	default:
		c.Part = say.Part(v.Scanned, v.Expected)
		how := " read · provisional"
		switch {
		case r.Table == nil || !r.Table.Connection().UnitsSpent():
		case r.Size.Width >= 100:
			how += " · " + r.Connection().Reached()
		default:
			how = " read · limit reached"
		}
		switch on := " · " + r.Keys.Key(keymap.Pause) + " reads "; {
		case r.Size.Width < 80 || !b.stopped && !b.paused || r.WhyBudget(b.whole) != "":
		case b.whole > 0:
			how = " read" + on + "all, " + say.Price(b.whole)
		default:
			how += on + "on"
		}
		c.Right = []kit.Span{kit.Warn.Of(say.Percent(c.Part) + how)}
	}
	return c
}

// placeIn shows the cursor's place, the order of the rows, and how many are marked or broken.
func placeIn(n *Narrowing, at, of int, order string) []kit.Span {
	r, b := n.reading, n.reading.tableRead
	out := []kit.Span{kit.Muted.Of(say.Position(at, of, false))}
	marked := len(r.Marks.Order) > 0
	if n.On() || marked && r.Size.Width < 100 {
		order = ""
	}
	if n.On() {
		found := " found, of " + phrase.Number(n.Unfiltered().Len()) + " that were read"
		if n.OnlyProblems {
			found = " found, of " + phrase.Number(n.Unfiltered().Len()) + " with problems"
		}
		if since, busy := r.Tasks.Since(n.by); busy && n.Looking() && r.Phase(since) >= 0 {
			found = " so far, filtering…"
		}
		if marked && r.Size.Width < 100 {
			found = " found"
		}
		out = append(out, kit.Muted.Of(found))
	}
	if order != "" {
		out = append(out, kit.Muted.Of(" · "), kit.Text.Of(order))
	}
	switch broken := b.counts.Broken; {
	case marked:
		out = append(out, r.Marks.Words()...)
	case n.On():
	case n.OnlyProblems:
		out = append(out, kit.Muted.Of(" · "), kit.Text.Of("only problems"))
	case broken > 0 && (order == "" || r.Size.Width >= 100):
		style, mark := kit.Bad|kit.Bold, ""
		if b.counts.unsure == broken {
			style, mark = kit.Muted, "?"
		}
		out = append(out, kit.Muted.Of(" · "), style.Of(phrase.Count(broken, "problem")+mark))
	}
	return out
}

// sureness says how sure the verdicts are, for a table that was read to its end.
func sureness(r *Reading, b *tableRead) []kit.Span {
	v := b.view
	switch {
	case b.counts.Open > 0:
		return []kit.Span{kit.Warn.Of(phrase.Count(b.counts.Open, "value") + " not checked yet")}
	case !v.Confirmed.IsZero():
		return []kit.Span{kit.Good.Of(kit.GlyphYes), kit.Muted.Of(" confirmed " + v.Confirmed.Local().Format("15:04"))}
	case len(v.Provisional()) == 0:
		return []kit.Span{kit.Muted.Of("read " + v.ReadAt.Local().Format("15:04"))}
	}
	word := "provisional"
	if _, on := r.Tasks.Since(task.Confirming); on {
		word = "looking again"
	}
	return []kit.Span{kit.Warn.Of(word)}
}
