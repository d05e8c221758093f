package embedded

import (
	"slices"
	"strconv"
)

// operand is what a condition compares or SET assigns: a path, a literal or a
// function of others.
type operand interface {
	// value gives the operand's value for an item, or why it has none.
	value(it item) (value, error)
}

var (
	errMissing     = invalid("The provided expression refers to an attribute that does not exist in the item")
	errOperandType = invalid("An operand in the update expression has an incorrect data type")
)

type literal value

func (l literal) value(item) (value, error) { return value(l), nil }

func (p path) value(it item) (value, error) {
	v, ok := p.find(it)
	if !ok {
		return v, errMissing
	}
	return v, nil
}

// sizeOf is size(operand).
type sizeOf struct{ of operand }

func (s sizeOf) value(it item) (value, error) {
	v, err := s.of.value(it)
	if err != nil {
		return value{}, err
	}
	n := 0
	switch v.kind {
	case kindS, kindB:
		n = len(v.text)
	case kindM:
		n = len(v.m)
	case kindL, kindSS, kindNS, kindBS:
		n = len(v.list)
	default:
		return value{}, errOperandType
	}
	return value{kind: kindN, text: strconv.Itoa(n)}, nil
}

// operand reads a path, a :value or size(…).
func (p *parser) operand() operand {
	if p.peek().kind == tokenValue {
		return p.literal()
	}
	name, ok := p.function()
	if !ok {
		return p.path()
	}
	if name != "size" {
		p.fail("The function is not allowed to be used this way in an expression; function: %s", name)
	}
	of := p.arguments(name, 1, p.enclosable)[0]
	if _, again := of.(sizeOf); again {
		p.fail("The function is not allowed to be used this way in an expression; function: size")
	}
	p.literals(name, func(k kind) bool { return k != kindN && k != kindBool && k != kindNull }, of)
	return sizeOf{of}
}

// enclosable reads an operand that may stand in parentheses.
func (p *parser) enclosable() operand {
	defer p.nest()()
	if !p.symbol("(") {
		return p.operand()
	}
	if p.peek().text == "(" {
		p.fail("The expression has redundant parentheses;")
	}
	o := p.enclosable()
	p.expect(")")
	return o
}

// literals refuses those of the operands that are literals of a wrong kind.
func (p *parser) literals(operator string, fits func(kind) bool, operands ...operand) {
	for _, o := range operands {
		if l, ok := o.(literal); ok && !fits(l.kind) {
			p.fail("Incorrect operand type for operator or function; operator or function: %s, operand type: %s", operator,
				l.kind)
		}
	}
}

// document gives an operand as the path that it has to be.
func (p *parser) document(operator string, o operand) path {
	document, ok := o.(path)
	if !ok {
		p.fail("Operator or function requires a document path; operator or function: %s", operator)
	}
	return document
}

// distinct refuses to compare a path with itself.
func (p *parser) distinct(operator string, first operand, others ...operand) {
	a, ok := first.(path)
	if !ok {
		return
	}
	for _, o := range others {
		if b, ok := o.(path); ok && slices.Equal(a, b) {
			p.fail(
				"The first operand must be distinct from the remaining operands for this operator or function; operator: %s, first operand: [%s]",
				operator, a,
			)
		}
	}
}
