package findings

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/attr"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/message"
	"tallylock/ui/screen"
	"tallylock/ui/session"
	"tallylock/ui/task"
	"tallylock/ui/words"
)

// single is one finding with all that it rests on, and the items that it is
// about as they are now: the lock on one side, who holds its value on the other.
type single struct {
	*session.Session
	run   *run
	row   *row
	items []item
	list  kit.List
	now   map[string]attr.Item // what was read of the items, by their ids
	at    time.Time            // when
	err   error
}

func idOf(table string, key attr.Key) string { return table + "\x00" + key.ID() }

// mostItems is how many items are read and shown; a value may have very many
// claimants.
const mostItems = 50

// open opens a finding.
func open(s *session.Session, r *run, x *row) tea.Cmd {
	items := itemsOf(r.table, x.f)
	one := &single{Session: s, run: r, row: x, items: items[:min(len(items), mostItems)]}
	return tea.Batch(s.Send(message.Push{Screen: one}), one.read())
}

// read reads the items, strongly consistent.
func (s *single) read() tea.Cmd {
	t, items := s.run.table, s.items
	return task.Start(s.Tasks, task.Fetching, func(ctx context.Context) (map[string]attr.Item, error) {
		w, now := t.ConsistentReader(), map[string]attr.Item{}
		byTable := map[string][]attr.Key{}
		for _, p := range items {
			byTable[p.table] = append(byTable[p.table], p.key)
		}
		for table, keys := range byTable {
			found, err := w.Read(ctx, table, keys)
			if err != nil {
				return nil, err
			}
			for _, k := range keys {
				now[idOf(table, k)] = found[k.ID()]
			}
		}
		return now, nil
	}, func(now map[string]attr.Item, err error) tea.Cmd {
		if s.err = err; err == nil {
			s.now, s.at = now, s.Now()
		}
		return nil
	})
}

// selected is the item at the cursor, and the one beside it; nil for none.
func (s *single) selected() (left, right *item) {
	if rows := s.lines().rows; s.list.Cursor < len(rows) {
		row := rows[s.list.Cursor]
		left, right = row.left.item, row.right.item
	}
	if left == nil && right == nil && len(s.items) > 0 {
		left = &s.items[0]
		if len(s.items) > 1 {
			right = &s.items[1]
		}
	}
	if left == nil {
		left, right = right, nil
	}
	return left, right
}

// Content implements screen.Screen.
func (s *single) Content() screen.Content {
	f := s.row.f
	c := screen.Content{List: &s.list, Rows: s.lines(), Hints: s.Commands().Hints(s.Session)}
	l := kit.NewLine(s.Styles, s.Size.Width, s.Ground())
	l.Put(kit.Text, " ")
	l.Put(kit.Muted, "findings")
	l.Put(kit.Faint, " "+kit.GlyphPath+" ")
	l.Put(kit.Muted, string(f.Kind))
	l.Put(kit.Faint, " "+kit.GlyphPath+" ")
	what, value := words.Subject(f)
	l.Fit(kit.Muted, what, 20)
	l.Put(kit.Text, " ")
	l.Middle(kit.Heading, value, s.Size.Width-l.At-2)
	c.Top = &screen.Heading{Line: l.Done(), From: 0, To: 0}
	c.Cover, c.More = &kit.Coverage{Part: 1, Working: -1}, screen.More
	switch {
	case s.err != nil:
		_, _, why, _ := words.Explain(s.err)
		c.Cover.Right = []kit.Span{kit.Warn.Of("the items could not be read: "), kit.Muted.Of(why)}
	case s.now == nil:
		c.Cover = screen.Cover(s.Session, task.Fetching)
		c.Cover.Right = []kit.Span{kit.Muted.Of("as the check read them")}
	default:
		c.Cover.Right = []kit.Span{kit.Muted.Of("items as they were at " + words.Clock(s.at) + ", consistent")}
	}
	return c
}

// Commands implements screen.Screen.
func (s *single) Commands() screen.Commands {
	left, right := s.selected()
	return slices.Concat(
		repairs(s.Session, s.run, s.row),
		screen.Commands{s.opening(keymap.Open, "open the item", left), s.opening(keymap.OtherSide, "open the other", right)},
		screen.Copies(s.Session, copied(s.run, s.row)),
		screen.Commands{{Action: keymap.Reload, Words: "read again", Run: s.read}, {Action: keymap.Back, Words: "back"}},
	)
}

// opening opens one of the items.
func (s *single) opening(action keymap.Action, words string, one *item) screen.Command {
	return screen.Command{Action: action, Words: words, Why: func() string {
		switch {
		case one != nil:
			return ""
		case s.row.f.Kind.OnAbsence():
			return "there is no account to show"
		}
		return "there is no item to show"
	}, Run: func() tea.Cmd {
		return s.Send(message.OpenItem{Owner: s.run.table, Table: one.table, Key: one.key})
	}}
}

// About implements screen.Screen.
func (s *single) About() string {
	kind := string(s.row.f.Kind)
	return words.Article(kind) + " " + kind
}

// Refresh reads again what the finding is about.
func (s *single) Refresh() tea.Cmd { return s.read() }
