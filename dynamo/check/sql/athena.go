package sql

import (
	"fmt"
	"strings"
)

// Athena is the dialect of Amazon Athena engine version 3, which is Trino's, with Hive's
// statements for tables over files.
var Athena = &Dialect{
	Name: "athena",
	usage: []string{
		"Run the statements one after the other, and stop at the first that fails: Athena takes each by itself.",
		"DROP TABLE leaves the Parquet files of these tables where the workgroup writes its results, with keys and",
		"values in clear: delete them there afterwards, or have a lifecycle rule delete them.",
		"Give the result of the last SELECT, the CSV, to: tallylock check --candidates FILE.csv",
	},
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

// asHive escapes a text for such a statement.
var asHive = strings.NewReplacer(`\`, `\\`, "'", `\'`)

// linesTable is the name of the table with the lines of an export.
func linesTable(n int) string { return fmt.Sprintf("tallylock_lines_%d", n) }

// dropLines drops all those tables if they exist.
func dropLines(c *Check) []string {
	all := dropsOf(c)
	for n := range c.Tables {
		all = append(all, "DROP TABLE IF EXISTS "+c.called(linesTable(n+1)))
	}
	return all
}
