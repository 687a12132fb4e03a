import { describe, expect, test } from 'vitest';
import type { Json } from '../api/json';
import { columnOf, gradeOf, lineOf, membersOf, requestOf, statusTone, traceOf } from './entry';
import type { LogEntry } from './loaded';

const entry: LogEntry = {
  id: 'edge_logs:e1',
  eventId: 'e1',
  timestamp: '2026-11-20T12:00:00Z',
  eventMessage: 'GET | 404',
  metadata: [
    {
      request: [{ method: 'GET', path: '/rest/v1/todos', search: '?select=*' }],
      response: [{ status_code: 404, origin_time: 12 }],
    },
  ],
};

describe('lineOf', () => {
  test('reads the metadata', () => {
    expect(lineOf(entry)).toEqual({
      method: 'GET',
      path: '/rest/v1/todos',
      target: '/rest/v1/todos?select=*',
      status: 404,
      level: '',
      duration: 12,
    });
  });

  // The table of docs/specification.md, "Search".
  test.each<[string, { [key: string]: Json }, string, string, number | null]>([
    ['of auth_logs', { method: 'POST', path: '/token', status: 401 }, 'POST', '/token', 401],
    ['of function_edge_logs', { request: [{ pathname: '/hello', search: '?a=1' }] }, '', '/hello?a=1', null],
    ['with a status in a string', { response: [{ status_code: '404' }] }, '', '', 404],
    ['with a status as DuckDB casts numbers', { status: '404.0' }, '', '', 404],
    ['with the status of a response first', { response: [{ status_code: 200 }], status: 500 }, '', '', 200],
    ['with a null status of a response', { response: [{ status_code: null }], status: 500 }, '', '', 500],
    ['with a status of a response that is none', { response: [{ status_code: 'ok' }], status: 500 }, '', '', null],
    ['with a status of two digits', { status: 99 }, '', '', null],
    ['with a status of four digits', { status: '4040' }, '', '', null],
    ['with a fraction', { status: 404.5 }, '', '', null],
    ['with the method of a request first', { request: [{ method: 'GET' }], method: 'PUT' }, 'GET', '', null],
    ['with each path', { request: [{ path: '/a', pathname: '/b' }], path: '/c' }, '', '/a', null],
    ['with lists and objects as values', { method: [{ a: 1 }], path: {}, status: [404] }, '', '', null],
    ['with a list of two', { request: [{ method: 'GET' }, { method: 'PUT' }] }, 'GET', '', null],
    ['with a query and no path', { request: [{ search: '?a=1' }] }, '', '', null],
  ])('reads metadata %s', (_name, metadata, method, target, status) => {
    expect(lineOf({ ...entry, metadata: [metadata] })).toMatchObject({ method, target, status });
  });

  test('prefers what the server has read', () => {
    const line = lineOf({ ...entry, status: 500, method: 'PUT', path: '/other' });
    expect(line).toMatchObject({ method: 'PUT', target: '/other?select=*', status: 500 });
  });

  test.each([
    ['null', null],
    ['of another shape', { request: { method: 'GET' } }],
    ['of two, the first without fields', [{ request: [] }, { method: 'GET' }]],
    ['of other types', [{ request: [{ method: [1], path: null }], response: [{ status_code: {} }] }]],
  ])('reads nothing from metadata that is %s', (_name, metadata) => {
    expect(lineOf({ ...entry, metadata })).toEqual({
      method: '',
      path: '',
      target: '',
      status: null,
      level: '',
      duration: null,
    });
  });
});

test.each([
  [101, ''],
  [204, 'good'],
  [304, ''],
  [404, 'warning'],
  [503, 'danger'],
])('%i has the tone "%s"', (status, want) => {
  expect(statusTone(status)).toBe(want);
});

test.each<[{ [key: string]: Json }, number | null]>([
  [{ duration: '8.883ms' }, 8.883],
  [{ duration: '1.5s' }, 1500],
  [{ execution_time_ms: 13 }, 13],
  [{ duration: 'long' }, null],
])('the duration of %j is %j', (metadata, want) => {
  expect(lineOf({ ...entry, metadata: [metadata] }).duration).toBe(want);
});

test.each([
  [503, '', 'danger'],
  [200, 'Error', 'danger'],
  [404, 'info', 'warning'],
  [null, 'WARNING', 'warning'],
  [200, 'errors', ''],
] as const)('status %j and level %j are graded "%s"', (status, level, want) => {
  expect(gradeOf({ status, level })).toBe(want);
});

test.each<[string, Json, string | null]>([
  ['an id of a request', [{ component: 'api', request_id: 'r1' }], 'metadata.*:r1'],
  ['an id of the edge', [{ request: [{ headers: [{ cf_ray: '14f2' }] }] }], ':14f2'],
  ['an id of the edge with its place', [{ reqId: 'a3df5ee6-FRA' }], ':a3df5ee6'],
  ['none', [{ request: [{ method: 'GET' }] }], null],
  ['no metadata', null, null],
])('the request of an entry with %s', (_name, metadata, want) => {
  const term = requestOf(metadata);
  expect(term && `${term.field}:${term.value}`).toBe(want);
});

test.each<[string, Json, string | null]>([
  ['an id of a trace', [{ attributes: [{ trace_id: '4bf92f3577b34da6' }] }], '4bf92f3577b34da6'],
  ['an id in another style', [{ traceId: 'a1' }], 'a1'],
  ['the id of no trace', [{ trace_id: '00000000000000000000000000000000' }], null],
  ['none', [{ request: [{ method: 'GET' }] }], null],
])('the trace of an entry with %s', (_name, metadata, want) => {
  expect(traceOf(metadata)?.value ?? null).toBe(want);
});

test('a column shows the first member of its name, at any depth', () => {
  const metadata: Json = [{ id: null, request: [{ id: 7, tags: ['a'] }], 'not a word': 1 }];
  expect(columnOf(metadata, 'id')).toBe('7');
  expect(columnOf(metadata, 'region')).toBe('');
  expect(membersOf([{ metadata }, { metadata: null }])).toEqual(['id']);
});
