package findings

import (
	"fmt"
	"slices"
	"strings"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/check/finding"
	"tallylock/dynamo/check/report"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/schema"
	"tallylock/dynamo/verdict"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/relation"
	"tallylock/ui/say"
)

// beneath draws a finding in four rows: the sentence, the item, the reads, and the
// consequence for people. x is nil if a heading is selected.
func (r *run) beneath(d *kit.Block, x *row) {
	if x == nil {
		r.kindBeneath(d)
		return
	}
	f := x.f
	d.Verdict(say.Finding(f), f.Detail)
	var facts []kit.Fact
	switch items := itemsOf(r.table, f); {
	case len(f.Accounts) > 1:
		facts = append(facts, kit.Text.Says("accounts", accountsIn(r.table, items)))
	case len(items) > 0:
		first, _, _ := strings.Cut(items[0].what, " ")
		facts = append(facts, kit.Text.Says(strings.ToLower(first), items[0].key.String()))
	}
	read, _ := f.Rests()
	facts = append(facts, kit.Text.Says("read", read))
	if m := x.mended; m != nil {
		facts = append(facts,
			kit.Fact{Label: m.sign.Word, Said: []kit.Span{(m.sign.Style | kit.Bold).Of(m.sign.Glyph + " "), kit.Text.Of(m.why)}})
	} else if f.SuspectLayout {
		facts = append(facts, (kit.Bad|kit.Bold).Says("but", say.Suspect))
	} else if so := say.FindingMeans(f); so != "" {
		facts = append(facts, kit.Text.Says("so", so))
	}
	d.Facts(facts...)
}

// accountsIn names the accounts among items.
func accountsIn(t *dynamo.Table, items []item) string {
	var names []string
	for _, i := range items {
		if i.account {
			names = append(names, say.Account(t, i.key.Item()))
		}
	}
	return phrase.List(names)
}

