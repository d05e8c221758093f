package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/change"
	"tallylock/dynamo/change/journal"
	"tallylock/keymap"
)

// load reads what was written down of the selected change, in the background: a
// list of many is quick because it does without.
func (s *journalScreen) load() tea.Cmd {
	rec := s.selected()
	if rec == nil || s.loaded[rec.Receipt] != nil {
		return nil
	}
	return send(s.app.flights, loading, func(context.Context) (*change.Entry, error) { return change.Load(rec) },
		func(e *change.Entry, err error) tea.Cmd {
			if err == nil && e.Plan != nil {
				s.loaded[rec.Receipt] = e
			}
			return nil
		})
}

// planOf is the plan of a change, nil while it has not been read.
func (s *journalScreen) planOf(r *journal.Record) *change.Plan {
	if e := s.loaded[r.Receipt]; e != nil {
		return e.Plan
	}
	return nil
}

// beneath is a change in four rows: what became of it, the item, why it was made,
// and what can be done about it.
func (s *journalScreen) beneath(d *doc, r *journal.Record) {
	if r == nil {
		return
	}
	p := s.planOf(r)
	d.verdict(outcomeSign(r), became(r, p))
	item := span{asText, r.What}
	if p != nil && len(p.Lines) > 0 {
		item.text = p.Lines[0].Text
	}
	d.fact("item", item, span{asMuted, "   " + r.Receipt})
	d.fact("reason", reasonSpan(r))
	label, next := s.next(r, p)
	d.fact(label, span{asText, next})
}

// next says what can be done about a change.
func (s *journalScreen) next(r *journal.Record, p *change.Plan) (label, words string) {
	if why := s.app.whySettle(r); r.Open && why != "" {
		return "so", why
	}
	if r.Open {
		return "so", s.app.keys.Key(keymap.Mend) + " reads what became of it, and asks what to do"
	}
	if why := s.whyUndo(r); why != "" {
		return "undo", why
	}
	if undo := p.Line(change.LabelUndo); undo != "" {
		return "undo", undo
	}
	return "undo", s.app.keys.Key(keymap.Undo) + " shows what would be taken back, and asks"
}

// reasonSpan is why a change was made, as far as it was said.
func reasonSpan(r *journal.Record) span {
	if r.Reason == "" {
		return span{asAbsent, "none was given"}
	}
	return span{asText, r.Reason}
}

// receiptPlace is where a change was sent.
func receiptPlace(r *journal.Record) string {
	return r.Connection + " " + glyphPath + " " + r.Region + " " + glyphPath + " " + r.Table
}

// beside is a change on a wide screen.
func (s *journalScreen) beside(d *doc, r *journal.Record) {
	if r == nil {
		return
	}
	p := s.planOf(r)
	d.row(func(l *line) {
		l.to(1)
		outcomeSign(r).draw(l)
	})
	d.para(1, asStrong, became(r, p))
	d.gap()
	d.head(1, "RECEIPT")
	d.branch(1, []string{"name", "sent", "by", "on", "reason"}, func(n int) span {
		return [5]span{
			{asText, r.Receipt},
			{asText, r.At.Local().Format("2006-01-02 15:04:05")},
			{asText, whose(r.Who)},
			{asText, receiptPlace(r)},
			reasonSpan(r),
		}[n]
	})
	d.gap()
	if p != nil {
		d.head(1, "WHAT WAS PLANNED")
		d.para(1, asText, p.Sentence)
		for _, l := range p.Lines {
			d.told(1, string(l.Label), l.Text)
		}
		d.gap()
	}
	if why := whyNot(r); len(why) > 0 {
		d.head(1, "WHAT BECAME OF IT")
		for _, text := range why {
			d.para(1, asText, text)
		}
		d.gap()
	}
	if s.whyUndo(r) != "" { // else it is in the plan
		label, next := s.next(r, p)
		d.told(1, label, next)
		d.gap()
	}
	s.app.youCan(
		d, 1, can{keymap.Mend, "settle it"}, can{keymap.Undo, "take it back"}, can{keymap.Open, "see the whole receipt"},
		can{keymap.Copy, "copy the receipt's name"}, can{keymap.CopyItem, "copy the requests as JSON"},
	)
}

// whyNot are the reasons that a change was refused for, or that it was settled by,
// and other receipts that belong to it.
func whyNot(r *journal.Record) []string {
	var out []string
	for _, reason := range r.Reasons {
		out = append(out, sentence(reason.Text))
	}
	if r.Error != "" {
		out = append(out, sentence(r.Error))
	}
	if r.Undoes != "" {
		out = append(out, "It takes "+r.Undoes+" back.")
	}
	if r.Undone != "" {
		out = append(out, "It was taken back by "+r.Undone+".")
	}
	return out
}

// told writes a label and what it says, over as many rows as that takes.
func (d *doc) told(col int, label, text string) {
	for n, row := range wrap(text, d.width-col-11) {
		d.row(func(l *line) {
			l.to(col)
			if n == 0 {
				l.put(asMuted, label)
			}
			l.to(col + 10)
			l.put(asText, row)
		})
	}
}
