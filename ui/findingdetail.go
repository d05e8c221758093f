package ui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/check"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/relation"
	"tallylock/ui/screen"
	"tallylock/ui/words"
)

// findingBeneath is a finding in four rows: the sentence, the item, what was read,
// and what it means to people.
func (a *app) findingBeneath(d *kit.Block, r *checkRun, row *findingRow) {
	if row == nil {
		a.kindBeneath(d, r)
		return
	}
	f := row.f
	d.Verdict(words.Finding(f), f.Detail)
	var facts []kit.Fact
	if places := placesOf(r.table, f); len(places) > 0 {
		p := places[0]
		facts = append(facts, kit.Fact{Label: strings.ToLower(strings.Fields(p.what)[0]), Said: []kit.Span{kit.Text.Of(p.key.String())}})
	}
	read, _ := f.Rests()
	facts = append(facts, kit.Fact{Label: "read", Said: []kit.Span{kit.Text.Of(read)}})
	if m := row.mended; m != nil {
		facts = append(facts, kit.Fact{Label: m.sign.Word, Said: []kit.Span{(m.sign.Style | kit.Bold).Of(m.sign.Glyph + " "), kit.Text.Of(m.why)}})
	} else if f.SuspectLayout {
		facts = append(facts, kit.Fact{Label: "but", Said: []kit.Span{(kit.Bad | kit.Bold).Of(words.Suspect)}})
	} else if so := words.FindingMeans(f); so != "" {
		facts = append(facts, kit.Fact{Label: "so", Said: []kit.Span{kit.Text.Of(so)}})
	}
	d.Facts(facts...)
}

// kindBeneath says what the findings under a head are.
func (a *app) kindBeneath(d *kit.Block, r *checkRun) {
	if r.list.Lost {
		r.list.Gone(d)
		return
	}
	g, _ := r.lines(80).at(r.list.Cursor)
	if g.kind == "" {
		return
	}
	d.Verdict(words.Kind(g.kind), words.Sentence(words.KindMeans(g.kind)))
	said := fmt.Sprintf(", %s confirmed", group(int64(g.sure)))
	if len(g.rows) < g.total {
		said = fmt.Sprintf(", %s shown, %s of them confirmed", group(int64(len(g.rows))), group(int64(g.sure)))
	}
	d.Fact("found", kit.Text.Of(phrase.Count(g.total, "finding")), kit.Muted.Of(said))
}

// findingBeside is a finding on a wide screen.
func (a *app) findingBeside(d *kit.Block, r *checkRun, row *findingRow) {
	if row == nil {
		a.kindBeside(d, r)
		return
	}
	f := row.f
	d.Row(func(l *kit.Line) {
		l.To(1)
		words.Finding(f).Draw(l)
	})
	d.Para(1, kit.Strong, f.Detail)
	d.Gap()
	if m := row.mended; m != nil {
		d.Row(func(l *kit.Line) {
			l.To(1)
			m.sign.Draw(l)
		})
		d.Para(1, kit.Text, m.why)
		d.Gap()
	}
	if f.SuspectLayout {
		d.Para(1, kit.Bad|kit.Bold, words.Sentence(words.Suspect))
		d.Gap()
	}
	places := placesOf(r.table, f)
	const most = 4
	for _, p := range places[:min(len(places), most)] {
		d.Head(1, p.what)
		switch {
		case p.seen == nil:
			relation.Item(d, p.key.Item(), p.key, nil)
		case p.account:
			relation.Account(d, r.table, &dynamo.Account{Key: p.key, Item: p.seen})
		default:
			relation.Item(d, p.seen, p.key, nil)
		}
		if p.gone {
			d.Para(1, kit.Absent, "does not exist")
		}
		d.Gap()
	}
	if len(places) > most {
		d.Para(1, kit.Muted, phrase.Count(len(places)-most, "item")+" more: "+a.Keys.Key(keymap.Open))
		d.Gap()
	}
	read, not := f.Rests()
	if f.HighestID != "" {
		d.LongFact(1, "highest", phrase.Group(f.HighestID))
	}
	if read != "" {
		d.Head(1, "WHAT WAS READ")
		d.Para(1, kit.Text, read)
		d.Gap()
	}
	if not != "" {
		d.Head(1, "NOT EXCLUDED")
		d.Para(1, kit.Text, words.Sentence(not))
		d.Gap()
	}
	if so := words.FindingMeans(f); so != "" && !row.done() {
		d.Head(1, "SO")
		d.Para(1, kit.Text, words.Sentence(so))
		d.Gap()
	}
	mend := screen.Can{Action: keymap.Mend, Words: "mend it"}
	if a.whyMendFinding(row) != "" {
		mend = screen.Can{Action: keymap.Release, Words: "release the lock"}
	}
	open := "see its items, as they are now"
	if len(places) == 1 {
		open = "see the item, as it is now"
	}
	screen.YouCan(a.Session, a.top(), d, 1, mend, screen.Can{Action: keymap.Mark, Words: "mark it, to mend several"}, screen.Can{Action: keymap.Open, Words: open}, screen.Can{Action: keymap.Copy, Words: "copy it in words"}, screen.Can{Action: keymap.CopyItem, Words: "copy it as JSON"}, screen.Can{Action: keymap.Save, Words: "save all findings to a file"})
	if rests := restsOn(r, f); len(rests) > 0 {
		d.Gap()
		d.Head(1, "RESTS ON")
		for _, one := range rests {
			d.Para(1, kit.Muted, one)
		}
	}
}

