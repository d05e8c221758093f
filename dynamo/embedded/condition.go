package embedded

import (
	"slices"
	"strconv"
	"strings"
)

// condition is a parsed condition, filter or key condition.
type condition interface {
	holds(it item) bool
}

type conditionParser struct{ *parser }

// maxChoices is the greatest number of values that IN may list.
const maxChoices = 100

// parseCondition parses a condition. kind is the name of the request's parameter, such as FilterExpression.
func parseCondition(kind, text string, subs *substitutions) (condition, error) {
	return conditionParser{newParser(kind, text, subs)}.condition()
}

func (p conditionParser) condition() (condition, error) {
	t := p.or()
	if t.condition == nil {
		p.syntax()
	}
	return t.condition, p.finish()
}

// term is a condition or an operand. At an opening parenthesis the parser cannot tell which of the two
// follows: "(a) = :b" encloses an operand, "(a = :b)" encloses a condition.
type term struct {
	condition condition
	operand   operand
	enclosed  bool // in parentheses
}

func (p conditionParser) or() term {
	return p.chain("OR", p.and, func(l, r condition) condition { return or{l, r} })
}

func (p conditionParser) and() term {
	return p.chain("AND", p.not, func(l, r condition) condition { return and{l, r} })
}

// chain parses one or more conditions with the same operator between them.
func (p conditionParser) chain(word string, part func() term, join func(l, r condition) condition) term {
	left := part()
	for left.condition != nil && p.keyword(word) {
		p.operator()
		right := part()
		if right.condition == nil {
			p.syntax()
		}
		left = term{condition: join(left.condition, right.condition)}
	}
	return left
}

func (p conditionParser) not() term {
	defer p.nest()()
	if !p.keyword("NOT") {
		return p.primary()
	}
	p.operator()
	t := p.not()
	if t.condition == nil {
		p.syntax()
	}
	return term{condition: not{t.condition}}
}

// primary parses a condition without AND, OR and NOT. Before a closing parenthesis, it may also return an
// operand.
func (p conditionParser) primary() term {
	left := p.simple()
	if left.condition != nil {
		return left
	}
	operator := p.peek()
	switch {
	case operator.kind == tokenSymbol && comparators[operator.text] != nil:
		p.next()
		return term{condition: p.compare(operator.text, left.operand)}
	case p.keyword("BETWEEN"):
		return term{condition: p.between(left.operand)}
	case p.keyword("IN"):
		return term{condition: p.in(left.operand)}
	case operator.text != ")":
		p.syntax()
	}
	return left
}

// simple parses an operand, a function that is a condition, or a term in parentheses.
func (p conditionParser) simple() term {
	if p.symbol("(") {
		t := p.or()
		if t.enclosed {
			p.fail("The expression has redundant parentheses;")
		}
		t.enclosed = true
		p.expect(")")
		return t
	}
	if p.peek().kind == tokenWord && p.peek().text != "size" {
		if name, ok := p.function(); ok {
			return term{condition: p.predicate(name)}
		}
	}
	return term{operand: p.operand()}
}

func (p conditionParser) compare(operator string, left operand) condition {
	p.operator()
	right := p.enclosable()
	if operator != "=" && operator != "<>" {
		p.literals(operator, kind.isScalar, left, right)
	}
	p.distinct(operator, left, right)
	return comparison{operator, left, right}
}

func (p conditionParser) between(of operand) condition {
	p.operator()
	low := p.enclosable()
	if !p.keyword("AND") {
		p.syntax()
	}
	high := p.enclosable()
	p.literals("BETWEEN", kind.isScalar, of, low, high)
	p.distinct("BETWEEN", of, low, high)
	l, isLiteral := low.(literal)
	h, both := high.(literal)
	if isLiteral && both {
		if order, comparable := compare(value(l), value(h)); !comparable {
			p.fail(
				"The BETWEEN operator requires same data type for lower and upper bounds; lower bound operand: %s, upper bound operand: %s",
				l.kind, h.kind,
			)
		} else if order > 0 {
			p.fail("The BETWEEN operator requires upper bound to be greater than or equal to lower bound")
		}
	}
	return between{of, low, high}
}

func (p conditionParser) in(of operand) condition {
	p.operator()
	p.expect("(")
	choices := []operand{p.enclosable()}
	for p.symbol(",") {
		choices = append(choices, p.enclosable())
	}
	p.expect(")")
	if len(choices) > maxChoices {
		p.fail("Incorrect number of operands for operator or function; operator: IN, number of operands: %d", len(choices))
	}
	p.distinct("IN", of, choices...)
	return in{of, choices}
}

