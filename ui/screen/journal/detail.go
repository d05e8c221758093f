package journal

import (
	"cmp"
	"slices"

	record "tallylock/dynamo/change/journal"
	"tallylock/dynamo/change/plan"
	"tallylock/keymap"
	"tallylock/ui/dialog/change"
	"tallylock/ui/dialog/resolve"
	"tallylock/ui/kit"
	"tallylock/ui/say"
	"tallylock/ui/screen"
	"tallylock/ui/session"
)

// planOf returns the plan of a change; nil if r is nil, or if the plan has not been read yet.
func (s *Screen) planOf(r *record.Record) *plan.Plan {
	if r == nil || s.loaded[r.Receipt] == nil {
		return nil
	}
	return s.loaded[r.Receipt].Plan
}

// beneath draws the selected change in four rows: its outcome, its item, its reason, and
// what a person can do about it.
func (s *Screen) beneath(d *kit.Block) {
	r := s.selected().Record
	if r == nil {
		return
	}
	p := s.planOf(r)
	d.Verdict(say.Outcome(r), say.Became(r, p))
	item := kit.Text.Of(r.What)
	if p != nil {
		item.Text = cmp.Or(p.Lead().Text, item.Text)
	}
	d.Fact("item", item, kit.Muted.Of("   "+r.Receipt))
	d.Fact("reason", reasonSpan(r))
	label, next := s.next(r, p)
	d.Fact(label, kit.Text.Of(next))
}

// next says what a person can do about a change.
func (s *Screen) next(r *record.Record, p *plan.Plan) (label, text string) {
	if why := resolve.Why(s.Session, r); r.Open && why != "" {
		return "so", why
	}
	if r.Open {
		return "so", s.Keys.Key(keymap.Mend) + " reads its outcome, and asks what to do"
	}
	if why := change.WhyUndo(s.Session, r, p); why != "" {
		return "undo", why
	}
	if undo := p.Line(plan.LabelUndo); undo != "" {
		return "undo", undo
	}
	return "undo", s.Keys.Key(keymap.Undo) + " shows the undo, and asks"
}

// undoCommand returns the shell command that undoes a change. It is empty for a change in the demo,
// because no other program reaches the demo's journal.
func undoCommand(r *record.Record) string {
	if r.Region == session.Embedded {
		return ""
	}
	return "tallylock undo " + r.Receipt
}

// reasonSpan returns the reason that a person gave for a change, or says that there is none.
func reasonSpan(r *record.Record) kit.Span {
	if r.Reason == "" {
		return kit.Absent.Of("none was given")
	}
	return kit.Text.Of(r.Reason)
}

// receiptPlace returns the connection, the Region and the table of a change.
func receiptPlace(r *record.Record) string {
	return r.Connection + " " + kit.GlyphPath + " " + r.Region + " " + kit.GlyphPath + " " + r.Table
}

// beside draws the selected change beside the list.
func (s *Screen) beside(d *kit.Block) {
	r := s.selected().Record
	if r == nil {
		return
	}
	p := s.planOf(r)
	d.Sign(say.Outcome(r))
	d.Para(1, kit.Strong, say.Became(r, p))
	d.Gap()
	d.Head(1, "RECEIPT")
	d.Branch([]string{"name", "sent", "by", "on", "reason"}, func(n int) kit.Span {
		return [5]kit.Span{
			kit.Text.Of(r.Receipt),
			kit.Text.Of(r.At.Local().Format("2006-01-02 15:04:05")),
			kit.Text.Of(say.Makers(say.By(r.Who), r.AppliedBy, r.AskedBy)),
			kit.Text.Of(receiptPlace(r)),
			reasonSpan(r),
		}[n]
	})
	d.Gap()
	if p != nil {
		d.Head(1, "PLAN")
		d.Para(1, kit.Text, p.Sentence)
		for _, l := range p.Lines {
			d.LongFact(1, string(l.Label), l.Text)
		}
		d.Gap()
	}
	if why := say.WhyNot(r); len(why) > 0 {
		d.Head(1, "RESULT")
		for _, text := range why {
			d.Para(1, kit.Text, text)
		}
		d.Gap()
	}
	if change.WhyUndo(s.Session, r, p) != "" { // otherwise the plan above describes the undo
		label, next := s.next(r, p)
		d.LongFact(1, label, next)
		d.Gap()
	} else if command := undoCommand(r); command != "" {
		d.LongFact(1, "undo", command)
		d.Gap()
	}
	slices.Concat(repairs(s.Session, r, p), screen.Commands{opening(s.Session, r)},
		screen.Copies(s.Session, copied(s.Session, r, p))).YouCan(
		s.Session,
		d,
		1,
	)
}
