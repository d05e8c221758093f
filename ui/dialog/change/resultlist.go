package change

import (
	"cmp"
	"fmt"

	"tallylock/dynamo/change"
	"tallylock/dynamo/phrase"
	"tallylock/ui/kit"
	"tallylock/ui/words"
)

// titleOfAll is the title for several outcomes.
func (r *result) titleOfAll() (look kit.Style, word, heading string) {
	made, unknown := 0, 0
	for _, one := range r.receipts {
		switch one.Outcome {
		case change.Applied:
			made++
		case change.Unknown:
			unknown++
		}
	}
	all := len(r.receipts)
	heading = fmt.Sprintf("%d of %s %s", made, phrase.Count(all, r.wording.thing), r.wording.done)
	switch {
	case made == all:
		return kit.Good, kit.GlyphYes + " Applied", heading
	case unknown > 0:
		return kit.Warn, kit.GlyphUnknown + " Not known", heading
	case made > 0:
		return kit.Warn, kit.GlyphYes + " Applied in part", heading
	case words.Stopped(r.first()):
		return kit.Bad, kit.GlyphNo + " Stopped", heading
	}
	return kit.Bad, kit.GlyphNo + " Refused", heading
}

// writeAll draws the outcome of each change, as many as fit.
func (r *result) writeAll(b *kit.Box) {
	rows := r.list(b.Inner() - 4)
	page := max(r.Size.Height-13, 3)
	if r.question() != nil || r.decided != "" {
		page = max(page-6, 3)
	}
	r.rows = max(len(rows)-page, 0)
	r.top = max(min(r.top, r.rows), 0)
	for _, row := range rows[r.top:min(r.top+page, len(rows))] {
		b.Row(kit.Must, func(l *kit.Line) {
			l.To(2)
			for _, s := range row {
				l.Put(s.Style, s.Text)
			}
		})
	}
}

// list returns the outcome of each change as rows of width w.
func (r *result) list(w int) [][]kit.Span {
	var out [][]kit.Span
	for _, one := range r.receipts {
		look, glyph := kit.Bad, kit.GlyphNo
		switch {
		case words.InOrder(one):
			look, glyph = kit.Muted, kit.GlyphYes
		case one.Outcome == change.Applied:
			look, glyph = kit.Good, kit.GlyphYes
		case one.Outcome == change.Unknown:
			look, glyph = kit.Warn, kit.GlyphUnknown
		}
		what := cmp.Or(one.Plan.Constraint, "counter")
		out = append(
			out,
			[]kit.Span{
				(look | kit.Bold).Of(glyph),
				kit.Muted.Of(" " + what + " "),
				kit.Strong.Of(one.Plan.Subject()),
				kit.Muted.Of("   " + one.ID),
			},
		)
		for _, why := range words.WhyReceipt(one) {
			for _, row := range kit.Wrap(why, w-2) {
				out = append(out, []kit.Span{kit.Text.Of("  " + row)})
			}
		}
	}
	return out
}
