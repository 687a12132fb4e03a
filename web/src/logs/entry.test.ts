import { describe, expect, test } from 'vitest';
import { lineOf, statusTone } from './entry';
import type { LogEntry } from './loaded';

const entry: LogEntry = {
  id: 'e1',
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
    expect(lineOf(entry)).toEqual({ method: 'GET', target: '/rest/v1/todos?select=*', status: 404, originTime: 12 });
  });

  test.each([
    ['null', null],
    ['of another shape', { request: { method: 'GET' } }],
    ['of two', [{ request: [] }, {}]],
    ['of other types', [{ request: [{ method: 1, path: null }], response: [{ status_code: '404' }] }]],
  ])('claims nothing of metadata that is %s', (_name, metadata) => {
    expect(lineOf({ ...entry, metadata })).toEqual({ method: '', target: '', status: null, originTime: null });
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
