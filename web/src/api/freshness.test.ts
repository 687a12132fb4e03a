import { describe, expect, test } from 'vitest';
import { type CacheStatus, type Caching, freshnessOf, secondsUntilChange } from './freshness';

function freshness(cache: CacheStatus, ageSeconds: number) {
  return { cache, ageSeconds, asOf: '2026-11-20T12:00:00Z', truncated: false, bytesProcessed: 0 };
}

describe('secondsUntilChange', () => {
  const warmed: Caching = { cacheSeconds: 900, warmSeconds: 300 };
  test.each<[string, CacheStatus, number, Caching | null, number]>([
    ['new rows are due at the warming time', 'MISS', 0, warmed, 301],
    ['kept ones sooner', 'HIT', 240, warmed, 61],
    ['overdue ones soon', 'HIT', 300, warmed, 15],
    ['without warming, when they expire', 'HIT', 100, { cacheSeconds: 900, warmSeconds: null }, 801],
    ['of unknown caching, by the minute', 'HIT', 10, null, 51],
    ['rows that are not kept', 'OFF', 0, warmed, 10],
    ['stale rows', 'STALE', 2000, warmed, 15],
  ])('%s', (_name, cache, age, caching, want) => {
    expect(secondsUntilChange(freshness(cache, age), caching)).toBe(want);
  });
});

describe('freshnessOf', () => {
  test('finds a field, and says which one is missing', () => {
    const logs = freshness('OFF', 0);
    expect(freshnessOf({ logs }, 'logs')).toBe(logs);
    expect(() => freshnessOf({ logs }, 'apiCounts')).toThrow('apiCounts');
  });
});