// predicate parses a function that is a condition, such as attribute_exists(…).
func (p conditionParser) predicate(name string) condition {
	switch name {
	case "attribute_exists":
		return exists{p.document(name, p.arguments(name, 1, p.enclosable)[0])}
	case "attribute_not_exists":
		return not{exists{p.document(name, p.arguments(name, 1, p.enclosable)[0])}}
	case "attribute_type":
		args := p.arguments(name, 2, p.enclosable)
		l, ok := args[1].(literal)
		if !ok || l.kind != kindS || kindOf(l.text) == kindNone {
			p.fail("Invalid attribute type name found; type: %s, valid types: {B,NULL,SS,BOOL,L,BS,N,NS,S,M}", l.text)
		}
		return hasType{p.document(name, args[0]), kindOf(l.text)}
	case "begins_with":
		args := p.arguments(name, 2, p.enclosable)
		p.literals(name, func(k kind) bool { return k == kindS || k == kindB }, args...)
		p.distinct(name, args[0], args[1])
		return beginsWith{args[0], args[1]}
	case "contains":
		args := p.arguments(name, 2, p.enclosable)
		p.literals(name, func(k kind) bool { return k == kindS || k == kindB || k == kindL || k.isSet() }, args[0])
		p.distinct(name, args[0], args[1])
		return contains{args[0], args[1]}
	}
	p.fail("Invalid function name; function: %s", name)
	return nil
}

// operand is one side of a comparison, or the right side of SET: a path, a literal or a function.
type operand interface {
	// value returns the operand's value for an item. It returns an error if there is no such value.
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

// operand parses a path, a :value or size(…).
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

// enclosable parses an operand, with or without parentheses.
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

// literals refuses an operand that is a literal of a wrong kind.
func (p *parser) literals(operator string, fits func(kind) bool, operands ...operand) {
	for _, o := range operands {
		if l, ok := o.(literal); ok && !fits(l.kind) {
			p.fail("Incorrect operand type for operator or function; operator or function: %s, operand type: %s", operator,
				l.kind)
		}
	}
}

// document returns the operand as a path. An operand of another type is an error.
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

type or struct{ left, right condition }

func (c or) holds(it item) bool { return c.left.holds(it) || c.right.holds(it) }

type and struct{ left, right condition }

func (c and) holds(it item) bool { return c.left.holds(it) && c.right.holds(it) }

type not struct{ condition }

func (c not) holds(it item) bool { return !c.condition.holds(it) }

// comparators maps each operator to a test of the result of compare.
var comparators = map[string]func(order int) bool{
	"=":  func(order int) bool { return order == 0 },
	"<>": func(order int) bool { return order != 0 },
	"<":  func(order int) bool { return order < 0 },
	"<=": func(order int) bool { return order <= 0 },
	">":  func(order int) bool { return order > 0 },
	">=": func(order int) bool { return order >= 0 },
}

type comparison struct {
	operator    string
	left, right operand
}

// holds reports whether the comparison is true. A missing value differs from every value, and so does a
// value of another type. With such a value only <> is true.
func (c comparison) holds(it item) bool {
	a, errA := c.left.value(it)
	b, errB := c.right.value(it)
	both := errA == nil && errB == nil
	switch c.operator {
	case "=":
		return both && equal(a, b)
	case "<>":
		return !both || !equal(a, b)
	}
	order, comparable := compare(a, b)
	return both && comparable && comparators[c.operator](order)
}

type between struct{ of, low, high operand }

func (c between) holds(it item) bool {
	return comparison{">=", c.of, c.low}.holds(it) && comparison{"<=", c.of, c.high}.holds(it)
}

type in struct {
	of      operand
	choices []operand
}

func (c in) holds(it item) bool {
	return slices.ContainsFunc(c.choices, func(o operand) bool { return comparison{"=", c.of, o}.holds(it) })
}

type exists struct{ path path }

func (c exists) holds(it item) bool {
	_, ok := c.path.find(it)
	return ok
}

type hasType struct {
	path path
	kind kind
}

func (c hasType) holds(it item) bool {
	v, ok := c.path.find(it)
	return ok && v.kind == c.kind
}

type beginsWith struct{ of, prefix operand }

func (c beginsWith) holds(it item) bool {
	v, err := c.of.value(it)
	prefix, errPrefix := c.prefix.value(it)
	text := v.kind == kindS || v.kind == kindB
	return err == nil && errPrefix == nil && text && v.kind == prefix.kind && strings.HasPrefix(v.text, prefix.text)
}

type contains struct{ of, part operand }

func (c contains) holds(it item) bool {
	v, err := c.of.value(it)
	part, errPart := c.part.value(it)
	if err != nil || errPart != nil {
		return false
	}
	switch {
	case v.kind == kindS || v.kind == kindB:
		return part.kind == v.kind && strings.Contains(v.text, part.text)
	case v.kind == kindL || v.kind.isSet():
		return slices.ContainsFunc(v.list, func(e value) bool { return equal(e, part) })
	}
	return false
}
