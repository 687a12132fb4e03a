import { expect, test } from 'vitest';
import { Decimal } from '../api/json';
import { matching } from './filter';
import { finished, sorted } from './steps';
import { totalsOf } from './totals';

const columns = [
  { name: 'path', type: 'STRING' },
  { name: 'status', type: 'INT64' },
  { name: 'at', type: 'TIMESTAMP' },
  { name: 'price', type: 'NUMERIC' },
];
const rows = [
  { path: '/REST/a b', status: 200, at: 1_795_492_800_000_000, price: 0.1 },
  { path: '/auth', status: 500, at: null, price: new Decimal('9007199254740993.25') },
  { path: null, status: 404, at: 1_795_579_200_000_000, price: 0.2 },
];

test.each([
  ['', [0, 1, 2]],
  ['rest', [0]],
  ['"/rest/a b"', [0]],
  ['rest auth', []],
  ['status>=404', [1, 2]],
  ['STATUS!=200 auth', [1]],
  ['status=200', [0]],
  ['status<300', [0]],
  ['status<=404', [0, 2]],
  ['path:AUTH', [1]],
  ['path=null', [2]],
  ['path!=null', [0, 1]],
  ['at>2026-11-25', [2]],
  ['at:2026-11-24t04', [0]],
  ['price>1', [1]],
  ['nosuch=1', []],
  ['status=abc', []],
])('%s matches rows', (filter, found) => {
  expect(finished(matching(rows, columns, filter))).toEqual(found);
});

test('totals are exact, and ids and times have none', () => {
  const totals = finished(totalsOf(rows, [0, 1, 2], columns, {}));
  expect(totals).toEqual({ price: new Decimal('9007199254740993.55') });
  expect(finished(totalsOf(rows, [1], columns, { status: 'quantity' }))).toEqual({
    status: 500,
    price: new Decimal('9007199254740993.25'),
  });
  const numbers = [{ name: 'n', type: 'INT64' }];
  const big = [{ n: 9007199254740991 }, { n: 9n }, { n: null }, { n: -1 }];
  expect(finished(totalsOf(big, [0, 1, 2, 3], numbers, {}))).toEqual({ n: 9007199254740999n });
  expect(finished(totalsOf([{ n: null }], [0], numbers, {}))).toEqual({ n: null });
});

test('many items are sorted in steps, and equal ones stay in order', () => {
  const items = Array.from({ length: 20_000 }, (_, index) => ({ index, key: (index * 7919) % 101 }));
  const steps = sorted(items, (a, b) => a.key - b.key);
  let count = 0;
  let step = steps.next();
  for (; !step.done; step = steps.next()) count++;
  expect(step.value).toEqual(items.toSorted((a, b) => a.key - b.key));
  expect(count).toBeGreaterThan(10);
});
