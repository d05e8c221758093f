// Runs the SQL on standard input in DuckDB, one statement after the other.
const fs = require("fs");
const { DuckDBInstance } = require("@duckdb/node-api");

(async () => {
	const connection = await (await DuckDBInstance.create(":memory:")).connect();
	const all = await connection.extractStatements(fs.readFileSync(0, "utf8"));
	for (let n = 0; n < all.count; n++) {
		await (await all.prepare(n)).run();
	}
})().catch((error) => {
	console.error(error.message);
	process.exit(1);
});
