package sql

import (
	"fmt"
	"strings"
)

// A Dialect knows the SQL of one engine.
type Dialect struct {
	Name string
	// usage has the first lines of the output: comments that say how to run the SQL.
	usage []string
	// give begins the sentence that ends with the command to check the result. result is the name of the
	// result's file.
	give, result string
	// ops writes the operations whose SQL differs from engine to engine. common has all others.
	ops map[string]func(a []string) string
	// path writes the place of an attribute in a line of the export, as the engine's JSON functions need
	// it.
	path func(steps []string) string
	// lines returns a statement that makes a table over the files of an export. Each row has one line of
	// the export, in the column line. If lines is nil, queries read the files themselves, by files.
	lines  func(name string, t Table) string
	files  func(t Table) string
	limits limits
	// clear is a statement that removes the result of an earlier run. It is empty if there is none to
	// remove.
	clear string
	// table returns the beginning of a statement that creates a table in the folder place. If place is empty, the engine
	// chooses the folder. needsPlace is set if Check.Into may name the folder.
	table      func(name, place string) string
	needsPlace bool
	// answer returns the statement that delivers the result of the last query. If place is not empty, the
	// statement writes the result into that folder. Only Athena uses place.
	answer func(query, place string) string
}

// dialects lists all dialects.
func dialects() []*Dialect { return []*Dialect{Athena, Trino, DuckDB} }

// Dialects lists the names of the dialects.
func Dialects() (names []string) {
	for _, d := range dialects() {
		names = append(names, d.Name)
	}
	return names
}

// ByName returns the dialect with this name. It returns nil if there is none.
func ByName(name string) *Dialect {
	for _, d := range dialects() {
		if d.Name == name {
			return d
		}
	}
	return nil
}

// quote writes a text as a string literal.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// infix returns a function that writes an operator between its operands.
func infix(operator string) func([]string) string {
	return func(a []string) string { return "(" + strings.Join(a, " "+operator+" ") + ")" }
}

// form returns a function that puts its operands into text, a format of package fmt.
func form(text string) func([]string) string {
	return func(a []string) string {
		all := make([]any, len(a))
		for n := range a {
			all[n] = a[n]
		}
		return fmt.Sprintf(text, all...)
	}
}

// common writes the operations that have the same SQL in all engines. An operation that is neither here nor in ops is
// an SQL function of the same name.
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
	"minus":   form("(-%s)"),
	"in":      func(a []string) string { return "(" + a[0] + " IN (" + strings.Join(a[1:], ", ") + "))" },
	"not":     form("(NOT %s)"),
	"null":    form("(%s IS NULL)"),
	"exists":  form("(%s IS NOT NULL)"),
	"words":   form("CAST(%s AS VARCHAR)"),
	"list":    func(a []string) string { return "ARRAY[" + strings.Join(a, ", ") + "]" },
	"number":  form("CAST(%s AS INTEGER)"),
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
