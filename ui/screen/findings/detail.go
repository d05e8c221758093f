package findings

import (
	"strings"

	"tallylock/dynamo"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/report"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/schema"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/say"
	"tallylock/ui/screen"
)

// beneath draws a finding in four rows: the sentence, the item, the reads, and the
// consequence for people. x is nil if a heading is selected.
func (r *run) beneath(d *kit.Block, x *row) {
	if x == nil {
		r.kindBeneath(d)
		return
	}
	if x.suspect {
		r.suspectBeneath(d, x)
		return
	}
	d.Verdict(say.Finding(x.f), x.f.Detail)
	var facts []kit.Fact
	items := say.FindingItems(r.table, x.f)
	if len(x.f.Accounts) > 1 {
		var names []string
		for _, i := range items {
			if i.Account {
				names = append(names, i.Key.Hash.Value.Display())
			}
		}
		facts = append(facts, kit.Text.Says("accounts", phrase.List(names)))
	} else if len(items) > 0 {
		first, _, _ := strings.Cut(items[0].Label, " ")
		facts = append(facts, kit.Text.Says(strings.ToLower(first), items[0].Key.String()))
	}
	read, _ := x.f.SplitEvidence()
	facts = append(facts, kit.Text.Says("read", read))
	switch so := say.FindingMeans(x.f); {
	case x.mended != nil:
		sign, why := say.Mended(*x.mended), say.MendedWhy(*x.mended)
		facts = append(facts, kit.Fact{
			Label: sign.Word,
			Said:  []kit.Span{(sign.Style | kit.Bold).Of(sign.Glyph + " "), kit.Text.Of(why)},
		})
	case x.f.SuspectLayout:
		facts = append(facts, (kit.Bad|kit.Bold).Says("but", say.Suspect))
	case so != "":
		facts = append(facts, kit.Text.Says("so", so))
	}
	d.Facts(facts...)
}

// kindBeneath draws the detail of a heading: what its kind of finding means, and how many there are.
func (r *run) kindBeneath(d *kit.Block) {
	g, _ := r.lines().Of(r.list.Cursor)
	if r.list.Lost || g.kind == "" {
		r.list.Gone(d)
		return
	}
	d.Verdict(say.Kind(g.kind), say.Sentence(say.KindMeans(g.kind)))
	if r.running && g.sure == 0 { // the rows may be suspects
		d.Fact("found", kit.Muted.Of(phrase.Number(len(g.rows))+" not confirmed yet"))
		return
	}
	said := ", " + phrase.Number(g.sure) + " confirmed"
	if len(g.rows) < g.total {
		said = ", " + phrase.Number(len(g.rows)) + " shown, " + phrase.Number(g.sure) + " of them confirmed"
	}
	d.Fact("found", kit.Text.Of(phrase.Count(g.total, "finding")), kit.Muted.Of(said))
}

// beside draws the detail of a finding beside the list. x is nil if a heading is selected.
func (s *Screen) beside(d *kit.Block, r *run, x *row) {
	if x == nil {
		r.kindBeside(d)
		return
	}
	d.Sign(say.Finding(x.f))
	d.Para(1, kit.Strong, x.f.Detail)
	if x.suspect {
		d.Para(1, kit.Text, say.Sentence(say.SuspectLater))
	}
	d.Gap()
	if x.mended != nil {
		sign, why := say.Mended(*x.mended), say.MendedWhy(*x.mended)
		d.Sign(sign)
		d.Para(1, kit.Text, why)
		d.Gap()
	}
	if x.f.SuspectLayout {
		d.Para(1, kit.Bad|kit.Bold, say.Sentence(say.Suspect))
		d.Gap()
	}
	drawItems(d, r.table, say.FindingItems(r.table, x.f), s.Keys.Key(keymap.Open))
	evidence(d, x)
	s.selected(r).YouCan(s.Session, d, 1)
	if rests := r.restsOn(x); len(rests) > 0 {
		d.Gap()
		section(d, "RESTS ON", kit.Muted, rests...)
	}
}

// section draws a heading and paragraphs below it.
func section(d *kit.Block, head string, k kit.Style, paragraphs ...string) {
	d.Head(1, head)
	for _, one := range paragraphs {
		d.Para(1, k, one)
	}
}

