import { expect, test } from 'vitest';
import { linePath, markedPoints, type Plot } from '../chart/geometry';
import { linearScale } from '../chart/ticks';
import { visible } from './visible';

const plot: Plot = { left: 10, top: 0, width: 100, height: 100, count: 1000 };

test('of many values, those that can be seen are drawn', () => {
  const many = Array.from({ length: plot.count }, (_, index) => (index % 10 === 5 ? null : index % 7));
  many[123] = 100;
  many[777] = -100;
  many.fill(null, 300, 320);
  const seen = visible(plot, many);
  expect(seen.length).toBeLessThanOrEqual(4 * plot.width);
  expect(seen).toEqual(seen.toSorted((a, b) => a - b));
  expect(seen).toEqual(expect.arrayContaining([0, 123, 777, 999]));
  expect(linePath(plot, many, seen, linearScale(100, false)).split('M')).toHaveLength(3); // gaps of a pixel break the line
  expect(markedPoints(plot, many, seen)).toEqual([]);
});

test('of few values, all are drawn', () => {
  expect(visible({ ...plot, count: 4 }, [1, null, 1, 1])).toEqual([0, 1, 2, 3]);
});
