package screen

import (
	"context"
	"fmt"
	"slices"
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

// History holds the journal's records of one or several locks.
type History struct {
	locks   []client.Address
	records []*journal.Record
	err     error
	read    bool
}

// NewHistory returns the history of the relations' locks. Load reads it.
func NewHistory(rels ...*verdict.Relation) *History {
	p := &History{}
	for _, r := range rels {
		if r != nil && r.Lock.Key.Hash.Name != "" {
			p.locks = append(p.locks, client.Address{Table: r.Lock.Table, Key: r.Lock.Key})
		}
	}
	return p
}

// Load reads the records in the background, once.
func (p *History) Load(s *session.Session, t *dynamo.Table) tea.Cmd {
	j := s.Journal()
	if p.read || len(p.locks) == 0 || j == nil {
		return nil
	}
	shows := s.Shows()
	return task.Start(s.Tasks, task.Tracing, func(ctx context.Context) ([]*journal.Record, error) {
		records, err := change.ItemHistory(ctx, j, t, p.locks...)
		return slices.DeleteFunc(records, func(r *journal.Record) bool { return !shows(r) }), err
	}, func(records []*journal.Record, err error) tea.Cmd {
		if client.KindOf(err) != client.Cancelled || err == nil {
			p.records, p.err, p.read = records, err, true
		}
		return nil
	})
}

// Draw draws the records.
func (p *History) Draw(d *kit.Block, col int, now time.Time) {
	if !p.read {
		return
	}
	d.Gap()
	d.Head(col, "IN THE JOURNAL")
	switch {
	case p.err != nil:
		d.Para(col, kit.Warn, "It could not be read: "+say.Sentence(say.Explain(p.err).Why))
	case len(p.records) == 0 && len(p.locks) == 1:
		d.Para(col, kit.Text, "The journal has no change of this lock.")
	case len(p.records) == 0:
		d.Para(col, kit.Text, "The journal has no change of these locks.")
	}
	const most = 4
	for n, rec := range p.records {
		if n == most && !d.Whole {
			d.Para(col, kit.Muted, fmt.Sprintf("and %d before", len(p.records)-n))
			return
		}
		drawRecord(d, col, rec, now)
	}
}

// Line draws one line: the newest record, or that there is none.
func (p *History) Line(d *kit.Block, col int, now time.Time) {
	if !p.read {
		return
	}
	d.Gap()
	d.Row(func(l *kit.Line) {
		l.To(col)
		l.Put(kit.Muted, "IN THE JOURNAL ")
		l.Put(kit.Faint, kit.RuleThin+kit.RuleThin+" ")
		switch {
		case p.err != nil:
			l.Words(kit.Warn, "not readable: "+say.Explain(p.err).Why, l.Width-l.At-1)
			return
		case len(p.records) == 0:
			l.Words(kit.Muted, "no change of its locks", l.Width-l.At-1)
			return
		}
		rec := p.records[0]
		sign := say.Outcome(rec)
		l.Put(kit.Muted, say.When(rec.At, now)+"  ")
		say.DrawChange(l, rec, l.Width-5-kit.Width(sign.Word))
		l.Put(kit.Text, "  ")
		sign.Draw(l)
	})
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
	said := "by " + say.Maker(rec)
	if rec.Reason != "" {
		said += ": " + rec.Reason
	}
	d.Para(col+14, kit.Muted, said)
}
