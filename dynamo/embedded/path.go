package embedded

import (
	"slices"
	"strconv"
	"strings"
)

// step is one element of a document path: a name, or an index of a list.
type step struct {
	name    string
	index   int
	isIndex bool
}

// path is the path of a value in an item. Its first step is a name.
type path []step

func (p path) String() string {
	var b strings.Builder
	for i, s := range p {
		switch {
		case s.isIndex:
			b.WriteString("[" + strconv.Itoa(s.index) + "]")
		case i > 0:
			b.WriteString("." + s.name)
		default:
			b.WriteString(s.name)
		}
	}
	return b.String()
}

// find returns the value at the path in an item.
func (p path) find(it item) (value, bool) {
	v, ok := it.get(p[0].name)
	for _, s := range p[1:] {
		if !ok {
			break
		}
		v, ok = v.child(s)
	}
	return v, ok
}

// child returns the list element or the map entry of v that a step leads to.
func (v value) child(s step) (value, bool) {
	if !s.isIndex {
		if v.kind != kindM {
			return value{}, false
		}
		return v.m.get(s.name)
	}
	if v.kind != kindL || s.index >= len(v.list) {
		return value{}, false
	}
	return v.list[s.index], true
}

// pathTree is a set of paths. No path in the set is the beginning of another path.
type pathTree struct {
	children map[step]*pathTree // nil at the end of a path
	added    []path             // the paths in the order in which add got them
}

// add puts a path into the tree. It returns an error if the path overlaps with another path. It also
// returns an error if the path has an index where another path has a name, because no value is both a list
// and a map.
func (t *pathTree) add(p path) error {
	for _, other := range t.added {
		if word := other.clash(p); word != "" {
			return invalid(
				"Two document paths %s with each other; must remove or rewrite one of these paths; path one: %s, path two: %s",
				word, other.steps(), p.steps(),
			)
		}
	}
	t.added = append(t.added, p)
	for _, s := range p {
		if t.children == nil {
			t.children = map[step]*pathTree{}
		}
		if t.children[s] == nil {
			t.children[s] = &pathTree{}
		}
		t = t.children[s]
	}
	return nil
}

// clash returns "overlap" if one of the paths begins with the other. It returns "conflict" if one path has
// an index where the other has a name.
func (p path) clash(q path) string {
	for i := range min(len(p), len(q)) {
		switch {
		case p[i].isIndex != q[i].isIndex:
			return "conflict"
		case p[i] != q[i]:
			return ""
		}
	}
	return "overlap"
}

// steps writes a path as DynamoDB does in its errors: [name, [1], name].
func (p path) steps() string {
	out := make([]string, len(p))
	for i, s := range p {
		if out[i] = s.name; s.isIndex {
			out[i] = "[" + strconv.Itoa(s.index) + "]"
		}
	}
	return "[" + strings.Join(out, ", ") + "]"
}

// project returns the parts of an item that the paths lead to. Elements of a list keep their order, and
// move together without gaps.
func (t *pathTree) project(it item) item {
	out := make(item, 0, min(len(it), len(t.children)))
	for _, a := range it {
		if child := t.children[step{name: a.name}]; child != nil {
			if v, ok := child.cut(a.value); ok {
				out = append(out, attribute{a.name, v})
			}
		}
	}
	return out
}

func (t *pathTree) cut(v value) (value, bool) {
	if t.children == nil {
		return v, true
	}
	switch v.kind {
	case kindM:
		m := t.project(v.m)
		return value{kind: kindM, m: m}, len(m) > 0
	case kindL:
		var list []value
		for _, s := range t.indexes() {
			if s.index >= len(v.list) {
				break
			}
			if e, ok := t.children[s].cut(v.list[s.index]); ok {
				list = append(list, e)
			}
		}
		return value{kind: kindL, list: list}, len(list) > 0
	}
	return value{}, false
}

// indexes returns the steps that are list indexes, in order. There are none if the steps are names.
func (t *pathTree) indexes() []step {
	var out []step
	for s := range t.children {
		if s.isIndex {
			out = append(out, s)
		}
	}
	slices.SortFunc(out, func(a, b step) int { return a.index - b.index })
	return out
}

// names returns the names of the top-level attributes in the paths.
func (t *pathTree) names() []string {
	var out []string
	for s := range t.children {
		out = append(out, s.name)
	}
	slices.Sort(out)
	return out
}

func parseProjection(text string, subs *substitutions) (*pathTree, error) {
	p := newParser("ProjectionExpression", text, subs)
	tree := &pathTree{}
	for first := true; first || p.symbol(","); first = false {
		p.target(tree)
	}
	return tree, p.finish()
}

// target parses a path and adds it to the tree. The path must not overlap with the tree's other paths.
func (p *parser) target(tree *pathTree) path {
	next := p.path()
	if err := tree.add(next); err != nil {
		p.fail("%s", asAPIError(err).message)
	}
	return next
}
