package ui

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo/change"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
)

// askReleases plans to release all marked locks with one look, and asks.
func (a *app) askReleases() tea.Cmd {
	t, rels := a.table, a.marks.all()
	if len(rels) == 1 {
		a.marks.clear()
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

// whyReleases says why the marked locks are not released.
func (a *app) whyReleases() string { return a.whyWrite(a.table.Name, client.Update, client.Delete) }

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
func together(b *change.Batch, words several) *change.Plan {
	first, n := b.Plans[0], len(b.Plans)
	things := phrase.Count(n, words.thing)
	p := &change.Plan{
		Kind: first.Kind, Table: first.Table, Title: words.verb + " " + things, Button: words.verb + " " + things,
		Sentence: fmt.Sprintf(words.says, things),
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
	d.app.marks.clear()
	d.app.last = lastChange{conn: d.conn, kind: change.KindRelease}
}

// drawBatch is what became of each change.
func (d *changeDialog) drawBatch() *box {
	a, words := d.app, d.current().several
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
	look, glyph, word := asBad, glyphNo, "Refused"
	switch {
	case released == all:
		look, glyph, word = asGood, glyphYes, "Applied"
	case unknown > 0:
		look, glyph, word = asWarn, glyphUnknown, "Not known"
	case released > 0:
		look, glyph, word = asWarn, glyphYes, "Applied in part"
	case stopped(d.receipts[0]):
		word = "Stopped"
	}
	b := newBox(a.st, a.size.w, look, span{look | bold, glyph + " " + word}, span{asMuted, " · "}, span{asBold, fmt.Sprintf("%d of %s %s", released, phrase.Count(all, words.thing), words.done)})
	b.gap()
	rows := d.batchRows(b.inner() - 4)
	page := max(a.size.h-13, 3)
	if d.asks() != nil || d.kept != "" {
		page = max(page-6, 3)
	}
	d.top = max(min(d.top, len(rows)-page), 0)
	for _, row := range rows[d.top:min(d.top+page, len(rows))] {
		b.row(must, func(l *line) {
			l.to(2)
			for _, s := range row {
				l.put(s.look, s.text)
			}
		})
	}
	b.gap()
	paid := 0.0
	read := 0.0
	for _, r := range d.receipts {
		paid, read = paid+r.WriteUnits, read+r.ReadUnits
	}
	b.fact(plain, "paid", asText, units(paid)+" write units, "+units(read)+" read units")
	b.gap()
	d.answers(b, "Done")
	b.gap()
	hints := []hint{{a.keys.Key(keymap.Press), "close"}, {a.keys.Key(keymap.CopyCommand), "copy"}}
	if d.asks() != nil {
		hints = append([]hint{{a.keys.Key(keymap.NextField), "next"}}, hint{a.keys.Key(keymap.Press), "press"}, hints[1])
	}
	if len(rows) > page {
		hints = append(hints, hint{"↑↓", "scroll"})
	}
	b.hints(hints...)
	return b
}

// batchRows are the changes of a batch, each with what became of it.
func (d *changeDialog) batchRows(w int) [][]span {
	var out [][]span
	for _, r := range d.receipts {
		sign := sign{glyphNo, asBad, "", false}
		switch r.Outcome {
		case change.Applied:
			sign.glyph, sign.look = glyphYes, asGood
		case change.Unknown:
			sign.glyph, sign.look = glyphUnknown, asWarn
		}
		if inOrder(r) {
			sign.glyph, sign.look = glyphYes, asMuted
		}
		what := r.Plan.Constraint
		if what == "" {
			what = "counter"
		}
		out = append(out, []span{{sign.look | bold, sign.glyph}, {asMuted, " " + what + " "}, {asStrong, r.Plan.Subject()}, {asMuted, "   " + r.ID}})
		for _, why := range whyReceipt(r) {
			for _, row := range wrap(why, w-2) {
				out = append(out, []span{{asText, "  " + row}})
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
		out = append(out, sentence(reason.Text))
	}
	if r.Err != nil {
		_, _, why, _ := explain(r.Err)
		out = append(out, sentence(why))
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
