import { expect, test } from 'vitest';
import {
  formatAxisTime,
  formatBytes,
  formatCount,
  formatCountOf,
  formatMilliseconds,
  formatNumber,
  formatRounded,
  formatShare,
  formatWork,
} from './numbers';

test.each([
  [0, '0 entries'],
  [1, '1 entry'],
  [1200, '1,200 entries'],
])('%d are %s', (count, want) => {
  expect(formatCountOf(count, 'entry', 'entries')).toBe(want);
});

test.each([
  [null, '–'],
  [0, '0 ms'],
  [1.26, '1.3 ms'],
  [184.4, '184 ms'],
  [1250, '1.25 s'],
  [12_340, '12.34 s'],
])('%j ms is %s', (time, want) => {
  expect(formatMilliseconds(time)).toBe(want);
});

test.each([
  [0, '0'],
  [250, '250 ms'],
  [2500, '2.5 s'],
])('%j ms on an axis is %s', (time, want) => {
  expect(formatAxisTime(time)).toBe(want);
});

test.each([
  [0, 0, '–'],
  [0, 10, '0 %'],
  [1, 100_000, '< 0.1 %'],
  [34, 1000, '3.4 %'],
  [1, 2, '50.0 %'],
])('%i of %i is %s', (part, of, want) => {
  expect(formatShare(part, of)).toBe(want);
});

test.each([
  [9999, '9,999'],
  [252_618, '252,618'],
  [3_000_000_000, '3B'],
])('%i on a card is %s', (count, want) => {
  expect(formatRounded(count)).toBe(want);
});

test.each([
  [187.24561403508773, '187.246'],
  [0.000012345678, '0.0000123457'],
  [12345678, '12345678'],
  [12345678.9, '12345679'],
  [-2.5, '-2.5'],
])('%f in a cell is %s', (value, want) => {
  expect(formatNumber(value)).toBe(want);
});

test('counts and sizes', () => {
  expect(formatCount(12345)).toBe('12,345');
  const sizes = [0, 999, 1000, 3120, 2_500_000, 7_000_000_000, 12_300_000_000_000, 4e15].map(formatBytes);
  expect(sizes).toEqual(['0 B', '999 B', '1.0 kB', '3.1 kB', '2.5 MB', '7.0 GB', '12.3 TB', '4000.0 TB']);
});

test.each([
  [[25, 0, 0, 0], '25 rows read · 0 reused'],
  [[1, 24, 10_000_000, 80_000_000], '1 row read · 24 reused · 10.0 MB processed · 80.0 MB reused'],
  [[0, 1200, 0, 80_000_000], '0 rows read · 1,200 reused · 0 B processed · 80.0 MB reused'],
])('the work %j is %s', ([rowsRead = 0, rowsReused = 0, bytesProcessed = 0, bytesReused = 0], want) => {
  expect(formatWork({ rowsRead, rowsReused, bytesProcessed, bytesReused })).toBe(want);
});
