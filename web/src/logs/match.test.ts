import { expect, test } from 'vitest';
import type { LogEntry } from './loaded';
import { fieldsFilter, wordsFilter } from './match';
import { parseQuery } from './query';

const entry: LogEntry = {
  id: 'edge_logs:e1',
  eventId: 'e1',
  source: 'edge_logs',
  timestamp: '2026-11-20T12:00:00Z',
  eventMessage: 'GET | 404 | curl',
  metadata: [{ level: 'Warn', request: [{ method: 'GET', path: '/rest/v1/todos' }], response: [{ status_code: 404 }] }],
};

test.each([
  ['', true],
  ['status:404 status:500', true],
  ['status:4xx method:GET', true],
  ['status:4xx method:PUT', false],
  ['-status:404', false],
  ['-status:500 -method:PUT', true],
  ['level:WARN', true],
  ['path:/rest', true],
  ['path:rest', false],
  ['source:auth_logs', false],
  ['id:e1', true],
  ['id:edge_logs:e1', true],
  ['metadata.status_code:404', true],
  ['metadata.path:404', false],
  ['metadata.*:404', true],
  ['-metadata.method:GET', false],
  ['-CURL', false],
  ['-"get | 404"', false],
  ['-wget -todos', true],
])('%j', (text, want) => {
  expect(fieldsFilter(parseQuery(text).terms)(entry)).toBe(want);
});

test.each([
  ['curl 404', true],
  ['TODOS', true],
  ['e1', true],
  ['wget', false],
])('words %j', (text, want) => {
  expect(wordsFilter(parseQuery(text).terms)(entry)).toBe(want);
});

test('a filter can be used for several entries', () => {
  const keeps = fieldsFilter(parseQuery('-curl').terms);
  expect([entry, { ...entry, eventMessage: 'wget' }, entry].map(keeps)).toEqual([false, true, false]);
});
