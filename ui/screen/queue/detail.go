package queue

import (
	"slices"
	"strings"

	"tallylock/dynamo/change/queue"
	"tallylock/keymap"
	"tallylock/ui/dialog/change"
	"tallylock/ui/kit"
	"tallylock/ui/say"
	"tallylock/ui/screen"
)

// beneath draws the selected plan below the list.
func (s *Screen) beneath(d *kit.Block) {
	e := s.selected()
	if e == nil {
		return
	}
	d.Verdict(say.QueueState(e.State), e.Shown.Sentence)
	d.Fact("why", kit.Text.Of(e.Plan.Reason))
	d.Fact("asked by", kit.Text.Of(e.AskedBy), kit.Muted.Of(", until "+say.When(e.Until, s.Now())))
	label, next := s.next(e)
	d.Fact(label, kit.Text.Of(next))
}

// next says what became of a plan, or what a person can do.
func (s *Screen) next(e *queue.Entry) (label, text string) {
	if e.State != queue.Waiting {
		return "outcome", say.QueueBecame(e, s.Now())
	}
	if why := change.WhyNotQueued(s.Session, e); why != "" {
		if e.AskedBy == s.Options.Guest.Name {
			why += "; " + s.Keys.Key(keymap.Withdraw) + " withdraws it"
		}
		return "apply", why
	}
	return "apply", s.Keys.Key(s.decisions(e)[0].Action) + " verifies the plan against the current items, and asks"
}

// beside draws the selected plan beside the list: as its author saw it, with its conditions and its evidence.
func (s *Screen) beside(d *kit.Block) {
	e := s.selected()
	if e == nil {
		return
	}
	d.Sign(say.QueueState(e.State))
	d.Para(1, kit.Strong, e.Shown.Sentence)
	d.Gap()
	d.Head(1, "ASKED")
	d.Branch([]string{"by", "why", "since", "until", "on", "table"}, func(n int) kit.Span {
		return kit.Text.Of([6]string{
			e.AskedBy, e.Plan.Reason, e.Asked.Local().Format("2006-01-02 15:04:05"),
			e.Until.Local().Format("2006-01-02 15:04:05"),
			e.Plan.Connection + " " + kit.GlyphPath + " " + e.Plan.Region, tableOf(e),
		}[n])
	})
	d.Gap()
	d.Head(1, "PLAN, AS "+strings.ToUpper(e.AskedBy)+" SAW IT")
	for _, l := range e.Shown.Lines {
		d.LongFact(1, string(l.Label), l.Text)
	}
	if len(e.Plan.Changes) > 1 {
		for _, c := range e.Plan.Changes {
			d.LongFact(1, "change", c.Does)
		}
	}
	d.Gap()
	d.Head(1, "DECISION")
	label, next := s.next(e)
	d.LongFact(1, label, next)
	for _, id := range e.Receipts {
		d.LongFact(1, "receipt", id)
	}
	d.Gap()
	slices.Concat(s.decisions(e), screen.Copies(s.Session, copied(e))).YouCan(s.Session, d, 1)
}
