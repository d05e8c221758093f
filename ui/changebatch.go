package ui

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/change"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/session"
	"tallylock/ui/words"
)

// askReleases plans to release all marked locks with one look, and asks.
func (a *app) askReleases() tea.Cmd {
	t, rels := a.Table, a.Marks.All()
	if len(rels) == 1 {
		a.Marks.Clear()
		return a.askRelease(t, rels[0])
	}
	return a.askChange(way{title: fmt.Sprintf("Release %s", phrase.Count(len(rels), "lock")), several: releases(), batch: func(ctx context.Context) (*change.Batch, error) {
		return change.PlanReleases(ctx, t, rels...)
	}}).replan()
}

// several is how people speak of several changes that are asked for as one.
type several struct {
	thing      string // what each is of: "lock"
	verb, done string // "Release", "released"
	says       string // a sentence, of so many of them
}

func releases() several {
	return several{"lock", "Release", "released", "Frees the values of %s. Anybody can sign up with them afterwards. No account is changed."}
}

// proposal is what was planned: one change, or several as one.
type proposal struct {
	plan  *change.Plan
	batch *change.Batch
}

// propose plans what a way asks for.
func (w way) propose(ctx context.Context, typed string) (proposal, error) {
	if w.batch == nil {
		p, err := w.plan(ctx, typed)
		return proposal{plan: p}, err
	}
	b, err := w.batch(ctx)
	if err != nil {
		return proposal{}, err
	}
	if len(b.Plans) > 1 {
		oneByOne(b)
	}
	if len(b.Plans) == 0 {
		refused := &change.Refusal{}
		for _, r := range b.Refused {
			refused.Reasons = append(refused.Reasons, r.Reasons...)
		}
		return proposal{}, refused
	}
	return proposal{together(b, w.several), b}, nil
}

// oneByOne leaves out what asks for its value to be typed, whatever the guard says.
func oneByOne(b *change.Batch) {
	b.Plans = slices.DeleteFunc(b.Plans, func(p *change.Plan) bool {
		if !p.Careful() {
			return false
		}
		why := change.Reason{Code: change.ByHand, Text: fmt.Sprintf("the %s \"%s\" has to be typed: release it by itself", p.Constraint, p.Value)}
		b.Refused = append(b.Refused, change.Receipt{Plan: p, Outcome: change.Refused, Reasons: []change.Reason{why}})
		return true
	})
	b.Weigh()
}

// listed is how many changes of a batch the question names one by one.
const listed = 5

// together is a batch as a plan that can be shown: it is never applied itself.
func together(b *change.Batch, text several) *change.Plan {
	first, n := b.Plans[0], len(b.Plans)
	things := phrase.Count(n, text.thing)
	p := &change.Plan{
		Kind: first.Kind, Table: first.Table, Title: text.verb + " " + things, Button: text.verb + " " + things,
		Sentence: fmt.Sprintf(text.says, things),
	}
	say := func(label change.Label, text string) {
		p.Lines = append(p.Lines, change.Line{Label: label, Text: text})
	}
	for i, one := range b.Plans {
		if one.Typed != "" {
			p.Typed = things
		}
		p.Steps = append(p.Steps, one.Steps...)
		if i < listed {
			say(one.Lines[0].Label, one.Lines[0].Text)
		}
	}
	if n > listed {
		say("", fmt.Sprintf("and %d more", n-listed))
	}
	for _, r := range b.Refused {
		for _, reason := range r.Reasons {
			say("not", reason.Text)
		}
	}
	if b.Typed != "" {
		p.Typed = b.Typed
		say("careful", "these are a large part of all locks: type how many they are")
	}
	say(change.LabelOnlyIf, "each is as it was seen")
	if n := marksFirst(b.Plans); n > 0 {
		of := "each"
		if n < len(b.Plans) {
			of = phrase.Count(n, "lock")
		}
		say(change.LabelFirst, "marks "+of+", waits, and looks at every account once for all of them")
	}
	say(change.LabelPrice, b.Price.String())
	say(change.LabelUndo, "each by itself, in the journal")
	return p
}

// marksFirst counts the plans that mark a lock before they delete it.
func marksFirst(plans []*change.Plan) int {
	n := 0
	for _, p := range plans {
		if len(p.Steps) > 1 {
			n++
		}
	}
	return n
}

// batchDone notes what became of a batch: what was done with is no longer marked.
func (d *changeDialog) batchDone(receipts []change.Receipt) {
	d.receipts = append(receipts[:len(receipts):len(receipts)], d.batch.Refused...)
	if d.current().after != nil {
		return // it sees to its own
	}
	for _, r := range receipts {
		if stopped(r) {
			return // all of them: they may be tried again
		}
	}
	d.app.Marks.Clear()
	d.app.Last = session.LastChange{Connection: d.conn, Kind: change.KindRelease}
}

