package relation

import (
	"math"
	"slices"
	"strings"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/layout"
	"tallylock/ui/kit"
	"tallylock/ui/words"
)

// Lock draws a lock's key and its other attributes.
func Lock(d *kit.Block, r *dynamo.Relation) {
	why, keyed := noLock(r)
	switch {
	case why == "":
		Item(d, r.Lock.Item, r.Lock.Key, nil)
	case keyed:
		Item(d, r.Lock.Key.Item(), r.Lock.Key, nil)
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

// Account draws an account's key and the attributes that its locks protect.
func Account(d *kit.Block, by *layout.Layout, account *dynamo.Account) {
	names := []string{}
	for _, c := range by.Rules() {
		if !slices.Contains(names, c.Attribute) && account.Item.At(c.Attribute).Exists() {
			names = append(names, c.Attribute)
		}
	}
	Item(d, account.Item, account.Key, names)
	if made := words.Made(account.Key, time.Now()); made != "" {
		d.Para(3, kit.Muted, "made "+made)
	}
}

// Item draws the key of an item and some of its attributes; all of them if names is nil.
func Item(d *kit.Block, item attr.Item, key attr.Key, names []string) {
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

// Reads draws what was read, when, and with what result.
func Reads(d *kit.Block, reads []client.Read) {
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
