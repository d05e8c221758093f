package embedded

import (
	"cmp"
	"slices"
	"strings"
)

// update is a parsed UpdateExpression.
type update struct {
	actions []updateAction // in the order in which they are applied
	targets pathTree
}

// updateAction is one "path = value" of SET, or one path of ADD, DELETE or REMOVE.
type updateAction struct {
	clause clause
	target path
	source operand // nil for REMOVE
}

type clause int

const (
	clauseSet clause = iota
	clauseAdd
	clauseDelete
	clauseRemove
)

func (c clause) String() string { return [...]string{"SET", "ADD", "DELETE", "REMOVE"}[c] }

type updateParser struct{ *parser }

func parseUpdate(text string, subs *substitutions) (*update, error) {
	p := updateParser{newParser("UpdateExpression", text, subs)}
	u := &update{}
	seen := map[clause]bool{}
	for p.peek().kind != tokenEnd {
		c, ok := p.clause()
		if !ok {
			p.syntax()
		} else if seen[c] {
			p.fail("The %q section can only be used once in an update expression;", c)
		}
		seen[c] = true
		for first := true; first || p.symbol(","); first = false {
			u.actions = append(u.actions, p.action(c, &u.targets))
		}
	}
	u.order()
	return u, p.finish()
}

func (p updateParser) clause() (clause, bool) {
	for c := clauseSet; c <= clauseRemove; c++ {
		if p.keyword(c.String()) {
			return c, true
		}
	}
	return 0, false
}

func (p updateParser) action(c clause, targets *pathTree) updateAction {
	p.operator()
	a := updateAction{clause: c, target: p.target(targets)}
	switch c {
	case clauseSet:
		p.expect("=")
		a.source = p.sum()
	case clauseAdd, clauseDelete:
		a.source = p.literal()
		p.literals(c.String(), func(k kind) bool { return k.isSet() || c == clauseAdd && k == kindN }, a.source)
	}
	return a
}

// order sorts the actions. A list index counts in the list before the update, so no action may move the
// elements of a later action. SET actions come first, and go from the start of a list to its end. REMOVE
// actions come last, and go from the end to the start.
func (u *update) order() {
	slices.SortStableFunc(u.actions, func(a, b updateAction) int {
		if c := cmp.Compare(a.clause, b.clause); c != 0 {
			return c
		}
		if a.clause == clauseRemove {
			a, b = b, a
		}
		return slices.CompareFunc(a.target, b.target, func(s, t step) int {
			return cmp.Or(strings.Compare(s.name, t.name), s.index-t.index)
		})
	})
}

// apply returns the updated item.
func (u *update) apply(it item) (item, error) {
	out := it
	for _, a := range u.actions {
		v, change, err := a.result(it)
		if err != nil {
			return nil, err
		}
		if !change {
			continue
		}
		if out, err = assign(out, a.target, v); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// result returns the new value of the action's target; nil to remove the target. change is false if the
// target stays as it is.
func (a updateAction) result(it item) (v *value, change bool, err error) {
	old, exists := a.target.find(it)
	if a.source == nil {
		return nil, true, nil
	}
	operand, err := a.source.value(it)
	switch {
	case err != nil:
		return nil, false, err
	case a.clause == clauseSet:
		return &operand, true, nil
	case !exists:
		return &operand, a.clause == clauseAdd, nil
	case old.kind != operand.kind:
		return nil, false, errOperandType
	case a.clause == clauseDelete:
		return subtract(old, operand), true, nil
	case old.kind == kindN:
		sum, err := addNumbers(old.text, operand.text, false)
		return &value{kind: kindN, text: sum}, true, err
	}
	united := union(old, operand)
	return &united, true, nil
}

var errBadPath = invalid("The document path provided in the update expression is invalid for update")

func union(a, b value) value {
	all := slices.Concat(a.list, b.list)
	slices.SortFunc(all, compareScalars)
	return value{kind: a.kind, list: slices.CompactFunc(all, equal)}
}

// subtract returns the elements of the set a that are not in b. It returns nil if no element remains,
// because a set cannot be empty.
func subtract(a, b value) *value {
	left := slices.DeleteFunc(slices.Clone(a.list), func(e value) bool {
		return slices.ContainsFunc(b.list, func(gone value) bool { return equal(e, gone) })
	})
	if len(left) == 0 {
		return nil
	}
	return &value{kind: a.kind, list: left}
}

// assign returns a copy of the item in which the value at the path is v. If v is nil, the copy has no value
// there.
func assign(it item, p path, v *value) (item, error) {
	name := p[0].name
	old, exists := it.get(name)
	if len(p) > 1 {
		if !exists {
			return nil, errBadPath
		}
		inner, err := assignIn(old, p[1:], v)
		if err != nil {
			return nil, err
		}
		return it.with(name, inner), nil
	}
	if v == nil {
		return it.without(name), nil
	}
	return it.with(name, *v), nil
}

func assignIn(in value, p path, v *value) (value, error) {
	s := p[0]
	if !s.isIndex {
		if in.kind != kindM {
			return value{}, errBadPath
		}
		m, err := assign(in.m, p, v)
		return value{kind: kindM, m: m}, err
	}
	if in.kind != kindL {
		return value{}, errBadPath
	}
	list := slices.Clone(in.list)
	beyond := s.index >= len(list)
	switch {
	case len(p) > 1:
		if beyond {
			return value{}, errBadPath
		}
		inner, err := assignIn(list[s.index], p[1:], v)
		if err != nil {
			return value{}, err
		}
		list[s.index] = inner
	case v != nil && beyond:
		list = append(list, *v)
	case v != nil:
		list[s.index] = *v
	case !beyond:
		list = slices.Delete(list, s.index, s.index+1)
	}
	return value{kind: kindL, list: list}, nil
}

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

// both evaluates two operands. A value that is not of kind k is an error.
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

// sum parses the right side of SET: an operand, or two operands with + or - between them.
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

// source parses one operand of SET, or a sum in parentheses.
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
