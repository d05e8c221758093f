package sql

import (
	"strings"
)

// Athena is the dialect of Amazon Athena engine version 3. Queries are in Trino's SQL. The statements that
// create tables over files are in Hive's.
var Athena = &Dialect{
	Name: "athena",
	usage: []string{
		"Run the statements one after the other, and stop at the first error: Athena runs each one alone.",
		"DROP TABLE leaves the Parquet files of these tables in the results of the workgroup, with unencrypted keys and",
		"values: delete them there afterwards, or let a lifecycle rule delete them.",
	},
	give: "Give the result of the last SELECT, as CSV, to: ", result: "FILE.csv",
	ops: trinoOps, path: trinoPath, limits: ofTrino,
	lines: func(name string, t Table) string {
		return "CREATE EXTERNAL TABLE " + name + " (line string)\n" +
			`ROW FORMAT DELIMITED FIELDS TERMINATED BY '\001' LINES TERMINATED BY '\n'` + "\n" +
			"STORED AS TEXTFILE\nLOCATION '" + asHive.Replace(t.Folder()) + "'"
	},
	table: func(name, place string) string {
		if place != "" {
			place = ", external_location = " + quote(place)
		}
		return "CREATE TABLE " + name + "\nWITH (format = 'PARQUET', write_compression = 'ZSTD'" + place + ")"
	},
	needsPlace: true,
	answer: func(query, place string) string {
		if place == "" {
			return query
		}
		return "UNLOAD (\n" + indent(query) + "\n) TO " + quote(place) + "\nWITH (format = 'TEXTFILE')"
	},
}

// asHive escapes a text for a string literal of Hive.
var asHive = strings.NewReplacer(`\`, `\\`, "'", `\'`)

// Trino is the dialect of Trino with its Hive connector. It differs from Athena only in the statements that
// create tables, and in returning the result without files.
var Trino = &Dialect{
	Name: "trino",
	usage: []string{
		"Run the statements in order, and stop at the first error. Use a schema of your own, in a catalog with the Hive",
		"connector. Set the session property CATALOG.compression_codec to ZSTD. The catalog must be allowed",
		"to read the place of the export.",
	},
	give: "Give the result of the last SELECT, as CSV, to: ", result: "FILE.csv",
	ops: trinoOps, path: trinoPath, limits: ofTrino,
	lines: func(name string, t Table) string {
		return "CREATE TABLE " + name + " (line varchar)\n" +
			`WITH (format = 'TEXTFILE', textfile_field_separator = U&'\0001', external_location = ` + quote(t.Folder()) + ")"
	},
	table:  func(name, _ string) string { return "CREATE TABLE " + name + "\nWITH (format = 'PARQUET')" },
	answer: func(query, _ string) string { return query },
}

// trinoOps has the operations of Trino. Athena runs the same operations, since its engine is based on Trino.
var trinoOps = map[string]func([]string) string{
	"json":     form("json_extract(%s, %s)"),
	"scalar":   form("json_extract_scalar(%s, %s)"),
	"written":  form("json_format(json_extract(%s, %s))"),
	"texts":    form("CAST(json_extract(%s, %s) AS ARRAY(VARCHAR))"),
	"members":  form("transform(TRY_CAST(json_extract(%s, %s) AS ARRAY(MAP(VARCHAR, VARCHAR))), e -> element_at(e, 'S'))"),
	"whole":    form("coalesce(none_match(%s, e -> e IS NULL), FALSE)"),
	"quote":    form("json_format(CAST(%s AS JSON))"),
	"ascii":    form("(length(to_utf8(%[1]s)) = length(%[1]s))"),
	"bytes":    form("length(to_utf8(%s))"),
	"hash64":   form("from_big_endian_64(xxhash64(to_utf8(%s)))"),
	"bucket":   form("bitwise_and(from_big_endian_64(xxhash64(to_utf8(%s))), 16777215)"),
	"print":    form("bitwise_right_shift(from_big_endian_64(xxhash64(to_utf8(%s))), 28)"),
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
}

// trinoPath writes the place of an attribute as a JSON path.
func trinoPath(steps []string) string {
	escape := strings.NewReplacer(`\`, `\\`, `"`, `\"`)
	text := "$"
	for _, s := range steps {
		text += `["` + escape.Replace(s) + `"]`
	}
	return text
}
