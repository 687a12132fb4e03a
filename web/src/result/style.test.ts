import { expect, test } from 'vitest';
import { drawn, floors, totals, unfinished } from './style';

const series = [
  { name: 'a', values: [1, 2] },
  { name: 'b', values: [10, null] },
];
const frame = { title: '', whole: true, series };

test('stacked series need a scale up to their totals, and hidden ones none', () => {
  const most = (arrangement: 'side' | 'stacked', ...hidden: string[]): number | undefined =>
    drawn([frame], arrangement, new Set(hidden))[0]?.most;
  expect(most('side')).toBe(10);
  expect(most('stacked')).toBe(11);
  expect(most('stacked', 'b')).toBe(2);
  expect(totals(series)).toEqual([11, 2]);
  expect(floors(series, true)).toEqual([
    [0, 0],
    [1, 2],
  ]);
  expect(floors(series, false)).toEqual([
    [0, 0],
    [0, 0],
  ]);
});

test('values below zero are not stacked', () => {
  const below = { ...frame, series: [{ name: 'a', values: [-1, 2] }] };
  expect(drawn([below], 'stacked', new Set())[0]?.stacked).toBe(false);
});

test('the bucket that has not ended is in progress', () => {
  const starts = ['2026-11-24', '2026-11-25', '2026-11-26'].map((day) => new Date(day));
  const day = 86_400_000;
  expect(unfinished(starts, day, new Date('2026-11-25T12:00:00Z'))).toEqual([false, true, false]);
  expect(unfinished(starts, day, new Date('2026-11-27'))).toEqual([false, false, false]);
  expect(unfinished(starts, 0, new Date('2026-11-25'))).toEqual([false, false, false]);
});
