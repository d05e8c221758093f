// Runs SQL statements on a Trino, one after the other, and prints the rows of queries as CSV. The statements are a list
// in JSON, on standard input. Usage: node trino.mjs http://127.0.0.1:8089
import fs from "node:fs";

const server = process.argv[2];
const headers = { "X-Trino-User": "test", "X-Trino-Catalog": "hive", "X-Trino-Schema": "t" };

async function ask(url, request) {
	const answer = await fetch(url, { ...request, headers });
	if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
	return answer.json();
}

async function run(statement) {
	let rows = "";
	let said = await ask(`${server}/v1/statement`, { method: "POST", body: statement });
	for (;;) {
		if (said.error) throw new Error(`${said.error.errorName}: ${said.error.message}\n${statement}`);
		if (said.data && !said.updateType) {
			if (rows === "") rows = `${said.columns.map((one) => JSON.stringify(one.name)).join(",")}\n`;
			for (const row of said.data) {
				rows += `${row.map((one) => `"${String(one).replaceAll('"', '""')}"`).join(",")}\n`;
			}
		}
		if (!said.nextUri) return rows;
		said = await ask(said.nextUri);
	}
}

try {
	for (const statement of JSON.parse(fs.readFileSync(0, "utf8"))) {
		fs.writeSync(1, await run(statement));
	}
} catch (error) {
	console.error(error.message);
	process.exit(1);
}
