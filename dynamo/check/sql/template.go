package sql

import (
	"maps"
	"regexp"
	"slices"
	"unicode/utf8"

	"tallylock/dynamo/layout"
)

// variables maps the names of variables to SQL expressions.
type variables map[string]expr

// render makes a key from variables. The key is NULL if a variable is NULL.
func render(t layout.Template, vars variables) expr {
	var all []expr
	for _, p := range t.Pieces() {
		switch {
		case p.Digest != nil:
			all = append(all, of("sha256", render(*p.Digest, vars)))
		case p.Length != nil:
			all = append(all, of("words", of("bytes", render(*p.Length, vars))))
		case p.Variable != "":
			all = append(all, vars[p.Variable])
		default:
			all = append(all, str(p.Literal))
		}
	}
	return join(all...)
}

// match is the result of matching a text with a template. fits is true if the text fits. vars has the
// text's variables. If fits is true but likely is false, SQL cannot judge the text: Template.parse may read
// it in another way.
type match struct {
	fits   expr
	vars   variables
	likely expr
}

// read matches a text with a template. bound has variables that are already known. If the text has such a
// variable, it must have the known value.
func read(t layout.Template, text expr, bound variables) match {
	m := match{fits: yes(), vars: variables{}, likely: yes()}
	parts := t.Pieces()
	switch {
	case len(parts) == 0 || len(parts) == 1 && parts[0].Literal != "":
		m.fits = eq(text, str(t.Prefix()))
	case len(parts) == 1 && parts[0].Variable != "":
		m.fits = of("<>", text, str(""))
		if parts[0].Variable == layout.IDVariable { // an {id} that is the whole template has no #
			m.fits = and(m.fits, eq(of("strpos", text, str("#")), num(0)))
		}
		m.bind(parts[0].Variable, text, bound)
	case len(parts) == 2 && parts[0].Literal != "" && parts[1].Variable != "":
		n := utf8.RuneCountInString(parts[0].Literal)
		m.fits = and(of("starts_with", text, str(parts[0].Literal)), of(">", of("length", text), num(n)))
		m.bind(parts[1].Variable, of("before", text, num(n+1)), bound)
	default:
		m.pattern(parts, text, bound)
	}
	return m
}

// anyText begins a pattern that must match the whole text. In it, a dot also matches a line end.
const anyText = `(?s)\A`

// pattern matches a text with a regular expression. As in Template.parse, the value takes as much text as
// possible, and other variables as little as possible.
func (m *match) pattern(parts []layout.Piece, text expr, bound variables) {
	pattern, groups := anyText, []layout.Piece{}
	for n, p := range parts {
		switch {
		case p.Digest != nil:
			pattern += `([0-9a-f]{64})`
		case p.Length != nil:
			pattern += `([0-9]+)`
		case p.Variable == layout.ValueVariable || n == len(parts)-1 && p.Variable != "":
			pattern += `(.+)`
		case p.Variable != "":
			pattern += `(.+?)`
		default:
			pattern += regexp.QuoteMeta(p.Literal)
			continue
		}
		groups = append(groups, p)
	}
	pattern += `\z`
	m.fits = quickly(parts, text, of("matches", text, str(pattern)))
	if len(groups) > maxGroups {
		m.likely = no()
		for _, p := range groups {
			m.vars[p.Variable] = noText
		}
		return
	}
	for n, p := range groups {
		if p.Length == nil {
			name := p.Variable
			if p.Digest != nil {
				name = layout.ValueVariable
			}
			m.bind(name, of("take", text, str(pattern), num(n+1)), bound)
		}
	}
	for n, p := range groups {
		if p.Length != nil {
			all := variables{}
			maps.Copy(all, bound)
			maps.Copy(all, m.vars)
			m.likely = and(m.likely,
				eq(of("take", text, str(pattern), num(n+1)), of("words", of("bytes", render(*p.Length, all)))))
		}
	}
}

// maxGroups is the greatest number of groups in a pattern that every engine can return.
const maxGroups = 9

// manyGroups reports whether a template has too many variables for one pattern.
func manyGroups(t layout.Template) bool {
	n := 0
	for _, p := range t.Pieces() {
		if p.Literal == "" {
			n++
		}
	}
	return n > maxGroups
}

