package embedded

import "slices"

// sum is a + b or a - b.
type sum struct {
	left, right operand
	subtract    bool
}

type ifNotExists struct {
	path     path
	fallback operand
}

type listAppend struct{ first, second operand }

// both evaluates two operands that have to be of one kind.
func both(first, second operand, k kind, it item) (a, b value, err error) {
	if a, err = first.value(it); err == nil {
		b, err = second.value(it)
	}
	if err == nil && (a.kind != k || b.kind != k) {
		err = errOperandType
	}
	return a, b, err
}

func (s sum) value(it item) (value, error) {
	a, b, err := both(s.left, s.right, kindN, it)
	if err != nil {
		return value{}, err
	}
	text, err := addNumbers(a.text, b.text, s.subtract)
	return value{kind: kindN, text: text}, err
}

func (f ifNotExists) value(it item) (value, error) {
	if v, ok := f.path.find(it); ok {
		return v, nil
	}
	return f.fallback.value(it)
}

func (l listAppend) value(it item) (value, error) {
	a, b, err := both(l.first, l.second, kindL, it)
	return value{kind: kindL, list: slices.Concat(a.list, b.list)}, err
}

// sum reads what SET assigns: an operand, or two joined by + or -.
func (p updateParser) sum() operand {
	left := p.source()
	operator := p.peek().text
	if !p.symbol("+") && !p.symbol("-") {
		return left
	}
	p.operator()
	right := p.source()
	p.literals(operator, func(k kind) bool { return k == kindN }, left, right)
	return sum{left, right, operator == "-"}
}

// source reads one operand of SET.
func (p updateParser) source() operand {
	defer p.nest()()
	if p.symbol("(") {
		o := p.sum()
		p.expect(")")
		return o
	}
	if p.peek().kind == tokenValue {
		return p.literal()
	}
	name, ok := p.function()
	switch {
	case !ok:
		return p.path()
	case name == "if_not_exists":
		args := p.arguments(name, 2, p.source)
		return ifNotExists{p.document(name, args[0]), args[1]}
	case name == "list_append":
		args := p.arguments(name, 2, p.source)
		p.literals(name, func(k kind) bool { return k == kindL }, args...)
		return listAppend{args[0], args[1]}
	}
	p.fail("Invalid function name; function: %s", name)
	return literal{}
}
