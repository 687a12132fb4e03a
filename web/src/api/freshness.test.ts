import { describe, expect, test } from 'vitest';
import {
  type CacheStatus,
  type Caching,
  freshnessOf,
  type Pace,
  paceOf,
  secondsUntilChange,
  uncachedPace,
  workOf,
} from './freshness';

function freshness(cache: CacheStatus, ageSeconds: number) {
  const work = { rowsRead: 0, rowsReused: 0, bytesProcessed: 0, bytesReused: 0 };
  return { cache, ageSeconds, asOf: '2026-11-20T12:00:00Z', truncated: false, ...work };
}

const warmed: Caching = { cacheSeconds: 900, warmSeconds: 300 };

describe('paceOf', () => {
  test.each<[string, Caching | null, number | null, boolean, Pace]>([
    ['a live chart bypasses the cache', warmed, 10, true, { seconds: 10, bypass: true }],
    ['not for a token that may not refresh', warmed, 10, false, { seconds: 300, bypass: false }],
    ['wide buckets follow the cache', warmed, null, true, { seconds: 300, bypass: false }],
    [
      'a cache that is faster than the chart',
      { cacheSeconds: 5, warmSeconds: null },
      10,
      true,
      { seconds: 5, bypass: false },
    ],
    [
      'without warming, rows change when they expire',
      { cacheSeconds: 900, warmSeconds: null },
      null,
      true,
      { seconds: 900, bypass: false },
    ],
    ['unknown caching', null, null, true, { seconds: 60, bypass: false }],
  ])('%s', (_name, caching, live, mayRefresh, want) => {
    expect(paceOf(caching, live, mayRefresh)).toEqual(want);
  });
});

describe('secondsUntilChange', () => {
  const slow: Pace = { seconds: 300, bypass: false };
  const live: Pace = { seconds: 10, bypass: true };
  test.each<[string, CacheStatus, number, Pace, boolean, number]>([
    ['new rows are due at the warming time', 'MISS', 0, slow, false, 301],
    ['cached ones sooner', 'HIT', 240, slow, false, 61],
    ['overdue ones soon', 'HIT', 300, slow, false, 15],
    ['rows that are not cached', 'OFF', 0, uncachedPace, false, 10],
    ['stale rows', 'STALE', 2000, slow, false, 15],
    ['live rows', 'REFRESHED', 0, live, true, 11],
    ['live rows that another page refreshed', 'HIT', 4, live, true, 7],
    ['old rows of a page that goes live', 'HIT', 240, live, false, 1],
    ['old rows although the cache was to be bypassed', 'HIT', 240, live, true, 15],
    ['stale live rows', 'STALE', 30, live, true, 15],
  ])('%s', (_name, cache, age, pace, bypassed, want) => {
    expect(secondsUntilChange(freshness(cache, age), pace, bypassed)).toBe(want);
  });
});

describe('freshnessOf', () => {
  test('finds a field, and names a missing one', () => {
    const logs = freshness('OFF', 0);
    expect(freshnessOf({ logs }, 'logs')).toBe(logs);
    expect(() => freshnessOf({ logs }, 'apiCounts')).toThrow('apiCounts');
  });
});

describe('workOf', () => {
  test.each([
    [{}, null],
    [{ 'X-Rows': 'many' }, null],
    [{ 'X-Rows': 'read=1, reused=24' }, { rowsRead: 1, rowsReused: 24, bytesProcessed: 0, bytesReused: 0 }],
    [
      { 'X-Rows': 'read=25, reused=0', 'X-Bytes': 'read=10485760, reused=0' },
      { rowsRead: 25, rowsReused: 0, bytesProcessed: 10485760, bytesReused: 0 },
    ],
  ])('of the headers %j', (headers, want) => {
    expect(workOf(new Headers(headers))).toEqual(want);
  });
});
