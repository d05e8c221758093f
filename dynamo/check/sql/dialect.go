package sql

import (
	"fmt"
	"strings"
)

// Dialect is how an engine writes SQL.
type Dialect struct {
	Name string
	// usage is written in the first lines.
	usage []string
	// ops are the operations that this engine writes differently.
	ops map[string]func(a []string) string
	// path writes a path in a line.
	path func(steps []string) string
	// lines is the export of a table, one line in each row's column line.
	lines func(n int, t Table) string
	// before and after are written around the statements.
	before, after func(c *Check) []string
	// table begins a statement that creates a table, and answer wraps the one that returns
	// the result.
	table  func(name string) string
	answer func(query string) string
}

// Dialects returns the names of all dialects.
func Dialects() []string { return []string{Athena.Name, DuckDB.Name} }

// ByName returns the dialect of a name, nil if there is none.
func ByName(name string) *Dialect {
	for _, d := range []*Dialect{Athena, DuckDB} {
		if d.Name == name {
			return d
		}
	}
	return nil
}

// quote writes a string literal: a quote in it is doubled.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// infix writes an operator between its operands.
func infix(operator string) func([]string) string {
	return func(a []string) string { return "(" + strings.Join(a, " "+operator+" ") + ")" }
}

// form writes operands into a format.
func form(text string) func([]string) string {
	return func(a []string) string {
		all := make([]any, len(a))
		for n := range a {
			all[n] = a[n]
		}
		return fmt.Sprintf(text, all...)
	}
}

// common are the operations that both engines write alike. One without a row is a function of
// that name.
var common = map[string]func([]string) string{
	"and":     infix("AND"),
	"or":      infix("OR"),
	"join":    infix("||"),
	"=":       infix("="),
	"<>":      infix("<>"),
	"<":       infix("<"),
	"<=":      infix("<="),
	">":       infix(">"),
	"+":       infix("+"),
	"-":       infix("-"),
	"%":       infix("%"),
	"not":     form("(NOT %s)"),
	"null":    form("(%s IS NULL)"),
	"exists":  form("(%s IS NOT NULL)"),
	"words":   form("CAST(%s AS VARCHAR)"),
	"list":    func(a []string) string { return "ARRAY[" + strings.Join(a, ", ") + "]" },
	"decimal": form("CAST(%s AS DECIMAL(38,0))"),
	"many":    form("count(%s)"),
	"some":    form("bool_or(%s)"),
	"rank":    form("row_number() OVER (PARTITION BY %s, %s ORDER BY %s DESC, %s)"),
	"before":  form("substr(%s, %s)"),
	"case": func(a []string) string {
		var b strings.Builder
		b.WriteString("CASE")
		for n := 0; n < len(a); n += 2 {
			fmt.Fprintf(&b, " WHEN %s THEN %s", a[n], a[n+1])
		}
		b.WriteString(" END")
		return b.String()
	},
}

// expr writes an expression.
func (d *Dialect) expr(e expr) string {
	switch e.op {
	case "text":
		return quote(e.text)
	case "raw":
		return e.text
	case "at":
		var steps []string
		for _, a := range e.args {
			steps = append(steps, a.text)
		}
		return quote(d.path(steps))
	}
	args := make([]string, len(e.args))
	for n, a := range e.args {
		args[n] = d.expr(a)
	}
	if write := d.ops[e.op]; write != nil {
		return write(args)
	}
	if write := common[e.op]; write != nil {
		return write(args)
	}
	return e.op + "(" + strings.Join(args, ", ") + ")"
}
