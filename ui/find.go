package ui

import (
	"context"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/client"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/task"
	"tallylock/ui/words"
)

// findScreen asks who holds a value, and shows the answer with its evidence.
type findScreen struct {
	app    *app
	field  kit.Field
	typing bool
	asked  string
	list   kit.List
	answer *dynamo.Answer
	took   time.Duration
	err    error
	traces map[string]trace // what was done to the locks, by key
}

// ask opens the question; what was asked last is offered again.
func (a *app) ask() tea.Cmd {
	if a.Table == nil {
		return a.Say("Open a table first: " + a.Keys.Key(keymap.Tables) + ".")
	}
	if a.Table.Vacant() {
		return a.Say("This table is empty: there is nothing to find.")
	}
	if len(a.Table.Layout.Accounts) == 0 {
		return a.Say("No layout tells what accounts look like here, so nothing can be found by value.")
	}
	if s, ok := a.top().(*findScreen); ok {
		s.typing, s.field = true, kit.NewField(s.asked)
		return nil
	}
	a.push(&findScreen{app: a, field: kit.NewField(""), typing: true})
	return nil
}

// look asks for the answer. scan allows the whole table to be read.
func (s *findScreen) look(scan bool) tea.Cmd {
	a := s.app
	s.asked, s.typing = s.field.Value(), false
	query, t, began, before := s.asked, a.Table, a.Now(), s.answer
	if !scan {
		before = nil // asked again: from the start
	}
	return task.Start(a.Tasks, task.Finding, func(ctx context.Context) (*dynamo.Answer, error) {
		return t.Find(ctx, query, dynamo.FindOptions{Near: true, Scan: scan, After: before})
	}, func(answer *dynamo.Answer, err error) tea.Cmd {
		s.err, s.took = err, a.Now().Sub(began)
		if client.KindOf(err) == client.Cancelled && err != nil {
			s.err = nil
			s.typing, s.field = true, kit.NewField(query)
			return a.Say("Stopped.")
		}
		var stay findRow
		if was := s.rows().rows; s.list.Cursor < len(was) && s.answer.Typed == query {
			stay = was[s.list.Cursor]
		}
		s.answer, s.list, s.traces = answer, kit.List{}, map[string]trace{}
		s.list.Cursor = s.begin(stay)
		return s.trace()
	})
}

// begin is the row to begin with: the reading that was looked at before, or the one
// that the answer is about.
func (s *findScreen) begin(before findRow) int {
	at := 0
	for n, row := range s.rows().rows {
		switch {
		case row.rel == nil || row.near:
		case row.label == before.label && before.rel != nil && row.rel.Value == before.rel.Value:
			return n
		case row.rel == s.main():
			at = n
		}
	}
	return at
}

// sentence says what the answer is: of the main relation or, where nobody uses the
// word in any way, of all.
func (s *findScreen) sentence(main *dynamo.Relation) string {
	if h := s.byID(); h != nil {
		if main.Verdict != dynamo.Held {
			return main.Sentence()
		}
		return fmt.Sprintf("%s is an account, and its locks keep what it holds.", h.Key.Hash.Value.Display())
	}
	var free []string
	for _, r := range s.answer.Locks {
		if r.Verdict != dynamo.Free || r.Value != main.Value {
			return main.Sentence()
		}
		free = append(free, r.Constraint.Name)
	}
	if len(free) < 2 {
		return main.Sentence()
	}
	return fmt.Sprintf("\"%s\" is free, as %s.", main.Value, words.AList(free, "and as"))
}

// main is the relation that the answer is about: the first that is broken, else
// one that stops somebody, else the first.
func (s *findScreen) main() *dynamo.Relation {
	if s.answer == nil {
		return nil
	}
	of := s.answer.Locks
	if h := s.byID(); h != nil {
		of = h.Values
	}
	if len(of) == 0 {
		return nil
	}
	best := of[0]
	rank := func(r *dynamo.Relation) int {
		switch {
		case r.Verdict.Broken():
			return 3
		case r.Verdict == dynamo.Unknown && r.Lock.Exists:
			return 2
		case r.Lock.Exists:
			return 1
		}
		return 0
	}
	for _, r := range of {
		if rank(r) > rank(best) {
			best = r
		}
	}
	return best
}

// byID is the account that the answer is about: one was found by its id, and
// nothing keeps the word as a value.
func (s *findScreen) byID() *dynamo.Holder {
	for _, r := range s.answer.Locks {
		if r.Verdict != dynamo.Free {
			return nil
		}
	}
	for n := range s.answer.Accounts {
		if h := &s.answer.Accounts[n]; h.ByID && len(h.Values) > 0 {
			return h
		}
	}
	return nil
}

func (s *findScreen) rows() findList {
	if s.answer == nil {
		return findList{}
	}
	return findList{findRows(s.answer, s.app.Size.Wide()), findColumnsOf(s.app.ListWidth())}
}

