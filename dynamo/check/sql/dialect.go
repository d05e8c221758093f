package sql

import (
	"fmt"
	"strings"
)

// Dialect is how an engine writes SQL.
type Dialect struct {
	Name string
	// usage is said in the first lines.
	usage []string
	// ops are operations that it writes in a way of its own; the others are common.
	ops map[string]func(a []string) string
	// path writes where something stands in a line.
	path func(steps []string) string
	// lines is the export of a table, with its lines in the column line.
	lines func(n int, t Table) string
	// before and after are what stands around the statements.
	before, after func(c *Check) []string
	// table begins a statement that makes a table, and answer wraps what is answered.
	table  func(name string) string
	answer func(query string) string
}

// Dialects lists the names of all.
func Dialects() []string { return []string{Athena.Name, DuckDB.Name} }

// ByName finds a dialect; nil where there is none of that name.
func ByName(name string) *Dialect {
	for _, d := range []*Dialect{Athena, DuckDB} {
		if d.Name == name {
			return d
		}
	}
	return nil
}

// quote writes a text as SQL does: a quote in it is written twice.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// infix writes an operator between what it is of.
func infix(operator string) func([]string) string {
	return func(a []string) string { return "(" + strings.Join(a, " "+operator+" ") + ")" }
}

// form writes operands into a text.
func form(text string) func([]string) string {
	return func(a []string) string {
		all := make([]any, len(a))
		for n := range a {
			all[n] = a[n]
		}
		return fmt.Sprintf(text, all...)
	}
}

// common are the operations that both engines write alike. What has no row is a function
// of that name.
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
