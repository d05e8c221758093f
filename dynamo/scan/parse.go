package scan

import (
	"bytes"
	"encoding/base64"
	"slices"
	"strings"

	"tallylock/dynamo/attr"
)

// items parses the list of items, and notes the positions of the wanted values.
func (p *Page) items(i int) int {
	return p.elements(i, func(i int) int {
		i = p.item(i)
		p.Items++
		p.ends = append(p.ends, len(p.rest))
		return i
	})
}

// lines parses the lines of an export. The text ends at n. After an error, valid is the number of items
// before the broken line, which begins at validEnd.
func (p *Page) lines(n int) error {
	return p.eachLine(n, "a line is not an item of an export", func(i int) int {
		i = p.line(i)
		p.ends = append(p.ends, len(p.rest))
		return i
	})
}

// eachLine calls the function line with the position of each line, and counts the lines in Items.
func (p *Page) eachLine(n int, wrong string, line func(int) int) error {
	for i := space(p.body, 0); i != n; i = space(p.body, i) {
		begin := i
		if i = line(i); i == broken {
			p.valid, p.validEnd = p.Items, begin
			return errAt(begin, wrong)
		}
		p.Items++
	}
	return nil
}

// line parses {"Item":{…}}.
func (p *Page) line(i int) int {
	if i = punct(p.body, i, '{'); i == broken {
		return broken
	}
	name, i := p.name(i)
	if i == broken || name != "Item" {
		return broken
	}
	if i = p.item(i); i == broken {
		return broken
	}
	return punct(p.body, i, '}')
}

// item parses one item. Its loop is a copy of the loop in list: this saves a function call for each
// attribute.
func (p *Page) item(i int) int {
	b := p.body
	if i = punct(b, i, '{'); i == broken {
		return broken
	}
	first := len(p.spans)
	p.spans = slices.Grow(p.spans, len(p.names))[:first+len(p.names)]
	row := p.spans[first:]
	clear(row)
	if end := space(b, i); b[end] == '}' {
		return end + 1
	}
	for column := len(p.names); ; {
		if column, i = p.attribute(row, column, i); i == broken {
			return broken
		}
		if b[i] != ',' {
			if i = space(b, i); b[i] == '}' {
				return i + 1
			} else if b[i] != ',' {
				return broken
			}
		}
		i++
	}
}

// columnLead is the JSON before an attribute's text, such as "email":{"S":". Most items have the same
// attributes in the same order. So after the same column, most items continue with the same lead, and the
// lead needs no parsing. column and kind are the column and the type of the attribute.
type columnLead struct {
	text   []byte
	column int
	kind   kind
}

// leads are the leads of the attributes that may follow a column: items of several kinds have different
// attributes. next is the index of the lead that the next new lead replaces.
type leads struct {
	all  [3]columnLead
	next int
}

// attribute parses one attribute. after is the column of the previous attribute. The first result is the
// attribute's column, which is at least len(p.names) if the page does not want the attribute. The second
// result is the next position.
func (p *Page) attribute(row []span, after, i int) (int, int) {
	b, known := p.body, &p.leads[after]
	for n := range known.all {
		lead := &known.all[n]
		if len(lead.text) == 0 || !bytes.HasPrefix(b[i:], lead.text) {
			continue
		}
		start := i + len(lead.text)
		end, escaped := text(b, start)
		if end == broken || escaped || b[end+1] != '}' {
			break
		}
		if lead.column >= len(p.names) {
			return lead.column, end + 2
		}
		if row[lead.column].kind == absent {
			row[lead.column] = span{at: uint32(start), end: uint32(end), kind: lead.kind}
			return lead.column, end + 2
		}
	}
	begin := i
	name, i := p.name(i)
	if i == broken {
		return 0, broken
	}
	column := slices.Index(p.names, name)
	if column < 0 && !p.whole {
		column = p.otherColumn(name)
		return column, p.skipOther(after, column, begin, i)
	}
	s, i := p.span(i)
	switch {
	case i == broken:
		return 0, broken
	case column < 0:
		return len(p.names), p.other(name, s, i)
	case row[column].kind != absent:
		return 0, broken // duplicate attribute
	}
	row[column] = s
	known.learn(b[begin:], begin, column, s)
	return column, i
}

// learn notes the lead of an attribute, if its value is a text of the page. begin is the position of b.
func (l *leads) learn(b []byte, begin, column int, s span) {
	if s.kind != textS && s.kind != textN {
		return
	}
	lead := &l.all[l.next]
	l.next = (l.next + 1) % len(l.all)
	lead.text, lead.column, lead.kind = append(lead.text[:0], b[:int(s.at)-begin]...), column, s.kind
}

// mostOthers is the greatest number of attributes without a column that have leads.
const mostOthers = 32

// otherColumn returns a number for an attribute without a column, so that the attribute may have leads.
func (p *Page) otherColumn(name string) int {
	n := slices.Index(p.others, name)
	switch {
	case n >= 0:
		return len(p.names) + 1 + n
	case len(p.others) == mostOthers:
		return len(p.names)
	}
	p.others = append(p.others, strings.Clone(name))
	p.leads = append(p.leads, leads{})
	return len(p.leads) - 1
}

// skipOther skips the value of an attribute without a column, and returns the next position. after is the
// column of the previous attribute.
func (p *Page) skipOther(after, column, begin, i int) int {
	if s, end := p.inPage(i); end != broken {
		if column > len(p.names) {
			p.leads[after].learn(p.body[begin:], begin, column, s)
		}
		return end
	}
	plain := len(p.plain)
	i = p.skipValue(i, 0)
	p.plain, p.seen = p.plain[:plain], p.seen[:0]
	return i
}

