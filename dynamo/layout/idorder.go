package layout

import (
	"slices"
	"strings"

	"tallylock/dynamo/attr"
)

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
