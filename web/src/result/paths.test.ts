import { expect, test } from 'vitest';
import type { Plot } from '../chart/geometry';
import { rangeScale } from '../chart/range';
import { areaPath, groupedPath } from './paths';

const plot: Plot = { left: 10, top: 0, width: 100, height: 100, count: 4 };
const scale = rangeScale(0, 100, false);

test('an area has a gap where there is no value', () => {
  expect(areaPath(plot, [0, 0, 0, 50], [50, 100, null, 100], scale)).toBe(
    'M22.5 50L47.5 0L47.5 100L22.5 100zM97.5 0L97.5 50z',
  );
});

test('columns side by side go up or down from zero', () => {
  const around = rangeScale(-100, 100, true);
  expect(groupedPath(plot, [100, null, -100, 0], [0, 1, 2, 3], around, { index: 0, count: 2 })).toBe(
    'M13 50V0h8.5V50zM63 50V100h8.5V50z',
  );
  expect(groupedPath(plot, [100, null, 50, null], [0, 1], around, { index: 1, count: 2 })).toBe('M22.5 50V0h8.5V50z');
});
