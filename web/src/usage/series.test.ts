import { expect, test } from 'vitest';
import { type ApiCount, fillBuckets } from './series';

const count = (timestamp: string): ApiCount => ({
  timestamp,
  totalRestRequests: 1,
  totalStorageRequests: 0,
  totalAuthRequests: 0,
  totalRealtimeRequests: 0,
});
const asOf = new Date('2026-11-20T12:03:30Z');

// D6: elements exist only where there was a request, and the window is not cut to buckets.
test('days', () => {
  const buckets = fillBuckets([count('2026-11-13T00:00:00Z'), count('2026-11-20T00:00:00Z')], 'DAILY', asOf);
  expect(buckets).toHaveLength(8);
  expect(buckets[0]).toMatchObject({ start: new Date('2026-11-13T00:00:00Z'), partial: true });
  expect(buckets.map((bucket) => bucket.counts !== null)).toEqual([
    true,
    false,
    false,
    false,
    false,
    false,
    false,
    true,
  ]);
  expect(buckets.map((bucket) => bucket.partial)).toEqual([true, false, false, false, false, false, false, true]);
});

test('minutes', () => {
  const buckets = fillBuckets([], 'MINUTELY', asOf);
  expect(buckets).toHaveLength(61);
  expect(buckets[0]?.start).toEqual(new Date('2026-11-20T11:03:00Z'));
  expect(buckets.at(-1)).toEqual({ start: new Date('2026-11-20T12:03:00Z'), counts: null, partial: true });
});

test('hours: the first one is whole where the window begins with it', () => {
  const buckets = fillBuckets([], 'HOURLY', new Date('2026-11-20T12:00:00Z'));
  expect(buckets.map((bucket) => bucket.partial)).toEqual([false, true]);
});
