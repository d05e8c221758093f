package ui

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
	"tallylock/keymap"
)

// lockFacts is the lock's key and what else is in it.
func lockFacts(r *dynamo.Relation) []span {
	if r.Lock.Key.Hash.Name == "" {
		return []span{{asMuted, "none can be made of this value: " + r.Why}}
	}
	key := span{asText, r.Lock.Key.String()}
	if !r.Lock.Exists {
		return []span{key, {asMuted, "   does not exist"}}
	}
	if r.Lock.Mark != "" {
		return []span{key, {asWarn, "   has the mark of an unfinished release"}}
	}
	if r.Lock.Owner != "" {
		return []span{key, {asFaint, " " + glyphPath + " "}, {asText, r.Constraint.Owner + " = " + r.Lock.Owner}}
	}
	if len(others(r.Lock)) == 0 {
		return []span{key, {asMuted, "   names no owner, no other attribute"}}
	}
	return []span{key, {asMuted, "   names no owner"}}
}

// others are the lock's attributes besides its key.
func others(l dynamo.Lock) []string {
	var names []string
	for _, name := range l.Item.Names() {
		if name != l.Key.Hash.Name && name != l.Key.Range.Name {
			names = append(names, name)
		}
	}
	return names
}

// readFacts sums up what the verdict rests on.
func (a *app) readFacts(r *dynamo.Relation) []span {
	whole := 0
	for _, read := range r.Reads {
		if read.Whole {
			whole++
		}
	}
	if len(r.Reads) == 0 {
		s := []span{{asText, "with the account, consistent"}}
		if r.Account == nil {
			s[0].text = "with the table, consistent"
		}
		if b := a.browse; b != nil && !b.view.ReadAt.IsZero() {
			s = append(s, span{asMuted, "   " + clock(b.view.ReadAt)})
		}
		return s
	}
	last := r.Reads[len(r.Reads)-1]
	at := span{asMuted, "   " + clock(last.At)}
	switch {
	case whole == 1 && r.Limited() != "":
		return []span{{asText, "the whole table once; no second look would prove more"}, at}
	case whole > 1:
		return []span{{asText, "the whole table twice, then the lock again"}, at}
	case whole == 1 && r.Provisional:
		return []span{{asText, "the whole table once; a second look is to come"}, at}
	case whole == 1:
		return []span{{asText, "the whole table, and the lock together with its owner"}, at}
	case last.How == "transaction":
		return []span{{asText, "the lock and its account in one transaction"}, at}
	}
	return []span{{asText, last.What + ": " + last.Found + ", " + last.How}, at}
}

// relationBeside is the detail of a relation on a wide screen.
func (a *app) relationBeside(d *doc, r *dynamo.Relation) {
	d.row(func(l *line) {
		l.to(1)
		verdictSign(r.Verdict, r.Provisional).draw(l)
	})
	d.para(1, asStrong, r.Sentence())
	if why := unsure(r); why != "" {
		d.para(1, asText, why)
	}
	d.gap()
	d.head(1, "LOCK")
	a.lockTree(d, r)
	d.gap()
	switch {
	case r.OwnerAccount != nil:
		d.head(1, "THE OWNER IT NAMES")
		a.accountTree(d, r.OwnerAccount)
		d.gap()
	case len(r.Claimants) > 1:
		for n := range r.Claimants[:min(len(r.Claimants), 3)] {
			d.head(1, "ACCOUNT")
			a.accountTree(d, &r.Claimants[n])
			d.gap()
		}
	case r.Account != nil:
		d.head(1, "ACCOUNT")
		a.accountTree(d, r.Account)
		d.gap()
	}
	if len(r.Reads) > 0 {
		d.head(1, "WHAT WAS READ")
		readRows(d, 1, r.Reads)
		d.gap()
	}
	if so := r.Consequence(); so != "" && so != r.Why {
		d.head(1, "SO")
		d.para(1, asText, sentence(so))
		d.gap()
	}
	a.youCan(d, 1, a.relationCan(r)...)
}

// sentence gives a clause a capital letter and a full stop, unless it asks. A name at its
// beginning, of a host or a key, stays as it is written.
func sentence(s string) string {
	s = strings.TrimSuffix(s, ".")
	if s == "" {
		return s
	}
	first, _, _ := strings.Cut(s, " ")
	if !strings.ContainsAny(first, ".:#/_-0123456789") && s[0] < utf8.RuneSelf {
		s = strings.ToUpper(s[:1]) + s[1:]
	}
	if strings.HasSuffix(s, "?") {
		return s
	}
	return s + "."
}

