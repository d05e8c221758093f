package scan

import (
	"encoding/base64"

	"tallylock/dynamo/attr"
)

// any parses an attribute value: {"TYPE":…}.
func (p *Page) any(i, depth int) (attr.Value, int) {
	b := p.body
	if i = punct(b, i, '{'); i == broken || depth > maxDepth {
		return attr.Value{}, broken
	}
	name, i := p.name(i)
	if i == broken {
		return attr.Value{}, broken
	}
	i = space(b, i)
	var v attr.Value
	switch name {
	case "S":
		v.Kind = attr.S
		v.Text, i = p.quoted(i)
	case "N":
		v.Kind = attr.N
		v.Text, i = p.quoted(i)
	case "B":
		v.Kind = attr.B
		v.Text, i = p.base64(i)
	case "BOOL":
		v.Kind = attr.BOOL
		v.Bool, i = truth(b, i)
	case "NULL":
		v.Kind = attr.NULL
		_, i = truth(b, i)
	case "SS":
		v.Kind = attr.SS
		v.Set, i = p.set(i, p.quoted)
	case "NS":
		v.Kind = attr.NS
		v.Set, i = p.set(i, p.quoted)
	case "BS":
		v.Kind = attr.BS
		v.Set, i = p.set(i, p.base64)
	case "L":
		v.Kind = attr.L
		v.List, i = p.list(i, depth)
	case "M":
		v.Kind = attr.M
		v.Map, i = p.object(i, depth)
	default:
		i = broken
	}
	if i == broken {
		return attr.Value{}, broken
	}
	return v, punct(b, i, '}')
}

func (p *Page) quoted(i int) (string, int) {
	if i = punct(p.body, i, '"'); i == broken {
		return "", broken
	}
	return p.text(i)
}

func (p *Page) base64(i int) (string, int) {
	s, i := p.quoted(i)
	if i == broken {
		return "", broken
	}
	at := len(p.plain)
	plain, err := base64.StdEncoding.AppendDecode(p.plain, []byte(s))
	if err != nil {
		return "", broken
	}
	p.plain = plain
	return stringOf(plain[at:]), i
}

func truth(b []byte, i int) (bool, int) {
	if b[i] == 't' {
		return true, literal(b, i, "true")
	}
	return false, literal(b, i, "false")
}

// elements calls each with the position of each element of a list.
func (p *Page) elements(i int, each func(int) int) int {
	b := p.body
	if i = punct(b, i, '['); i == broken {
		return broken
	}
	if end := space(b, i); b[end] == ']' {
		return end + 1
	}
	for {
		if i = each(i); i == broken {
			return broken
		}
		if b[i] != ',' {
			if i = space(b, i); b[i] == ']' {
				return i + 1
			} else if b[i] != ',' {
				return broken
			}
		}
		i++
	}
}

func (p *Page) set(i int, member func(int) (string, int)) ([]string, int) {
	first := len(p.sets)
	i = p.elements(i, func(i int) int {
		s, i := member(i)
		p.sets = append(p.sets, s)
		return i
	})
	return p.sets[first:len(p.sets):len(p.sets)], i
}

func (p *Page) list(i, depth int) ([]attr.Value, int) {
	list := []attr.Value{}
	i = p.elements(i, func(i int) int {
		v, i := p.any(i, depth+1)
		list = append(list, v)
		return i
	})
	return list, i
}

func (p *Page) object(i, depth int) (map[string]attr.Value, int) {
	m := map[string]attr.Value{}
	i = p.members(i, func(name string, i int) int {
		if _, twice := m[name]; twice {
			return broken
		}
		m[name], i = p.any(i, depth+1)
		return i
	})
	return m, i
}

// members calls each with the name of each member of an object, and the position of its value.
func (p *Page) members(i int, each func(name string, i int) int) int {
	b := p.body
	if i = punct(b, i, '{'); i == broken {
		return broken
	}
	if end := space(b, i); b[end] == '}' {
		return end + 1
	}
	for {
		name, at := p.name(i)
		if at == broken {
			return broken
		}
		if i = each(name, at); i == broken {
			return broken
		}
		i = space(b, i)
		switch b[i] {
		case '}':
			return i + 1
		case ',':
			i++
		default:
			return broken
		}
	}
}
