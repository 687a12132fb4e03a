import { describe, expect, test } from 'vitest';
import { type Endpoint, missingParameters, restPath, rulesOf } from './rest';
import { curlSnippet, graphqlSnippet, typescriptSnippet } from './snippets';

const parameter = {
  name: 'project',
  type: 'STRING',
  description: '',
  required: true,
  default: null,
  allowed: [],
  fallback: null,
  pattern: null,
  format: null,
  maxLength: 256,
  scope: null,
};
const endpoint: Endpoint = {
  id: '7c1a4e58-3d3b-4f0b-8a65-9b1f0c2d3e21',
  name: 'usage.api-counts',
  description: '',
  language: 'duckdb',
  sql: '',
  parameters: [
    parameter,
    {
      ...parameter,
      name: 'interval',
      required: false,
      default: 'daily',
      allowed: ['hourly', 'daily'],
      fallback: 'daily',
    },
  ],
  columns: [
    { name: 'timestamp', type: 'TIMESTAMP', nullable: false, description: '' },
    { name: 'time-out', type: 'FLOAT64', nullable: true, description: '' },
    { name: 'metadata', type: 'JSON', nullable: true, description: '' },
  ],
  maxRows: 1000,
  cacheSeconds: 900,
  warmSeconds: null,
  sandboxed: false,
};
const server = { origin: 'http://127.0.0.1:8080', authenticated: false };
const args = { project: "o'neil & co", interval: 'hourly', other: 'x', empty: '' };

describe('rest', () => {
  test('sends the declared arguments that have a value', () => {
    expect(restPath(endpoint, args)).toBe('/api/endpoints/usage.api-counts?project=o%27neil+%26+co&interval=hourly');
    expect(restPath(endpoint, { project: '' })).toBe('/api/endpoints/usage.api-counts');
    expect(missingParameters(endpoint, { interval: 'daily' })).toEqual(['project']);
    expect(missingParameters(endpoint, args)).toEqual([]);
  });

  test('describes the rules of a parameter', () => {
    expect(endpoint.parameters.map(rulesOf)).toEqual([
      'required · at most 256 characters',
      'default daily · other values mean daily',
    ]);
  });
});

describe('curl', () => {
  test('quotes for the shell', () => {
    expect(curlSnippet(server, endpoint, args)).toBe(
      "curl --get 'http://127.0.0.1:8080/api/endpoints/usage.api-counts' \\\n  --data-urlencode 'project=o'\\''neil & co' \\\n  --data-urlencode 'interval=hourly'",
    );
  });

  test('takes the token from a variable', () => {
    const snippet = curlSnippet({ ...server, authenticated: true }, endpoint, {});
    expect(snippet).toContain('-H "Authorization: Bearer $SAVEDQ_TOKEN"');
  });
});

describe('GraphQL', () => {
  test('writes strings and enum values', () => {
    expect(graphqlSnippet(endpoint, { project: 'a"b', interval: 'hourly' })).toContain(
      '  apiCounts(project: "a\\"b", interval: HOURLY) {\n    timestamp\n',
    );
  });

  test('an unknown interval is the default', () => {
    const stats = { ...endpoint, name: 'functions.invocation-stats' };
    expect(graphqlSnippet(stats, { interval: '2day' })).toContain('invocationStats(interval: ONE_DAY)');
  });

  test('only shipped queries have a field', () => {
    expect(graphqlSnippet({ ...endpoint, name: 'mine.top' }, args)).toBeNull();
  });
});

describe('TypeScript', () => {
  test('has the type of the rows', () => {
    expect(typescriptSnippet(server, endpoint, { project: 'acme' })).toBe(`type Row = {
  timestamp: number; // microseconds since 1970
  "time-out": number | null;
  metadata: unknown;
};

const url = new URL("http://127.0.0.1:8080/api/endpoints/usage.api-counts");
url.searchParams.set("project", "acme");

const response = await fetch(url);
if (!response.ok) throw new Error(await response.text());
const { result } = (await response.json()) as { result: Row[] };`);
  });

  test('takes the token from the environment', () => {
    const snippet = typescriptSnippet({ ...server, authenticated: true }, endpoint, {});
    expect(snippet).toContain('process.env.SAVEDQ_TOKEN');
  });
});
