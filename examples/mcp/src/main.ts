import { argv, env } from 'node:process';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

interface Day {
  timestamp: string;
  count: number;
  error_count: number;
  p95_execution_time: number | null;
}

interface Entry {
  event_message: string;
  metadata: Record<string, unknown>[];
}

const project = argv[2] ?? 'default';
const url = new URL('mcp', (env.SAVEDQ_URL ?? 'http://127.0.0.1:8080').replace(/\/*$/, '/'));
const client = new Client({ name: 'savedq-example', version: '0.0.0' });
await client.connect(
  // The interfaces of the SDK do not follow exactOptionalPropertyTypes.
  new StreamableHTTPClientTransport(url, {
    requestInit: { headers: { Authorization: `Bearer ${env.SAVEDQ_TOKEN ?? ''}` } },
  }) as Parameters<typeof client.connect>[0],
);
await client.listTools(); // so that the client checks results against the schemas of the tools

/** Returns all rows of a tool, page after page. */
async function rows<Row>(name: string, args: Record<string, unknown>): Promise<Row[]> {
  const all: Row[] = [];
  for (let cursor: string | undefined; ; ) {
    const result = await client.callTool({ name, arguments: cursor === undefined ? args : { ...args, _cursor: cursor } });
    if (result.isError) {
      throw new Error(JSON.stringify(result.content));
    }
    const page = result.structuredContent as { rows: Row[]; _cursor?: string };
    all.push(...page.rows);
    cursor = page._cursor;
    if (cursor === undefined) {
      return all;
    }
  }
}

console.log(`Functions of ${project}, by day:`);
for (const day of await rows<Day>('functions_invocation-stats', { project, interval: '7day' })) {
  const date = day.timestamp.slice(0, 10);
  const p95 = day.p95_execution_time === null ? '-' : `${day.p95_execution_time} ms`;
  console.log(`${date}  ${day.count} invocations  ${day.error_count} errors  p95 ${p95}`);
}
const [newest] = await rows<Entry>('logs_all', { project });
if (newest) {
  console.log(`Newest log entry: ${newest.event_message}`);
  console.log(`Its metadata: ${Object.keys(newest.metadata[0] ?? {}).sort().join(', ')}`);
}
await client.close();
