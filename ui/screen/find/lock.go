package find

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/client"
	"tallylock/ui/kit"
	"tallylock/ui/session"
	"tallylock/ui/task"
	"tallylock/ui/words"
)

// trace is what the journal says of one lock.
type trace struct {
	records []*journal.Record
	err     error
}

// Follow implements screen.Follower: it looks up what was ever done to the selected lock, in the background.
func (s *Screen) Follow() tea.Cmd {
	r := s.selected()
	j := s.Journal()
	if r == nil || j == nil || r.Lock.Key.Hash.Name == "" {
		return nil
	}
	id, t := session.MarkID(r), s.Table
	if _, known := s.traces[id]; known {
		return nil
	}
	into := s.traces
	return task.Start(s.Tasks, task.Tracing, func(ctx context.Context) ([]*journal.Record, error) {
		return change.OfItem(ctx, j, t, r.Lock.Table, r.Lock.Key)
	}, func(records []*journal.Record, err error) tea.Cmd {
		if client.KindOf(err) != client.Cancelled || err == nil {
			into[id] = trace{records, err}
		}
		return nil
	})
}

// journal says what was done to the selected lock from here.
func (s *Screen) journal(d *kit.Block, col int) {
	r := s.selected()
	if r == nil || r.Lock.Key.Hash.Name == "" {
		return
	}
	told, known := s.traces[session.MarkID(r)]
	if !known {
		return
	}
	d.Gap()
	d.Head(col, "IN THE JOURNAL")
	switch {
	case told.err != nil:
		_, _, why, _ := words.Explain(told.err)
		d.Para(col, kit.Warn, "It could not be read: "+words.Sentence(why))
	case len(told.records) == 0:
		d.Para(col, kit.Text, "Nothing was done to this lock from here, as far back as the journal goes.")
	}
	const most = 4
	for n, rec := range told.records {
		if n == most && !d.Whole {
			d.Para(col, kit.Muted, fmt.Sprintf("and %d before", len(told.records)-n))
			return
		}
		s.traced(d, col, rec)
	}
}

// traced is one change of the lock: when, what, with what outcome, by whom and why.
func (s *Screen) traced(d *kit.Block, col int, rec *journal.Record) {
	sign := words.Outcome(rec)
	d.Row(func(l *kit.Line) {
		l.To(col)
		l.Put(kit.Muted, words.When(rec.At, s.Now()))
		l.To(col + 14)
		end := l.Width - 1 - 2 - kit.Width(sign.Word) - 2
		words.DrawChange(l, rec, end)
		l.Put(kit.Text, "  ")
		sign.Draw(l)
	})
	said := "by " + words.By(rec.Who)
	if rec.Reason != "" {
		said += ": " + rec.Reason
	}
	d.Para(col+14, kit.Muted, said)
}

// releasing says what a release of the selected lock would do, where it can be
// released.
func (s *Screen) releasing(d *kit.Block) {
	r := s.selected()
	if r == nil || s.rows().rows[s.list.Cursor].near || s.WhyRelease(r) != "" {
		return
	}
	said, err := change.Preview(s.Table, r, s.answer.At)
	if err != nil { // a release would say so itself
		return
	}
	d.Gap()
	d.Head(1, "RELEASING WILL")
	for _, l := range said {
		d.LongFact(1, string(l.Label), l.Text)
	}
}
