import { describe, expect, test } from 'vitest';
import { formatAge, formatBucket, formatDuration, formatFull, formatInstant } from './format';

const start = new Date('2026-11-20T12:00:00.250Z');

describe('formatBucket', () => {
  test.each([
    [1000, '20 Nov, 12:00:00'],
    [60_000, '20 Nov, 12:00 – 12:01'],
    [3_600_000, '20 Nov, 12:00 – 13:00'],
    [86_400_000, '20 Nov (UTC day)'],
  ])('of %i ms', (width, want) => {
    expect(formatBucket(start, width, 'utc')).toBe(want);
  });
});

test.each([
  [1000, '20 Nov, 12:00:00 UTC'],
  [60_000, '20 Nov, 12:00 UTC'],
  [86_400_000, '20 Nov, 12:00 UTC'],
])('an instant of buckets of %i ms', (width, want) => {
  expect(formatInstant(start, width, 'utc')).toBe(want);
});

test('formatFull gives milliseconds', () => {
  expect(formatFull(start, 'utc')).toBe('20 Nov, 12:00:00.250');
});

test.each([
  [1999, 'just now'],
  [2000, '2 s old'],
  [59_999, '59 s old'],
  [60_000, '1 min old'],
  [3_600_000, '1 h old'],
  [86_400_000, '1 day old'],
  [2 * 86_400_000, '2 days old'],
])('an age of %i ms is %s', (age, want) => {
  expect(formatAge(age)).toBe(want);
});

test('a duration is cut to whole units', () => {
  expect(formatDuration(899_999)).toBe('14 min');
});
