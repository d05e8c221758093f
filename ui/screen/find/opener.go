package find

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/find"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/reading"
	"tallylock/ui/screen"
	"tallylock/ui/session"
)

// Opener opens the screen for a screen.Value of the open table. If the screen is on top already, it asks again there.
func Opener(s *session.Session, known *reading.Known) screen.Opener {
	o := opener{s, known}
	return screen.Opener{Open: o.open, Command: o.command, Typed: o.typed}
}

type opener struct {
	*session.Session
	known *reading.Known
}

func (o opener) open(target any, stack []screen.Screen) (screen.Screen, tea.Cmd) {
	if list, ok := target.(screen.Values); ok {
		return o.openList(list)
	}
	if past, ok := target.(screen.Timeline); ok {
		on := newTimeline(o.Session, past.Relation, past.At)
		return on, on.read(false)
	}
	v, ok := target.(screen.Value)
	if !ok {
		return nil, nil
	}
	var on *Screen
	if n := len(stack); n > 0 {
		on, _ = stack[n-1].(*Screen)
	}
	if on != nil {
		on.Ask()
	} else {
		on = New(o.Session, o.known)
	}
	if strings.TrimSpace(v.Text) == "" {
		return on, nil
	}
	return on, on.For(v.Text)
}

func (o opener) openList(v screen.Values) (screen.Screen, tea.Cmd) {
	on := newList(o.Session, v.Texts, func(account *attr.Key, answered func(*find.Answer)) *Screen {
		on := New(o.Session, o.known)
		on.account, on.answered = account, answered
		return on
	})
	var cmd tea.Cmd
	if left := len(v.Texts) - mostValues; left > 0 {
		cmd = o.Say("This list has only the first " + phrase.Number(mostValues) + " values: tallylock find takes more.")
	}
	if v.Read && on.price() <= o.Connection().AutoReadUnits() {
		return on, tea.Batch(cmd, on.begin())
	}
	return on, cmd
}

func (o opener) command() screen.Command {
	return screen.Command{
		Action: keymap.Find,
		Full:   "find value or account",
		Why:    o.why,
		Run:    func() tea.Cmd { return o.Send(screen.Value{}) },
	}
}

func (o opener) typed() screen.Typed {
	return screen.Typed{
		Name: string(keymap.Find), Words: o.command().Full, Takes: "VALUE", Why: o.why(),
		Offers: o.offers,
		Run:    func(text string) tea.Cmd { return o.Send(screen.Value{Text: text}) },
	}
}

// why returns the reason why no value can be found in the open table; empty if it can.
func (o opener) why() string {
	switch {
	case o.Table == nil:
		return o.known.NoTable()
	case o.Table.Sample.Vacant():
		return "this table is empty: there is nothing to find"
	case len(o.Table.Layout.Accounts) == 0:
		return "the layout is unknown, so no account can be found"
	}
	return ""
}

// mostOffered limits the values to offer. mostSought limits the relations of the open table that are
// searched for them, so that each key gets an instant answer.
const (
	mostOffered = 8
	mostSought  = 10_000
)

// offers returns the values and accounts read so far that begin with the typed text.
func (o opener) offers(typed string) []screen.Offer {
	var out []screen.Offer
	take := func(text string) {
		offer := screen.Offer{Text: text}
		begins := len(text) >= len(typed) && strings.EqualFold(text[:len(typed)], typed)
		if begins && !slices.Contains(out, offer) {
			out = append(out, offer)
		}
	}
	if typed == "" {
		return nil
	}
	read := o.known.View().Relations
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