func (s *findScreen) selected() *dynamo.Relation {
	rows := s.rows().rows
	if s.list.Cursor < len(rows) {
		return rows[s.list.Cursor].rel
	}
	return nil
}

func (s *findScreen) hints() []kit.Hint {
	a := s.app
	if s.typing {
		return []kit.Hint{{Key: "enter", Words: "ask"}, {Key: "ctrl+u", Words: "clear"}, {Key: "esc", Words: "back"}}
	}
	if _, busy := a.Tasks.Since(task.Finding); busy {
		return []kit.Hint{a.Hint(keymap.Back, "cancel")}
	}
	var h []kit.Hint
	if s.Why(keymap.Release) == "" {
		h = append(h, a.Hint(keymap.Release, "release"))
	} else if s.Why(keymap.Mend) == "" {
		h = append(h, a.Hint(keymap.Mend, a.MendWord(s.selected())))
	}
	if s.answer != nil && s.answer.Whole != nil {
		h = append(h, a.Hint(keymap.Pause, "read all"))
	}
	if s.Why(keymap.Open) == "" {
		h = append(h, a.Hint(keymap.Open, "open"))
	}
	return append(h, a.Hint(keymap.Copy, "copy"), a.Hint(keymap.Find, "ask again"), a.Hint(keymap.Back, "back"))
}

func (s *findScreen) About() string {
	if r := s.selected(); r != nil {
		return "find, " + words.Relation(r)
	}
	return "find"
}

func (s *findScreen) Why(action keymap.Action) string {
	switch action {
	case keymap.OtherSide, keymap.Fold, keymap.OnlyProblems, keymap.Stop, keymap.Bump, keymap.Mark:
		return "not on an answer"
	case keymap.Pause:
		if s.answer == nil || s.answer.Whole == nil {
			return "the answer is complete"
		}
		return ""
	case keymap.Copy:
		if s.answer == nil {
			return "there is no answer yet"
		}
		return ""
	case keymap.Reload:
		return ""
	}
	return s.app.whyRelation(action, s.selected())
}

func (s *findScreen) Act(action keymap.Action) tea.Cmd {
	a := s.app
	r := s.selected()
	switch action {
	case keymap.Pause:
		s.field = kit.NewField(s.asked)
		return s.look(true)
	case keymap.Reload:
		s.field = kit.NewField(s.asked)
		return s.look(false)
	case keymap.Copy:
		return a.Copy("this answer", s.inWords())
	case keymap.Open:
		if r == nil {
			return nil
		}
		if r.Account != nil {
			return a.openItem(a.Table.Name, r.Account.Key)
		}
		return a.openItem(r.Lock.Table, r.Lock.Key)
	}
	return a.actRelation(action, r)
}

// inWords is the answer as sentences for a ticket.
func (s *findScreen) inWords() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%q in %s, looked up %s:\n", s.answer.Query, s.answer.Table, s.answer.At.Format("2006-01-02 15:04:05 MST"))
	for _, r := range s.answer.Locks {
		fmt.Fprintf(&b, "- %s: %s. %s", r.Constraint.Name, r.Verdict, r.Sentence())
		if so := r.Consequence(); so != "" {
			fmt.Fprintf(&b, " %s", words.Sentence(so))
		}
		b.WriteByte('\n')
	}
	b.WriteString(usesInLines(s.answer))
	for _, h := range s.answer.Accounts {
		if !h.ByID {
			continue
		}
		fmt.Fprintf(&b, "- account id: %s is an account.\n", h.Key.Hash.Value.Display())
		for _, r := range h.Values {
			fmt.Fprintf(&b, "  - %s: %s. %s\n", r.Constraint.Name, r.Verdict.OfValue(), r.Sentence())
		}
	}
	if note := s.answer.Note(); note != "" {
		fmt.Fprintf(&b, "%s\n", words.Sentence(note))
	}
	if !s.answer.Complete {
		b.WriteString("Not everything could be told.\n")
	}
	return b.String()
}

// typed takes a key of the field in.
func (s *findScreen) Typed(msg tea.Msg) tea.Cmd {
	if key, ok := msg.(tea.KeyPressMsg); ok {
		switch key.String() {
		case "enter":
			if s.field.Value() == "" {
				return nil
			}
			return s.look(false)
		case "esc":
			if s.answer != nil {
				s.typing = false
				return nil
			}
			return s.app.leave()
		}
	}
	s.field.Update(msg)
	return nil
}

// Typing implements screen.Typist.
func (s *findScreen) Typing() bool { return s.typing }

// Refresh asks the same again.
func (s *findScreen) Refresh() tea.Cmd {
	s.field = kit.NewField(s.asked)
	return s.look(false)
}
