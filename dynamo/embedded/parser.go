package embedded

import (
	"strconv"
	"strings"
)

const maxOperators = 300

// parser reads one expression, token by token. It keeps the first thing it
// finds wrong and from then on sees nothing but the end, so that only finish
// has to look for an error.
type parser struct {
	kind      string // the parameter, for messages
	tokens    []token
	at        int
	depth     int
	operators int
	subs      *substitutions
	// attributes are the top-level ones that the expression looks at.
	attributes map[string]bool
	err        error
}

func newParser(kind, text string, subs *substitutions) *parser {
	p := &parser{kind: kind, subs: subs, attributes: map[string]bool{}}
	tokens, err := tokenize(text)
	if p.tokens = tokens; err != nil {
		p.fail("%s", asAPIError(err).message)
	}
	return p
}

// fail keeps what is wrong, unless something was wrong before.
func (p *parser) fail(format string, args ...any) {
	if p.err == nil {
		p.err = invalid("Invalid "+p.kind+": "+format, args...)
	}
	p.tokens, p.at = []token{{kind: tokenEnd, text: "<EOF>"}}, 0
}

func (p *parser) syntax() { p.fail("Syntax error; token: %q", p.peek().text) }

// finish demands that the expression ends here.
func (p *parser) finish() error {
	if p.peek().kind != tokenEnd {
		p.syntax()
	}
	return p.err
}

func (p *parser) peek() token { return p.tokens[p.at] }

// ahead looks one token further than peek.
func (p *parser) ahead() token { return p.tokens[min(p.at+1, len(p.tokens)-1)] }

func (p *parser) next() token {
	t := p.tokens[p.at]
	if t.kind != tokenEnd {
		p.at++
	}
	return t
}

// symbol takes the symbol s if it is next.
func (p *parser) symbol(s string) bool {
	if t := p.peek(); t.kind != tokenSymbol || t.text != s {
		return false
	}
	p.at++
	return true
}

func (p *parser) expect(s string) {
	if !p.symbol(s) {
		p.syntax()
	}
}

// keyword takes a keyword, in any case, if it is next.
func (p *parser) keyword(word string) bool {
	if t := p.peek(); t.kind != tokenWord || !strings.EqualFold(t.text, word) {
		return false
	}
	p.at++
	return true
}

// function takes the name of a function and its opening parenthesis.
func (p *parser) function() (string, bool) {
	t := p.peek()
	if t.kind != tokenWord || p.ahead() != (token{tokenSymbol, "("}) {
		return "", false
	}
	p.operator()
	p.at = min(p.at+2, len(p.tokens)-1)
	return t.text, true
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
		p.fail("Incorrect number of operands for operator or function; operator or function: %s, number of operands: %d", name, len(args))
	}
	for len(args) < want { // so that the caller may look at them
		args = append(args, literal{})
	}
	return args
}

// operator counts one operator or function against the limit.
func (p *parser) operator() {
	if p.operators++; p.operators > maxOperators {
		p.fail("The expression contains too many operators; operator count: %d", p.operators)
	}
}

// nest guards the parser's recursion. Its result is to be deferred.
func (p *parser) nest() func() {
	if p.depth++; p.depth > maxOperators {
		p.fail("The expression is nested too deeply")
	}
	return func() { p.depth-- }
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

// path reads a document path: name.name[1].name
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
