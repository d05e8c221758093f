package query

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/find"
	"tallylock/ui/kit"
	"tallylock/ui/reading"
	"tallylock/ui/screen"
	"tallylock/ui/session"
)

// Opener returns an opener. The opener shows the screen for screen.Items, and lets a person type a query.
func Opener(s *session.Session, known *reading.Known) screen.Opener {
	o := opener{s, known}
	return screen.Opener{
		Open: func(target any, _ []screen.Screen) (screen.Screen, tea.Cmd) {
			items, ok := target.(screen.Items)
			if !ok {
				return nil, nil
			}
			on := New(s, items.Query)
			return on, on.Refresh()
		},
		Typed: o.typed,
	}
}

type opener struct {
	*session.Session
	known *reading.Known
}

func (o opener) typed() screen.Typed {
	why := ""
	if o.Table == nil {
		why = o.known.NoTable()
	}
	return screen.Typed{
		Name: "query", Words: "items by key or index", Takes: "[INDEX] KEY [PREFIX]", Why: why,
		Offers: o.indexes,
		About:  o.about,
		Run: func(text string) tea.Cmd {
			q, err := find.ParseQuery(o.Table, text)
			if err != nil {
				return o.Fail(err)
			}
			return o.Send(screen.Items{Query: q})
		},
	}
}

// about lists the keys of the open table and its indexes, with one of the table's locks as an example.
func (o opener) about(d *kit.Block) {
	if o.Table == nil { // the table is being opened again since the last key
		return
	}
	for _, r := range o.known.View().Relations {
		if !r.Lock.Exists || r.Lock.Table != o.Table.Name {
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
	screen.Keys(d, o.Table)
}

// indexes returns the indexes of the open table whose names begin with the typed text.
func (o opener) indexes(typed string) []screen.Offer {
	var out []screen.Offer
	if o.Table != nil {
		for _, x := range o.Table.Queryable {
			if strings.HasPrefix(x.Name, typed) {
				out = append(out, screen.Offer{Text: x.Name, More: true})
			}
		}
	}
	return out
}
