package sql

import "strconv"

// expr is an SQL expression: an operation and its operands. A Dialect writes it as text.
type expr struct {
	op   string
	text string // the text of a literal, or the name of a column
	args []expr
}

func of(op string, args ...expr) expr { return expr{op: op, args: args} }

func str(s string) expr { return expr{op: "text", text: s} }

func num(n int) expr { return expr{op: "raw", text: strconv.Itoa(n)} }

// decimal is a literal for a number of up to 38 digits.
func decimal(digits string) expr { return of("decimal", str(digits)) }

func col(name string) expr { return expr{op: "raw", text: name} }

func null() expr { return col("NULL") }

func yes() expr { return col("TRUE") }

func no() expr { return col("FALSE") }

func and(args ...expr) expr { return chain("and", yes(), args) }

func or(args ...expr) expr { return chain("or", no(), args) }

// chain joins conditions by the operation op. neutral is the condition that changes nothing: TRUE for
// "and", FALSE for "or". chain drops such operands.
func chain(op string, neutral expr, args []expr) expr {
	var some []expr
	for _, a := range args {
		if a.op != "raw" || a.text != neutral.text {
			some = append(some, a)
		}
	}
	switch len(some) {
	case 0:
		return neutral
	case 1:
		return some[0]
	}
	return of(op, some...)
}

func minus(a expr) expr { return of("minus", a) }

func not(a expr) expr { return of("not", a) }

func eq(a, b expr) expr { return of("=", a, b) }

func isNull(a expr) expr { return of("null", a) }

func exists(a expr) expr { return of("exists", a) }

// surely replaces NULL by FALSE, so that the condition can be negated.
func surely(a expr) expr { return of("coalesce", a, no()) }

// join concatenates texts. It merges literals that are next to each other.
func join(args ...expr) expr {
	var some []expr
	for _, a := range args {
		switch last := len(some) - 1; {
		case a.op == "text" && a.text == "":
		case a.op == "text" && last >= 0 && some[last].op == "text":
			some[last] = str(some[last].text + a.text)
		default:
			some = append(some, a)
		}
	}
	switch len(some) {
	case 0:
		return str("")
	case 1:
		return some[0]
	}
	return of("join", some...)
}

// when is one case of choose: a condition and its result.
type when struct{ cond, then expr }

// choose returns the result of the first case whose condition is true. If no condition is true, the result
// is NULL.
func choose(cases ...when) expr {
	var args []expr
	for _, c := range cases {
		args = append(args, c.cond, c.then)
	}
	if len(args) == 0 {
		return null()
	}
	return of("case", args...)
}

// as is one column of a SELECT: the column's name and expression.
type as struct {
	name string
	expr expr
}

// query is a SELECT, or a UNION ALL of several queries.
type query struct {
	columns []as
	all     bool // whether the SELECT begins with *
	from    from
	where   expr
	group   int // the number of first columns in GROUP BY; 0 means no GROUP BY
	having  expr
	union   []*query // if set, the fields above are unused
}

// from has the source of a query and its joins.
type from struct {
	table string
	inner *query // a subquery in place of table
	lines int    // number of the table whose export is the source; 0 for none
	as    string
	joins []joined
}

// joined is one join.
type joined struct {
	how, table, as string
	on             expr
	query          *query // a subquery in place of table
	each           expr   // a list in place of table and query: each member becomes a row
}

// statement creates a table from a query. If table is empty, the statement returns the result of the check
// instead.
type statement struct {
	about string
	table string // "" for the result
	query *query
}
