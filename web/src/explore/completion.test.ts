import { expect, test } from 'vitest';
import { complete, type Options } from './completion';
import { clickHouse, type Dialect, duckDB, googleSQL } from './dialect';
import type { Schema } from './schema';

const schema: Schema = {
  tables: [
    {
      name: 'edge_logs',
      description: 'Requests.',
      columns: [
        { name: 'id', type: 'STRING' },
        { name: 'metadata', type: 'ARRAY<STRUCT>' },
      ],
      members: { request: { path: {}, cf: { country: {} } }, response: { status_code: {} }, region: {} },
    },
    { name: 'auth_logs', description: 'Auth.', columns: [{ name: 'level', type: 'STRING' }] },
  ],
  functions: [
    { name: 'COUNT', params: '[x]', result: 'INT64' },
    { name: 'COUNT', params: '*', result: 'INT64' },
  ],
  withheld: [],
  parameters: ['project'],
  maxRows: 10,
  dialects: [],
  saves: false,
};

/** The options at the bar in SQL. */
const optionsAt = (text: string, dialect: Dialect, known: Schema, wanted = false): Options | null =>
  complete({ sql: text.replace('|', ''), dialect }, text.indexOf('|'), known, wanted);

/** The labels at the bar in SQL. */
const at = (text: string, wanted = false, dialect: Dialect = googleSQL): string[] | null =>
  optionsAt(text, dialect, dialect === duckDB ? { ...schema, functions: [] } : schema, wanted)?.options.map(
    ({ label }) => label,
  ) ?? null;

test('parameters of the token and of the SQL', () => {
  expect(at('SELECT @since AS a, @|')).toEqual(['@project', '@since']);
  expect(at('SELECT @si|')).toEqual(['@project']);
});

test('columns of a table, by its name or alias', () => {
  expect(at('SELECT edge_logs.| FROM edge_logs')).toEqual(['id', 'metadata']);
  expect(at('SELECT a.le| FROM edge_logs JOIN auth_logs AS a ON TRUE')).toEqual(['level']);
  expect(at('SELECT nothing.| FROM edge_logs')).toEqual([]);
});

test('members of metadata, as deep as it is unnested', () => {
  const from = 'FROM edge_logs CROSS JOIN UNNEST(metadata) AS m CROSS JOIN UNNEST(m.request) AS r, UNNEST(r.cf) AS c';
  expect(at(`SELECT m.| ${from}`)).toEqual(['request', 'response', 'region']);
  expect(at(`SELECT r.p| ${from}`)).toEqual(['path', 'cf']);
  expect(at(`SELECT c.| ${from}`)).toEqual(['country']);
});

test('everything, once, when a word is begun or it is wanted', () => {
  expect(at('SELECT |')).toBeNull();
  const all = at('SELECT c| FROM auth_logs AS a') ?? [];
  expect(all.slice(0, 4)).toEqual(['level', 'a', 'edge_logs', 'auth_logs']);
  expect(all.filter((label) => label === 'COUNT')).toHaveLength(1);
  expect(all).toContain('GROUP BY');
  expect(at('SELECT |', true)).toContain('edge_logs');
});

const logs: Schema = {
  ...schema,
  tables: [
    {
      name: 'logs',
      description: 'All.',
      columns: [
        { name: 'source', type: 'String', values: ['edge_logs', 'auth_logs'] },
        { name: 'log_attributes', type: 'Map(String, String)' },
      ],
      members: { request: { path: {}, cf: { country: {} } }, region: {} },
    },
  ],
  functions: [
    { name: 'quantile', constants: 'level', params: 'Number', result: 'Float64', note: 'As `x`.' },
    { name: 'and', params: 'Flag, Flag', result: 'UInt8' },
  ],
};

/** What is inserted at the bar in ClickHouse's SQL. */
const inserted = (text: string): string[] | undefined =>
  optionsAt(text, clickHouse, logs)?.options.map(({ label, apply }) => apply ?? label);

test("ClickHouse's SQL has columns and functions of its own", () => {
  expect(inserted('SELECT q| FROM logs')?.slice(0, 4)).toEqual(['source', 'log_attributes', 'logs', 'quantile(']);
  expect(inserted('SELECT l.| FROM logs AS l')).toEqual(['source', 'log_attributes']);
  const options = optionsAt('SELECT q| FROM logs', clickHouse, logs)?.options ?? [];
  expect(options.find(({ label }) => label === 'quantile')).toMatchObject({
    detail: '(level)(Number) → Float64',
    info: 'As x.',
  });
  expect(options.map(({ label }) => label)).toContain('ARRAY JOIN');
  expect(options.map(({ label }) => label)).not.toContain('and');
  expect(options.map(({ label }) => label)).not.toContain('UNNEST');
});

test("ClickHouse's parameters have the type that they have elsewhere", () => {
  expect(inserted('SELECT {since:DateTime} AS a, {s|} AS b')).toEqual(['since:DateTime']);
  expect(inserted('SELECT {since:DateTime} AS a, {|')).toEqual(['since:DateTime}']);
});

test('paths of attributes and values of columns are offered within quotes', () => {
  expect(inserted("SELECT log_attributes['request.|'] FROM logs")).toEqual([
    'request.path',
    'request.cf.country',
    'region',
  ]);
  expect(inserted("SELECT log_attributes['re|")).toContain("region']");
  expect(inserted("SELECT 1 FROM logs WHERE source = 'edge|'")).toEqual(['edge_logs', 'auth_logs']);
  expect(inserted("SELECT 1 FROM logs WHERE source IN ('edge_logs', '|")).toEqual(["edge_logs'", "auth_logs'"]);
  expect(inserted("SELECT 1 FROM logs WHERE id = 'edge|'")).not.toContain('edge_logs');
});

test("DuckDB's dialect has its own parameters, and functions of GoogleSQL are not offered", () => {
  expect(at('SELECT $since AS a, @b, $|', false, duckDB)).toEqual(['$project', '$since']);
  const all = at('SELECT c| FROM auth_logs', false, duckDB) ?? [];
  expect(all).toContain('level');
  expect(all).not.toContain('COUNT');
});
