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

/** The fields of the shipped saved queries. */
const fields: { [endpoint: string]: string } = {
  'functions.invocation-stats': 'invocationStats',
  'usage.api-counts': 'apiCounts',
  'logs.all': 'logs',
};

/** The parameters of these that are enums in GraphQL: their values and the default. */
const enums: { [parameter: string]: { choices: readonly { value: string; slug: string }[]; fallback: string } } = {
  'functions.invocation-stats interval': { choices: invocationIntervals, fallback: 'ONE_DAY' },
  'usage.api-counts interval': { choices: apiCountIntervals, fallback: 'DAILY' },
  'logs.all project_tier': { choices: projectTiers, fallback: 'FREE' },
};

/** A GraphQL document; null if the field is not known here. */
export function graphqlSnippet(endpoint: Endpoint, args: Arguments): string | null {
  const field = fields[endpoint.name];
  if (field === undefined) return null;
  const written = sentArguments(endpoint, args).map(([parameter, value]) => {
    const known = enums[`${endpoint.name} ${parameter}`];
    const chosen = known?.choices.find(({ slug }) => slug === value)?.value ?? known?.fallback;
    return `${camelCase(parameter)}: ${chosen ?? JSON.stringify(value)}`;
  });
  const call = written.length === 0 ? field : `${field}(${written.join(', ')})`;
  return ['{', `  ${call} {`, ...endpoint.columns.map(({ name }) => `    ${camelCase(name)}`), '  }', '}'].join('\n');
}

/** The spelling of a parameter or column in GraphQL (D26). */
function camelCase(name: string): string {
  return name.replaceAll(/[._-](\w)/g, (_, letter: string) => letter.toUpperCase());
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
