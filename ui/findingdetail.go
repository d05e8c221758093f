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
)

// findingBeneath is a finding in four rows: the sentence, the item, what was read,
// and what it means to people.
func (a *app) findingBeneath(d *doc, r *checkRun, row *findingRow) {
	if row == nil {
		a.kindBeneath(d, r)
		return
	}
	f := row.f
	d.verdict(findingSign(f), f.Detail)
	var facts []fact
	if places := placesOf(r.table, f); len(places) > 0 {
		p := places[0]
		facts = append(facts, fact{strings.ToLower(strings.Fields(p.what)[0]), []span{{asText, p.key.String()}}})
	}
	read, _ := f.Rests()
	facts = append(facts, fact{"read", []span{{asText, read}}})
	if m := row.mended; m != nil {
		facts = append(facts, fact{m.sign.word, []span{{m.sign.look | bold, m.sign.glyph + " "}, {asText, m.why}}})
	} else if f.SuspectLayout {
		facts = append(facts, fact{"but", []span{{asBad | bold, suspectWords}}})
	} else if so := soOf(f); so != "" {
		facts = append(facts, fact{"so", []span{{asText, so}}})
	}
	d.facts(facts...)
}

// kindBeneath says what the findings under a head are.
func (a *app) kindBeneath(d *doc, r *checkRun) {
	if r.list.lost {
		r.list.gone(d)
		return
	}
	g, _ := r.lines(80).at(r.list.cursor)
	if g.kind == "" {
		return
	}
	d.verdict(kindSign(g.kind), sentence(meansOf(g.kind)))
	said := fmt.Sprintf(", %s confirmed", group(int64(g.sure)))
	if len(g.rows) < g.total {
		said = fmt.Sprintf(", %s shown, %s of them confirmed", group(int64(len(g.rows))), group(int64(g.sure)))
	}
	d.fact("found", span{asText, phrase.Count(g.total, "finding")}, span{asMuted, said})
}

// meansOf says what a kind of finding is.
func meansOf(k check.Kind) string {
	switch k {
	case check.OrphanedLock:
		return "no account calls for the lock, and its owner, if it names one, is gone"
	case check.StaleLock:
		return "the lock's owner exists and holds another value"
	case check.MissingLock:
		return "an account's value has no lock"
	case check.ForeignLock:
		return "the lock names one account, and only another holds the value"
	case check.DuplicateValue:
		return "two accounts or more hold one value"
	case check.UnnormalisedLock:
		return "an account and a lock meet only when case and the like are folded"
	case check.MalformedLock:
		return "the lock's key can only come from a mistake"
	case check.ExpiringAccount:
		return "DynamoDB will delete the account and not its lock, or the reverse"
	case check.CounterBehind:
		return "an id above the counter is in use"
	case check.CounterMissing:
		return "ids exist, and the counter does not"
	case check.CounterNotNumber:
		return "the counter is text, a fraction or a negative number"
	case check.CounterUnsafe:
		return "the counter is above 2^53 − 1"
	case check.CounterOffStep:
		return "the counter is between two of its numbers"
	case check.DriftedKey:
		return "a key disagrees with the attributes that it is made of"
	case check.DuplicateID:
		return "two items carry one minted id"
	}
	return string(k)
}

// findingBeside is a finding on a wide screen.
func (a *app) findingBeside(d *doc, r *checkRun, row *findingRow) {
	if row == nil {
		a.kindBeside(d, r)
		return
	}
	f := row.f
	d.row(func(l *line) {
		l.to(1)
		findingSign(f).draw(l)
	})
	d.para(1, asStrong, f.Detail)
	d.gap()
	if m := row.mended; m != nil {
		d.row(func(l *line) {
			l.to(1)
			m.sign.draw(l)
		})
		d.para(1, asText, m.why)
		d.gap()
	}
	if f.SuspectLayout {
		d.para(1, asBad|bold, sentence(suspectWords))
		d.gap()
	}
	places := placesOf(r.table, f)
	const most = 4
	for _, p := range places[:min(len(places), most)] {
		d.head(1, p.what)
		switch {
		case p.seen == nil:
			a.itemTree(d, p.key.Item(), p.key, nil)
		case p.account:
			a.accountTree(d, &dynamo.Account{Key: p.key, Item: p.seen})
		default:
			a.itemTree(d, p.seen, p.key, nil)
		}
		if p.gone {
			d.para(1, asAbsent, "does not exist")
		}
		d.gap()
	}
	if len(places) > most {
		d.para(1, asMuted, phrase.Count(len(places)-most, "item")+" more: "+a.keys.Key(keymap.Open))
		d.gap()
	}
	read, not := f.Rests()
	if f.HighestID != "" {
		d.told(1, "highest", phrase.Group(f.HighestID))
	}
	if read != "" {
		d.head(1, "WHAT WAS READ")
		d.para(1, asText, read)
		d.gap()
	}
	if not != "" {
		d.head(1, "NOT EXCLUDED")
		d.para(1, asText, sentence(not))
		d.gap()
	}
	if so := soOf(f); so != "" && !row.done() {
		d.head(1, "SO")
		d.para(1, asText, sentence(so))
		d.gap()
	}
	mend := can{keymap.Mend, "mend it"}
	if a.whyMendFinding(row) != "" {
		mend = can{keymap.Release, "release the lock"}
	}
	open := "see its items, as they are now"
	if len(places) == 1 {
		open = "see the item, as it is now"
	}
	a.youCan(d, 1, mend, can{keymap.Mark, "mark it, to mend several"}, can{keymap.Open, open}, can{keymap.Copy, "copy it in words"}, can{keymap.CopyItem, "copy it as JSON"}, can{keymap.Save, "save all findings to a file"})
	if rests := restsOn(r, f); len(rests) > 0 {
		d.gap()
		d.head(1, "RESTS ON")
		for _, one := range rests {
			d.para(1, asMuted, one)
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
func (a *app) kindBeside(d *doc, r *checkRun) {
	g, _ := r.lines(80).at(r.list.cursor)
	if g.kind == "" {
		return
	}
	d.row(func(l *line) {
		l.to(1)
		kindSign(g.kind).draw(l)
	})
	d.para(1, asStrong, sentence(meansOf(g.kind)))
	d.gap()
	d.row(func(l *line) {
		l.to(1)
		l.put(asMuted, "BY KIND")
		l.ends(asMuted, "SURE", l.width-12)
		l.ends(asMuted, "NOT", l.width-4)
	})
	for _, g := range r.groups {
		d.row(func(l *line) {
			s := kindSign(g.kind)
			l.to(1)
			l.put(s.look|bold, s.glyph)
			l.words(asText, " "+string(g.kind), l.width-20)
			l.ends(asBold, count(g.sure), l.width-12)
			l.ends(asMuted, count(len(g.rows)-g.sure), l.width-4)
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
	what, value := subjectOf(f)
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
		return a.complain("Copying the finding: " + err.Error() + ".")
	}
	return a.copy("the finding as JSON", string(line))
}