// drawItems draws the first items of a finding as the check read them. key is the key that shows all items.
func drawItems(d *kit.Block, t *dynamo.Table, items []say.FindingItem, key string) {
	const most = 4
	for _, i := range items[:min(len(items), most)] {
		d.Head(1, i.Label)
		switch {
		case i.Seen == nil:
			screen.DrawItem(d, i.Key.Item(), i.Key, nil)
		case i.Account:
			screen.DrawAccount(d, t.Layout, &schema.Account{Key: i.Key, Item: i.Seen})
		default:
			screen.DrawItem(d, i.Seen, i.Key, nil)
		}
		if i.Gone {
			d.Para(1, kit.Absent, "does not exist")
		}
		d.Gap()
	}
	if len(items) > most {
		d.Para(1, kit.Muted, phrase.Count(len(items)-most, "item")+" more: "+key)
		d.Gap()
	}
}

// evidence draws what was read for a finding, which doubts remain, and what the finding means.
func evidence(d *kit.Block, x *row) {
	if x.f.HighestID != "" {
		d.LongFact(1, "highest", phrase.Group(x.f.HighestID))
	}
	read, not := x.f.SplitEvidence()
	if read != "" {
		section(d, "WHAT WAS READ", kit.Text, strings.SplitAfter(read, ". ")...)
		d.Gap()
	}
	if not != "" {
		section(d, "NOT EXCLUDED", kit.Text, say.Sentence(not))
		d.Gap()
	}
	if so := say.FindingMeans(x.f); so != "" && !x.done() {
		section(d, "SO", kit.Text, say.Sentence(so))
		d.Gap()
	}
}

// restsOn returns the assumptions that a confirmed finding relies on; nil for an unconfirmed one.
func (r *run) restsOn(x *row) []string {
	if !x.f.Confirmed {
		return nil
	}
	return report.Assumptions(r.table, r.options, x.f.Kind)
}

// kindBeside draws the meaning of the kind at the cursor, and the numbers of findings of all kinds.
func (r *run) kindBeside(d *kit.Block) {
	g, _ := r.lines().Of(r.list.Cursor)
	d.Sign(say.Kind(g.kind))
	d.Para(1, kit.Strong, say.Sentence(say.KindMeans(g.kind)))
	d.Gap()
	count := func(l *kit.Line, k kit.Style, n, col int) {
		if n > 0 {
			l.Ends(k, phrase.Number(n), col)
		}
	}
	d.Row(func(l *kit.Line) {
		l.To(1)
		l.Put(kit.Muted, "BY KIND")
		l.Ends(kit.Muted, "SURE", l.Width-12)
		l.Ends(kit.Muted, "UNSURE", l.Width-4)
	})
	for _, g := range r.groups {
		d.Row(func(l *kit.Line) {
			l.To(1)
			named(l, g.kind, kit.Bold)
			count(l, kit.Heading, g.sure, l.Width-12)
			count(l, kit.Muted, len(g.rows)-g.sure, l.Width-4)
		})
	}
}

// kindsMean draws, below the list, what each kind in the list means.
func (r *run) kindsMean(d *kit.Block) {
	if len(r.groups)+2 > d.Height {
		return
	}
	d.Gap()
	d.Head(2, "WHAT THEY MEAN")
	const at = 26
	for _, g := range r.groups {
		for n, row := range kit.Wrap(say.KindMeans(g.kind), d.Width-at-1) {
			d.Row(func(l *kit.Line) {
				if n == 0 {
					l.To(2)
					named(l, g.kind, 0)
				}
				l.To(at)
				l.Put(kit.Muted, row)
			})
		}
	}
}

// sought lists all kinds of findings that a check looks for. It is shown before the first finding.
func sought(d *kit.Block) {
	d.Head(1, "WHAT A CHECK LOOKS FOR")
	for _, k := range finding.Kinds() {
		d.Row(func(l *kit.Line) {
			l.To(1)
			named(l, k, 0)
		})
		d.Para(3, kit.Muted, say.KindMeans(k))
	}
}

// named draws a kind with its glyph. more is the emphasis of the glyph.
func named(l *kit.Line, k finding.Kind, more kit.Style) {
	sign := say.Kind(k)
	l.Put(sign.Style|more, sign.Glyph)
	l.Put(kit.Text, " "+string(k))
}
