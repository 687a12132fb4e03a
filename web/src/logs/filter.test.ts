import { describe, expect, test } from 'vitest';
import { excerpt, Filter, filteredTexts } from './filter';
import type { LogEntry } from './loaded';

const entry: LogEntry = {
  id: 'edge_logs:e1f7',
  eventId: 'e1f7',
  timestamp: '2026-11-20T12:34:56Z',
  eventMessage: 'GET | 404 | curl/8.0',
  metadata: [
    {
      timestamp: '2026-11-20T12:34:56Z',
      request: [{ method: 'GET', path: '/rest/v1/todos', search: '?select=*' }],
      response: [{ status_code: 404, origin_time: 87 }],
    },
  ],
};

describe('Filter', () => {
  test.each([
    ['', true],
    ['  ', true],
    ['404', true],
    ['TODOS get', true],
    ['select=*', true],
    ['curl', true],
    ['E1F', true],
    ['todos 500', false],
    ['34:56', false],
    ['2026', false],
    ['87', false],
  ])('%j', (text, want) => {
    expect(new Filter(text).matches(filteredTexts(entry))).toBe(want);
  });

  test.each([
    ['', 'GET /a', [{ text: 'GET /a', marked: false }]],
    [
      'get',
      'GET /a',
      [
        { text: 'GET', marked: true },
        { text: ' /a', marked: false },
      ],
    ],
    [
      'a b',
      'xaby',
      [
        { text: 'x', marked: false },
        { text: 'ab', marked: true },
        { text: 'y', marked: false },
      ],
    ],
    [
      '.*',
      'a.*b',
      [
        { text: 'a', marked: false },
        { text: '.*', marked: true },
        { text: 'b', marked: false },
      ],
    ],
    [
      'i',
      'İi',
      [
        { text: 'İ', marked: false },
        { text: 'i', marked: true },
      ],
    ],
    ['x', '', []],
  ])('%j marks %j', (filter, text, want) => {
    expect(new Filter(filter).split(text)).toEqual(want);
  });
});

test('an excerpt begins before the match', () => {
  const long = `${'x'.repeat(100)}needle`;
  expect(excerpt(long, new Filter('needle'))).toBe(`…${'x'.repeat(40)}needle`);
  expect(excerpt('a needle', new Filter('needle'))).toBe('a needle');
  expect(excerpt('needle', new Filter('needle'))).toBe('needle');
  expect(excerpt('hay', new Filter('needle'))).toBeNull();
});