// kindBeneath draws the detail of a heading: what its kind of finding means, and how many there are.
func (r *run) kindBeneath(d *kit.Block) {
	if r.list.Lost {
		r.list.Gone(d)
		return
	}
	g, _ := r.lines().Of(r.list.Cursor)
	if g.kind == "" {
		return
	}
	d.Verdict(say.Kind(g.kind), say.Sentence(say.KindMeans(g.kind)))
	said := fmt.Sprintf(", %s confirmed", phrase.Number(g.sure))
	if len(g.rows) < g.total {
		said = fmt.Sprintf(", %s shown, %s of them confirmed", phrase.Number(len(g.rows)), phrase.Number(g.sure))
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
	d.Gap()
	if m := x.mended; m != nil {
		d.Sign(m.sign)
		d.Para(1, kit.Text, m.why)
		d.Gap()
	}
	if x.f.SuspectLayout {
		d.Para(1, kit.Bad|kit.Bold, say.Sentence(say.Suspect))
		d.Gap()
	}
	drawItems(d, r.table, itemsOf(r.table, x.f), s.Keys.Key(keymap.Open))
	evidence(d, x)
	s.selected(r).YouCan(s.Session, d, 1)
	if rests := restsOn(r, x.f); len(rests) > 0 {
		d.Gap()
		d.Head(1, "RESTS ON")
		for _, one := range rests {
			d.Para(1, kit.Muted, one)
		}
	}
}

// drawItems draws the first items of a finding as the check read them. key is the key that shows all items.
func drawItems(d *kit.Block, t *dynamo.Table, items []item, key string) {
	const most = 4
	for _, one := range items[:min(len(items), most)] {
		d.Head(1, one.what)
		switch {
		case one.seen == nil:
			relation.Item(d, one.key.Item(), one.key, nil)
		case one.account:
			relation.Account(d, t.Layout, &schema.Account{Key: one.key, Item: one.seen})
		default:
			relation.Item(d, one.seen, one.key, nil)
		}
		if one.gone {
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
	section := func(head string, sentences ...string) {
		if sentences[0] == "" {
			return
		}
		d.Head(1, head)
		for _, one := range sentences {
			d.Para(1, kit.Text, one)
		}
		d.Gap()
	}
	if x.f.HighestID != "" {
		d.LongFact(1, "highest", phrase.Group(x.f.HighestID))
	}
	read, not := x.f.Rests()
	section("WHAT WAS READ", strings.SplitAfter(read, ". ")...)
	section("NOT EXCLUDED", say.Sentence(not))
	if !x.done() {
		section("SO", say.Sentence(say.FindingMeans(x.f)))
	}
}

// restsOn returns the assumptions that a confirmed finding relies on; nil for an unconfirmed one.
func restsOn(r *run, f finding.Finding) []string {
	if !f.Confirmed {
		return nil
	}
	return report.Assumptions(r.table, r.options, f.Kind)
}

// kindBeside draws the meaning of the kind at the cursor, and the numbers of findings of all kinds.
func (r *run) kindBeside(d *kit.Block) {
	g, _ := r.lines().Of(r.list.Cursor)
	if g.kind == "" {
		return
	}
	d.Sign(say.Kind(g.kind))
	d.Para(1, kit.Strong, say.Sentence(say.KindMeans(g.kind)))
	d.Gap()
	d.Row(func(l *kit.Line) {
		l.To(1)
		l.Put(kit.Muted, "BY KIND")
		l.Ends(kit.Muted, "SURE", l.Width-12)
		l.Ends(kit.Muted, "NOT", l.Width-4)
	})
	for _, g := range r.groups {
		d.Row(func(l *kit.Line) {
			s := say.Kind(g.kind)
			l.To(1)
			l.Put(s.Style|kit.Bold, s.Glyph)
			l.Words(kit.Text, " "+string(g.kind), l.Width-20)
			l.Ends(kit.Heading, count(g.sure), l.Width-12)
			l.Ends(kit.Muted, count(len(g.rows)-g.sure), l.Width-4)
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
					named(l, g.kind)
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
			named(l, k)
		})
		d.Para(3, kit.Muted, say.KindMeans(k))
	}
}

// named draws a kind with its glyph.
func named(l *kit.Line, k finding.Kind) {
	sign := say.Kind(k)
	l.Put(sign.Style, sign.Glyph)
	l.Put(kit.Text, " "+string(k))
}

// count returns a number as text; empty for 0.
func count(n int) string {
	if n == 0 {
		return ""
	}
	return phrase.Number(n)
}

// inWords returns a finding as sentences, for example for a ticket.
func inWords(f finding.Finding) string {
	what, value := say.Subject(f)
	said := []string{fmt.Sprintf("%s: %s %q in %s.", f.Kind, what, value, f.Table), f.Detail}
	if !f.Confirmed && !strings.Contains(f.Detail, "Not confirmed") {
		said = append(said, "Not confirmed.")
	}
	if f.Evidence != "" {
		said = append(said, f.Evidence)
	}
	return strings.Join(slices.DeleteFunc(said, func(s string) bool { return s == "" }), " ")
}

// lockTableOf returns the name of the table with a finding's lock.
func lockTableOf(f finding.Finding) string {
	if f.LockTable != "" {
		return f.LockTable
	}
	return f.Table
}

// item is an item that a finding is about.
type item struct {
	what    string // "LOCK", "ACCOUNT"
	table   string
	key     attr.Key
	seen    attr.Item // the item as the check read it; nil if it was not read, or does not exist
	gone    bool      // the check found that the item does not exist
	account bool
}

// itemsOf returns the items of a finding, in this order: the lock, the accounts that hold
// its value, the account that it names, the counter, and the items whose ids matter.
func itemsOf(t *dynamo.Table, f finding.Finding) []item {
	var out []item
	add := func(p item, key attr.Item) {
		if k, ok := t.SchemaOf(p.table).KeyOf(key); ok {
			p.key = k
			out = append(out, p)
		}
	}
	rel := f.Relation
	if f.Lock != nil {
		p := item{what: "LOCK", table: lockTableOf(f), gone: f.Kind == finding.MissingLock}
		if rel != nil && rel.Lock.Key.Item().Equal(f.Lock) {
			p.seen = rel.Lock.Item
		}
		add(p, f.Lock)
	}
	if f.Kind == finding.UnnormalisedLock && rel != nil { // f.Lock is the lock with the wrong key
		add(item{what: "LOCK IT SHOULD HAVE", table: rel.Lock.Table, gone: true}, rel.Lock.Key.Item())
	}
	accounts := slices.SortedFunc(slices.Values(f.Accounts), func(x, y attr.Item) int { // a scan returns them in any order
		return strings.Compare(say.Account(t, x), say.Account(t, y))
	})
	for _, key := range accounts {
		add(item{what: "ACCOUNT", table: f.Table, account: true, seen: accountSeen(rel, key)}, key)
	}
	if rel != nil && rel.OwnerAccount != nil {
		owner := rel.OwnerAccount
		if n := len(out) - 1; f.Kind == finding.StaleLock && n >= 0 && out[n].account {
			out[n].what = "THE OWNER IT NAMES"
		} else {
			add(item{what: "THE OWNER IT NAMES", table: f.Table, account: true, seen: owner.Item}, owner.Key.Item())
		}
	}
	if f.Key != nil {
		add(item{what: "COUNTER", table: f.Table, gone: f.Kind == finding.CounterMissing}, f.Key)
	}
	for _, at := range f.Items {
		p := item{what: "ITEM", table: at.Table}
		if p.table == "" {
			p.table = f.Table
		}
		if f.Kind != finding.DuplicateID {
			p.what = "THE HIGHEST ID IN USE"
		}
		add(p, at.Key)
	}
	return out
}

// accountSeen returns an account's item as the check read it; nil if the check read only
// the key.
func accountSeen(rel *verdict.Relation, key attr.Item) attr.Item {
	if rel == nil {
		return nil
	}
	all := rel.Claimants
	if rel.OwnerAccount != nil {
		all = append(slices.Clip(all), *rel.OwnerAccount)
	}
	for _, a := range all {
		if a.Key.Item().Equal(key) {
			return a.Item
		}
	}
	return nil
}
