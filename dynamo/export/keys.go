package export

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"tallylock/dynamo"
	"tallylock/dynamo/attr"
	"tallylock/dynamo/client"
	"tallylock/dynamo/phrase"
	"tallylock/dynamo/remedy"
	"tallylock/dynamo/scan"
)

// Keys has the names of key attributes by table, as a person gave them: the partition key first. The table ""
// is the table to open.
type Keys map[string][]string

// of returns the given keys of a table. own is the name of the table to open.
func (k Keys) of(table, own string) []string {
	if table == own && len(k[table]) == 0 {
		return k[""]
	}
	return k[table]
}

// exported returns an error if a person gave the keys of a table that was not exported.
func (k Keys) exported(e *scan.Export, items map[string][]attr.Item) error {
	for _, table := range slices.Sorted(maps.Keys(k)) {
		if _, have := items[table]; !have && table != "" {
			return scan.WrongExport(e.Dir, fmt.Sprintf("the keys of the table %s are given, but there are only exports of %s", table,
				phrase.List(slices.Sorted(maps.Keys(items)))))
		}
	}
	return nil
}

// inferKeys infers a table's key schema from its items. A key attribute is in every item, and always has
// the same type. No two items have the same key. said has the names of the key attributes if a person gave
// them. If said is empty, the key is the only attribute that every item has, or the attributes PK and SK, or
// id. Names such as pk, _SK or ID count as well.
func inferKeys(table string, items []attr.Item, said []string) (attr.Schema, error) {
	have := common(items)
	all := slices.Sorted(maps.Keys(have))
	called := func(name string) []string {
		return slices.DeleteFunc(slices.Clone(all),
			func(one string) bool { return strings.ToLower(strings.Trim(one, "_")) != name })
	}
	names := slices.Concat(called("pk"), called("sk"))
	if ids := called("id"); len(names) == 0 && len(ids) == 1 {
		names = ids
	}
	switch {
	case len(said) > 2:
		return attr.Schema{}, noKeys(table, "a key has two parts at most")
	case len(said) > 0:
		names = said
	case len(all) == 1:
		names = all
	case len(names) == 0 || len(called("pk")) > 1 || len(called("sk")) > len(called("pk")):
		why := "no attribute is in every item"
		if len(all) > 0 {
			why = "several attributes are in every item: " + strings.Join(all, ", ")
		}
		return attr.Schema{}, noKeys(table, why)
	}
	for _, name := range names {
		if have[name] == "" {
			return attr.Schema{}, wrongKeys(table, "some items have no "+name+", or have one of another type", said)
		}
	}
	schema := attr.Schema{HashName: names[0], HashKind: have[names[0]]}
	if len(names) == 2 {
		schema.RangeName, schema.RangeKind = names[1], have[names[1]]
	}
	if !unique(items, schema) {
		return attr.Schema{}, wrongKeys(table, "several items have the same "+keyNames(schema), said)
	}
	return schema, nil
}

// common returns the attributes that could be keys: every item has them, with one type.
func common(items []attr.Item) map[string]attr.Kind {
	have := map[string]attr.Kind{}
	for n, item := range items {
		if n == 0 {
			for name, v := range item {
				have[name] = v.Kind
			}
		}
		maps.DeleteFunc(have, func(name string, kind attr.Kind) bool {
			return item[name].Kind != kind || kind != attr.S && kind != attr.N && kind != attr.B
		})
	}
	return have
}

// unique reports whether no two items have the same key.
func unique(items []attr.Item, schema attr.Schema) bool {
	seen := map[string]bool{}
	for _, item := range items {
		key, _ := schema.KeyOf(item)
		if seen[key.ID()] {
			return false
		}
		seen[key.ID()] = true
	}
	return true
}

// hints help to infer the keys of lock tables.
type hints struct {
	tables map[string]*lockTable
	// ids has the keys of accounts, and their parts after the last #. values has the other texts of accounts, by
	// attribute. All texts are lower case.
	ids    map[string]bool
	values map[string]map[string]bool
}

// lockTable is a table in which a layout of the config keeps locks.
type lockTable struct {
	owners []string // the attributes that name the account of a lock
	sorted bool     // the locks have a sort key
}

