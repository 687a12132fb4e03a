import { argv, env } from 'node:process';
import { newClient } from './client.js';
import { ActivityDocument } from './gql/graphql.js';

const project = argv[2] ?? 'default';
const execute = newClient(env.SAVEDQ_URL ?? 'http://127.0.0.1:8080', env.SAVEDQ_TOKEN ?? '');
const { invocationStats, logs } = await execute(ActivityDocument, { project });

console.log(`Functions of ${project}, by day:`);
for (const day of invocationStats) {
  const p95 = day.p95ExecutionTime === null ? '-' : `${day.p95ExecutionTime} ms`;
  console.log(`${day.timestamp.slice(0, 10)}  ${day.count} invocations  ${day.errorCount} errors  p95 ${p95}`);
}

const [newest] = logs;
if (newest) {
  console.log(`Newest log entry: ${newest.eventMessage}`);
  console.log(`Its metadata: ${fieldsOf(newest.metadata).join(', ')}`);
}

/** Returns the names of the fields of an event's metadata, a list of one object. */
function fieldsOf(metadata: unknown): string[] {
  const first: unknown = Array.isArray(metadata) ? metadata[0] : undefined;
  return typeof first === 'object' && first !== null ? Object.keys(first).sort() : [];
}
