import { expect, test } from 'vitest';
import { Decimal, type Json } from '../api/json';
import { columnOf } from '../endpoints/endpoint.fixture';
import { planOf } from './plan';
import { resultSeries } from './series';
import type { ResultColumn, Row } from './types';

const day = columnOf('day', 'DATE');
const count = columnOf('count', 'INT64');
const path = columnOf('path', 'STRING');

/** The charts in short: the title of each with its lines. */
function charts(columns: ResultColumn[], rows: Row[]) {
  const plan = planOf(columns);
  if (plan.kind !== 'time') throw new Error(plan.kind);
  const { starts, widthMs, frames, notes } = resultSeries(plan, rows);
  return {
    starts: starts.map((start) => start.toISOString().slice(0, 16)),
    widthMs,
    frames: frames.map(({ title, series }) => [title, ...series.map(({ name, values }) => `${name} ${values}`)]),
    notes,
  };
}

test('draws exact decimals', () => {
  const price = columnOf('price', 'NUMERIC');
  const rows = [
    { day: '2026-11-01', price: 1.5 },
    { day: '2026-11-02', price: new Decimal('2.50000000000000000001') },
  ];
  expect(charts([day, price], rows).frames).toEqual([['', 'price 1.5,2.5']]);
});

test('orders rows by their time, and leaves gaps', () => {
  const rows = [
    { day: '2026-11-04', count: 4n },
    { day: '2026-11-01', count: 1 },
    { day: '2026-11-02', count: null },
    { day: null, count: 9 },
  ];
  expect(charts([day, count], rows)).toEqual({
    starts: ['2026-11-01T00:00', '2026-11-02T00:00', '2026-11-03T00:00', '2026-11-04T00:00'],
    widthMs: 86_400_000,
    frames: [['', 'count 1,,,4']],
    notes: ['1 row has no time.'],
  });
});

test('reads the times of each type in UTC', () => {
  const first = (type: string, value: Json): string | undefined =>
    charts([columnOf('t', type), count], [{ t: value, count: 1 }]).starts[0];
  expect(first('TIMESTAMP', 1_795_291_200_000_000)).toBe('2026-11-21T20:00');
  expect(first('DATETIME', '2026-11-21T20:00:00')).toBe('2026-11-21T20:00');
  expect(first('DATETIME', '2026-11-21T20:00:00.250000')).toBe('2026-11-21T20:00');
  expect(first('DATE', '2026-11-21')).toBe('2026-11-21T00:00');
});

test('many times have equal distances, too', () => {
  const many = Array.from({ length: 6000 }, (_, index) => ({ at: index * 1_000_000, count: index }));
  const { widthMs, notes } = charts([columnOf('at', 'TIMESTAMP'), count], many);
  expect([widthMs, notes]).toEqual([1000, []]);
});

test('times without equal distances are steps', () => {
  const rows = ['2026-01-01', '2026-02-01', '2026-03-01', '2026-04-01'].map((at) => ({ day: at, count: 1 }));
  const { starts, widthMs, notes } = charts([day, count], rows);
  expect(starts).toHaveLength(4);
  expect(widthMs).toBe(0);
  expect(notes).toEqual(['The times have no equal distances: each time is one step.']);
});

test('numbers of very different sizes have charts of their own', () => {
  const columns = [day, count, columnOf('errors', 'INT64'), columnOf('big', 'INT64'), columnOf('share', 'FLOAT64')];
  const rows = [{ day: '2026-11-01', count: 50, errors: 1, big: 1e9, share: 0.5 }];
  expect(charts(columns, rows).frames).toEqual([
    ['', 'count 50', 'errors 1'],
    ['', 'big 1000000000'],
    ['', 'share 0.5'],
  ]);
});

test('a STRING column separates rows of the same time', () => {
  const rows = ['2026-11-01', '2026-11-02'].flatMap((at) => [
    { day: at, path: '/a', id: 'constant', count: 1 },
    { day: at, path: '/b', id: 'constant', count: 2 },
  ]);
  const { starts, frames, notes } = charts([day, columnOf('id', 'STRING'), path, count], rows);
  expect(starts).toHaveLength(2);
  expect(frames).toEqual([['count', '/a 1,1', '/b 2,2']]);
  expect(notes).toEqual([]);
});

test('rows of the same time that nothing separates are steps', () => {
  const rows = [1, 2].map((value) => ({ day: '2026-11-01', path: '/a', count: value }));
  expect(charts([day, path, count], rows)).toMatchObject({
    frames: [['', 'count 1,2']],
    notes: ['Several rows have the same time: each row is one step.'],
  });
});

test('draws columns whose names are numbers, and fields of structs', () => {
  const place = columnOf('place', 'STRUCT', { fields: [columnOf('lat', 'FLOAT64')] });
  const rows = [{ day: '2026-11-01', 2024: 4, place: { lat: 50.5 } }];
  expect(charts([day, columnOf('2024', 'INT64'), place], rows).frames).toEqual([
    ['', '2024 4'],
    ['', 'place.lat 50.5'],
  ]);
});

test('shows the largest values of many', () => {
  const rows = Array.from({ length: 20 }, (_, index) => ({
    day: `2026-11-0${1 + (index % 2)}`,
    path: `/${index >> 1}`,
    count: index,
  }));
  const { frames, notes } = charts([day, path, count], rows);
  expect(frames[0]?.slice(1).map((line) => line.split(' ')[0])).toEqual([
    '/2',
    '/3',
    '/4',
    '/5',
    '/6',
    '/7',
    '/8',
    '/9',
  ]);
  expect(notes).toEqual(['The charts show the 8 largest of 10 values of path.']);
});
