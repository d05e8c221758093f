package ui

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/dynamo/client"
)

// trace is what the journal says of one lock.
type trace struct {
	records []*journal.Record
	err     error
}

// trace looks up what was ever done to the selected lock, in the background.
func (s *findScreen) trace() tea.Cmd {
	a, r := s.app, s.selected()
	j := a.journalOf()
	if r == nil || j == nil || r.Lock.Key.Hash.Name == "" {
		return nil
	}
	id, t := markID(r), a.table
	if _, known := s.traces[id]; known {
		return nil
	}
	into := s.traces
	return send(a.flights, tracing, func(ctx context.Context) ([]*journal.Record, error) {
		return change.OfItem(ctx, j, t, r.Lock.Table, r.Lock.Key)
	}, func(records []*journal.Record, err error) tea.Cmd {
		if client.KindOf(err) != client.Cancelled || err == nil {
			into[id] = trace{records, err}
		}
		return nil
	})
}

// journal says what was done to the selected lock from here.
func (s *findScreen) journal(d *doc, col int) {
	r := s.selected()
	if r == nil || r.Lock.Key.Hash.Name == "" {
		return
	}
	told, known := s.traces[markID(r)]
	if !known {
		return
	}
	d.gap()
	d.head(col, "IN THE JOURNAL")
	switch {
	case told.err != nil:
		_, _, why, _ := explain(told.err)
		d.para(col, asWarn, "It could not be read: "+sentence(why))
	case len(told.records) == 0:
		d.para(col, asText, "Nothing was done to this lock from here, as far back as the journal goes.")
	}
	const most = 4
	for n, rec := range told.records {
		if n == most && !d.whole {
			d.para(col, asMuted, fmt.Sprintf("and %d before", len(told.records)-n))
			return
		}
		s.traced(d, col, rec)
	}
}

// traced is one change of the lock: when, what, with what outcome, by whom and why.
func (s *findScreen) traced(d *doc, col int, rec *journal.Record) {
	sign := outcomeSign(rec)
	d.row(func(l *line) {
		l.to(col)
		l.put(asMuted, when(rec.At, s.app.now()))
		l.to(col + 14)
		end := l.width - 1 - 2 - cells(sign.word) - 2
		drawWhat(l, rec, end)
		l.put(asText, "  ")
		sign.draw(l)
	})
	said := "by " + whose(rec.Who)
	if rec.Reason != "" {
		said += ": " + rec.Reason
	}
	d.para(col+14, asMuted, said)
}

// releasing says what a release of the selected lock would do, where it can be
// released.
func (s *findScreen) releasing(d *doc) {
	a, r := s.app, s.selected()
	if r == nil || s.rows().rows[s.list.cursor].near || a.whyRelease(r) != "" {
		return
	}
	said, err := change.Preview(a.table, r, s.answer.At)
	if err != nil { // a release would say so itself
		return
	}
	d.gap()
	d.head(1, "RELEASING WILL")
	for _, l := range said {
		d.told(1, string(l.Label), l.Text)
	}
}
