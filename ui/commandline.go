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

// showTables shows the screen where a person chooses a table or types a command.
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

// typedCommands returns the commands that a person can type over the screen s: all actions that have a
// key there, by their names, and the commands that take arguments.
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
		if does == screen.Name(info.Action) { // the name alone says it
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

// actBeneath closes the command line and runs an action on the screen beneath it.
func (a *app) actBeneath(action keymap.Action) tea.Cmd {
	a.closeTables()
	return a.act(action)
}

// filterTyped shows only the rows with these letters on the screen beneath the command line. Without
// letters, it opens the field of the filter.
func (a *app) filterTyped(letters string) tea.Cmd {
	cmd := a.actBeneath(keymap.Filter)
	s, ok := a.typing()
	if !ok || letters == "" {
		return cmd
	}
	clear, _ := keymap.Pressed("ctrl+u") // clears the earlier letters
	done, _ := keymap.Pressed("enter")
	return tea.Batch(cmd, s.Typed(clear), s.Typed(tea.PasteMsg{Content: letters}), s.Typed(done))
}

// queryTyped runs a typed query, and shows its items on top of the screen beneath the command line.
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

// queryable lists the keys of the open table and its indexes, with one of the table's locks as an example.
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

// offerIndexes returns the indexes of the open table whose names begin with the typed text.
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

// mostOffered is the maximum number of values to offer. mostSought is how many relations of the open table
// are searched for them, so that each key gets an instant answer.
const (
	mostOffered = 8
	mostSought  = 10_000
)

// offerValues returns the values and accounts, among those read so far, that begin with the typed text.
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
