package embedded

import "strings"

const maxOperators = 300

// tokenReader steps through the tokens of an expression. It keeps the first error
// and then sees nothing but the end: only finish looks for an error.
type tokenReader struct {
	kind      string // the parameter, for messages
	tokens    []token
	at        int
	depth     int
	operators int
	err       error
}

// fail keeps what is wrong, unless something was wrong before.
func (p *tokenReader) fail(format string, args ...any) {
	if p.err == nil {
		p.err = invalid("Invalid "+p.kind+": "+format, args...)
	}
	p.tokens, p.at = []token{{kind: tokenEnd, text: "<EOF>"}}, 0
}

func (p *tokenReader) syntax() { p.fail("Syntax error; token: %q", p.peek().text) }

// finish demands that the expression ends here.
func (p *tokenReader) finish() error {
	if p.peek().kind != tokenEnd {
		p.syntax()
	}
	return p.err
}

func (p *tokenReader) peek() token { return p.tokens[p.at] }

// ahead looks one token further than peek.
func (p *tokenReader) ahead() token { return p.tokens[min(p.at+1, len(p.tokens)-1)] }

func (p *tokenReader) next() token {
	t := p.tokens[p.at]
	if t.kind != tokenEnd {
		p.at++
	}
	return t
}

// symbol takes the symbol s if it is next.
func (p *tokenReader) symbol(s string) bool {
	if t := p.peek(); t.kind != tokenSymbol || t.text != s {
		return false
	}
	p.at++
	return true
}

func (p *tokenReader) expect(s string) {
	if !p.symbol(s) {
		p.syntax()
	}
}

// keyword takes a keyword, in any case, if it is next.
func (p *tokenReader) keyword(word string) bool {
	if t := p.peek(); t.kind != tokenWord || !strings.EqualFold(t.text, word) {
		return false
	}
	p.at++
	return true
}

// function takes the name of a function and its opening parenthesis.
func (p *tokenReader) function() (string, bool) {
	t := p.peek()
	if t.kind != tokenWord || p.ahead() != (token{tokenSymbol, "("}) {
		return "", false
	}
	p.operator()
	p.at = min(p.at+2, len(p.tokens)-1)
	return t.text, true
}

// operator counts one operator or function against the limit.
func (p *tokenReader) operator() {
	if p.operators++; p.operators > maxOperators {
		p.fail("The expression contains too many operators; operator count: %d", p.operators)
	}
}

// nest guards the parser's recursion. Its result is to be deferred.
func (p *tokenReader) nest() func() {
	if p.depth++; p.depth > maxOperators {
		p.fail("The expression is nested too deeply")
	}
	return func() { p.depth-- }
}
