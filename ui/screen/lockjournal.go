package screen

import (
	"context"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/client"
	"tallylock/dynamo/verdict"
	"tallylock/ui/kit"
	"tallylock/ui/say"
	"tallylock/ui/session"
	"tallylock/ui/task"
)

// History holds the journal's records of locks, by session.MarkID.
type History map[string]itemHistory

// itemHistory holds the journal's records of one lock.
type itemHistory struct {
	records []*journal.Record
	err     error
}

// Load reads the journal's records of a relation's lock in the background.
func (p History) Load(s *session.Session, t *dynamo.Table, r *verdict.Relation) tea.Cmd {
	j := s.Journal()
	if r == nil || j == nil || r.Lock.Key.Hash.Name == "" {
		return nil
	}
	id := session.MarkID(r)
	if _, known := p[id]; known {
		return nil
	}
	return task.Start(s.Tasks, task.Tracing, func(ctx context.Context) ([]*journal.Record, error) {
		return change.ItemHistory(ctx, j, t, r.Lock.Table, r.Lock.Key)
	}, func(records []*journal.Record, err error) tea.Cmd {
		if client.KindOf(err) != client.Cancelled || err == nil {
			p[id] = itemHistory{records, err}
		}
		return nil
	})
}

// Draw draws the journal's records of a relation's lock.
func (p History) Draw(d *kit.Block, col int, r *verdict.Relation, now time.Time) {
	if r == nil || r.Lock.Key.Hash.Name == "" {
		return
	}
	told, known := p[session.MarkID(r)]
	if !known {
		return
	}
	d.Gap()
	d.Head(col, "IN THE JOURNAL")
	switch {
	case told.err != nil:
		d.Para(col, kit.Warn, "It could not be read: "+say.Sentence(say.Explain(told.err).Why))
	case len(told.records) == 0:
		d.Para(col, kit.Text, "The journal has no change of this lock.")
	}
	const most = 4
	for n, rec := range told.records {
		if n == most && !d.Whole {
			d.Para(col, kit.Muted, fmt.Sprintf("and %d before", len(told.records)-n))
			return
		}
		drawRecord(d, col, rec, now)
	}
}

// drawRecord draws one record of a lock: when, what, the outcome, by whom, and why.
func drawRecord(d *kit.Block, col int, rec *journal.Record, now time.Time) {
	sign := say.Outcome(rec)
	d.Row(func(l *kit.Line) {
		l.To(col)
		l.Put(kit.Muted, say.When(rec.At, now))
		l.To(col + 14)
		end := l.Width - 1 - 2 - kit.Width(sign.Word) - 2
		say.DrawChange(l, rec, end)
		l.Put(kit.Text, "  ")
		sign.Draw(l)
	})
	said := "by " + say.By(rec.Who)
	if rec.Reason != "" {
		said += ": " + rec.Reason
	}
	d.Para(col+14, kit.Muted, said)
}
