import { argv, env } from 'node:process';
import createClient from 'openapi-fetch';
import type { components, paths } from './openapi.js';

const project = argv[2] ?? 'default';
const client = createClient<paths, 'application/json'>({
  baseUrl: env.SAVEDQ_URL ?? 'http://127.0.0.1:8080',
  headers: { 'X-API-KEY': env.SAVEDQ_TOKEN ?? '' },
});

const stats = rows(
  await client.GET('/api/endpoints/functions.invocation-stats', { params: { query: { project, interval: '7day' } } }),
);
console.log(`Functions of ${project}, by day:`);
for (const day of stats) {
  const p95 = day.p95_execution_time === null ? '-' : `${day.p95_execution_time} ms`;
  console.log(`${dateOf(day.timestamp)}  ${day.count} invocations  ${day.error_count} errors  p95 ${p95}`);
}

const [newest] = rows(await client.GET('/api/endpoints/logs.all', { params: { query: { project } } }));
if (newest) {
  console.log(`Newest log entry: ${newest.event_message}`);
  console.log(`Its metadata: ${fieldsOf(newest.metadata).join(', ')}`);
}

/** Returns the rows of a response. */
function rows<Row>(response: { data?: { result: Row[] }; error?: components['schemas']['Error'] }): Row[] {
  if (!response.data) {
    throw new Error(response.error?.error.message ?? 'the server sent no response');
  }
  return response.data.result;
}

/** Returns the day of a time in microseconds. */
function dateOf(microseconds: number): string {
  return new Date(microseconds / 1000).toISOString().slice(0, 10);
}

/** Returns the names of the fields of an event's metadata, a list of one object. */
function fieldsOf(metadata: unknown): string[] {
  const first: unknown = Array.isArray(metadata) ? metadata[0] : undefined;
  return typeof first === 'object' && first !== null ? Object.keys(first).sort() : [];
}
