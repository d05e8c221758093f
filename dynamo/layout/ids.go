package layout

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"tallylock/dynamo/attr"
)

// idVariable is the variable that stands for an id in the templates of IDs.
const idVariable = "number"

// IDs is where ids stand that a counter has handed out: in the keys of items, or in
// an attribute.
type IDs struct {
	// Table is where the items are; empty where that is the counter's own.
	Table string
	// PK and SK are the templates of the items' keys, in which {number} is the id.
	// Other variables are those of the counter's key: each of a family has ids of
	// its own. An empty PK fits every key.
	PK, SK Template
	Is     Discriminator
	// Attribute holds the id, where the key does not. Text is what it looks like
	// there; empty where it is the bare number.
	Attribute string
	Text      Template
	// Index is an index that has the ids in their order, as its sort key, under the
	// partition key In. Empty where there is none.
	Index string
	In    Template
}

// TableOf is the table that the items are in, given the counter's.
func (ids *IDs) TableOf(counters string) string {
	if ids.Table != "" {
		return ids.Table
	}
	return counters
}

// Of reads the id that an item carries: a whole number without leading zeros, and
// the variables that tell whose it is. It reports false where the item carries
// none.
func (ids *IDs) Of(s attr.Schema, item attr.Fields) (id string, vars map[string]string, ok bool) {
	k, ok := s.KeyOf(item)
	if !ok || !ids.Is.Holds(item) {
		return "", nil, false
	}
	var of bindings
	if !ids.PK.Empty() && !parseKey(s, ids.PK, ids.SK, k, &of) {
		return "", nil, false
	}
	id = of.get(idVariable)
	kind := s.HashKind
	if ids.SK.Uses(idVariable) {
		kind = s.RangeKind
	}
	if ids.Attribute != "" {
		v := item.At(ids.Attribute)
		if kind = v.Kind; kind != attr.S && kind != attr.N {
			return "", nil, false
		}
		if id = v.Text; !ids.Text.Empty() {
			if !ids.Text.parse(v.Text, &of) {
				return "", nil, false
			}
			id = of.get(idVariable)
		}
	}
	if id, ok = whole(id, kind); !ok {
		return "", nil, false
	}
	of.drop(idVariable)
	return id, of.vars(), true
}

// whole reads a number that is not negative, with or without leading zeros. Only
// where the table itself says that it is a number may it be written as 1E3: in a
// text that is something else, such as a piece of a hash.
func whole(text string, kind attr.Kind) (string, bool) {
	digits := strings.TrimLeft(text, "0")
	for n := range len(digits) {
		if digits[n] < '0' || digits[n] > '9' {
			number, ok := attr.Integer(text)
			if kind != attr.N || !ok || number.Sign() < 0 {
				return "", false
			}
			return number.String(), true
		}
	}
	switch {
	case text == "", len(digits) > 38:
		return "", false
	case digits == "":
		return "0", true
	}
	return digits, true
}

// Mints reports whether an id is one of the counter's series.
func (c *Counter) Mints(id string) bool {
	if c.Step.IsInt64() && c.Step.Int64() == 1 {
		return true
	}
	n, ok := new(big.Int).SetString(id, 10)
	if !ok {
		return false
	}
	return n.Sub(n, c.Offset).Mod(n, c.Step).Sign() == 0
}

// KeyFor is the key of the counter whose variables an id's item gives.
func (c *Counter) KeyFor(s attr.Schema, vars map[string]string) (attr.Key, error) {
	all := bindingsOf(vars)
	k, err := renderKey(s, c.PK, c.SK, &all)
	if err != nil {
		return attr.Key{}, fmt.Errorf("counter %s: %w", c.Attribute, err)
	}
	return k, nil
}

// Behind reports whether a counter that holds v could hand out an id again that
// is no higher than the highest in use. It reports false where v is no number.
func (c *Counter) Behind(v, highest string) bool {
	have, ok := attr.Integer(v)
	used, ok2 := attr.Integer(highest)
	if !ok || !ok2 {
		return false
	}
	switch c.Semantics {
	case Last:
		return have.Cmp(used) < 0
	case Next:
		return have.Cmp(used) <= 0
	}
	return false
}

// IDOrder is where the ids of one counter stand together and in their order, as sort keys
// under one partition key: numbers, or of as many digits each, after a prefix.
type IDOrder struct {
	Index  string // empty: the table itself
	Schema attr.Schema
	Hash   attr.Value
	Prefix string
	// Whole: none of the ids is missing there, and a consistent read answers.
	Whole bool

	most int // digits, of sort keys that are texts
}

// Order is where the ids of a counter with this key stand in their order: in their table,
// or in the index that the layout names. It reports false where they do not. s is the
// schema of the counter's table, of that of the items' and indexes those of that table.
func (ids *IDs) Order(c *Counter, s attr.Schema, key attr.Key, of attr.Schema, indexes []attr.Index) (IDOrder, bool) {
	var vars bindings
	if !c.KeyIsValue(s) && !c.Fixed(s) && !parseKey(s, c.PK, c.SK, key, &vars) {
		return IDOrder{}, false
	}
	own, err := ids.PK.render(&vars, "")
	if err == nil && ids.SK.Uses(idVariable) && ids.Attribute == "" && ids.Is.Attribute == "" {
		if o, ok := (IDOrder{Schema: of, Whole: true}).under(own, ids.SK, c); ok {
			return o, true
		}
	}
	n := slices.IndexFunc(indexes, func(x attr.Index) bool { return x.Name == ids.Index })
	attribute, text := ids.stand(of)
	if n < 0 || indexes[n].Schema.RangeName != attribute {
		return IDOrder{}, false
	}
	hash, failed := ids.In.render(&vars, "")
	if failed != nil {
		return IDOrder{}, false
	}
	x := indexes[n]
	return IDOrder{Index: x.Name, Schema: x.Schema, Whole: x.Local && err == nil && own == hash}.under(hash, text, c)
}

// stand is the attribute that has the id, and what it looks like there.
func (ids *IDs) stand(of attr.Schema) (attribute string, text Template) {
	switch {
	case ids.Attribute != "" && ids.Text.Empty():
		return ids.Attribute, bareID
	case ids.Attribute != "":
		return ids.Attribute, ids.Text
	case ids.PK.Uses(idVariable):
		return of.HashName, ids.PK
	}
	return of.RangeName, ids.SK
}

var bareID = Template{text: "{" + idVariable + "}", parts: []part{{name: idVariable}}}

// under is the order of sort keys that look like text under a partition key.
func (o IDOrder) under(hash string, text Template, c *Counter) (IDOrder, bool) {
	end := len(text.parts) - 1
	if end < 0 || end > 1 || text.parts[end].name != idVariable {
		return o, false
	}
	o.Prefix = text.Prefix()
	switch {
	case o.Schema.RangeKind == attr.N && o.Prefix == "":
	case o.Schema.RangeKind == attr.S && c.Max != nil:
		o.most = len(c.Max.String())
	default:
		return o, false
	}
	var err error
	o.Hash, err = keyValue(o.Schema.HashKind, hash, maxHash)
	return o, err == nil
}

// Highest reports whether no id of a higher number stands before this sort key: one with
// zeros before it, and as many digits as the highest has. That none has zeros before it
// and more digits is what a highest number says.
func (o IDOrder) Highest(sort string) bool {
	digits := strings.TrimPrefix(sort, o.Prefix)
	return o.Schema.RangeKind == attr.N || len(digits) == o.most && strings.HasPrefix(digits, "0")
}
