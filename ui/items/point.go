package items

import (
	"cmp"
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/client"
	"tallylock/dynamo/example"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/message"
	"tallylock/ui/safe"
	"tallylock/ui/say"
	"tallylock/ui/screen"
	"tallylock/ui/session"
	"tallylock/ui/task"
)

// Pointing has the commands that take the selected item as an example.
type Pointing struct {
	*session.Session
	Table *dynamo.Table // the table of the item
	Row   *Row          // nil if no item is selected
	Part  bool          // only a part of the item was read
}

// Commands returns the commands with which a person says what the item is: an account, a counter, the lock of the
// chosen account, or an item with a number of the chosen counter.
func (p Pointing) Commands() screen.Commands {
	first := screen.Commands{
		{
			Action: keymap.IsAccount, Words: "an account", Full: "this is an account",
			Why: screen.WhyIf(p.why() != "", p.why()), Run: func() tea.Cmd { return p.choose(false) },
		},
		{
			Action: keymap.IsCounter, Words: "a counter", Full: "this is a counter",
			Why: screen.WhyIf(p.why() != "", p.why()), Run: func() tea.Cmd { return p.choose(true) },
		},
	}
	second := screen.Commands{
		{
			Action: keymap.ItsLock, Words: "its lock", Full: "the account's lock",
			Why: p.whyPartner(false, "choose its account first, with "+p.Keys.Key(keymap.IsAccount)), Run: p.pair,
		},
		{
			Action: keymap.ItsNumber, Words: "has its number", Full: "an item with the counter's number",
			Why: p.whyPartner(true, "choose its counter first, with "+p.Keys.Key(keymap.IsCounter)), Run: p.pair,
		},
	}
	out := append(first, second...)
	if p.Examples.Chosen != nil {
		out = append(second, first...)
	}
	if !p.Examples.On && p.Table != nil && !p.Table.Layout.Empty() { // no hints if the table has a layout
		for n := range out {
			out[n].Words = ""
		}
	}
	return out
}

// why returns the reason why the item cannot be an example; empty if it can.
func (p Pointing) why() string {
	switch {
	case p.Row == nil:
		return "no item is selected"
	case p.Part:
		return "the index has only a part of the item: query the table, not the index"
	}
	return ""
}

// whyPartner returns a function for Command.Why. A pair needs a chosen counter if counter is true, otherwise a chosen
// account; first is the reason if the chosen example is missing.
func (p Pointing) whyPartner(counter bool, first string) func() string {
	return func() string {
		if chosen := p.Examples.Chosen; chosen == nil || chosen.Counter != counter {
			return first
		}
		return p.why()
	}
}

func (p Pointing) choose(counter bool) tea.Cmd {
	p.Examples.On, p.Examples.Refused = true, ""
	p.Examples.Chosen = &session.Example{Table: p.Table, Key: p.Row.Key, Item: p.Row.Item, Counter: counter}
	return p.Send(message.Pointed{})
}

// pair derives a layout from the chosen example and the selected item.
func (p Pointing) pair() tea.Cmd {
	of := p.Examples.Chosen.Table
	return Learn(p.Session, of, p.Examples.With(p.Table, p.Row.Item), func(err error) tea.Cmd {
		refused, ok := errors.AsType[*example.Refusal](err)
		switch {
		case ok:
			p.Examples.Refused = say.Sentence(cmp.Or(refused.Brief, refused.Why))
			if refused.Brief == "" && p.Examples.TaughtOf(of) != nil {
				p.Examples.Refused += " " + p.Keys.Key(keymap.Layout) + ", then " + p.Keys.Key(keymap.Undo) +
					" takes back the last answer or the last pair."
			}
			return nil
		case err != nil:
			return p.Fail(err)
		}
		return nil
	})
}

// Explain adds advice to an error of Learn.
func Explain(err error) error {
	if refused, ok := errors.AsType[*example.Refusal](err); ok {
		return &client.Error{Kind: client.Usage, Op: "deriving the layout", Why: refused.Why, Do: refused.Do}
	}
	return err
}

// Learn derives the layout of a table from a lesson, and shows it. It calls then at the end. If the examples make no
// layout, the earlier examples stay, and the error for then is an *example.Refusal.
func Learn(s *session.Session, table *dynamo.Table, lesson example.Lesson, then func(error) tea.Cmd) tea.Cmd {
	switch {
	case s.Examples.TaughtOf(table) != nil:
		table = s.Examples.Table // the lesson replaces the earlier lesson of this table
	case s.Table != nil && s.Table.Name == table.Name:
		table = s.Table // the open table may have a larger sample by now
	}
	derive := func() tea.Cmd {
		return task.Start(s.Tasks, task.Describing, func(ctx context.Context) (*dynamo.Taught, error) {
			return dynamo.Teach(ctx, table, lesson)
		}, func(taught *dynamo.Taught, err error) tea.Cmd {
			if err != nil {
				return then(err)
			}
			var back tea.Cmd
			s.Examples = session.Examples{On: true, Lesson: lesson, Taught: taught, Table: table}
			if s.Examples.TaughtOf(s.Table) == nil { // the lock is in another table
				back = s.Send(message.Place{On: s.On, Table: table})
			}
			return tea.Batch(back, s.Send(screen.Layout{}), then(nil))
		})
	}
	return s.Reading(0, derive)
}

// longestName limits the chosen item's key in the text of Pointed, in cells: the text has two rows.
const longestName = 48

// Pointed names the chosen example, and says what to point at next.
func Pointed(s *session.Session, d *kit.Block) {
	sign := kit.Sign{Glyph: kit.GlyphHeld, Style: kit.Accent, Word: "example"}
	key := func(action keymap.Action) string { return "(" + s.Keys.Key(action) + ")" }
	if s.Examples.Refused != "" {
		d.Verdict(kit.Sign{Glyph: kit.GlyphNo, Style: kit.Bad, Word: "no pair"}, safe.Text(s.Examples.Refused))
	}
	chosen, name := s.Examples.Chosen, ""
	if chosen != nil {
		name = kit.CutMiddle(safe.Text(chosen.Key.String()), longestName, s.Styles.Cut)
	}
	switch {
	case chosen != nil && chosen.Counter:
		d.Verdict(sign, "Counter "+name+" chosen. Now choose an item with one of its numbers.")
	case chosen != nil:
		d.Verdict(sign, "Account "+name+" chosen. Now choose the lock of one of its values.")
	case s.Examples.TaughtOf(s.Table) != nil:
		d.Verdict(sign, s.Keys.Key(keymap.Layout)+" shows the derived layout. More examples correct it.")
	default:
		d.Verdict(sign, "Choose an account "+key(keymap.IsAccount)+", then the lock of one of its values "+key(keymap.ItsLock)+".")
	}
}
