import { apiCountIntervals, invocationIntervals, projectTiers } from '../app/routes';
import { type Arguments, type Endpoint, restPath, sentArguments } from './rest';

/** What a snippet needs to know of the server. */
export interface Server {
  /** Such as "http://127.0.0.1:8080". */
  origin: string;
  /** Whether it requires a token, which snippets take from a variable. */
  authenticated: boolean;
}

/** A command for a shell. */
export function curlSnippet(server: Server, endpoint: Endpoint, args: Arguments): string {
  const path = `/api/endpoints/${encodeURIComponent(endpoint.name)}`;
  return [
    `curl --get ${quote(server.origin + path)}`,
    ...(server.authenticated ? ['-H "Authorization: Bearer $SAVEDQ_TOKEN"'] : []),
    ...sentArguments(endpoint, args).map(([name, value]) => `--data-urlencode ${quote(`${name}=${value}`)}`),
  ].join(' \\\n  ');
}

/** Quotes a word for a POSIX shell. */
function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** The GraphQL field of a saved query. */
interface Field {
  name: string;
  /** The argument of a parameter, and how its value is written. */
  args: { [parameter: string]: { name: string; write: (value: string) => string } };
  selection: string[];
}

const asText = (value: string): string => JSON.stringify(value);
const asEnum =
  (choices: readonly { value: string; slug: string }[], fallback: string) =>
  (value: string): string =>
    choices.find(({ slug }) => slug === value)?.value ?? fallback;

const fields: { [endpoint: string]: Field } = {
  'functions.invocation-stats': {
    name: 'invocationStats',
    args: {
      project: { name: 'project', write: asText },
      function_id: { name: 'functionId', write: asText },
      interval: { name: 'interval', write: asEnum(invocationIntervals, 'ONE_DAY') },
    },
    selection: [
      'timestamp',
      'minExecutionTime',
      'maxExecutionTime',
      'avgExecutionTime',
      'p95ExecutionTime',
      'p99ExecutionTime',
      'count',
      'errorCount',
    ],
  },
  'usage.api-counts': {
    name: 'apiCounts',
    args: {
      project: { name: 'project', write: asText },
      interval: { name: 'interval', write: asEnum(apiCountIntervals, 'DAILY') },
    },
    selection: ['timestamp', 'totalRestRequests', 'totalStorageRequests', 'totalAuthRequests', 'totalRealtimeRequests'],
  },
  'logs.all': {
    name: 'logs',
    args: {
      project: { name: 'project', write: asText },
      project_tier: { name: 'projectTier', write: asEnum(projectTiers, 'FREE') },
      iso_timestamp_start: { name: 'isoTimestampStart', write: asText },
      iso_timestamp_end: { name: 'isoTimestampEnd', write: asText },
    },
    selection: ['id', 'timestamp', 'eventMessage', 'metadata'],
  },
};

/** A GraphQL document; null if the field is not known here. */
export function graphqlSnippet(endpoint: Endpoint, args: Arguments): string | null {
  const field = fields[endpoint.name];
  if (field === undefined) return null;
  const written = sentArguments(endpoint, args).flatMap(([parameter, value]) => {
    const argument = field.args[parameter];
    return argument === undefined ? [] : [`${argument.name}: ${argument.write(value)}`];
  });
  const call = written.length === 0 ? field.name : `${field.name}(${written.join(', ')})`;
  return ['{', `  ${call} {`, ...field.selection.map((name) => `    ${name}`), '  }', '}'].join('\n');
}

/** The types of a column's values as REST sends them (D13). */
const columnTypes: { [type: string]: string } = {
  STRING: 'string',
  INT64: 'number',
  FLOAT64: 'number',
  BOOL: 'boolean',
  TIMESTAMP: 'number',
  DATETIME: 'string',
  DATE: 'string',
  JSON: 'unknown',
};

const columnNotes: { [type: string]: string } = {
  TIMESTAMP: ' // microseconds since 1970',
  DATETIME: ' // UTC',
};

/** TypeScript code that calls REST, with the type of the rows. */
export function typescriptSnippet(server: Server, endpoint: Endpoint, args: Arguments): string {
  const columns = endpoint.columns.map(({ name, type, nullable }) => {
    const plain = columnTypes[type] ?? 'unknown';
    const full = nullable && plain !== 'unknown' ? `${plain} | null` : plain;
    return `  ${propertyName(name)}: ${full};${columnNotes[type] ?? ''}`;
  });
  const headers = server.authenticated
    ? // biome-ignore lint/suspicious/noTemplateCurlyInString: the snippet has the template.
      ', {\n  headers: { Authorization: `Bearer ${process.env.SAVEDQ_TOKEN}` },\n}'
    : '';
  return [
    'type Row = {',
    ...columns,
    '};',
    '',
    `const url = new URL(${JSON.stringify(server.origin + restPath(endpoint, {}))});`,
    ...sentArguments(endpoint, args).map(
      ([name, value]) => `url.searchParams.set(${JSON.stringify(name)}, ${JSON.stringify(value)});`,
    ),
    '',
    `const response = await fetch(url${headers});`,
    'if (!response.ok) throw new Error(await response.text());',
    'const { result } = (await response.json()) as { result: Row[] };',
  ].join('\n');
}

function propertyName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}