// drawBatch is what became of each change.
func (d *changeDialog) drawBatch() *kit.Box {
	a, text := d.app, d.current().several
	released, unknown := 0, 0
	for _, r := range d.receipts {
		switch r.Outcome {
		case change.Applied:
			released++
		case change.Unknown:
			unknown++
		}
	}
	all := len(d.receipts)
	look, glyph, word := kit.Bad, kit.GlyphNo, "Refused"
	switch {
	case released == all:
		look, glyph, word = kit.Good, kit.GlyphYes, "Applied"
	case unknown > 0:
		look, glyph, word = kit.Warn, kit.GlyphUnknown, "Not known"
	case released > 0:
		look, glyph, word = kit.Warn, kit.GlyphYes, "Applied in part"
	case stopped(d.receipts[0]):
		word = "Stopped"
	}
	b := kit.NewBox(a.Styles, a.Size.Width, look, (look | kit.Bold).Of(glyph+" "+word), kit.Muted.Of(" · "), kit.Heading.Of(fmt.Sprintf("%d of %s %s", released, phrase.Count(all, text.thing), text.done)))
	b.Gap()
	rows := d.batchRows(b.Inner() - 4)
	page := max(a.Size.Height-13, 3)
	if d.asks() != nil || d.kept != "" {
		page = max(page-6, 3)
	}
	d.top = max(min(d.top, len(rows)-page), 0)
	for _, row := range rows[d.top:min(d.top+page, len(rows))] {
		b.Row(kit.Must, func(l *kit.Line) {
			l.To(2)
			for _, s := range row {
				l.Put(s.Style, s.Text)
			}
		})
	}
	b.Gap()
	paid := 0.0
	read := 0.0
	for _, r := range d.receipts {
		paid, read = paid+r.WriteUnits, read+r.ReadUnits
	}
	b.Fact(kit.Plain, "paid", kit.Text, words.Units(paid)+" write units, "+words.Units(read)+" read units")
	b.Gap()
	d.answers(b, "Done")
	b.Gap()
	hints := []kit.Hint{{Key: a.Keys.Key(keymap.Press), Words: "close"}, {Key: a.Keys.Key(keymap.CopyCommand), Words: "copy"}}
	if d.asks() != nil {
		hints = append([]kit.Hint{{Key: a.Keys.Key(keymap.NextField), Words: "next"}}, kit.Hint{Key: a.Keys.Key(keymap.Press), Words: "press"}, hints[1])
	}
	if len(rows) > page {
		hints = append(hints, kit.Hint{Key: "↑↓", Words: "scroll"})
	}
	b.Hints(hints...)
	return b
}

// batchRows are the changes of a batch, each with what became of it.
func (d *changeDialog) batchRows(w int) [][]kit.Span {
	var out [][]kit.Span
	for _, r := range d.receipts {
		sign := kit.Sign{Glyph: kit.GlyphNo, Style: kit.Bad, Word: ""}
		switch r.Outcome {
		case change.Applied:
			sign.Glyph, sign.Style = kit.GlyphYes, kit.Good
		case change.Unknown:
			sign.Glyph, sign.Style = kit.GlyphUnknown, kit.Warn
		}
		if inOrder(r) {
			sign.Glyph, sign.Style = kit.GlyphYes, kit.Muted
		}
		what := r.Plan.Constraint
		if what == "" {
			what = "counter"
		}
		out = append(out, []kit.Span{(sign.Style | kit.Bold).Of(sign.Glyph), kit.Muted.Of(" " + what + " "), kit.Strong.Of(r.Plan.Subject()), kit.Muted.Of("   " + r.ID)})
		for _, why := range whyReceipt(r) {
			for _, row := range kit.Wrap(why, w-2) {
				out = append(out, []kit.Span{kit.Text.Of("  " + row)})
			}
		}
	}
	return out
}

// inOrder reports whether a change was left because there is nothing to mend.
func inOrder(r change.Receipt) bool {
	return r.Outcome == change.Refused && len(r.Reasons) > 0 && r.Reasons[0].Code == change.InOrder
}

// whyReceipt says why a change was not made.
func whyReceipt(r change.Receipt) []string {
	var out []string
	for _, reason := range r.Reasons {
		out = append(out, words.Sentence(reason.Text))
	}
	if r.Err != nil {
		_, _, why, _ := words.Explain(r.Err)
		out = append(out, words.Sentence(why))
	}
	return out
}

// batchInWords is what became of a batch, as sentences for a ticket.
func (d *changeDialog) batchInWords() string {
	var b strings.Builder
	for _, r := range d.receipts {
		fmt.Fprintf(&b, "%s: %s. %s", r.Plan.String(), r.Outcome, strings.Join(whyReceipt(r), " "))
		if r.ID != "" {
			fmt.Fprintf(&b, " Receipt %s.", r.ID)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