// bind binds a variable to text. If the variable is bound already, both texts must be equal.
func (m *match) bind(name string, text expr, bound variables) {
	for _, have := range []variables{bound, m.vars} {
		if e, ok := have[name]; ok {
			m.likely = and(m.likely, eq(e, text))
			return
		}
	}
	m.vars[name] = text
}

// readKey matches a key with the templates of its parts.
func readKey(pk, sk layout.Template, sorted bool, hash, sort expr) match {
	m := read(pk, hash, nil)
	if !sorted {
		return m
	}
	bound := variables{layout.HashVariable: hash}
	maps.Copy(bound, m.vars)
	if sk.String() == "{"+layout.HashVariable+"}" {
		m.fits = and(m.fits, eq(sort, hash))
		return m
	}
	of := read(sk, sort, bound)
	m.fits, m.likely = and(m.fits, of.fits), and(m.likely, of.likely)
	maps.Copy(m.vars, of.vars)
	return m
}

// unreadable explains why SQL cannot tell whether a key of these templates parses back into its variables.
// It is empty if SQL can tell.
func unreadable(pk, sk layout.Template) string {
	for _, t := range []layout.Template{pk, sk} {
		if manyGroups(t) {
			return t.String() + " has more variables than SQL can read from a text"
		}
		computed, said := false, t.Variables()
		for _, p := range t.Pieces() {
			computed = computed || p.Digest != nil || p.Length != nil
		}
		for n, name := range said {
			switch {
			case slices.Contains(said[:n], name):
				return "{" + name + "} occurs twice in " + t.String()
			case computed && name != layout.ValueVariable:
				return t.String() + " has functions, and variables besides {v}"
			case name == layout.HashVariable && len(t.Pieces()) > 1:
				return t.String() + " contains the partition key again, and something else"
			}
		}
	}
	return ""
}

// readable is true if a key that the template renders parses back into the same variables. Template.parse
// ends a variable where the next literal of the template occurs: {v} at the last such place, any other
// variable at the first.
func readable(t layout.Template, vars variables) expr {
	parts, sure := t.Pieces(), yes()
	for n, p := range parts {
		if p.Variable == "" || n+1 == len(parts) {
			continue
		}
		end := str(parts[n+1].Literal)
		if p.Variable != layout.ValueVariable {
			v := vars[p.Variable]
			sure = and(sure, eq(of("strpos", join(v, end), end), of("+", of("length", v), num(1))))
			continue
		}
		var rest []expr
		for _, q := range parts[n+1:] {
			if q.Variable == "" {
				rest = append(rest, str(q.Literal))
			} else {
				rest = append(rest, vars[q.Variable])
			}
		}
		sure = and(sure, eq(of("strpos", of("before", join(rest...), num(2)), end), num(0)))
	}
	return sure
}

// loose matches a text with a template whose variables may be empty.
func loose(t layout.Template, text expr) expr {
	parts := t.Pieces()
	if len(parts) > 0 && parts[0].Literal != "" {
		switch {
		case len(parts) == 1:
			return eq(text, str(parts[0].Literal))
		case len(parts) == 2:
			return of("starts_with", text, str(parts[0].Literal))
		}
	}
	pattern := anyText
	for _, p := range parts {
		if p.Variable != "" {
			pattern += `.*`
		} else {
			pattern += regexp.QuoteMeta(p.Literal)
		}
	}
	return quickly(parts, text, of("matches", text, str(pattern+`\z`)))
}

// quickly adds a condition that an engine tests faster than a pattern.
func quickly(parts []layout.Piece, text, matches expr) expr {
	if len(parts) > 0 && parts[0].Literal != "" {
		return and(of("starts_with", text, str(parts[0].Literal)), matches)
	}
	return matches
}

func computed(t layout.Template) bool {
	return slices.ContainsFunc(t.Pieces(), func(p layout.Piece) bool { return p.Digest != nil || p.Length != nil })
}

func literals(t layout.Template) (all string) {
	for _, p := range t.Pieces() {
		all += p.Literal
	}
	return all
}
