package embedded

// condition is a parsed condition, filter or key condition.
type condition interface {
	holds(it item) bool
}

// conditionParser reads conditions.
type conditionParser struct{ *parser }

// maxChoices is how many values IN may list.
const maxChoices = 100

// parseCondition reads the expression of the parameter called kind.
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

// term is what a piece of an expression may be before the parser knows: in
// "(a) = :b" the parentheses hold an operand, in "(a = :b)" a condition.
type term struct {
	condition condition
	operand   operand
	enclosed  bool // in parentheses of its own
}

func (p conditionParser) or() term {
	return p.chain("OR", p.and, func(l, r condition) condition { return or{l, r} })
}

func (p conditionParser) and() term {
	return p.chain("AND", p.not, func(l, r condition) condition { return and{l, r} })
}

// chain reads conditions joined by one operator.
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

// primary reads a condition without AND, OR and NOT, or an operand that ends
// with its parenthesis.
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

// simple reads what stands before an operator, if there is one.
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

// predicate reads the arguments of a function that is a condition by itself.
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
