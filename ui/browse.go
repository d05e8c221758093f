package ui

import (
	"context"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
)

// browse is the reading of the open table, which accounts and locks share.
type browse struct {
	browser *dynamo.Browser
	view    dynamo.View
	rows    rows
	err     error // why the last page did not come
	began   time.Time
	read    bool // a page has come
	old     bool // what is shown is of the reading before this one
	stopped bool // by the user: what was read stays
	small   bool // read to its end unasked
	order   order
}

// awaited reports whether the first page is under way.
func (b *browse) awaited() bool { return !b.read && !b.stopped && b.err == nil }

// rows are the lists made of a View, off the screen's own goroutine.
type rows struct {
	accounts, problems []relationRow
	locks              []lockRow
	problemLocks       []lockRow
	items              []itemRow
	broken, unsure     int
	judged, unjudged   int // values and locks
}

// page is what a Next or a Confirm brings.
type page struct {
	view dynamo.View
	rows rows
}

func newPage(v dynamo.View, schema attr.Schema, sorted bool, by order) page {
	p := page{view: v}
	p.rows.accounts = relationRows(v.Relations, false, by)
	p.rows.problems = relationRows(v.Relations, true, by)
	p.rows.locks = lockRows(v.Locks, false, sorted)
	p.rows.problemLocks = lockRows(v.Locks, true, sorted)
	if len(v.Relations) == 0 && len(v.Locks) == 0 {
		p.rows.items = itemRows(v.Items, schema)
	}
	p.rows.unjudged = v.Unmatched
	seen := map[string]bool{}
	for _, r := range v.Relations {
		if r.Verdict == dynamo.Unknown {
			p.rows.unjudged++
		} else {
			p.rows.judged++
		}
		if !r.Verdict.Broken() {
			continue
		}
		if r.Lock.Key.Hash.Name != "" {
			id := r.Lock.Table + "\x00" + r.Lock.Key.ID()
			if seen[id] {
				continue // two accounts on one value are one problem
			}
			seen[id] = true
		}
		p.rows.broken++
		if r.Provisional {
			p.rows.unsure++
		}
	}
	return p
}

// start reads the open table from its beginning.
func (a *app) start() tea.Cmd {
	a.browse = nil
	a.accounts.reset()
	a.locks.reset()
	if !a.table.Connection().ReadsUnasked() {
		a.browse = &browse{browser: a.table.Browse(), began: a.now(), stopped: true}
		return nil // nothing is read unasked
	}
	return a.reread()
}

// reread reads the open table again from its beginning. What was read before
// stays on the screen until the first page has come.
func (a *app) reread() tea.Cmd {
	a.outdated = false
	a.flights.drop(paging)
	a.flights.drop(confirming)
	fresh := &browse{browser: a.table.Browse(), began: a.now()}
	if old := a.browse; old != nil {
		fresh.view, fresh.rows, fresh.read, fresh.old, fresh.order = old.view, old.rows, old.read, old.read, old.order
	}
	a.browse = fresh
	return a.readPage()
}

// readPage reads on by a page.
func (a *app) readPage() tea.Cmd {
	b := a.browse
	b.stopped, b.err = false, nil
	schema := a.table.Schema
	if !b.small {
		b.small = b.browser.ReadOn()
	}
	sorted, by := b.small, b.order // a list that grows under the cursor keeps its order
	return send(a.flights, paging, func(ctx context.Context) (page, error) {
		v, err := b.browser.Next(ctx)
		if err != nil {
			return page{}, err
		}
		return newPage(v, schema, sorted, by), nil
	}, func(p page, err error) tea.Cmd { return a.pageLanded(b, p, err) })
}

func (a *app) pageLanded(b *browse, p page, err error) tea.Cmd {
	if b != a.browse {
		return nil
	}
	b.err = err
	if err != nil {
		if client.KindOf(err) == client.Cancelled {
			b.stopped = true
			return nil
		}
		if b.read && client.KindOf(err) != client.Unreachable { // the rows leave no room to say it
			_, _, why, do := explain(err)
			return a.complain(strings.TrimSpace(sentence(why) + " " + sentence(do)))
		}
		return a.failed(err, a.readPage)
	}
	a.reached()
	a.fill(p)
	b.read, b.old = true, false
	switch {
	case b.browser.ReadOn():
		return a.readPage()
	case b.view.Complete && b.small && len(b.view.Provisional()) > 0 && b.view.Confirmed.IsZero():
		return a.confirm()
	}
	return a.readAhead()
}

// confirm looks a second time at what is provisional, in a table so small that
// this costs next to nothing.
func (a *app) confirm() tea.Cmd {
	b := a.browse
	schema, by := a.table.Schema, b.order
	return send(a.flights, confirming, func(ctx context.Context) (page, error) {
		v, err := b.browser.Confirm(ctx)
		if err != nil {
			return page{}, err
		}
		return newPage(v, schema, true, by), nil
	}, func(p page, err error) tea.Cmd {
		if b != a.browse || err != nil {
			return nil // it stays provisional, which is what is on the screen
		}
		a.fill(p)
		return nil
	})
}

