package layout

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"tallylock/dynamo/attr"
)

// Reading is one line of a constraint read otherwise, and the items that it takes for
// accounts.
type Reading struct {
	Line  string
	At    string // where the line stands that is read otherwise, as Origin.Of has it
	Items []attr.Item
	// Another: the items are no accounts of the layout, but of another shape.
	Another    bool
	kind       *Account
	constraint *Constraint
}

// Reservation is that of the locks.
func (r Reading) Reservation() Reservation { return r.constraint.Reserved }

// Claims are the locks that an item claims by this reading.
func (r Reading) Claims(table string, schema func(table string) attr.Schema, item attr.Fields) []Claim {
	return r.kind.AppendClaimsOf(nil, r.constraint, table, schema, item)
}

// Sorted is a sample by what the layout takes its items for.
type Sorted struct {
	Accounts map[*Account][]attr.Item
	Locks    map[*Constraint][]attr.Item
	Others   []attr.Item // of the accounts' table
	// Keys are all items' keys, by table: a wrong template may take one for another.
	Keys map[string][]attr.Key
}

// mostReadings bounds the attributes, shapes and templates that are tried.
const mostReadings = 12

// Readings lists other readings of one constraint that the sample gives reason to
// try, in an order that depends on the sample alone.
func (l *Layout) Readings(
	a *Account, c *Constraint, table string, schema func(table string) attr.Schema, s Sorted,
) []Reading {
	var all []Reading
	add := func(line string, items []attr.Item, change func(*Account, *Constraint)) {
		kind, con := *a, *c
		change(&kind, &con)
		from := c.Origin
		if kind.PK.text != a.PK.text || kind.SK.text != a.SK.text || kind.Is != a.Is {
			from = a.Origin
		}
		setting, _, _ := strings.Cut(line, " ")
		all = append(
			all,
			Reading{
				line,
				from.Of(setting),
				items,
				kind.PK.text != a.PK.text || kind.SK.text != a.SK.text || kind.Is != a.Is,
				&kind,
				&con,
			},
		)
	}
	own := s.Accounts[a]
	for _, chain := range chainsLike(c.Normalise) {
		if !slices.Equal(chain, c.Normalise) && changes(own, c, chain) {
			add("normalise = "+list(chain), own, func(_ *Account, con *Constraint) { con.Normalise = chain })
		}
	}
	for _, name := range attributesOf(own, schema(table)) {
		if name != c.Attribute {
			add("attribute = "+strconv.Quote(name), own, func(_ *Account, con *Constraint) { con.Attribute = name })
		}
	}
	for _, t := range lockTemplates(s, c, schema(c.LockTable(table)), c.LockTable(table)) {
		line := "sk = " + strconv.Quote(t[1].text)
		if t[0].text != c.PK.text {
			line = "pk = " + strconv.Quote(t[0].text)
			if t[1].text != c.SK.text {
				line += " with sk = " + strconv.Quote(t[1].text)
			}
		}
		add(line, own, func(_ *Account, con *Constraint) { con.PK, con.SK = t[0], t[1] })
	}
	for _, sh := range otherShapes(schema(table), s.Others, c) {
		line := accountLine(a, sh)
		add(line, sh.items, func(kind *Account, _ *Constraint) { kind.PK, kind.SK, kind.Is = sh.pk, sh.sk, Discriminator{} })
	}
	return all
}

// changes reports whether a chain makes something else of any value than the layout's.
func changes(items []attr.Item, c *Constraint, chain []Normaliser) bool {
	other := *c
	other.Normalise = chain
	return slices.ContainsFunc(items, func(item attr.Item) bool {
		return slices.ContainsFunc(Texts(item.At(c.Attribute)), func(text string) bool {
			return other.Normalised(text) != c.Normalised(text)
		})
	})
}

func list(chain []Normaliser) string {
	var names []string
	for _, step := range chain {
		names = append(names, strconv.Quote(string(step)))
	}
	return "[" + strings.Join(names, ", ") + "]"
}

// attributesOf lists the attributes of items that hold texts, the commonest first,
// those of a map by their paths.
func attributesOf(items []attr.Item, s attr.Schema) []string {
	found := map[string]int{}
	for _, item := range items {
		for _, path := range Paths(item) {
			if !s.IsKey(path) {
				found[path]++
			}
		}
	}
	return commonest(found)
}

// Paths lists the attributes of an item that hold texts, those of a map by their paths.
func Paths(item attr.Item) []string {
	var all []string
	for name, v := range item {
		if len(Texts(v)) > 0 {
			all = append(all, name)
		}
		if v.Kind == attr.M {
			for inner, w := range v.Map {
				if len(Texts(w)) > 0 {
					all = append(all, name+"."+inner)
				}
			}
		}
	}
	return all
}

func commonest(found map[string]int) []string {
	names := slices.SortedFunc(maps.Keys(found), func(a, b string) int {
		return cmp.Or(cmp.Compare(found[b], found[a]), strings.Compare(a, b))
	})
	return names[:min(len(names), mostReadings)]
}

