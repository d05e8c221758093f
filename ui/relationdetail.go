package ui

import (
	"slices"
	"strconv"
	"strings"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
	"tallylock/ui/kit"
	"tallylock/ui/screen"
	"tallylock/ui/words"
)

// lockFacts is the lock's key and what else is in it.
func lockFacts(r *dynamo.Relation) []kit.Span {
	if r.Constraint.Lockless() {
		return []kit.Span{kit.Muted.Of(noneByDesign(r))}
	}
	if r.Lock.Key.Hash.Name == "" {
		return []kit.Span{kit.Muted.Of("none can be made of this value: " + r.Why)}
	}
	key := kit.Text.Of(r.Lock.Key.String())
	if !r.Lock.Exists {
		return []kit.Span{key, kit.Muted.Of("   does not exist")}
	}
	if r.Lock.Mark != "" {
		return []kit.Span{key, kit.Warn.Of("   has the mark of an unfinished release")}
	}
	if r.Constraint.OwnedByKey() {
		return []kit.Span{key, kit.Faint.Of(" " + kit.GlyphPath + " "), kit.Text.Of(r.Lock.Owner)}
	}
	if r.Lock.Owner != "" {
		return []kit.Span{key, kit.Faint.Of(" " + kit.GlyphPath + " "), kit.Text.Of(r.Constraint.Owner + " = " + r.Lock.Owner)}
	}
	if len(words.OtherAttributes(r.Lock)) == 0 {
		return []kit.Span{key, kit.Muted.Of("   names no owner, no other attribute")}
	}
	return []kit.Span{key, kit.Muted.Of("   names no owner")}
}

// noneByDesign says why a value has no lock where none was ever put.
func noneByDesign(r *dynamo.Relation) string {
	return "none by design: the layout says unique = true for " + r.Constraint.Name
}

// readFacts sums up what the verdict rests on.
func (a *app) readFacts(r *dynamo.Relation) []kit.Span {
	whole := 0
	for _, read := range r.Reads {
		if read.Whole {
			whole++
		}
	}
	if len(r.Reads) == 0 {
		s := []kit.Span{kit.Text.Of("with the account, consistent")}
		if r.Account == nil {
			s[0].Text = "with the table, consistent"
		}
		if b := a.browse; b != nil && !b.view.ReadAt.IsZero() {
			s = append(s, kit.Muted.Of("   "+words.Clock(b.view.ReadAt)))
		}
		return s
	}
	last := r.Reads[len(r.Reads)-1]
	together := "the lock and its account in one transaction"
	if r.Constraint.Lockless() {
		together = "its accounts in one transaction"
	}
	at := kit.Muted.Of("   " + words.Clock(last.At))
	switch {
	case whole == 1 && r.Limited() != "":
		return []kit.Span{kit.Text.Of("the whole table once; no second look would prove more"), at}
	case whole > 1:
		return []kit.Span{kit.Text.Of("the whole table twice, then the lock again"), at}
	case whole == 1 && r.Provisional:
		return []kit.Span{kit.Text.Of("the whole table once; a second look is to come"), at}
	case whole == 1:
		return []kit.Span{kit.Text.Of("the whole table, and the lock together with its owner"), at}
	case last.How == "transaction":
		return []kit.Span{kit.Text.Of(together), at}
	}
	return []kit.Span{kit.Text.Of(last.What + ": " + last.Found + ", " + last.How), at}
}

