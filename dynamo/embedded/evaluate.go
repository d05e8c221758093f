package embedded

import (
	"slices"
	"strings"
)

type or struct{ left, right condition }

func (c or) holds(it item) bool { return c.left.holds(it) || c.right.holds(it) }

type and struct{ left, right condition }

func (c and) holds(it item) bool { return c.left.holds(it) && c.right.holds(it) }

type not struct{ condition }

func (c not) holds(it item) bool { return !c.condition.holds(it) }

// comparators says which orders satisfy a comparison.
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

// holds is false for what cannot be compared, except that a missing value, or
// one of another type, is different from any.
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
