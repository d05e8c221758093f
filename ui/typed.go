package ui

import (
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/ui/kit"
	"tallylock/ui/screen/query"
	"tallylock/ui/screen/tables"
)

// whyQuery says why the table cannot be asked by keys; empty where it can.
func whyQuery(a *app) string {
	if a.Table == nil {
		return a.screens.browse.NoTable()
	}
	return ""
}

// queryTyped shows the items under a key, on top of what was looked at.
func queryTyped(a *app, text string) tea.Cmd {
	q, err := dynamo.ParseQuery(a.Table, text)
	if err != nil {
		return a.Fail(err)
	}
	a.nav.closeTables()
	s := query.New(a.Session, q)
	a.screens.push(s)
	return s.Refresh()
}

// queryable says by which keys the open table can be asked, and shows one of its locks.
func queryable(a *app, d *kit.Block) {
	for _, r := range a.screens.browse.View().Relations {
		if !r.Lock.Exists || r.Lock.Table != a.Table.Name {
			continue
		}
		key := r.Lock.Key.Hash.Value.Display()
		if strings.ContainsAny(key, " \t\"") {
			key = strconv.Quote(key)
		}
		d.Row(func(l *kit.Line) {
			l.Put(kit.Muted, " such as ")
			l.Fit(kit.Strong, "query "+key, l.Width-l.At-1)
		})
		d.Gap()
		break
	}
	tables.Keys(d, a.Table)
}

// offerIndexes are the indexes of the open table whose names begin with what was typed.
func offerIndexes(a *app, typed string) []tables.Offer {
	var out []tables.Offer
	if a.Table != nil {
		for _, x := range a.Table.Queryable {
			if strings.HasPrefix(x.Name, typed) {
				out = append(out, tables.Offer{Text: x.Name, More: true})
			}
		}
	}
	return out
}

// mostOffered is how many values are offered at once, and mostSought among how many of those
// that were read first: each key is answered at once.
const (
	mostOffered = 8
	mostSought  = 10_000
)

// offerValues are values and accounts that begin with what was typed, among what was read.
func offerValues(a *app, typed string) []tables.Offer {
	var out []tables.Offer
	take := func(text string) {
		if offer := (tables.Offer{Text: text}); len(text) >= len(typed) && strings.EqualFold(text[:len(typed)], typed) &&
			!slices.Contains(out, offer) {
			out = append(out, offer)
		}
	}
	if typed == "" {
		return nil
	}
	read := a.screens.browse.View().Relations
	for _, r := range read[:min(len(read), mostSought)] {
		if len(out) >= mostOffered {
			break
		}
		take(r.Value)
		if r.Account != nil {
			take(r.Account.Key.Hash.Value.Display())
		}
	}
	return out
}