// lockTree shows a lock's key and all else that is in it.
func (a *app) lockTree(d *doc, r *dynamo.Relation) {
	switch {
	case r.Lock.Key.Hash.Name == "":
		d.para(1, asAbsent, "none can be made of this value: "+r.Why)
	case !r.Lock.Exists:
		a.itemTree(d, r.Lock.Key.Item(), r.Lock.Key, nil)
		d.para(1, asAbsent, "does not exist")
	default:
		a.itemTree(d, r.Lock.Item, r.Lock.Key, nil)
		if len(others(r.Lock)) == 0 {
			d.para(1, asAbsent, "no other attribute: it names no owner")
		} else if r.Lock.Owner == "" {
			d.para(1, asAbsent, "names no owner")
		}
	}
}

// accountTree shows an account's key and the attributes that its locks protect.
func (a *app) accountTree(d *doc, account *dynamo.Account) {
	names := []string{}
	for _, c := range a.table.Layout.Constraints() {
		if !slices.Contains(names, c.Attribute) && account.Item.At(c.Attribute).Exists() {
			names = append(names, c.Attribute)
		}
	}
	a.itemTree(d, account.Item, account.Key, names)
}

// itemTree shows the key of an item and some of its attributes; all of them
// where names is nil.
func (a *app) itemTree(d *doc, item attr.Item, key attr.Key, names []string) {
	shown := []string{key.Hash.Name}
	if key.Range.Name != "" {
		shown = append(shown, key.Range.Name)
	}
	if names == nil {
		names = item.Names()
	}
	for _, name := range names {
		if !slices.Contains(shown, name) && (len(shown) < 10 || d.whole) {
			shown = append(shown, name)
		}
	}
	d.branch(1, shown, func(n int) span {
		if n < 2 && slices.Contains([]string{key.Hash.Name, key.Range.Name}, shown[n]) {
			return span{asText, key.Item()[shown[n]].Display()}
		}
		return span{asText, item.At(shown[n]).Display()}
	})
}

// readRows lists what was read, when, and with what result.
func readRows(d *doc, col int, reads []client.Read) {
	most := 3
	if d.whole {
		most = tall
	}
	for _, r := range reads {
		what := []string{r.What}
		if d.whole {
			what = wrap(r.What, d.width-col-9-8)
		}
		for n, text := range what {
			d.row(func(l *line) {
				l.to(col)
				if n == 0 {
					l.put(asMuted, clock(r.At))
				}
				l.to(col + 9)
				l.words(asText, text, l.width-l.at-8)
				if r.Units > 0 && n == 0 {
					l.ends(asMuted, units(r.Units), l.width-2)
				}
			})
		}
		for _, row := range flow([]span{{asMuted, r.Found}, {asMuted, " · " + r.How}}, d.width-col-9-1, most) {
			d.row(func(l *line) {
				l.to(col + 9)
				for _, s := range row {
					l.words(s.look, strings.TrimPrefix(s.text, "· "), l.width-l.at-1)
				}
			})
		}
	}
}

// can is an action in words.
type can struct {
	action keymap.Action
	words  string
}

// youCan lists which of some actions do something on the selected row.
func (a *app) youCan(d *doc, col int, some ...can) {
	d.head(col, "YOU CAN")
	s := a.top()
	for _, c := range some {
		if key := a.keys.Key(c.action); key != "" && a.why(s, c.action) == "" {
			d.row(func(l *line) {
				l.to(col)
				l.put(asKey, key)
				l.put(asText, " "+c.words)
			})
		}
	}
}

// relationCan is what can be done with a relation, which may be nil.
func (a *app) relationCan(r *dynamo.Relation) []can {
	release := "release the lock"
	if n := len(a.marks.order); n > 0 {
		release = "release the marked locks, " + phrase.Group(strconv.Itoa(n))
	}
	return []can{
		{keymap.Release, release},
		{keymap.Mend, a.mendWord(r) + " it"},
		{keymap.ChangeValue, "change the value"},
		{keymap.DeleteAccount, "delete the account with its locks"},
		{keymap.Mark, "mark the lock, to release several"},
		{keymap.OtherSide, "look at the other side"},
		{keymap.Open, "open the item"},
		{keymap.Copy, "copy the value or the key"},
		{keymap.CopyItem, "copy the item as JSON"},
	}
}
