package journal

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/change"
	record "tallylock/dynamo/change/journal"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/screen"
	"tallylock/ui/task"
	"tallylock/ui/words"
)

// Load reads what was written down of the selected change, in the background: a
// list of many is quick because it does without.
func (s *Screen) Load() tea.Cmd {
	rec := s.selected()
	if rec == nil || s.loaded[rec.Receipt] != nil {
		return nil
	}
	return task.Start(s.Tasks, task.Loading, func(context.Context) (*change.Entry, error) { return change.Load(rec) },
		func(e *change.Entry, err error) tea.Cmd {
			if err == nil && e.Plan != nil {
				s.loaded[rec.Receipt] = e
			}
			return nil
		})
}

// planOf is the plan of a change, nil while it has not been read.
func (s *Screen) planOf(r *record.Record) *change.Plan {
	if e := s.loaded[r.Receipt]; e != nil {
		return e.Plan
	}
	return nil
}

// beneath is a change in four rows: what became of it, the item, why it was made,
// and what can be done about it.
func (s *Screen) beneath(d *kit.Block, r *record.Record) {
	if r == nil {
		return
	}
	p := s.planOf(r)
	d.Verdict(words.Outcome(r), words.Became(r, p))
	item := kit.Text.Of(r.What)
	if p != nil && len(p.Lines) > 0 {
		item.Text = p.Lines[0].Text
	}
	d.Fact("item", item, kit.Muted.Of("   "+r.Receipt))
	d.Fact("reason", reasonSpan(r))
	label, next := s.next(r, p)
	d.Fact(label, kit.Text.Of(next))
}

// next says what can be done about a change.
func (s *Screen) next(r *record.Record, p *change.Plan) (label, text string) {
	if why := s.WhySettle(r); r.Open && why != "" {
		return "so", why
	}
	if r.Open {
		return "so", s.Keys.Key(keymap.Mend) + " reads what became of it, and asks what to do"
	}
	if why := s.whyUndo(r); why != "" {
		return "undo", why
	}
	if undo := p.Line(change.LabelUndo); undo != "" {
		return "undo", undo
	}
	return "undo", s.Keys.Key(keymap.Undo) + " shows what would be taken back, and asks"
}

// reasonSpan is why a change was made, as far as it was said.
func reasonSpan(r *record.Record) kit.Span {
	if r.Reason == "" {
		return kit.Absent.Of("none was given")
	}
	return kit.Text.Of(r.Reason)
}

// receiptPlace is where a change was sent.
func receiptPlace(r *record.Record) string {
	return r.Connection + " " + kit.GlyphPath + " " + r.Region + " " + kit.GlyphPath + " " + r.Table
}

// beside is a change on a wide screen.
func (s *Screen) beside(d *kit.Block, r *record.Record) {
	if r == nil {
		return
	}
	p := s.planOf(r)
	d.Row(func(l *kit.Line) {
		l.To(1)
		words.Outcome(r).Draw(l)
	})
	d.Para(1, kit.Strong, words.Became(r, p))
	d.Gap()
	d.Head(1, "RECEIPT")
	d.Branch(1, []string{"name", "sent", "by", "on", "reason"}, func(n int) kit.Span {
		return [5]kit.Span{
			kit.Text.Of(r.Receipt),
			kit.Text.Of(r.At.Local().Format("2006-01-02 15:04:05")),
			kit.Text.Of(words.By(r.Who)),
			kit.Text.Of(receiptPlace(r)),
			reasonSpan(r),
		}[n]
	})
	d.Gap()
	if p != nil {
		d.Head(1, "WHAT WAS PLANNED")
		d.Para(1, kit.Text, p.Sentence)
		for _, l := range p.Lines {
			d.LongFact(1, string(l.Label), l.Text)
		}
		d.Gap()
	}
	if why := words.WhyNot(r); len(why) > 0 {
		d.Head(1, "WHAT BECAME OF IT")
		for _, text := range why {
			d.Para(1, kit.Text, text)
		}
		d.Gap()
	}
	if s.whyUndo(r) != "" { // else it is in the plan
		label, next := s.next(r, p)
		d.LongFact(1, label, next)
		d.Gap()
	}
	screen.YouCan(s.Session, s, d, 1,
		screen.Can{Action: keymap.Mend, Words: "settle it"}, screen.Can{Action: keymap.Undo, Words: "take it back"}, screen.Can{Action: keymap.Open, Words: "see the whole receipt"},
		screen.Can{Action: keymap.Copy, Words: "copy the receipt's name"}, screen.Can{Action: keymap.CopyItem, Words: "copy the requests as JSON"},
	)
}

// whyUndo says why a change of the journal is not taken back; empty where that may
// be tried.
func (s *Screen) whyUndo(r *record.Record) string {
	c := s.ConnectionOf(r)
	switch {
	case r.Open:
		return "it is not known what became of it: settle it first"
	case r.Outcome != change.Applied:
		return change.Undoable(r)
	case r.Undone != "":
		return "it was taken back already, by " + r.Undone
	case c == nil:
		return s.Elsewhere(r)
	case s.loaded[r.Receipt] == nil:
		return "its plan has not been read"
	}
	if why := change.Undoable(r); why != "" {
		return why
	}
	return s.WhyWriteOn(*c, r.Table)
}