func hintsOf(o dynamo.Options, accounts []attr.Item, schema attr.Schema) *hints {
	h := &hints{tables: map[string]*lockTable{}, ids: map[string]bool{}, values: map[string]map[string]bool{}}
	for _, l := range o.Layouts {
		for _, a := range l.Accounts {
			for _, c := range a.Constraints {
				table := client.BareName(c.Table)
				if h.tables[table] == nil {
					h.tables[table] = &lockTable{}
				}
				h.tables[table].owners = append(h.tables[table].owners, c.Owner)
				h.tables[table].sorted = h.tables[table].sorted || c.SK != ""
			}
		}
	}
	for _, item := range accounts {
		for name, v := range item {
			text := strings.ToLower(v.Text)
			switch {
			case v.Kind != attr.S:
			case name == schema.HashName:
				h.ids[text], h.ids[afterHash(text)] = true, true
			case h.values[name] == nil:
				h.values[name] = map[string]bool{text: true}
			default:
				h.values[name][text] = true
			}
		}
	}
	return h
}

// afterHash returns the part of a key after the last #.
func afterHash(key string) string { return key[strings.LastIndexByte(key, '#')+1:] }

// needs reports whether the config's layouts keep locks in a table.
func (h *hints) needs(table string) bool { return h.tables[table] != nil }

// lockKeys infers the key of a table whose items have several texts, such as an e-mail and the id of its account. The
// key is the one text that differs in all items, is no time, and does not name an account. If several texts remain, the
// key is the one that has values of accounts. why is the error of inferKeys. lockKeys returns why if no text or several
// texts could be the key.
func (h *hints) lockKeys(table string, items []attr.Item, said []string, why error) (attr.Schema, error) {
	if len(items) == 0 && h.needs(table) {
		return emptyKeys(said, h.tables[table].sorted), nil
	}
	var likely, possible []attr.Schema
	for name, kind := range common(items) {
		schema := attr.Schema{HashName: name, HashKind: kind}
		ids, values := h.found(name, items)
		switch {
		case kind != attr.S || isTime(items[0][name].Text) || !unique(items, schema):
		case h.needs(table) && slices.Contains(h.tables[table].owners, name):
		case ids > 0 && ids >= values: // the attribute names the account
		case values > 0 || h.isValue(name):
			likely = append(likely, schema)
			fallthrough
		default:
			possible = append(possible, schema)
		}
	}
	switch {
	case len(likely) == 1:
		return likely[0], nil
	case len(possible) == 1:
		return possible[0], nil
	}
	return attr.Schema{}, why
}

// emptyKeys returns a key schema for a table without items. Any names will do if a person gave none.
func emptyKeys(said []string, sorted bool) attr.Schema {
	if len(said) == 0 {
		said = []string{"PK", "SK"}
		if !sorted {
			said = said[:1]
		}
	}
	schema := attr.Schema{HashName: said[0], HashKind: attr.S}
	if len(said) > 1 {
		schema.RangeName, schema.RangeKind = said[1], attr.S
	}
	return schema
}

// found counts the locks whose attribute has the id of an account (ids), and the locks whose attribute has a value of
// an account (values).
func (h *hints) found(name string, items []attr.Item) (ids, values int) {
	for _, item := range items {
		text := strings.ToLower(item[name].Text)
		short := afterHash(text)
		if h.ids[text] || h.ids[short] {
			ids++
		}
		for _, known := range h.values {
			if known[text] || known[short] {
				values++
				break
			}
		}
	}
	return ids, values
}

// isValue reports whether accounts have an attribute of this name. If a sample has no lock together with its
// account, the name is the only hint.
func (h *hints) isValue(name string) bool {
	for of := range h.values {
		if strings.EqualFold(of, name) {
			return true
		}
	}
	return false
}

// isTime reports whether a text begins with a date, as times do.
func isTime(text string) bool {
	_, err := time.Parse(time.DateOnly, text[:min(len(text), len(time.DateOnly))])
	return err == nil
}

func keyNames(s attr.Schema) string {
	if s.RangeName == "" {
		return s.HashName
	}
	return s.HashName + " and " + s.RangeName
}

// noKeys returns the error for a table whose keys cannot be inferred from its export. why is the reason in
// words.
func noKeys(table, why string) error {
	return &client.Error{
		Kind:   client.Usage,
		Op:     "finding the keys of " + table + " in its export",
		Why:    why,
		Remedy: remedy.Of(remedy.NameKeys),
	}
}

// wrongKeys is like noKeys. If a person gave the keys, it asks for other keys or for another export.
func wrongKeys(table, why string, said []string) error {
	if len(said) == 0 {
		return noKeys(table, why)
	}
	return &client.Error{
		Kind: client.Usage,
		Op:   "reading the export of " + table + " by the given keys " + strings.Join(said, ", "),
		Why:  why,
		Do:   "give the keys of the table; if they are right, the export is damaged: export the table again",
	}
}
