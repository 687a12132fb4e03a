import { describe, expect, test } from 'vitest';
import { bucketAt, columnsPath, linePath, markedPoints, middle, type Plot } from './geometry';
import { rangeScale } from './range';
import { linearScale, logScale, timeTicks, valueTicks } from './ticks';

const plot: Plot = { left: 10, top: 0, width: 100, height: 100, count: 4 };
const scale = linearScale(100, false);

describe('geometry', () => {
  test('buckets lie side by side', () => {
    expect(middle(plot, 0)).toBe(22.5);
    expect([0, 10, 34.9, 35, 109, 200].map((x) => bucketAt(plot, x))).toEqual([0, 0, 0, 1, 3, 3]);
  });

  test('a line is broken where there is no value', () => {
    expect(linePath(plot, [0, 50, null, 100], [0, 1, 2, 3], scale)).toBe('M22.5 100L47.5 50M97.5 0');
  });

  test('values get markers where there is room, and always where they stand alone', () => {
    expect(markedPoints(plot, [1, 1, null, 1], [0, 1, 2, 3])).toEqual([0, 1, 3]);
    expect(markedPoints({ ...plot, width: 30 }, [1, 1, null, 1], [0, 1, 2, 3])).toEqual([3]);
    expect(markedPoints({ ...plot, width: 0 }, [null, 0, null, null], [0, 1, 2, 3])).toEqual([1]);
  });

  test('columns have a part for each value that is not zero, and a small one can be seen', () => {
    const parts = [
      { index: 0, below: 0, value: 50 },
      { index: 1, below: 50, value: 0 },
      { index: 2, below: 99.9, value: 0.1 },
    ];
    expect(columnsPath(plot, parts, scale, 1)).toBe('M13 100V50h19V100zM63 -0.9V-1.9h19V-0.9z');
  });
});

describe('scales', () => {
  test('values below zero have ticks, too', () => {
    const { ticks, position } = rangeScale(-20, 99, false);
    expect(ticks).toEqual([-50, 0, 50, 100]);
    expect([-50, 0, 100].map(position)).toEqual([0, 1 / 3, 1]);
    expect(rangeScale(-3, -1, true).ticks).toEqual([-3, -2, -1, 0]);
    expect(rangeScale(0, 100, true).ticks).toEqual(linearScale(100, true).ticks);
  });

  test('times without equal distances have labels at equal distances', () => {
    const starts = ['2026-01-01', '2026-02-01', '2026-03-01', '2026-04-01'].map((time) => new Date(time));
    expect(timeTicks(starts, 0, 2, 'utc')).toEqual([
      { index: 0, label: '1 Jan' },
      { index: 2, label: '1 Mar' },
    ]);
  });

  test.each([
    [0, true, [0, 1]],
    [1, true, [0, 1]],
    [3, true, [0, 1, 2, 3]],
    [955, true, [0, 250, 500, 750, 1000]],
    [12_308, false, [0, 5000, 10_000, 15_000]],
    [0.3, false, [0, 0.1, 0.2, 0.3]],
  ])('ticks up to %d', (largest, whole, want) => {
    expect(valueTicks(largest, whole)).toEqual(want);
  });

  test('a logarithmic scale has powers of ten', () => {
    const log = logScale(2, 12_308);
    expect(log.ticks).toEqual([1, 10, 100, 1000, 10_000, 100_000]);
    expect([0, 1, 100, 100_000].map(log.position)).toEqual([0, 0, 0.4, 1]);
    expect(logScale(0, 0).ticks).toEqual([1, 10]);
  });
});

describe('timeTicks', () => {
  const series = (first: string, width: number, count: number): Date[] =>
    Array.from({ length: count }, (_, index) => new Date(Date.parse(first) + index * width));

  test('hours of a day, with the date where it begins', () => {
    const ticks = timeTicks(series('2026-11-20T10:00:00Z', 3_600_000, 25), 3_600_000, 6, 'utc');
    expect(ticks.map(({ index, label }) => `${index} ${label}`)).toEqual([
      '2 12:00',
      '8 18:00',
      '14 21 Nov',
      '20 06:00',
    ]);
  });

  test('seconds', () => {
    const ticks = timeTicks(series('2026-11-20T10:00:30Z', 1000, 301), 1000, 12, 'utc');
    expect(ticks[0]).toEqual({ index: 0, label: '10:00:30' });
    expect(ticks).toHaveLength(11);
  });

  test('days are UTC days, as many as fit', () => {
    const days = series('2026-11-13T00:00:00Z', 86_400_000, 8);
    expect(timeTicks(days, 86_400_000, 8, 'local').map(({ label }) => label)).toContain('20 Nov');
    expect(timeTicks(days, 86_400_000, 4, 'utc').map(({ label }) => label)).toEqual([
      '13 Nov',
      '15 Nov',
      '17 Nov',
      '19 Nov',
    ]);
  });
});
