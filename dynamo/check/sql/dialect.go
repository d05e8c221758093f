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
	// lines returns the SQL name or subquery for a table's export. Each of its rows has one line of the
	// export, in the column line.
	lines func(n int, t Table) string
	// before and after return the statements before and after the statements of the check.
	before, after func(c *Check) []string
	// table returns the beginning of a statement that creates a table. answer turns the last query into
	// the statement that returns the result.
	table  func(name string) string
	answer func(query string) string
}

// Dialects lists the names of the dialects.
func Dialects() []string { return []string{Athena.Name, DuckDB.Name} }

// ByName returns the dialect with this name. It returns nil if there is none.
func ByName(name string) *Dialect {
	for _, d := range []*Dialect{Athena, DuckDB} {
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

// common writes the operations that have the same SQL in both engines. An operation that is neither here
// nor in ops is an SQL function of the same name.
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

// Athena is the dialect of Amazon Athena engine version 3. Queries are in Trino's SQL. The statements that
// create tables over files are in Hive's.
var Athena = &Dialect{
	Name: "athena",
	usage: []string{
		"Run the statements one after the other, and stop at the first error: Athena runs each one alone.",
		"DROP TABLE leaves the Parquet files of these tables in the results of the workgroup, with unencrypted keys and",
		"values: delete them there afterwards, or let a lifecycle rule delete them.",
	},
	give: "Give the result of the last SELECT, the CSV, to: ", result: "FILE.csv",
	ops: map[string]func([]string) string{
		"json":     form("json_extract(%s, %s)"),
		"scalar":   form("json_extract_scalar(%s, %s)"),
		"written":  form("json_format(json_extract(%s, %s))"),
		"texts":    form("CAST(json_extract(%s, %s) AS ARRAY(VARCHAR))"),
		"members":  form("transform(TRY_CAST(json_extract(%s, %s) AS ARRAY(MAP(VARCHAR, VARCHAR))), e -> element_at(e, 'S'))"),
		"whole":    form("coalesce(none_match(%s, e -> e IS NULL), FALSE)"),
		"quote":    form("json_format(CAST(%s AS JSON))"),
		"ascii":    form("(length(to_utf8(%[1]s)) = length(%[1]s))"),
		"bytes":    form("length(to_utf8(%s))"),
		"print":    form("CAST(from_big_endian_64(xxhash64(to_utf8(%s))) AS DECIMAL(38,0))"),
		"matches":  form("regexp_like(%s, %s)"),
		"take":     form("regexp_extract(%s, %s, %s)"),
		"replaced": form("regexp_replace(%s, %s, %s)"),
		"sha256":   form("lower(to_hex(sha256(to_utf8(%s))))"),
		"base64":   form("to_base64(to_utf8(%s))"),
		"percent": form(
			"replace(replace(replace(replace(replace(replace(url_encode(%s), '+', '%%20'), '%%21', '!'), '%%27', ''''), '%%28', '('), '%%29', ')'), '%%7E', '~')",
		),
		"all":       form("array_join(%s, ',')"),
		"least":     form("min(%s, %s)"),
		"maybe":     form("TRY_CAST(%s AS DECIMAL(38,0))"),
		"noneTexts": form("CAST(%s AS ARRAY(VARCHAR))"),
	},
	path: func(steps []string) string {
		escape := strings.NewReplacer(`\`, `\\`, `"`, `\"`)
		text := "$"
		for _, s := range steps {
			text += `["` + escape.Replace(s) + `"]`
		}
		return text
	},
	lines: func(n int, _ Table) string { return linesTable(n) },
	before: func(c *Check) []string {
		all := dropLines(c)
		for n, t := range c.Tables {
			all = append(
				all,
				fmt.Sprintf(
					"CREATE EXTERNAL TABLE %s (line string)\nROW FORMAT DELIMITED FIELDS TERMINATED BY '\\001' LINES TERMINATED BY '\\n'\nSTORED AS TEXTFILE\nLOCATION '%s'",
					c.called(linesTable(n+1)), asHive.Replace(t.folder()),
				),
			)
		}
		return all
	},
	after:  dropLines,
	table:  func(name string) string { return "CREATE TABLE " + name + "\nWITH (format = 'PARQUET')" },
	answer: func(query string) string { return query },
}

// asHive escapes a text for a string literal of Hive.
var asHive = strings.NewReplacer(`\`, `\\`, "'", `\'`)

// linesTable returns the name of the table with the lines of export n.
func linesTable(n int) string { return fmt.Sprintf("tallylock_lines_%d", n) }

// dropLines returns the statements that drop all tables of the check, also those with the lines of the
// exports.
func dropLines(c *Check) []string {
	all := dropsOf(c)
	for n := range c.Tables {
		all = append(all, "DROP TABLE IF EXISTS "+c.called(linesTable(n+1)))
	}
	return all
}

// DuckDB is the dialect of DuckDB 1.3 and later.
var DuckDB = &Dialect{
	Name: "duckdb",
	usage: []string{
		"Run it as: duckdb -bail work.db < check.sql. With -bail it stops at the first error.",
		"For an export in S3 put this first: CREATE SECRET (TYPE s3, PROVIDER credential_chain); it needs the extensions",
		"httpfs and aws. It also needs s3:ListBucket and s3:GetObject on the bucket, because DuckDB lists the files.",
	},
	give: "Give its answer to: ", result: "candidates.jsonl",
	ops: map[string]func([]string) string{
		"json":     form("json_extract(%s, %s)"),
		"scalar":   form("json_extract_string(%s, %s)"),
		"written":  form("CAST(json_extract(%s, %s) AS VARCHAR)"),
		"texts":    form("CAST(json_extract(%s, %s) AS VARCHAR[])"),
		"members":  form("list_transform(TRY_CAST(json_extract(%s, %s) AS MAP(VARCHAR, VARCHAR)[]), lambda e: e['S'])"),
		"whole":    form("coalesce(len(list_filter(%s, lambda e: e IS NULL)) = 0, FALSE)"),
		"quote":    form("CAST(to_json(%s) AS VARCHAR)"),
		"ascii":    form("(strlen(%[1]s) = length(%[1]s))"),
		"bytes":    form("strlen(%s)"),
		"print":    form("CAST(hash(%s) AS DECIMAL(38,0))"),
		"matches":  form("regexp_matches(%s, %s)"),
		"take":     form("regexp_extract(%s, %s, %s)"),
		"replaced": form("regexp_replace(%s, %s, %s, 'g')"),
		"sha256":   form("sha256(%s)"),
		"base64":   form("to_base64(encode(%s))"),
		"percent": form(
			"replace(replace(replace(replace(replace(url_encode(%s), '%%21', '!'), '%%27', ''''), '%%28', '('), '%%29', ')'), '%%2A', '*')",
		),
		"all":       form("array_to_string(%s, ',')"),
		"least":     form("min(%s, %s)"),
		"maybe":     form("TRY_CAST(%s AS DECIMAL(38,0))"),
		"noneTexts": form("CAST(%s AS VARCHAR[])"),
	},
	path: func(steps []string) string {
		escape := strings.NewReplacer("~", "~0", "/", "~1")
		text := ""
		for _, s := range steps {
			text += "/" + escape.Replace(s)
		}
		return text
	},
	lines: func(_ int, t Table) string {
		return fmt.Sprintf("(SELECT json AS line FROM read_ndjson_objects(%s))", quote(t.files()))
	},
	before: func(c *Check) []string {
		return append(dropsOf(c), fmt.Sprintf(written, "SELECT '' WHERE FALSE"))
	},
	after: dropsOf,
	table: func(name string) string { return "CREATE OR REPLACE TABLE " + name },
	answer: func(query string) string {
		return fmt.Sprintf(written, "\n"+indent(query)+"\n")
	},
}

// written is the statement that writes the result to a file. The SQL also runs it before the check, with an
// empty result. Otherwise, after a failed run, an older file could be taken for the new result.
const written = "COPY (%s) TO 'candidates.jsonl' (FORMAT csv, HEADER false, QUOTE '', ESCAPE '', DELIMITER '\x01')"

// printer writes the statements of a check as SQL.
type printer struct {
	*Dialect
	c *Check
}

func (p printer) statement(s statement) string {
	if s.table == "" {
		return p.answer(p.query(s.query))
	}
	return p.table(p.c.called(s.table)) + " AS\n" + p.query(s.query)
}

func (p printer) query(q *query) string {
	if len(q.union) > 0 {
		var all []string
		for _, one := range q.union {
			all = append(all, p.query(one))
		}
		return strings.Join(all, "\nUNION ALL\n")
	}
	var columns []string
	if q.all {
		columns = append(columns, "*")
	}
	for _, c := range q.columns {
		columns = append(columns, p.expr(c.expr)+" AS "+c.name)
	}
	text := "SELECT " + strings.Join(columns, ",\n  ") + "\nFROM " + p.from(q.from)
	if q.where.op != "" {
		text += "\nWHERE " + p.expr(q.where)
	}
	if q.group > 0 {
		var by []string
		for n := range q.group {
			by = append(by, fmt.Sprint(n+1))
		}
		text += "\nGROUP BY " + strings.Join(by, ", ")
	}
	if q.having.op != "" {
		text += "\nHAVING " + p.expr(q.having)
	}
	return text
}

func (p printer) from(f from) string {
	text := p.c.called(f.table)
	switch {
	case f.inner != nil:
		text = "(\n" + indent(p.query(f.inner)) + "\n)"
	case f.lines > 0:
		text = p.c.called(p.lines(f.lines, p.c.Tables[f.lines-1]))
	}
	if f.as != "" {
		text += " AS " + f.as
	}
	for _, j := range f.joins {
		j.table = p.c.called(j.table)
		if j.query != nil {
			j.table = "(\n" + indent(p.query(j.query)) + "\n)"
		}
		switch {
		case j.each.op != "":
			text += fmt.Sprintf("\nCROSS JOIN UNNEST(%s) AS %s", p.expr(j.each), j.as)
		case j.on.op == "":
			text += fmt.Sprintf("\n%s JOIN %s AS %s", j.how, j.table, j.as)
		default:
			text += fmt.Sprintf("\n%s JOIN %s AS %s ON %s", j.how, j.table, j.as, p.expr(j.on))
		}
	}
	return text
}

func indent(text string) string { return "  " + strings.ReplaceAll(text, "\n", "\n  ") }
