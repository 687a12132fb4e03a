import { expect, test } from 'vitest';
import { categoriesOf } from './categories';
import { planOf } from './plan';
import type { ResultColumn, Row } from './types';

const path = { name: 'path', type: 'STRING' };
const method = { name: 'method', type: 'STRING' };
const count = { name: 'count', type: 'INT64' };

/** The bars in short. */
function bars(columns: ResultColumn[], rows: Row[]) {
  const plan = planOf(columns);
  if (plan.kind !== 'categories') throw new Error(plan.kind);
  const { names, frames, notes } = categoriesOf(plan, rows);
  return {
    names,
    frames: frames.map(({ title, series }) => [title, ...series.map(({ name, values }) => `${name} ${values}`)]),
    notes,
  };
}

test('a bar for each row', () => {
  expect(
    bars(
      [path, count],
      [
        { path: '/a', count: 2 },
        { path: null, count: null },
      ],
    ),
  ).toEqual({
    names: ['/a', 'null'],
    frames: [['', 'count 2,']],
    notes: [],
  });
});

test('names that repeat are told apart by another column', () => {
  const rows = [
    { path: '/a', method: 'GET', count: 2 },
    { path: '/a', method: 'PUT', count: 3 },
    { path: '/b', method: 'GET', count: 4 },
  ];
  expect(bars([path, method, count], rows)).toEqual({
    names: ['/a', '/b'],
    frames: [['count', 'GET 2,4', 'PUT 3,']],
    notes: [],
  });
  expect(bars([path, count], rows).names).toEqual(['/a', '/a', '/b']);
});

test('names with different values of another column are told apart by both', () => {
  const rows = [
    { path: 'status', method: '200', count: 2 },
    { path: 'status', method: '404', count: 3 },
    { path: 'source', method: 'edge', count: 4 },
    { path: 'source', method: 'auth', count: 5 },
  ];
  expect(bars([path, method, count], rows).names).toEqual([
    'status · 200',
    'status · 404',
    'source · edge',
    'source · auth',
  ]);
});

test('one row without a name is a bar for each number, whose name can be a number', () => {
  expect(bars([{ name: '1', type: 'FLOAT64' }, count], [{ 1: 0.5, count: 7 }])).toEqual({
    names: ['1', 'count'],
    frames: [['', 'Value 0.5,7']],
    notes: [],
  });
});

test('shows the first of many', () => {
  const { names, notes } = bars(
    [path, count],
    Array.from({ length: 60 }, (_, n) => ({ path: `/${n}`, count: n })),
  );
  expect(names).toHaveLength(50);
  expect(notes).toEqual(['The chart shows the first 50 of 60 bars.']);
});
