package counters

import (
	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/message"
	"tallylock/ui/words"
)

func (s *Screen) hints() []kit.Hint {
	if s.Offline != nil {
		return []kit.Hint{s.Hint(keymap.Open, "try now")}
	}
	var h []kit.Hint
	if s.Why(keymap.Bump) == "" {
		h = append(h, s.Hint(keymap.Bump, "bump"))
	}
	if s.Why(keymap.Mend) == "" {
		h = append(h, s.Hint(keymap.Mend, "mend"))
	}
	if len(s.rows) > 0 {
		pause := "pause"
		if s.paused {
			pause = "go on"
		}
		h = append(h, s.Hint(keymap.Open, "item"), s.Hint(keymap.NextProblem, "next problem"), s.Hint(keymap.Pause, pause), s.Hint(keymap.Copy, "copy"), s.Hint(keymap.Sort, "sort"))
	}
	return h
}

// About implements screen.Screen.
func (s *Screen) About() string {
	if row, ok := s.selected(); ok {
		return "counters, " + row.Name
	}
	return "counters"
}

// Why implements screen.Screen.
func (s *Screen) Why(action keymap.Action) string {
	row, ok := s.selected()
	switch action {
	case keymap.Release:
		return "locks are released on their own screen"
	case keymap.Find:
		if s.Table == nil {
			return "open a table first: " + s.Keys.Key(keymap.Tables)
		}
	case keymap.Mend:
		if !ok {
			return "no counter is selected"
		}
		if why := summed(row.Counter); why != "" {
			return why
		}
		return s.WhyMendCounter(row.Counter)
	case keymap.Undo:
		return s.WhyUndoLast()
	case keymap.ChangeValue, keymap.DeleteAccount, keymap.Mark:
		return "not on counters"
	case keymap.Fold, keymap.OnlyProblems, keymap.OtherSide, keymap.Stop:
		return "not on counters"
	case keymap.Bump:
		switch {
		case !ok:
			return "no counter is selected"
		case !row.Exists && row.Layout.KeyIsValue(row.Open().Schema):
			return "the counter does not exist, and its table says nothing of how it begins"
		case summed(row.Counter) != "":
			return summed(row.Counter)
		case words.HasFault(row.Counter, layout.CounterNotNumber):
			return "it holds no whole number"
		}
		return s.WhyWrite(row.Table, client.Update)
	case keymap.Open, keymap.Copy, keymap.CopyItem:
		if !ok {
			return "no counter is selected"
		}
	}
	return ""
}

// summed is why a counter of several items is not changed here; empty of others.
func summed(c dynamo.Counter) string {
	if c.Shards == 0 {
		return ""
	}
	return "it is the sum of " + phrase.Count(c.Shards, "item") + ", and no item holds it"
}

// Act implements screen.Screen.
func (s *Screen) Act(action keymap.Action) tea.Cmd {
	row, ok := s.selected()
	switch action {
	case keymap.Pause:
		s.paused = !s.paused
		if !s.paused {
			return s.Poll()
		}
	case keymap.Sort:
		s.order = (s.order + 1) % orders
		s.cursor.Hold(list{rows: s.rows})
		s.order.sort(s.rows)
		s.cursor.Follow(list{rows: s.rows})
	case keymap.Reload:
		s.tables = nil
		return s.Poll()
	case keymap.Open:
		if ok {
			return s.Send(message.OpenItem{Owner: row.Open(), Table: row.Table, Key: row.Key})
		}
	case keymap.Copy:
		if ok {
			return s.Copy("the number", row.Value)
		}
	case keymap.CopyItem:
		if ok {
			return s.CopyJSON("the item", row.Item)
		}
	case keymap.Bump:
		if ok {
			return s.Send(message.Bump{Counter: row.Counter, Moving: row.moving()})
		}
	case keymap.Mend:
		if ok {
			return s.Send(message.MendCounter{Counter: row.Counter, Moving: row.moving()})
		}
	case keymap.Undo:
		return s.Send(message.UndoLast{})
	}
	return nil
}
