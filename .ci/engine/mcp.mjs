// Uses each tool of `tallylock mcp` as an assistant does: mcp.mjs PROGRAM ENDPOINT CONFIG PLANS
import assert from 'node:assert/strict';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const [program, endpoint, config, plans] = process.argv.slice(2);
const server = new StdioClientTransport({
	command: program,
	args: ['mcp', '--table', 'accounts', '--endpoint-url', endpoint, '--config', config, '--plans', plans],
	env: { ...process.env, XDG_STATE_HOME: plans },
});
const client = new Client({ name: 'ci', version: '1' });
await client.connect(server);
await client.ping();
const { tools } = await client.listTools();
assert.deepEqual(tools.map((tool) => tool.name).sort(), ['counters', 'explain', 'find', 'findings', 'layout', 'plan']);
for (const tool of tools) {
	assert.equal(tool.annotations.readOnlyHint ?? false, tool.name !== 'plan', tool.name);
	assert.equal(tool.annotations.destructiveHint ?? false, false, tool.name);
}

// The client of the SDK validates each result by the schema that the server declares.
const call = async (name, given) => {
	const result = await client.callTool({ name, arguments: given });
	assert.ok(!result.isError, `${name}: ${JSON.stringify(result.content)}`);
	const text = JSON.stringify(result);
	assert.ok(!/ada@|lovelace|turing/.test(text), `${name} shows a value: ${text}`);
	return result.structuredContent;
};
const found = await call('find', { value: 'alan' });
await call('layout', {});
await call('counters', {});
await call('findings', {});
await call('explain', { value: 'alan' });
const { id } = found.table_data.answer.locks.find((lock) => lock.verdict === 'orphaned');
await call('plan', { id, reason: 'ticket 48151' });
const files = readdirSync(plans).filter((file) => file.endsWith('.json'));
assert.equal(files.length, 1);
assert.equal(statSync(join(plans, files[0])).mode & 0o777, 0o600);

const refused = async (name, given) => {
	const result = await client.callTool({ name, arguments: given }).catch((error) => ({ isError: true, error }));
	assert.ok(result.isError, `${name} ${JSON.stringify(given)} was not refused`);
};
await refused('find', { value: 'alan', unknown: 1 });
await refused('find', {});
await refused('find', { value: 'alan', table: 'members' });
await refused('release', { value: 'alan' });
await refused('plan', { id: 'made up', reason: 'x' });
await client.close();
console.log('MCP: the TypeScript SDK used every tool');
