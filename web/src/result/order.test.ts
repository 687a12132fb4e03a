import { expect, test } from 'vitest';
import { Decimal } from '../api/json';
import { nextOrder, sortedIndexes } from './order';

test('rows without a value are last, and equal ones stay in order', () => {
  const rows = [
    { n: 2 },
    { n: null },
    { n: 9007199254740995n },
    { n: new Decimal('2.50000000000000000001') },
    { n: 2 },
  ];
  expect(sortedIndexes(rows, null)).toEqual([0, 1, 2, 3, 4]);
  expect(sortedIndexes(rows, { column: 'n', descending: false })).toEqual([0, 4, 3, 2, 1]);
  expect(sortedIndexes(rows, { column: 'n', descending: true })).toEqual([2, 3, 0, 4, 1]);
});

test('texts, lists and columns whose names are numbers have an order', () => {
  expect(sortedIndexes([{ 7: 'b' }, { 7: 'a' }], { column: '7', descending: false })).toEqual([1, 0]);
  expect(sortedIndexes([{ l: ['b'] }, { l: ['a'] }], { column: 'l', descending: false })).toEqual([1, 0]);
});

test('a header sorts, reverses, and restores the order', () => {
  const first = nextOrder(null, 'n', true);
  expect(first).toEqual({ column: 'n', descending: true });
  const second = nextOrder(first, 'n', true);
  expect(second).toEqual({ column: 'n', descending: false });
  expect(nextOrder(second, 'n', true)).toBeNull();
  expect(nextOrder(second, 'name', false)).toEqual({ column: 'name', descending: false });
});
