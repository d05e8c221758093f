// Parses the SQL in the files of a directory as Athena reads it: external tables as Hive,
// all else as Trino.
import fs from "node:fs";
import path from "node:path";
import { register } from "node:module";

register("./endings.mjs", import.meta.url);
const { HiveSQL, TrinoSQL } = await import("dt-sql-parser");

const dir = process.argv[2];
const hive = new HiveSQL();
const trino = new TrinoSQL();
const files = fs.readdirSync(dir).filter((name) => name.endsWith(".sql"));
let statements = 0;
let wrong = 0;
for (const name of files) {
	const text = fs.readFileSync(path.join(dir, name), "utf8").replace(/^--.*\n/gm, "");
	for (let statement of text.split(/;\n/).filter((one) => one.trim() !== "")) {
		statements++;
		// The grammar lacks UNLOAD. Its query has to be a query.
		statement = statement.trim().replace(/^UNLOAD \(\n([^]*)\n\) TO '[^']*'\nWITH \(format = 'TEXTFILE'\)$/, "$1");
		const parser = statement.trim().startsWith("CREATE EXTERNAL TABLE") ? hive : trino;
		for (const error of parser.validate(`${statement};`)) {
			wrong++;
			console.error(`${name}: line ${error.startLine}: ${error.message}\n${statement}`);
		}
	}
}
console.log(`${statements} statements in ${files.length} files, ${wrong} errors`);
process.exit(wrong > 0 || files.length === 0 ? 1 : 0);
