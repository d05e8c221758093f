package ui

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
)

// state is what stands in a list's place: never a blank screen.
type state struct {
	write func(d *doc)
	heads bool // under the list's heads
}

// browseState is the state of the reading that accounts and locks share; write
// is nil where there are rows.
func (a *app) browseState(onlyProblems bool, n int) state {
	b := a.browse
	switch {
	case b == nil && a.opening != "":
		return state{write: ghosts, heads: true}
	case b == nil && a.offline != nil:
		return state{write: func(d *doc) { d.gap(); a.offlineDetail(d) }}
	case b == nil && a.openErr != nil:
		return state{write: func(d *doc) { a.errorState(d, a.openErr) }}
	case b == nil:
		return state{write: func(d *doc) { a.noTable(d) }}
	}
	switch {
	case n > 0:
		return state{}
	case b.err != nil:
		return state{write: func(d *doc) { a.errorState(d, b.err) }}
	case !b.read && b.stopped:
		return state{write: func(d *doc) { a.stoppedState(d) }}
	case !b.read:
		return state{write: ghosts, heads: true}
	case onlyProblems:
		return state{write: func(d *doc) { a.noProblems(d) }, heads: true}
	case len(b.rows.items) > 0 && len(a.table.Layout.Accounts) == 0 && a.tab == accountsTab:
		return state{}
	}
	return state{write: func(d *doc) { a.empty(d) }}
}

// ghosts are rows that have not come yet.
func ghosts(d *doc) {
	for n, w := range [6]int{15, 4, 14, 6, 18, 8} {
		d.row(func(l *line) {
			if n%2 == 0 {
				l.to(2)
				l.run(asFaint, ruleDash, 10)
				l.to(14)
				l.put(asFaint, treeFirst)
			} else {
				l.to(14)
				l.put(asFaint, treeLast)
			}
			l.to(16)
			l.run(asFaint, ruleDash, 5+3*(n%2))
			l.to(25)
			l.run(asFaint, ruleDash, w)
		})
	}
}

// readingDetail says what is awaited.
func (a *app) readingDetail(d *doc) {
	c := a.connection()
	d.row(func(l *line) {
		l.put(asMuted, " Reading the first page of ")
		l.put(asText, a.place())
		l.put(asMuted, " in "+c.Where()+", as ")
		l.put(asText, c.Name())
		l.put(asMuted, ".")
	})
}

func (a *app) noTable(d *doc) {
	d.gap()
	d.gap()
	d.para(4, asBold, "No table is open.")
	d.gap()
	a.advice(d, keymap.Tables, "choose a table")
}

func (a *app) stoppedState(d *doc) {
	d.gap()
	d.gap()
	if !a.table.Connection().ReadsUnasked() {
		d.para(4, asBold, "Nothing was read, since auto_read_units is 0.")
	} else {
		d.para(4, asBold, "Stopped before anything was read.")
	}
	d.gap()
	a.advice(d, keymap.Reload, "read the table")
	a.advice(d, keymap.Tables, "choose another table")
}

func (a *app) noProblems(d *doc) {
	d.gap()
	b := a.browse
	judged := phrase.Group(strconv.Itoa(b.rows.judged))
	switch {
	case b.view.Complete && b.rows.unjudged == 0:
		d.para(4, asBold, "Nothing in this table is broken.")
	case b.rows.judged == 0:
		d.para(4, asBold, "Nothing was judged yet.")
	default:
		d.para(4, asBold, "None of the "+judged+" values that were judged is broken.")
	}
	if b.rows.unjudged > 0 {
		d.para(4, asText, phrase.Count(b.rows.unjudged, "value")+" could not be judged: who holds them is not known.")
	}
	if !b.view.Complete {
		d.para(4, asText, percent(part(b.view.Scanned, b.view.Expected))+" of the table is read; the rest was not judged.")
	}
	d.gap()
	a.advice(d, keymap.OnlyProblems, "show all again")
}

// noAccounts says why a table's items are shown as they are, and what to do.
func (a *app) noAccounts(d *doc) {
	t := a.table
	if t.Layout.Empty() && t.Unread() {
		d.verdict(sign{"!", asWarn, "no layout", false}, "Nothing was read to recognise the layout by, since auto_read_units is 0.")
		d.para(14, asText, "Name one with --layout, describe it under [[layout]] in the config, or set auto_read_units to 120 or more.")
		d.gap()
		return
	}
	if t.Layout.Empty() {
		if leases := t.Leases(); leases != "" {
			d.verdict(sign{"●", asText, "leases", false}, "This table keeps "+leases+": they come and go, and keep no value unique. They are shown as they are.")
			d.gap()
			return
		}
		d.verdict(sign{"!", asWarn, "no layout", false}, "No layout was recognised in this table: its items are shown as they are.")
		d.para(14, asText, "What was found of it: "+t.Command([]string{"layout"}))
		d.para(14, asText, "Then name a preset with --layout, or describe its keys under [[layout]] in the config.")
		d.gap()
		return
	}
	d.para(1, asText, "This table keeps counters, no accounts: press "+a.keys.Key(keymap.Counters)+". These are its items, as they are.")
	d.gap()
}

