// Reads a saved query as Arrow, and prints its columns and how many rows there are.
import { tableFromIPC } from 'apache-arrow';

const url = new URL('api/endpoints/functions.invocation-stats', process.env.SAVEDQ_URL);
url.search = new URLSearchParams({ project: process.argv[2], interval: '7day', format: 'arrow' });
const response = await fetch(url, { headers: { 'X-API-KEY': process.env.SAVEDQ_TOKEN } });
if (!response.ok) throw new Error(await response.text());
const table = tableFromIPC(new Uint8Array(await response.arrayBuffer()));
for (const field of table.schema.fields) console.log(field.name, String(field.type));
let invocations = 0n;
for (const row of table) invocations += row.count;
console.log(`${table.numRows} rows, ${invocations} invocations`);
