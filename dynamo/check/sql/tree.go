package sql

import "strconv"

// expr is an expression: an operation and its operands. A dialect's table says how to write an operation.
type expr struct {
	op   string
	text string // the text of a literal or the name of a column
	args []expr
}

func of(op string, args ...expr) expr { return expr{op: op, args: args} }

func str(s string) expr { return expr{op: "text", text: s} }

func num(n int) expr { return expr{op: "raw", text: strconv.Itoa(n)} }

// decimal is a number with many digits.
func decimal(digits string) expr { return of("decimal", str(digits)) }

func col(name string) expr { return expr{op: "raw", text: name} }

func null() expr { return col("NULL") }

func yes() expr { return col("TRUE") }

func no() expr { return col("FALSE") }

func and(args ...expr) expr { return chain("and", yes(), args) }

func or(args ...expr) expr { return chain("or", no(), args) }

// chain joins operands by an operation. It drops operands that change nothing.
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

func not(a expr) expr { return of("not", a) }

func eq(a, b expr) expr { return of("=", a, b) }

func isNull(a expr) expr { return of("null", a) }

func exists(a expr) expr { return of("exists", a) }

// surely returns a condition that is false if a is unknown.
func surely(a expr) expr { return of("coalesce", a, no()) }

// join concatenates texts.
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

// when is a case of a choice.
type when struct{ cond, then expr }

// choose returns the result of the first case that holds; NULL if none holds.
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

// as is a column of a query.
type as struct {
	name string
	expr expr
}

// query is a SELECT, or a UNION ALL of several.
type query struct {
	columns []as
	all     bool // all columns of from, before columns
	from    from
	where   expr
	group   int // the number of columns in GROUP BY, from the first; 0: no GROUP BY
	having  expr
	union   []*query // instead of all fields above
}

// from is the source of a query.
type from struct {
	table string
	inner *query // instead of a table
	lines int    // instead of table and inner: the export of a table, counted from 1
	as    string
	joins []joined
}

// joined is a joined table.
type joined struct {
	how, table, as string
	on             expr
	query          *query // instead of a table
	each           expr   // instead of table and query: a list, each member a row
}

// statement creates a table from a query, or returns the result.
type statement struct {
	about string
	table string // empty for the result
	query *query
}