// empty says what was found where accounts or locks were looked for.
func (a *app) empty(d *doc) {
	b, t := a.browse, a.table
	d.gap()
	d.gap()
	if b.view.Scanned == 0 {
		d.para(4, asBold, "This table is empty.")
		d.gap()
		d.para(4, asText, "It was read to its end, and there is no item in it.")
		d.gap()
		a.advice(d, keymap.Reload, "read it again")
		a.advice(d, keymap.Tables, "choose another table")
		return
	}
	d.para(4, asBold, "No "+a.tab.String()+" found here.")
	d.gap()
	sofar := "items read so far"
	if b.view.Complete {
		sofar = "items"
	}
	switch {
	case len(t.Layout.Accounts) == 0 && t.Layout.Empty():
		d.para(4, asText, fmt.Sprintf("No layout that we know fits this table. The keys of its %d %s begin with:", b.view.Scanned, sofar))
	case len(t.Layout.Accounts) == 0:
		d.para(4, asText, fmt.Sprintf("The layout %s keeps counters here. The keys of its %d %s begin with:", t.Layout.Name, b.view.Scanned, sofar))
	case a.tab == locksTab:
		d.para(4, asText, fmt.Sprintf("The layout %s looks for locks, and none of the %d %s is one. Their keys begin with:", t.Layout.Name, b.view.Scanned, sofar))
	default:
		d.para(4, asText, fmt.Sprintf("The layout %s looks for keys that begin with %s. None of the %d %s has one. Their keys begin with:",
			t.Layout.Name, t.Layout.Accounts[0].PK.Prefix(), b.view.Scanned, sofar))
	}
	d.gap()
	for _, p := range b.view.Prefixes[:min(len(b.view.Prefixes), 5)] {
		d.row(func(l *line) {
			l.to(6)
			l.fit(asStrong, p.Text, 24)
			l.ends(asText, units(float64(p.Items)), 38)
			l.to(40)
			l.run(asFill, "▆", max(1, p.Items*(l.width-44)/max(int(b.view.Scanned), 1)))
		})
	}
	d.gap()
	if len(t.Layout.Counters) > 0 {
		a.advice(d, keymap.Counters, "look at the counters")
	}
	a.advice(d, keymap.Tables, "choose another table")
	if !b.view.Complete {
		a.advice(d, keymap.Pause, fmt.Sprintf("read on: the rest of the table is about %s read units", units(max(dynamo.LookCost(t).Units-b.view.Units, 1))))
	}
}

func (a *app) advice(d *doc, action keymap.Action, words string) {
	if key := a.keys.Key(action); key != "" {
		d.row(func(l *line) {
			l.to(4)
			l.put(asKey, key)
			l.words(asText, " "+words, l.width-l.at-1)
		})
	}
}

// errorState says what was tried, why it failed and what to do; for a denied
// permission also what still works.
func (a *app) errorState(d *doc, err error) {
	kind, op, why, do := explain(err)
	d.gap()
	col := max(13, 3+cells(kind)+2)
	for n, row := range wrap(sentence(why), d.width-col-1) {
		d.row(func(l *line) {
			if n == 0 {
				l.put(asWarn|bold, " ! "+kind)
			}
			l.to(col)
			l.put(asBold, row)
		})
	}
	d.gap()
	d.told(3, "tried", op)
	if do != "" {
		d.told(3, "do", sentence(do))
	}
	c := a.connection()
	d.fact("on", span{asText, c.Where()}, span{asMuted, ", as " + c.Name()})
	if known, ok := errors.AsType[*client.Error](err); ok && known.Kind == client.Denied {
		a.stillWorks(d, strings.TrimPrefix(known.Permission, "dynamodb:"))
	}
	d.gap()
	a.advice(d, keymap.Reload, "try again")
	a.advice(d, keymap.Tables, "choose another table")
}

