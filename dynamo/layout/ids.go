package layout

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"tallylock/dynamo/attr"
)

// idVariable is the name of the variable for an id in the templates of IDs.
const idVariable = "number"

// IDs is a place that contains ids from a counter: the keys of items, or an attribute of items.
type IDs struct {
	// Table is the table of the items. It is empty if they are in the counter's table.
	Table string
	// PK and SK are the templates of the items' keys. {number} is the id. The other variables are
	// the same as in the counter's key, so each counter of a family has its own ids. An empty PK
	// fits every key.
	PK, SK Template
	Is     Discriminator
	// Attribute is the attribute with the id if the key does not contain the id. Text is the
	// template of the attribute's text. Text is empty if the attribute contains only the number.
	Attribute string
	Text      Template
	// Index is the name of an index whose sort key has the id, so that the index sorts the ids. It
	// is empty if there is no such index. In is the template of the index's partition key.
	Index string
	In    Template
}

// TableOf returns the table of the items. counters is the counter's table.
func (ids *IDs) TableOf(counters string) string {
	if ids.Table != "" {
		return ids.Table
	}
	return counters
}

// Of reads the id of an item, as a whole number without leading zeros. vars are the other variables
// of the item's key. They show which counter of a family the id comes from. Of reports false if the
// item has no id.
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

// whole reads a whole number from 0 up, and removes leading zeros. It accepts a number such as 1E3
// only in an attribute of type N. In a text, 1E3 may be a piece of a hash.
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

// Mints reports whether the counter can hand out this id: the id is Offset plus a multiple of Step.
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

// KeyFor returns the counter's key. vars are the variables of the key, as IDs.Of returns them.
func (c *Counter) KeyFor(s attr.Schema, vars map[string]string) (attr.Key, error) {
	all := bindingsOf(vars)
	k, err := renderKey(s, c.PK, c.SK, &all)
	if err != nil {
		return attr.Key{}, fmt.Errorf("counter %s: %w", c.Attribute, err)
	}
	return k, nil
}

// Behind reports whether the counter may hand out an id that is already in use. v is the counter's
// number, and highest is the highest id in use. Behind reports false if one of them is not a
// number.
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

// IDOrder is a partition in which the sort keys are the ids of one counter, in order. The sort keys
// are numbers, or texts of a prefix and a number with a fixed count of digits.
type IDOrder struct {
	Index  string // empty means the table itself
	Schema attr.Schema
	Hash   attr.Value
	Prefix string
	// Whole: the partition has all ids, and it allows consistent reads.
	Whole bool

	most int // count of digits of the counter's Max, if the sort keys are texts
}

// Order returns the partition that has the ids of one counter in order: in the items' table, or in
// the index that the layout names. It reports false if there is none. key is the counter's key, and
// s is the schema of the counter's table. of and indexes are the schema and the indexes of the
// items' table.
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

// stand returns the attribute that contains the id, and the template of the attribute's text.
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

// under returns o for the partition with the key hash. text is the template of the sort keys. under reports false if
// such sort keys do not sort by id.
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

// Highest reports whether the last item of the partition certainly has the highest id. The parameter sort
// is the sort key of this item. Numbers always sort by id. Texts sort by id only if all ids have the same
// count of digits. This is certain if the last id begins with 0 and has as many digits as the counter's
// maximum: an id without leading zeros would sort after the last id.
func (o IDOrder) Highest(sort string) bool {
	digits := strings.TrimPrefix(sort, o.Prefix)
	return o.Schema.RangeKind == attr.N || len(digits) == o.most && strings.HasPrefix(digits, "0")
}
