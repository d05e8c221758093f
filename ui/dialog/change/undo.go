package change

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/dynamo/change/planner"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/say"
	"tallylock/ui/screen"
	"tallylock/ui/session"
)

// UndoLast returns the command that undoes the last change made here.
func UndoLast(s *session.Session) screen.Command {
	return screen.Command{
		Action: keymap.Undo,
		Full:   "undo the last change",
		Why:    func() string { return whyUndoLast(s) },
		Run:    func() tea.Cmd { return AskUndoLast(s) },
	}
}

// AskUndo asks whether to undo a change.
func AskUndo(s *session.Session, r *journal.Record) tea.Cmd {
	c := *s.ConnectionOf(r)
	return s.Reading(0, func() tea.Cmd {
		return askOne(s, c, r.Receipt, "Undo a change", usualRoom,
			func(ctx context.Context) (*plan.Plan, error) { return planner.Undo(ctx, c.Connection, r) })
	})
}

// MostUndone is the largest number of changes to undo together. A person cannot review more of them.
const MostUndone = 20

// AskUndos asks once whether to undo several changes of one connection. Each undo is verified by itself. after gets the
// receipt of each change that was undone, or that cannot be undone.
func AskUndos(s *session.Session, all []*journal.Record, after func(receipt string)) tea.Cmd {
	c := *s.ConnectionOf(all[0])
	names, ids := map[string]string{}, make([]string, len(all))
	for n, r := range all {
		ids[n], names[r.Receipt] = r.Receipt, strings.TrimSuffix(r.What, " of "+r.Table)
	}
	return s.Reading(0, func() tea.Cmd {
		return newAsk(s, c, strings.Join(ids, "\x01"), option{
			title: "Undo " + phrase.Count(len(all), "change"), room: batchRoom(len(all)),
			wording: wording{
				thing: "change", verb: "Undo", done: "undone",
				says: "Undoes %s, the newest first. tallylock has just read their items again. It undoes a change only if its " +
					"items are still as the change left them.",
				names: names,
			},
			batch: func(ctx context.Context) (*change.Batch, error) { return change.PlanUndos(ctx, c.Connection, all...) },
			after: func(receipts []change.Receipt, _ error) {
				for _, r := range receipts {
					if !say.Stopped(r) {
						after(r.Plan.Undoes)
					}
				}
			},
		}).replan()
	})
}

// WhyMarkUndo says why a change of the journal cannot be undone together with the marked changes, as far as this is
// known without reading the table; empty if it can. p is nil until the plan has been read from the journal.
func WhyMarkUndo(s *session.Session, r *journal.Record, p *plan.Plan, marked []*journal.Record) string {
	why := ""
	if p != nil {
		why = WhyUndo(s, r, p)
	} else if why = plan.WhyNotUndone(r); why == "" && s.ConnectionOf(r) == nil {
		why = s.WhyElsewhere(r)
	}
	switch {
	case why != "" || len(marked) == 0:
		return why
	case len(marked) >= MostUndone:
		return fmt.Sprintf("at most %d changes are undone together", MostUndone)
	case s.ConnectionOf(r).Connection != s.ConnectionOf(marked[0]).Connection:
		return "the marked changes were made on " + s.ConnectionOf(marked[0]).Name() + ": undo them first"
	}
	return ""
}

// WhyUndos says why the marked changes cannot be undone together; empty if they can.
func WhyUndos(s *session.Session, marked []*journal.Record) string {
	c := s.ConnectionOf(marked[0])
	if c == nil {
		return s.WhyElsewhere(marked[0])
	}
	return s.WhyWriteOn(*c, marked[0].Table)
}

// AskUndoLast asks whether to undo the last change.
func AskUndoLast(s *session.Session) tea.Cmd {
	c, id := s.Last.Connection, s.Last.Made.ID
	planned := func(ctx context.Context) (*plan.Plan, error) {
		r, err := c.Changer.Journal.Record(id)
		if err == nil && r == nil {
			err = &client.Error{
				Kind: client.Failed,
				Op:   "undoing " + id,
				Why:  "the change is no longer in the journal",
				Do:   "nothing was sent",
			}
		}
		if err != nil {
			return nil, err
		}
		return planner.Undo(ctx, c.Connection, r)
	}
	return s.Reading(0, func() tea.Cmd { return askOne(s, c, id, "Undo the last change", usualRoom, planned) })
}

// whyUndoLast says why the last change cannot be undone.
func whyUndoLast(s *session.Session) string {
	switch {
	case s.Last.Kind == "":
		return "no changes yet"
	case s.Last.Connection.Connection != s.Connection().Connection:
		return "the last change was made on " + s.Last.Connection.Name() + ": go there first, or press " +
			s.Keys.Key(keymap.Journal) + " and undo it in the journal"
	case s.Last.Made.ID == "":
		return "several changes were made together: press " + s.Keys.Key(keymap.Journal) +
			" and mark them to undo them"
	}
	r := s.Last.Made
	if why := r.WhyNotUndone(); why != "" {
		return why
	}
	if why := s.WhyCounted(s.Last.Connection.Connection, r.Plan, cmp.Or(r.After, r.Plan.After),
		r.Done); why != "" {
		return why
	}
	return s.WhyWriteOn(s.Last.Connection, r.Plan.Table)
}

// WhyUndo says why a change of the journal cannot be undone, as far as this is known without
// reading the table; empty if it can. planned is nil until the plan has been read from the journal.
func WhyUndo(s *session.Session, r *journal.Record, planned *plan.Plan) string {
	c := s.ConnectionOf(r)
	if why := plan.WhyNotUndone(r); why != "" {
		return why
	}
	switch {
	case c == nil:
		return s.WhyElsewhere(r)
	case planned == nil:
		return "tallylock has not read the plan of this change yet"
	}
	if why := plan.WhyNotUndoable(r, planned); why != "" {
		return why
	}
	if why := s.WhyCounted(c.Connection, planned, planned.After, r.LastWritten()); why != "" {
		return why
	}
	return s.WhyWriteOn(*c, r.Table)
}
