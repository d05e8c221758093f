package sql

import (
	"fmt"
	"slices"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

// stages builds the statement of items for one table, as subqueries inside each other: keys, conditions on the
// key, attributes, their texts, conditions on them with the role, and facts. An engine computes an expression
// each time it occurs. So an expression that occurs several times is a column of an earlier stage.
type stages struct {
	*Check
	at         int    // the index of the table
	fits       shared // conditions on the key
	attributes []extracted
	texts      shared // texts and lists of attributes
	judgements shared // conditions on attributes
	// guard is true for the items whose attributes the present expressions need. guards has the guard of each role.
	guard  expr
	guards map[string]expr
}

// extracted is an attribute that a stage takes from the line, as JSON.
type extracted struct {
	path   string
	guards []expr // the attribute is taken if one of them is true
}

// shared are the columns of one stage.
type shared struct {
	prefix  string
	columns []as
	known   map[string]expr
}

func sharing(prefix string) shared { return shared{prefix: prefix, known: map[string]expr{}} }

func (s *shared) column(e expr) expr {
	if e.op == "raw" {
		return e
	}
	key := fmt.Sprint(e)
	if have, ok := s.known[key]; ok {
		return have
	}
	name := fmt.Sprint(s.prefix, len(s.columns))
	s.columns = append(s.columns, as{name, e})
	s.known[key] = col(name)
	return s.known[key]
}

func newStages(c *Check, at int) *stages {
	return &stages{
		Check: c, at: at, guard: yes(), guards: map[string]expr{},
		fits: sharing("f"), texts: sharing("t"), judgements: sharing("j"),
	}
}

// keysQuery returns the first stages: the keys, the conditions on them, and the attributes with their texts.
// All expressions of later stages must have been built before.
func (s *stages) keysQuery() *query {
	schema := s.Tables[s.at].Schema
	keys := []as{{"hash", keyText(schema.HashName, schema.HashKind)}, {"sort", emptyText}}
	if schema.RangeName != "" {
		keys[1].expr = keyText(schema.RangeName, schema.RangeKind)
	}
	q := &query{all: true, columns: keys, from: from{lines: s.at + 1}}
	var attributes []as
	for n, a := range s.attributes {
		attributes = append(attributes, as{fmt.Sprint("a", n), when{or(a.guards...), fromLine("json", a.path)}.alone()})
	}
	for n, columns := range [][]as{s.fits.columns, attributes, s.texts.columns} {
		if len(columns) > 0 {
			q = &query{all: true, columns: columns, from: from{inner: q, as: fmt.Sprint("q", n)}}
		}
	}
	return q
}

// json returns an attribute as JSON, such as {"S":"text"}. It is NULL if the attribute is missing, or if no
// guard holds.
func (s *stages) json(path string) expr {
	n := slices.IndexFunc(s.attributes, func(a extracted) bool { return a.path == path })
	if n < 0 {
		n = len(s.attributes)
		s.attributes = append(s.attributes, extracted{path: path})
	}
	a := &s.attributes[n]
	if !slices.ContainsFunc(a.guards, func(g expr) bool { return fmt.Sprint(g) == fmt.Sprint(s.guard) }) {
		a.guards = append(a.guards, s.guard)
	}
	return col(fmt.Sprint("a", n))
}

// within sets the guard of the expressions that the caller builds next. The caller must call the returned
// function when it has built them.
func (s *stages) within(guard expr) func() {
	before := s.guard
	s.guard = guard
	return func() { s.guard = before }
}

// ofRole returns the guard of items that may have one of the roles.
func (s *stages) ofRole(roles ...string) expr {
	var some []expr
	for _, role := range roles {
		if g, ok := s.guards[role]; ok {
			some = append(some, g)
		}
	}
	return or(some...)
}

// attribute is true if the attribute exists. text returns the attribute's value if the attribute has this
// type, otherwise NULL.
func (s *stages) attribute(path string) expr { return exists(s.json(path)) }

func (s *stages) text(path string, kind attr.Kind) expr { return s.read("scalar", path, string(kind)) }

// read applies an SQL operation to the value of an attribute. The result is NULL if the attribute has another type than
// kind.
func (s *stages) read(operation, path, kind string) expr {
	return s.texts.column(of(operation, s.json(path), at(kind)))
}

// scalar returns the value of a string or a number. It is NULL for any other type.
func (s *stages) scalar(path string) expr {
	return of("coalesce", s.text(path, attr.S), s.text(path, attr.N))
}

// hasKind is true if the attribute is of this type.
func (s *stages) hasKind(path, kind string) expr { return exists(of("json", s.json(path), at(kind))) }

// is compares an item with the attribute that tells kinds of items apart. holds is true if the item is of
// the kind. unsure is true if SQL cannot tell.
func (s *stages) is(d layout.Discriminator) (holds, unsure expr) {
	if d.Attribute == "" {
		return yes(), no()
	}
	if d.Value == "" {
		return not(s.attribute(d.Attribute)), s.attribute(d.Attribute)
	}
	said := of("coalesce", s.scalar(d.Attribute), s.text(d.Attribute, attr.BOOL))
	return surely(eq(said, str(d.Value))), and(s.attribute(d.Attribute), isNull(said))
}

// held returns the values that an account has in an attribute. judged is true if SQL can judge every one of
// these values: all of them if exact is set, otherwise only those in ASCII.
func (s *stages) held(path string, exact bool) (values, judged expr) {
	ascii := ascii
	if exact {
		ascii = func(expr) expr { return yes() }
	}
	text, number := s.text(path, attr.S), s.text(path, attr.N)
	ss, ns, members := s.read("texts", path, "SS"), s.read("texts", path, "NS"), s.read("members", path, "L")
	values = choose(
		when{exists(text), of("list", text)},
		when{exists(number), of("list", number)},
		when{yes(), of("coalesce", ss, ns, members)},
	)
	judged = surely(choose(
		when{not(s.attribute(path)), yes()},
		when{exists(text), ascii(text)},
		when{exists(number), of("matches", number, str(wholeNumber))},
		when{exists(ss), ascii(of("all", ss))},
		when{exists(ns), of("matches", of("all", ns), str(wholeNumbers))},
		when{exists(members), and(of("whole", members), ascii(of("all", members)))},
		// A map, a BOOL or a NULL holds no protected value, so nothing is left to judge.
		when{or(s.hasKind(path, "M"), s.hasKind(path, "BOOL"), s.hasKind(path, "NULL")), yes()},
	))
	return values, s.judgements.column(judged)
}

// line is the column with one line of the export: {"Item":{…}}.
var line = col("line")

// fromLine applies an SQL operation to an attribute in the line, at the first of its places that exists.
func fromLine(operation, path string) expr {
	var all []expr
	for _, steps := range places(path) {
		all = append(all, of(operation, line, at(append([]string{"Item"}, steps...)...)))
	}
	if len(all) == 1 {
		return all[0]
	}
	return of("coalesce", all...)
}

// places lists the places in a line where an attribute may be. A path with dots has several: the dots may
// belong to the attribute's name, or separate the names of nested maps. The whole path as a name comes
// first.
func places(path string) [][]string {
	all := [][]string{{path}}
	for n := range len(path) {
		if path[n] == '.' {
			for _, rest := range places(path[n+1:]) {
				all = append(all, append([]string{path[:n], string(attr.M)}, rest...))
			}
		}
	}
	return all
}

// at builds a place inside of JSON from the names that lead to it.
func at(steps ...string) expr {
	e := expr{op: "at"}
	for _, s := range steps {
		e.args = append(e.args, str(s))
	}
	return e
}

func keyText(name string, kind attr.Kind) expr {
	return of("scalar", line, at("Item", name, string(kind)))
}
