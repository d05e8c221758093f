package sql

import (
	"regexp"
	"slices"
	"unicode/utf8"

	"tallylock/dynamo/layout"
)

// variables are what the variables of templates stand for.
type variables map[string]expr

// render writes the key that a template makes. It is NULL where a variable is.
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

// match is how a text is read by a template: whether it fits, what its variables are, and
// what has to be so besides. Where it fits and that is not so, SQL does not tell: a layout
// tries other ways to read the text.
type match struct {
	fits   expr
	vars   variables
	likely expr
}

// read reads a text by a template. Variables that are bound already have to be the same.
func read(t layout.Template, text expr, bound variables) match {
	m := match{fits: yes(), vars: variables{}, likely: yes()}
	parts := t.Pieces()
	switch {
	case len(parts) == 0 || len(parts) == 1 && parts[0].Literal != "":
		m.fits = eq(text, str(t.Prefix()))
	case len(parts) == 1 && parts[0].Variable != "":
		m.fits = of("<>", text, str(""))
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

// anyText begins a pattern: a dot is any character there, and the pattern one of the whole.
const anyText = `(?s)\A`

// pattern reads a text by a regular expression: the value takes all that it can, and other
// variables end as soon as they can.
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
	m.fits = of("matches", text, str(pattern))
	if len(groups) > mostGroups {
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
			for name, e := range bound {
				all[name] = e
			}
			for name, e := range m.vars {
				all[name] = e
			}
			m.likely = and(m.likely, eq(of("take", text, str(pattern), num(n+1)), of("words", of("bytes", render(*p.Length, all)))))
		}
	}
}

// mostGroups is how many groups of a pattern engines give back.
const mostGroups = 9

// manyGroups reports whether a template's pattern has more.
func manyGroups(t layout.Template) bool {
	n := 0
	for _, p := range t.Pieces() {
		if p.Literal == "" {
			n++
		}
	}
	return n > mostGroups
}

// bind has a variable stand for a text.
func (m *match) bind(name string, text expr, bound variables) {
	for _, have := range []variables{bound, m.vars} {
		if e, ok := have[name]; ok {
			m.likely = and(m.likely, eq(e, text))
			return
		}
	}
	m.vars[name] = text
}

// readKey reads a key by its templates.
func readKey(pk, sk layout.Template, sorted bool, hash, sort expr) match {
	m := read(pk, hash, nil)
	if !sorted {
		return m
	}
	bound := variables{layout.HashVariable: hash}
	for name, e := range m.vars {
		bound[name] = e
	}
	if sk.String() == "{"+layout.HashVariable+"}" {
		m.fits = and(m.fits, eq(sort, hash))
		return m
	}
	of := read(sk, sort, bound)
	m.fits, m.likely = and(m.fits, of.fits), and(m.likely, of.likely)
	for name, e := range of.vars {
		m.vars[name] = e
	}
	return m
}

// unreadable says of templates why SQL cannot tell whether a key that they make reads back
// as what it was made of; empty where it can.
func unreadable(pk, sk layout.Template) string {
	for _, t := range []layout.Template{pk, sk} {
		if manyGroups(t) {
			return t.String() + " has more variables than SQL takes out of a text"
		}
		computed, said := false, t.Variables()
		for _, p := range t.Pieces() {
			computed = computed || p.Digest != nil || p.Length != nil
		}
		for n, name := range said {
			switch {
			case slices.Contains(said[:n], name):
				return "{" + name + "} stands twice in " + t.String()
			case computed && name != layout.ValueVariable:
				return t.String() + " has functions, and variables besides {v}"
			case name == layout.HashVariable && len(t.Pieces()) > 1:
				return t.String() + " repeats the partition key beside something else"
			}
		}
	}
	return ""
}

// readable is when the key that a template makes reads back as its variables: each ends
// where the text after it stands for the first time, and the value where it does for the
// last.
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

// loose is a pattern of a template in which variables may be empty.
func loose(t layout.Template) string {
	pattern := anyText
	for _, p := range t.Pieces() {
		if p.Variable != "" {
			pattern += `.*`
		} else {
			pattern += regexp.QuoteMeta(p.Literal)
		}
	}
	return pattern + `\z`
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
