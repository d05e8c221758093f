package ui

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/find"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/screen"
	"tallylock/ui/screen/query"
	"tallylock/ui/screen/tables"
)

// showTables lets a table be chosen, or a command be typed.
func (a *app) showTables() tea.Cmd {
	if _, ok := a.top().(*tables.Screen); ok {
		return nil
	}
	under := a.top()
	offered := func() []tables.Command { return a.typedCommands(under) }
	if a.tables != nil && a.tables.Reopen(offered) {
		a.push(a.tables)
		return nil
	}
	a.tables = tables.New(a.Session, offered, a.tables != nil)
	a.push(a.tables)
	return a.tables.Look()
}

// typedCommands are the commands that can be typed over a screen: all that keys do on it, by their
// names, and what takes words.
func (a *app) typedCommands(s screen.Screen) []tables.Command {
	all := a.commands(s)
	out := []tables.Command{{
		Name: "query", Words: "items by key or index", Takes: "[INDEX] KEY [PREFIX]", Why: a.noTable(),
		Offers: a.offerIndexes,
		About:  a.queryable,
		Run:    a.queryTyped,
	}}
	for _, t := range a.tabs {
		if work, ok := t.(screen.Started); ok {
			name, words, why := work.Starts()
			out = append(out, tables.Command{
				Name: name, Words: words, Why: cmp.Or(t.WhyNot(), why),
				Run: func(string) tea.Cmd { return a.startOn(t, work) },
			})
		}
	}
	for _, info := range a.Keys.Of(keymap.Screen) {
		if here, _ := all.Of(info.Action); info.Use == keymap.ByKey || here.Other {
			continue
		}
		does := all.Says(info.Action)
		if does == screen.Name(info.Action) { // which says it
			does = ""
		}
		c := tables.Command{
			Name: string(info.Action), Words: does,
			Key: a.Keys.Key(info.Action), Why: refuses(a.Session, all, info.Action),
			Run: func(string) tea.Cmd { return a.actBeneath(info.Action) },
		}
		switch info.Action {
		case keymap.Quit:
			c.Short = "q"
		case keymap.Find:
			c.Takes, c.Words, c.Why, c.Run = "VALUE", a.finding().Full, a.whyFind(), a.find
			c.Offers = a.offerValues
		case keymap.Filter:
			c.Takes, c.Run = "[LETTERS]", a.filterTyped
		}
		out = append(out, c)
	}
	return out
}

// actBeneath does what an action asks for on the screen beneath the line that it was typed in.
func (a *app) actBeneath(action keymap.Action) tea.Cmd {
	a.closeTables()
	return a.act(action)
}

// filterTyped narrows the list beneath to the rows that hold letters, or asks for those.
func (a *app) filterTyped(letters string) tea.Cmd {
	cmd := a.actBeneath(keymap.Filter)
	s, ok := a.typing()
	if !ok || letters == "" {
		return cmd
	}
	clear, _ := keymap.Pressed("ctrl+u") // of what was looked for before
	done, _ := keymap.Pressed("enter")
	return tea.Batch(cmd, s.Typed(clear), s.Typed(tea.PasteMsg{Content: letters}), s.Typed(done))
}

// queryTyped shows the items under a key, on top of what was looked at.
func (a *app) queryTyped(text string) tea.Cmd {
	q, err := find.ParseQuery(a.Table, text)
	if err != nil {
		return a.Fail(err)
	}
	a.closeTables()
	s := query.New(a.Session, q)
	a.push(s)
	return s.Refresh()
}

// queryable says by which keys the open table can be asked, and shows one of its locks.
func (a *app) queryable(d *kit.Block) {
	for _, r := range a.browse.View().Relations {
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
func (a *app) offerIndexes(typed string) []tables.Offer {
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
func (a *app) offerValues(typed string) []tables.Offer {
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
	read := a.browse.View().Relations
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