// stillWorks says what a missing permission leaves.
func (a *app) stillWorks(d *doc, denied string) {
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
	if a.table == nil {
		things[0].other, things[1].other = "no table is open", "no table is open"
		things[2].uses += " ListTables" // which tables have any
	} else if len(a.table.Layout.Counters) == 0 {
		things[2].uses += " ListTables"
	}
	if a.table != nil && len(a.table.Layout.Accounts) == 0 {
		things[1].other = "name a --layout"
	}
	if a.whyWrite(a.wanted) != "" {
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
	d.gap()
	d.row(func(l *line) {
		l.to(3)
		l.put(asMuted, "STILL WORKS")
		l.to(38)
		l.put(asMuted, "DOES NOT")
	})
	for n := range max(len(works), len(not)) {
		d.row(func(l *line) {
			if n < len(works) {
				l.to(3)
				l.put(asGood, glyphYes)
				l.put(asText, " "+works[n].words)
				l.to(26)
				l.put(asKey, a.keys.Key(works[n].action))
			}
			if n < len(not) {
				l.to(38)
				l.put(asBad, glyphNo)
				l.put(asMuted, " "+not[n].words)
				l.to(59)
				l.words(asMuted, not[n].other, l.width-l.at-1)
			}
		})
	}
}

// explain takes an error apart into the words of a state.
func explain(err error) (kind, op, why, do string) {
	var known *client.Error
	if errors.As(err, &known) {
		return string(known.Kind), known.Op, known.Why, known.Do
	}
	return "failed", "", err.Error(), ""
}

// outage is an endpoint that does not answer: what is shown stays, and is tried
// again.
type outage struct {
	err   error
	tries int
	next  time.Time
	began time.Time
	retry func() tea.Cmd
}

// failed takes an error of a background errand in: an endpoint that cannot be
// reached is tried again, longer apart each time.
func (a *app) failed(err error, retry func() tea.Cmd) tea.Cmd {
	if k := client.KindOf(err); k != client.Unreachable {
		return nil
	}
	if a.offline == nil {
		a.offline = &outage{}
	}
	o := a.offline
	o.err, o.retry, o.began = err, retry, a.now()
	o.tries++
	pause := min(time.Duration(1)<<min(o.tries, 5)*time.Second, 30*time.Second)
	o.next = o.began.Add(pause)
	return a.flights.after(pause, func() tea.Cmd {
		if a.offline != o || a.now().Before(o.next) {
			return nil
		}
		return o.retry()
	})
}

// reached notes that the endpoint answers.
func (a *app) reached() { a.offline = nil }

// tryNow does not wait for the next try.
func (a *app) tryNow() tea.Cmd {
	if a.offline == nil {
		return nil
	}
	return a.offline.retry()
}

// offlineDetail says what is wrong, and what that means for what is shown.
func (a *app) offlineDetail(d *doc) {
	o := a.offline
	_, _, why, do := explain(o.err)
	d.row(func(l *line) {
		l.put(asWarn|bold, " ! offline")
		l.to(13)
		l.words(asStrong, sentence(why), l.width-l.at-1)
	})
	d.fact("why", span{asText, strings.TrimSuffix(do, ".")})
	d.row(func(l *line) {
		l.to(3)
		l.put(asMuted, "next")
		l.to(13)
		left := max(o.next.Sub(a.now()), 0)
		if left == 0 {
			l.put(asText, "tries again now   ")
			a.working(l, a.trying(), 16)
			return
		}
		l.put(asText, fmt.Sprintf("tries again in %d s, after %s", int(left.Seconds()+0.99), plural2(o.tries, "try", "tries")))
		l.put(asText, "   ")
		total := o.next.Sub(o.began)
		bar(l, 1-float64(left)/float64(max(total, 1)), 16)
	})
	so := "what is shown stays; nothing can be changed until it is back"
	if a.tab == countersTab && len(a.counters.rows) == 0 || a.tab.browses() && a.browse == nil {
		so = "nothing was read yet; it begins as soon as the endpoint answers"
	}
	d.fact("so", span{asText, so})
}

// trying is the errand that tries to reach the endpoint again.
func (a *app) trying() errand {
	for _, e := range [3]errand{opening, polling, paging} {
		if _, busy := a.flights.busy(e); busy {
			return e
		}
	}
	return paging
}

// bar draws how much of something is done.
func bar(l *line, part float64, width int) {
	done := int(part * float64(width))
	l.run(asAccent, ruleHeavy, min(max(done, 0), width))
	l.run(asFaint, ruleThin, width-max(done, 0))
}

func percent(part float64) string {
	if part > 0 && part < 0.01 {
		return fmt.Sprintf("%.1f %%", part*100)
	}
	return fmt.Sprintf("%d %%", int(part*100))
}