// other keeps an attribute without a column, of a page for whole items. It returns the next position. If the
// item has the attribute twice, it returns broken.
func (p *Page) other(name string, s span, i int) int {
	first := 0
	if n := len(p.ends); n > 0 {
		first = p.ends[n-1]
	}
	for _, have := range p.rest[first:] {
		if have.name == name {
			return broken // duplicate attribute
		}
	}
	p.rest = append(p.rest, other{name, s})
	return i
}

// span parses an attribute value, {"TYPE":…}, and returns the place of the value.
func (p *Page) span(i int) (span, int) {
	if v, end := p.inPage(i); end != broken {
		return v, end
	}
	v, i := p.any(i, 0)
	if i == broken {
		return span{}, broken
	}
	switch v.Kind {
	case attr.S, attr.N, attr.B:
		at := len(p.plain)
		p.plain = append(p.plain, v.Text...)
		s := span{at: uint32(at), end: uint32(len(p.plain)), kind: plainS}
		switch v.Kind {
		case attr.N:
			s.kind = plainN
		case attr.B:
			s.kind = plainB
		}
		return s, i
	case attr.BOOL:
		if v.Bool {
			return span{kind: yes}, i
		}
		return span{kind: no}, i
	case attr.NULL:
		return span{kind: null}, i
	}
	p.nested = append(p.nested, v)
	return span{kind: nested, at: uint32(len(p.nested) - 1)}, i
}

// inPage parses an S or an N without escapes, as most values are. The text stays in p.body. For any other
// value, inPage returns broken.
func (p *Page) inPage(i int) (span, int) {
	b := p.body
	if i = punct(b, i, '{'); i == broken {
		return span{}, broken
	}
	s := span{kind: textS}
	if i = punct(b, i, '"'); i == broken || b[i+1] != '"' {
		return span{}, broken
	}
	switch b[i] {
	case 'S':
	case 'N':
		s.kind = textN
	default:
		return span{}, broken
	}
	if i = punct(b, i+2, ':'); i == broken {
		return span{}, broken
	}
	if i = punct(b, i, '"'); i == broken {
		return span{}, broken
	}
	end, escaped := text(b, i)
	if end == broken || escaped {
		return span{}, broken
	}
	s.at, s.end = uint32(i), uint32(end)
	return s, punct(b, end+1, '}')
}

// any parses an attribute value of any type: {"TYPE":…}.
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
		v.List, i = p.values(i, depth)
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

// skipValue skips an attribute value of any type. It refuses the same values as the method any, but makes no value.
func (p *Page) skipValue(i, depth int) int {
	b := p.body
	if i = punct(b, i, '{'); i == broken || depth > maxDepth {
		return broken
	}
	name, i := p.name(i)
	if i == broken {
		return broken
	}
	i = space(b, i)
	switch name {
	case "S", "N":
		i = p.skipText(i)
	case "B":
		_, i = p.base64(i)
	case "BOOL", "NULL":
		_, i = truth(b, i)
	case "SS", "NS":
		i = p.elements(i, p.skipText)
	case "BS":
		i = p.elements(i, func(i int) int { _, i = p.base64(i); return i })
	case "L":
		i = p.elements(i, func(i int) int { return p.skipValue(i, depth+1) })
	case "M":
		i = p.skipMap(i, depth)
	default:
		i = broken
	}
	if i == broken {
		return broken
	}
	return punct(b, i, '}')
}

func (p *Page) skipText(i int) int {
	_, i = p.quoted(i)
	return i
}

// fewMembers is the greatest size of a map in which a comparison of all names is the fastest search for duplicates.
const fewMembers = 16

func (p *Page) skipMap(i, depth int) int {
	first, begin, many := len(p.seen), i, false
	i = p.members(i, func(name string, i int) int {
		have := p.seen[first:]
		if many = len(have) == fewMembers; many || slices.Contains(have, name) {
			return broken
		}
		p.seen = append(p.seen, name)
		return p.skipValue(i, depth+1)
	})
	p.seen = p.seen[:first]
	if many {
		_, i = p.object(begin, depth)
	}
	return i
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

// list parses the elements between two brackets. For every element, it calls the function each with the
// element's position.
func (p *Page) list(i int, opening, closing byte, each func(int) int) int {
	b := p.body
	if i = punct(b, i, opening); i == broken {
		return broken
	}
	if end := space(b, i); b[end] == closing {
		return end + 1
	}
	for {
		if i = each(i); i == broken {
			return broken
		}
		if b[i] != ',' {
			if i = space(b, i); b[i] == closing {
				return i + 1
			} else if b[i] != ',' {
				return broken
			}
		}
		i++
	}
}

func (p *Page) elements(i int, each func(int) int) int { return p.list(i, '[', ']', each) }

func (p *Page) set(i int, member func(int) (string, int)) ([]string, int) {
	first := len(p.sets)
	i = p.elements(i, func(i int) int {
		s, i := member(i)
		p.sets = append(p.sets, s)
		return i
	})
	return p.sets[first:len(p.sets):len(p.sets)], i
}

func (p *Page) values(i, depth int) ([]attr.Value, int) {
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

// members parses an object. For every member, it calls the function each with the member's name and the
// position of its value.
func (p *Page) members(i int, each func(name string, i int) int) int {
	return p.list(i, '{', '}', func(i int) int {
		name, i := p.name(i)
		if i == broken {
			return broken
		}
		return each(name, i)
	})
}
