package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// mutation is one predicate in the source of the SQL, and the constants that replace it.
type mutation struct {
	place    string // FILE:LINE
	id       string // FUNCTION: PREDICATE, which stays the same if other lines change
	from, to int    // offsets in the file
	list     bool   // set if the expression is a list of predicates
	constant string // T, F or both
}

// rewriting finds the predicates of one file.
type rewriting struct {
	name     string
	source   []byte
	files    *token.FileSet
	function string
	found    map[ast.Expr]*mutation
}

// rewrite returns the file of a package with a hook around each predicate, and the mutations.
func rewrite(path string, taken map[string]int) (text []byte, all []*mutation, err error) {
	r := rewriting{name: filepath.Base(path), files: token.NewFileSet(), found: map[ast.Expr]*mutation{}}
	if r.source, err = os.ReadFile(path); err != nil {
		return nil, nil, err
	}
	file, err := parser.ParseFile(r.files, path, r.source, 0)
	if err != nil {
		return nil, nil, err
	}
	for _, d := range file.Decls {
		r.function = "package"
		if f, ok := d.(*ast.FuncDecl); ok {
			r.function = f.Name.Name
		}
		ast.Inspect(d, r.visit)
	}
	for _, m := range r.found {
		all = append(all, m)
	}
	slices.SortFunc(all, func(a, b *mutation) int {
		if a.from != b.from {
			return a.from - b.from
		}
		return b.to - a.to
	})
	for _, m := range all {
		if taken[m.id]++; taken[m.id] > 1 {
			m.id = fmt.Sprintf("%s (%d)", m.id, taken[m.id])
		}
	}
	return r.hooked(all), all, nil
}

// hooked writes the calls of the hook around the predicates.
func (r *rewriting) hooked(all []*mutation) []byte {
	var b bytes.Buffer
	var open []*mutation
	closed := func(offset int) {
		for len(open) > 0 && open[len(open)-1].to == offset {
			b.WriteString(")")
			open = open[:len(open)-1]
		}
	}
	next := 0
	for offset, c := range r.source {
		closed(offset)
		for ; next < len(all) && all[next].from == offset; next++ {
			m := all[next]
			hook := "mutant"
			if m.list {
				hook = "mutants"
			}
			fmt.Fprintf(&b, "%s(%q, %q, ", hook, m.id, m.constant)
			open = append(open, m)
		}
		b.WriteByte(c)
	}
	return b.Bytes()
}

func (r *rewriting) add(e ast.Expr, constant string) {
	if called(e) == "yes" || called(e) == "no" {
		return
	}
	from, to := r.files.Position(e.Pos()).Offset, r.files.Position(e.End()).Offset
	if m := r.found[e]; m != nil {
		if !strings.Contains(m.constant, constant) {
			m.constant = "TF"
		}
		return
	}
	said := strings.Join(strings.Fields(string(r.source[from:to])), " ")
	r.found[e] = &mutation{
		place: fmt.Sprintf("%s:%d", r.name, r.files.Position(e.Pos()).Line),
		id:    r.function + ": " + said, from: from, to: to, constant: constant,
	}
}

// called returns the name of the function that an expression calls.
func called(e ast.Expr) string {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return ""
	}
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

// removes maps a function to the constant that removes one of its arguments, and to the argument's index.
var removes = map[string]struct {
	constant string
	at       int
}{
	"surely": {"T", 0}, "sumOf": {"T", 0}, "truth": {"T", 0},
	"leave": {"F", 0}, "unsure": {"F", 0}, "unsureIn": {"F", 1},
}

// conditions are the names of fields and variables that have a condition.
var conditions = []string{"where", "having", "on", "fits", "likely", "judged"}

// others are functions whose results are not new conditions.
var others = []string{"column", "append", "make"}

// atoms are the functions and operations that return a condition.
var atoms = []string{
	"eq", "exists", "isNull", "ascii", `"<>"`, `"<"`, `"<="`, `">"`, `"matches"`, `"starts_with"`, `"in"`, `"whole"`,
}

// visit notes the predicates in a node.
func (r *rewriting) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.CallExpr:
		r.call(n)
	case *ast.KeyValueExpr:
		if name, ok := n.Key.(*ast.Ident); ok && slices.Contains(conditions, name.Name) {
			r.whole(n.Value, "T")
		}
	case *ast.AssignStmt:
		if len(n.Lhs) == len(n.Rhs) {
			for at, left := range n.Lhs {
				r.assigned(left, n.Rhs[at])
			}
		}
	case *ast.CompositeLit:
		r.cases(n)
	case *ast.ReturnStmt:
		for _, e := range n.Results {
			r.atom(e)
		}
	}
	return true
}

func (r *rewriting) assigned(left, right ast.Expr) {
	name := ""
	switch e := left.(type) {
	case *ast.Ident:
		name = e.Name
	case *ast.SelectorExpr:
		name = e.Sel.Name
	}
	if _, ok := right.(*ast.CallExpr); ok && slices.Contains(conditions, name) && !slices.Contains(others, called(right)) {
		r.whole(right, "T")
	}
}

// whole adds the expression e as a predicate, unless its operands are predicates of their own.
func (r *rewriting) whole(e ast.Expr, constant string) {
	if name := called(e); name != "and" && name != "or" && name != "surely" && name != "sharing" {
		r.add(e, constant)
	}
}

func (r *rewriting) call(n *ast.CallExpr) {
	name := called(n)
	constant := map[string]string{"and": "T", "or": "F"}[name]
	for at, arg := range n.Args {
		switch {
		case constant != "" && n.Ellipsis.IsValid():
			r.add(arg, constant)
			r.found[arg].list = true
		case constant != "":
			r.add(arg, constant)
		case removes[name].constant != "" && removes[name].at == at:
			r.whole(arg, removes[name].constant)
		}
	}
}

// cases adds the conditions of a CASE, and results that are conditions.
func (r *rewriting) cases(n *ast.CompositeLit) {
	is := func(e ast.Expr) bool { name, ok := e.(*ast.Ident); return ok && name.Name == "when" }
	list, ok := n.Type.(*ast.ArrayType)
	switch {
	case is(n.Type):
		r.when(n)
	case ok && is(list.Elt):
		for _, one := range n.Elts {
			if literal, ok := one.(*ast.CompositeLit); ok && literal.Type == nil {
				r.when(literal)
			}
		}
	}
}

func (r *rewriting) when(n *ast.CompositeLit) {
	if len(n.Elts) == 2 {
		r.add(n.Elts[0], "TF")
		r.atom(n.Elts[1])
	}
}

// atom adds an expression that is a single condition, if it is not added yet.
func (r *rewriting) atom(e ast.Expr) {
	name := called(e)
	if call, ok := e.(*ast.CallExpr); ok && name == "of" {
		if operation, ok := call.Args[0].(*ast.BasicLit); ok {
			name = operation.Value
		}
	}
	if slices.Contains(atoms, name) && r.found[e] == nil {
		r.add(e, "TF")
	}
}