// fill puts what was read on the screen. Rows may have moved: the cursors stay on what
// they are on.
func (a *app) fill(p page) {
	a.accounts.list.hold(a.accounts.rows(80))
	a.locks.list.hold(a.locks.rows(80))
	a.browse.view, a.browse.rows = p.view, p.rows
	a.accounts.list.follow(a.accounts.rows(80))
	a.locks.list.follow(a.locks.rows(80))
}

// readAhead reads the next page when the cursor comes near the end of what was
// read.
func (a *app) readAhead() tea.Cmd {
	if s, ok := a.top().(*findScreen); ok {
		return tea.Batch(s.trace(), a.readOnAhead())
	}
	return a.readOnAhead()
}

func (a *app) readOnAhead() tea.Cmd {
	if a.tab == journalTab && len(a.stack) == 0 {
		return a.journal.load()
	}
	b := a.browse
	if b == nil || !b.read || b.view.Complete || b.stopped || b.err != nil || !a.tab.browses() {
		return nil
	}
	if _, busy := a.flights.busy(paging); busy {
		return nil
	}
	s := a.tabScreen().content()
	last := s.list.cursor
	if s.list.lost {
		last = max(last, s.list.at) // as far as it was read before
	}
	if s.rows != nil && last+3*a.size.h < s.rows.Len() {
		return nil
	}
	return a.readPage()
}

// onlyHint says what the key that leaves only problems does.
func onlyHint(only bool) string {
	if only {
		return "show all"
	}
	return "only problems"
}

// isOld reports whether the rows on the screen are those of before: the endpoint
// is away, or reading again did not get anywhere.
func (a *app) isOld() bool {
	b := a.browse
	return a.offline != nil || b != nil && b.old && (b.err != nil || b.stopped)
}

// stop ends the reading; what was read stays.
func (a *app) stop() tea.Cmd {
	if a.flights.cancel(paging) || a.flights.cancel(confirming) {
		a.browse.stopped = true
		return a.say("Stopped. What was read stays.")
	}
	return nil
}

// readOn goes on where stop ended it.
func (a *app) readOn() tea.Cmd {
	if a.browse == nil || a.browse.view.Complete && !a.browse.old {
		return a.say("The whole table is read.")
	}
	if _, busy := a.flights.busy(paging); busy {
		return a.stop()
	}
	return a.readPage()
}

// coverageOf is the completeness line of accounts and locks.
func (a *app) coverageOf(at, of int, onlyProblems bool) *coverage {
	b := a.browse
	c := &coverage{working: -1, part: 1}
	for _, e := range [2]errand{opening, paging} {
		if since, busy := a.flights.busy(e); busy {
			c.working = a.phase(since)
		}
	}
	if b == nil {
		return c
	}
	if !b.read {
		c.part = 0
		if b.awaited() {
			c.right = []span{{asMuted, "first page, " + lasts(a.now().Sub(b.began).Truncate(100*time.Millisecond))}}
		} else {
			c.part, c.right = 1, []span{{asMuted, "nothing has been read"}}
		}
		return c
	}
	v := b.view
	c.left = []span{{asMuted, position(at, of, false)}}
	word := b.order.words()
	if word != "" && a.tab == accountsTab {
		c.left = append(c.left, span{asMuted, " · "}, span{asText, word})
	}
	switch n := b.rows.broken; {
	case len(a.marks.order) > 0:
		c.left = append(c.left, a.marked()...)
	case onlyProblems:
		c.left = append(c.left, span{asMuted, " · "}, span{asText, "only problems"})
	case n > 0 && (word == "" || a.size.w >= 100):
		k, mark := asBad|bold, ""
		if b.rows.unsure == n {
			k, mark = asMuted, "?"
		}
		c.left = append(c.left, span{asMuted, " · "}, span{k, phrase.Count(n, "problem") + mark})
	}
	switch {
	case a.isOld():
		c.right = []span{{asMuted, "as it was at "}, {asText, clock(v.ReadAt)}, {asMuted, ", " + ago(a.now().Sub(v.ReadAt))}}
	case v.Complete:
		sep := span{asMuted, " · "}
		c.right = []span{{asMuted, "whole table, " + phrase.Count(int(v.Scanned), "item")}}
		if a.size.w < 80 {
			c.right, sep = nil, span{}
		}
		switch {
		case !v.Confirmed.IsZero():
			c.right = append(c.right, sep, span{asGood, glyphYes}, span{asMuted, " confirmed " + v.Confirmed.Local().Format("15:04")})
		case len(v.Provisional()) > 0:
			word := "provisional"
			if _, on := a.flights.busy(confirming); on {
				word = "looking again"
			}
			c.right = append(c.right, sep, span{asWarn, word})
		default:
			c.right = append(c.right, sep, span{asMuted, "read " + v.ReadAt.Local().Format("15:04")})
		}
	default:
		c.part = part(v.Scanned, v.Expected)
		c.right = []span{{asWarn, percent(c.part) + " read · provisional"}}
	}
	return c
}

// part is how much of a table is read. The expected number is hours old: until
// the end is seen, it is never all.
func part(scanned, expected int64) float64 {
	if expected <= 0 {
		return 0
	}
	return min(float64(scanned)/float64(expected), 0.99)
}