// lockTemplates are other templates of lock keys that the keys of a sample suggest: a
// beginning that several keys share, the value after it, and a sort key that is
// always the same or repeats the partition key.
func lockTemplates(s Sorted, c *Constraint, schema attr.Schema, table string) [][2]Template {
	if schema.HashKind != attr.S || (schema.RangeName != "" && schema.RangeKind != attr.S) {
		return nil
	}
	found := map[string]int{}
	for _, k := range s.Keys[table] {
		hash, sort := k.Hash.Value.Text, k.Range.Value.Text
		for at := range len(hash) - 1 {
			if !strings.ContainsRune(Separators, rune(hash[at])) {
				continue
			}
			pk, sk := Literal(hash[:at+1])+"{v}", Literal(sort)
			if schema.RangeName != "" && sort == hash {
				sk = samePK
			}
			if pk != c.PK.text || sk != c.SK.text {
				found[pk+"\x00"+sk]++
			}
		}
	}
	maps.DeleteFunc(found, func(_ string, n int) bool { return n < EnoughBetter })
	var out [][2]Template
	both := commonest(found)
	// One line that is wrong is likelier than two.
	slices.SortStableFunc(both, func(a, b string) int {
		return cmp.Compare(strings.Count(b, "\x00"+c.SK.text), strings.Count(a, "\x00"+c.SK.text))
	})
	for _, both := range both {
		pk, sk, _ := strings.Cut(both, "\x00")
		if p, t, err := keyTemplates(pk, sk); err == nil {
			out = append(out, [2]Template{p, t})
		}
	}
	return out
}

// otherShape is items of one shape that hold what a constraint protects.
type otherShape struct {
	pk, sk Template
	items  []attr.Item
	keys   []attr.Key
}

// sortFits reports whether a key's sort key is one of the accounts'.
func (a *Account) sortFits(k attr.Key) bool {
	if a.SK.text == samePK {
		return k.Range.Value.Text == k.Hash.Value.Text
	}
	return a.SK.fits(k.Range.Value.Text)
}

// otherShapes are the shapes of items which the layout takes for nothing, and which
// hold what a constraint protects. A shape whose values repeat is of copies rather
// than of accounts.
func otherShapes(s attr.Schema, others []attr.Item, c *Constraint) []otherShape {
	byKeys := map[string]*otherShape{}
	for _, item := range others {
		if k, ok := s.KeyOf(item); ok && len(Texts(item.At(c.Attribute))) > 0 {
			pk, sk := keyShape(k)
			id := pk + "\x00" + sk
			if byKeys[id] == nil {
				byKeys[id] = &otherShape{}
			}
			byKeys[id].items, byKeys[id].keys = append(byKeys[id].items, item), append(byKeys[id].keys, k)
		}
	}
	counts := map[string]int{}
	for id, sh := range byKeys {
		if len(sh.items) >= EnoughBetter && !repeats(sh.items, c) {
			counts[id] = len(sh.items)
		}
	}
	var out []otherShape
	for _, id := range commonest(counts) {
		pk, sk, _ := strings.Cut(id, "\x00")
		if p, t, err := keyTemplates(pk, sk); err == nil {
			sh := byKeys[id]
			sh.pk, sh.sk = p, t
			out = append(out, *sh)
		}
	}
	return out
}

// repeats reports whether more than a tenth of what the items hold is held twice.
func repeats(items []attr.Item, c *Constraint) bool {
	all, different := 0, map[string]bool{}
	for _, item := range items {
		for _, text := range Texts(item.At(c.Attribute)) {
			all++
			different[Fold(text)] = true
		}
	}
	return 10*len(different) < 9*all
}

// accountLine is the line of an account that would have to be another one, for the
// items of a shape to be accounts.
func accountLine(a *Account, sh otherShape) string {
	var lines []string
	if slices.ContainsFunc(sh.keys, func(k attr.Key) bool { return !a.PK.fits(k.Hash.Value.Text) }) {
		lines = append(lines, "pk = "+strconv.Quote(sh.pk.text))
	}
	if sh.sk.text != "" && slices.ContainsFunc(sh.keys, func(k attr.Key) bool { return !a.sortFits(k) }) {
		lines = append(lines, "sk = "+strconv.Quote(sh.sk.text))
	}
	if len(lines) > 0 {
		return strings.Join(lines, " with ")
	}
	if a.Is.Attribute == "" {
		return "an account of the shape " + sh.pk.text
	}
	values := map[string]int{}
	for _, item := range sh.items {
		if v := item.At(a.Is.Attribute); v.Exists() {
			values[v.Display()]++
		}
	}
	if len(values) == 0 {
		return "no is at all"
	}
	return fmt.Sprintf("is = { attribute = %q, value = %q }", a.Is.Attribute, commonest(values)[0])
}

// Own is the layout's own reading of a constraint.
func Own(a *Account, c *Constraint) Reading { return Reading{kind: a, constraint: c} }

// LockTable is the table that the reading's locks live in.
func (r Reading) LockTable(accounts string) string { return r.constraint.LockTable(accounts) }

// IsLock reports whether an item at a lock's place is one.
func (r Reading) IsLock(item attr.Item) bool { return r.constraint.Is.Holds(item) }

// IDInPartition reports whether what has the partition key of an account is a part of it.
func (r Reading) IDInPartition() bool { return r.kind.IDInPartition() }

// keyShape writes a key as the templates it could come from: what stands before
// the first # is the kind, the rest the id.
func keyShape(k attr.Key) (pk, sk string) {
	hash, rng := k.Hash.Value.Text, k.Range.Value.Text
	id := hash
	if kind, rest, ok := strings.Cut(hash, "#"); ok && rest != "" {
		pk, id = Literal(kind)+"#{id}", rest
	} else {
		pk = "{id}"
	}
	switch {
	case k.Range.Name == "":
	case rng == hash:
		sk = "{pk}"
	case strings.HasSuffix(rng, "#"+id):
		sk = Literal(strings.TrimSuffix(rng, id)) + "{id}"
	case rng == id:
		sk = "{id}"
	default:
		sk = Literal(rng)
	}
	return pk, sk
}
