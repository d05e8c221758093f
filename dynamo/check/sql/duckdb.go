package sql

import (
	"fmt"
	"strings"
)

// DuckDB is the dialect of DuckDB 1.3 and later.
var DuckDB = &Dialect{
	Name: "duckdb",
	usage: []string{
		"Run it as: duckdb -bail work.db < check.sql. With -bail it stops at the first error.",
		"For an export in S3 put this first: CREATE SECRET (TYPE s3, PROVIDER credential_chain); it needs the extensions",
		"httpfs and aws. It also needs s3:ListBucket and s3:GetObject on the bucket, because DuckDB lists the files.",
	},
	give: "Give the output of DuckDB to: ", result: "candidates.jsonl",
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
		"hash64":   form("hash(%s)"),
		"bucket":   form("CAST(hash(%s) & 16777215 AS BIGINT)"),
		"print":    form("CAST(hash(%s) >> 28 AS BIGINT)"),
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
	files: func(t Table) string {
		return fmt.Sprintf("(SELECT json AS line FROM read_ndjson_objects(%s))", quote(t.files()))
	},
	clear: fmt.Sprintf(written, "SELECT '' WHERE FALSE"),
	table: func(name, _ string) string { return "CREATE OR REPLACE TABLE " + name },
	answer: func(query, _ string) string {
		return fmt.Sprintf(written, "\n"+indent(query)+"\n")
	},
}

// written is the statement that writes the result to a file. The SQL also runs it before the check, with an
// empty result. Otherwise, after a failed run, an older file could be taken for the new result.
const written = "COPY (%s) TO 'candidates.jsonl' (FORMAT csv, HEADER false, QUOTE '', ESCAPE '', DELIMITER '\x01')"
