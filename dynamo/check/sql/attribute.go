package sql

import (
	"slices"

	"tallylock/dynamo/attr"
	"tallylock/dynamo/layout"
)

// line is a line of the export, which has an item: {"Item":{…}}.
var line = col("line")

// places returns where an attribute may be in a line: a name with dots may be one attribute,
// which comes first, or a path of maps.
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

// reads applies an operation to an attribute at the first of its places where there is
// anything, of whatever type.
func reads(operation, path string, below ...string) expr {
	all := places(path)
	if len(all) == 1 {
		return of(operation, line, at(all[0], below...))
	}
	var cases []when
	for _, steps := range all {
		cases = append(cases, when{exists(of("json", line, at(steps))), of(operation, line, at(steps, below...))})
	}
	return choose(cases...)
}

// at is a place in a line, and what is below it.
func at(steps []string, below ...string) expr {
	e := expr{op: "at", args: []expr{str("Item")}}
	for _, s := range slices.Concat(steps, below) {
		e.args = append(e.args, str(s))
	}
	return e
}

// attribute tests whether an attribute exists; text is its value if it has one type.
func attribute(path string) expr { return exists(reads("json", path)) }

func text(path string, kind attr.Kind) expr { return reads("scalar", path, string(kind)) }

// scalar is a text or a number; NULL for anything else.
func scalar(path string) expr { return of("coalesce", text(path, attr.S), text(path, attr.N)) }

func ascii(e expr) expr { return of("ascii", e) }

// A whole number as DynamoDB writes it. Other numbers may be written in several ways.
const (
	wholeNumber  = `\A(0|-?[1-9][0-9]{0,37})\z`
	wholeNumbers = `\A(0|-?[1-9][0-9]{0,37})(,(0|-?[1-9][0-9]{0,37}))*\z`
)

// held returns the values that an account holds in an attribute, and whether SQL can judge
// all of them.
func held(path string) (values, judged expr) {
	s, n := text(path, attr.S), text(path, attr.N)
	ss, ns, members := reads("texts", path, "SS"), reads("texts", path, "NS"), reads("members", path, "L")
	values = choose(
		when{exists(s), of("list", s)},
		when{exists(n), of("list", n)},
		when{exists(reads("json", path, "SS")), ss},
		when{exists(reads("json", path, "NS")), ns},
		when{exists(reads("json", path, "L")), members},
	)
	judged = surely(choose(
		when{not(attribute(path)), yes()},
		when{exists(s), ascii(s)},
		when{exists(n), of("matches", n, str(wholeNumber))},
		when{exists(reads("json", path, "SS")), ascii(of("all", ss))},
		when{exists(reads("json", path, "NS")), of("matches", of("all", ns), str(wholeNumbers))},
		when{exists(reads("json", path, "L")), and(of("whole", members), ascii(of("all", members)))},
		// A map, or an empty attribute, holds no values.
		when{
			or(exists(reads("json", path, "M")), exists(reads("json", path, "BOOL")), exists(reads("json", path, "NULL"))),
			yes(),
		},
	))
	return values, judged
}

// is tests whether an item's attribute makes it of a kind; unsure if SQL cannot tell.
func is(d layout.Discriminator) (holds, unsure expr) {
	if d.Attribute == "" {
		return yes(), no()
	}
	if d.Value == "" {
		return not(attribute(d.Attribute)), attribute(d.Attribute)
	}
	said := of("coalesce", scalar(d.Attribute), text(d.Attribute, attr.BOOL))
	return surely(eq(said, str(d.Value))), and(attribute(d.Attribute), isNull(said))
}

// keyText is a part of an item's key.
func keyText(name string, kind attr.Kind) expr { return text(name, kind) }

// kept is what a check needs of an item in order to judge it: the attributes that it reads,
// as DynamoDB JSON.
func kept(names []string) expr {
	var all []expr
	for _, name := range names {
		w := of("written", line, expr{op: "at", args: []expr{str("Item"), str(name)}})
		all = append(all, join(str(jsonText(name)+":"), w))
	}
	return join(str("{"), of("concat_ws", append([]expr{str(",")}, all...)...), str("}"))
}