// restsOn is what a confirmed finding rests on besides what was read for it.
func restsOn(r *checkRun, f check.Finding) []string {
	if !f.Confirmed {
		return nil
	}
	return check.Assumptions(r.table, r.o, f.Kind)
}

// kindBeside counts what was found, by kind.
func (a *app) kindBeside(d *kit.Block, r *checkRun) {
	g, _ := r.lines(80).at(r.list.Cursor)
	if g.kind == "" {
		return
	}
	d.Row(func(l *kit.Line) {
		l.To(1)
		words.Kind(g.kind).Draw(l)
	})
	d.Para(1, kit.Strong, words.Sentence(words.KindMeans(g.kind)))
	d.Gap()
	d.Row(func(l *kit.Line) {
		l.To(1)
		l.Put(kit.Muted, "BY KIND")
		l.Ends(kit.Muted, "SURE", l.Width-12)
		l.Ends(kit.Muted, "NOT", l.Width-4)
	})
	for _, g := range r.groups {
		d.Row(func(l *kit.Line) {
			s := words.Kind(g.kind)
			l.To(1)
			l.Put(s.Style|kit.Bold, s.Glyph)
			l.Words(kit.Text, " "+string(g.kind), l.Width-20)
			l.Ends(kit.Heading, count(g.sure), l.Width-12)
			l.Ends(kit.Muted, count(len(g.rows)-g.sure), l.Width-4)
		})
	}
}

// count writes a number, and nothing for none.
func count(n int) string {
	if n == 0 {
		return ""
	}
	return group(int64(n))
}

// findingInWords is a finding as sentences for a ticket.
func findingInWords(f check.Finding) string {
	what, value := words.Subject(f)
	said := []string{fmt.Sprintf("%s: %s %q in %s.", f.Kind, what, value, f.Table), f.Detail}
	if !f.Confirmed && !strings.Contains(f.Detail, "Not confirmed") {
		said = append(said, "Not confirmed.")
	}
	if f.Evidence != "" {
		said = append(said, f.Evidence)
	}
	return strings.Join(slices.DeleteFunc(said, func(s string) bool { return s == "" }), " ")
}

// copyFinding copies a finding as `check --output jsonl` writes it.
func (a *app) copyFinding(f check.Finding) tea.Cmd {
	line, err := attr.Line(f, "")
	if err != nil {
		return a.Complain("Copying the finding: " + err.Error() + ".")
	}
	return a.Copy("the finding as JSON", string(line))
}
