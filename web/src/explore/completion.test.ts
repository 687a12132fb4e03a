import { expect, test } from 'vitest';
import { complete } from './completion';
import { type Dialect, duckDB, googleSQL } from './dialect';
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

/** The labels at the bar in SQL. */
const at = (text: string, wanted = false, dialect: Dialect = googleSQL): string[] | null => {
  const offset = text.indexOf('|');
  return (
    complete({ sql: text.replace('|', ''), dialect }, offset, schema, wanted)?.options.map(({ label }) => label) ?? null
  );
};

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

test("DuckDB's dialect has its own parameters, and functions of GoogleSQL are not offered", () => {
  expect(at('SELECT $since AS a, @b, $|', false, duckDB)).toEqual(['$project', '$since']);
  const all = at('SELECT c| FROM auth_logs', false, duckDB) ?? [];
  expect(all).toContain('level');
  expect(all).not.toContain('COUNT');
});
