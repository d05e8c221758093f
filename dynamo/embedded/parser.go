package embedded

import "strconv"

// parser reads what conditions, updates and projections are made of: paths,
// :values and the arguments of functions.
type parser struct {
	tokenReader
	subs *substitutions
	// attributes are the top-level ones that the expression looks at.
	attributes map[string]bool
}

func newParser(kind, text string, subs *substitutions) *parser {
	p := &parser{tokenReader: tokenReader{kind: kind}, subs: subs, attributes: map[string]bool{}}
	tokens, err := tokenize(text)
	if p.tokens = tokens; err != nil {
		p.fail("%s", asAPIError(err).message)
	}
	return p
}

// arguments reads a function's operands up to its closing parenthesis.
func (p *parser) arguments(name string, want int, read func() operand) []operand {
	args := []operand{}
	for !p.symbol(")") && p.err == nil {
		if len(args) > 0 {
			p.expect(",")
		}
		args = append(args, read())
	}
	if len(args) != want {
		p.fail("Incorrect number of operands for operator or function; operator or function: %s, number of operands: %d",
			name, len(args))
	}
	for len(args) < want { // so that the caller may look at them
		args = append(args, literal{})
	}
	return args
}

// literal gives the value of the :placeholder that is next.
func (p *parser) literal() literal {
	t := p.next()
	if t.kind != tokenValue {
		p.at = max(0, p.at-1)
		p.syntax()
		return literal{}
	}
	v, ok := p.subs.values[t.text]
	if !ok {
		p.fail("An expression attribute value used in expression is not defined; attribute value: %s", t.text)
	}
	p.subs.usedValues[t.text] = true
	return literal(v)
}

// path reads a document path: name.name[1].name.
func (p *parser) path() path {
	var out path
	for {
		out = append(out, step{name: p.name()})
		for p.symbol("[") {
			t := p.next()
			n, err := strconv.ParseInt(t.text, 10, 32)
			if t.kind != tokenNumber || err != nil {
				p.fail("List index is not within the allowable range; index: [%s]", t.text)
			}
			p.expect("]")
			out = append(out, step{index: int(n), isIndex: true})
		}
		if len(out) > maxDepth {
			p.fail("The document path has too many nesting elements; nesting levels: %d", len(out))
		}
		if !p.symbol(".") {
			p.attributes[out[0].name] = true
			return out
		}
	}
}

func (p *parser) name() string {
	switch t := p.peek(); t.kind {
	case tokenWord:
		if isReserved(t.text) {
			p.fail("Attribute name is a reserved keyword; reserved keyword: %s", t.text)
		}
		return p.next().text
	case tokenName:
		name, ok := p.subs.names[t.text]
		if !ok {
			p.fail("An expression attribute name used in the document path is not defined; attribute name: %s", t.text)
		}
		p.subs.usedNames[p.next().text] = true
		return name
	}
	p.syntax()
	return ""
}