// relationBeside is the detail of a relation on a wide screen.
func (a *app) relationBeside(d *kit.Block, r *dynamo.Relation) {
	d.Row(func(l *kit.Line) {
		l.To(1)
		words.Verdict(r.Verdict, r.Provisional).Draw(l)
	})
	d.Para(1, kit.Strong, r.Sentence())
	if why := words.Unsure(r); why != "" {
		d.Para(1, kit.Text, why)
	}
	d.Gap()
	d.Head(1, "LOCK")
	a.lockTree(d, r)
	d.Gap()
	switch {
	case r.OwnerAccount != nil:
		d.Head(1, "THE OWNER IT NAMES")
		a.accountTree(d, r.OwnerAccount)
		d.Gap()
	case len(r.Claimants) > 1:
		for n := range r.Claimants[:min(len(r.Claimants), 3)] {
			d.Head(1, "ACCOUNT")
			a.accountTree(d, &r.Claimants[n])
			d.Gap()
		}
	case r.Account != nil:
		d.Head(1, "ACCOUNT")
		a.accountTree(d, r.Account)
		d.Gap()
	}
	if len(r.Reads) > 0 {
		d.Head(1, "WHAT WAS READ")
		readRows(d, 1, r.Reads)
		d.Gap()
	}
	if so := r.Consequence(); so != "" && so != r.Why {
		d.Head(1, "SO")
		d.Para(1, kit.Text, words.Sentence(so))
		d.Gap()
	}
	screen.YouCan(a.Session, a.top(), d, 1, a.relationCan(r)...)
}

// lockTree shows a lock's key and all else that is in it.
func (a *app) lockTree(d *kit.Block, r *dynamo.Relation) {
	switch {
	case r.Constraint.Lockless():
		d.Para(1, kit.Absent, noneByDesign(r))
	case r.Lock.Key.Hash.Name == "":
		d.Para(1, kit.Absent, "none can be made of this value: "+r.Why)
	case !r.Lock.Exists:
		a.itemTree(d, r.Lock.Key.Item(), r.Lock.Key, nil)
		d.Para(1, kit.Absent, "does not exist")
	default:
		a.itemTree(d, r.Lock.Item, r.Lock.Key, nil)
		if len(words.OtherAttributes(r.Lock)) == 0 {
			d.Para(1, kit.Absent, "no other attribute: it names no owner")
		} else if r.Lock.Owner == "" {
			d.Para(1, kit.Absent, "names no owner")
		}
	}
}

// accountTree shows an account's key and the attributes that its locks protect.
func (a *app) accountTree(d *kit.Block, account *dynamo.Account) {
	names := []string{}
	for _, c := range a.Table.Layout.Rules() {
		if !slices.Contains(names, c.Attribute) && account.Item.At(c.Attribute).Exists() {
			names = append(names, c.Attribute)
		}
	}
	a.itemTree(d, account.Item, account.Key, names)
}

// itemTree shows the key of an item and some of its attributes; all of them
// where names is nil.
func (a *app) itemTree(d *kit.Block, item attr.Item, key attr.Key, names []string) {
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
	d.Branch(1, shown, func(n int) kit.Span {
		if n < 2 && slices.Contains([]string{key.Hash.Name, key.Range.Name}, shown[n]) {
			return kit.Text.Of(key.Item()[shown[n]].Display())
		}
		return kit.Text.Of(item.At(shown[n]).Display())
	})
}

// readRows lists what was read, when, and with what result.
func readRows(d *kit.Block, col int, reads []client.Read) {
	most := 3
	if d.Whole {
		most = tall
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
					l.Put(kit.Muted, words.Clock(r.At))
				}
				l.To(col + 9)
				l.Words(kit.Text, text, l.Width-l.At-8)
				if r.Units > 0 && n == 0 {
					l.Ends(kit.Muted, words.Units(r.Units), l.Width-2)
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

// relationCan is what can be done with a relation, which may be nil.
func (a *app) relationCan(r *dynamo.Relation) []screen.Can {
	release := "release the lock"
	if n := len(a.Marks.Order); n > 0 {
		release = "release the marked locks, " + phrase.Group(strconv.Itoa(n))
	}
	return []screen.Can{
		{Action: keymap.Release, Words: release},
		{Action: keymap.Mend, Words: a.MendWord(r) + " it"},
		{Action: keymap.ChangeValue, Words: "change the value"},
		{Action: keymap.DeleteAccount, Words: "delete the account with its locks"},
		{Action: keymap.Mark, Words: "mark the lock, to release several"},
		{Action: keymap.OtherSide, Words: "look at the other side"},
		{Action: keymap.Open, Words: "open the item"},
		{Action: keymap.Copy, Words: "copy the value or the key"},
		{Action: keymap.CopyItem, Words: "copy the item as JSON"},
	}
}
