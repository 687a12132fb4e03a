import { expect, test } from 'vitest';
import { bucketSeconds, fill, spanOf } from './buckets';

const now = Date.parse('2026-11-20T12:00:30Z');
const state = { tier: 'FREE', range: 'all', start: '', end: '' } as const;

test('a span ends now and begins within the retention of the tier', () => {
  expect(spanOf(state, now)).toEqual({ start: now - 86_400_000, end: now });
  expect(spanOf({ ...state, range: '1h' }, now)).toEqual({ start: now - 3_600_000, end: now });
  expect(spanOf({ ...state, range: '7d' }, now).start).toBe(now - 86_400_000);
  const custom = { ...state, range: 'custom', start: '2026-11-20T11:00:00Z', end: '2026-11-21' } as const;
  expect(spanOf(custom, now)).toEqual({ start: Date.parse('2026-11-20T11:00:00Z'), end: now });
});

test('there are at most ninety buckets', () => {
  const secondsOf = (span: number) => bucketSeconds({ start: 0, end: span * 1000 });
  expect([60, 15 * 60, 3600, 86_400, 7 * 86_400, 90 * 86_400, 365 * 86_400].map(secondsOf)).toEqual([
    1, 10, 60, 1800, 7200, 86_400, 86_400,
  ]);
});

test('buckets without entries are filled in', () => {
  const rows = [{ timestamp: '2026-11-20T11:59:00Z', count: 3, errors: 2, warnings: 1 }];
  const buckets = fill(rows, { start: now - 3_600_000, end: now });
  expect(buckets).toHaveLength(61);
  expect(buckets[0]).toEqual({
    start: new Date('2026-11-20T11:00:00Z'),
    count: 0,
    errors: 0,
    warnings: 0,
    partial: true,
  });
  const full = { start: new Date('2026-11-20T11:59:00Z'), count: 3, errors: 2, warnings: 1, partial: false };
  expect(buckets[59]).toEqual(full);
  expect(buckets[60]?.partial).toBe(true);
  const whole = fill(rows, { start: now - 3_630_000, end: now - 30_001 });
  expect(whole.filter(({ partial }) => partial)).toEqual([]);
  expect(fill([], { start: now, end: now - 1_000_000 })).toEqual([]);
});
