package screen

import (
	"math"
	"slices"
	"strings"
	"time"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/schema"
	"tallylock/dynamo/verdict"
	"tallylock/ui/kit"
	"tallylock/ui/say"
)

// ValueBelow draws the detail of a relation in four rows, below a list: the sentence, the lock, the reads, and the
// consequence for people. If the verdict is unsure, the reason replaces the reads: it follows the sentence, or comes
// first if it is long.
func ValueBelow(d *kit.Block, r *verdict.Relation, read time.Time) {
	sign, text, why := say.Verdict(r.Verdict, r.Provisional), r.Sentence(), say.Unsure(r)
	facts := []kit.Fact{{Label: "lock", Said: say.LockFact(r)}}
	if further := say.FurtherLocks(r); further != "" {
		facts = append(facts, kit.Text.Says("other lock", further))
	}
	if len(r.Claimants) > 1 {
		facts = append([]kit.Fact{kit.Text.Says("accounts", say.Holders(r))}, facts...)
	}
	switch both := text + " " + why; {
	case why == "":
		facts = append(facts, kit.Fact{Label: "read", Said: say.ReadFact(r, read)})
	case len(kit.Wrap(both, d.Width-kit.VerdictColumn(sign)-1)) <= 2:
		text = both
	default:
		facts = append([]kit.Fact{kit.Text.Says("why", why)}, facts...)
	}
	d.Verdict(sign, text)
	if so := say.Consequence(r); so != "" && r.Verdict != verdict.Unknown {
		facts = append(facts, kit.Text.Says("so", so))
	}
	if facts[0].Label == "why" { // never cut the reason, even if other facts then have no room
		for n, row := range kit.Flow(facts[0].Said, d.Width-14, 2) {
			d.FactRow([]string{"why", ""}[min(n, 1)], row)
		}
		facts = facts[1:]
	}
	d.Facts(facts...)
}

// ValueBeside draws the detail of a relation with its items, beside a list on a wide screen. by is
// the layout of the table.
func ValueBeside(d *kit.Block, by *layout.Layout, r *verdict.Relation) {
	d.Sign(say.Verdict(r.Verdict, r.Provisional))
	d.Para(1, kit.Strong, r.Sentence())
	if why := say.Unsure(r); why != "" {
		d.Para(1, kit.Text, why)
	}
	d.Gap()
	d.Head(1, "LOCK")
	DrawLock(d, r)
	d.Gap()
	switch {
	case r.OwnerAccount != nil:
		DrawAccounts(d, "THE OWNER IT NAMES", by, *r.OwnerAccount)
	case len(r.Claimants) > 1:
		DrawAccounts(d, "ACCOUNT", by, r.Claimants[:min(len(r.Claimants), 3)]...)
	case r.Account != nil:
		DrawAccounts(d, "ACCOUNT", by, *r.Account)
	}
	if len(r.Reads) > 0 {
		d.Head(1, "WHAT WAS READ")
		DrawReads(d, r.Reads)
		d.Gap()
	}
	if so := say.Consequence(r); so != "" && so != r.Why {
		d.Head(1, "SO")
		d.Para(1, kit.Text, say.Sentence(so))
		d.Gap()
	}
}

// DrawLock draws a lock's key and its other attributes.
func DrawLock(d *kit.Block, r *verdict.Relation) {
	why, keyed := say.NoLock(r)
	switch {
	case why == "":
		DrawItem(d, r.Lock.Item, r.Lock.Key, nil)
	case keyed:
		DrawItem(d, r.Lock.Key.Item(), r.Lock.Key, nil)
	}
	switch {
	case why != "":
		d.Para(1, kit.Absent, why)
	case len(r.Lock.Attributes()) == 0:
		d.Para(1, kit.Absent, "no other attribute: it names no owner")
	case r.Lock.Owner == "":
		d.Para(1, kit.Absent, "names no owner")
	}
}

// DrawAccounts draws accounts, each below a heading.
func DrawAccounts(d *kit.Block, head string, by *layout.Layout, accounts ...schema.Account) {
	for n := range accounts {
		d.Head(1, head)
		DrawAccount(d, by, &accounts[n])
		d.Gap()
	}
}

// DrawAccount draws an account's key and the values that constraints protect.
func DrawAccount(d *kit.Block, by *layout.Layout, account *schema.Account) {
	names := []string{}
	for _, c := range by.Rules() {
		if !slices.Contains(names, c.Attribute) && account.Item.At(c.Attribute).Exists() {
			names = append(names, c.Attribute)
		}
	}
	DrawItem(d, account.Item, account.Key, names)
	if made := say.Made(account.Key, time.Now()); made != "" {
		d.Para(3, kit.Muted, "made "+made)
	}
}

// DrawItem draws the key of an item and the named attributes; all attributes if names is nil.
func DrawItem(d *kit.Block, item attr.Item, key attr.Key, names []string) {
	shown := []string{key.Hash.Name}
	if key.Range.Name != "" {
		shown = append(shown, key.Range.Name)
	}
	if names == nil {
		names = item.Names()
	}
	for _, name := range names {
		if !slices.Contains(shown, name) && (len(shown) < 10 || d.Whole) {
			shown = append(shown, name)
		}
	}
	d.Branch(shown, func(n int) kit.Span {
		if n < 2 && slices.Contains([]string{key.Hash.Name, key.Range.Name}, shown[n]) {
			return kit.Text.Of(key.Item()[shown[n]].Display())
		}
		return kit.Text.Of(item.At(shown[n]).Display())
	})
}

// DrawReads draws a list of reads: the time, the subject and the result of each.
func DrawReads(d *kit.Block, reads []client.Read) {
	const col = 1
	most := 3
	if d.Whole {
		most = math.MaxInt
	}
	for _, r := range reads {
		what := []string{r.What}
		if d.Whole {
			what = kit.Wrap(r.What, d.Width-col-9-8)
		}
		for n, text := range what {
			d.Row(func(l *kit.Line) {
				l.To(col)
				if n == 0 {
					l.Put(kit.Muted, phrase.Clock(r.At))
				}
				l.To(col + 9)
				l.Words(kit.Text, text, l.Width-l.At-8)
				if r.Units > 0 && n == 0 {
					l.Ends(kit.Muted, say.Units(r.Units), l.Width-2)
				}
			})
		}
		for _, row := range kit.Flow([]kit.Span{kit.Muted.Of(r.Found), kit.Muted.Of(" · " + r.How)}, d.Width-col-9-1, most) {
			d.Row(func(l *kit.Line) {
				l.To(col + 9)
				for _, s := range row {
					l.Words(s.Style, strings.TrimPrefix(s.Text, "· "), l.Width-l.At-1)
				}
			})
		}
	}
}
