import { expect, test } from 'vitest';
import { arrangementOf, orderOf, orderText, shapeOf, viewOf, zoomOf, zoomText } from './look';

test('an address without anything, or with what cannot be read, has the defaults', () => {
  for (const look of [{}, { view: 'x', shape: 'pie', arrangement: 'x', zoom: 'yesterday' }]) {
    expect([viewOf(look), shapeOf(look), arrangementOf(look), zoomOf(look, [new Date(0), new Date(1)])]).toEqual([
      'table',
      'lines',
      'side',
      null,
    ]);
  }
  expect(orderOf({})).toBeNull();
});

test.each(['', 'errors', '-errors', '-2024'])('the order %j is read as it was written', (sort) => {
  expect(orderText(orderOf({ sort }))).toBe(sort);
});

test('a zoom finds its buckets', () => {
  const starts = [0, 60, 120, 180].map((seconds) => new Date(seconds * 1000));
  const zoom = (from: number, to: number) =>
    zoomOf({ zoom: zoomText(new Date(from * 1000), new Date(to * 1000)) }, starts);
  expect(zoom(60, 120)).toEqual([1, 2]);
  expect(zoom(-5, 999)).toEqual([0, 3]);
  expect(zoom(60, 60)).toBeNull();
  expect(zoom(500, 999)).toBeNull();
});
